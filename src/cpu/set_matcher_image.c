/* set_matcher_image: a large set's tables for the CPU in a saved plan. */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/set_matcher.h"
#include "plan/image.h"

#define SAMPLES 64u /* of a class's entries that are looked up */
#define BITMAP_BITS_MIN 12u
#define BITMAP_BITS_MAX 28u
#define BUCKET_BITS_MAX 32u

struct saved_class {
    uint32_t length_min;
    uint32_t literal_count;
    uint32_t q;
    uint32_t stride;
    uint32_t word_bits;
    uint32_t bucket_bits;
    uint32_t stem_bits; /* 0: the class does not go by stems */
    uint32_t stem_counts[SET_STEM_LENGTHS];
    uint8_t stem_offsets[SET_BYTE_VALUES];
    uint64_t entry_count;
};

static void add_stems(const struct set_class *class, uint32_t index, struct plan_parts *parts)
{
    TRAWL_ASSERT(class->entry_count == class->literal_count);
    plan_parts_add(parts, PLAN_SECTION_CPU_STEMS, index, class->stem_map,
                   sizeof *class->stem_map << class->stem_bits);
    plan_parts_add(parts, PLAN_SECTION_CPU_KEYS, index, class->stem_keys,
                   class->entry_count * sizeof *class->stem_keys);
    plan_parts_add(parts, PLAN_SECTION_CPU_ENTRIES, index, class->stem_literals,
                   class->entry_count * sizeof *class->stem_literals);
}

enum trawl_status set_matcher_save(const struct trawl_plan *plan, struct plan_parts *parts,
                                   struct trawl_error *error)
{
    const struct set_matcher *matcher;
    struct saved_class *saved = (struct saved_class *)(void *)parts->scratch;

    _Static_assert(SET_CLASSES_MAX * sizeof *saved <= sizeof parts->scratch, "classes have room");
    if (!set_matcher_fits(plan))
        return TRAWL_OK;
    TRAWL_TRY(set_matcher_want(plan, &matcher, error));
    TRAWL_ASSERT(matcher->class_count <= SET_CLASSES_MAX);
    for (uint32_t c = 0; c < matcher->class_count; c++) {
        const struct set_class *class = &matcher->classes[c];

        TRAWL_ASSERT(class->buckets[class->bucket_count] == class->entry_count);
        memset(&saved[c], 0, sizeof saved[c]);
        saved[c].length_min = class->length_min;
        saved[c].literal_count = class->literal_count;
        saved[c].q = class->q;
        saved[c].stride = class->stride;
        saved[c].word_bits = class->word_bits;
        saved[c].bucket_bits = class->bucket_bits;
        saved[c].stem_bits = class->stem_bits;
        memcpy(saved[c].stem_counts, class->stem_counts, sizeof class->stem_counts);
        memcpy(saved[c].stem_offsets, class->stem_offsets, sizeof class->stem_offsets);
        saved[c].entry_count = class->entry_count;
        if (class->by_stems)
            add_stems(class, c, parts);
        else
            plan_parts_add(parts, PLAN_SECTION_CPU_ENTRIES, c, class->entries,
                           class->entry_count * sizeof *class->entries);
        plan_parts_add(parts, PLAN_SECTION_CPU_BITMAP, c, class->bitmap,
                       sizeof *class->bitmap << class->word_bits);
        plan_parts_add(parts, PLAN_SECTION_CPU_BUCKETS, c, class->buckets,
                       (class->bucket_count + 1) * sizeof *class->buckets);
    }
    plan_parts_add(parts, PLAN_SECTION_CPU_CLASSES, 0, saved, matcher->class_count * sizeof *saved);
    return TRAWL_OK;
}

static enum trawl_status inconsistent(struct trawl_error *error)
{
    (void)TRAWL_FAIL(error, FORMAT, "the saved plan's tables for the CPU contradict themselves");
    return TRAWL_FORMAT; /* said so that analyzers know */
}

