/* set_matcher: a large set's tables for the CPU, one part for each class of lengths.
 *
 * Each class has its own q and stride. Text is sampled at multiples of the stride; the q bytes
 * there occur in each of the class's literals at one offset below the stride, because the stride is
 * at most the shortest length - q + 1. A sample's gram is hashed: two bits of one word of a bitmap
 * rule out most samples, and a bucket names the literals and offsets of those that pass.
 *
 * If the literals are words, such grams occur in too many of them; the class then uses stems. A
 * literal's stem is its first bytes, at most 8. A sample's four bytes name positions where a
 * literal may begin (set_stems.c); the bytes there, as many as some literal's stem has, name the
 * stem.
 */
#ifndef TRAWL_CPU_SET_MATCHER_H
#define TRAWL_CPU_SET_MATCHER_H

#include <string.h>

#include "plan/plan.h"

#define SET_CLASSES_MAX 6u
#define SET_STRIDE_MAX 8u
#define SET_Q_MAX 16u
#define SET_STEM_BYTES 8u
#define SET_STEM_Q 4u
#define SET_STEM_STRIDE_MAX 4u
#define SET_STEM_LENGTHS (SET_STEM_BYTES - SET_STEM_Q + 1)

/* A literal's gram. The low 8 bits of `tagged` hold its offset (3 bits) and a tag of bytes beside
 * it (set_side_tag). Above them is a tag of the gram's hash.
 */
struct set_entry {
    uint32_t literal;
    uint32_t tagged;
};

struct find_pairs;

struct set_class {
    uint32_t length_min;
    uint32_t literal_count;
    uint32_t q;           /* bytes of a gram, 1 to SET_Q_MAX */
    uint32_t stride;      /* 1 to SET_STRIDE_MAX */
    uint32_t word_bits;   /* log2 of the bitmap's words */
    uint32_t bucket_bits; /* by grams: log2 of the bucket count */
    uint64_t bucket_count;
    uint64_t keep;         /* q < 8: of 8 bytes, the first q */
    struct plan_set heads; /* stride 1: what find_ops.set takes; the bitmap is of its hash then */
    uint64_t *bitmap;      /* 1 << word_bits words */
    uint32_t *buckets;     /* bucket_count + 1 begins into entries */
    struct set_entry *entries; /* NULL by stems */
    uint64_t entry_count;

    bool by_stems;           /* then bitmap is of the four bytes at offsets below the stride: */
    uint64_t *stem_keys;     /* in place of entries: set_stem_key, */
    uint32_t *stem_literals; /* and the literal */
    uint32_t stem_min;       /* the least number of bytes of a stem */
    uint32_t stem_lengths;   /* bit k: some stem has k bytes */
    /* By the length of a stem, less SET_STEM_Q: how many literals have it, and their buckets. Those
     * of each length lie together: short words, which are few, are most of those that a text has.
     */
    uint32_t stem_counts[SET_STEM_LENGTHS];
    uint32_t stem_shifts[SET_STEM_LENGTHS];  /* of a hash, for the bucket among those */
    uint64_t stem_buckets[SET_STEM_LENGTHS]; /* the first one */
    uint32_t stem_bits;                      /* log2 of the words of stem_map */
    uint64_t *stem_map;       /* two bits for each stem, and for its first stem_min bytes */
    struct find_pairs *pairs; /* few literals: they name the positions by themselves; else NULL */
};

struct set_matcher {
    uint64_t fold; /* or-ed into each 8 bytes: 0 or 0x2020... */
    uint32_t class_count;
    struct set_class classes[SET_CLASSES_MAX];
};

/* A literal that may stand at a position. */
struct set_named {
    uint32_t place;
    uint32_t literal;
};

#define SET_TILE_PLACES 4096u
#define SET_ROOM 16u /* vectors write this many beyond what they count */
#define SET_PASSED_MAX (SET_TILE_PLACES + SET_STRIDE_MAX + 1)
#define SET_NAMED_MAX 256u

/* Samples that passed a class's tables. */
struct set_passed {
    uint64_t hash[SET_PASSED_MAX + SET_ROOM];
    uint32_t place[SET_PASSED_MAX + SET_ROOM];
};

/* A stem that passed, and what its literals' tags may be (set_stem_tag). `four` and `two`: of the
 * bytes behind it, 0 for a stem shorter than SET_STEM_BYTES. */
struct set_stem {
    uint64_t hash;
    uint32_t place;
    uint8_t bytes_count;
    uint8_t whole;
    uint8_t four;
    uint8_t two;
};

