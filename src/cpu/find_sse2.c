/* find_sse2: candidate bitmaps with 16-byte vectors, which every x86-64 has. */
#include <emmintrin.h>

#include "cpu/find.h"

#define VARIANT sse2

static inline uint64_t block_equal(const uint8_t *text, uint8_t value)
{
    __m128i values = _mm_set1_epi8((char)value);
    uint64_t bits = 0;

    for (uint32_t i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));

        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, values)) << 16 * i;
    }
    return bits;
}

static inline uint64_t block_equal_fold(const uint8_t *text, uint8_t value, uint8_t fold)
{
    __m128i values = _mm_set1_epi8((char)value), folds = _mm_set1_epi8((char)fold);
    uint64_t bits = 0;

    for (uint32_t i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));

        bytes = _mm_or_si128(bytes, folds);
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, values)) << 16 * i;
    }
    return bits;
}

static inline uint64_t block_same(const uint8_t *a, const uint8_t *b)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < 4; i++) {
        __m128i first = _mm_loadu_si128((const __m128i *)(const void *)(a + 16 * i));
        __m128i second = _mm_loadu_si128((const __m128i *)(const void *)(b + 16 * i));

        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(first, second)) << 16 * i;
    }
    return bits;
}

#define HAS_GRAM_VECTORS
#define GRAM_VECTOR_BYTES 16u
typedef __m128i gram_vector;

static inline gram_vector gram_load(const uint8_t *text)
{
    return _mm_loadu_si128((const __m128i *)(const void *)text);
}

static inline gram_vector gram_every(uint32_t word)
{
    return _mm_set1_epi32((int32_t)word);
}

static inline gram_vector gram_or(gram_vector a, gram_vector b)
{
    return _mm_or_si128(a, b);
}

static inline gram_vector gram_and(gram_vector a, gram_vector b)
{
    return _mm_and_si128(a, b);
}

static inline gram_vector gram_mix(gram_vector low, gram_vector high)
{
    return _mm_xor_si128(low, _mm_slli_epi32(high, GRAM_MIX_SHIFT));
}

static inline gram_vector gram_even(gram_vector a, gram_vector b)
{
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0x88));
}

static inline gram_vector gram_odd(gram_vector a, gram_vector b)
{
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0xdd));
}

static inline gram_vector gram_equal(gram_vector a, gram_vector b)
{
    return _mm_cmpeq_epi32(a, b);
}

static inline bool gram_any(gram_vector a)
{
    return _mm_movemask_epi8(a) != 0;
}

#include "cpu/find_impl.h"

const struct find_ops find_sse2 = FIND_OPS_COMMON(NULL);