/* The same for a class that goes by stems. */
static bool stem_numbers_are_good(const struct saved_class *saved)
{
    uint32_t least = set_stem_bytes(saved->length_min);
    uint64_t count = 0, shorter = 0;

    for (uint32_t k = SET_STEM_Q; k <= SET_STEM_BYTES; k++) {
        shorter += k < least ? saved->stem_counts[k - SET_STEM_Q] : 0;
        count += saved->stem_counts[k - SET_STEM_Q];
    }
    return saved->q == SET_STEM_Q && saved->stride >= 1 && saved->stride <= SET_STEM_STRIDE_MAX &&
           saved->q + saved->stride - 1 <= saved->length_min &&
           saved->stem_bits >= BITMAP_BITS_MIN - 6 && saved->stem_bits <= BITMAP_BITS_MAX - 6 &&
           shorter == 0 && count == saved->literal_count &&
           saved->entry_count == saved->literal_count;
}

/* Does a search stay inside the tables with these numbers? */
static bool numbers_are_good(const struct saved_class *saved)
{
    if (saved->word_bits < BITMAP_BITS_MIN - 6 || saved->word_bits > BITMAP_BITS_MAX - 6 ||
        saved->bucket_bits < 1 || saved->bucket_bits > BUCKET_BITS_MAX || saved->entry_count == 0 ||
        saved->entry_count >= UINT32_MAX)
        return false;
    if (saved->stem_bits > 0)
        return stem_numbers_are_good(saved);
    return saved->q >= 1 && saved->q <= SET_Q_MAX && saved->stride >= 1 &&
           saved->stride <= SET_STRIDE_MAX && (saved->stride > 1 || saved->q <= 8) &&
           saved->q + saved->stride - 1 <= saved->length_min &&
           saved->entry_count == (uint64_t)saved->literal_count * saved->stride;
}

/* Do the tables of stems let the literal's bytes through? */
static bool stem_passes(const struct set_class *class, const uint8_t *bytes, uint32_t length,
                        uint64_t fold)
{
    const uint32_t *bitmap = (const uint32_t *)(const void *)class->bitmap;
    uint64_t low = 0, hash, shared, first;

    TRAWL_ASSERT(length >= class->stem_min && length <= SET_STEM_BYTES);
    memcpy(&low, bytes, length);
    hash = set_stem_hash(low, fold, length);
    shared = set_stem_hash(low, fold, set_stem_shared(class, length));
    first = set_stem_hash(low, fold, class->stem_min);
    for (uint32_t offset = 0; offset < class->stride; offset++) {
        uint32_t quad;

        TRAWL_ASSERT(offset + sizeof quad <= class->length_min);
        memcpy(&quad, bytes + offset, sizeof quad);
        quad = set_quad(quad, (uint32_t)fold);
        for (uint32_t j = 0; j < SET_STEM_Q; j++)
            if ((class->stem_offsets[bytes[offset + j] | (uint8_t)fold] >> j & 1) == 0)
                return false;
        if ((bitmap[quad >> set_quad_shift(class)] >> (quad >> 8 & 31) & 1) == 0)
            return false;
    }
    return (class->stem_lengths >> length & 1) != 0 &&
           (~class->stem_map[set_stem_word(class, shared)] & set_bits(hash)) == 0 &&
           (!set_looks_at_begins(class) ||
            (~class->stem_map[set_stem_word(class, first)] & set_begin_bits(first)) == 0);
}

/* Is the entry in the bucket? */
static bool is_in_bucket(const struct set_class *class, uint64_t bucket, uint64_t index)
{
    return class->buckets[bucket] <= index && class->buckets[bucket + 1] > index;
}

/* Is the key in the bucket that its literal's bytes name, and in the tables of stems? */
static bool key_is_found(const struct trawl_plan *plan, const struct set_matcher *matcher,
                         const struct set_class *class, uint64_t index)
{
    uint32_t literal = class->stem_literals[index];
    const uint8_t *bytes = plan_literal_bytes(plan, literal);
    uint64_t hash, low = 0, length = plan_literal_at(plan, literal).bytes_count;

    if (length < class->length_min)
        return false;
    memcpy(&low, bytes, set_stem_bytes(length));
    hash = set_stem_hash(low, matcher->fold, set_stem_bytes(length));
    return class->stem_keys[index] ==
               set_stem_key(hash, set_stem_tag(bytes, length, matcher->fold)) &&
           is_in_bucket(class, set_stem_bucket(class, hash, set_stem_bytes(length)), index) &&
           stem_passes(class, bytes, set_stem_bytes(length), matcher->fold);
}

