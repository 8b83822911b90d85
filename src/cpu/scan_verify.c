/* scan_verify: from samples of a large set that passed to occurrences.
 *
 * The tables and the literals are larger than the caches, so each step prefetches what the next one
 * needs, for many samples at once. The usual case has no branch on the text.
 */
#include "cpu/sampling.h"

#define CANDIDATE_WORK 16u
#define SHORT_BYTES 16u
#define USUAL_ENTRIES 2u /* of a bucket */

/* Do the literal and the text have the same bytes, at most SHORT_BYTES? Both are readable for 8. */
static inline bool same_short(const uint8_t *literal, const uint8_t *text, uint64_t count)
{
    uint64_t keep = UINT64_MAX >> (count < 8 ? 64 - 8 * count : 0);
    uint64_t last = count < 8 ? 0 : count - 8;
    uint64_t differ = load64(literal) ^ load64(text);

    return ((differ | (load64(literal + last) ^ load64(text + last))) & keep) == 0;
}

/* Does the literal stand at x? */
static inline bool stands(struct scan *scan, uint64_t x, uint32_t index, bool exact)
{
    const struct trawl_plan *plan = scan->plan;
    struct plan_literal literal = plan_literal_at(plan, index);
    uint64_t length = literal.bytes_count, same;

    if (length > scan->available - x)
        return false;
    if (exact && length <= SHORT_BYTES && plan->literal_bytes_total - literal.bytes_begin >= 8 &&
        scan->loadable - x >= 8)
        return same_short(plan->literal_bytes + literal.bytes_begin, scan->chunk->bytes + x,
                          length);
    same = settle_mismatch(scan, index, x, length);
    scan->work += same / 4;
    return same == length;
}

/* Gather those that stand there. */
static enum trawl_status gather(struct scan *scan, const struct set_named *named, uint32_t count)
{
    const struct trawl_plan *plan = scan->plan;
    struct hits *hits = &scan->lane->gathered;
    bool exact = (plan->flags & TRAWL_IGNORE_CASE) == 0;

    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(plan_literal_bytes(plan, named[i].literal));
    TRAWL_TRY(hits_reserve(hits, count, scan->error));
    for (uint32_t i = 0; i < count && scan->work <= scan->work_max; i++) {
        struct hit *hit = &hits->items[hits->count];

        scan->work += CANDIDATE_WORK;
        scan->result->candidate_count++;
        hit->offset = named[i].place;
        hit->literal = named[i].literal;
        hits->count += stands(scan, named[i].place, named[i].literal, exact);
    }
    return TRAWL_OK;
}

/* A sample on its way to the literals that its hash names. */
struct sample {
    uint64_t hash;
    uint64_t place;
    /* What entries' tags may be, of the bytes beside it. By stems: of the next four, of the next
     * two; by grams: of those behind it, of those before. UNKNOWN: the text ends there. */
    uint32_t tags[2];
};

#define UNKNOWN UINT32_MAX

