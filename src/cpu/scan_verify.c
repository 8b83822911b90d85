/* scan_verify: finds which literals of a large set occur at the samples or stems that passed the
 * filters.
 *
 * A sample is a gram (q bytes) of the text; a stem is the first (up to) 8 bytes of a literal. Both
 * are looked up in hash tables (set_class.h), whose buckets list the literals to compare with the
 * text. A tag is a few bits of a hash of the bytes beside a sample, or after a stem. A literal
 * whose tag differs from the text's is not compared.
 *
 * Tables and literals exceed the caches, so each step prefetches what the next one needs, for many
 * samples at once. The common case has no branch that depends on the text.
 */
#include "cpu/sampling.h"
#include "cpu/prices.def"

#define SHORT_BYTES 16u
/* how many of a bucket's entries are compared without a branch; a bucket seldom has more */
#define USUAL_ENTRIES 2u
_Static_assert(SHORT_BYTES == 2 * sizeof(uint64_t), "same_short compares two words");
_Static_assert(USUAL_ENTRIES == 2, "verify_grams compares two before its loop");

/* Returns true if the first `count` bytes of the literal and the text are equal, 0 < count ≤
 * SHORT_BYTES. At least 8 bytes of each must be readable. */
static inline bool same_short(const uint8_t *literal, const uint8_t *text, uint64_t count)
{
    uint64_t keep = UINT64_MAX >> (count < 8 ? 64 - 8 * count : 0);
    uint64_t last = count < 8 ? 0 : count - 8;
    uint64_t differ = bytes_load64(literal) ^ bytes_load64(text);

    TRAWL_ASSERT(count > 0 && count <= SHORT_BYTES);
    return ((differ | (bytes_load64(literal + last) ^ bytes_load64(text + last))) & keep) == 0;
}

/* Returns true if the literal occurs at position x of the text. `exact` means that case matters. */
static inline bool literal_occurs(struct scan *scan, uint64_t x, uint32_t index, bool exact)
{
    const struct trawl_plan *plan = scan->plan;
    struct plan_literal literal = plan_literal_at(plan, index);
    uint64_t length = literal.bytes_count, same;

    TRAWL_ASSERT(x < scan->limit && index < plan->literal_count);
    if (length > scan->available - x)
        return false;
    if (exact && length <= SHORT_BYTES && plan->literal_bytes_total - literal.bytes_begin >= 8 &&
        scan->loadable - x >= 8)
        return same_short(plan->literal_bytes + literal.bytes_begin, scan->chunk->bytes + x,
                          length);
    same = verify_mismatch(scan, index, x, length);
    scan->work += same / 4;
    TRAWL_ASSERT(same <= length);
    return same == length;
}

/* Compares the literals in `named` with the text at their positions, and gathers the occurrences.
 * Errors: MEMORY. */
static enum trawl_status gather(struct scan *scan, const struct hit *named, uint32_t count)
{
    const struct trawl_plan *plan = scan->plan;
    struct hits *hits = &scan->worker->gathered;
    bool exact = (plan->flags & TRAWL_IGNORE_CASE) == 0;

    TRAWL_ASSERT(count <= SET_NAMED_MAX + SET_ROOM);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(plan_literal_bytes(plan, named[i].literal));
    TRAWL_TRY(hits_reserve(hits, count, scan->error));
    for (uint32_t i = 0; i < count && scan->work <= scan->work_max; i++) {
        scan->work += CANDIDATE_WORK;
        scan->result->candidate_count++;
        hits->items[hits->count] = named[i];
        hits->count += literal_occurs(scan, named[i].offset, named[i].literal, exact);
    }
    TRAWL_ASSERT(hits->count <= hits->capacity);
    return TRAWL_OK;
}

/* A sample that passed the filters, and what the entries of its bucket have to match. */
struct passed_sample {
    uint64_t hash;
    uint64_t position;
    /* The tags of the text before and after the sample's gram (class_side), which an entry's tag
     * must equal. UNKNOWN: the text ends there, so every entry fits. */
    uint32_t tags[2];
};

#define UNKNOWN UINT32_MAX