/* Is the entry in the bucket that its literal's bytes name, and in the bitmap? */
static bool entry_is_found(const struct trawl_plan *plan, const struct set_matcher *matcher,
                           const struct set_class *class, uint64_t index)
{
    const struct set_entry *entry = &class->entries[index];
    uint32_t offset = SET_OFFSET(entry->tagged);
    const uint8_t *bytes = plan_literal_bytes(plan, entry->literal) + offset;
    uint64_t hash, low = 0, length = plan_literal_at(plan, entry->literal).bytes_count;

    TRAWL_ASSERT(index < class->entry_count && entry->literal < plan->literal_count);
    TRAWL_ASSERT(offset < class->stride);
    if (length < class->length_min || length < offset + class->q)
        return false;
    if ((entry->tagged & 0xff) !=
        set_side_tag(class, bytes - offset, length, offset, matcher->fold))
        return false;
    hash = set_literal_hash(matcher, class, bytes);
    if (!is_in_bucket(class, set_bucket(class, hash), index) ||
        (entry->tagged & ~0xffu) != set_tag(hash))
        return false;
    memcpy(&low, bytes, (size_t)min_u64(class->q, sizeof low));
    return class->stride == 1
               ? set_head_passes(class, low)
               : (class->bitmap[set_word(class, hash)] & set_bits(hash)) == set_bits(hash);
}

/* The entries, and are those good that say where they lie? */
static enum trawl_status load_entries(const struct trawl_plan *plan,
                                      const struct set_matcher *matcher, uint32_t index,
                                      struct set_class *class, struct trawl_error *error)
{
    const void *entries = NULL;
    uint32_t bad = 0;

    TRAWL_TRY(plan_image_section(plan->image, PLAN_SECTION_CPU_ENTRIES, index,
                                 class->entry_count * sizeof *class->entries, &entries, error));
    class->entries = (struct set_entry *)(uintptr_t)entries;
    for (uint64_t e = 0; e < class->entry_count; e++)
        bad |= (class->entries[e].literal >= plan->literal_count) |
               (SET_OFFSET(class->entries[e].tagged) >= class->stride);
    for (uint64_t i = 0; i < SAMPLES && bad == 0; i++)
        bad = !entry_is_found(plan, matcher, class, i * class->entry_count / SAMPLES);
    return bad == 0 ? TRAWL_OK : inconsistent(error);
}

/* Is there no such literal, or does its key say that it is its stem, with which it is not compared,
 * though it is not as long? Without a branch: literals lie in the order of their hashes. */
static bool key_is_bad(const struct trawl_plan *plan, uint64_t key, uint32_t literal)
{
    uint64_t tag = key >> SET_KEY_TAG_SHIFT, stem = tag - SET_WHOLE_TAG + SET_STEM_Q;
    uint32_t there = literal < plan->literal_count ? literal : 0;

    return (literal >= plan->literal_count) |
           ((tag >= SET_WHOLE_TAG) & (plan_literal_at(plan, there).bytes_count != stem));
}

static enum trawl_status load_stems(const struct trawl_plan *plan,
                                    const struct set_matcher *matcher, uint32_t index,
                                    struct set_class *class, struct trawl_error *error)
{
    const void *stems = NULL, *keys = NULL, *literals = NULL;
    uint32_t bad = 0;