static inline uint32_t load32(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* What stays the same for a tile's samples. The two flags are known when compiling. */
struct tile {
    const struct set_entry *entries;
    const uint8_t *text;
    uint64_t begin; /* begins of the tile */
    uint64_t end;
    uint64_t loadable;
    uint64_t fold;
    uint32_t q;
    bool stems;
    bool tags; /* some entries have one */
};

static inline struct sample sample_at(const struct tile *tile, uint64_t hash, uint64_t place)
{
    struct sample sample = {hash, place, {UNKNOWN, UNKNOWN}};
    const uint8_t *text = tile->text + place;
    uint64_t room = tile->loadable - place;

    if (!tile->tags)
        return sample;
    if (tile->stems && room >= SET_STEM_BYTES + 4) {
        sample.tags[0] = set_next_four(load32(text + SET_STEM_BYTES), tile->fold);
        sample.tags[1] = set_next_two(load32(text + SET_STEM_BYTES), tile->fold);
    } else if (!tile->stems) {
        if (room >= tile->q + SET_SIDE_BYTES)
            sample.tags[0] = set_side(load32(text + tile->q), tile->fold);
        if (place >= SET_SIDE_BYTES)
            sample.tags[1] = set_side(load32(text - SET_SIDE_BYTES), tile->fold);
    }
    return sample;
}

/* Does the entry's tag of the bytes beside it let the sample pass? */
static inline bool goes_on(const struct tile *tile, const struct sample *sample, uint32_t low)
{
    uint32_t side = low >> SET_OFFSET_BITS, wanted;

    if (!tile->tags)
        return true;
    if (tile->stems)
        return (low == 0) | (low == sample->tags[0]) | (low == sample->tags[1]) |
               (sample->tags[0] == UNKNOWN);
    wanted = sample->tags[SET_OFFSET(low) >= SET_SIDE_BYTES];
    return (side == 0) | (side == wanted) | (wanted == UNKNOWN);
}

/* Name the literal of an entry if its tags are the sample's; returns how many are named then. */
static inline uint32_t name(const struct tile *tile, uint64_t index, const struct sample *sample,
                            struct set_named *named, uint32_t count)
{
    struct set_entry entry = tile->entries[index];
    uint32_t offset = tile->stems ? 0 : SET_OFFSET(entry.tagged);
    bool tagged = (entry.tagged ^ set_tag(sample->hash)) <= 0xff;

    named[count].place = (uint32_t)sample->place - offset;
    named[count].literal = entry.literal;
    return count + (tagged & goes_on(tile, sample, entry.tagged & 0xff) &
                    (sample->place >= tile->begin + offset) & (sample->place < tile->end + offset));
}

static inline __attribute__((always_inline)) enum trawl_status verify(
    const struct sampling *sampling, const struct set_passed *passed, uint32_t count, bool stems,
    bool tags)
{
    const struct set_class *class = sampling->class;
    const uint32_t *buckets = class->buckets;
    struct scan *scan = sampling->scan;
    const struct trawl_plan *plan = scan->plan;
    struct set_named *named = scan->lane->scratch->named;
    const struct tile tile = {
        class->entries,          scan->chunk->bytes, sampling->begin, sampling->end, scan->loadable,
        sampling->matcher->fold, class->q,           stems,           tags};
    uint32_t named_count = 0, last = (uint32_t) class->entry_count - 1;

    for (uint32_t i = 0; i < count && scan->work <= scan->work_max; i++) {
        const struct sample sample = sample_at(&tile, passed->hash[i], passed->place[i]);
        uint64_t bucket = set_bucket(class, sample.hash);
        uint32_t from = buckets[bucket], entries = buckets[bucket + 1] - from, kept;

        scan->work += entries;
        kept = name(&tile, min_u64(from, last), &sample, named, named_count);
        named_count = entries > 0 ? kept : named_count;
        kept = name(&tile, min_u64(from + 1ull, last), &sample, named, named_count);
        named_count = entries > 1 ? kept : named_count;
        plan_literal_fetch(plan, tile.entries[min_u64(from, last)].literal);
        plan_literal_fetch(plan, tile.entries[min_u64(from + 1ull, last)].literal);
        if (scan->work > scan->work_max)
            break; /* a bucket may hold many */
        for (uint32_t e = USUAL_ENTRIES;; e++) {
            if (named_count >= SET_NAMED_MAX) {
                TRAWL_TRY(gather(scan, named, named_count));
                named_count = 0;
            }
            if (e >= entries)
                break;
            kept = name(&tile, from + e, &sample, named, named_count);
            if (kept > named_count)
                plan_literal_fetch(plan, named[named_count].literal);
            named_count = kept;
        }
    }
    return gather(scan, named, named_count);
}

enum trawl_status sample_verify(const struct sampling *sampling, const struct set_passed *passed,
                                uint32_t count)
{
    const struct set_class *class = sampling->class;

    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&class->buckets[set_bucket(class, passed->hash[i])]);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&class->entries[class->buckets[set_bucket(class, passed->hash[i])]]);
    if (class->by_stems)
        return (class->stem_lengths >> SET_STEM_BYTES & 1) != 0
                   ? verify(sampling, passed, count, true, true)
                   : verify(sampling, passed, count, true, false);
    return class->stride > 1 ? verify(sampling, passed, count, false, true)
                             : verify(sampling, passed, count, false, false);
}
