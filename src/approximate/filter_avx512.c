/* filter_avx512: implements struct filter_ops by 64-byte vectors, with bitwise operations of
 * three. */
#include <immintrin.h>

#define VECTOR_BYTES 64

#include "approximate/filter_vector.h"

#define TERNARY(a, b, c, table) \
    ((vector)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), (table)))

#define HAS_ANY

INLINE bool vector_any(vector a)
{
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a) != 0;
}

#define HAS_LOOKUP

/* Copies the table of 16 bytes into each quarter: lookups do not cross quarters. */
INLINE bytes_vector bytes_table(const uint8_t *bytes)
{
    __m128i table = _mm_loadu_si128((const __m128i *)(const void *)bytes);

    return (bytes_vector)_mm512_broadcast_i32x4(table);
}

INLINE bytes_vector bytes_lookup(bytes_vector table, bytes_vector index)
{
    return (bytes_vector)_mm512_shuffle_epi8((__m512i)table, (__m512i)index);
}

INLINE uint64_t bytes_mask(const bytes_vector bytes[BLOCK_VECTORS])
{
    return _mm512_test_epi8_mask((__m512i)bytes[0], (__m512i)bytes[0]);
}

#include "approximate/filter_impl.h"

const struct filter_ops approx_filter_avx512 = FILTER_OPS("avx512");
