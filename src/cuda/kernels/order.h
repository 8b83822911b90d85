/* order: finds how many hits precede a tile's hits, while other blocks still search.
 *
 * A *partition* is a tile, or one of the tiles into which a group of samples is cut (group_tiles).
 * A *partition group* is 2^partition_group_log2 partitions. A block publishes once how many hits a
 * partition has, and adds this number to the sum of the partition's group. A warp then looks back,
 * in a single round of reads:
 *
 *     groups    ... | g-3 : inclusive prefix | g-2 : sum | g-1 : sum | g : partitions p0 p1 p2 [p3]
 *                        ^ the nearest prefix      + sum      + sum       + p0 + p1 + p2
 *                          that is published                              = hits before p3
 *
 * The last partition of a group publishes the inclusive prefix at the group's end.
 *
 * Progress   A warp waits only for partitions with lower numbers. Running blocks draw the numbers
 *            of partitions in ascending order from a ticket, an atomic counter. A block publishes a
 *            partition before it looks back from it or from a later one. So the lowest unpublished
 *            partition waits for no other.
 * Traffic    per partition: 16 bytes written; per look-back up to 64 counts of partitions and two
 *            words of each of 32 groups.
 * Bound      by one round trip to memory: all reads are in flight together.
 * Source     Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
 *            2016, here over groups of partitions.
 */
#ifndef TRAWL_CUDA_KERNELS_ORDER_H
#define TRAWL_CUDA_KERNELS_ORDER_H

#include "simt.h"
#include "scan.h"

#define ORDER_NOWHERE (1ull << 62) /* index of a hit for which no result has room */
#define ORDER_READS ((1u << SCAN_PARTITION_GROUP_LOG2_MAX) / SIMT_WARP_THREADS)

/* Returns the sum over the warp's lanes. Called by all lanes of the warp. */
SIMT_FUNCTION uint64_t order_warp_sum(uint64_t own)
{
    if (simt_ballot(own != 0) == 0)
        return 0;
    for (uint32_t distance = SIMT_WARP_THREADS / 2u; distance != 0; distance /= 2u)
        own += simt_shuffle_u64(own, simt_lane() ^ distance);
    return own;
}

/* Returns the address of a group's two words in a->order, where the words of all groups follow
 * those of all partitions. The first is the sum of the hits of the group's published partitions,
 * plus the number of these partitions << SCAN_SUM_BITS. The second, once SCAN_THERE is set, is the
 * number of hits up to the group's end. Before the launch all words are zero. */
SIMT_FUNCTION uint64_t *order_group_words(const struct scan_arguments *a, uint64_t group)
{
    return a->order + a->partition_count + 2u * group;
}

/* Publishes that the partition has `own` hits. Called by a single thread. */
SIMT_FUNCTION void order_publish(const struct scan_arguments *a, uint64_t partition, uint64_t own)
{
    simt_write_u64(a->order + partition, SCAN_THERE | own);
    simt_add_u64(order_group_words(a, partition >> a->partition_group_log2),
                 own + (1ull << SCAN_SUM_BITS));
}

/* Returns a number whose sum over the warp's lanes is the number of hits in all groups before
 * `group`. Lane i passes the two words of group - 1 - i as sum and upto. Sets *there to true if
 * the words of all lanes are enough to know that sum. Called by all lanes of the warp. */
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

/* Returns true, and sets *before, if the number of hits before this partition is known. Called
 * by all lanes of the warp, which read without a condition, so that all reads are in flight
 * together. */
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

/* Returns true if the partition is the last of its group. Its warp must then look back even if it
 * has no hits. */
SIMT_FUNCTION int order_ends_group(const struct scan_arguments *a, uint64_t partition)
{
    return ((partition + 1u) & ((1u << a->partition_group_log2) - 1u)) == 0;
}

/* Like order_look, for a published partition with `own` hits. If it is the last of its group,
 * also publishes the number of hits up to the group's end. Called by all lanes of the warp. */
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

/* Waits for and returns the number of hits before this partition; ORDER_NOWHERE if the launch was
 * abandoned: result->listed is above listed_max, and some earlier partitions may never be
 * published. Called by all lanes of the warp. */
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

/* Publishes that the partition has `own` hits, and returns the number of hits before it. If it has
 * no hits and is not the last of its group, returns 0 without waiting. Called by all lanes of the
 * warp. */
SIMT_FUNCTION uint64_t order_take(const struct scan_arguments *a, uint64_t partition, uint64_t own)
{
    if (simt_lane() == 0)
        order_publish(a, partition, own);
    if (own == 0 && !order_ends_group(a, partition))
        return 0;
    return order_before(a, partition, own);
}

#endif
