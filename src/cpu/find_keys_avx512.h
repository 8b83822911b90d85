/* find_keys_avx512: looks up the stems at many positions of the text at once by vectors, for large
 * sets of literals.
 *
 * A stem is the first (up to) 8 bytes of a literal. At each begin (a position where a literal may
 * occur), the functions look up whether the text may have a stem. The tables of a large set exceed
 * the second-level cache. So each step handles a batch of begins before the next step starts, and
 * within a step no load waits for another load.
 *
 * Tried with a set of 94,438 words in English text (Zen 4), and not done: a second prefetch where a
 * bucket's keys may cross a cache line took 5 % more time; tables in huge pages saved 1 to 3 % of
 * the time, but took 2 MiB each.
 */
#ifndef TRAWL_CPU_FIND_KEYS_AVX512_H
#define TRAWL_CPU_FIND_KEYS_AVX512_H

#include "cpu/find_stems_avx512.h"

/* The 8 bytes at each begin of a batch, and the words of the stem map that these bytes select. */
struct stem_batch {
    _Alignas(64) uint64_t low[SET_STEM_BATCH];
    /* the word for stems shorter than SET_STEM_FAR bytes, which the first stem_min bytes select */
    uint64_t near[SET_STEM_BATCH];
    /* only if stem_min < SET_STEM_FAR: the word for longer stems, which the first SET_STEM_FAR
     * bytes select */
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
        memcpy(&batch->low[i], text + begins[i], sizeof batch->low[i]);
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

/* Returns which of the batch's eight begins from number i on may have a stem of k bytes, as the
 * stem map tells. `hashes` are the hashes of the first k bytes at these begins. */
static inline __attribute__((always_inline)) __mmask8 stem_have(const struct stem_batch *batch,
                                                                uint32_t i, __m512i hashes,
                                                                uint32_t least, uint32_t k)
{
    const uint64_t *of_k = least < SET_STEM_FAR && k >= SET_STEM_FAR ? batch->far : batch->near;

    return stem_pass(_mm512_loadu_si512(of_k + i), _mm512_srli_epi64(hashes, SET_STEM_SHIFT));
}

/* Writes the stems that stand at the begins of a batch and pass the stem map, as set_stem_code, and
 * returns their number. `least` is the class's stem_min, a compile-time constant. */
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

/* A loop for each stem_min, so that stem_min is known at compile time. */
#define STEM_CASE(LEAST) \
    case LEAST:          \
        return stem_codes(text, begins, begin_count, base, class, fold, (LEAST), codes);

static inline uint32_t stem_stems_vectors(const uint8_t *text, const uint32_t *begins,
                                          uint32_t begin_count, uint32_t base,
                                          const struct set_class *class, uint64_t fold,
                                          uint32_t *codes)
{
    TRAWL_ASSERT(class->stem_min >= SET_STEM_MIN);
    TRAWL_ASSERT(class->stem_lengths >> (SET_STEM_BYTES + 1) == 0);
    switch (class->stem_min) {
        STEM_CASE(2)
        STEM_CASE(3)
        STEM_CASE(4)
        STEM_CASE(5)
        STEM_CASE(6)
        STEM_CASE(7)
    default:
        return stem_codes(text, begins, begin_count, base, class, fold, SET_STEM_BYTES, codes);
    }
}

#endif
