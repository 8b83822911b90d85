/* find_stems: in plain C, the first two steps of a class that is searched by stems, and the samples
 * of a class that is searched by grams. A variant with vectors for these steps defines
 * HAS_STEM_VECTORS. No function has a branch that depends on the text.
 */
#ifndef TRAWL_CPU_FIND_STEMS_H
#define TRAWL_CPU_FIND_STEMS_H

#include <string.h>

#include "cpu/set_matcher.h"

/* Tests a sample. `count` samples have passed before; returns the new count. */
static inline uint64_t stem_sample(const uint32_t *bitmap, uint32_t shift, const uint8_t *text,
                                   uint64_t i, uint32_t fold, uint32_t *places, uint64_t count)
{
    uint32_t four;

    TRAWL_ASSERT(i <= UINT32_MAX && count < SET_PASSED_MAX + SET_ROOM);
    memcpy(&four, text + i, sizeof four);
    four = set_sample_product(four, fold);
    places[count] = (uint32_t)i;
    return count + (bitmap[four >> shift] >> (four >> 8 & 31) & 1);
}

/* Tests the samples at first, first + stride, ... below last. */
static inline uint32_t stem_samples_between(const uint8_t *text, uint64_t first, uint64_t last,
                                            const struct set_class *class, uint64_t fold,
                                            uint32_t *places)
{
    const uint32_t *bitmap = (const uint32_t *)(const void *)class->bitmap;
    uint32_t shift = set_sample_shift(class), fold32 = (uint32_t)fold;
    uint64_t i = first, count = 0, stride = class->stride;

    TRAWL_ASSERT(stride > 0 && last <= UINT32_MAX);
    for (; i + 3 * stride < last; i += 4 * stride) {
        count = stem_sample(bitmap, shift, text, i, fold32, places, count);
        count = stem_sample(bitmap, shift, text, i + stride, fold32, places, count);
        count = stem_sample(bitmap, shift, text, i + 2 * stride, fold32, places, count);
        count = stem_sample(bitmap, shift, text, i + 3 * stride, fold32, places, count);
    }
    for (; i < last; i += stride)
        count = stem_sample(bitmap, shift, text, i, fold32, places, count);
    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    return (uint32_t)count;
}

/* Returns the first sample that can lie in a literal whose begin is ≥ `begin`. */
static inline uint64_t stem_first(uint64_t begin, uint32_t stride)
{
    return (begin + stride - 1) / stride * stride;
}

static inline uint32_t stem_samples(const uint8_t *text, uint64_t begin, uint64_t end,
                                    uint64_t readable, const struct set_class *class, uint64_t fold,
                                    uint32_t *places)
{
    TRAWL_ASSERT(begin < end);
    (void)readable; /* this variant reads only the samples' own bytes */
    return stem_samples_between(text, stem_first(begin, class->stride), end + class->stride - 1,
                                class, fold, places);
}

/* The members of the stem map that a loop keeps in registers. */
struct stem_view {
    const uint64_t *map;
    uint64_t fold;
    uint32_t shift;
};

static inline struct stem_view stem_view(const struct set_class *class, uint64_t fold)
{
    struct stem_view view = {class->stem_map, fold, 64 - class->stem_bits};

    return view;
}

static inline uint32_t stem_begins(const uint8_t *text, const uint32_t *places,
                                   uint32_t place_count, uint64_t begin, uint64_t end,
                                   const struct set_class *class, uint64_t fold, uint32_t *begins)
{
    struct stem_view view = stem_view(class, fold);
    uint32_t stem_min = class->stem_min, stride = class->stride;
    uint64_t count = 0;

    TRAWL_ASSERT(begin < end && end <= UINT32_MAX);
    TRAWL_ASSERT(stem_min > 0 && stem_min <= SET_STEM_BYTES);
    for (uint32_t offset = 0; offset < stride; offset++)
        for (uint32_t i = 0; i < place_count; i++) {
            uint64_t x = places[i] - (places[i] < begin + offset ? 0 : offset), low, hash;

            TRAWL_ASSERT(count < SET_PASSED_MAX + SET_ROOM);
            memcpy(&low, text + x, sizeof low);
            begins[count] = (uint32_t)x;
            hash = set_stem_hash(low, fold, stem_min);
            count += set_passes(view.map[hash >> view.shift], hash >> SET_BEGIN_SHIFT) &
                     (places[i] >= begin + offset) & (x < end);
        }
    return (uint32_t)count;
}

/* Tests samples in a loop; `is_short` is a compile-time constant. `count` samples have passed
 * before; returns the new count. */
static inline __attribute__((always_inline)) uint32_t gram_loop(
    const uint8_t *text, uint64_t first, uint64_t last, const struct set_class *of, uint64_t fold,
    bool is_short, struct set_passed *passed, uint32_t count)
{
    const struct set_class class = *of;

    TRAWL_ASSERT(last <= UINT32_MAX && class.stride > 0);
    TRAWL_ASSERT(is_short || class.q >= 8);
    for (uint64_t i = first; i < last; i += class.stride) {
        uint64_t low, high, hash, bits;

        memcpy(&low, text + i, sizeof low);
        memcpy(&high, text + i + (is_short ? 0 : class.q - 8), sizeof high);
        hash = is_short ? set_gram_short(low, fold, class.keep) : set_gram_long(low, high, fold);
        bits = set_bits(hash);
        passed->hash[count] = hash;
        passed->place[count] = (uint32_t)i;
        count += (class.bitmap[set_word(&class, hash)] & bits) == bits;
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
