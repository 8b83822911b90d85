/* find_avx512vbmi: finds candidates with the AVX-512 of Ice Lake and Zen 4. Finds grams (4 to 8
 * bytes of the pattern) with byte permutations (VBMI) and bit matrices (GFNI). */
#define VARIANT avx512vbmi
#define VECTOR_BYTES 64
#include "cpu/lookups.h"

#define LOOKS_SIX true
#define low_of(bytes) (bytes)

static inline bytes_vector low_table(const uint8_t *bytes)
{
    return (bytes_vector)_mm512_loadu_si512(bytes);
}

/* The instruction reads only six bits of each byte, so `at` needs no mask. */
static inline bytes_vector low_lookup(bytes_vector table, bytes_vector at)
{
    return (bytes_vector)_mm512_permutexvar_epi8((__m512i)at, (__m512i)table);
}

#include "cpu/find_avx512_impl.h"

#define HAS_POSITIONS_OF_BITS

/* The processor cannot predict which words have many bits, so the loop makes exactly one pass for
 * up to 16 bits. */
static inline uint32_t positions_of_bits(uint64_t bits, uint32_t block, uint32_t *positions)
{
    const __m512i workers = _mm512_setr_epi64(
        0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918,
        0x2726252423222120, 0x2f2e2d2c2b2a2928, 0x3736353433323130, 0x3f3e3d3c3b3a3938);
    __m512i set = _mm512_maskz_compress_epi8(bits, workers);
    uint32_t count = (uint32_t)_mm_popcnt_u64(bits), i = 0;

    do {
        __m512i sixteen = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(set));

        _mm512_storeu_si512(positions + i,
                            _mm512_add_epi32(sixteen, _mm512_set1_epi32((int32_t)block)));
        set = _mm512_alignr_epi64(set, set, 2);
        i += 16;
    } while (__builtin_expect(i < count, 0));
    return count;
}

#define HAS_GRAMS_TILE
#include "cpu/find_impl.h"

struct gram_tables {
    __m512i residues, positions, begun, carried;
};

/* Maps each byte of the block to the 8 grams that it rules out (layout.h), and transposes the 8 x 8
 * bits of each word: then bit 7 - j of byte b is set if byte j of the word rules out gram b. */
static inline __m512i grams_ruled_out(__m512i block, const struct gram_tables *tables)
{
    const __m512i unit = _mm512_set1_epi64((int64_t)0x8040201008040201ull);
    __m512i index = _mm512_ternarylogic_epi64(block, _mm512_set1_epi8(7), tables->positions,
                                              0xea); /* (block & 7) | positions */

    return _mm512_gf2p8affine_epi64_epi8(unit, _mm512_permutexvar_epi8(index, tables->residues), 0);
}

/* Searches all blocks of 64 bytes. A gram may begin in one 8-byte word of the text and end in the
 * next. `begun` has the grams that may begin in each word of a block, judging by that word's bytes;
 * `bits` has the same grams moved to the next word. A gram is found if the bytes of the next word
 * do not rule it out either. With WHOLE (stride 8), a gram lies in a single word. A gram's bit is
 * set one word after its start, as find.h requires. */
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

    tables.residues = _mm512_loadu_si512(grams->residues);
    tables.positions = _mm512_set1_epi64(0x3830282018100800LL);
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

/* First computes the values of all pairs, since each value is looked up for FIND_PAIRS
 * positions. */
static void pairs_avx512vbmi(const uint8_t *text, uint64_t word_count,
                             const struct find_pair_table *pairs, struct find_tile *tile)
{
    const __m512i twice_shifted = _mm512_set1_epi64(0x0000010204081020); /* each byte << 2 */
    const __m512i fold = _mm512_set1_epi8((char)pairs->fold);
    _Alignas(64) uint8_t values[64 * (FIND_TILE_WORDS + 1)];
    uint32_t hot_count = 0;

    TRAWL_ASSERT(word_count > 0 && word_count <= FIND_TILE_WORDS);
    for (uint64_t w = 0; w <= word_count; w++) {
        __m512i byte = _mm512_or_si512(load64(text + 64 * w), fold);
        __m512i next = _mm512_or_si512(load64(text + 64 * w + 1), fold);

        next = _mm512_gf2p8affine_epi64_epi8(next, twice_shifted, 0);
        _mm512_store_si512(values + 64 * w, _mm512_xor_si512(byte, next));
    }
    for (uint64_t w = 0; w < word_count; w++) {
        __m512i shared[FIND_PAIRS], all;

        __builtin_prefetch(text + 64 * w + FIND_AHEAD_BYTES);
#pragma GCC unroll 5
        for (uint32_t j = 0; j < FIND_PAIRS; j++)
            shared[j] = _mm512_permutex2var_epi8(
                load64(pairs->slots[j]), load64(values + 64 * w + j), load64(pairs->slots[j] + 64));
        all = _mm512_ternarylogic_epi64(shared[0], shared[1], shared[2], 0x80);
        tile->mask[w] = _mm512_test_epi8_mask(all, _mm512_and_si512(shared[3], shared[4]));
        tile->hot[hot_count] = (uint16_t)w;
        hot_count += tile->mask[w] != 0;
    }
    tile->is_dense = false;
    tile->hot_count = hot_count;
}

const struct find_ops find_avx512vbmi = FIND_OPS(pairs_avx512vbmi);
