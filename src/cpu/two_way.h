/* two_way: searches a single literal in linear time and constant space, in any text.
 *
 * Crochemore and Perrin, "Two-way string-matching", Journal of the ACM 38 (1991). The search
 * compares at most twice as many bytes as the text has. The search goes byte by byte. So a scan
 * begins with a filter, and changes to two_way when candidates are dense.
 */
#ifndef TRAWL_CPU_TWO_WAY_H
#define TRAWL_CPU_TWO_WAY_H

#include "plan/plan.h"

struct two_way {
    const uint8_t *bytes; /* the literal, in lower case if `fold` */
    uint64_t count;       /* bytes of the literal */
    uint64_t critical;    /* the critical position, < count */
    uint64_t period;      /* 0: longer than either side of the critical position */
    bool fold;
    uint64_t at;     /* the next begin to test */
    uint64_t memory; /* first bytes that are known to match at `at` */
};

/* Starts a search at position `from`. critical and period are the results of analyse_period. */
void two_way_begin(struct two_way *search, const uint8_t *bytes, uint64_t count, uint64_t critical,
                   uint64_t period, bool fold, uint64_t from);

/* Returns the next begin < limit; UINT64_MAX if there is none. text is readable up to limit - 1 +
 * count. */
uint64_t two_way_next(struct two_way *search, const uint8_t *text, uint64_t limit);

#endif
