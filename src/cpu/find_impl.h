/* find_impl: the one shape of the candidate loops, instantiated by each vector variant.
 *
 * A variant defines, before it includes this file:
 *   VARIANT                 the suffix of its name
 *   block_equal(text, v)    64-bit mask of the 64 bytes at text that equal byte v
 *   block_equal_fold(text, v, f)   the same after or-ing f into each byte
 *   block_words(text, words, mask) the words step for 64 bytes of text
 * and gets the functions of its table.
 *
 * The first probes are tested at every place, the others only in blocks where a place passed: a
 * branch per block, rarely taken once the first probes are telling enough. How many that takes
 * depends on the text, so the caller says, and is told how many blocks passed.
 */
#ifndef TRAWL_CPU_FIND_IMPL_H
#define TRAWL_CPU_FIND_IMPL_H

#include <string.h>

#include "cpu/find.h"

#define FIND_PASTE2(a, b) a##_##b
#define FIND_PASTE(a, b) FIND_PASTE2(a, b)
#define FIND_NAME(name) FIND_PASTE(name, VARIANT)

/* One loop per number of first probes, so that their values stay in registers; the compiler drops
 * the tests that FIRST rules out. */
#define FIND_EVERY_LOOP(EQUAL, FIRST)                                                          \
    for (uint64_t w = 0; w < word_count; w++) {                                                \
        const uint8_t *block = text + 64 * w;                                                  \
        uint64_t bits = EQUAL(0);                                                              \
        if (FIRST > 1)                                                                         \
            bits &= EQUAL(1);                                                                  \
        if (FIRST > 2)                                                                         \
            bits &= EQUAL(2);                                                                  \
        if (FIRST > 3)                                                                         \
            bits &= EQUAL(3);                                                                  \
        if (FIRST > 4)                                                                         \
            bits &= EQUAL(4);                                                                  \
        if (FIRST > 5)                                                                         \
            bits &= EQUAL(5);                                                                  \
        if (FIRST > 6)                                                                         \
            bits &= EQUAL(6);                                                                  \
        if (FIRST > 7)                                                                         \
            bits &= EQUAL(7);                                                                  \
        if (bits != 0 && more) {                                                               \
            pass_count++;                                                                      \
            for (uint32_t p = FIRST; p < probe_count && bits != 0; p++)                        \
                bits &= EQUAL(p);                                                              \
        }                                                                                      \
        mask[w] = bits;                                                                        \
        any |= bits;                                                                           \
    }                                                                                          \
    break;

#define FIND_EVERY_BODY(EQUAL)                                                                 \
    uint64_t any = 0, pass_count = 0;                                                          \
    bool more = probe_count > first;                                                           \
                                                                                               \
    switch (first) {                                                                           \
    case 1:                                                                                    \
        FIND_EVERY_LOOP(EQUAL, 1)                                                              \
    case 2:                                                                                    \
        FIND_EVERY_LOOP(EQUAL, 2)                                                              \
    case 3:                                                                                    \
        FIND_EVERY_LOOP(EQUAL, 3)                                                              \
    case 4:                                                                                    \
        FIND_EVERY_LOOP(EQUAL, 4)                                                              \
    case 5:                                                                                    \
        FIND_EVERY_LOOP(EQUAL, 5)                                                              \
    case 6:                                                                                    \
        FIND_EVERY_LOOP(EQUAL, 6)                                                              \
    case 7:                                                                                    \
        FIND_EVERY_LOOP(EQUAL, 7)                                                              \
    default:                                                                                   \
        FIND_EVERY_LOOP(EQUAL, 8)                                                              \
    }                                                                                          \
    *passed += pass_count;                                                                     \
    return any;

static uint64_t FIND_NAME(every)(const uint8_t *text, uint64_t word_count,
                                 const struct plan_probe *probes, uint32_t first,
                                 uint32_t probe_count, uint64_t *mask, uint64_t *passed)
{
#define EQUAL(p) block_equal(block + probes[p].offset, probes[p].value)
    FIND_EVERY_BODY(EQUAL)
#undef EQUAL
}

static uint64_t FIND_NAME(every_fold)(const uint8_t *text, uint64_t word_count,
                                      const struct plan_probe *probes, uint32_t first,
                                      uint32_t probe_count, uint64_t *mask, uint64_t *passed)
{
#define EQUAL(p) block_equal_fold(block + probes[p].offset, probes[p].value, probes[p].fold)
    FIND_EVERY_BODY(EQUAL)
#undef EQUAL
}

static uint64_t FIND_NAME(words)(const uint8_t *text, uint64_t word_count,
                                 const struct plan_words *words, uint64_t *mask)
{
    uint64_t any = 0;

    for (uint64_t w = 0; w < word_count; w++) {
        mask[w] = block_words(text + 64 * w, words);
        any |= mask[w];
    }
    return any;
}

static inline uint64_t set_bit(const uint8_t *text, const struct plan_set *set,
                               const uint64_t *bitmap)
{
    uint32_t gram, hash;

    memcpy(&gram, text, sizeof gram);
    hash = plan_hash32((gram | set->fold) & set->gram_mask, set->bitmap_bits);
    return bitmap[hash / 64] >> (hash % 64) & 1;
}

/* The scalar set probe: one load, one multiplication, one bit test per place. */
static uint64_t FIND_NAME(set_scalar)(const uint8_t *text, uint64_t word_count,
                                      const struct plan_set *set, const uint64_t *bitmap,
                                      uint64_t *mask)
{
    uint64_t any = 0;

    for (uint64_t w = 0; w < word_count; w++) {
        uint64_t bits = 0;

        for (uint32_t i = 0; i < 64; i++)
            bits |= set_bit(text + 64 * w + i, set, bitmap) << i;
        mask[w] = bits;
        any |= bits;
    }
    return any;
}

static uint64_t FIND_NAME(count_bits)(const uint64_t *mask, uint64_t word_count)
{
    uint64_t count = 0;

    for (uint64_t w = 0; w < word_count; w++)
        count += (uint64_t)__builtin_popcountll(mask[w]);
    return count;
}

#endif
