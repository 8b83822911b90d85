/* find_avx2: computes bitmaps of candidates with 32-byte vectors. */
#define VECTOR_BYTES 32
#include "cpu/lookups.h"

#include "cpu/find.h"

#define VARIANT avx2

static inline __m256i load32(const uint8_t *text)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)text);
}

static inline uint64_t mask64(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

#define HAS_PAIR_FEW

static inline __m256i pair32(const uint8_t *text, const struct plan_probe *probes, bool fold)
{
    __m256i a = load32(text + probes[0].offset), b = load32(text + probes[1].offset);

    if (fold) {
        a = _mm256_or_si256(a, _mm256_set1_epi8((char)probes[0].fold));
        b = _mm256_or_si256(b, _mm256_set1_epi8((char)probes[1].fold));
    }
    return _mm256_and_si256(_mm256_cmpeq_epi8(a, _mm256_set1_epi8((char)probes[0].value)),
                            _mm256_cmpeq_epi8(b, _mm256_set1_epi8((char)probes[1].value)));
}

static inline uint64_t pair16(const uint8_t *text, const struct plan_probe *probes)
{
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(text + probes[0].offset));
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(text + probes[1].offset));

    a = _mm_or_si128(a, _mm_set1_epi8((char)probes[0].fold));
    b = _mm_or_si128(b, _mm_set1_epi8((char)probes[1].fold));
    return (uint32_t)_mm_movemask_epi8(
        _mm_and_si128(_mm_cmpeq_epi8(a, _mm_set1_epi8((char)probes[0].value)),
                      _mm_cmpeq_epi8(b, _mm_set1_epi8((char)probes[1].value))));
}

/* Tests 16 or more positions with two overlapping vectors, of which the second ends at the last
 * position. Tests fewer positions one by one. */
static inline uint64_t pair_few(const uint8_t *text, uint64_t count,
                                const struct plan_probe *probes)
{
    const __m256i none = _mm256_setzero_si256();
    uint64_t bits = 0;

    if (count >= 32)
        return mask64(pair32(text, probes, true), none) |
               mask64(pair32(text + count - 32, probes, true), none) << (count - 32);
    if (count >= 16)
        return pair16(text, probes) | pair16(text + count - 16, probes) << (count - 16);
    for (uint64_t i = 0; i < count; i++)
        bits |= (uint64_t)((text[i + probes[0].offset] | probes[0].fold) == probes[0].value &&
                           (text[i + probes[1].offset] | probes[1].fold) == probes[1].value)
                << i;
    return bits;
}

#include "cpu/find_nibbles.h"

#define HAS_TRIGRAMS

#define HAS_HEADS

/* Tests 8 positions at a time: each lane loads the 4 bytes at its position (up to 8 if
 * set->wide_mask is not 0), hashes them, and gathers a word of the bitmap. */
static inline uint64_t block_heads(const uint8_t *text, uint64_t count, const struct plan_set *set,
                                   const uint64_t *bitmap)
{
    const __m256i dwords = _mm256_setr_epi32(0, 1, 1, 1, 1, 2, 2, 2);
    const __m256i bytes =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6));
    const __m256i fold = _mm256_set1_epi32((int32_t)set->fold);
    const __m256i keep = _mm256_set1_epi32((int32_t)set->gram_mask);
    const __m256i factor = _mm256_set1_epi32((int32_t)PLAN_HASH32_FACTOR);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)(32 - set->bitmap_bits));
    uint64_t bits = 0;

    for (uint32_t i = 0; 8 * i < count; i++) {
        __m256i gram = _mm256_permutevar8x32_epi32(load32(text + 8 * i), dwords), hash, word;

        gram = _mm256_shuffle_epi8(gram, bytes);
        gram = _mm256_and_si256(_mm256_or_si256(gram, fold), keep);
        if (set->wide_mask != 0) {
            __m256i next = _mm256_permutevar8x32_epi32(load32(text + 8 * i + 4), dwords);

            next = _mm256_or_si256(_mm256_shuffle_epi8(next, bytes), fold);
            next = _mm256_and_si256(next, _mm256_set1_epi32((int32_t)set->wide_mask));
            gram = _mm256_xor_si256(gram, _mm256_slli_epi32(next, PLAN_WIDE_SHIFT));
        }
        hash = _mm256_srl_epi32(_mm256_mullo_epi32(gram, factor), shift);
        word = _mm256_i32gather_epi32((const int *)(const void *)bitmap, _mm256_srli_epi32(hash, 5),
                                      4);
        word = _mm256_srlv_epi32(word, _mm256_and_si256(hash, _mm256_set1_epi32(31)));
        word = _mm256_slli_epi32(word, 31);
        bits |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(word)) << 8 * i;
    }
    return bits;
}

#define GRAM_BYTES 32

#include "cpu/find_impl.h"

const struct find_ops find_avx2 = FIND_OPS(NULL);
