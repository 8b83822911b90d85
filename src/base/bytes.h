/* bytes: loads eight bytes, and counts and finds byte values. */
#ifndef TRAWL_BASE_BYTES_H
#define TRAWL_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bytes_load64(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Returns how many of the `count` bytes equal `value`. */
uint64_t bytes_count_value(const uint8_t *bytes, uint64_t count, uint8_t value);

/* Returns the offset of the first byte that equals `value` or `other`; `count` if no byte does. */
uint64_t bytes_find_either(const uint8_t *bytes, uint64_t count, uint8_t value, uint8_t other);

#endif
