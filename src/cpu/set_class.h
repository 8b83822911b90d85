/* set_class: the hash tables with which the CPU searches for a large set of literals.
 *
 * The literals are divided into classes by length. Each class chooses q, the length of its grams
 * (sequences of q bytes), and a stride. The search tests samples: the grams of the text at each
 * multiple of the stride. Since stride ≤ shortest length - q + 1, each occurrence contains a whole
 * sample, at an offset below the stride. The search hashes the sample: two bits in a word of a
 * bitmap rule out most samples, and a bucket lists the literals and offsets for those that pass.
 *
 *   text      a partition of     literal "partition", q 4, stride 3; its entries are
 *   samples   ^  ^  ^  ^  ^      "part" at offset 0, "arti" at offset 1, "rtit" at offset 2;
 *                                the second sample, "arti", is an entry
 *
 * If the literals are words, too many of them share grams, so the class is searched with stems. A
 * literal's stem is its first 8 bytes, or all of it if it is shorter. Samples of four bytes select
 * positions where a literal may start (set_stems.c). At each such start, the search looks up the
 * stems of all lengths.
 *
 * The stride is at most 8, and q at most 16. Wide strides mean fewer but shorter grams, so the
 * widest is taken at which a gram of the text is rarely one of the class's by chance. 4 to 16 KiB
 * of the first searched text show whether a narrower one costs less: 10,000 substrings of English
 * are then searched at 0.41 instead of 0.20 GB/s. The first search builds the tables, once for all
 * threads: for 10,000,000 patterns of 16 letters in 4.0 s of one core, with 61 bytes per pattern
 * plus the letters.
 */
#ifndef TRAWL_CPU_SET_CLASS_H
#define TRAWL_CPU_SET_CLASS_H

#include <string.h>

#include "match/hits.h"
#include "plan/plan.h"

#define SET_CLASSES_MAX 6u
#define SET_STRIDE_MAX 8u
#define SET_Q_MAX 16u
#define SET_STEM_BYTES 8u
#define SET_STEM_Q 4u
#define SET_STEM_MIN 2u /* bytes of the shortest stem */
#define SET_STEM_STRIDE_MAX 4u
/* If the shortest literal of a class has at least this length, grams are faster than stems. */
#define SET_STEM_LENGTH_MAX 12u
#define SET_STEM_LENGTHS (SET_STEM_BYTES - SET_STEM_MIN + 1)
/* In a set of at most this many words, words of three bytes share a class with longer ones. Only a
 * class of at most this many literals is searched with trigrams (choose_class). */
#define SET_FEW_LITERALS 3072u

/* An entry of the hash table: a gram of a literal. The low 8 bits of `tagged` are the gram's offset
 * in the literal (3 bits) and a tag of the bytes beside the gram (class_side_tag). The higher bits
 * are a tag of the gram's hash. If a tag differs, the literal need not be compared. */
struct set_entry {
    uint32_t literal;
    uint32_t tagged;
};

struct find_ops;
struct find_pair_table;
struct find_trigrams;

struct set_class {
    uint32_t length_min; /* length of the class's shortest literal */
    uint32_t literal_count;
    uint32_t q;         /* bytes of a gram, 1 to SET_Q_MAX */
    uint32_t stride;    /* distance of the samples, 1 to SET_STRIDE_MAX */
    uint32_t word_bits; /* log2 of the number of words of the bitmap */
    /* in a class that is searched with grams: log2 of the number of buckets */
    uint32_t bucket_bits;
    uint64_t bucket_count;
    uint64_t keep; /* mask of the first q of 8 bytes, if q < 8 */
    /* with stride 1: the parameters of find_ops.set, which then tests the bitmap */
    struct plan_set heads;
    uint64_t *bitmap; /* 2^word_bits words */
    /* bucket_count + 1 numbers: where each bucket begins in `entries` or in stem_keys */
    uint32_t *buckets;
    struct set_entry *entries; /* NULL if the class is searched with stems */
    uint64_t entry_count;      /* number of `entries`, or of stem_keys */

