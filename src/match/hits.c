/* hits: grows arrays of hits, and merges the hits of a plan's parts. */
#include "match/hits.h"

#include <string.h>

#include "base/checked.h"

#define HITS_CAPACITY_MIN 512u

static enum trawl_status reserve(struct hits *hits, uint64_t more, struct trawl_error *error)
{
    const uint64_t needed = max_u64(hits->count + more, HITS_CAPACITY_MIN);

    TRAWL_ASSERT(hits->count <= hits->capacity && needed >= hits->count);
    return MEMORY_ROOM(hits->items, hits->capacity, needed, error);
}

enum trawl_status hits_reserve(struct hits *hits, uint64_t more, struct trawl_error *error)
{
    if (hits->count + more > hits->capacity && hits->lengths != NULL) {
        memory_release(hits->lengths, hits->capacity, sizeof *hits->lengths);
        hits->lengths = NULL;
        hits->lengths_valid = false;
    }
    return reserve(hits, more, error);
}

enum trawl_status hits_reserve_lengths(struct hits *hits, uint64_t more, struct trawl_error *error)
{
    uint64_t room = hits->lengths == NULL ? 0 : hits->capacity;
    enum trawl_status status;

    TRAWL_TRY(reserve(hits, more, error));
    status = MEMORY_ROOM(hits->lengths, room, hits->capacity, error);
    if (status != TRAWL_OK) {
        memory_release(hits->lengths, room, sizeof *hits->lengths);
        hits->lengths = NULL;
    }
    TRAWL_ASSERT(status != TRAWL_OK || room == hits->capacity);
    return status;
}

void hits_release(struct hits *hits)
{
    TRAWL_ASSERT(hits->count <= hits->capacity);
    memory_release(hits->items, hits->capacity, sizeof *hits->items);
    if (hits->lengths != NULL)
        memory_release(hits->lengths, hits->capacity, sizeof *hits->lengths);
    hits->items = NULL;
    hits->lengths = NULL;
    hits->capacity = 0;
    hits->count = 0;
}

/* Returns offset << 32 | literal of the part's next hit: hits are merged in this order. Returns
 * UINT64_MAX if the part has no more hits with an offset less than `below`. */
static uint64_t part_rank(const struct hits_part *part, uint64_t below)
{
    const struct hit *hit;

    if (part->next == part->hits->count)
        return UINT64_MAX;
    hit = &part->hits->items[part->next];
    if (hit->offset >= below)
        return UINT64_MAX;
    return (uint64_t)hit->offset << 32 | part->literals[hit->literal];
}

enum trawl_status hits_merge(struct hits *into, struct hits_part *parts, uint32_t count,
                             uint64_t below, struct trawl_error *error)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < count; i++)
        total += parts[i].hits->count - parts[i].next;
    TRAWL_TRY(hits_reserve(into, total, error));
    for (;;) {
        uint64_t min = UINT64_MAX;
        uint32_t from = 0;

        for (uint32_t i = 0; i < count; i++) {
            uint64_t rank = part_rank(&parts[i], below);

            if (rank < min) {
                min = rank;
                from = i;
            }
        }
        if (min == UINT64_MAX)
            break;
        TRAWL_ASSERT(into->count < into->capacity);
        into->items[into->count++] = (struct hit){(uint32_t)(min >> 32), (uint32_t)min};
        parts[from].next++;
    }
    return TRAWL_OK;
}
