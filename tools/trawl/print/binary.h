/* binary: decides which files are binary, and from which offset on. */
#ifndef TRAWL_BINARY_H
#define TRAWL_BINARY_H

#include "trawl/job/command_scan.h"
#include "trawl/text/sizes.h"

/* Begins the block in which a line that ends at text offset `end` ends. Commits the output of
 * earlier blocks. */
void binary_next_block(struct text_scan *scan, uint64_t end);
/* Moves the last selected line, of which a match was printed, into the block in which the line
 * turned out to end. */
void binary_move_line(struct text_scan *scan);
/* Looks for NUL in a window. Returns how many of the window's bytes count as text; all bytes if
 * there is no NUL. */
uint64_t binary_text_bytes(struct text_scan *scan, const struct trawl_window *window);
/* Called when a NUL was found at scan->nulls.offset. Nothing of its block may be printed. */
void binary_found(struct text_scan *scan);
/* Looks for a NUL in the whole text, for nulls.seen and nulls.offset, if the text can be read
 * again.
 */
void binary_look(struct text_scan *scan);
/* Called after an early stop. Looks for a NUL in the rest of the last block. */
void binary_look_ahead(struct text_scan *scan);
/* Returns the offset of the first NUL, once a NUL was seen. */
uint64_t binary_offset(const struct text_scan *scan);
/* Returns a copy of the bytes with line ends in place of NULs; NULL: no memory. */
const uint8_t *binary_zap(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);

#endif
