/* bytes: loads eight bytes, and counts and finds byte values. */
#ifndef TRAWL_BASE_BYTES_H
#define TRAWL_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bytes_load64(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Copies like memcpy, with vectors that overlap at the end. For short texts of varying lengths,
 * this is faster than memcpy, or than a loop over the last bytes. */
static inline void bytes_copy(uint8_t *restrict to, const uint8_t *restrict from, uint64_t count)
{
    if (count >= 16) {
        for (uint64_t i = 0; i + 16 < count; i += 16)
            memcpy(to + i, from + i, 16);
        memcpy(to + count - 16, from + count - 16, 16);
    } else if (count >= 8) {
        memcpy(to, from, 8);
        memcpy(to + count - 8, from + count - 8, 8);
    } else {
        for (uint64_t i = 0; i < count; i++)
            to[i] = from[i];
    }
}

/* Returns how many of the `count` bytes equal `value`. Sets *has_null to true if one of them is 0;
 * otherwise leaves it as it is. */
uint64_t bytes_count_value(const uint8_t *bytes, uint64_t count, uint8_t value, bool *has_null);
/* The same, for any processor, and for those with AVX2. */
uint64_t bytes_count_portable(const uint8_t *bytes, uint64_t count, uint8_t value, bool *has_null);
uint64_t bytes_count_avx2(const uint8_t *bytes, uint64_t count, uint8_t value, bool *has_null);

/* Writes the bytes to `to`, control characters of ASCII and double quotes as \xHH, and a NUL, until
 * fewer than 5 of the `room` bytes are left. Returns the length without the NUL. */
uint64_t bytes_show(const uint8_t *bytes, uint64_t count, char *to, uint64_t room);

/* Returns the offset of the first byte that equals `value` or `other`; `count` if no byte does. */
uint64_t bytes_find_either(const uint8_t *bytes, uint64_t count, uint8_t value, uint8_t other);
bool bytes_are_ascii(const uint8_t *bytes, uint64_t count);

#endif
