/* find_stems: looks up the stems of literals in a text, in plain C.
 *
 * A stem is the first (up to) 8 bytes of a literal. Large sets of words are searched with stems in
 * three steps (find.h): samples of four bytes select positions, the starts near these positions are
 * tested, and stems are looked up at the starts that passed. The file also tests samples for sets
 * that are searched with grams. A variant with vectors for these steps defines HAS_STEM_VECTORS. No
 * function has a branch that depends on the text.
 */
#ifndef TRAWL_CPU_FIND_STEMS_H
#define TRAWL_CPU_FIND_STEMS_H

#include <string.h>

#include "cpu/find.h"
#include "cpu/set_class.h"

/* Writes position i after the `count` positions that have passed. Returns the new count. If the
 * four bytes at i do not pass the bitmap, the count is unchanged, so that the next position
 * overwrites i. */
static inline uint64_t stem_sample(const uint32_t *bitmap, uint32_t shift, const uint8_t *text,
                                   uint64_t i, uint32_t fold, uint32_t *positions, uint64_t count)
{
    uint32_t four;

    TRAWL_ASSERT(i <= UINT32_MAX && count < SET_PASSED_MAX + SET_ROOM);
    memcpy(&four, text + i, sizeof four);
    four = class_sample_product(four, fold);
    positions[count] = (uint32_t)i;
    return count + (bitmap[four >> shift] >> (four >> 8 & 31) & 1);
}

/* Tests the samples at positions first, first + stride, ... below `last`. */
static inline uint32_t stem_samples_between(const uint8_t *text, uint64_t first, uint64_t last,
                                            const struct set_class *class, uint64_t fold,
                                            uint32_t *positions)
{
    const uint32_t *bitmap = (const uint32_t *)(const void *)class->bitmap;
    uint32_t shift = class_sample_shift(class), fold32 = (uint32_t)fold;
    uint64_t i = first, count = 0, stride = class->stride;

    TRAWL_ASSERT(stride > 0 && last <= UINT32_MAX);
    for (; i + 3 * stride < last; i += 4 * stride) {
        count = stem_sample(bitmap, shift, text, i, fold32, positions, count);
        count = stem_sample(bitmap, shift, text, i + stride, fold32, positions, count);
        count = stem_sample(bitmap, shift, text, i + 2 * stride, fold32, positions, count);
        count = stem_sample(bitmap, shift, text, i + 3 * stride, fold32, positions, count);
    }
    for (; i < last; i += stride)
        count = stem_sample(bitmap, shift, text, i, fold32, positions, count);
    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    return (uint32_t)count;
}

/* Returns the first sample that can lie in a literal that begins in the span, except those below
 * `taken`, which were tested for the previous span. */
static inline uint64_t stem_first(const struct set_span *span, uint32_t stride, uint64_t taken)
{
    uint64_t first = (span->from + stride - 1) / stride * stride;

    TRAWL_ASSERT(first >= span->from && first - span->from < stride);
    TRAWL_ASSERT(first + stride >= taken);
    return first < taken ? first + stride : first;
}

static inline uint32_t stem_samples(const uint8_t *text, const struct set_span *spans,
                                    uint32_t span_count, uint64_t readable,
                                    const struct set_class *class, uint64_t fold,
                                    uint32_t *positions)
{
    uint32_t count = 0, stride = class->stride;
    uint64_t last = 0;

    (void)readable; /* this variant reads only the samples' own bytes */
    for (uint32_t s = 0; s < span_count; s++) {
        uint64_t first = stem_first(&spans[s], stride, last);

        TRAWL_ASSERT(spans[s].from <= spans[s].to && last <= spans[s].from + stride - 1ull);
        last = spans[s].to + stride - 1ull;
        count += stem_samples_between(text, first, last, class, fold, positions + count);
    }
    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    return count;
}

/* What the loops keep in registers; `map` is the class's stem map, a bitmap of hashed stems. */
struct stem_filter {
    const uint64_t *map;
    uint64_t fold;
    uint32_t shift;
};

static inline struct stem_filter stem_filter(const struct set_class *class, uint64_t fold)
{
    struct stem_filter filter = {class->stem_map, fold, 64 - class->stem_bits};

    return filter;
}

