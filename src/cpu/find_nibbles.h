/* find_nibbles: a set's nibble tables in vectors. A variant defines nibble_vector and
 * nibble_table(bytes), 16 bytes in each quarter or half of a vector, before it includes this.
 */
#ifndef TRAWL_CPU_FIND_NIBBLES_H
#define TRAWL_CPU_FIND_NIBBLES_H

#include "cpu/find.h"

#define HAS_NIBBLES

/* The tables of one group. */
struct nibble_tables {
    nibble_vector low[4], high[4];
};

static inline void nibble_load(struct nibble_tables *tables, const struct plan_set *set, uint32_t g)
{
    TRAWL_ASSERT(g < PLAN_NIBBLE_GROUPS_MAX);
    for (uint32_t j = 0; j < 4; j++) {
        tables->low[j] = nibble_table(set->low[g][j]);
        tables->high[j] = nibble_table(set->high[g][j]);
    }
}

#endif
