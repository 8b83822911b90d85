/* dense_lists: hits from the lists of states, for find_impl.h.
 *
 * Most lists are short: a list's first strings are copied without a look at how many there are, and
 * what is too much is written over. So there is one branch for each place, seldom taken. Before, a
 * list of up to three was copied so, and a loop copied others: 10,000 substrings of 4 to 9 bytes of
 * English, whose lists have 1 to 76 strings there, took twice the time in mispredicted branches.
 */
#ifndef TRAWL_CPU_DENSE_LISTS_H
#define TRAWL_CPU_DENSE_LISTS_H

#include "cpu/dense.h"

#ifndef LIST_BLOCK
#define LIST_BLOCK 4u /* hits that list_block makes */
#define LIST_FIRST 4u

static inline void list_block(struct hit *hits, const uint32_t *strings, uint32_t x)
{
    for (uint32_t i = 0; i < LIST_BLOCK; i++)
        hits[i] = (struct hit){x, strings[i]};
}
#endif

#ifndef HAS_LIST_PLACES
/* Of places [begin, end), those where strings begin, and their states; returns how many. */
static inline uint32_t list_places(const uint32_t *states, uint32_t begin, uint32_t end,
                                   uint32_t class_bits, uint32_t *places, uint32_t *found)
{
    uint32_t count = 0;

    for (uint32_t place = begin; place < end; place++) {
        places[count] = place;
        found[count] = states[place] >> class_bits;
        count += states[place] & DENSE_BEGINS;
    }
    return count;
}
#endif

static uint64_t FIND_NAME(lists)(const struct dense_lists *lists, const uint32_t *states,
                                 uint32_t *place, uint32_t until, uint32_t x, struct hit *hits)
{
    uint32_t places[DENSE_PLACES + 16], found[DENSE_PLACES + 16];
    uint32_t count = list_places(states, *place, until, lists->class_bits, places, found);
    uint64_t taken = 0;

    TRAWL_ASSERT(*place <= until && until - *place <= DENSE_PLACES && count <= until - *place);
    *place = until;
    for (uint32_t i = 0; i < count; i++) {
        struct dense_list list = lists->items[found[i]];
        const uint32_t *strings;

        if (__builtin_expect(list.at == PLAN_NONE, 0)) {
            *place = places[i];
            break;
        }
        strings = lists->pool + list.at;
        for (uint32_t j = 0; j < LIST_FIRST; j += LIST_BLOCK)
            list_block(hits + taken + j, strings + j, x + places[i]);
        if (__builtin_expect(list.count > LIST_FIRST, 0))
            for (uint32_t j = LIST_FIRST; j < list.count; j += LIST_BLOCK)
                list_block(hits + taken + j, strings + j, x + places[i]);
        taken += list.count;
    }
    return taken;
}

#endif
