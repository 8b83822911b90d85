/* find_stems_avx512: looks up stems, the first (up to) 8 bytes of literals, with vectors: the first
 * and the third step of a search with stems. find_stems.h has the same in plain C, which took up to
 * 1.5 times as long for 5,000 to 20,000 words. Vectors gained nothing in the second step, nor for
 * the samples of sets with longer literals (Xeon, family 6, model 207, 2026-11-28).
 *
 * The tables of a large set exceed the L2 cache, so the third step processes starts in batches, and
 * within a batch no load waits for another. Tables in huge pages would save 1 to 3 % of the time,
 * but take 2 MiB each (94,438 words in English, Zen 4).
 */
#ifndef TRAWL_CPU_FIND_STEMS_AVX512_H
#define TRAWL_CPU_FIND_STEMS_AVX512_H

#include <immintrin.h>

#include "cpu/find_stems.h"

/* How to arrange sixteen samples of four bytes in a vector: each quarter of the vector loads the
 * words of the text that contain its four samples. */
struct stem_order {
    int32_t words[16];
    uint8_t bytes[64];
    int32_t positions[16];
};

static inline void stem_order_fill(struct stem_order *order, uint32_t stride)
{
    for (uint32_t i = 0; i < 16; i++) {
        order->words[i] = (int32_t)(stride * (i / 4) + i % 4);
        order->positions[i] = (int32_t)(stride * i);
        for (uint32_t b = 0; b < 4; b++)
            order->bytes[4 * i + b] = (uint8_t)(stride * (i % 4) + b);
    }
}

static inline uint32_t stem_samples_vectors(const uint8_t *text, const struct set_span *spans,
                                            uint32_t span_count, uint64_t readable,
                                            const struct set_class *class, uint64_t fold,
                                            uint32_t *positions)
{
    const __m512i factor = _mm512_set1_epi32((int32_t)PLAN_HASH32_FACTOR);
    const __m512i folds = _mm512_set1_epi32((int32_t)(uint32_t)fold), one = _mm512_set1_epi32(1);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)class_sample_shift(class));
    __m512i words, bytes, offsets;
    uint32_t count = 0, stride = class->stride;
    struct stem_order order;
    uint64_t last = 0;

    TRAWL_ASSERT(stride > 0 && stride <= SET_STEM_STRIDE_MAX);
    stem_order_fill(&order, stride);
    words = _mm512_loadu_si512(order.words);
    bytes = _mm512_loadu_si512(order.bytes);
    offsets = _mm512_loadu_si512(order.positions);
    for (uint32_t s = 0; s < span_count; s++) {
        uint64_t i = stem_first(&spans[s], stride, last);

        last = spans[s].to + stride - 1ull;
        for (; i < last && i + 64 <= readable; i += 16ull * stride) {
            __m512i grams = _mm512_permutexvar_epi32(words, _mm512_loadu_si512(text + i)), word, at;
            __mmask16 there =
                _mm512_cmplt_epu32_mask(offsets, _mm512_set1_epi32((int32_t)(uint32_t)(last - i)));
            __mmask16 passed;

            grams = _mm512_or_si512(_mm512_shuffle_epi8(grams, bytes), folds);
            grams = _mm512_mullo_epi32(grams, factor);
            word = _mm512_i32gather_epi32(_mm512_srl_epi32(grams, shift), class->bitmap, 4);
            at = _mm512_and_si512(_mm512_srli_epi32(grams, 8), _mm512_set1_epi32(31));
            passed = _mm512_mask_test_epi32_mask(there, word, _mm512_sllv_epi32(one, at));
            _mm512_storeu_si512(
                positions + count,
                _mm512_maskz_compress_epi32(
                    passed, _mm512_add_epi32(offsets, _mm512_set1_epi32((int32_t)(uint32_t)i))));
            count += (uint32_t)_mm_popcnt_u32(passed);
        }
        TRAWL_ASSERT(count <= SET_PASSED_MAX);
        count += stem_samples_between(text, i, last, class, fold, positions + count);
    }
    return count;
}

