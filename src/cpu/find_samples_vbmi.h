/* find_samples_vbmi: samples of four bytes at each position, filtered by their bytes first.
 *
 * Looking up a sample's four bytes takes a load from a table of 128 KiB. In English under 94,438
 * words one position in four has four bytes that are those of some literals, each by itself, which
 * a permutation tells of 64 positions at once.
 *
 * Lost (Zen 4): classes of pairs, as small sets have them, in place of bytes (too many positions
 * pass), a loop over the positions that passed (3 ns each), loads one by one in place of gathers
 * (the same: the second-level cache bounds both).
 */
#ifndef TRAWL_CPU_FIND_SAMPLES_VBMI_H
#define TRAWL_CPU_FIND_SAMPLES_VBMI_H

#include <immintrin.h>

#include "cpu/set_matcher.h"

#define HAS_BYTE_FILTER

#define FILTER_BLOCKS 4u     /* filtered before their positions are looked up */
#define FILTER_SHARE_MAX 40u /* of 64: where more pass, the filter costs more than it saves */

struct byte_tables {
    __m512i low[2], high[2]; /* of bytes below 128, and of the others */
    __m512i fold;
};

/* Bit x of number j: the byte x is byte j of some sample. */
struct byte_masks {
    uint64_t number[SET_STEM_Q];
};

static inline struct byte_masks byte_masks(const uint8_t *text, const struct byte_tables *tables)
{
    __m512i bytes = _mm512_or_si512(_mm512_loadu_si512(text), tables->fold);
    __m512i low = _mm512_permutex2var_epi8(tables->low[0], bytes, tables->low[1]);
    __m512i high = _mm512_permutex2var_epi8(tables->high[0], bytes, tables->high[1]);
    __m512i bits = _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high);
    struct byte_masks masks;

    for (uint32_t j = 0; j < SET_STEM_Q; j++)
        masks.number[j] = _mm512_test_epi8_mask(bits, _mm512_set1_epi8((char)(1u << j)));
    return masks;
}

/* The block's positions of these bits, in order; returns how many. */
static inline uint32_t places_of_bits(uint64_t bits, uint32_t block, uint32_t *places)
{
    const __m512i workers = _mm512_setr_epi64(
        0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918,
        0x2726252423222120, 0x2f2e2d2c2b2a2928, 0x3736353433323130, 0x3f3e3d3c3b3a3938);
    __m512i set = _mm512_maskz_compress_epi8(bits, workers);
    uint32_t count = (uint32_t)_mm_popcnt_u64(bits);

    for (uint32_t i = 0; i < count; i += 16) {
        __m512i sixteen = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(set));

        _mm512_storeu_si512(places + i,
                            _mm512_add_epi32(sixteen, _mm512_set1_epi32((int32_t)block)));
        set = _mm512_alignr_epi64(set, set, 2);
    }
    return count;
}

/* Positions whose four bytes pass one by one, and those. */
struct byte_passed {
    uint32_t count;
    uint32_t four[64 * FILTER_BLOCKS + 64];
    uint32_t place[64 * FILTER_BLOCKS + 64];
};

static inline __m512i widen(__m512i bytes)
{
    return _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes));
}

static inline void byte_passed_add(struct byte_passed *passed, const uint8_t *text, uint64_t block,
                                   uint64_t mask)
{
    const __m512i numbers = _mm512_setr_epi64(
        0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918,
        0x2726252423222120, 0x2f2e2d2c2b2a2928, 0x3736353433323130, 0x3f3e3d3c3b3a3938);
    const __m512i begin = _mm512_set1_epi32((int32_t)(uint32_t)block);
    uint32_t count = (uint32_t)_mm_popcnt_u64(mask);
    __m512i places = _mm512_maskz_compress_epi8(mask, numbers), bytes[SET_STEM_Q];

    for (uint32_t j = 0; j < SET_STEM_Q; j++)
        bytes[j] = _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(text + block + j));
    for (uint32_t i = 0; i < count; i += 16) {
        __m512i four = widen(bytes[0]);

        _mm512_storeu_si512(passed->place + passed->count + i,
                            _mm512_add_epi32(widen(places), begin));
        places = _mm512_alignr_epi64(places, places, 2);
        for (uint32_t j = 1; j < SET_STEM_Q; j++)
            four = _mm512_or_si512(four, _mm512_slli_epi32(widen(bytes[j]), 8 * j));
        for (uint32_t j = 0; j < SET_STEM_Q; j++)
            bytes[j] = _mm512_alignr_epi64(bytes[j], bytes[j], 2);
        _mm512_storeu_si512(passed->four + passed->count + i, four);
    }
    passed->count += count;
    TRAWL_ASSERT(passed->count <= 64 * FILTER_BLOCKS);
}

