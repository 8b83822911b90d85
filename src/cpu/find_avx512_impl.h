/* find_avx512_impl: the code that both AVX-512 variants share. A variant defines VARIANT, includes
 * this file, defines how it finds grams, and includes find_impl.h.
 *
 * block_equal compares 64 bytes at once. Two vectors of 32 bytes cross fewer cache lines: from
 * memory, 1 GiB was searched for "the" at 35 instead of 29 GB/s (EPYC, family 26), but 1 MiB in the
 * cache took 1.4 times as long (Xeon, family 6, model 167). Two aligned blocks in registers and a
 * byte permutation (VBMI) per probe were slower still: 50 GB/s in the cache, against 62.
 */
#ifndef TRAWL_CPU_FIND_AVX512_IMPL_H
#define TRAWL_CPU_FIND_AVX512_IMPL_H

#define VECTOR_BYTES 64
#include "cpu/lookups.h"

#include "cpu/find.h"
#include "cpu/find_stems_avx512.h"

static inline __m512i load64(const uint8_t *text)
{
    return _mm512_loadu_si512(text);
}

static inline __m256i load32(const uint8_t *text)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)text);
}

#define HAS_PAIR_FEW

static inline uint64_t equal_few(const uint8_t *text, __mmask64 kept,
                                 const struct plan_probe *probe)
{
    __m512i bytes = _mm512_maskz_loadu_epi8(kept, text + probe->offset);

    return _mm512_mask_cmpeq_epi8_mask(kept,
                                       _mm512_or_si512(bytes, _mm512_set1_epi8((char)probe->fold)),
                                       _mm512_set1_epi8((char)probe->value));
}

static inline uint64_t pair_few(const uint8_t *text, uint64_t count,
                                const struct plan_probe *probes)
{
    __mmask64 kept = _bzhi_u64(UINT64_MAX, (uint32_t)count);

    return equal_few(text, kept, &probes[0]) & equal_few(text, kept, &probes[1]);
}

#include "cpu/find_nibbles.h"

#define HAS_TRIGRAMS

#define HAS_HEADS

/* Tests 16 positions at a time: each lane loads the 4 bytes at its position (up to 8 if
 * set->wide_mask is not 0), hashes them, and gathers a word of the bitmap. */
static inline uint64_t block_heads(const uint8_t *text, uint64_t count, const struct plan_set *set,
                                   const uint64_t *bitmap)
{
    const __m512i dwords = _mm512_setr_epi32(0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4);
    const __m512i bytes =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6));
    const __m512i fold = _mm512_set1_epi32((int32_t)set->fold);
    const __m512i keep = _mm512_set1_epi32((int32_t)set->gram_mask);
    const __m512i factor = _mm512_set1_epi32((int32_t)PLAN_HASH32_FACTOR);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)(32 - set->bitmap_bits));
    uint64_t bits = 0;

    for (uint32_t i = 0; 16 * i < count; i++) {
        __m512i gram = _mm512_permutexvar_epi32(dwords, load64(text + 16 * i)), hash, word;

        gram = _mm512_shuffle_epi8(gram, bytes);
        gram = _mm512_and_si512(_mm512_or_si512(gram, fold), keep);
        if (set->wide_mask != 0) {
            __m512i next = _mm512_permutexvar_epi32(dwords, load64(text + 16 * i + 4));

            next = _mm512_or_si512(_mm512_shuffle_epi8(next, bytes), fold);
            next = _mm512_and_si512(next, _mm512_set1_epi32((int32_t)set->wide_mask));
            gram = _mm512_xor_si512(gram, _mm512_slli_epi32(next, PLAN_WIDE_SHIFT));
        }
        hash = _mm512_srl_epi32(_mm512_mullo_epi32(gram, factor), shift);
        word = _mm512_i32gather_epi32(_mm512_srli_epi32(hash, 5), bitmap, 4);
        word = _mm512_srlv_epi32(word, _mm512_and_si512(hash, _mm512_set1_epi32(31)));
        bits |= (uint64_t)_mm512_test_epi32_mask(word, _mm512_set1_epi32(1)) << 16 * i;
    }
    return bits;
}

#endif
