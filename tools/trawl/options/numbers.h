/* numbers: the numbers of each pattern of the plan. Strings are numbered from 1 in the order given,
 * including duplicates and empty strings; the plan has each string once.
 */
#ifndef TRAWL_NUMBERS_H
#define TRAWL_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct patterns;

struct numbers {
    /* Pattern i of the plan has the numbers list[begin[i]] .. list[begin[i + 1] - 1]. NULL: pattern
     * i has the single number i + 1. */
    uint64_t *begin;
    uint64_t *list;       /* ascending for each pattern */
    uint64_t *empty;      /* the numbers of the empty strings, ascending */
    uint64_t empty_count; /* number of empty strings */
};

/* Fills the arrays, which the caller frees. False: no memory. */
bool numbers_build(struct numbers *numbers, const struct patterns *patterns);

static inline uint64_t numbers_count(const struct numbers *numbers, uint64_t pattern)
{
    return numbers->begin == NULL ? 1 : numbers->begin[pattern + 1] - numbers->begin[pattern];
}

static inline uint64_t numbers_get(const struct numbers *numbers, uint64_t pattern, uint64_t index)
{
    return numbers->begin == NULL ? pattern + 1 : numbers->list[numbers->begin[pattern] + index];
}

#endif