static inline uint32_t load32(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Values that all samples of a tile share. */
struct tile {
    const struct set_entry *entries;
    const uint8_t *text;
    uint64_t begin; /* the tile's starts are [begin, end) */
    uint64_t end;
    uint64_t loadable;
    uint64_t fold;
    uint32_t q;
    bool tags; /* some entries have tags of the bytes beside the gram; a compile-time constant */
};

static inline struct passed_sample sample_at(const struct tile *tile, uint64_t hash,
                                             uint64_t position)
{
    struct passed_sample sample = {hash, position, {UNKNOWN, UNKNOWN}};
    const uint8_t *text = tile->text + position;
    uint64_t room = tile->loadable - position;

    TRAWL_ASSERT(position + tile->q <= tile->loadable);
    if (!tile->tags)
        return sample;
    TRAWL_ASSERT(tile->begin <= tile->end && tile->end <= tile->loadable);
    if (room >= tile->q + SET_SIDE_BYTES)
        sample.tags[0] = class_side(load32(text + tile->q), tile->fold);
    if (position >= SET_SIDE_BYTES)
        sample.tags[1] = class_side(load32(text - SET_SIDE_BYTES), tile->fold);
    return sample;
}

/* Returns true if the entry's tag (of the bytes beside its gram) fits the text at the sample. */
static inline bool sample_goes_on(const struct tile *tile, const struct passed_sample *sample,
                                  uint32_t low)
{
    uint32_t side = low >> SET_OFFSET_BITS, wanted;

    if (!tile->tags)
        return true;
    wanted = sample->tags[SET_OFFSET(low) >= SET_SIDE_BYTES];
    return (side == 0) | (side == wanted) | (wanted == UNKNOWN);
}

/* If the entry's tags fit the sample, appends its literal to `named`, the literals to be compared.
 * Returns the new number of these. */
static inline uint32_t add_if_tags_match(const struct tile *tile, uint64_t index,
                                         const struct passed_sample *sample, struct hit *named,
                                         uint32_t count)
{
    struct set_entry entry = tile->entries[index];
    uint32_t offset = SET_OFFSET(entry.tagged);
    bool tagged = (entry.tagged ^ class_entry_tag(sample->hash)) <= 0xff;

    TRAWL_ASSERT(count < SET_NAMED_MAX + SET_ROOM && offset < SET_STRIDE_MAX);
    named[count] = (struct hit){(uint32_t)sample->position - offset, entry.literal};
    return count + (tagged & sample_goes_on(tile, sample, entry.tagged & 0xff) &
                    (sample->position >= tile->begin + offset) &
                    (sample->position < tile->end + offset));
}

static inline __attribute__((always_inline)) enum trawl_status verify_grams(
    const struct sampling *sampling, const struct set_passed *passed, uint32_t count, bool tags)
{
    const struct set_class *class = sampling->class;
    const uint32_t *buckets = class->buckets;
    struct scan *scan = sampling->scan;
    const struct trawl_plan *plan = scan->plan;
    struct hit *named = scan->worker->scratch->named;
    const struct tile tile = {
        class->entries, scan->chunk->bytes,      sampling->begin, sampling->end,
        scan->loadable, sampling->matcher->fold, class->q,        tags};
    uint32_t named_count = 0, last = (uint32_t) class->entry_count - 1;

    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    TRAWL_ASSERT(class->entry_count > 0 && class->entry_count < UINT32_MAX);
    for (uint32_t i = 0; i < count && scan->work <= scan->work_max; i++) {
        const struct passed_sample sample = sample_at(&tile, passed->hash[i], passed->position[i]);
        uint64_t bucket = class_bucket(class, sample.hash);
        uint32_t from = buckets[bucket], entries = buckets[bucket + 1] - from, kept;

        TRAWL_ASSERT(from <= buckets[bucket + 1] && buckets[bucket + 1] <= class->entry_count);
        scan->work += entries;
        kept = add_if_tags_match(&tile, min_u64(from, last), &sample, named, named_count);
        named_count = entries > 0 ? kept : named_count;
        kept = add_if_tags_match(&tile, min_u64(from + 1ull, last), &sample, named, named_count);
        named_count = entries > 1 ? kept : named_count;
        plan_literal_fetch(plan, tile.entries[min_u64(from, last)].literal);
        plan_literal_fetch(plan, tile.entries[min_u64(from + 1ull, last)].literal);
        if (scan->work > scan->work_max)
            /* do not read the other entries: a bucket may have very many */
            break;
        for (uint32_t e = USUAL_ENTRIES;; e++) {
            if (named_count >= cpu_sizes.named) {
                TRAWL_TRY(gather(scan, named, named_count));
                named_count = 0;
            }
            if (e >= entries)
                break;
            kept = add_if_tags_match(&tile, from + e, &sample, named, named_count);
            if (kept > named_count)
                plan_literal_fetch(plan, named[named_count].literal);
            named_count = kept;
        }
    }
    return gather(scan, named, named_count);
}

/* Counts or gathers occurrences. The literals of scratch->named are first compared with the text;
 * those of scratch->whole certainly occur. Both arrays contain indexes into `literals`. Errors:
 * MEMORY. */
static enum trawl_status take_found(struct scan *scan, const uint32_t *literals,
                                    uint32_t named_count, uint32_t whole_count)
{
    struct hit *named = scan->worker->scratch->named, *whole = scan->worker->scratch->whole;
    struct hits *hits = &scan->worker->gathered;
    bool plain = !plan_has_conditions(scan->plan), listed = plain && scan->want == WANT_HITS;

    TRAWL_ASSERT(named_count <= SET_NAMED_MAX + SET_ROOM &&
                 whole_count <= SET_NAMED_MAX + SET_ROOM);
    scan->work += (uint64_t)whole_count * (STEP_WORK + (listed ? STEM_WORK : 0));
    scan->result->candidate_count += whole_count;
    if (plain && scan->want == WANT_COUNT) {
        scan->worker->counted += whole_count;
    } else {
        TRAWL_TRY(hits_reserve(hits, whole_count, scan->error));
        for (uint32_t i = 0; i < whole_count; i++)
            __builtin_prefetch(&literals[whole[i].literal]);
        for (uint32_t i = 0; i < whole_count; i++) {
            TRAWL_ASSERT(hits->count < hits->capacity);
            hits->items[hits->count++] = (struct hit){whole[i].offset, literals[whole[i].literal]};
        }
    }
    for (uint32_t i = 0; i < named_count; i++)
        __builtin_prefetch(&literals[named[i].literal]);
    for (uint32_t i = 0; i < named_count; i++) {
        named[i].literal = literals[named[i].literal];
        plan_literal_fetch(scan->plan, named[i].literal);
    }
    return gather(scan, named, named_count);
}

/* Returns true if, by the key's tag, its literal may occur where the stem was found. `open`: the
 * text ends soon after the stem, so the bytes after it rule out no literal. */
static inline bool key_goes_on(uint64_t key, const struct set_stem *stem, bool open)
{
    uint32_t tag = (uint32_t)(key >> SET_KEY_TAG_SHIFT);

    return ((key ^ stem->hash) << (64 - SET_KEY_TAG_SHIFT) == 0) &
           ((tag == 0) | (tag == stem->four) | (tag == stem->two) | (open & (tag < SET_WHOLE_TAG)));
}

/* Returns true if the text ends within the bytes that a tag depends on. */
static inline bool stem_is_open(const struct scan *scan, uint64_t position)
{
    TRAWL_ASSERT(position <= scan->loadable);
    return scan->loadable - position < SET_STEM_BYTES + SET_TAG_BYTES;
}

/* Finds the literals in the buckets of the stems. `longer` is a compile-time constant; if it is
 * false, all stems have fewer than SET_STEM_BYTES bytes. Errors: MEMORY. */
static inline __attribute__((always_inline)) enum trawl_status look_at_stems(
    const struct sampling *sampling, const struct set_stem *stems, uint32_t count, bool longer)
{
    const struct set_class *class = sampling->class;
    const uint32_t *buckets = class->buckets;
    const uint64_t *keys = class->stem_keys;
    struct scan *scan = sampling->scan;
    struct hit *named = scan->worker->scratch->named, *whole = scan->worker->scratch->whole;
    uint64_t last = class->entry_count - 1;
    uint32_t named_count = 0, whole_count = 0;

    for (uint32_t i = 0; i < count && scan->work <= scan->work_max; i++) {
        const struct set_stem stem = stems[i];
        uint64_t bucket = class_stem_bucket(class, stem.hash, stem.bytes_count);
        uint64_t from = buckets[bucket], entries = buckets[bucket + 1] - from;
        uint64_t key_of_whole = class_stem_key(stem.hash, stem.whole);
        bool open = longer && stem_is_open(scan, stem.position);

        TRAWL_ASSERT(from <= buckets[bucket + 1] && from + entries <= class->entry_count);
        scan->work += entries;
        for (uint64_t e = 0; e < USUAL_ENTRIES || e < entries; e++) {
            uint64_t key = keys[min_u64(from + e, last)];

            TRAWL_ASSERT(named_count < SET_NAMED_MAX + SET_ROOM &&
                         whole_count < SET_NAMED_MAX + SET_ROOM);
            named[named_count] = (struct hit){stem.position, (uint32_t)(from + e)};
            whole[whole_count] = named[named_count];
            named_count += (e < entries) & key_goes_on(key, &stem, open);
            whole_count += (e < entries) & (key == key_of_whole);
            if (e + 1 < USUAL_ENTRIES)
                continue;
            if (named_count >= cpu_sizes.named || whole_count >= cpu_sizes.named) {
                TRAWL_TRY(take_found(scan, class->stem_literals, named_count, whole_count));
                named_count = whole_count = 0;
            }
            if (scan->work > scan->work_max)
                /* do not read the other keys: a bucket may have very many */
                break;
        }
    }
    return take_found(scan, class->stem_literals, named_count, whole_count);
}

/* Divides the stems into those shorter than SET_STEM_BYTES and the others, drops those that cross
 * the text's end, and prefetches their buckets. */
static void fetch_stems(const struct sampling *sampling, const uint32_t *stems, uint32_t count,
                        uint32_t *shorter_count, uint32_t *longer_count)
{
    const struct scan *scan = sampling->scan;
    const struct set_class *class = sampling->class;
    struct set_scratch *scratch = scan->worker->scratch;
    bool slow = scan->loadable < sampling->end + SET_STEM_BYTES;
    uint64_t fold = sampling->matcher->fold;

    *shorter_count = *longer_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t x = sampling->begin + (stems[i] & ((1u << SET_CODE_POSITION_BITS) - 1));
        uint32_t k = stems[i] >> SET_CODE_POSITION_BITS;
        uint64_t low = slow ? load_readable(scan, x) : bytes_load64(scan->chunk->bytes + x);
        struct set_stem stem = {class_stem_hash(low, fold, k),
                                (uint32_t)x,
                                (uint8_t)k,
                                (uint8_t)(SET_WHOLE_TAG + k - SET_STEM_MIN),
                                0,
                                0};
        bool there = x + k <= scan->available;

        TRAWL_ASSERT(x >= sampling->begin && x < sampling->end);
        TRAWL_ASSERT(k >= class->stem_min && k <= SET_STEM_BYTES);
        __builtin_prefetch(&class->buckets[class_stem_bucket(class, stem.hash, k)]);
        scratch->shorter[*shorter_count] = stem;
        *shorter_count += there & (k < SET_STEM_BYTES);
        scratch->longer[*longer_count] = stem;
        *longer_count += there & (k == SET_STEM_BYTES);
    }
}