    /* true: the class is searched with stems, and the bitmap contains the four bytes of each
     * literal at each offset < stride */
    bool by_stems;
    /* true: pairs of bytes, or trigrams, select positions instead of samples; if both, those that
     * suit the text */
    bool by_pairs, by_trigrams;
    /* in a class that is searched with stems: a key for each literal (class_stem_key), instead of
     * entries */
    uint64_t *stem_keys;
    uint32_t *stem_literals; /* in a class that is searched with stems: the literal of each key */
    uint32_t stem_min;       /* length of the shortest stem in bytes */
    uint32_t stem_lengths;   /* bit k is set if some stem has k bytes */
    /* Number of literals whose stem has SET_STEM_MIN + i bytes, for each i. The buckets for stems
     * of the same length are adjacent. There are few short words, but most words of a text are
     * short, so the buckets for them stay in the caches. */
    uint32_t stem_counts[SET_STEM_LENGTHS];
    /* for stems of SET_STEM_MIN + i bytes: a stem's hash, shifted right by this, is the stem's
     * bucket among the buckets for its length */
    uint32_t stem_shifts[SET_STEM_LENGTHS];
    uint64_t stem_buckets[SET_STEM_LENGTHS]; /* for each length, its first bucket */
    uint32_t stem_bits;                      /* log2 of the number of words of stem_map */
    /* a bitmap: two bits for each stem, and two for the first stem_min bytes of each stem */
    uint64_t *stem_map;
    /* the tables of by_pairs and by_trigrams, or NULL */
    struct find_pair_table *pairs;
    struct find_trigrams *trigrams;
};

struct set_matcher {
    /* or-ed into each 8 bytes of text to ignore case: 0x2020...; 0: case matters */
    uint64_t fold;
    uint32_t class_count;
    /* the number of the class for the literals of each range of lengths (class_of_length) */
    uint32_t of[SET_CLASSES_MAX];
    struct set_class classes[SET_CLASSES_MAX];
};

/* Maximum number of positions in a tile, the part of a chunk that is searched at a time: a page of
 * text, plus what a stream has kept of the text before it. */
#define SET_TILE_POSITIONS 4224u
#define SET_ROOM 16u /* vectors may write this many entries after those that they count */
#define SET_PASSED_MAX (SET_TILE_POSITIONS + SET_STRIDE_MAX + 1)
#define SET_NAMED_MAX 256u

/* The samples that passed a class's tables. */
struct set_passed {
    uint64_t hash[SET_PASSED_MAX + SET_ROOM];
    uint32_t position[SET_PASSED_MAX + SET_ROOM];
};

/* A stem that was found in the text, and the tags (class_stem_tag) that a literal's key may have if
 * the literal occurs there. */
struct set_stem {
    uint64_t hash;
    uint32_t position;
    uint8_t bytes_count;
    uint8_t whole; /* the tag of a literal that is no longer than the stem */
    /* tags of the text's next four and next two bytes; 0 if the stem is shorter than
     * SET_STEM_BYTES, or if the text ends within these bytes */
    uint8_t four;
    uint8_t two;
};

/* How many starts have their stems looked up together before the next step. */
#define SET_STEM_BATCH 256u
#define SET_STEMS_MAX (SET_STEM_BATCH * SET_STEM_LENGTHS)

/* A range of positions of the chunk: [from, to). */
struct set_span {
    uint32_t from;
    uint32_t to;
};

/* A worker's buffers for the intermediate results in a tile. */
struct set_scratch {
    struct set_passed passed;
    struct hit
        named[SET_NAMED_MAX + SET_ROOM]; /* literals that have to be compared with the text */
    struct hit whole[SET_NAMED_MAX + SET_ROOM]; /* literals that need no comparison */
    uint32_t positions[SET_PASSED_MAX + SET_ROOM];
    uint32_t begins[SET_PASSED_MAX + SET_ROOM];
    /* For a search line by line (scan_stem_lines.c), which works in rounds. A span contains the
     * positions of a line without a hit at which this round looks. span_line is the line's number
     * in the tile, and span_end its end. line_hit, indexed by line number, is the index of the
     * line's hit in `gathered`. */
    struct set_span spans[SET_TILE_POSITIONS + 1];
    uint16_t span_line[SET_TILE_POSITIONS + 1];
    uint32_t span_end[SET_TILE_POSITIONS + 1];
    uint32_t line_hit[SET_TILE_POSITIONS + 1];
    uint32_t stems[SET_STEMS_MAX + SET_ROOM]; /* the stems that passed, as class_stem_code */
    /* The stems whose literals are being compared: `longer` for those of SET_STEM_BYTES bytes, and
     * `shorter` for all others. */
    struct set_stem shorter[SET_STEMS_MAX + SET_ROOM];
    struct set_stem longer[SET_STEMS_MAX + SET_ROOM];
};

