/* find_vector32: the vector operations that find_grams.h needs, with 32-byte vectors, for AVX2 and
 * AVX-512. */
#ifndef TRAWL_CPU_FIND_VECTOR32_H
#define TRAWL_CPU_FIND_VECTOR32_H

typedef uint32_t gram_vector __attribute__((vector_size(32)));

static inline gram_vector gram_even(gram_vector a, gram_vector b)
{
    return (gram_vector)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
}

static inline gram_vector gram_odd(gram_vector a, gram_vector b)
{
    return (gram_vector)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
}

static inline bool gram_any(gram_vector a)
{
    return _mm256_testz_si256((__m256i)a, (__m256i)a) == 0;
}

#endif
