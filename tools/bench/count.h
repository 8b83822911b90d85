/* count: the expected count of a pattern, and the C library's memmem as the baseline. */
#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H

#include <stdint.h>

/* All occurrences, overlapping ones too, by the pattern's automaton (Knuth, Morris, Pratt 1977, as
 * a full table): one table look-up per byte, whatever text and pattern. Uses `threads` threads. */
uint64_t count_by_automaton(const uint8_t *text, uint64_t text_bytes, const uint8_t *pattern,
                            uint64_t pattern_bytes, uint32_t threads);

/* All occurrences by memmem, called again one byte after each hit. Stops early once
 * seconds_max have passed (0: never); *done_bytes is how much of the text was searched then. */
uint64_t count_by_memmem(const uint8_t *text, uint64_t text_bytes, const uint8_t *pattern,
                         uint64_t pattern_bytes, double seconds_max, uint64_t *done_bytes);

#endif
