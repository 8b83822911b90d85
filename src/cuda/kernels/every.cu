/* every: finds the occurrences of one pattern by a comparison at each position of the text.
 *
 * Method     compares up to 8 bytes of the pattern (its rarest window) at every position, in
 *            registers: funnel shifts make the 4-byte words at all 16 positions of a lane's 16
 *            bytes. For patterns of up to 8 bytes, this comparison is final; candidates of longer
 *            ones are verified. If there are too many candidates, or verifying costs too much, the
 *            tile is dense, and bit planes (plane.h) search it, and then the block's next tiles,
 *            until `patience` tiles in a row have no occurrence.
 *
 *              text --16 B/lane--> filter -> bitmap of the tile -> verify -> count, first, list
 *                    (a lane's last bytes     (shared; each warp     |  dense
 *                    come from the next       writes its own words)  +-> planes
 *                    lane, by a shuffle)
 *
 * Grid       any; blocks draw tiles of up to 64 KiB from a ticket. 32 to 256 threads.
 * Shared     static, 20.4 KiB (a bitmap of 8 KiB and a plane of 12), 8 more to list hits.
 * Traffic    per text byte: reads 1 1/64 (the last lane of a step loads 8 bytes twice).
 *            Per candidate: reads 16 to 72 text bytes, usually from L1. Per hit: writes 8.
 *            To list, per tile: writes 8, and reads up to 2 KiB if the tile has hits.
 * Bound      by instructions: filling a bitmap that is nearly always zero takes 460 instructions
 *            per warp and 2 KiB of text, three times as many as stream.h (for a pattern of 4
 *            bytes).
 * Progress   no block waits for another block, except to list: a block waits for the blocks with
 *            lower tiles (order.h).
 * Order      ascending.
 * Limits     padding of SCAN_PADDING_BYTES after the text; tile_count < 2^32; pattern bytes
 *            <= SCAN_PATTERN_BYTES_MAX. In dense text, a pattern longer than a tile is read again
 *            for each tile that ends in an occurrence.
 * Source     Hyyro, Fredriksson, Navarro (2005) survey word-wise comparison.
 */
#include "plane.h"

/* After a dense tile, the block searches by bit planes, without the filter, until `patience` tiles
 * in a row have no occurrence. The patience doubles, up to this number, whenever the filter finds a
 * tile dense, and is 1 after a tile that is not. */
#define EVERY_PATIENCE_MAX 64u

struct every_dense {
    uint32_t left; /* next tiles of the block that are searched without the filter */
    uint32_t patience;
};

/* Searches a dense tile with bit planes (plane.h), and counts or lists the hits. Called by all
 * threads of the block. */
SIMT_FUNCTION void every_search_dense(const struct scan_arguments *a,
                                      const struct filter_range *range,
                                      const struct tile_shared *shared, struct every_dense *ahead,
                                      uint64_t partition, struct tile_totals *totals)
{
    uint64_t origin = range->position - a->shift;

    totals->dense_count += simt_thread() == 0;
    if (plane_tile_verify(a, range, origin, shared, totals))
        ahead->left = ahead->patience;
    else
        ahead->left -= ahead->left > 0;
    tile_emit(a, origin, shared, partition, totals);
}

/* Verifies the candidates of a tile, and counts or lists the hits. `found` is the number of this
 * thread's candidates. Returns true if the tile is dense; the caller then searches it with bit
 * planes. Called by all threads of the block. */
SIMT_FUNCTION int every_verify(const struct scan_arguments *a, const struct filter_range *range,
                               const struct tile_shared *shared, uint32_t found,
                               struct every_dense *ahead, uint64_t partition,
                               struct tile_totals *totals)
{
    uint64_t origin = range->position - a->shift;
    int dense =
        a->plane.probe_bits != 0 && simt_popcount(simt_ballot(found != 0)) >= a->dense_lanes;