/* Computes class_stem_hash of the first k bytes of each of eight words. */
static inline __m512i stem_hashes(__m512i low, __m512i fold, uint32_t k)
{
    const __m512i keep = _mm512_set1_epi64((int64_t)(UINT64_MAX >> (64 - 8 * k)));
    const __m512i added = _mm512_set1_epi64((int64_t)(k * SET_HASH_HIGH));
    __m512i hash = _mm512_mullo_epi64(_mm512_and_si512(_mm512_or_si512(low, fold), keep),
                                      _mm512_set1_epi64((int64_t)SET_HASH_LOW));

    hash = _mm512_add_epi64(hash, added);
    return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 29));
}

/* Returns the words of the stem map that the hashes select. */
static inline __m512i stem_words(const struct stem_filter *filter, __m512i hashes, __m128i shift)
{
    return _mm512_i64gather_epi64(_mm512_srl_epi64(hashes, shift), filter->map, 8);
}

/* Implements find_ops.stems. `min` is the class's stem_min, a compile-time constant. */
static inline __attribute__((always_inline)) uint32_t stem_codes(
    const uint8_t *text, const uint32_t *begins, uint32_t begin_count, uint32_t base,
    const struct set_class *class, uint64_t fold, uint32_t min, uint32_t *codes)
{
    const __m512i folds = _mm512_set1_epi64((int64_t)fold), one = _mm512_set1_epi64(1);
    const __m256i bases = _mm256_set1_epi32((int32_t)base);
    struct stem_filter filter = stem_filter(class, fold);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)filter.shift);
    uint32_t count = 0, lengths = class->stem_lengths;

    TRAWL_ASSERT(begin_count <= SET_STEM_BATCH && min <= SET_STEM_BYTES);
    for (uint32_t i = 0; i < begin_count; i += 8) {
        __mmask8 there = (__mmask8)_bzhi_u32(0xff, (uint32_t)min_u64(8, begin_count - i));
        __m256i x = _mm256_maskz_loadu_epi32(there, begins + i);
        __m512i low = _mm512_mask_i64gather_epi64(folds, there, _mm512_cvtepu32_epi64(x), text, 1);
        __m512i words = stem_words(&filter, stem_hashes(low, folds, min), shift), far = words;

        if (min < SET_STEM_FAR)
            far = stem_words(&filter, stem_hashes(low, folds, SET_STEM_FAR), shift);
#pragma GCC unroll 8
        for (uint32_t k = min; k <= SET_STEM_BYTES; k++) {
            __m512i hashes = _mm512_srli_epi64(stem_hashes(low, folds, k), SET_STEM_SHIFT), both;
            __m256i code = _mm256_set1_epi32((int32_t)class_stem_code(0, k));
            __mmask8 passed;

            if (k == SET_STEM_FAR)
                words = far;
            both = _mm512_and_si512(_mm512_rorv_epi64(words, hashes),
                                    _mm512_rorv_epi64(words, _mm512_srli_epi64(hashes, 6)));
            passed = _mm512_mask_test_epi64_mask(there, both, one);
            if ((lengths >> k & 1) == 0)
                continue;
            code = _mm256_or_si256(_mm256_sub_epi32(x, bases), code);
            _mm256_storeu_si256((__m256i *)(void *)(codes + count),
                                _mm256_maskz_compress_epi32(passed, code));
            count += (uint32_t)_mm_popcnt_u32(passed);
        }
    }
    return count;
}

static inline uint32_t stem_stems_vectors(const uint8_t *text, const uint32_t *begins,
                                          uint32_t begin_count, uint32_t base,
                                          const struct set_class *class, uint64_t fold,
                                          uint32_t *codes)
{
    STEM_CASES(stem_codes)
}

#define HAS_STEM_VECTORS

#endif
