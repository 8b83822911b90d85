/* order: how many hits come before a tile's, while other blocks are still at work on them.
 *
 * Each unit (a tile, or a part of a group of samples) notes once how many hits it has. What comes
 * before it is the sum of the units before it in its bundle of order_bundle, and what comes
 * before the bundle, which the last unit of the bundle before has noted. So a warp waits for one
 * round of reads, not for a chain of them.
 *
 * Whoever asks waits for units with lower numbers. Units are drawn from a ticket, by blocks that
 * run, and a block notes what it has found in a unit before it asks about that or any later one:
 * the lowest unit that is not noted yet waits for nobody.
 *
 * Source     after Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
 *            Look-back", 2016: with one level of bundles in place of the look back.
 */
#ifndef TRAWL_CUDA_KERNELS_ORDER_H
#define TRAWL_CUDA_KERNELS_ORDER_H

#include "simt.h"
#include "scan.h"

#define ORDER_NOWHERE (1ull << 62) /* no result has so much room */
#define ORDER_READS (SCAN_ORDER_BUNDLE_MAX / SIMT_WARP_THREADS)

/* The sum over the warp's lanes. All lanes of the warp. */
SIMT_FUNCTION uint64_t order_warp_sum(uint64_t own)
{
    if (simt_ballot(own != 0) == 0)
        return 0;
    for (uint32_t distance = SIMT_WARP_THREADS / 2u; distance != 0; distance /= 2u)
        own += simt_shuffle_u64(own, simt_lane() ^ distance);
    return own;
}

/* The words of units and, from here on, of bundles; before the launch all are zero. */
SIMT_FUNCTION uint64_t *order_bundles(const struct scan_arguments *a)
{
    return a->order + a->unit_count;
}

/* Add the lane's share of what comes before the unit; returns whether all of it was there. */
SIMT_FUNCTION int order_read(const struct scan_arguments *a, uint64_t unit, uint64_t *sum)
{
    uint64_t bundle = unit / a->order_bundle, first = bundle * a->order_bundle + simt_lane();
    int there = 1;

    *sum = 0;
    SIMT_UNROLL
    for (uint32_t k = 0; k < ORDER_READS; k++) {
        uint64_t at = first + k * SIMT_WARP_THREADS, word = SCAN_THERE;

        if (at < unit)
            word = simt_read_u64(a->order + at);
        there &= word >= SCAN_THERE;
        *sum += word & ~SCAN_THERE;
    }
    if (simt_lane() == 0 && bundle > 0) {
        uint64_t word = simt_read_u64(order_bundles(a) + bundle);

        there &= word >= SCAN_THERE;
        *sum += word & ~SCAN_THERE;
    }
    return there;
}

/* Note that the unit has `own` hits. Returns how many all units before it have, which is not looked
 * for where nobody wants to know: then 0. ORDER_NOWHERE where a
 * stream gives up (result->listed). All lanes of one warp. */
SIMT_FUNCTION uint64_t order_take(const struct scan_arguments *a, uint64_t unit, uint64_t own)
{
    int ends_bundle = unit % a->order_bundle == a->order_bundle - 1u;
    uint64_t sum;

    if (simt_lane() == 0)
        simt_write_u64(a->order + unit, SCAN_THERE | own);
    if (own == 0 && !ends_bundle)
        return 0;
    while (simt_ballot(!order_read(a, unit, &sum)) != 0) {
        if (simt_ballot(simt_lane() == 0 && simt_read_u64(&a->result->listed) != 0) != 0)
            return ORDER_NOWHERE;
        simt_pause();
    }
    sum = order_warp_sum(sum);
    if (ends_bundle && simt_lane() == 0)
        simt_write_u64(order_bundles(a) + unit / a->order_bundle + 1u, SCAN_THERE | (sum + own));
    return sum;
}

#endif