/* Literals that may stand somewhere, and those that do, by the numbers of their keys. */
struct set_found {
    struct set_named *named, *whole; /* room for SET_NAMED_MAX + SET_ROOM each */
    uint32_t named_count, whole_count;
    uint64_t work; /* keys that were looked at */
};

#define SET_STEM_BATCH 256u /* begins whose stems are looked up before they are verified */
#define SET_STEMS_MAX (SET_STEM_BATCH * SET_STEM_LENGTHS)

/* Begins in [from, to). */
struct set_span {
    uint32_t from;
    uint32_t to;
};

/* Of a worker: the intermediate results of a tile's samples. */
struct set_scratch {
    struct set_passed passed;
    struct set_named named[SET_NAMED_MAX + SET_ROOM];
    struct set_named whole[SET_NAMED_MAX + SET_ROOM]; /* that stand there */
    uint32_t places[SET_PASSED_MAX + SET_ROOM];
    uint32_t begins[SET_PASSED_MAX + SET_ROOM];
    /* By lines: what is to be looked at now of lines without a hit, their numbers and the ends of
     * their begins; each line's hit. */
    struct set_span spans[SET_TILE_PLACES + 1];
    uint16_t span_line[SET_TILE_PLACES + 1];
    uint32_t span_end[SET_TILE_PLACES + 1];
    uint32_t line_hit[SET_TILE_PLACES + 1];
    uint32_t stems[SET_STEMS_MAX + SET_ROOM]; /* that passed, */
    uint32_t first[SET_STEMS_MAX + SET_ROOM]; /* one of each line, */
    uint16_t first_line[SET_STEMS_MAX];       /* and which line */
    /* While they are verified: stems shorter than SET_STEM_BYTES, and the others. */
    struct set_stem shorter[SET_STEMS_MAX + SET_ROOM];
    struct set_stem longer[SET_STEMS_MAX + SET_ROOM];
};

#define SET_HASH_LOW 0x9e3779b97f4a7c15ull
#define SET_HASH_HIGH 0xc2b2ae3d27d4eb4full

static inline uint64_t set_hash(uint64_t low, uint64_t high)
{
    uint64_t hash = low * SET_HASH_LOW + high * SET_HASH_HIGH;

    return hash ^ hash >> 29;
}

