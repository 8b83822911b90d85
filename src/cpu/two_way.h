/* two_way: searches for a single literal in linear time and constant space, in any text.
 *
 * Crochemore and Perrin, "Two-way string-matching", Journal of the ACM 38 (1991). The literal is
 * split at its critical position; the right part is compared first, then the left part. The search
 * compares at most twice as many bytes as the text has, but one byte at a time. So a scan starts
 * with vectors as a filter, and changes to two_way when comparing the candidates has cost too much.
 */
#ifndef TRAWL_CPU_TWO_WAY_H
#define TRAWL_CPU_TWO_WAY_H

#include "plan/plan.h"

struct two_way {
    const uint8_t *bytes; /* the literal, in lower case if `fold` */
    uint64_t count;       /* bytes of the literal */
    uint64_t critical;    /* the critical position, where the literal is split; < count */
    uint64_t period;      /* the literal's period; 0: longer than either part of the literal */
    bool fold;
    uint64_t at;     /* the next position to test */
    uint64_t memory; /* how many first bytes of the literal are known to match at `at` */
};

/* Starts a search at position `from`. critical and period come from analyse_period. */
void two_way_begin(struct two_way *search, const uint8_t *bytes, uint64_t count, uint64_t critical,
                   uint64_t period, bool fold, uint64_t from);

/* Returns the position of the next occurrence, or UINT64_MAX if none starts below `limit`. The text
 * must be readable up to limit - 1 + count. */
uint64_t two_way_next(struct two_way *search, const uint8_t *text, uint64_t limit);

#endif
