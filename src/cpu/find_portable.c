/* find_portable: finds candidates in plain C, eight bytes at a time, where no variant with vectors
 * can run. */
#include <string.h>

#include "base/bytes.h"
#include "cpu/find.h"

#define VARIANT portable

/* Returns a bit for each zero byte of `word`. Bit 7 of a byte of `zero` is set if and only if the
 * byte is zero (no carry crosses bytes); the multiplication gathers these eight bits at the top. */
static uint64_t zero_bytes(uint64_t word)
{
    uint64_t low = 0x7f7f7f7f7f7f7f7full;
    uint64_t zero = ~(((word & low) + low) | word | low);

    return (zero >> 7) * 0x0102040810204080ull >> 56;
}

static uint64_t block_equal(const uint8_t *text, uint8_t value, uint8_t fold)
{
    uint64_t values = value * 0x0101010101010101ull, folds = fold * 0x0101010101010101ull;
    uint64_t bits = 0;

    for (uint32_t i = 0; i < 8; i++)
        bits |= zero_bytes((bytes_load64(text + 8 * i) | folds) ^ values) << 8 * i;
    return bits;
}

static uint64_t block_equal_bits(const uint8_t *a, const uint8_t *b)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < 8; i++)
        bits |= zero_bytes(bytes_load64(a + 8 * i) ^ bytes_load64(b + 8 * i)) << 8 * i;
    return bits;
}

#define GRAM_BYTES 16
#include "cpu/find_impl.h"

const struct find_ops find_portable = FIND_OPS(NULL);
