/* find_impl: the loops that find candidates, which each variant instantiates for its vectors.
 *
 * A variant defines, before it includes this file:
 *   VARIANT                        the suffix of the variant's functions
 *   block_equal(text, v, fold)     returns which of the 64 bytes at text equal byte v after or-ing
 *                                  `fold` into each of them, as 64 bits
 *   block_equal_bits(a, b)         returns which of the 64 bytes at a equal the bytes at b
 *   GRAM_BYTES                     size of the vectors of find_grams.h: 32 with AVX2, otherwise 16;
 *                                  or HAS_GRAMS_TILE, if the variant has its own function `grams`
 *   pair_few                       for find_pair.h; with HAS_PAIR_FEW
 *   positions_of_bits(bits, block, positions)   with HAS_POSITIONS_OF_BITS; see below
 *   HAS_NIBBLES                    if find_nibbles.h can test nibble tables by the vectors
 *   HAS_TRIGRAMS                   if find_trigrams.h can gather; with load32
 *   block_heads(text, count, set, bitmap)       with HAS_HEADS; returns which of the first `count`
 *                                  positions have a gram that passes the bitmap, and may return
 *                                  the same for positions up to 64. Otherwise a plain loop is used.
 *   stem_samples_vectors, stem_stems_vectors    see find_stems_avx512.h, which defines
 *                                  HAS_STEM_VECTORS
 *
 * This file then defines the variant's functions, and FIND_OPS, which makes a table of them.
 *
 * A probe tests one byte of the pattern. The first probes are tested at every position, and the
 * others only in blocks where a position passed these. That takes a branch per block, which is
 * predicted well if the first probes rule out enough positions. How many probes this takes depends
 * on the text, so the caller chooses, and the function reports how many blocks passed.
 */
#ifndef TRAWL_CPU_FIND_IMPL_H
#define TRAWL_CPU_FIND_IMPL_H

#include <string.h>

#include "base/bytes.h"
#include "cpu/find.h"
#include "cpu/find_stems.h"

#if !defined(HAS_GRAMS_TILE)
#include "cpu/find_grams.h"
#endif

#define FIND_PASTE2(a, b) a##_##b
#define FIND_PASTE(a, b) FIND_PASTE2(a, b)
#define FIND_NAME(name) FIND_PASTE(name, VARIANT)
#define FIND_STRING2(name) #name
#define FIND_STRING(name) FIND_STRING2(name)

#include "cpu/find_pair.h"

/* Implements find_ops.every. `first`, `more` and `fold` are compile-time constants, so that each
 * number of first probes has its own loop, with the probes' values in registers. If not `more`, no
 * branch may depend on the text: mispredictions slowed the count of "the" to 0.42 x the memory
 * bandwidth. */
static inline __attribute__((always_inline)) void every_words(
    const uint8_t *text, uint64_t word_count, const struct plan_probe *probes, uint32_t first,
    uint32_t probe_count, bool more, bool fold, struct find_tile *tile)
{
    /* a copy, because the compiler must assume that a store to the tile changes the caller's */
    struct plan_probe own[PLAN_FIRST_PROBES_MAX];
    uint64_t any = 0, passed = 0;
    uint32_t hot_count = 0;

    memcpy(own, probes, first * sizeof *own);
    for (uint64_t w = 0; w < word_count; w++) {
        const uint8_t *block = text + 64 * w;
        uint64_t bits = UINT64_MAX;

        __builtin_prefetch(block + FIND_AHEAD_BYTES);
#pragma GCC unroll 8
        for (uint32_t p = 0; p < first; p++)
            bits &= block_equal(block + own[p].offset, own[p].value, fold ? own[p].fold : 0);
        if (more && bits != 0) {
            passed++;
            for (uint32_t p = first; p < probe_count && bits != 0; p++)
                bits &= block_equal(block + probes[p].offset, probes[p].value,
                                    fold ? probes[p].fold : 0);
        }
        tile->mask[w] = bits;
        if (more && bits != 0)
            tile->hot[hot_count++] = (uint16_t)w;
        any |= bits;
    }
    tile->is_dense = !more;
    tile->hot_count = more ? hot_count : any != 0;
    tile->passed = passed;
}

