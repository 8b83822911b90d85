/* records: a tape cut by offsets of either width. */
#ifndef TRAWL_MATCH_RECORDS_H
#define TRAWL_MATCH_RECORDS_H

#include "base/status.h"

struct records {
    const uint8_t *tape; /* where the first record begins; positions count from here */
    uint64_t tape_bytes;
    uint64_t origin; /* its offset */
    const void *offsets;
    bool narrow; /* int32_t, else uint64_t */
    const uint8_t *validity;
    uint64_t validity_begin;
    uint64_t count;
};

/* Where record `index` begins, and the one before it ends. */
static inline uint64_t records_begin(const struct records *records, uint64_t index)
{
    uint64_t offset = records->narrow ? (uint64_t)((const int32_t *)records->offsets)[index]
                                      : ((const uint64_t *)records->offsets)[index];

    return offset - records->origin;
}

static inline bool records_is_null(const struct records *records, uint64_t index)
{
    uint64_t bit = records->validity_begin + index;

    return records->validity != NULL && (records->validity[bit >> 3] >> (bit & 7) & 1) == 0;
}

/* Check the caller's array. Errors: ARGUMENT. */
enum trawl_status records_open(struct records *records, const struct trawl_record_array *array,
                               struct trawl_error *error);
/* The first record that ends beyond the position; those before `from` do not. Count: none. */
uint64_t records_beyond(const struct records *records, uint64_t from, uint64_t position);

#endif
