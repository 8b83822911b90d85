/* set_matcher: builds the hash tables of each class of a large set's literals (cpu/strategies.c
 * chooses the classes). An entry of a table is a literal's gram at one offset, or a literal's stem
 * (its first bytes, up to 8). set_class.h explains how the tables are used. */
#include "cpu/set_matcher.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/set_stems.h"

#define FILL_MAX 32u /* number of entries whose memory is prefetched together */

/* Sets the members of the class that follow from its q, stride, word_bits and bucket_bits. With
 * stride 1, find_ops.set looks up the grams, so the bitmap has the same form as a plan's. */
static void class_complete(struct set_class *class, uint64_t fold)
{
    struct plan_set *heads = &class->heads;

    if (class->by_stems) {
        class_stems_complete(class);
        return;
    }
    class->bucket_count = 1ull << class->bucket_bits;
    TRAWL_ASSERT(class->q > 0 && class->q <= SET_Q_MAX && class->stride > 0);
    TRAWL_ASSERT(class->stride > 1 || class->q <= 8);
    class->keep = class_keep(class->q);
    if (class->stride > 1)
        return;
    heads->q = class->q < 4 ? class->q : 4;
    heads->bitmap_bits = class->word_bits + 6;
    heads->gram_mask = class->q < 4 ? (1u << 8 * class->q) - 1 : UINT32_MAX;
    heads->fold = (uint32_t)fold & heads->gram_mask;
    heads->wide_mask = class->q < 5 ? 0 : UINT32_MAX >> (64 - 8 * class->q);
}

static enum trawl_status class_room(struct set_class *class, uint64_t fold,
                                    struct trawl_error *error)
{
    uint64_t grams = (uint64_t) class->literal_count * class->stride;
    uint64_t entries = class->by_stems ? class->literal_count : grams;

    TRAWL_ASSERT(class->stride > 0 && class->literal_count > 0);
    if (entries >= UINT32_MAX)
        return TRAWL_FAIL(error, LIMIT, "the patterns need more than 2^32 table entries");
    class->word_bits = class_map_word_bits(
        class->by_stems ? grams + 255ull * class->stem_counts[3 - SET_STEM_MIN] : entries);
    class->bucket_bits = class_bucket_bits(entries);
    class_complete(class, fold);
    class->entry_count = entries;
    TRAWL_ASSERT(entries > 0 && class->word_bits < 32 && class->bucket_bits <= 32);
    TRAWL_TRY(MEMORY_ZEROED(class->bitmap, 1ull << class->word_bits, error));
    TRAWL_TRY(MEMORY_ZEROED(class->buckets, class->bucket_count + 1, error));
    if (!class->by_stems) {
        TRAWL_TRY(MEMORY_TABLE(class->entries, entries, error));
        return TRAWL_OK;
    }
    TRAWL_TRY(MEMORY_TABLE(class->stem_keys, entries, error));
    TRAWL_TRY(MEMORY_TABLE(class->stem_literals, entries, error));
    class->stem_bits = class_map_word_bits(entries);
    TRAWL_TRY(MEMORY_ZEROED(class->stem_map, 1ull << class->stem_bits, error));
    return TRAWL_OK;
}

/* An entry that is about to be added to a class's tables, at addresses that were prefetched: a
 * literal's gram at an offset, or a literal's stem. */
struct filling {
    struct set_class *class;
    uint64_t hash;
    /* if the class is searched with stems: the hash of the first stem_min bytes */
    uint64_t hash_min;
    /* if the class is searched with stems: the hash that selects the word in the stem map */
    uint64_t hash_shared;
    uint64_t key;
    uint64_t bucket;
    uint32_t bit;   /* with stride 1: the index of its bit in the bitmap */
    uint32_t entry; /* where the entry is stored */
    struct set_entry made;
};

/* The state while the literals' entries are added to the tables, about FILL_MAX at a time. The
 * literals come in ascending or in descending order. */
struct filler {
    const struct trawl_plan *plan;
    struct set_matcher *matcher;
    struct filling filling[FILL_MAX + SET_STRIDE_MAX];
    uint32_t count;
};

