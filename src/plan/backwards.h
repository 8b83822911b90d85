/* backwards: sorts strings by their bytes, from the last byte to the first. */
#ifndef TRAWL_PLAN_BACKWARDS_H
#define TRAWL_PLAN_BACKWARDS_H

#include <stdint.h>

struct backwards {
    const uint8_t *end; /* points after the last byte */
    uint32_t bytes_count;
    uint32_t number;
    /* Set by the sort: how many last bytes the string has in common with the one before; 0 for the
     * first string. */
    uint32_t common;
};

/* Sorts the strings, none of which may be empty; equal strings by `number`. A string with common ==
 * bytes_count equals the one before it. */
void backwards_sort(struct backwards *strings, uint32_t count);

#endif