/* Of the positions those whose four bytes pass together; returns how many. */
static inline uint32_t byte_passed_look(const struct byte_passed *passed,
                                        const struct set_class *class, uint64_t fold,
                                        uint32_t *places)
{
    const __m512i one = _mm512_set1_epi32(1), folds = _mm512_set1_epi32((int32_t)(uint32_t)fold);
    const __m512i factor = _mm512_set1_epi32((int32_t)PLAN_HASH32_FACTOR);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)set_sample_shift(class));
    uint32_t count = 0;

    for (uint32_t i = 0; i < passed->count; i += 16) {
        uint32_t left = passed->count - i;
        __mmask16 there = (__mmask16)(left < 16 ? (1u << left) - 1 : 0xffffu);
        __m512i grams = _mm512_or_si512(_mm512_loadu_si512(passed->four + i), folds), words;

        grams = _mm512_mullo_epi32(grams, factor);
        words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), there,
                                            _mm512_srl_epi32(grams, shift), class->bitmap, 4);
        words = _mm512_rorv_epi32(words, _mm512_srli_epi32(grams, 8));
        there = _mm512_mask_test_epi32_mask(there, words, one);
        _mm512_storeu_si512(places + count, _mm512_maskz_compress_epi32(
                                                there, _mm512_loadu_si512(passed->place + i)));
        count += (uint32_t)_mm_popcnt_u32(there);
    }
    TRAWL_ASSERT(count <= passed->count);
    return count;
}

static inline struct byte_tables byte_tables(const struct set_class *class, uint64_t fold)
{
    const uint8_t *offsets = class->stem_offsets;
    struct byte_tables tables = {
        {_mm512_loadu_si512(offsets), _mm512_loadu_si512(offsets + 64)},
        {_mm512_loadu_si512(offsets + 128), _mm512_loadu_si512(offsets + 192)},
        _mm512_set1_epi8((char)fold)};

    return tables;
}

/* The positions of a block whose four bytes pass one by one. */
static inline uint64_t byte_mask(const struct byte_masks *here, const struct byte_masks *next)
{
    uint64_t mask = here->number[0];

    for (uint32_t j = 1; j < SET_STEM_Q; j++)
        mask &= here->number[j] >> j | next->number[j] << (64 - j);
    return mask;
}

/* Samples from *from on, one at each position, while whole blocks lie below `last` and the filter
 * is worth it; *from is then the first that is left. */
static inline uint32_t stem_samples_filtered(const uint8_t *text, uint64_t *from, uint64_t last,
                                             uint64_t readable, const struct set_class *class,
                                             uint64_t fold, uint32_t *places)
{
    const struct byte_tables tables = byte_tables(class, fold);
    const uint64_t step = 64 * FILTER_BLOCKS;
    struct byte_masks here = {{0}};
    uint64_t i = *from;
    uint32_t count = 0;

    if (i + step <= last && i + step + 64 <= readable)
        here = byte_masks(text + i, &tables);
    for (; i + step <= last && i + step + 64 <= readable; i += step) {
        uint64_t mask[FILTER_BLOCKS], bits = 0;
        struct byte_passed passed;

        for (uint32_t b = 0; b < FILTER_BLOCKS; b++) {
            struct byte_masks next = byte_masks(text + i + 64 * (b + 1ull), &tables);

            mask[b] = byte_mask(&here, &next);
            bits += (uint64_t)_mm_popcnt_u64(mask[b]);
            here = next;
        }
        if (bits > FILTER_BLOCKS * FILTER_SHARE_MAX)
            break;
        passed.count = 0;
        for (uint32_t b = 0; b < FILTER_BLOCKS; b++)
            byte_passed_add(&passed, text, i + 64 * b, mask[b]);
        TRAWL_ASSERT(passed.count == bits);
        count += byte_passed_look(&passed, class, fold, places + count);
    }
    TRAWL_ASSERT(count <= i - *from);
    *from = i;
    return count;
}

#endif
