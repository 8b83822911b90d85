/* bytes_impl: counts byte values with the vectors of one instruction set. A file that includes this
 * has defined VECTOR_BYTES, the size of a vector, and COUNT_VALUE, the function's name. */
#include "base/bytes.h"

/* An 8-bit lane holds 255: ROUNDS vectors in each of UNROLLED sums, and those of the last round. */
#define UNROLLED 4u
#define ROUNDS 63u

typedef uint8_t wide_vector __attribute__((vector_size(VECTOR_BYTES)));

static uint64_t sum_of_lanes(wide_vector lanes)
{
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff), low = UINT64_C(0x0001000100010001);
    uint64_t words[VECTOR_BYTES / 8], sum = 0;

    memcpy(words, &lanes, sizeof words);
    for (uint32_t i = 0; i < VECTOR_BYTES / 8; i++)
        sum += ((words[i] & even) + (words[i] >> 8 & even)) * low >> 48;
    return sum;
}

uint64_t COUNT_VALUE(const uint8_t *bytes, uint64_t count, uint8_t value, bool *has_null)
{
    wide_vector wanted, text, nulls = {0};
    uint64_t total = 0, words[VECTOR_BYTES / 8];

    memset(&wanted, value, sizeof wanted);
    while (count >= sizeof text) {
        wide_vector sums[UNROLLED] = {{0}};
        uint32_t round = 0;

        for (; round < ROUNDS && count >= UNROLLED * sizeof text; round++) {
            for (uint32_t i = 0; i < UNROLLED; i++) {
                memcpy(&text, bytes + i * sizeof text, sizeof text);
                sums[i] -= (wide_vector)(text == wanted);
                nulls |= (wide_vector)(text == 0);
            }
            bytes += UNROLLED * sizeof text;
            count -= UNROLLED * sizeof text;
        }
        for (; round < ROUNDS && count >= sizeof text; count -= sizeof text) {
            memcpy(&text, bytes, sizeof text);
            sums[0] -= (wide_vector)(text == wanted);
            nulls |= (wide_vector)(text == 0);
            bytes += sizeof text;
        }
        total += sum_of_lanes(sums[0] + sums[1] + sums[2] + sums[3]);
    }
    memcpy(words, &nulls, sizeof words);
    for (uint32_t i = 0; i < VECTOR_BYTES / 8; i++)
        *has_null |= words[i] != 0;
    for (uint64_t i = 0; i < count; i++) {
        total += bytes[i] == value;
        *has_null |= bytes[i] == 0;
    }
    return total;
}
