/* pattern_counts: counts how often each pattern occurs (TRAWL_COUNT_BY_PATTERN).
 *
 * The thread that searched a chunk counts the hits of each literal in a table, whose number of
 * slots is a power of two, about as large as the number of literals, or of hits if those are fewer.
 * Literals whose numbers agree modulo that share a slot, which counts one literal at a time: when
 * another one needs the slot, and at the end of the chunk, its count is appended to the chunk's
 * counts.
 */
#include <string.h>

#include "base/checked.h"
#include "runtime/job.h"
#include "runtime/search.h"

/* Builds a table of free slots, large enough for `hits` hits. */
static enum trawl_status slots_reserve(struct pattern_counts *counts, uint64_t literals,
                                       uint64_t hits, struct trawl_error *error)
{
    uint64_t room = 1ull << log2_ceiling(min_u64(literals, max_u64(hits, pattern_slots_min)));
    void *memory;

    if (room <= counts->slot_count)
        return TRAWL_OK;
    TRAWL_TRY(memory_allocate_zeroed(room, sizeof *counts->slots, &memory, error));
    memory_release(counts->slots, counts->slot_count, sizeof *counts->slots);
    counts->slots = (struct pattern_slot *)memory;
    counts->slot_count = room;
    return TRAWL_OK;
}

/* Appends the slot's count to the chunk's counts, and frees the slot. */
static enum trawl_status append_slot(const struct trawl_plan *plan, struct pattern_counts *counts,
                                     struct pattern_slot *slot, struct trawl_error *error)
{
    TRAWL_ASSERT(slot->count > 0);
    TRAWL_TRY(MEMORY_ROOM(counts->items, counts->capacity, counts->count + 1, error));
    counts->items[counts->count++] =
        (struct trawl_pattern_count){plan_literal_at(plan, slot->literal).pattern, slot->count};
    slot->count = 0;
    return TRAWL_OK;
}

static enum trawl_status add_hits(const struct trawl_plan *plan, struct pattern_counts *counts,
                                  const struct hit *hits, uint64_t hit_count,
                                  struct trawl_error *error)
{
    for (uint64_t i = 0; i < hit_count; i++) {
        uint32_t literal = hits[i].literal;
        struct pattern_slot *slot = &counts->slots[literal & (counts->slot_count - 1)];

        if (slot->literal != literal && slot->count > 0)
            TRAWL_TRY(append_slot(plan, counts, slot, error));
        slot->literal = literal;
        slot->count++;
    }
    for (uint64_t i = 0; i < counts->slot_count; i++)
        if (counts->slots[i].count > 0)
            TRAWL_TRY(append_slot(plan, counts, &counts->slots[i], error));
    return TRAWL_OK;
}

static enum trawl_status digest_counts(const struct sink *sink, const struct sink_chunk *chunk,
                                       struct sink_digest *digest, struct trawl_error *error)
{
    const struct pattern_counting *counting = (const struct pattern_counting *)sink->context;
    struct pattern_counts *counts = &digest->pattern_counts;
    enum trawl_status status;

    counts->count = 0;
    if (chunk->hit_count == 0)
        return TRAWL_OK;
    TRAWL_TRY(slots_reserve(counts, counting->plan->literal_count, chunk->hit_count, error));
    status = add_hits(counting->plan, counts, chunk->hits, chunk->hit_count, error);
    if (status != TRAWL_OK) /* free all slots for the next chunk */
        memset(counts->slots, 0, counts->slot_count * sizeof *counts->slots);
    return status;
}

/* Appends counts that an engine has computed (sink.answered). */
static enum trawl_status take_counts(const struct sink *sink, const struct hits_answer *answer,
                                     struct sink_digest *digest, struct trawl_error *error)
{
    const struct pattern_counting *counting = (const struct pattern_counting *)sink->context;
    struct pattern_counts *counts = &digest->pattern_counts;

    counts->count = 0;
    for (uint64_t i = 0; i < counting->plan->pattern_count; i++) {
        if (answer->by_pattern[i] == 0)
            continue;
        TRAWL_TRY(MEMORY_ROOM(counts->items, counts->capacity, counts->count + 1, error));
        counts->items[counts->count++] = (struct trawl_pattern_count){i, answer->by_pattern[i]};
    }
    return TRAWL_OK;
}

static bool deliver_counts(struct sink *sink, const struct sink_chunk *chunk,
                           const struct sink_digest *digest)
{
    const struct pattern_counting *counting = (const struct pattern_counting *)sink->context;
    const struct pattern_counts *counts = &digest->pattern_counts;

    (void)chunk;
    for (uint64_t i = 0; i < counts->count; i++)
        sink->count += counts->items[i].count;
    return counts->count == 0 ||
           counting->function(counting->context, counts->items, counts->count) == 0;
}

/* Delivers the count for a plan with a single pattern, which needs no hits. */
static bool deliver_count(struct sink *sink, const struct sink_chunk *chunk,
                          const struct sink_digest *digest)
{
    const struct pattern_counting *counting = (const struct pattern_counting *)sink->context;
    struct trawl_pattern_count count = {0, chunk->count};

    (void)digest;
    sink->count += chunk->count;
    return chunk->count == 0 || counting->function(counting->context, &count, 1) == 0;
}

void pattern_counts_sink(struct sink *sink, struct pattern_counting *counting)
{
    if (counting->plan != NULL && counting->plan->pattern_count == 1) {
        sink_count(sink);
        sink->context = counting;
        sink->deliver = deliver_count;
        return;
    }
    *sink = (struct sink){.want = WANT_HITS,
                          .in_place = true,
                          .digest = digest_counts,
                          .form = ANSWER_OF_PATTERNS,
                          .answered = take_counts,
                          .deliver = deliver_counts,
                          .context = counting};
}
