/* find_avx512vbmi: bitmaps of candidates by AVX-512 as of Ice Lake and Zen 4. Finds grams by byte
 * permutations (VBMI) and bit matrices (GFNI). */
#define VARIANT avx512vbmi
#include "cpu/find_avx512_impl.h"

#define HAS_GRAMS_TILE
#include "cpu/find_impl.h"

struct gram_tables {
    __m512i classes, places, begun, carried;
};

/* Maps each byte of the block to the 8 grams that the byte rules out, and then transposes each
 * word's 8 x 8 bits: byte b has bit 7 - j where byte j of the word rules out gram b. */
static inline __m512i grams_ruled_out(__m512i block, const struct gram_tables *tables)
{
    const __m512i unit = _mm512_set1_epi64((int64_t)0x8040201008040201ull);
    __m512i index = _mm512_ternarylogic_epi64(block, _mm512_set1_epi8(7), tables->places,
                                              0xea); /* (block & 7) | places */

    return _mm512_gf2p8affine_epi64_epi8(unit, _mm512_permutexvar_epi8(index, tables->classes), 0);
}

/* Handles a block. `begun` has the grams that the word in which they begin does not rule out. A
 * gram counts if the following word does not rule it out either. With WHOLE (stride 8), grams end
 * in the word in which they begin. Each gram's bit is set a word after its begin, as find.h
 * defines. */
#define GRAMS_LOOP(WHOLE)                                           \
    for (uint64_t w = 0; w < word_count; w++) {                     \
        const uint8_t *block = text + 64 * w;                       \
        __m512i out = grams_ruled_out(load64(block), &tables);      \
        uint64_t begun = _mm512_testn_epi8_mask(out, tables.begun); \
        uint64_t bits = begun << 8 | before;                        \
                                                                    \
        __builtin_prefetch(block + FIND_AHEAD_BYTES);               \
        if (!(WHOLE))                                               \
            bits &= _mm512_testn_epi8_mask(out, tables.carried);    \
        before = begun >> 56;                                       \
        tile->mask[w] = bits;                                       \
        if (bits != 0)                                              \
            tile->hot[hot_count++] = (uint16_t)w;                   \
    }

static void grams_avx512vbmi(const uint8_t *text, uint64_t word_count,
                             const struct plan_grams *grams, struct find_tile *tile)
{
    struct gram_tables tables;
    uint64_t before, word;
    uint32_t hot_count = 0;

    tables.classes = _mm512_loadu_si512(grams->classes);
    tables.places = _mm512_set1_epi64(0x3830282018100800LL);
    tables.begun = _mm512_set1_epi64((int64_t)grams->begun);
    tables.carried = _mm512_set1_epi64((int64_t)grams->carried);
    memcpy(&word, text - PLAN_GRAM_BYTES, sizeof word);
    before = _mm512_testn_epi8_mask(grams_ruled_out(_mm512_set1_epi64((int64_t)word), &tables),
                                    tables.begun) &
             0xff;
    if (grams->stride == PLAN_GRAM_BYTES) {
        GRAMS_LOOP(true)
    } else {
        GRAMS_LOOP(false)
    }
    tile->is_dense = false;
    tile->hot_count = hot_count;
}

const struct find_ops find_avx512vbmi = FIND_OPS;
