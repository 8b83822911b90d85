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

#include "base/bytes.h"
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
    const __m128i shift = _mm_cvtsi32_si128((int32_t)set_sample_shift(class));
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

/* Computes set_stem_hash of the first k bytes of each of eight words. */
static inline __m512i stem_hashes(__m512i low, __m512i fold, uint32_t k)
{
    const __m512i keep = _mm512_set1_epi64((int64_t)(UINT64_MAX >> (64 - 8 * k)));
    const __m512i added = _mm512_set1_epi64((int64_t)(k * SET_HASH_HIGH));
    __m512i hash = _mm512_mullo_epi64(_mm512_and_si512(_mm512_or_si512(low, fold), keep),
                                      _mm512_set1_epi64((int64_t)SET_HASH_LOW));

    hash = _mm512_add_epi64(hash, added);
    return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 29));
}

/* Each hash selects two bits of its word (set_bits). Returns for which of the eight pairs of word
 * and hash both bits are set. */
static inline __mmask8 stem_pass(__m512i words, __m512i hashes)
{
    __m512i first = _mm512_rorv_epi64(words, hashes);
    __m512i second = _mm512_rorv_epi64(words, _mm512_srli_epi64(hashes, 6));

    return _mm512_test_epi64_mask(_mm512_and_si512(first, second), _mm512_set1_epi64(1));
}

/* Appends the positions that the mask `which` selects. Returns the new count. */
static inline uint32_t stem_append(uint32_t *begins, uint32_t count, __mmask8 which,
                                   __m256i positions)
{
    _mm256_storeu_si256((__m256i *)(void *)(begins + count),
                        _mm256_maskz_compress_epi32(which, positions));
    return count + (uint32_t)_mm_popcnt_u32(which);
}

static inline __mmask8 stem_eight(uint32_t left)
{
    return (__mmask8)(left >= 8 ? 0xffu : (1u << left) - 1);
}

/* ---- The third step ---- */

/* The 8 bytes at each start of a batch, and the words of the stem map that those bytes select. */
struct stem_batch {
    _Alignas(64) uint64_t low[SET_STEM_BATCH];
    /* the word for stems shorter than SET_STEM_FAR bytes, selected by the first stem_min bytes */
    uint64_t near[SET_STEM_BATCH];
    /* only if stem_min < SET_STEM_FAR: the word for longer stems, selected by the first
     * SET_STEM_FAR bytes */
    uint64_t far[SET_STEM_BATCH];
    uint32_t near_at[SET_STEM_BATCH];
    uint32_t far_at[SET_STEM_BATCH];
};

/* Fills the batch. `least` is the class's stem_min, a compile-time constant. */
static inline __attribute__((always_inline)) void stem_fetch(
    struct stem_batch *batch, const uint8_t *text, const uint32_t *begins, uint32_t begin_count,
    const struct stem_filter *filter, uint32_t least)
{
    const __m128i shift = _mm_cvtsi32_si128((int32_t)filter->shift);
    const __m512i fold = _mm512_set1_epi64((int64_t)filter->fold);
    uint32_t whole = (begin_count + 7) / 8 * 8;
    bool has_far = least < SET_STEM_FAR;

    TRAWL_ASSERT(begin_count <= SET_STEM_BATCH && least <= SET_STEM_BYTES);
    TRAWL_ASSERT(filter->shift < 64);
    for (uint32_t i = 0; i < begin_count; i++)
        batch->low[i] = bytes_load64(text + begins[i]);
    for (uint32_t i = begin_count; i < whole; i++)
        batch->low[i] = 0;
    for (uint32_t i = 0; i < whole; i += 8) {
        __m512i low = _mm512_load_si512(batch->low + i);
        __m512i near = _mm512_srl_epi64(stem_hashes(low, fold, least), shift);
        __m512i far = _mm512_srl_epi64(stem_hashes(low, fold, SET_STEM_FAR), shift);

        _mm256_storeu_si256((__m256i *)(void *)(batch->near_at + i), _mm512_cvtepi64_epi32(near));
        if (has_far)
            _mm256_storeu_si256((__m256i *)(void *)(batch->far_at + i), _mm512_cvtepi64_epi32(far));
    }
    for (uint32_t i = 0; i < whole; i++) {
        batch->near[i] = filter->map[batch->near_at[i]];
        if (has_far)
            batch->far[i] = filter->map[batch->far_at[i]];
    }
}

/* Returns which of eight starts of the batch, beginning with number i, may have a stem of k bytes
 * according to the stem map. `hashes` are the hashes of their first k bytes. */
static inline __attribute__((always_inline)) __mmask8 stem_have(const struct stem_batch *batch,
                                                                uint32_t i, __m512i hashes,
                                                                uint32_t least, uint32_t k)
{
    const uint64_t *of_k = least < SET_STEM_FAR && k >= SET_STEM_FAR ? batch->far : batch->near;

    return stem_pass(_mm512_loadu_si512(of_k + i), _mm512_srli_epi64(hashes, SET_STEM_SHIFT));
}

/* Writes the stems at the starts of a batch that pass the stem map, as set_stem_code, and returns
 * their number. `least` is the class's stem_min, a compile-time constant. */
static inline __attribute__((always_inline)) uint32_t stem_codes(
    const uint8_t *text, const uint32_t *begins, uint32_t begin_count, uint32_t base,
    const struct set_class *class, uint64_t fold, uint32_t least, uint32_t *codes)
{
    const __m512i folds = _mm512_set1_epi64((int64_t)fold);
    const __m256i bases = _mm256_set1_epi32((int32_t)base);
    struct stem_filter filter = stem_filter(class, fold);
    uint32_t count = 0, lengths = class->stem_lengths;
    struct stem_batch batch;

    stem_fetch(&batch, text, begins, begin_count, &filter, least);
    for (uint32_t i = 0; i < begin_count; i += 8) {
        __mmask8 there = stem_eight(begin_count - i);
        __m256i x = _mm256_sub_epi32(_mm256_maskz_loadu_epi32(there, begins + i), bases);
        __m512i low = _mm512_load_si512(batch.low + i);

#pragma GCC unroll 8
        for (uint32_t k = least; k <= SET_STEM_BYTES; k++) {
            __m256i code = _mm256_set1_epi32((int32_t)set_stem_code(0, k));
            __m512i hashes = stem_hashes(low, folds, k);
            __mmask8 pass = there & stem_have(&batch, i, hashes, least, k);

            if ((lengths >> k & 1) != 0)
                count = stem_append(codes, count, pass, _mm256_or_si256(x, code));
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