#define FIND_EVERY_CASE(FIRST)                                                            \
    case FIRST:                                                                           \
        if (probe_count == FIRST)                                                         \
            every_words(text, word_count, probes, FIRST, probe_count, false, fold, tile); \
        else                                                                              \
            every_words(text, word_count, probes, FIRST, probe_count, true, fold, tile);  \
        break;

static inline __attribute__((always_inline)) void every_first(const uint8_t *text,
                                                              uint64_t word_count,
                                                              const struct plan_probe *probes,
                                                              uint32_t first, uint32_t probe_count,
                                                              bool fold, struct find_tile *tile)
{
    switch (first) {
        FIND_EVERY_CASE(1)
        FIND_EVERY_CASE(2)
        FIND_EVERY_CASE(3)
        FIND_EVERY_CASE(4)
        FIND_EVERY_CASE(5)
        FIND_EVERY_CASE(6)
        FIND_EVERY_CASE(7)
        FIND_EVERY_CASE(PLAN_FIRST_PROBES_MAX)
    default:
        TRAWL_ASSERT(false);
    }
}

static void FIND_NAME(every)(const uint8_t *text, uint64_t word_count,
                             const struct plan_probe *probes, uint32_t first, uint32_t probe_count,
                             struct find_tile *tile)
{
    uint8_t fold = 0;

    TRAWL_ASSERT(word_count > 0 && word_count <= FIND_TILE_WORDS);
    TRAWL_ASSERT(first <= probe_count && probe_count <= PLAN_PROBES_MAX);
    for (uint32_t p = 0; p < probe_count; p++)
        fold |= probes[p].fold;
    if (fold == 0)
        every_first(text, word_count, probes, first, probe_count, false, tile);
    else
        every_first(text, word_count, probes, first, probe_count, true, tile);
}

#ifndef HAS_GRAMS_TILE
/* One loop for each stride, so that the grams stay in registers. */
#define FIND_GRAMS_CASE(STRIDE)                            \
    case STRIDE:                                           \
        for (uint64_t w = 0; w < word_count; w++) {        \
            const uint8_t *block = text + 64 * w;          \
            uint64_t bits = 0;                             \
                                                           \
            __builtin_prefetch(block + FIND_AHEAD_BYTES);  \
            if (gram_vectors_any(block, &vectors, STRIDE)) \
                bits = block_grams(block, &copy, STRIDE);  \
            tile->mask[w] = bits;                          \
            if (bits != 0)                                 \
                tile->hot[hot_count++] = (uint16_t)w;      \
        }                                                  \
        break;

static void FIND_NAME(grams)(const uint8_t *text, uint64_t word_count,
                             const struct plan_grams *grams, struct find_tile *tile)
{
    /* a copy, so that the compiler knows that stores to the tile do not change the grams */
    const struct plan_grams copy = *grams;
    const struct gram_vectors vectors = gram_vectors_load(grams);
    uint32_t hot_count = 0;

    TRAWL_ASSERT(word_count > 0 && word_count <= FIND_TILE_WORDS);
    TRAWL_ASSERT(copy.stride > 0 && copy.stride <= PLAN_GRAM_STRIDE_MAX);
    switch (copy.stride) {
        FIND_GRAMS_CASE(8)
        FIND_GRAMS_CASE(4)
        FIND_GRAMS_CASE(2)
        FIND_GRAMS_CASE(1)
    }
    tile->is_dense = false;
    tile->hot_count = hot_count;
}
#endif

