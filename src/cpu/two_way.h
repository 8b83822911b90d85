/* two_way: one literal in linear time and constant space, whatever the text.
 *
 * Crochemore and Perrin, "Two-way string-matching", Journal of the ACM 38 (1991). Compares at most
 * twice as many bytes as the text has. Byte by byte, so a scan falls back to it when candidates are
 * dense, and does not begin with it.
 */
#ifndef TRAWL_CPU_TWO_WAY_H
#define TRAWL_CPU_TWO_WAY_H

#include "plan/plan.h"

struct two_way {
    const uint8_t *bytes; /* the literal, folded if `fold` */
    uint64_t count;       /* its bytes */
    uint64_t critical;    /* the critical position, below count */
    uint64_t period;      /* 0: longer than either side of the critical position */
    bool fold;
    uint64_t at;     /* the next begin to look at */
    uint64_t memory; /* leading bytes known to match at `at` */
};

/* Begin at position `from`. critical and period as analyse_period gives them. */
void two_way_begin(struct two_way *search, const uint8_t *bytes, uint64_t count, uint64_t critical,
                   uint64_t period, bool fold, uint64_t from);

/* The next begin below `limit`, UINT64_MAX if none; text is readable to limit - 1 + count. */
uint64_t two_way_next(struct two_way *search, const uint8_t *text, uint64_t limit);

#endif