/* Prefetches the keys in the stems' buckets. A key stands for a literal, and consists of its stem's
 * hash and a tag. */
static void fetch_keys(const struct set_class *class, const struct set_stem *stems, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bucket = class_stem_bucket(class, stems[i].hash, stems[i].bytes_count);

        __builtin_prefetch(&class->stem_keys[class->buckets[bucket]]);
    }
}

/* Computes the tags of the text's next four and next two bytes after each stem. A stem has no tags
 * if the text ends within these bytes. */
static void fetch_tags(const struct scan *scan, uint64_t fold, struct set_stem *stems,
                       uint32_t count)
{
    TRAWL_ASSERT(count <= SET_STEMS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next;

        if (stem_is_open(scan, stems[i].position))
            continue;
        TRAWL_ASSERT(stems[i].position + SET_STEM_BYTES + sizeof next <= scan->loadable);
        next = load32(scan->chunk->bytes + stems[i].position + SET_STEM_BYTES);
        stems[i].four = (uint8_t)class_next_four(next, fold);
        stems[i].two = (uint8_t)class_next_two(next, fold);
    }
}

enum trawl_status stems_verify(const struct sampling *sampling, const uint32_t *stems,
                               uint32_t count)
{
    struct scan *scan = sampling->scan;
    struct set_scratch *scratch = scan->worker->scratch;
    uint64_t fold = sampling->matcher->fold;
    uint32_t shorter, longer;

    TRAWL_ASSERT(count <= SET_STEMS_MAX);
    scan->work += (uint64_t)count * STEM_WORK;
    fetch_stems(sampling, stems, count, &shorter, &longer);
    TRAWL_ASSERT(shorter + longer <= count);
    fetch_keys(sampling->class, scratch->shorter, shorter);
    fetch_keys(sampling->class, scratch->longer, longer);
    fetch_tags(scan, fold, scratch->longer, longer);
    TRAWL_TRY(look_at_stems(sampling, scratch->shorter, shorter, false));
    return look_at_stems(sampling, scratch->longer, longer, true);
}

enum trawl_status sample_verify(const struct sampling *sampling, const struct set_passed *passed,
                                uint32_t count)
{
    const struct set_class *class = sampling->class;

    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    TRAWL_ASSERT(!class->by_stems && class->stride <= SET_STRIDE_MAX);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&class->buckets[class_bucket(class, passed->hash[i])]);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&class->entries[class->buckets[class_bucket(class, passed->hash[i])]]);
    return class->stride > 1 ? verify_grams(sampling, passed, count, true)
                             : verify_grams(sampling, passed, count, false);
}