#ifndef HAS_HEADS
/* Tests one position after the other: loads 8 bytes, hashes them, and tests a bit. */
static inline uint64_t block_heads(const uint8_t *text, uint64_t count, const struct plan_set *set,
                                   const uint64_t *bitmap)
{
    uint64_t bits = 0;

    TRAWL_ASSERT(set->q > 0 && set->q <= 4);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t hash = plan_hash_wide(set, bytes_load64(text + i));

        bits |= (bitmap[hash / 64] >> (hash % 64) & 1) << i;
    }
    return bits;
}
#endif

static void FIND_NAME(set)(const uint8_t *text, uint64_t positions, const struct plan_set *set,
                           const uint64_t *bitmap, struct find_tile *tile)
{
    /* a copy, so that the compiler knows that stores to the tile do not change the set */
    const struct plan_set copy = *set;
    uint32_t hot_count = 0;

    TRAWL_ASSERT(positions > 0 && positions <= 64 * FIND_TILE_WORDS);
    TRAWL_ASSERT(copy.bitmap_bits > 0 && copy.bitmap_bits < 32);
    for (uint64_t w = 0; 64 * w < positions; w++) {
        uint64_t left = positions - 64 * w, bits;

        if (left < 64)
            bits = block_heads(text + 64 * w, left, &copy, bitmap) & ((1ull << left) - 1);
        else
            bits = block_heads(text + 64 * w, 64, &copy, bitmap);
        tile->mask[w] = bits;
        if (bits != 0)
            tile->hot[hot_count++] = (uint16_t)w;
    }
    tile->is_dense = false;
    tile->hot_count = hot_count;
}

#ifdef HAS_NIBBLES
/* One loop for each number of bytes and of groups, so that the tables stay in registers. */
#define FIND_NIBBLES_FORM(WHOLE, BYTES, GROUPS) (16 * (BYTES) + 8 * (WHOLE) + (GROUPS))
#define FIND_NIBBLES_CASE(WHOLE, BYTES, GROUPS)                                                   \
    case FIND_NIBBLES_FORM(WHOLE, BYTES, GROUPS):                                                 \
        nibbles_load(tables, nibbles, (BYTES), (WHOLE), (GROUPS));                                \
        for (uint64_t w = 0; w < word_count; w++) {                                               \
            uint64_t bits = block_nibbles(text + 64 * w, tables, at, (BYTES), (WHOLE), (GROUPS)); \
                                                                                                  \
            __builtin_prefetch(text + 64 * w + FIND_AHEAD_BYTES);                                 \
            tile->mask[w] = bits;                                                                 \
            if ((BYTES) == 1) {                                                                   \
                any |= bits;                                                                      \
                continue;                                                                         \
            }                                                                                     \
            tile->hot[hot_count] = (uint16_t)w;                                                   \
            hot_count += bits != 0;                                                               \
        }                                                                                         \
        break;
#define FIND_NIBBLES_WHOLE(BYTES)  \
    FIND_NIBBLES_CASE(1, BYTES, 1) \
    FIND_NIBBLES_CASE(1, BYTES, 2) \
    FIND_NIBBLES_CASE(1, BYTES, 4)

