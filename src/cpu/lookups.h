/* lookups: vectors of VECTOR_BYTES bytes that look up many half bytes in a table of 16 bytes at
 * once: 64 with AVX-512, 32 with AVX2, 16 with NEON. The including file defines VECTOR_BYTES. */
#ifndef TRAWL_CPU_LOOKUPS_H
#define TRAWL_CPU_LOOKUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if VECTOR_BYTES == 16
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif

#define HAS_LOOKUP

typedef uint8_t bytes_vector __attribute__((vector_size(VECTOR_BYTES)));

/* bytes_table copies a table of 16 bytes into every 16 bytes of a vector, because a look-up only
 * reaches its own 16 bytes. bytes_same returns a bit for each of 64 bytes of a and b, set if they
 * are equal. bytes_any returns true if any bit is set. */
#define LOOKUP static inline __attribute__((always_inline))

#if VECTOR_BYTES == 64

LOOKUP bytes_vector bytes_table(const uint8_t *bytes)
{
    return (bytes_vector)_mm512_broadcast_i32x4(
        _mm_loadu_si128((const __m128i *)(const void *)bytes));
}

LOOKUP bytes_vector bytes_lookup(bytes_vector table, bytes_vector at)
{
    return (bytes_vector)_mm512_shuffle_epi8((__m512i)table, (__m512i)at);
}

LOOKUP uint64_t bytes_same(const bytes_vector a[1], const bytes_vector b[1])
{
    return _mm512_cmpeq_epi8_mask((__m512i)a[0], (__m512i)b[0]);
}

LOOKUP bool bytes_any(bytes_vector a)
{
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a) != 0;
}

#elif VECTOR_BYTES == 32

LOOKUP bytes_vector bytes_table(const uint8_t *bytes)
{
    return (bytes_vector)_mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)bytes));
}

LOOKUP bytes_vector bytes_lookup(bytes_vector table, bytes_vector at)
{
    return (bytes_vector)_mm256_shuffle_epi8((__m256i)table, (__m256i)at);
}

LOOKUP uint64_t bytes_same(const bytes_vector a[2], const bytes_vector b[2])
{
    uint32_t low = (uint32_t)_mm256_movemask_epi8((__m256i)(a[0] == b[0]));
    uint32_t high = (uint32_t)_mm256_movemask_epi8((__m256i)(a[1] == b[1]));

    return low | (uint64_t)high << 32;
}

LOOKUP bool bytes_any(bytes_vector a)
{
    return _mm256_testz_si256((__m256i)a, (__m256i)a) == 0;
}

#else

LOOKUP bytes_vector bytes_table(const uint8_t *bytes)
{
    return (bytes_vector)vld1q_u8(bytes);
}

LOOKUP bytes_vector bytes_lookup(bytes_vector table, bytes_vector at)
{
    return (bytes_vector)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)at);
}

/* Keeps in each byte of a comparison's result the bit of its position among eight bytes, then adds
 * adjacent bytes until each eight have become one. */
LOOKUP uint64_t bytes_same(const bytes_vector a[4], const bytes_vector b[4])
{
    const uint8x16_t position = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits[4], sums;

    for (uint32_t i = 0; i < 4; i++)
        bits[i] = vandq_u8(vceqq_u8((uint8x16_t)a[i], (uint8x16_t)b[i]), position);
    sums = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

LOOKUP bool bytes_any(bytes_vector a)
{
    return vmaxvq_u8((uint8x16_t)a) != 0;
}

#endif

#define BYTES_VECTORS (64 / VECTOR_BYTES)

LOOKUP bytes_vector bytes_load(const uint8_t *bytes)
{
    bytes_vector loaded;

    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

/* Returns a bit for each of 64 bytes, set if the byte is not 0. */
LOOKUP uint64_t bytes_mask(const bytes_vector vectors[BYTES_VECTORS])
{
#if VECTOR_BYTES == 64
    return _mm512_test_epi8_mask((__m512i)vectors[0], (__m512i)vectors[0]);
#else
    const bytes_vector zero[BYTES_VECTORS] = {{0}};

    return ~bytes_same(vectors, zero);
#endif
}

/* block_equal and block_equal_bits are described in find_impl.h. */
LOOKUP uint64_t block_equal(const uint8_t *text, uint8_t value, uint8_t fold)
{
    bytes_vector bytes[BYTES_VECTORS], values[BYTES_VECTORS];

    for (uint32_t i = 0; i < BYTES_VECTORS; i++) {
        bytes[i] = bytes_load(text + i * VECTOR_BYTES) | fold;
        values[i] = (bytes_vector){0} + value;
    }
    return bytes_same(bytes, values);
}

LOOKUP uint64_t block_equal_bits(const uint8_t *a, const uint8_t *b)
{
    bytes_vector first[BYTES_VECTORS], second[BYTES_VECTORS];

    for (uint32_t i = 0; i < BYTES_VECTORS; i++) {
        first[i] = bytes_load(a + i * VECTOR_BYTES);
        second[i] = bytes_load(b + i * VECTOR_BYTES);
    }
    return bytes_same(first, second);
}

#endif