#define SET_HASH_LOW 0x9e3779b97f4a7c15ull
#define SET_HASH_HIGH 0xc2b2ae3d27d4eb4full

static inline uint64_t class_hash(uint64_t low, uint64_t high)
{
    uint64_t hash = low * SET_HASH_LOW + high * SET_HASH_HIGH;

    return hash ^ hash >> 29;
}

/* Returns a mask of the first q of 8 bytes; of all 8 if q ≥ 8. */
static inline uint64_t class_keep(uint32_t q)
{
    return q < 8 ? (1ull << 8 * q) - 1 : UINT64_MAX;
}

/* Return the hash of a gram. class_gram_short gets the 8 bytes at the gram, and is for classes with
 * q < 8 or stride 1. class_gram_long gets the first and the last 8 bytes of the gram. */
static inline uint64_t class_gram_short(uint64_t low, uint64_t fold, uint64_t keep)
{
    return class_hash((low | fold) & keep, 0);
}

static inline uint64_t class_gram_long(uint64_t low, uint64_t high, uint64_t fold)
{
    return class_hash(low | fold, high | fold);
}

static inline uint64_t class_word_index(const struct set_class *class, uint64_t hash)
{
    return hash >> (64 - class->word_bits);
}

/* Returns a word in which the two bits that the hash selects are set. */
static inline uint64_t class_hash_mask(uint64_t hash)
{
    return 1ull << (hash & 63) | 1ull << (hash >> 6 & 63);
}

/* Returns true if both of these bits are set in the word. */
static inline bool class_passes(uint64_t word, uint64_t hash)
{
    return (word >> (hash & 63) & word >> (hash >> 6 & 63) & 1) != 0;
}

/* A stem in 32 bits: its position in the tile, and its length k. */
#define SET_CODE_POSITION_BITS 28u

static inline uint32_t class_stem_code(uint32_t position, uint32_t k)
{
    return position | k << SET_CODE_POSITION_BITS;
}

/* For classes that are searched with stems. Before a hash selects bits of the stem map, it is
 * shifted: by SET_STEM_SHIFT for a whole stem, by SET_BEGIN_SHIFT for a stem's first stem_min
 * bytes. The bits for a stem must depend on all its bytes, but the lowest bits of a hash depend
 * only on the first six. */
#define SET_STEM_SHIFT 23u
#define SET_BEGIN_SHIFT 11u

/* For stride 1. `low` is the 8 bytes at a gram. */
static inline bool class_head_passes(const struct set_class *class, uint64_t low)
{
    uint32_t bit = plan_hash_wide(&class->heads, low);

    return (class->bitmap[bit / 64] >> (bit % 64) & 1) != 0;
}

static inline uint64_t class_bucket(const struct set_class *class, uint64_t hash)
{
    return hash >> (64 - class->bucket_bits);
}

static inline uint64_t class_stem_bucket(const struct set_class *class, uint64_t hash, uint32_t k)
{
    return class->stem_buckets[k - SET_STEM_MIN] + (hash >> class->stem_shifts[k - SET_STEM_MIN]);
}

static inline uint32_t class_entry_tag(uint64_t hash)
{
    return (uint32_t)(hash >> 4) & 0xffffff00u;
}

/* Returns a tag of `bits` bits, a hash of the four bytes beside a gram or a stem. Without tags,
 * many literals would be compared: in natural text, with 100,000 patterns, 3.7 literals per
 * position agree in the first 8 bytes, and 0.14 in the first 12. */
static inline uint32_t class_tag_bits(uint32_t bytes, uint64_t fold, uint32_t bits)
{
    return ((bytes | (uint32_t)fold) * 0x9e3779b1u) >> (32 - bits);
}

