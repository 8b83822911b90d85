/* backwards: sorts strings by their bytes, from the last byte to the first, or in the order of
 * dictionaries. */
#ifndef TRAWL_PLAN_BACKWARDS_H
#define TRAWL_PLAN_BACKWARDS_H

#include "base/status.h"

struct backwards {
    const uint8_t *end; /* behind the last byte */
    uint32_t bytes_count;
    uint32_t number;
    /* set by the sort: how many bytes the string's end (backwards_sort_forwards: begin) shares with
     * that of the string before; 0 for the first string */
    uint32_t common;
};

/* Sorts the strings, of which none is empty. Equal strings, and only these, have common ==
 * bytes_count, and keep their order. Time: a few passes over the strings, and over the bytes that
 * they share. Errors: MEMORY. */
enum trawl_status backwards_sort(struct backwards *strings, uint32_t count,
                                 struct trawl_error *error);
/* As backwards_sort, from the first byte to the last. */
enum trawl_status backwards_sort_forwards(struct backwards *strings, uint32_t count,
                                          struct trawl_error *error);

#endif