static inline uint32_t stem_begins(const uint8_t *text, const uint32_t *positions,
                                   uint32_t position_count, uint64_t begin, uint64_t end,
                                   uint32_t stride, const struct set_class *class, uint64_t fold,
                                   uint32_t *begins)
{
    struct stem_filter filter = stem_filter(class, fold);
    uint32_t stem_min = class->stem_min;
    uint64_t count = 0;

    TRAWL_ASSERT(begin < end && end <= UINT32_MAX);
    TRAWL_ASSERT(stem_min > 0 && stem_min <= SET_STEM_BYTES);
    for (uint32_t offset = 0; offset < stride; offset++)
        for (uint32_t i = 0; i < position_count; i++) {
            uint64_t x = positions[i] - (positions[i] < begin + offset ? 0 : offset), low, hash;

            TRAWL_ASSERT(count < SET_PASSED_MAX + SET_ROOM);
            memcpy(&low, text + x, sizeof low);
            begins[count] = (uint32_t)x;
            hash = class_stem_hash(low, fold, stem_min);
            count += class_passes(filter.map[hash >> filter.shift], hash >> SET_BEGIN_SHIFT) &
                     (positions[i] >= begin + offset) & (x < end);
        }
    return (uint32_t)count;
}

/* Implements find_ops.stems. `min` is the class's stem_min, a compile-time constant. */
static inline __attribute__((always_inline)) uint32_t stem_codes_plain(
    const uint8_t *text, const uint32_t *begins, uint32_t begin_count, uint32_t base,
    const struct set_class *class, uint64_t fold, uint32_t min, uint32_t *codes)
{
    struct stem_filter filter = stem_filter(class, fold);
    uint32_t lengths = class->stem_lengths;
    uint64_t count = 0, word = 0;

    TRAWL_ASSERT(begin_count <= SET_STEM_BATCH && min <= SET_STEM_BYTES);
    TRAWL_ASSERT(lengths >> (SET_STEM_BYTES + 1) == 0 && lengths >> min != 0);
    for (uint32_t i = 0; i < begin_count; i++) {
        uint64_t low, hash;

        TRAWL_ASSERT(begins[i] >= base && begins[i] - base < SET_TILE_POSITIONS);
        memcpy(&low, text + begins[i], sizeof low);
#pragma GCC unroll 8
        for (uint32_t k = min; k <= SET_STEM_BYTES; k++) {
            hash = class_stem_hash(low, fold, k);
            if (k == min || k == SET_STEM_FAR)
                word = filter.map[hash >> filter.shift];
            codes[count] = class_stem_code(begins[i] - base, k);
            count += class_passes(word, hash >> SET_STEM_SHIFT) & (lengths >> k & 1);
        }
    }
    return (uint32_t)count;
}

/* Calls a function like stem_codes_plain, with the class's stem_min as a compile-time constant. */
#define STEM_CASE(FUNCTION, LEAST) \
    case LEAST:                    \
        return FUNCTION(text, begins, begin_count, base, class, fold, (LEAST), codes);
#define STEM_CASES(FUNCTION)                \
    switch (class->stem_min) {              \
        STEM_CASE(FUNCTION, 2)              \
        STEM_CASE(FUNCTION, 3)              \
        STEM_CASE(FUNCTION, 4)              \
        STEM_CASE(FUNCTION, 5)              \
        STEM_CASE(FUNCTION, 6)              \
        STEM_CASE(FUNCTION, 7)              \
    default:                                \
        STEM_CASE(FUNCTION, SET_STEM_BYTES) \
    }

static inline uint32_t stem_stems(const uint8_t *text, const uint32_t *begins, uint32_t begin_count,
                                  uint32_t base, const struct set_class *class, uint64_t fold,
                                  uint32_t *codes)
{
    STEM_CASES(stem_codes_plain)
}

/* Tests samples against the bitmap of grams. `is_short`, a compile-time constant, means that grams
 * have fewer than 8 bytes. `count` samples have passed before; returns the new count. */
static inline __attribute__((always_inline)) uint32_t gram_loop(
    const uint8_t *text, uint64_t first, uint64_t last, const struct set_class *of, uint64_t fold,
    bool is_short, struct set_passed *passed, uint32_t count)
{
    const struct set_class class = *of;

    TRAWL_ASSERT(last <= UINT32_MAX && class.stride > 0);
    TRAWL_ASSERT(is_short || class.q >= 8);
    for (uint64_t i = first; i < last; i += class.stride) {
        uint64_t low, high, hash;

        __builtin_prefetch(text + i + FIND_AHEAD_BYTES);
        memcpy(&low, text + i, sizeof low);
        memcpy(&high, text + i + (is_short ? 0 : class.q - 8), sizeof high);
        hash =
            is_short ? class_gram_short(low, fold, class.keep) : class_gram_long(low, high, fold);
        passed->hash[count] = hash;
        passed->position[count] = (uint32_t)i;
        count += class_passes(class.bitmap[class_word_index(&class, hash)], hash);
    }
    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    return count;
}

static inline uint32_t gram_samples(const uint8_t *text, uint64_t first, uint64_t last,
                                    const struct set_class *class, uint64_t fold,
                                    struct set_passed *passed)
{
    return class->q < 8 ? gram_loop(text, first, last, class, fold, true, passed, 0)
                        : gram_loop(text, first, last, class, fold, false, passed, 0);
}

#endif
