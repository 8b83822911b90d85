/* count: line ends counted, line numbers. */
#ifndef TRAWL_COUNT_H
#define TRAWL_COUNT_H

#include "trawl/scan.h"

uint64_t count_byte(const uint8_t *bytes, uint64_t bytes_count, uint8_t byte);
/* Number of the line that begins or goes on at `at`. The bytes up to the last place that was asked
 * for, or to the last window's end, are there, before `at` or after it. */
uint64_t line_number_at(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_begin,
                        uint64_t at);
/* From the place asked for last up to `end` there are so many line ends. */
void count_lines(struct text_scan *scan, uint64_t end, uint64_t line_ends);
/* A window begins; it is done. */
void count_window_begin(struct text_scan *scan, const struct trawl_window *window);
void count_line_ends(struct text_scan *scan, const struct trawl_window *window);

#endif
