/* binary: decides whether a file is binary (has a NUL), and at which of its blocks to stop printing
 * lines. */
#ifndef TRAWL_BINARY_H
#define TRAWL_BINARY_H

#include "trawl/job/command_scan.h"
#include "trawl/text/sizes.h"

/* Starts the block of 96 KiB with the end of a line, which is at text offset `end`. Commits the
 * output of earlier blocks. */
void binary_next_block(struct text_scan *scan, uint64_t end);
/* Moves the last selected line, one of whose matches was printed before its end was known, into the
 * block in which it turned out to end. */
void binary_carry_line(struct text_scan *scan);
/* Looks for NUL in a window. Returns how many of the window's bytes count as text; all bytes if
 * there is no NUL. */
uint64_t binary_text_bytes(struct text_scan *scan, const struct trawl_window *window);
/* Discards the output of the block with the NUL at scan->nulls.offset. */
void binary_found(struct text_scan *scan);
/* Returns the offset of the first byte `byte` of the text in [offset, limit); OFFSET_NONE if there
 * is none. */
uint64_t binary_find(struct text_scan *scan, uint8_t byte, uint64_t offset, uint64_t limit);
/* Looks for a NUL in the whole of a text that can be read again. Sets nulls.seen and
 * nulls.offset. */
void binary_look(struct text_scan *scan);
/* Returns true if no NUL after the searched bytes can discard output: the rest of the last block
 * has none. */
bool binary_is_decided(struct text_scan *scan);
/* Called if the search of a text that can be read again stopped early. Looks for a NUL in the rest
 * of the last block. */
void binary_look_ahead(struct text_scan *scan);
/* Returns true if a search that stops has to read on in a stream, because a NUL may follow in the
 * rest of the last block. */
bool binary_reads_on(const struct text_scan *scan);
/* Looks for that NUL in the next window of the stream. Returns 1 to stop reading. */
int binary_read_on(struct text_scan *scan, const struct trawl_window *window);
/* Returns the offset of the first NUL, or of the hole that makes a sparse file binary. A NUL or a
 * hole must have been found. */
uint64_t binary_offset(const struct text_scan *scan);
/* Returns a copy of the bytes in which line ends replace NULs; NULL if out of memory. */
const uint8_t *binary_zap(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);

#endif
