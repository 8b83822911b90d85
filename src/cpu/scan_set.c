/* scan_set: method set: a gram bitmap names places, buckets name literals, bytes decide. */
#include <string.h>

#include "base/checked.h"
#include "cpu/lane.h"

#define CANDIDATE_WORK 16u
#define SET_KEPT (3u + FIND_LOAD_SLACK) /* a gram's other bytes, and whole vectors */

/* The bucket of the gram at place x; near the text's end the load is put together bytewise. */
static uint32_t bucket_at(const struct scan *scan, uint64_t x)
{
    const struct plan_set *set = &scan->plan->set;
    uint32_t gram = 0;

    memcpy(&gram, scan->chunk->bytes + x, (size_t)min_u64(sizeof gram, scan->loadable - x));
    return plan_hash32((gram | set->fold) & set->gram_mask, set->bitmap_bits) >>
           (set->bitmap_bits - set->bucket_bits);
}

static void settle_place(struct scan *scan, uint64_t x)
{
    const struct trawl_plan *plan = scan->plan;
    uint32_t bucket = bucket_at(scan, x);

    scan->result->candidate_count++;
    for (uint32_t e = plan->set_buckets[bucket]; e < plan->set_buckets[bucket + 1]; e++) {
        uint32_t literal = plan->set_entries[e];
        uint64_t length = plan_literal_match(plan, &plan->literals[literal], scan->chunk->bytes + x,
                                             scan->available - x);

        scan->work += CANDIDATE_WORK + length;
        if (length == 0)
            continue;
        settle_emit(scan, x, literal, length);
        if (scan->over)
            return;
    }
}

/* Fill the tile for the next places; returns how many words it has, 0 at the text's very end. */
static uint64_t fill(struct scan *scan, uint64_t *places)
{
    const struct trawl_plan *plan = scan->plan;
    uint64_t room = scan->loadable - scan->at, words;

    *places = min_u64(scan->limit - scan->at, 64 * FIND_TILE_WORDS);
    words = min_u64((*places + 63) / 64, room > SET_KEPT ? (room - SET_KEPT) / 64 : 0);
    if (words == 0)
        return 0;
    *places = min_u64(*places, 64 * words);
    scan->lane->find->set(scan->chunk->bytes + scan->at, words, &plan->set, plan->set_bitmap,
                          &scan->lane->tile);
    tile_cut(&scan->lane->tile, words, *places);
    return words;
}

void scan_set(struct scan *scan)
{
    while (scan->at < scan->limit && !scan_is_full(scan)) {
        uint64_t places, words = fill(scan, &places);

        if (words == 0) {
            places = 1;
            settle_place(scan, scan->at);
        } else {
            settle_tile(scan, words, settle_place);
        }
        if (scan->over)
            return;
        scan->at += places;
        if (scan->work > scan->work_max) {
            settle_linear(scan);
            return;
        }
    }
}