/* Of 8 bytes the first q, if q < 8. */
static inline uint64_t set_keep(uint32_t q)
{
    return q < 8 ? (1ull << 8 * q) - 1 : UINT64_MAX;
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

/* A stem that passed: its position in the tile and its length. */
#define SET_CODE_PLACE_BITS 28u

static inline uint32_t set_stem_code(uint32_t place, uint32_t k)
{
    return place | k << SET_CODE_PLACE_BITS;
}

static inline uint32_t set_code_place(uint32_t code)
{
    return code & ((1u << SET_CODE_PLACE_BITS) - 1);
}

static inline uint32_t set_code_bytes(uint32_t code)
{
    return code >> SET_CODE_PLACE_BITS;
}

/* By stems: the two bits of a stem's first stem_min bytes are others than those of a stem. */
#define SET_BEGIN_SHIFT 12u

static inline uint64_t set_begin_bits(uint64_t hash)
{
    return set_bits(hash >> SET_BEGIN_SHIFT);
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

static inline uint64_t set_stem_bucket(const struct set_class *class, uint64_t hash, uint32_t k)
{
    return class->stem_buckets[k - SET_STEM_Q] + (hash >> class->stem_shifts[k - SET_STEM_Q]);
}

static inline uint32_t set_tag(uint64_t hash)
{
    return (uint32_t)(hash >> 4) & 0xffffff00u;
}

/* Many literals may share a gram or a stem. So an entry says a little of the bytes beside it: in
 * natural text under 100,000 patterns 3.7 literals stand in the way at each place by their first 8
 * bytes, 0.14 by 12. */
static inline uint32_t set_bits_of(uint32_t bytes, uint64_t fold, uint32_t bits)
{
    return ((bytes | (uint32_t)fold) * 0x9e3779b1u) >> (32 - bits);
}

/* By stems, a key is the stem's hash; its highest byte, which the bucket tells, is a tag of what
 * the stem leaves open. From SET_WHOLE_TAG on: nothing, the literal is its stem, of so many bytes
 * more than SET_STEM_Q. Else it is of the four or two bytes behind a stem of SET_STEM_BYTES; 0:
 * nothing is known. */
#define SET_KEY_TAG_SHIFT 56u
#define SET_KEY_BUCKET_BITS_MIN 8u
#define SET_WHOLE_TAG (0x100u - SET_STEM_LENGTHS)

#define SET_TAG_BYTES 4u

static inline uint32_t set_next_four(uint32_t next, uint64_t fold)
{
    uint32_t tag = 0x80u | set_bits_of(next, fold, 7);

    return tag - (tag >= SET_WHOLE_TAG ? 0x10u : 0);
}

static inline uint32_t set_next_two(uint32_t next, uint64_t fold)
{
    uint32_t tag = set_bits_of((next & 0xffff) << 16, fold & 0x20200000, 7);

    return tag + (tag == 0);
}

/* Do all texts that equal the bytes, where case is folded by or-ing, equal them without case? */
static inline bool set_fold_is_exact(const uint8_t *bytes, uint64_t count, uint64_t fold)
{
    bool exact = true;

    for (uint64_t i = 0; i < count && fold != 0; i++)
        exact &= (uint8_t)((bytes[i] | 0x20) - 'a') < 26;
    return exact;
}

/* A literal's tag. */
static inline uint32_t set_stem_tag(const uint8_t *literal, uint64_t length, uint64_t fold)
{
    uint32_t next = 0;

    TRAWL_ASSERT(length >= SET_STEM_Q);
    if (length <= SET_STEM_BYTES)
        return set_fold_is_exact(literal, length, fold)
                   ? SET_WHOLE_TAG + (uint32_t)length - SET_STEM_Q
                   : 0;
    if (length < SET_STEM_BYTES + 2)
        return 0;
    memcpy(&next, literal + SET_STEM_BYTES, length < SET_STEM_BYTES + 4 ? 2 : 4);
    return length < SET_STEM_BYTES + 4 ? set_next_two(next, fold) : set_next_four(next, fold);
}

static inline uint64_t set_stem_key(uint64_t hash, uint32_t tag)
{
    return (hash & UINT64_MAX >> (64 - SET_KEY_TAG_SHIFT)) | (uint64_t)tag << SET_KEY_TAG_SHIFT;
}

/* Is the key of a stem with this hash, whose bucket it is in? */
static inline bool set_key_is(uint64_t key, uint64_t hash)
{
    return (key ^ hash) << (64 - SET_KEY_TAG_SHIFT) == 0;
}

/* By grams: of the four bytes before it, or behind it if its offset is below SET_SIDE_BYTES. */
#define SET_SIDE_BYTES 4u
#define SET_OFFSET_BITS 3u
#define SET_OFFSET(tagged) ((tagged) & ((1u << SET_OFFSET_BITS) - 1))

static inline uint32_t set_side(uint32_t bytes, uint64_t fold)
{
    uint32_t tag = set_bits_of(bytes, fold, 8 - SET_OFFSET_BITS);

    return tag + (tag == 0);
}

/* A literal's offset and tag; the tag is 0 where there are no such bytes, and in classes of stride
 * 1, whose literals are short. */
static inline uint32_t set_side_tag(const struct set_class *class, const uint8_t *literal,
                                    uint64_t length, uint32_t offset, uint64_t fold)
{
    uint32_t bytes, from = offset >= SET_SIDE_BYTES ? offset - SET_SIDE_BYTES : offset + class->q;

    TRAWL_ASSERT(offset >> SET_OFFSET_BITS == 0);
    if (class->stride == 1 || from + SET_SIDE_BYTES > length)
        return offset;
    memcpy(&bytes, literal + from, sizeof bytes);
    return offset | set_side(bytes, fold) << SET_OFFSET_BITS;
}

/* By stems: the hash of the first k bytes of these. It is of k too: else "word" and four NULs would
 * be the stem "word" five times. */
static inline uint64_t set_stem_hash(uint64_t low, uint64_t fold, uint32_t k)
{
    return set_hash((low | fold) & UINT64_MAX >> (64 - 8 * k), k);
}

/* A word of the stem map holds the stems that begin alike: of less than SET_STEM_FAR bytes those
 * with the same first stem_min bytes, of the longer ones those with as many as SET_STEM_FAR (or
 * stem_min) in common. So one or two words tell of the stems of all lengths at a position. */
#define SET_STEM_FAR 6u

static inline uint32_t set_stem_shared(const struct set_class *class, uint32_t k)
{
    return k < SET_STEM_FAR || class->stem_min > SET_STEM_FAR ? class->stem_min : SET_STEM_FAR;
}

/* By the hash of the bytes that it shares. */
static inline uint64_t set_stem_word(const struct set_class *class, uint64_t hash)
{
    return hash >> (64 - class->stem_bits);
}

/* Samples that tell of one position and of all of the first stem_min bytes leave nothing to look
 * up. */
static inline bool set_looks_at_begins(const struct set_class *class)
{
    return class->stride > 1 || class->stem_min > SET_STEM_Q;
}

/* The product of a sample's four bytes: its high bits name a word of the bitmap, its bits 8 to 12 a
 * bit of that. */
static inline uint32_t set_sample_product(uint32_t four, uint32_t fold)
{
    return (four | fold) * PLAN_HASH32_FACTOR;
}

/* The bitmap is of words of 32 bits here: how far the product is to be shifted for a word's number.
 */
static inline uint32_t set_sample_shift(const struct set_class *class)
{
    return 31 - class->word_bits;
}

/* The first `count` bytes, at most 8, of bytes that lie in [.., end). */
static inline uint64_t set_load_first(const uint8_t *bytes, const uint8_t *end, uint32_t count)
{
    uint64_t word = 0;

    TRAWL_ASSERT(count <= sizeof word && end - bytes >= (ptrdiff_t)count);
    if (end - bytes < (ptrdiff_t)sizeof word) {
        memcpy(&word, bytes, count);
        return word;
    }
    TRAWL_ASSERT(count > 0);
    memcpy(&word, bytes, sizeof word);
    return word & set_keep(count);
}

/* The hash of the class's gram at bytes of a literal; what follows it is readable up to `end`. */
static inline uint64_t set_gram_hash(const struct set_matcher *matcher,
                                     const struct set_class *class, const uint8_t *bytes,
                                     const uint8_t *end)
{
    uint64_t low, high;

    if (class->q < 8 || class->stride == 1)
        return set_gram_short(set_load_first(bytes, end, class->q), matcher->fold, class->keep);
    TRAWL_ASSERT(end - bytes >= (ptrdiff_t) class->q);
    TRAWL_ASSERT(class->q >= 8 && class->q <= SET_Q_MAX);
    memcpy(&low, bytes, sizeof low);
    memcpy(&high, bytes + class->q - 8, sizeof high);
    return set_gram_long(low, high, matcher->fold);
}

/* Some of the text that the matcher is made for: its strides are those that cost least there. */
struct set_sample {
    const struct trawl_plan *plan;
    const uint8_t *bytes;
    uint64_t bytes_count; /* too few: the strides follow from the literals alone */
};

/* The plan's matcher, made at first need; any thread. Stays the plan's. */
enum trawl_status set_matcher_want(const struct set_sample *sample,
                                   const struct set_matcher **matcher, struct trawl_error *error);

/* set_look.c: how many entries of class number `index` a gram of the text names on average, with
 * the q and the stride of `class`; of[length class] is a class's number. Errors: MEMORY. */
enum trawl_status set_named(const struct set_sample *sample, const struct set_matcher *matcher,
                            const uint32_t *of, uint32_t index, const struct set_class *class,
                            double *named, struct trawl_error *error);
static inline uint32_t set_class_of_length(uint64_t length)
{
    TRAWL_ASSERT(length > 0);
    return length <= 3 ? (uint32_t)length - 1 : length < 8 ? 3u : length < 16 ? 4u : 5u;
}

/* set_stems.c: a class's tables of stems. */
static inline uint32_t set_stem_bytes(uint64_t length)
{
    return length < SET_STEM_BYTES ? (uint32_t)length : SET_STEM_BYTES;
}
/* From its length_min, with the stride that follows; how many literals have stems of each length.
 */
void set_stems_begin(struct set_class *class, const uint32_t counts[SET_STEM_LENGTHS]);
/* What follows from stem_min and stem_counts. */
void set_stems_complete(struct set_class *class);
uint32_t set_bucket_bits(uint64_t entries);
/* Bits of the bitmap and of the stem map for 16 to 64 bits an entry each. */
uint32_t set_stem_word_bits(uint64_t literal_count);
uint32_t set_sample_word_bits(uint64_t entries);
/* The literal's bits in the bitmap. */
void set_stems_add(struct set_class *class, const uint8_t *bytes, uint64_t fold);
/* Once the entries are there: the pairs of a class of few literals. */
enum trawl_status set_stems_finish(const struct trawl_plan *plan, struct set_class *class,
                                   uint64_t fold, struct trawl_error *error);
void set_stems_free(struct set_class *class);

#endif
