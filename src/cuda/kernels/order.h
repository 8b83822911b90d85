/* order: how many hits come before a tile's, while other blocks still search.
 *
 * A *partition* is a tile, or a part of a group of samples. A block publishes once how many hits a
 * partition has, and adds this to the sum of its *partition group*, 2^partition_group_log2 of them.
 * One warp then looks back, in one round of reads:
 *
 *     groups    ... | g-3 : inclusive prefix | g-2 : sum | g-1 : sum | g : partitions p0 p1 p2 [p3]
 *                        ^ the nearest that        + sum      + sum       + p0 + p1 + p2
 *                          a block published                              = hits before p3
 *
 * The last partition of a group publishes the inclusive prefix at the group's end.
 *
 * Progress   A warp waits only for partitions with lower numbers. Running blocks draw these from a
 *            ticket, and a block publishes a partition before it asks what comes before that one or
 *            any later one. So the lowest unpublished partition waits for no other.
 * Traffic    per partition: 16 bytes written; per look-back up to 64 counts of partitions and two
 *            words of each of 32 groups.
 * Bound      by one round trip to memory: all reads are in flight together.
 * Lost       the end of each group waiting for the group before it: 18 us per group. Reads one
 *            after the other, each under a condition of its own [H200].
 * Source     Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
 *            2016, over groups.
 */
#ifndef TRAWL_CUDA_KERNELS_ORDER_H
#define TRAWL_CUDA_KERNELS_ORDER_H

#include "simt.h"
#include "scan.h"

#define ORDER_NOWHERE (1ull << 62) /* no result has so much room */
#define ORDER_READS ((1u << SCAN_PARTITION_GROUP_LOG2_MAX) / SIMT_WARP_THREADS)

/* The sum over the warp's lanes. All lanes of the warp. */
SIMT_FUNCTION uint64_t order_warp_sum(uint64_t own)
{
    if (simt_ballot(own != 0) == 0)
        return 0;
    for (uint32_t distance = SIMT_WARP_THREADS / 2u; distance != 0; distance /= 2u)
        own += simt_shuffle_u64(own, simt_lane() ^ distance);
    return own;
}

/* The sum over this lane and those below. All lanes of the warp. */
SIMT_FUNCTION uint32_t order_sum_upto(uint32_t own)
{
    for (uint32_t delta = 1; delta < SIMT_WARP_THREADS; delta *= 2u) {
        uint32_t lower = simt_shuffle_up_u32(own, delta);

        own += simt_lane() >= delta ? lower : 0;
    }
    return own;
}

/* After a word per partition, two for each group: what its partitions have come to so far, and
 * above SCAN_SUM_BITS how many they are; and with SCAN_THERE what there is up to its end. Before
 * the launch all are zero. */
SIMT_FUNCTION uint64_t *order_group_words(const struct scan_arguments *a, uint64_t group)
{
    return a->order + a->partition_count + 2u * group;
}

/* Publish that the partition has `own` hits. One thread. */
SIMT_FUNCTION void order_publish(const struct scan_arguments *a, uint64_t partition, uint64_t own)
{
    simt_write_u64(a->order + partition, SCAN_THERE | own);
    simt_add_u64(order_group_words(a, partition >> a->partition_group_log2),
                 own + (1ull << SCAN_SUM_BITS));
}

/* The lane's share of what the groups before this one have, lane i for the group i + 1 before;
 * *there: all of it is published. All lanes of the warp. */
SIMT_FUNCTION uint64_t order_groups_before(const struct scan_arguments *a, uint64_t group,
                                           uint64_t sum, uint64_t upto, int *there)
{
    int exists = group > simt_lane(),
        is_whole = sum >> SCAN_SUM_BITS == 1u << a->partition_group_log2;
    uint32_t ends = simt_ballot(exists && upto >= SCAN_THERE);
    uint32_t missing = simt_ballot(exists && upto < SCAN_THERE && !is_whole);
    uint32_t nearest = ends != 0 ? simt_lowest_bit(ends) : SIMT_WARP_THREADS;

    *there = (ends != 0 || group <= SIMT_WARP_THREADS) &&
             (missing == 0 || simt_lowest_bit(missing) > nearest);
    if (!exists || simt_lane() > nearest)
        return 0;
    return simt_lane() == nearest ? upto & ~SCAN_THERE : sum & ((1ull << SCAN_SUM_BITS) - 1u);
}

/* Is everything before the partition published? Then *before is its sum. All lanes of the warp read
 * unconditionally, so that their reads are in flight together. */
SIMT_FUNCTION int order_look(const struct scan_arguments *a, uint64_t partition, uint64_t *before)
{
    uint64_t group = partition >> a->partition_group_log2, first = group << a->partition_group_log2,
             sum = 0;
    uint64_t other = group > simt_lane() ? group - 1u - simt_lane() : 0, words[ORDER_READS];
    uint64_t group_sum, upto;
    int there = 1, groups_there;

    SIMT_UNROLL
    for (uint32_t k = 0; k < ORDER_READS; k++) {
        uint64_t at = first + k * SIMT_WARP_THREADS + simt_lane();

        words[k] = simt_read_u64(a->order + (at < partition ? at : partition));
    }
    group_sum = simt_read_u64(order_group_words(a, other));
    upto = simt_read_u64(order_group_words(a, other) + 1);
    SIMT_UNROLL
    for (uint32_t k = 0; k < ORDER_READS; k++) {
        int counts = first + k * SIMT_WARP_THREADS + simt_lane() < partition;

        there &= !counts || words[k] >= SCAN_THERE;
        sum += counts ? words[k] & ~SCAN_THERE : 0;
    }
    sum += order_groups_before(a, group, group_sum, upto, &groups_there);
    if (simt_ballot(!there) != 0 || !groups_there)
        return 0;
    *before = order_warp_sum(sum);
    return 1;
}

/* Does the partition's warp have to look back, even if it has no hits itself? */
SIMT_FUNCTION int order_ends_group(const struct scan_arguments *a, uint64_t partition)
{
    return ((partition + 1u) & ((1u << a->partition_group_log2) - 1u)) == 0;
}

/* Is it known how many hits all partitions before this one have? This one is published and has
 * `own`. Then *before is that number. All lanes of one warp. */
SIMT_FUNCTION int order_try(const struct scan_arguments *a, uint64_t partition, uint64_t own,
                            uint64_t *before)
{
    if (!order_look(a, partition, before))
        return 0;
    if (order_ends_group(a, partition) && simt_lane() == 0)
        simt_write_u64(order_group_words(a, partition >> a->partition_group_log2) + 1,
                       SCAN_THERE | (*before + own));
    return 1;
}

/* Wait for it. ORDER_NOWHERE where a stream gives up (result->listed). All lanes of one warp. */
SIMT_FUNCTION uint64_t order_before(const struct scan_arguments *a, uint64_t partition,
                                    uint64_t own)
{
    uint64_t before;

    while (!order_try(a, partition, own, &before)) {
        if (simt_ballot(simt_lane() == 0 && simt_read_u64(&a->result->listed) > a->listed_max) != 0)
            return ORDER_NOWHERE;
        simt_pause();
    }
    return before;
}

/* Publish the partition's hits and look back; 0 if the number before them is not needed. All lanes
 * of one warp. */
SIMT_FUNCTION uint64_t order_take(const struct scan_arguments *a, uint64_t partition, uint64_t own)
{
    if (simt_lane() == 0)
        order_publish(a, partition, own);
    if (own == 0 && !order_ends_group(a, partition))
        return 0;
    return order_before(a, partition, own);
}

#endif
