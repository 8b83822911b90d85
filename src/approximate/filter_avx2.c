/* filter_avx2: implements struct filter_ops by 32-byte vectors. */
#include <immintrin.h>

#define VECTOR_BYTES 32

#include "approximate/filter_vector.h"

#define HAS_ANY

INLINE bool vector_any(vector a)
{
    return _mm256_testz_si256((__m256i)a, (__m256i)a) == 0;
}

#define HAS_LOOKUP

/* Copies the table of 16 bytes into both halves of a vector, because a lookup stays in its half. */
INLINE bytes_vector bytes_table(const uint8_t *bytes)
{
    __m128i table = _mm_loadu_si128((const __m128i *)(const void *)bytes);

    return (bytes_vector)_mm256_broadcastsi128_si256(table);
}

INLINE bytes_vector bytes_lookup(bytes_vector table, bytes_vector index)
{
    return (bytes_vector)_mm256_shuffle_epi8((__m256i)table, (__m256i)index);
}

INLINE uint64_t bytes_mask(const bytes_vector bytes[BLOCK_VECTORS])
{
    uint32_t low = (uint32_t)_mm256_movemask_epi8((__m256i)(bytes[0] == 0));
    uint32_t high = (uint32_t)_mm256_movemask_epi8((__m256i)(bytes[1] == 0));

    return ~(low | (uint64_t)high << 32);
}

#include "approximate/filter_impl.h"

const struct filter_ops approx_filter_avx2 = FILTER_OPS("avx2");