/* A key, in a class that is searched with stems, is the hash of a literal's stem. Its highest byte,
 * which the bucket already determines, is replaced with a tag. If the tag is ≥ SET_WHOLE_TAG, the
 * literal is no longer than its stem, and has tag - SET_WHOLE_TAG + SET_STEM_MIN bytes. A smaller
 * tag is a hash of the four or two bytes after a stem of SET_STEM_BYTES. Tag 0 fits every text. */
#define SET_KEY_TAG_SHIFT 56u
#define SET_KEY_BUCKET_BITS_MIN 8u
#define SET_WHOLE_TAG (0x100u - SET_STEM_LENGTHS)

#define SET_TAG_BYTES 4u

static inline uint32_t class_next_four(uint32_t next, uint64_t fold)
{
    uint32_t tag = 0x80u | class_tag_bits(next, fold, 7);

    return tag - (tag >= SET_WHOLE_TAG ? 0x10u : 0);
}

static inline uint32_t class_next_two(uint32_t next, uint64_t fold)
{
    uint32_t tag = class_tag_bits((next & 0xffff) << 16, fold & 0x20200000, 7);

    return tag + (tag == 0);
}

/* Returns true if comparing these bytes with a text after or-ing `fold` into both is exact: all are
 * letters, so that nothing but case is ignored, or `fold` is 0. */
static inline bool class_fold_is_exact(const uint8_t *bytes, uint64_t count, uint64_t fold)
{
    bool exact = true;

    for (uint64_t i = 0; i < count && fold != 0; i++)
        exact &= (uint8_t)((bytes[i] | 0x20) - 'a') < 26;
    return exact;
}

/* Returns the tag of a literal's key. */
static inline uint32_t class_stem_tag(const uint8_t *literal, uint64_t length, uint64_t fold)
{
    uint32_t next = 0;

    TRAWL_ASSERT(length >= SET_STEM_MIN);
    if (length <= SET_STEM_BYTES)
        return class_fold_is_exact(literal, length, fold)
                   ? SET_WHOLE_TAG + (uint32_t)length - SET_STEM_MIN
                   : 0;
    if (length < SET_STEM_BYTES + 2)
        return 0;
    memcpy(&next, literal + SET_STEM_BYTES, length < SET_STEM_BYTES + 4 ? 2 : 4);
    return length < SET_STEM_BYTES + 4 ? class_next_two(next, fold) : class_next_four(next, fold);
}

static inline uint64_t class_stem_key(uint64_t hash, uint32_t tag)
{
    return (hash & UINT64_MAX >> (64 - SET_KEY_TAG_SHIFT)) | (uint64_t)tag << SET_KEY_TAG_SHIFT;
}

/* In a class that is searched with grams, an entry's tag is a hash of the four bytes before the
 * gram if the gram's offset is at least SET_SIDE_BYTES, and otherwise of the four bytes after
 * it. */
#define SET_SIDE_BYTES 4u
#define SET_OFFSET_BITS 3u
#define SET_OFFSET(tagged) ((tagged) & ((1u << SET_OFFSET_BITS) - 1))

static inline uint32_t class_side(uint32_t bytes, uint64_t fold)
{
    uint32_t tag = class_tag_bits(bytes, fold, 8 - SET_OFFSET_BITS);

    return tag + (tag == 0);
}

/* Returns the low byte of an entry: the gram's offset, and the tag of the bytes beside the gram.
 * The tag is 0 if the literal has no such bytes, and in classes with stride 1, whose literals are
 * short. */
static inline uint32_t class_side_tag(const struct set_class *class, const uint8_t *literal,
                                      uint64_t length, uint32_t offset, uint64_t fold)
{
    uint32_t bytes, from = offset >= SET_SIDE_BYTES ? offset - SET_SIDE_BYTES : offset + class->q;

    TRAWL_ASSERT(offset >> SET_OFFSET_BITS == 0);
    if (class->stride == 1 || from + SET_SIDE_BYTES > length)
        return offset;
    memcpy(&bytes, literal + from, sizeof bytes);
    return offset | class_side(bytes, fold) << SET_OFFSET_BITS;
}

/* For classes that are searched with stems: returns the hash of the first k bytes of `low`. The
 * hash depends on k; otherwise "word" followed by four NULs would equal the stem "word". */
static inline uint64_t class_stem_hash(uint64_t low, uint64_t fold, uint32_t k)
{
    return class_hash((low | fold) & UINT64_MAX >> (64 - 8 * k), k);
}