static void FIND_NAME(nibbles)(const uint8_t *text, uint64_t word_count,
                               const struct plan_nibbles *nibbles, struct find_tile *tile)
{
    struct nibble_tables tables[PLAN_NIBBLE_GROUPS_MAX];
    uint64_t at[PLAN_NIBBLE_BYTES_MAX], any = 0;
    uint32_t hot_count = 0;

    TRAWL_ASSERT(word_count > 0 && word_count <= FIND_TILE_WORDS);
    for (uint32_t j = 0; j < PLAN_NIBBLE_BYTES_MAX; j++) {
        TRAWL_ASSERT(nibbles->at[j] < PLAN_NIBBLE_REACH);
        at[j] = nibbles->at[j];
    }
    switch (FIND_NIBBLES_FORM(nibbles->whole, nibbles->bytes, nibbles->groups)) {
        FIND_NIBBLES_WHOLE(1)
        FIND_NIBBLES_WHOLE(2)
        FIND_NIBBLES_WHOLE(3)
        FIND_NIBBLES_WHOLE(4)
        FIND_NIBBLES_CASE(0, 4, 1)
        FIND_NIBBLES_CASE(0, 6, 1)
        FIND_NIBBLES_CASE(0, 6, 2)
        FIND_NIBBLES_CASE(0, 8, 2)
        FIND_NIBBLES_CASE(0, 8, 4)
    default:
        TRAWL_ASSERT(false);
    }
    TRAWL_ASSERT(hot_count <= word_count);
    tile->is_dense = nibbles->bytes == 1; /* so many positions pass that a list would cost time */
    tile->hot_count = tile->is_dense ? any != 0 : hot_count;
}
#define FIND_NIBBLES FIND_NAME(nibbles)
#else
#define FIND_NIBBLES NULL
#define LOOKS_SIX false
#endif

static uint64_t FIND_NAME(mismatch)(const uint8_t *a, const uint8_t *b, uint64_t count)
{
    uint64_t i = 0;

    for (; count < 8 && i < count; i++)
        if (a[i] != b[i])
            return i;
    for (; i + 64 <= count; i += 64) {
        uint64_t differ = ~block_equal_bits(a + i, b + i);

        if (differ != 0)
            return i + (uint64_t)__builtin_ctzll(differ);
    }
    for (; i < count; i += 8) {
        uint64_t at = min_u64(i, count - 8); /* the last eight bytes may overlap those before */
        uint64_t differ = bytes_load64(a + at) ^ bytes_load64(b + at);

        if (differ != 0)
            return at + (uint64_t)__builtin_ctzll(differ) / 8;
    }
    return count;
}

static uint64_t FIND_NAME(either)(const uint8_t *text, uint64_t count, uint8_t value, uint8_t other)
{
    for (uint64_t i = 0; i < count; i += 64) {
        uint64_t bits = block_equal(text + i, value, 0) | block_equal(text + i, other, 0);

        if (bits != 0)
            return min_u64(i + (uint64_t)__builtin_ctzll(bits), count);
    }
    return count;
}

/* Keeps the bits of `bits` at which the text has the literal's first bytes. The loop's body has no
 * branch, since it would be mispredicted. */
static inline uint64_t FIND_NAME(sieve_word)(const uint8_t *text, uint64_t bits,
                                             const uint8_t *literal, uint64_t ignored)
{
    uint64_t kept = 0;

    for (; bits != 0; bits &= bits - 1) {
        uint64_t position = (uint64_t)__builtin_ctzll(bits);

        kept |= (uint64_t)((block_equal_bits(text + position, literal) | ignored) == UINT64_MAX)
                << position;
    }
    return kept;
}

static uint64_t FIND_NAME(sieve)(const uint8_t *text, uint64_t word_count, const uint8_t *literal,
                                 uint32_t count, struct find_tile *tile, uint64_t *position)
{
    uint64_t ignored = count < 64 ? UINT64_MAX << count : 0, cleared = 0;
    /* the last word in which bits were cleared, and these bits */
    uint64_t failed = 0, failed_word = 0;

    TRAWL_ASSERT(count > 0 && count <= 64);
    for (uint64_t i = 0; i < tile_words(tile, word_count); i++) {
        uint64_t w = tile_word(tile, i), bits = tile->mask[w];
        uint64_t kept = FIND_NAME(sieve_word)(text + 64 * w, bits, literal, ignored);

        tile->mask[w] = kept;
        kept ^= bits;
        cleared += (uint64_t)__builtin_popcountll(kept);
        /* conditional moves, because a branch would often be mispredicted */
        failed_word = kept != 0 ? w : failed_word;
        failed = kept != 0 ? kept : failed;
    }
    if (failed != 0)
        *position = 64 * failed_word + (uint64_t)__builtin_ctzll(failed);
    return cleared;
}

