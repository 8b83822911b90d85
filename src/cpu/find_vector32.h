/* find_vector32: defines the vector operations of find_grams.h for AVX2 (32 bytes). */
#ifndef TRAWL_CPU_FIND_VECTOR32_H
#define TRAWL_CPU_FIND_VECTOR32_H

#define GRAM_VECTOR_BYTES 32u
typedef __m256i gram_vector;

static inline gram_vector gram_load(const uint8_t *text)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)text);
}

static inline gram_vector gram_every(uint32_t word)
{
    return _mm256_set1_epi32((int32_t)word);
}

static inline gram_vector gram_or(gram_vector a, gram_vector b)
{
    return _mm256_or_si256(a, b);
}

static inline gram_vector gram_and(gram_vector a, gram_vector b)
{
    return _mm256_and_si256(a, b);
}

static inline gram_vector gram_mix(gram_vector low, gram_vector high)
{
    return _mm256_xor_si256(low, _mm256_slli_epi32(high, GRAM_MIX_SHIFT));
}

static inline gram_vector gram_even(gram_vector a, gram_vector b)
{
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

static inline gram_vector gram_odd(gram_vector a, gram_vector b)
{
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xdd));
}

static inline gram_vector gram_equal(gram_vector a, gram_vector b)
{
    return _mm256_cmpeq_epi32(a, b);
}

static inline bool gram_any(gram_vector a)
{
    return _mm256_testz_si256(a, a) == 0;
}

#endif