/* A word of the stem map is for the stems that agree in their first bytes: in stem_min bytes or,
 * for stems of at least SET_STEM_FAR bytes, in max(stem_min, SET_STEM_FAR). So two words of the map
 * are enough to test the stems of all lengths at a position. */
#define SET_STEM_FAR 6u

static inline uint32_t class_stem_shared(const struct set_class *class, uint32_t k)
{
    return k < SET_STEM_FAR || class->stem_min > SET_STEM_FAR ? class->stem_min : SET_STEM_FAR;
}

/* Returns the index of a word of the stem map. `hash` is the hash of the first bytes that the
 * word's stems share. */
static inline uint64_t class_stem_word(const struct set_class *class, uint64_t hash)
{
    return hash >> (64 - class->stem_bits);
}

/* Returns true if a search with stems needs its second step, which tests the first stem_min bytes
 * at each start. With stride 1 and stem_min ≤ SET_STEM_Q, the samples of SET_STEM_Q bytes have
 * already tested these. */
static inline bool class_looks_at_begins(const struct set_class *class)
{
    return class->stride > 1 || class->stem_min > SET_STEM_Q;
}

/* Returns the hash of a sample's four bytes. Its high bits select a word of the bitmap, and bits 8
 * to 12 a bit of that word. */
static inline uint32_t class_sample_product(uint32_t four, uint32_t fold)
{
    return (four | fold) * PLAN_HASH32_FACTOR;
}

/* Returns the shift that turns a sample's hash into the index of a word of the bitmap, which has
 * 32-bit words here. */
static inline uint32_t class_sample_shift(const struct set_class *class)
{
    return 31 - class->word_bits;
}

/* Returns the 8 bytes at `bytes`, of which `room` are readable; the others count as 0. */
static inline uint64_t class_load_head(const uint8_t *bytes, uint64_t room)
{
    uint64_t head = 0;

    TRAWL_ASSERT(room > 0);
    if (room >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    else
        memcpy(&head, bytes, (size_t)room);
    return head;
}

/* Returns the first `count` ≤ 8 bytes at `bytes`, which are readable up to `end`, as a number. */
static inline uint64_t class_load_first(const uint8_t *bytes, const uint8_t *end, uint32_t count)
{
    TRAWL_ASSERT(count > 0 && count <= 8 && end - bytes >= (ptrdiff_t)count);
    return class_load_head(bytes, (uint64_t)(end - bytes)) & class_keep(count);
}

/* Returns the hash of a literal's gram at `bytes`. Literals are readable up to `end`. */
static inline uint64_t class_gram_hash(const struct set_matcher *matcher,
                                       const struct set_class *class, const uint8_t *bytes,
                                       const uint8_t *end)
{
    uint64_t low, high;

    if (class->q < 8 || class->stride == 1)
        return class_gram_short(class_load_first(bytes, end, class->q), matcher->fold, class->keep);
    TRAWL_ASSERT(end - bytes >= (ptrdiff_t) class->q);
    TRAWL_ASSERT(class->q >= 8 && class->q <= SET_Q_MAX);
    memcpy(&low, bytes, sizeof low);
    memcpy(&high, bytes + class->q - 8, sizeof high);
    return class_gram_long(low, high, matcher->fold);
}

struct set_sample;
/* Divides the literals into classes by length, and chooses how each class is searched. */
typedef void (*set_choose)(const struct set_sample *sample, struct set_matcher *matcher);

/* A sample of a text, for which the strides of the matcher's classes are chosen. */
struct set_sample {
    const struct trawl_plan *plan;
    const struct find_ops *find; /* the functions that the tables are for */
    set_choose choose;
    const uint8_t *bytes;
    /* if less than PLAN_SAMPLE_BYTES_MIN, the strides are chosen for the literals alone */
    uint64_t bytes_count;
};

static inline uint32_t class_of_length(uint64_t length)
{
    TRAWL_ASSERT(length > 0);
    return length <= 3 ? (uint32_t)length - 1 : length < 8 ? 3u : length < 16 ? 4u : 5u;
}

static inline uint32_t class_stem_bytes(uint64_t length)
{
    return length < SET_STEM_BYTES ? (uint32_t)length : SET_STEM_BYTES;
}

#endif
