/* numbers: which of the strings given a match is. They are numbered from 1 in the order given,
 * duplicates and empty ones too; the plan has each string once.
 */
#ifndef TRAWL_NUMBERS_H
#define TRAWL_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct patterns;

struct numbers {
    uint64_t *begin; /* pattern i of the plan has list[begin[i]] to list[begin[i + 1] - 1]; NULL
                        where i + 1 is the one that it has */
    uint64_t *list;  /* ascending for each pattern */
    uint64_t *empty; /* of the empty string */
    uint64_t empty_count;
};

/* The arrays are to be freed. False: out of memory. */
bool numbers_build(struct numbers *numbers, const struct patterns *patterns);

static inline uint64_t numbers_count(const struct numbers *numbers, uint64_t pattern)
{
    return numbers->begin == NULL ? 1 : numbers->begin[pattern + 1] - numbers->begin[pattern];
}

static inline uint64_t numbers_get(const struct numbers *numbers, uint64_t pattern, uint64_t index)
{
    return numbers->begin == NULL ? pattern + 1 : numbers->list[numbers->begin[pattern] + index];
}

/* Numbers of the strings found in one place or line; of one text's scan. */
struct number_set {
    uint64_t *stamps; /* of each pattern of the plan: the last set that it was in */
    uint64_t stamp;   /* of this set */
    uint64_t *list;
    uint64_t count, capacity;
};

struct text_scan;
struct trawl_match;

/* Is the pattern new to the set of the open line, whose first match begins a new set? */
bool number_set_first(struct text_scan *scan, uint64_t pattern, bool begins);

/* The set of a line [begin, end) with these matches, or of the longest of those that begin at one
 * place; empty: the line holds the empty string too. Ascending, each number once. `end` is used
 * under -x of binary files, where a match may end elsewhere. False: out of memory, and the scan has
 * failed. */
bool number_set_of_line(struct text_scan *scan, const struct trawl_match *matches,
                        uint64_t match_count, uint64_t begin, uint64_t end, bool empty);
bool number_set_at(struct text_scan *scan, const struct trawl_match *matches, uint64_t match_count,
                   uint64_t end);

#endif
