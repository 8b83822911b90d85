/* count: counts line ends, and computes line numbers from the counts. */
#ifndef TRAWL_COUNT_H
#define TRAWL_COUNT_H

#include "trawl/job/command_scan.h"

uint64_t count_byte(const uint8_t *bytes, uint64_t bytes_count, uint8_t byte);
/* Returns the number of the line that contains `at`. `bytes` has the text starting at bytes_begin.
 * All bytes between `at` and counting.end must be contiguous with `bytes` in memory. */
uint64_t line_number_at(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_begin,
                        uint64_t at);
/* Adds `line_ends`, which the caller has counted between counting.end and `end`. */
void count_add_line_ends(struct text_scan *scan, uint64_t end, uint64_t line_ends);
/* Moves the counting to the end of a window that was handled, before the next window. */
void count_end_window(struct text_scan *scan, const struct trawl_window *window);

#endif
