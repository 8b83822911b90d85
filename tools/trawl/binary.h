/* binary: which files are binary, and from where on. */
#ifndef TRAWL_BINARY_H
#define TRAWL_BINARY_H

#include "trawl/scan.h"

/* grep looks for NUL in its buffers: 96 KiB of a file at a time. No line of a buffer is printed
 * if there is a NUL in it. */
#define BLOCK_BYTES (UINT64_C(96) << 10)

/* Begin a line that ends at text offset `end`: finish what was printed of earlier blocks. */
void binary_next_block(struct text_scan *scan, uint64_t end);
/* The last selected line, of which something was printed, ends in another block than was known. */
void binary_move_line(struct text_scan *scan);
/* Look for NUL in a window. Returns how many of its bytes still count as text: all of them unless
 * one was found. */
uint64_t binary_text_bytes(struct text_scan *scan, const struct trawl_window *window);
/* A NUL was found at scan->null_offset: nothing of its block may be printed. */
void binary_found(struct text_scan *scan);
/* After an early stop: is there a NUL in the rest of the last block? */
void binary_look_ahead(struct text_scan *scan);
/* Of the first NUL, once one was seen. */
uint64_t binary_offset(const struct text_scan *scan);
/* A window's bytes with NUL replaced by line ends; NULL: out of memory. */
const uint8_t *binary_zap(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);

#endif
