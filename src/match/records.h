/* records: a tape of bytes, which offsets of 4 or 8 bytes divide into records. */
#ifndef TRAWL_MATCH_RECORDS_H
#define TRAWL_MATCH_RECORDS_H

#include "base/status.h"

struct records {
    const uint8_t *tape; /* the first byte of the first record; positions count from here */
    uint64_t tape_bytes;
    uint64_t origin; /* the caller's offset of the first record */
    const void *offsets;
    bool narrow; /* offsets are int32_t; false: uint64_t */
    /* record i is null if bit validity_begin + i is 0; if NULL, no record is null */
    const uint8_t *validity;
    uint64_t validity_begin;
    uint64_t count;
};

/* Returns where record `index` begins, which is also where record index - 1 ends. */
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

/* Checks the caller's array and opens *records. Errors: ARGUMENT. */
enum trawl_status records_open(struct records *records, const struct trawl_record_array *array,
                               struct trawl_error *error);
/* Returns the first record that ends after the position; `count` if there is none. Records before
 * `from` must end at or before the position. */
uint64_t records_beyond(const struct records *records, uint64_t from, uint64_t position);

#endif
