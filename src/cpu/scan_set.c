/* scan_set: searches for a set of literals with buckets: nibble tables or a bitmap of grams (the
 * literals' first bytes) select positions, a bucket lists the literals with the same hash, and a
 * comparison of bytes decides. */
#include "base/checked.h"
#include "cpu/worker.h"
#include "cpu/prices.def"

/* Emits the literal if it occurs at position x. */
static void verify_literal(struct scan *scan, uint64_t x, uint32_t index)
{
    const struct plan_literal literal = plan_literal_at(scan->plan, index);
    const uint8_t *text = scan->chunk->bytes + x;
    uint64_t room = scan->available - x, length = literal.bytes_count, same;

    TRAWL_ASSERT(x < scan->available);
    scan->work += CANDIDATE_WORK;
    if (length > room)
        return;
    same = verify_mismatch(scan, index, x, length);
    TRAWL_ASSERT(same <= length);
    scan->work += same;
    if (same < length)
        return;
    if (literal.tail_count > 0) {
        length = plan_tail_match(scan->plan, &literal, text, room, &same);
        scan->work += same * STEP_WORK;
    }
    TRAWL_ASSERT(length <= room);
    if (length > 0)
        verify_emit(scan, x, index, length);
}

static void verify_position(struct scan *scan, uint64_t x)
{
    const struct trawl_plan *plan = scan->plan;
    const struct plan_set *set = &plan->set;
    const struct plan_set_tables *tables = scan->worker->set;
    uint64_t head = class_load_head(scan->chunk->bytes + x, scan->loadable - x);
    const uint64_t *bitmap = tables->wide != NULL ? tables->wide : tables->bitmap;
    uint32_t hash = plan_hash_wide(set, head);
    uint32_t bucket = plan_hash64((head | set->head_fold) & set->head_mask, set->bucket_bits);
    uint64_t count = scan->result->count, at = plan_head_at(plan);

    TRAWL_ASSERT(x >= scan->at && x < scan->limit);
    scan->passed++;
    TRAWL_ASSERT(hash >> set->bitmap_bits == 0 && bucket >> set->bucket_bits == 0);
    if ((bitmap[hash / 64] >> (hash % 64) & 1) == 0)
        return; /* a false positive of the nibble tables */
    scan->result->candidate_count++;
    head = x + at < scan->loadable
               ? class_load_head(scan->chunk->bytes + x + at, scan->loadable - x - at)
               : 0;
    TRAWL_ASSERT(tables->buckets[bucket] <= tables->buckets[bucket + 1]);
    scan->work += tables->buckets[bucket + 1] - tables->buckets[bucket];
    for (uint32_t e = tables->buckets[bucket]; e < tables->buckets[bucket + 1]; e++) {
        if ((head & tables->heads[e].mask) != tables->heads[e].bytes)
            continue;
        TRAWL_ASSERT(tables->entries[e] < plan->literal_count);
        verify_literal(scan, x, tables->entries[e]);
        if (scan->over || (scan->want == WANT_LINES && scan->run_until > x))
            return;
        if (scan->work > scan->work_max && scan->result->count == count && dense_leaves(scan, x))
            return;
    }
    if (scan->work > scan->work_max)
        (void)dense_leaves(scan, x + 1);
}

/* Fills the tile for the next positions, and returns its number of words; 0 near the text's end,
 * where vectors would load bytes that are not readable. */
static uint64_t fill_tile(struct scan *scan, uint64_t *positions)
{
    const struct trawl_plan *plan = scan->plan;
    const struct plan_set_tables *tables = scan->worker->set;
    const struct find_ops *find = scan->worker->find;
    uint64_t words;

    TRAWL_ASSERT(scan->at < scan->limit && scan->limit <= scan->loadable);
    *positions = min_u64(scan->limit - scan->at, cpu_sizes.tile_positions);
    words = scan_words(scan, scan->at, *positions, FIND_SET_KEPT);
    if (words == 0)
        return 0;
    *positions = min_u64(*positions, 64 * words);
    if (scan->worker->nibbles != NULL && find->nibbles != NULL)
        find->nibbles(scan->chunk->bytes + scan->at, words, scan->worker->nibbles,
                      &scan->worker->tile);
    else
        find->set(scan->chunk->bytes + scan->at, *positions, &plan->set,
                  tables->wide != NULL ? tables->wide : tables->bitmap, &scan->worker->tile);
    tile_cut(&scan->worker->tile, words, *positions);
    if (scan->worker->at_borders)
        borders_apply(scan, words);
    TRAWL_ASSERT(words <= FIND_TILE_WORDS && *positions > 64 * (words - 1));
    return words;
}

void scan_set(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;

    worker->makes += worker->set == NULL;
    if (worker->set == NULL)
        scan->status =
            plan_nibbles_want(scan->plan, worker->find->looks_six, &worker->nibbles, scan->error);
    if (worker->set == NULL && scan->status == TRAWL_OK)
        scan->status = plan_set_want(scan->plan, &worker->set, scan->error);
    scan->over = scan->status != TRAWL_OK;
    while (!scan->over && scan->at < scan->limit && !scan_is_full(scan)) {
        uint64_t positions, words = fill_tile(scan, &positions), begin = scan->at;

        dense_allow(scan, max_u64(positions, 64 * words));
        if (words == 0) {
            positions = 1;
            verify_position(scan, scan->at);
        } else {
            verify_tile(scan, words, verify_position);
        }
        if (scan->over)
            return;
        TRAWL_ASSERT(positions > 0 && begin + positions <= scan->limit);
        worker->dense_bytes /= 2;
        scan->at = max_u64(begin + positions, scan->run_until);
    }
}