static uint64_t FIND_NAME(count_bits)(const struct find_tile *tile, uint64_t word_count)
{
    uint64_t count = 0;

    TRAWL_ASSERT(word_count <= FIND_TILE_WORDS);
    TRAWL_ASSERT(tile->is_dense || tile->hot_count <= word_count);
    if (tile->is_dense)
        for (uint64_t w = 0; w < word_count; w++)
            count += (uint64_t)__builtin_popcountll(tile->mask[w]);
    else
        for (uint32_t i = 0; i < tile->hot_count; i++)
            count += (uint64_t)__builtin_popcountll(tile->mask[tile->hot[i]]);
    return count;
}

#ifndef HAS_POSITIONS_OF_BITS
#define POSITIONS_AT_ONCE 6u /* written without a branch; more bits repeat the loop */

/* Writes block + i for each set bit i, in ascending order. Returns the number of bits. May
 * overwrite up to SET_ROOM entries after the last. */
static inline uint32_t positions_of_bits(uint64_t bits, uint32_t block, uint32_t *positions)
{
    uint32_t count = (uint32_t)__builtin_popcountll(bits);

    do {
        for (uint32_t k = 0; k < POSITIONS_AT_ONCE; k++) {
            positions[k] = block + (uint32_t)__builtin_ctzll(bits | 1ull << 63);
            bits &= bits - 1;
        }
        positions += POSITIONS_AT_ONCE;
    } while (__builtin_expect(bits != 0, 0));
    return count;
}
#endif

static uint32_t FIND_NAME(positions)(const uint8_t *text, const struct find_tile *tile,
                                     uint32_t base, const struct set_class *class, uint64_t fold,
                                     uint32_t *positions)
{
    const uint32_t *bitmap = (const uint32_t *)(const void *)class->bitmap;
    uint32_t count = 0, shift = class_sample_shift(class);
    uint64_t kept = 0;

    TRAWL_ASSERT(!tile->is_dense && tile->hot_count <= FIND_TILE_WORDS);
    for (uint32_t i = 0; i < tile->hot_count; i++)
        count += positions_of_bits(tile->mask[tile->hot[i]], base + 64u * tile->hot[i],
                                   positions + count);
    for (uint32_t i = 0; i < count; i++)
        kept = stem_sample(bitmap, shift, text, positions[i], (uint32_t)fold, positions, kept);
    return (uint32_t)kept;
}

#ifdef HAS_TRIGRAMS
#include "cpu/find_trigrams.h"
#define FIND_TRIGRAMS FIND_NAME(trigrams)
#else
#define FIND_TRIGRAMS NULL
#endif

#ifdef HAS_STEM_VECTORS
#define FIND_STEMS(name) name##_vectors
#else
#define FIND_STEMS(name) name
#endif

/* Defines the variant's table of functions. `pairs_of` is the variant's own function, or NULL. */
#define FIND_OPS(pairs_of)                                                               \
    {                                                                                    \
        .name = FIND_STRING(VARIANT), .looks_six = LOOKS_SIX, .every = FIND_NAME(every), \
        .grams = FIND_NAME(grams), .set = FIND_NAME(set), .nibbles = FIND_NIBBLES,       \
        .positions = FIND_NAME(positions), .sieve = FIND_NAME(sieve),                    \
        .mismatch = FIND_NAME(mismatch), .either = FIND_NAME(either),                    \
        .count_bits = FIND_NAME(count_bits), .gram_samples = gram_samples,               \
        .stem_samples = FIND_STEMS(stem_samples), .stem_begins = stem_begins,            \
        .stems = FIND_STEMS(stem_stems), .pairs = (pairs_of), .trigrams = FIND_TRIGRAMS, \
        .pair = FIND_NAME(pair)                                                          \
    }

#endif