    totals->candidates += found;
    if (!simt_barrier_or(found != 0)) {
        ahead->patience = 1;
        tile_without(a, shared, partition);
    } else if (a->is_exact != 0 ||
               !simt_barrier_or(dense || tile_verify(a, origin, shared, 0, a->pattern_bytes,
                                                     a->verify_budget))) {
        ahead->patience = 1;
        tile_emit(a, origin, shared, partition, totals);
    } else {
        ahead->patience *= ahead->patience < EVERY_PATIENCE_MAX ? 2u : 1u;
        ahead->left = ahead->patience;
        return 1;
    }
    return 0;
}

/* Sets *range to tile number `tile` of the launch: a tile of the text, of a list of tiles, or of a
 * list of groups of samples (stream_sampled.cu), each of which has group_tiles tiles. Returns 0 if
 * the tile is empty. */
SIMT_FUNCTION int every_place(const struct scan_arguments *a, uint64_t tile,
                              struct filter_range *range)
{
    uint64_t begin = a->begin, limit = a->limit, first;

    if (a->group_tiles == 0) {
        first = a->tile_list != 0 ? simt_load_u32(a->tile_list + tile) : tile;
        range->position = a->position + first * a->tile_words * 32u;
        return 1;
    }
    first = (uint64_t)simt_load_u32(a->tile_list + tile / a->group_tiles) * SCAN_SAMPLE_STEP;
    if (first != 0)
        begin = a->sample_base +
                scan_sample_position((uint32_t)first - 1u, a->stride, a->sample_pair) + 1u;
    if (first + SCAN_SAMPLE_STEP < a->sample_count)
        limit = a->sample_base +
                scan_sample_position((uint32_t)first + SCAN_SAMPLE_STEP - 1u, a->stride,
                                     a->sample_pair) +
                1u;
    range->first = (begin > a->begin ? begin : a->begin) + a->shift;
    range->last = (limit < a->limit ? limit : a->limit) + a->shift;
    range->position = (range->first & ~15ull) + tile % a->group_tiles * (a->tile_words * 32u);
    return range->position < range->last;
}

/* Searches the tiles that the block draws. */
SIMT_FUNCTION void every_tiles(const struct scan_arguments *a, const struct tile_shared *shared)
{
    struct tile_totals totals = {0, 0, 0};
    struct tile_queue queue = {tile_ask(a), 0};
    struct filter_range range;
    uint64_t tile;
    struct every_dense ahead = {(a->tile_list != 0 || a->is_dense != 0) && a->plane.probe_bits != 0,
                                1};
    int only_count = !shared->lists && a->want == WANT_COUNT && a->is_exact != 0;

    range.first = a->begin + a->shift;
    range.last = a->limit + a->shift;
    if (simt_thread() == 0)
        tile_begin(shared);
    for (tile = tile_next(a, shared, &queue); SIMT_BOUND(tile < a->tile_count);
         tile = tile_next(a, shared, &queue)) {
        int dense = ahead.left > 0;

        if (!every_place(a, tile, &range))
            continue;
        if (!shared->lists && a->want == WANT_FIRST && range.position > range.first &&
            tile_is_behind(a, range.position - a->shift)) {
            /* the list is not sorted: a later tile of the list may lie earlier in the text */
            if (a->tile_list != 0)
                continue;
            break;
        }
        if (!dense) {
            uint32_t found = filter_tile(a, &range, shared, only_count);

            if (only_count)
                totals.count += found;
            else
                dense = every_verify(a, &range, shared, found, &ahead, tile, &totals);
        }
        if (dense)
            every_search_dense(a, &range, shared, &ahead, tile, &totals);
    }
    tile_end(a, shared);
    tile_finish(a, &totals, queue.ahead);
}

SIMT_KERNEL(scan_every, scan_arguments, SCAN_THREADS_MAX, 4)
{
    TILE_SHARED(0);

    every_tiles(&args, &shared);
}

SIMT_KERNEL(hits_every, scan_arguments, SCAN_THREADS_MAX, 4)
{
    TILE_SHARED(1);

    every_tiles(&args, &shared);
}
