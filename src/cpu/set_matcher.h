/* set_matcher: a large set's tables for the CPU, one part for each class of lengths.
 *
 * Each class has its own q and stride. Text is sampled at multiples of the stride; the q bytes
 * there stand in each of the class's literals at one offset below the stride, since that is at most
 * the shortest length - q + 1. A sample's gram is hashed: two bits of one word of a bitmap let most
 * samples go, and a bucket names the literals, and at which offsets, of those that pass.
 */
#ifndef TRAWL_CPU_SET_MATCHER_H
#define TRAWL_CPU_SET_MATCHER_H

#include "plan/plan.h"

#define SET_CLASSES_MAX 6u
#define SET_STRIDE_MAX 8u
#define SET_Q_MAX 16u

/* A literal's gram: at `offset`, the low 8 bits of `tagged`; above them a tag of the gram's hash.
 */
struct set_entry {
    uint32_t literal;
    uint32_t tagged;
};

struct set_class {
    uint32_t length_min;
    uint32_t literal_count;
    uint32_t q;
    uint32_t stride;
    uint32_t word_bits;    /* log2 of the bitmap's words */
    uint32_t bucket_bits;  /* log2 of the bucket count */
    uint64_t keep;         /* q < 8: of 8 bytes, the first q */
    struct plan_set heads; /* stride 1: what find_ops.set takes; the bitmap is of its hash then */
    uint64_t *bitmap;
    uint32_t *buckets; /* (1 << bucket_bits) + 1 begins into entries */
    struct set_entry *entries;
    uint64_t entry_count;
};

struct set_matcher {
    uint64_t fold; /* or-ed into each 8 bytes: 0 or 0x2020... */
    uint32_t class_count;
    bool is_mapped; /* the classes' tables lie in the plan's image */
    struct set_class classes[SET_CLASSES_MAX];
};

/* A sample that passed a class's bitmap. */
struct set_passed {
    uint64_t hash;
    uint32_t place;
    uint32_t reserved;
};

#define SET_TILE_PLACES 4096u
#define SET_PASSED_MAX (SET_TILE_PLACES + SET_STRIDE_MAX + 1)

static inline uint64_t set_hash(uint64_t low, uint64_t high)
{
    uint64_t hash = low * 0x9e3779b97f4a7c15ull + high * 0xc2b2ae3d27d4eb4full;

    return hash ^ hash >> 29;
}

/* Of a class with q < 8 or with stride 1: of the 8 bytes there those of the gram. Else the first
 * and the last 8 of the gram. */
static inline uint64_t set_gram_short(uint64_t low, uint64_t fold, uint64_t keep)
{
    return set_hash((low | fold) & keep, 0);
}

static inline uint64_t set_gram_long(uint64_t low, uint64_t high, uint64_t fold)
{
    return set_hash(low | fold, high | fold);
}

static inline uint64_t set_word(const struct set_class *class, uint64_t hash)
{
    return hash >> (64 - class->word_bits);
}

/* The two bits of the word. */
static inline uint64_t set_bits(uint64_t hash)
{
    return 1ull << (hash & 63) | 1ull << (hash >> 6 & 63);
}

/* Stride 1: the bitmap's bit of a gram; `low`: its bytes and what follows. */
static inline uint32_t set_head_bit(const struct set_class *class, uint64_t low)
{
    const struct plan_set *heads = &class->heads;

    return heads->wide_mask != 0
               ? plan_hash_wide(heads, low)
               : plan_hash32(((uint32_t)low | heads->fold) & heads->gram_mask, heads->bitmap_bits);
}

static inline bool set_head_passes(const struct set_class *class, uint64_t low)
{
    uint32_t bit = set_head_bit(class, low);

    return (class->bitmap[bit / 64] >> (bit % 64) & 1) != 0;
}

static inline uint64_t set_bucket(const struct set_class *class, uint64_t hash)
{
    return hash >> (64 - class->bucket_bits);
}

static inline uint32_t set_tag(uint64_t hash)
{
    return (uint32_t)(hash >> 4) & 0xffffff00u;
}

/* Is such a matcher worth it for the plan? Few literals, and those with tails, have the plan's own
 * tables. */
bool set_matcher_fits(const struct trawl_plan *plan);
/* The plan's matcher, made at first need; any thread. Stays the plan's. */
enum trawl_status set_matcher_want(const struct trawl_plan *plan,
                                   const struct set_matcher **matcher, struct trawl_error *error);

/* What follows from a class's q, stride and word_bits. */
void set_class_complete(struct set_class *class, uint64_t fold);
/* The hash of the class's gram at bytes of a literal. */
uint64_t set_literal_hash(const struct set_matcher *matcher, const struct set_class *class,
                          const uint8_t *bytes);
void set_matcher_free(void *object);

/* set_matcher_image.c: the matcher as sections of a saved plan, with tables that lie there. */
struct plan_parts;
enum trawl_status set_matcher_save(const struct trawl_plan *plan, struct plan_parts *parts,
                                   struct trawl_error *error);
/* Before the first search; the plan has an image. FORMAT if its sections are not those of a
 * matcher. */
enum trawl_status set_matcher_load(struct trawl_plan *plan, struct trawl_error *error);

#endif
