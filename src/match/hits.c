/* hits: grows arrays of hits, and merges the hits of a plan's parts. */
#include "match/hits.h"

#include <string.h>

#include "base/checked.h"

#define HITS_CAPACITY_MIN 512u

enum trawl_status hits_reserve(struct hits *hits, uint64_t more, struct trawl_error *error)
{
    uint64_t needed = hits->count + more;
    uint64_t capacity;
    void *items = hits->items;

    TRAWL_ASSERT(hits->count <= hits->capacity);
    TRAWL_ASSERT(needed >= hits->count);
    if (needed <= hits->capacity)
        return TRAWL_OK;
    capacity = max_u64(max_u64(needed, 2 * hits->capacity), HITS_CAPACITY_MIN);
    if (hits->count == 0) { /* there is nothing to copy */
        hits_release(hits);
        items = NULL;
        TRAWL_TRY(memory_allocate(capacity, sizeof *hits->items, &items, error));
    } else {
        TRAWL_TRY(memory_grow(hits->capacity, capacity, sizeof *hits->items, &items, error));
    }
    /* release the lengths, which the caller does not need: they would keep the old capacity */
    if (hits->lengths != NULL) {
        memory_release(hits->lengths, hits->capacity, sizeof *hits->lengths);
        hits->lengths = NULL;
        hits->lengths_valid = false;
    }
    hits->items = (struct hit *)items;
    hits->capacity = capacity;
    TRAWL_ASSERT(needed <= hits->capacity);
    return TRAWL_OK;
}

enum trawl_status hits_reserve_lengths(struct hits *hits, uint64_t more, struct trawl_error *error)
{
    uint64_t needed = hits->count + more, capacity = hits->capacity;
    void *items = NULL, *lengths = NULL;
    enum trawl_status status;

    TRAWL_ASSERT(hits->count <= hits->capacity);
    TRAWL_ASSERT(needed >= hits->count);
    if (needed <= capacity && hits->lengths != NULL)
        return TRAWL_OK;
    if (needed > capacity)
        capacity = max_u64(max_u64(needed, 2 * capacity), HITS_CAPACITY_MIN);
    status = memory_allocate(capacity, sizeof *hits->items, &items, error);
    if (status == TRAWL_OK)
        status = memory_allocate(capacity, sizeof *hits->lengths, &lengths, error);
    if (status != TRAWL_OK) {
        memory_release(items, capacity, sizeof *hits->items);
        return status;
    }
    if (hits->count > 0)
        memcpy(items, hits->items, (size_t)hits->count * sizeof *hits->items);
    if (hits->count > 0 && hits->lengths != NULL)
        memcpy(lengths, hits->lengths, (size_t)hits->count * sizeof *hits->lengths);
    more = hits->count;
    hits_release(hits);
    hits->items = (struct hit *)items;
    hits->lengths = (uint64_t *)lengths;
    hits->count = more;
    hits->capacity = capacity;
    TRAWL_ASSERT(needed <= hits->capacity);
    return TRAWL_OK;
}

void hits_release(struct hits *hits)
{
    TRAWL_ASSERT(hits->count <= hits->capacity);
    TRAWL_ASSERT(hits->lengths == NULL || hits->items != NULL);
    memory_release(hits->items, hits->capacity, sizeof *hits->items);
    if (hits->lengths != NULL)
        memory_release(hits->lengths, hits->capacity, sizeof *hits->lengths);
    hits->items = NULL;
    hits->lengths = NULL;
    hits->capacity = 0;
    hits->count = 0;
}

/* Returns offset << 32 | literal of the part's next hit, by which all hits are ordered; UINT64_MAX
 * if the part has no further hit with an offset less than `below`. */
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
        uint64_t least = UINT64_MAX;
        uint32_t from = 0;

        for (uint32_t i = 0; i < count; i++) {
            uint64_t rank = part_rank(&parts[i], below);

            if (rank < least) {
                least = rank;
                from = i;
            }
        }
        if (least == UINT64_MAX)
            break;
        TRAWL_ASSERT(into->count < into->capacity);
        into->items[into->count++] = (struct hit){(uint32_t)(least >> 32), (uint32_t)least};
        parts[from].next++;
    }
    return TRAWL_OK;
}
