/* every: occurrences of one pattern, by a look at each place of the text.
 *
 * Method     up to 8 bytes of the pattern (its rarest window) are compared at every place, from
 *            registers: 4-byte words at all 16 places of a lane's 16 bytes by funnel shifts.
 *            Patterns of up to 4 bytes are decided by that; others are verified, and a tile where
 *            too much survives is settled by duels (duel.h).
 * Grid       any; blocks draw tiles of up to 64 KiB from a ticket. 32 to 256 threads.
 * Shared     static, 17.4 KiB (two bitmaps of 8 KiB).
 * Traffic    per text byte: reads 1 1/64 (the last lane of a step loads 8 bytes twice).
 *            Per candidate: reads 16 to 72 text bytes, from L1 as a rule. Per hit: writes 4.
 *            Per tile with a hit: writes 16, and with hits wanted one atomic.
 * Progress   no block waits for another.
 * Order      ascending inside a tile; tiles by index, which the host gathers: the same bytes
 *            whatever the schedule.
 * Limits     padding of SCAN_PADDING_BYTES behind the text; tile_count < 2^32; pattern bytes
 *            <= SCAN_PATTERN_BYTES_MAX. Flooded tiles of a pattern longer than a tile read the
 *            pattern's length again for each tile that ends in an occurrence.
 * Source     Hyyro, Fredriksson, Navarro (2005) survey word-wise comparison; duels: duel.h.
 */
#include "duel.h"
#include "product.h"

/* Which filter looks at a tile. */
enum { EVERY_GRAMS, EVERY_WORDS, EVERY_PRODUCT };

/* What every, words and flooded groups do with a tile once its filter ran: `found` is this thread's
 * count of candidates. All threads of the block. */
SIMT_FUNCTION void every_settle(const struct scan_arguments *a, uint64_t origin,
                                const struct tile_shared *shared, uint32_t found, uint64_t segment,
                                struct tile_totals *totals)
{
    totals->candidates += found;
    if (!simt_barrier_or(found != 0))
        return;
    if (a->is_exact == 0 && simt_barrier_or(tile_verify(a, origin, shared))) {
        totals->floods += simt_thread() == 0;
        duel_tile(a, origin, shared);
    }
    tile_emit(a, origin, shared, segment, totals);
}

SIMT_FUNCTION void every_tiles(const struct scan_arguments *a, int filter)
{
    TILE_SHARED();
    struct tile_totals totals = {0, 0, 0};
    struct tile_queue queue = {tile_ask(a), 0};
    struct product product = {{0, 0, 0, 0}, {{0, 0, 0, 0}}, 0};
    struct filter_range range;
    uint64_t tile;
    int only_count = filter == EVERY_GRAMS && a->want == SCAN_COUNT && a->is_exact != 0;

    if (filter == EVERY_PRODUCT)
        product = product_of(a);

    range.first = a->begin + a->shift;
    range.last = a->limit + a->shift;
    for (tile = tile_next(a, &shared, &queue); SIMT_BOUND(tile < a->tile_count);
         tile = tile_next(a, &shared, &queue)) {
        uint32_t found;

        if (a->tile_list != 0)
            tile = simt_load_u32(a->tile_list + tile);
        range.position = a->position + tile * a->tile_words * 32u;
        if (a->want == SCAN_FIRST && range.position > range.first &&
            tile_is_behind(a, range.position - a->shift))
            break;
        if (filter == EVERY_PRODUCT)
            found = product_tile(a, &range, &shared, &product);
        else if (filter == EVERY_WORDS)
            found = filter_tile_of(a, &range, &shared, FILTER_WORDS, 0);
        else
            found = filter_tile(a, &range, &shared, only_count);
        if (only_count)
            totals.count += found;
        else
            every_settle(a, range.position - a->shift, &shared, found, tile, &totals);
    }
    tile_finish(a, &totals);
}

SIMT_KERNEL(scan_every, scan_arguments, SCAN_THREADS_MAX, 4)
{
    every_tiles(&args, EVERY_GRAMS);
}