static void add_stem(struct filler *filler, struct set_class *class, uint32_t literal, bool back)
{
    const struct trawl_plan *plan = filler->plan;
    const uint8_t *bytes = plan_literal_bytes(plan, literal);
    const uint8_t *end = plan->literal_bytes + plan->literal_bytes_total;
    uint64_t bytes_count = plan_literal_at(plan, literal).bytes_count;
    uint32_t length = class_stem_bytes(bytes_count);
    struct filling *filling = &filler->filling[filler->count++];
    uint64_t low = class_load_first(bytes, end, length), fold = filler->matcher->fold;

    TRAWL_ASSERT(bytes_count >= class->length_min && length >= class->stem_min);
    TRAWL_ASSERT(filler->count <= FILL_MAX);
    filling->class = class;
    filling->hash = class_stem_hash(low, fold, length);
    filling->key = class_stem_key(filling->hash, class_stem_tag(bytes, bytes_count, fold));
    filling->made.literal = literal;
    filling->bucket = class_stem_bucket(class, filling->hash, length);
    __builtin_prefetch(&class->buckets[filling->bucket], 1);
    if (back)
        return;
    filling->hash_min = class_stem_hash(low, fold, class->stem_min);
    filling->hash_shared = class_stem_hash(low, fold, class_stem_shared(class, length));
    __builtin_prefetch(&class->stem_map[class_stem_word(class, filling->hash_shared)], 1);
    __builtin_prefetch(&class->stem_map[class_stem_word(class, filling->hash_min)], 1);
    class_stems_add(class, bytes, bytes_count, fold);
}

/* Adds a literal's entries in ascending order of offsets; if `back`, in descending order. */
static void filler_add(struct filler *filler, uint32_t literal, bool back)
{
    const struct trawl_plan *plan = filler->plan;
    const uint8_t *bytes = plan_literal_bytes(plan, literal);
    const uint8_t *end = plan->literal_bytes + plan->literal_bytes_total;
    struct set_class *class = &filler->matcher->classes[filler->matcher->of[class_of_length(
        plan_literal_at(plan, literal).bytes_count)]];

    TRAWL_ASSERT(literal < plan->literal_count && filler->count < FILL_MAX);
    TRAWL_ASSERT(plan_literal_at(plan, literal).bytes_count >= class->length_min);
    if (class->by_stems) {
        add_stem(filler, class, literal, back);
        return;
    }
    for (uint32_t i = 0; i < class->stride; i++) {
        uint32_t offset = back ? class->stride - 1 - i : i;
        struct filling *filling = &filler->filling[filler->count++];

        filling->class = class;
        filling->hash = class_gram_hash(filler->matcher, class, bytes + offset, end);
        filling->made = (struct set_entry){
            literal, class_entry_tag(filling->hash) |
                         class_side_tag(class, bytes, plan_literal_at(plan, literal).bytes_count,
                                        offset, filler->matcher->fold)};
        filling->bucket = class_bucket(class, filling->hash);
        __builtin_prefetch(&class->buckets[filling->bucket], 1);
        if (back)
            continue;
        if (class->stride == 1)
            filling->bit = plan_hash_wide(&class->heads, class_load_first(bytes, end, class->q));
        __builtin_prefetch(class->stride == 1
                               ? &class->bitmap[filling->bit / 64]
                               : &class->bitmap[class_word_index(class, filling->hash)],
                           1);
    }
}

static void filler_count(struct filler *filler)
{
    for (uint32_t i = 0; i < filler->count; i++) {
        const struct filling *filling = &filler->filling[i];
        struct set_class *class = filling->class;

        TRAWL_ASSERT(filling->bucket < class->bucket_count);
        class->buckets[filling->bucket]++;
        if (class->by_stems) {
            TRAWL_ASSERT(class_stem_word(class, filling->hash_shared) >> class->stem_bits == 0);
            class->stem_map[class_stem_word(class, filling->hash_shared)] |=
                class_hash_mask(filling->hash >> SET_STEM_SHIFT);
            if (class_looks_at_begins(class))
                class->stem_map[class_stem_word(class, filling->hash_min)] |=
                    class_hash_mask(filling->hash_min >> SET_BEGIN_SHIFT);
        } else if (class->stride == 1)
            class->bitmap[filling->bit / 64] |= 1ull << filling->bit % 64;
        else
            class->bitmap[class_word_index(class, filling->hash)] |= class_hash_mask(filling->hash);
    }
    filler->count = 0;
}

