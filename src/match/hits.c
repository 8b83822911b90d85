/* hits: a growing array. */
#include "match/hits.h"

#include "base/checked.h"

#define HITS_CAPACITY_MIN 512u

enum trawl_status hits_reserve(struct hits *hits, uint64_t more, struct trawl_error *error)
{
    uint64_t needed = hits->count + more;
    uint64_t capacity;
    void *items = hits->items;

    TRAWL_ASSERT(hits->count <= hits->capacity);
    if (needed <= hits->capacity)
        return TRAWL_OK;
    capacity = max_u64(max_u64(needed, 2 * hits->capacity), HITS_CAPACITY_MIN);
    if (hits->count == 0) { /* nothing to keep: do not copy */
        hits_release(hits);
        items = NULL;
        TRAWL_TRY(memory_allocate(capacity, sizeof *hits->items, &items, error));
    } else {
        TRAWL_TRY(memory_grow(hits->capacity, capacity, sizeof *hits->items, &items, error));
    }
    hits->items = (struct hit *)items;
    hits->capacity = capacity;
    return TRAWL_OK;
}

void hits_release(struct hits *hits)
{
    memory_release(hits->items, hits->capacity, sizeof *hits->items);
    hits->items = NULL;
    hits->capacity = 0;
    hits->count = 0;
}
