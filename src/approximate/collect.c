/* collect: sorts candidates, has them verified, and sorts the hits. */
#include "approximate/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

/* prefetch distance, in candidates */
#define FETCH_AHEAD 16u

uint64_t approx_candidates_max = APPROX_CANDIDATES_MAX;

enum trawl_status approx_candidates_reserve(struct approx_candidates *candidates, uint64_t more,
                                            struct trawl_error *error)
{
    TRAWL_ASSERT(candidates->count <= candidates->capacity);
    return MEMORY_ROOM(candidates->items, candidates->capacity,
                       saturating_add(candidates->count, more), error);
}

void approx_candidates_release(struct approx_candidates *candidates)
{
    memory_release(candidates->items, candidates->capacity, sizeof *candidates->items);
    *candidates = (struct approx_candidates){NULL, 0, 0};
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int candidates_by_offset(const void *a, const void *b)
{
    const struct approx_candidate *first = (const struct approx_candidate *)a;
    const struct approx_candidate *second = (const struct approx_candidate *)b;

    if (first->offset != second->offset)
        return first->offset < second->offset ? -1 : 1;
    return compare_u64(first->literal, second->literal);
}

static int by_literal(const void *a, const void *b)
{
    const struct approx_candidate *first = (const struct approx_candidate *)a;
    const struct approx_candidate *second = (const struct approx_candidate *)b;

    if (first->literal != second->literal)
        return compare_u64(first->literal, second->literal);
    return (first->offset > second->offset) - (first->offset < second->offset);
}

/* ---- Begins -------------------------------------------------------------------------------- */

/* Verifies the candidates by ascending offset, so that hits are appended in order. */
static enum trawl_status collect_begins(struct approx_verifier *verifier,
                                        struct approx_candidates *candidates, uint64_t from,
                                        uint64_t to, struct hits *hits, struct trawl_error *error)
{
    const struct approx_candidate *last = NULL;

    qsort(candidates->items, (size_t)candidates->count, sizeof *candidates->items,
          candidates_by_offset);
    for (uint64_t i = 0; i < candidates->count; i++) {
        const struct approx_candidate *candidate = &candidates->items[i];

        if (i + FETCH_AHEAD < candidates->count)
            approx_verifier_fetch(verifier, candidate[FETCH_AHEAD].offset);
        if (candidate->offset < (int64_t)from || candidate->offset >= (int64_t)to ||
            (last != NULL && candidates_by_offset(last, candidate) == 0))
            continue;
        last = candidate;
        TRAWL_TRY(
            approx_verify_begin(verifier, candidate->literal, candidate->offset, hits, error));
    }
    return TRAWL_OK;
}

/* ---- Ends ---------------------------------------------------------------------------------- */

/* A hit with its length, while hits are sorted. */
struct whole_hit {
    struct hit hit;
    uint64_t length;
};

static int by_offset(const void *a, const void *b)
{
    const struct whole_hit *first = (const struct whole_hit *)a;
    const struct whole_hit *second = (const struct whole_hit *)b;

    if (first->hit.offset != second->hit.offset)
        return compare_u64(first->hit.offset, second->hit.offset);
    if (first->hit.literal != second->hit.literal)
        return compare_u64(first->hit.literal, second->hit.literal);
    return compare_u64(hits_length(first->length), hits_length(second->length));
}

/* Sorts the hits beginning with index `first`, and drops those that begin at or after `to`. */
static enum trawl_status order_hits(struct hits *hits, uint64_t first, uint64_t to,
                                    struct trawl_error *error)
{
    uint64_t count = hits->count - first, kept = 0;
    struct whole_hit *whole;

    TRAWL_ASSERT(first <= hits->count && hits->count <= hits->capacity);
    if (count == 0)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(whole, count, error));
    for (uint64_t i = first; i < hits->count; i++)
        if (hits->items[i].offset < to)
            whole[kept++] = (struct whole_hit){hits->items[i], hits->lengths[i]};
    qsort(whole, (size_t)kept, sizeof *whole, by_offset);
    for (uint64_t i = 0; i < kept; i++) {
        hits->items[first + i] = whole[i].hit;
        hits->lengths[first + i] = whole[i].length;
    }
    hits->count = first + kept;
    memory_release(whole, count, sizeof *whole);
    return TRAWL_OK;
}

static enum trawl_status collect_ends(struct approx_verifier *verifier,
                                      struct approx_candidates *candidates, uint64_t from,
                                      uint64_t to, struct hits *hits, struct trawl_error *error)
{
    const uint64_t first = hits->count;

    qsort(candidates->items, (size_t)candidates->count, sizeof *candidates->items, by_literal);
    for (uint64_t i = 0; i < candidates->count;) {
        const struct approx_candidate *candidate = &candidates->items[i];
        int64_t end = candidate->offset + candidate->reach;

        if (i + FETCH_AHEAD < candidates->count)
            approx_verifier_fetch(verifier, candidate[FETCH_AHEAD].offset - 1);

        for (i++; i < candidates->count && candidates->items[i].literal == candidate->literal &&
                  candidates->items[i].offset <= end + 1;
             i++) {
            int64_t next = candidates->items[i].offset + candidates->items[i].reach;

            end = next > end ? next : end;
        }
        TRAWL_TRY(approx_verify_ends(verifier, candidate->literal, candidate->offset, end, from,
                                     hits, error));
    }
    return order_hits(hits, first, to, error);
}

enum trawl_status approx_collect(struct approx_verifier *verifier,
                                 struct approx_candidates *candidates, uint64_t from, uint64_t to,
                                 bool edits, struct hits *hits, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    if (candidates->count > 0)
        status =
            (edits ? collect_ends : collect_begins)(verifier, candidates, from, to, hits, error);
    candidates->count = 0;
    return status;
}
