/* checksum: eight sums side by side, so that multiplications do not wait for each other. Each step
 * is a bijection of the sum, so a changed word cannot be undone by what follows unchanged. */
#include "base/checksum.h"

#include <string.h>

#define LANES 8u
#define BLOCK_BYTES (LANES * sizeof(uint64_t))
#define FACTOR 0x9e3779b97f4a7c15ull

static inline uint64_t step(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * FACTOR;
    return sum << 29 | sum >> 35;
}

uint64_t checksum(const void *bytes, uint64_t bytes_count)
{
    const uint8_t *at = (const uint8_t *)bytes;
    uint64_t sums[LANES], words[LANES] = {0}, left = bytes_count, total = step(FACTOR, bytes_count);

    for (uint32_t i = 0; i < LANES; i++)
        sums[i] = i + 1;
    for (; left >= BLOCK_BYTES; at += BLOCK_BYTES, left -= BLOCK_BYTES) {
        memcpy(words, at, BLOCK_BYTES);
        for (uint32_t i = 0; i < LANES; i++)
            sums[i] = step(sums[i], words[i]);
    }
    memset(words, 0, sizeof words);
    if (left > 0)
        memcpy(words, at, (size_t)left);
    for (uint32_t i = 0; i < LANES; i++)
        total = step(total, step(sums[i], words[i]));
    return total;
}
