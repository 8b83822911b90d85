/* empty: finds out where expressions match the empty string. */
#ifndef TRAWL_EMPTY_H
#define TRAWL_EMPTY_H

#include "trawl/options/patterns.h"

/* Returns the kind of the byte at `at` of a line. Returns NEIGHBOUR_NONE if `at` lies outside the
 * line; UINT64_MAX stands for the place before the first byte. */
enum neighbour patterns_neighbour(const uint8_t *bytes, uint64_t count, uint64_t at);
/* Returns where an expression of the plan has empty matches, as in patterns->empty_between. */
uint32_t patterns_empty_between(const struct trawl_plan *plan, uint64_t expression);
/* Finds out between which neighbours the expression has an empty match. Sets finds_empty,
 * empty_between and empty_everywhere. */
void patterns_find_empty(struct patterns *patterns, const struct trawl_plan *plan);

#endif
