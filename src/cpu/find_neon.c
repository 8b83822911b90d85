/* find_neon: computes bitmaps of candidates with 16-byte vectors on arm64. */
#define VECTOR_BYTES 16
#include "cpu/lookups.h"

#include "cpu/find.h"

#define VARIANT neon

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

const struct find_ops find_neon = FIND_OPS(NULL);
