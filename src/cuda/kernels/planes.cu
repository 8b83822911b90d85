/* planes: finds the occurrences of one pattern of more than 8 bytes in dense text, in which a
 * stream kernel has too many candidates.
 *
 * Method     bit planes (plane.h) fill a bitmap of the tile's occurrences, in time linear in the
 *            tile, whatever the text.
 * Grid       any; blocks draw tiles of up to 64 KiB from a ticket. 32 to 256 threads.
 * Shared     static, 20.1 KiB (a bitmap of 8 KiB and a plane of 12).
 * Traffic    plane.h. For bins, per step of 2 KiB: writes 4 bytes, and up to 256 if the step has
 *            hits.
 * Progress   no block waits for another block.
 * Order      a count, or hits in bins (append_planes; bins.cu).
 * Limits     padding of SCAN_PADDING_BYTES after the text; tile_count < 2^32; pattern bytes
 *            <= SCAN_PATTERN_BYTES_MAX. A pattern longer than a tile is read again for each tile
 *            that ends in an occurrence.
 */
#include "plane.h"

/* Leaves the hits of the bitmap for bins_gather. Called by all threads of the block. */
SIMT_FUNCTION void planes_append(const struct pattern_arguments *a,
                                 const struct filter_range *range, const struct tile_shared *shared,
                                 struct tile_totals *totals)
{
    simt_barrier(); /* all threads have written their words */
    for (uint32_t step = simt_warp(); step < a->tile_words * 32u / STREAM_STEP_BYTES;
         step += simt_threads() / SIMT_WARP_THREADS) {
        const uint32_t *words = shared->bits + step * (STREAM_STEP_BYTES / 32u) + simt_lane() / 2u;
        uint32_t row_words = STREAM_ROW_BYTES / 32u, shift_bits = simt_lane() % 2u * 16u;
        struct tile_masks masks;

        SIMT_UNROLL
        for (uint32_t i = 0; i < STREAM_ROWS / 2u; i++)
            masks.rows[i] = (words[2u * i * row_words] >> shift_bits & 0xffffu) |
                            words[(2u * i + 1u) * row_words] >> shift_bits << 16;
        totals->count +=
            tile_append_step(&a->scan, range->position + step * STREAM_STEP_BYTES, &masks);
    }
}

/* Counts the bitmap's bits, or leaves the hits for bins. Called by all threads of the block. */
SIMT_FUNCTION void planes_emit(const struct pattern_arguments *a, const struct filter_range *range,
                               const struct tile_shared *shared, struct tile_totals *totals)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own;

    if (shared->lists) {
        planes_append(a, range, shared, totals);
        return;
    }
    for (uint32_t w = first; w < first + own; w++)
        totals->count += simt_popcount(shared->bits[w]);
}

/* Sets *range to tile number `tile` of the launch: a tile of the text, of a list of tiles, or of a
 * list of groups of samples (stream_sampled.cu), each of which has group_tiles tiles. Returns 0 if
 * the tile is empty. */
SIMT_FUNCTION int planes_place(const struct pattern_arguments *a, uint64_t tile,
                               struct filter_range *range)
{
    uint64_t begin = a->scan.begin, limit = a->scan.limit, first;

    if (a->group_tiles == 0) {
        first = a->tile_list != 0 ? simt_load_u32(a->tile_list + tile) : tile;
        range->position = a->scan.position + first * a->tile_words * 32u;
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
    range->first = (begin > a->scan.begin ? begin : a->scan.begin) + a->shift;
    range->last = (limit < a->scan.limit ? limit : a->scan.limit) + a->shift;
    range->position = (range->first & ~15ull) + tile % a->group_tiles * (a->tile_words * 32u);
    return range->position < range->last;
}

/* Searches the tiles that the block draws. */
SIMT_FUNCTION void planes_tiles(const struct pattern_arguments *a, const struct tile_shared *shared)
{
    struct tile_totals totals = {0, 0, 0};
    struct tile_queue queue = {tile_block_ticket(&a->scan), 0};
    struct filter_range range;
    uint64_t tile;

    range.first = a->scan.begin + a->shift;
    range.last = a->scan.limit + a->shift;
    for (tile = tile_next(&a->scan, shared->tickets, &queue); SIMT_BOUND(tile < a->scan.tile_count);
         tile = tile_next(&a->scan, shared->tickets, &queue)) {
        int any;

        if (!planes_place(a, tile, &range))
            continue;
        totals.dense_count += simt_thread() == 0;
        any = plane_tile_verify(a, &range, range.position - a->shift, shared, &totals);
        if (any || shared->lists)
            planes_emit(a, &range, shared, &totals);
    }
    tile_finish(&a->scan, &totals, queue.ahead);
}

/* Declares the block's shared arrays, and calls planes_tiles. Leaving hits is a separate kernel: in
 * a common one, its registers and shared memory would slow counts of dense texts. */
#define PLANES_SEARCH(lists)                                                                       \
    SIMT_SHARED(uint32_t, planes_bits, SCAN_TILE_WORDS_MAX);                                       \
    SIMT_SHARED(uint32_t, planes_plane, SCAN_PLANE_WORDS_MAX);                                     \
    SIMT_SHARED(uint32_t, planes_beyond, 1);                                                       \
    SIMT_SHARED(uint64_t, planes_tickets, 2);                                                      \
    struct tile_shared shared = {planes_bits, planes_plane, planes_beyond, planes_tickets, lists}; \
                                                                                                   \
    planes_tiles(&args, &shared)

SIMT_KERNEL(scan_planes, pattern_arguments, SCAN_THREADS_MAX, 4)
{
    PLANES_SEARCH(0);
}

SIMT_KERNEL(append_planes, pattern_arguments, SCAN_THREADS_MAX, 4)
{
    PLANES_SEARCH(1);
}
