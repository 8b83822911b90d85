/* set_stems: makes the tables of a class that is searched by stems. */
#include <string.h>

#include "base/checked.h"
#include "cpu/set_matcher.h"

#define SAMPLE_BITS_MIN 13u
/* 128 KiB, enough because words have few different grams of four bytes */
#define SAMPLE_BITS_CACHED 20u
#define SAMPLE_BITS_MAX 24u
#define STEM_BITS_MIN 13u
#define STEM_BITS_MAX 28u
#define BUCKET_BITS_MIN 4u
/* log2 of entries up to which there are as many buckets as entries */
#define BUCKET_BITS_LIGHT 24u

void set_stems_begin(struct set_class *class, const uint32_t counts[SET_STEM_LENGTHS])
{
    uint32_t shorter = 0;

    TRAWL_ASSERT(class->length_min >= SET_STEM_Q);
    memcpy(class->stem_counts, counts, sizeof class->stem_counts);
    for (uint32_t k = SET_STEM_Q; k < SET_STEM_BYTES; k++)
        shorter += counts[k - SET_STEM_Q];
    TRAWL_ASSERT(shorter <= class->literal_count);
    class->stem_counts[SET_STEM_BYTES - SET_STEM_Q] = class->literal_count - shorter;
    class->by_stems = true;
    class->q = SET_STEM_Q;
    class->stem_min = set_stem_bytes(class->length_min);
    class->stride = (uint32_t)min_u64(class->length_min - SET_STEM_Q + 1, SET_STEM_STRIDE_MAX);
    TRAWL_ASSERT(class->stride + SET_STEM_Q - 1 <= class->length_min);
}

uint32_t set_bucket_bits(uint64_t entries)
{
    uint32_t log = log2_ceiling(entries);

    return (uint32_t)max_u64(log > BUCKET_BITS_LIGHT ? max_u64(BUCKET_BITS_LIGHT, log - 2) : log,
                             BUCKET_BITS_MIN);
}

void set_stems_complete(struct set_class *class)
{
    class->bucket_count = 0;
    class->stem_lengths = 0;
    for (uint32_t i = 0; i < SET_STEM_LENGTHS; i++) {
        uint32_t bits = set_bucket_bits(class->stem_counts[i]);

        bits = (uint32_t)max_u64(bits, SET_KEY_BUCKET_BITS_MIN);
        TRAWL_ASSERT(bits < 64);
        class->stem_shifts[i] = 64 - bits;
        class->stem_buckets[i] = class->bucket_count;
        if (class->stem_counts[i] == 0)
            continue;
        class->bucket_count += 1ull << bits;
        class->stem_lengths |= 1u << (i + SET_STEM_Q);
    }
}

uint32_t set_sample_word_bits(uint64_t entries)
{
    uint32_t log = log2_ceiling(entries);

    return (uint32_t)max_u64(max_u64(min_u64(log + 6, SAMPLE_BITS_CACHED), SAMPLE_BITS_MIN),
                             min_u64(log + 2, SAMPLE_BITS_MAX)) -
           6;
}

uint32_t set_stem_word_bits(uint64_t literal_count)
{
    return (uint32_t)min_u64(max_u64(log2_ceiling(literal_count) + 5, STEM_BITS_MIN),
                             STEM_BITS_MAX) -
           6;
}

void set_stems_add(struct set_class *class, const uint8_t *bytes, uint64_t fold)
{
    uint32_t *bitmap = (uint32_t *)(void *)class->bitmap;

    for (uint32_t offset = 0; offset < class->stride; offset++) {
        uint32_t four, product;

        TRAWL_ASSERT(offset + sizeof four <= class->length_min);
        memcpy(&four, bytes + offset, sizeof four);
        product = set_sample_product(four, (uint32_t)fold);
        TRAWL_ASSERT(product >> set_sample_shift(class) < 2ull << class->word_bits);
        bitmap[product >> set_sample_shift(class)] |= 1u << (product >> 8 & 31);
    }
}
