/* patterns: sets of patterns that are taken from texts. Their bytes stay the text's; the array is
 * the caller's, to be freed.
 */
#ifndef BENCH_PATTERNS_H
#define BENCH_PATTERNS_H

#include <stdint.h>

#include <trawl.h>

#include "bench/text.h"

/* Pieces of lines of a text, at seeded places, of least to most bytes; some may come twice. */
struct trawl_pattern *patterns_pieces(const uint8_t *text, uint64_t text_bytes, uint64_t count,
                                      uint64_t least, uint64_t most);
/* The words of a list, or of a text: letters between other bytes, `least` of them or more. Room for
 * one pattern more is left. */
struct trawl_pattern *patterns_words(const struct source *source, uint64_t least, uint64_t *count);
/* Leave each once, in an order that is by chance. Returns how many are left, `most` of them at
 * most.
 */
uint64_t patterns_distinct(struct trawl_pattern *patterns, uint64_t count, uint64_t most);

#endif
