/* pattern_counts: how often each pattern occurs.
 *
 * The thread that searched a chunk adds up its hits by literal, in a table that most texts'
 * frequent literals fit: each slot holds the literals that leave the same remainder, one at a time.
 * What a slot holds goes into the chunk's counts when another literal needs it.
 */
#include <string.h>

#include "base/checked.h"
#include "runtime/search.h"

#define SLOTS 1024u /* a power of two; 8 KiB */

struct counting {
    const struct trawl_plan *plan;
    trawl_pattern_count_sink function;
    void *context;
};

struct slot {
    uint32_t literal;
    uint32_t count; /* 0: free. A literal begins at most once at each of a chunk's bytes */
};

static enum trawl_status counts_reserve(struct pattern_counts *counts, uint64_t more,
                                        struct trawl_error *error)
{
    uint64_t capacity = counts->capacity == 0 ? SLOTS : 2 * counts->capacity;
    void *items = counts->items;

    if (counts->capacity - counts->count >= more)
        return TRAWL_OK;
    TRAWL_ASSERT(more <= SLOTS);
    TRAWL_TRY(memory_grow(counts->capacity, capacity, sizeof *counts->items, &items, error));
    counts->items = (struct trawl_pattern_count *)items;
    counts->capacity = capacity;
    return TRAWL_OK;
}

static void keep(const struct trawl_plan *plan, struct pattern_counts *counts, struct slot slot)
{
    TRAWL_ASSERT(counts->count < counts->capacity && slot.count > 0);
    counts->items[counts->count++] =
        (struct trawl_pattern_count){plan_literal_at(plan, slot.literal).pattern, slot.count};
}

static enum trawl_status digest_counts(const struct sink *sink, const struct sink_chunk *chunk,
                                       struct sink_digest *digest, struct trawl_error *error)
{
    const struct counting *counting = (const struct counting *)sink->context;
    struct pattern_counts *counts = &digest->pattern_counts;
    struct slot slots[SLOTS];
    uint64_t next = 0;

    counts->count = 0;
    if (chunk->hit_count == 0)
        return TRAWL_OK;
    memset(slots, 0, sizeof slots);
    while (next < chunk->hit_count) {
        uint64_t until = min_u64(chunk->hit_count, next + SLOTS);

        TRAWL_TRY(counts_reserve(counts, until - next, error));
        for (; next < until; next++) {
            uint32_t literal = chunk->hits[next].literal;
            struct slot *slot = &slots[literal % SLOTS];

            if (slot->literal != literal && slot->count > 0) {
                keep(counting->plan, counts, *slot);
                slot->count = 0;
            }
            slot->literal = literal;
            slot->count++;
        }
    }
    TRAWL_TRY(counts_reserve(counts, SLOTS, error)); /* what the slots hold */
    for (uint32_t i = 0; i < SLOTS; i++)
        if (slots[i].count > 0)
            keep(counting->plan, counts, slots[i]);
    return TRAWL_OK;
}

static bool deliver_counts(struct sink *sink, const struct sink_chunk *chunk,
                           const struct sink_digest *digest)
{
    const struct counting *counting = (const struct counting *)sink->context;
    const struct pattern_counts *counts = &digest->pattern_counts;

    (void)chunk;
    return counts->count == 0 ||
           counting->function(counting->context, counts->items, counts->count) == 0;
}

/* Of one pattern: no hits are needed. */
static bool deliver_count(struct sink *sink, const struct sink_chunk *chunk,
                          const struct sink_digest *digest)
{
    const struct counting *counting = (const struct counting *)sink->context;
    struct trawl_pattern_count count = {0, chunk->count};

    (void)digest;
    return chunk->count == 0 || counting->function(counting->context, &count, 1) == 0;
}

void pattern_counts_release(struct pattern_counts *counts)
{
    memory_release(counts->items, counts->capacity, sizeof *counts->items);
    memset(counts, 0, sizeof *counts);
}

enum trawl_status trawl_count_by_pattern(struct trawl_searcher *searcher,
                                         const struct trawl_plan *plan, struct trawl_text *text,
                                         trawl_pattern_count_sink function, void *context,
                                         struct trawl_error *error)
{
    struct counting counting = {plan, function, context};
    struct sink sink;

    if (function == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "sink is NULL");
    if (plan != NULL && plan->pattern_count == 1) {
        sink_count(&sink);
        sink.context = &counting;
        sink.deliver = deliver_count;
    } else {
        sink_digests(&sink, digest_counts, &counting);
        sink.in_place = true;
        sink.deliver = deliver_counts;
    }
    return search_checked(searcher, plan, text, &sink, error);
}
