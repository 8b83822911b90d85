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

/* Name the literal of an entry if its tag is the hash's; returns how many are named then. */
static inline uint32_t name(const struct sampling *sampling, const struct set_entry *entry,
                            uint64_t hash, uint64_t place, struct set_named *named, uint32_t count)
{
    uint32_t offset = entry->tagged & 0xff;
    bool tagged = (entry->tagged ^ set_tag(hash)) <= 0xff;

    named[count].place = (uint32_t)place - offset;
    named[count].literal = entry->literal;
    plan_literal_fetch(sampling->scan->plan, entry->literal);
    return count +
           (tagged & (place >= sampling->begin + offset) & (place < sampling->end + offset));
}

/* The entries of a bucket beyond the usual ones. */
static enum trawl_status name_others(const struct sampling *sampling, uint32_t from, uint32_t to,
                                     uint64_t hash, uint64_t place, uint32_t *named_count)
{
    struct scan *scan = sampling->scan;
    struct set_named *named = scan->lane->scratch->named;

    for (uint32_t e = from; e < to && scan->work <= scan->work_max; e++) {
        *named_count =
            name(sampling, &sampling->class->entries[e], hash, place, named, *named_count);
        if (*named_count < SET_NAMED_MAX)
            continue;
        TRAWL_TRY(gather(scan, named, *named_count));
        *named_count = 0;
    }
    return TRAWL_OK;
}

enum trawl_status sample_verify(const struct sampling *sampling, const struct set_passed *passed,
                                uint32_t count)
{
    const struct set_class *class = sampling->class;
    struct scan *scan = sampling->scan;
    struct set_named *named = scan->lane->scratch->named;
    uint32_t named_count = 0, last = (uint32_t) class->entry_count - 1;

    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&class->buckets[set_bucket(class, passed->hash[i])]);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&class->entries[class->buckets[set_bucket(class, passed->hash[i])]]);
    for (uint32_t i = 0; i < count && scan->work <= scan->work_max; i++) {
        uint64_t hash = passed->hash[i], place = passed->place[i];
        uint32_t from = class->buckets[set_bucket(class, hash)];
        uint32_t entries = class->buckets[set_bucket(class, hash) + 1] - from, kept;

        scan->work += entries;
        kept =
            name(sampling, &class->entries[min_u64(from, last)], hash, place, named, named_count);
        named_count = entries > 0 ? kept : named_count;
        kept = name(sampling, &class->entries[min_u64(from + 1ull, last)], hash, place, named,
                    named_count);
        named_count = entries > 1 ? kept : named_count;
        if (named_count >= SET_NAMED_MAX) {
            TRAWL_TRY(gather(scan, named, named_count));
            named_count = 0;
        }
        if (entries > USUAL_ENTRIES)
            TRAWL_TRY(name_others(sampling, from + USUAL_ENTRIES, from + entries, hash, place,
                                  &named_count));
    }
    return gather(scan, named, named_count);
}
