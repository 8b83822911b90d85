/* bytes: counts and finds byte values, 16 bytes at a time, with the compiler's vector types. */
#include "base/bytes.h"

#include <string.h>

typedef uint8_t byte_vector __attribute__((vector_size(16)));

/* an 8-bit lane overflows after 255 vectors, so each round ends there */
#define ROUND_VECTORS 255u

static uint64_t lanes_sum(byte_vector lanes)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < sizeof lanes; i++)
        sum += lanes[i];
    return sum;
}

uint64_t bytes_count_value(const uint8_t *bytes, uint64_t count, uint8_t value)
{
    uint64_t total = 0, i = 0;
    byte_vector wanted, text;

    memset(&wanted, value, sizeof wanted);
    while (i + 2 * sizeof text <= count) {
        byte_vector even = {0}, odd = {0};

        for (uint32_t round = 0; round < ROUND_VECTORS && i + 2 * sizeof text <= count; round++) {
            memcpy(&text, bytes + i, sizeof text);
            even -= (byte_vector)(text == wanted);
            memcpy(&text, bytes + i + sizeof text, sizeof text);
            odd -= (byte_vector)(text == wanted);
            i += 2 * sizeof text;
        }
        total += lanes_sum(even) + lanes_sum(odd);
    }
    for (; i < count; i++)
        total += bytes[i] == value;
    return total;
}

/* Returns the index of the first byte 0xff in a vector of bytes 0x00 and 0xff; 16 if there is
 * none. */
static uint64_t first_set(byte_vector equal)
{
    uint64_t halves[2];

    memcpy(halves, &equal, sizeof halves);
    if (halves[0] != 0)
        return (uint64_t)__builtin_ctzll(halves[0]) / 8;
    return halves[1] != 0 ? 8 + (uint64_t)__builtin_ctzll(halves[1]) / 8 : sizeof equal;
}

uint64_t bytes_find_either(const uint8_t *bytes, uint64_t count, uint8_t value, uint8_t other)
{
    byte_vector first, second, text;
    uint64_t i = 0;

    if (value == other) {
        const uint8_t *found = count == 0 ? NULL : memchr(bytes, value, (size_t)count);

        return found == NULL ? count : (uint64_t)(found - bytes);
    }
    memset(&first, value, sizeof first);
    memset(&second, other, sizeof second);
    for (; i + sizeof text <= count; i += sizeof text) {
        uint64_t found;

        memcpy(&text, bytes + i, sizeof text);
        found = first_set((byte_vector)((text == first) | (text == second)));
        if (found < sizeof text)
            return i + found;
    }
    for (; i < count; i++)
        if (bytes[i] == value || bytes[i] == other)
            return i;
    return count;
}
