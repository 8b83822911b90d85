/* backwards: sorts strings by their bytes, from the last byte to the first. */
#ifndef TRAWL_PLAN_BACKWARDS_H
#define TRAWL_PLAN_BACKWARDS_H

#include "base/status.h"

struct backwards {
    const uint8_t *end; /* points after the last byte */
    uint32_t bytes_count;
    uint32_t number;
    /* The sort sets this: how many bytes the string has in common with the string before it, from
     * the end on. 0 for the first string. */
    uint32_t common;
};

/* Sorts the strings, which must not be empty. Equal strings keep their order. A string has common
 * == bytes_count exactly if it equals the string before it. Time: a few passes over the strings,
 * and over the bytes that they share. Errors: MEMORY. */
enum trawl_status backwards_sort(struct backwards *strings, uint32_t count,
                                 struct trawl_error *error);

#endif