    TRAWL_TRY(plan_image_section(plan->image, PLAN_SECTION_CPU_STEMS, index,
                                 sizeof *class->stem_map << class->stem_bits, &stems, error));
    TRAWL_TRY(plan_image_section(plan->image, PLAN_SECTION_CPU_KEYS, index,
                                 class->entry_count * sizeof *class->stem_keys, &keys, error));
    TRAWL_TRY(plan_image_section(plan->image, PLAN_SECTION_CPU_ENTRIES, index,
                                 class->entry_count * sizeof *class->stem_literals, &literals,
                                 error));
    class->stem_map = (uint64_t *)(uintptr_t)stems;
    class->stem_keys = (uint64_t *)(uintptr_t)keys;
    class->stem_literals = (uint32_t *)(uintptr_t)literals;
    for (uint64_t e = 0; e < class->entry_count; e++)
        bad |= key_is_bad(plan, class->stem_keys[e], class->stem_literals[e]);
    for (uint64_t i = 0; i < SAMPLES && bad == 0; i++)
        bad = !key_is_found(plan, matcher, class, i * class->entry_count / SAMPLES);
    return bad == 0 ? set_stems_finish(plan, class, matcher->fold, error) : inconsistent(error);
}

static enum trawl_status load_class(const struct trawl_plan *plan,
                                    const struct set_matcher *matcher,
                                    const struct saved_class *saved, uint32_t index,
                                    struct set_class *class, struct trawl_error *error)
{
    const struct plan_image *image = plan->image;
    const void *bitmap = NULL, *buckets = NULL;

    TRAWL_ASSERT(index < matcher->class_count && class->bitmap == NULL);
    if (!numbers_are_good(saved))
        return inconsistent(error);
    class->length_min = saved->length_min;
    class->literal_count = saved->literal_count;
    class->q = saved->q;
    class->stride = saved->stride;
    class->word_bits = saved->word_bits;
    class->bucket_bits = saved->bucket_bits;
    class->entry_count = saved->entry_count;
    class->by_stems = saved->stem_bits > 0;
    class->stem_min = set_stem_bytes(saved->length_min);
    memcpy(class->stem_counts, saved->stem_counts, sizeof class->stem_counts);
    memcpy(class->stem_offsets, saved->stem_offsets, sizeof class->stem_offsets);
    class->stem_bits = saved->stem_bits;
    set_class_complete(class, matcher->fold);
    TRAWL_TRY(plan_image_section(image, PLAN_SECTION_CPU_BITMAP, index,
                                 sizeof *class->bitmap << class->word_bits, &bitmap, error));
    TRAWL_TRY(plan_image_section(image, PLAN_SECTION_CPU_BUCKETS, index,
                                 (class->bucket_count + 1) * sizeof *class->buckets, &buckets,
                                 error));
    class->bitmap = (uint64_t *)(uintptr_t)bitmap;
    class->buckets = (uint32_t *)(uintptr_t)buckets;
    if (!plan_buckets_are_good(class->buckets, class->bucket_count, class->entry_count))
        return inconsistent(error);
    return class->by_stems ? load_stems(plan, matcher, index, class, error)
                           : load_entries(plan, matcher, index, class, error);
}

enum trawl_status set_matcher_load(struct trawl_plan *plan, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    const struct saved_class *saved;
    struct set_matcher *matcher;
    uint64_t bytes_count = 0, literals = 0;
    void *memory;

    saved = (const struct saved_class *)plan_image_find(plan->image, PLAN_SECTION_CPU_CLASSES, 0,
                                                        &bytes_count);
    if (!set_matcher_fits(plan) || !plan_image_holds(plan->image, plan->set_bitmap))
        return TRAWL_OK;
    if (saved == NULL || bytes_count == 0 || bytes_count % sizeof *saved != 0 ||
        bytes_count / sizeof *saved > SET_CLASSES_MAX)
        return inconsistent(error);
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *matcher, &memory, error));
    matcher = (struct set_matcher *)memory;
    matcher->is_mapped = true;
    matcher->fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 ? 0x2020202020202020ull : 0;
    matcher->class_count = (uint32_t)(bytes_count / sizeof *saved);
    for (uint32_t c = 0; c < matcher->class_count; c++) {
        TRAWL_TRY_DONE(load_class(plan, matcher, &saved[c], c, &matcher->classes[c], error));
        literals += saved[c].literal_count;
    }
    if (literals != plan->literal_count) {
        status = inconsistent(error);
        goto done;
    }
    TRAWL_ASSERT(plan->matcher->object == NULL);
    plan->matcher->object = matcher;
    plan->matcher->release = set_matcher_free;
    matcher = NULL;
done:
    set_matcher_free(matcher);
    return status;
}
