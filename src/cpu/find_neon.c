/* find_neon: computes bitmaps of candidates by 16-byte vectors on arm64. */
#include <arm_neon.h>

#include "cpu/find.h"

#define VARIANT neon

/* Turns 64 bytes of 0x00 or 0xff into 64 bits: keeps in each byte the bit of its position among
 * eight bytes, and then adds pairs of bytes until eight bytes have become a single byte. */
static inline uint64_t mask64(const uint8x16_t equal[4])
{
    const uint8x16_t position = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t first = vpaddq_u8(vandq_u8(equal[0], position), vandq_u8(equal[1], position));
    uint8x16_t second = vpaddq_u8(vandq_u8(equal[2], position), vandq_u8(equal[3], position));
    uint8x16_t sums = vpaddq_u8(first, second);

    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

static inline uint64_t block_equal_fold(const uint8_t *text, uint8_t value, uint8_t fold)
{
    uint8x16_t values = vdupq_n_u8(value), folds = vdupq_n_u8(fold), equal[4];

    for (uint32_t i = 0; i < 4; i++)
        equal[i] = vceqq_u8(vorrq_u8(vld1q_u8(text + 16 * i), folds), values);
    return mask64(equal);
}

static inline uint64_t block_equal(const uint8_t *text, uint8_t value)
{
    uint8x16_t values = vdupq_n_u8(value), equal[4];

    for (uint32_t i = 0; i < 4; i++)
        equal[i] = vceqq_u8(vld1q_u8(text + 16 * i), values);
    return mask64(equal);
}

static inline uint64_t block_same(const uint8_t *a, const uint8_t *b)
{
    uint8x16_t equal[4];

    for (uint32_t i = 0; i < 4; i++)
        equal[i] = vceqq_u8(vld1q_u8(a + 16 * i), vld1q_u8(b + 16 * i));
    return mask64(equal);
}

typedef uint8x16_t nibble_vector;

static inline nibble_vector nibble_table(const uint8_t *bytes)
{
    return vld1q_u8(bytes);
}

static inline nibble_vector nibble_lookup(nibble_vector table, nibble_vector at)
{
    return vqtbl1q_u8(table, at);
}

static inline uint64_t nibble_bits(const nibble_vector vectors[4])
{
    uint8x16_t some[4];

    for (uint32_t i = 0; i < 4; i++)
        some[i] = vtstq_u8(vectors[i], vectors[i]);
    return mask64(some);
}

#include "cpu/find_nibbles.h"

#define HAS_GRAM_VECTORS
typedef uint32x4_t gram_vector;

static inline gram_vector gram_even(gram_vector a, gram_vector b)
{
    return vuzp1q_u32(a, b);
}

static inline gram_vector gram_odd(gram_vector a, gram_vector b)
{
    return vuzp2q_u32(a, b);
}

static inline bool gram_any(gram_vector a)
{
    return vmaxvq_u32(a) != 0;
}

#include "cpu/find_impl.h"

const struct find_ops find_neon = FIND_OPS_COMMON(NULL);
