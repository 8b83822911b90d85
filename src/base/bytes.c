/* bytes: counting a byte value, 16 at a time through the compiler's vector types. */
#include "base/bytes.h"

#include <string.h>

typedef uint8_t byte_vector __attribute__((vector_size(16)));

#define ROUND_VECTORS 255u /* a lane counts to 255 before it must be emptied */

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
