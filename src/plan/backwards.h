/* backwards: sorts strings by their bytes, from the last byte to the first. */
#ifndef TRAWL_PLAN_BACKWARDS_H
#define TRAWL_PLAN_BACKWARDS_H

#include "base/status.h"

struct backwards {
    const uint8_t *end; /* points after the last byte */
    uint32_t bytes_count;
    uint32_t number;
    /* Set by the sort: how many last bytes the string shares with the one before it; 0 for the
     * first. */
    uint32_t common;
};

/* Sorts the strings, which must not be empty. Equal strings keep their order. A string has common
 * == bytes_count exactly if it equals the one before it. Time: a few passes over the strings and
 * the bytes that they share. Errors: MEMORY. */
enum trawl_status backwards_sort(struct backwards *strings, uint32_t count,
                                 struct trawl_error *error);

#endif