static void filler_position(struct filler *filler)
{
    for (uint32_t i = 0; i < filler->count; i++) {
        struct filling *filling = &filler->filling[i];
        struct set_class *class = filling->class;

        TRAWL_ASSERT(filling->bucket < class->bucket_count);
        filling->entry = --class->buckets[filling->bucket];
        TRAWL_ASSERT(filling->entry < class->entry_count);
        if (class->by_stems)
            __builtin_prefetch(&class->stem_keys[filling->entry], 1);
        else
            __builtin_prefetch(&class->entries[filling->entry], 1);
    }
    for (uint32_t i = 0; i < filler->count; i++) {
        const struct filling *filling = &filler->filling[i];
        struct set_class *class = filling->class;

        if (class->by_stems) {
            class->stem_keys[filling->entry] = filling->key;
            class->stem_literals[filling->entry] = filling->made.literal;
        } else {
            class->entries[filling->entry] = filling->made;
        }
    }
    filler->count = 0;
}

/* Fills the tables, and sorts the entries by bucket (a counting sort). `buckets` first holds the
 * sizes of the buckets, then their ends. Each entry, from the last to the first, then moves the end
 * of its bucket down by one and is stored there. */
static void fill_entries(const struct trawl_plan *plan, struct set_matcher *matcher)
{
    struct filler filler = {.plan = plan, .matcher = matcher};

    for (uint32_t i = 0; i < plan->literal_count; i++) {
        filler_add(&filler, i, false);
        if (filler.count >= FILL_MAX)
            filler_count(&filler);
    }
    filler_count(&filler);
    for (uint32_t c = 0; c < matcher->class_count; c++) {
        struct set_class *class = &matcher->classes[c];

        for (uint64_t bucket = 1; bucket <= class->bucket_count; bucket++)
            class->buckets[bucket] += class->buckets[bucket - 1];
        TRAWL_ASSERT(class->buckets[class->bucket_count] == class->entry_count);
    }
    for (uint32_t i = plan->literal_count; i-- > 0;) {
        filler_add(&filler, i, true);
        if (filler.count >= FILL_MAX)
            filler_position(&filler);
    }
    filler_position(&filler);
}

static void set_matcher_free(void *object)
{
    struct set_matcher *matcher = (struct set_matcher *)object;

    if (matcher == NULL)
        return;
    TRAWL_ASSERT(matcher->class_count <= SET_CLASSES_MAX);
    for (uint32_t c = 0; c < matcher->class_count; c++) {
        struct set_class *class = &matcher->classes[c];

        class_stems_free(class);
        if (class->stem_map != NULL)
            memory_release(class->stem_map, 1ull << class->stem_bits, sizeof *class->stem_map);
        if (class->bitmap != NULL)
            memory_release(class->bitmap, 1ull << class->word_bits, sizeof *class->bitmap);
        if (class->buckets != NULL)
            memory_release(class->buckets, class->bucket_count + 1, sizeof *class->buckets);
        memory_release(class->entries, class->entry_count, sizeof *class->entries);
        memory_release(class->stem_keys, class->entry_count, sizeof *class->stem_keys);
        memory_release(class->stem_literals, class->entry_count, sizeof *class->stem_literals);
    }
    memory_release(matcher, 1, sizeof *matcher);
}

static enum trawl_status matcher_make(const void *from, void **object, struct trawl_error *error)
{
    const struct set_sample *sample = (const struct set_sample *)from;
    const struct trawl_plan *plan = sample->plan;
    enum trawl_status status = TRAWL_OK;
    struct set_matcher *matcher;

    TRAWL_TRY(MEMORY_ZEROED(matcher, 1, error));
    matcher->fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 ? 0x2020202020202020ull : 0;
    sample->choose(sample, matcher);
    for (uint32_t c = 0; c < matcher->class_count; c++)
        TRAWL_TRY_DONE(class_room(&matcher->classes[c], matcher->fold, error));
    fill_entries(plan, matcher);
    for (uint32_t c = 0; c < matcher->class_count; c++) {
        TRAWL_ASSERT(matcher->classes[c].buckets[0] == 0); /* every entry has been stored */
        if (matcher->classes[c].by_stems)
            TRAWL_TRY_DONE(class_stems_finish(sample, &matcher->classes[c], matcher->fold, error));
    }
    *object = matcher;
    matcher = NULL;
done:
    set_matcher_free(matcher);
    return status;
}

enum trawl_status set_matcher_want(const struct set_sample *sample,
                                   const struct set_matcher **matcher, struct trawl_error *error)
{
    const void *object;

    TRAWL_TRY(attachment_want(&sample->plan->attached[PLAN_MATCHER], sample, matcher_make,
                              set_matcher_free, &object, error));
    *matcher = (const struct set_matcher *)object;
    return TRAWL_OK;
}
