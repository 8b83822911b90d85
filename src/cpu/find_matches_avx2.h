/* find_matches_avx2: what find_matches.h needs with 32-byte vectors. */
#ifndef TRAWL_CPU_FIND_MATCHES_AVX2_H
#define TRAWL_CPU_FIND_MATCHES_AVX2_H

#include <immintrin.h>

#include "cpu/find.h"
#include "match/hits.h"

#define MATCH_AT_ONCE 4u

struct match_vectors {
    __m256i begins, ends, patterns;
};

static inline __m256i match_lengths_order(const uint16_t *lengths)
{
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)(const void *)lengths));
}

static inline __m256i match_lengths_of(const struct hit *hits, const uint16_t *lengths)
{
    __m128i four = _mm_cvtsi32_si128(lengths[hits[0].literal]);

    four = _mm_insert_epi16(four, lengths[hits[1].literal], 1);
    four = _mm_insert_epi16(four, lengths[hits[2].literal], 2);
    four = _mm_insert_epi16(four, lengths[hits[3].literal], 3);
    return _mm256_cvtepu16_epi64(four);
}

static inline struct match_vectors match_make(const struct hit *hits, uint64_t begin,
                                              __m256i lengths)
{
    const __m256i offsets = _mm256_set1_epi64x(UINT32_MAX);
    __m256i four = _mm256_loadu_si256((const __m256i *)(const void *)hits);
    struct match_vectors vectors;

    vectors.begins =
        _mm256_add_epi64(_mm256_set1_epi64x((int64_t)begin), _mm256_and_si256(four, offsets));
    vectors.ends = _mm256_add_epi64(vectors.begins, lengths);
    vectors.patterns = _mm256_srli_epi64(four, 32);
    return vectors;
}

#define MATCH_STREAM_BYTES 32u

static inline void match_store(void *to, uint32_t place, __m256i vector)
{
    _mm256_storeu_si256((__m256i *)to + place, vector);
}

static inline void match_store_past(void *to, uint32_t place, __m256i vector)
{
    _mm256_stream_si256((__m256i *)to + place, vector);
}

/* b0 e0 p0 b1, e1 p1 b2 e2, p2 b3 e3 p3 */
struct match_structs {
    __m256i part[3];
};

static inline struct match_structs match_interleave(const struct match_vectors *vectors)
{
    __m256i even = _mm256_unpacklo_epi64(vectors->begins, vectors->ends);         /* b0 e0 b2 e2 */
    __m256i mixed = _mm256_blend_epi32(vectors->patterns, vectors->begins, 0xcc); /* p0 b1 p2 b3 */
    __m256i odd = _mm256_unpackhi_epi64(vectors->ends, vectors->patterns);        /* e1 p1 e3 p3 */

    return (struct match_structs){{_mm256_permute2x128_si256(even, mixed, 0x20),
                                   _mm256_blend_epi32(odd, even, 0xf0),
                                   _mm256_permute2x128_si256(mixed, odd, 0x31)}};
}

static inline void match_stream_end(void)
{
    _mm_sfence();
}

#endif
