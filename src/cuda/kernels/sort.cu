/* sort: sorts a list of 64-bit words.
 *
 * Method     short lists (sort_rank): a word's rank is the number of smaller words, which each
 *            thread counts for its word. Long lists: a stable LSD radix sort, 8 bits at a time. For
 *            each digit, sort_digits counts, for each block's share of the list, the words with
 *            each value of the digit; then sort_scatter puts each word after those with lower
 *            values, and after those of earlier blocks with the same value:
 *
 *              share of a block -> tiles of 8 warps x 8 words x 32 lanes
 *              place = words with lower digits + earlier blocks' + earlier tiles'   (base, shared)
 *                      + earlier warps' of the tile                                 (shared)
 *                      + earlier words' of the warp                                 (ballots)
 *
 * Grid       up to SORT_BLOCKS_MAX blocks of LISTS_THREADS threads; sort_rank: a thread per word.
 * Shared     static, 9 KiB.
 * Traffic    per word and digit: reads 16 bytes, writes 8.
 * Bound      by latency: a block loads a tile only after it has written the last one.
 * Progress   no block waits for another.
 * Source     Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", 2007, radix sort
 *            with counts per block; here, lanes find those with the same digit using ballots.
 */
#include "lists.h"
#include "simt.h"

#define SORT_LOADS 16u /* counts of blocks that a thread loads together */

SIMT_FUNCTION void sort_put(const struct sort_arguments *a, uint64_t at, uint64_t word)
{
    if (SIMT_BOUND(at < a->capacity))
        simt_store_u64(a->to + at, a->base + (uint32_t)word + a->factor * (word >> 32));
}

/* Swaps the halves, so that comparisons look at the low half first. */
SIMT_FUNCTION uint64_t sort_turned(uint64_t word)
{
    return word << 32 | word >> 32;
}

SIMT_KERNEL(sort_rank, sort_arguments, LISTS_THREADS, 1)
{
    uint64_t own = (uint64_t)simt_block() * simt_threads() + simt_thread(), rank = 0, word, key;

    if (!SIMT_BOUND(own < args.count))
        return;
    word = simt_load_u64(args.from + own);
    key = sort_turned(word);
    for (uint64_t i = 0; i < args.count; i++) {
        uint64_t other = sort_turned(simt_load_u64(args.from + i));

        rank += other < key || (other == key && i < own);
    }
    sort_put(&args, rank, word);
}

SIMT_FUNCTION uint32_t sort_digit(const struct sort_arguments *a, uint64_t word)
{
    return (uint32_t)(word >> a->shift) & (SORT_DIGITS - 1u);
}

/* Returns where the block's share ends. */
SIMT_FUNCTION uint64_t sort_share_end(const struct sort_arguments *a)
{
    uint64_t end = (simt_block() + 1ull) * a->share;

    return end < a->count ? end : a->count;
}

SIMT_KERNEL(sort_digits, sort_arguments, LISTS_THREADS, 1)
{
    SIMT_SHARED(uint32_t, sort_counts, SORT_DIGITS);
    uint64_t end = sort_share_end(&args);

    sort_counts[simt_thread()] = 0;
    simt_barrier();
    for (uint64_t i = simt_block() * args.share + simt_thread(); SIMT_BOUND(i < end);
         i += simt_threads())
        (void)simt_atomic_add_u32(&sort_counts[sort_digit(&args, simt_load_u64(args.from + i))], 1);
    simt_barrier();
    simt_store_u32(args.counts + (uint64_t)simt_block() * SORT_DIGITS + simt_thread(),
                   sort_counts[simt_thread()]);
}

/* Returns the lanes with the same digit as this lane, among those whose `valid` is not 0. Called by
 * all lanes of the warp. */
SIMT_FUNCTION uint32_t sort_peers(uint32_t digit, int valid)
{
    uint32_t peers = simt_ballot(valid);

    SIMT_UNROLL
    for (uint32_t bit = 0; bit < SORT_DIGIT_BITS; bit++) {
        uint32_t set = simt_ballot((digit >> bit & 1u) != 0);

        peers &= (digit >> bit & 1u) != 0 ? set : ~set;
    }
    return peers;
}

/* Returns the place of the block's first word with the thread's digit. Called by all threads of the
 * block, which are as many as there are digits. */
SIMT_FUNCTION uint32_t sort_first_place(const struct sort_arguments *a, uint32_t *warp_sums)
{
    uint32_t before = 0, total = 0, upto, lower = 0;

    SIMT_ROLLED
    for (uint32_t b = 0; b < simt_blocks(); b += SORT_LOADS) {
        uint32_t own[SORT_LOADS];

        SIMT_UNROLL
        for (uint32_t k = 0; k < SORT_LOADS; k++) {
            own[k] = 0;
            if (SIMT_BOUND(b + k < simt_blocks()))
                own[k] = simt_load_u32(a->counts + (uint64_t)(b + k) * SORT_DIGITS + simt_thread());
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < SORT_LOADS; k++) {
            before += b + k < simt_block() ? own[k] : 0;
            total += own[k];
        }
    }
    upto = simt_warp_upto_u32(total);
    if (simt_lane() == SIMT_WARP_THREADS - 1u)
        warp_sums[simt_warp()] = upto;
    simt_barrier();
    for (uint32_t w = 0; w < simt_warp(); w++)
        lower += warp_sums[w];
    return lower + upto - total + before;
}

SIMT_KERNEL(sort_scatter, sort_arguments, LISTS_THREADS, 2)
{
    SIMT_SHARED(uint32_t, sort_warps, LISTS_THREADS / SIMT_WARP_THREADS * SORT_DIGITS);
    SIMT_SHARED(uint32_t, sort_sums, LISTS_THREADS / SIMT_WARP_THREADS);
    uint32_t *own_warp = sort_warps + simt_warp() * SORT_DIGITS;
    uint32_t place = sort_first_place(&args, sort_sums);
    uint64_t end = sort_share_end(&args);

    for (uint64_t tile = simt_block() * args.share; tile < end; tile += SORT_TILE) {
        uint64_t words[SORT_EACH], at = tile + simt_warp() * (SORT_TILE / 8u) + simt_lane();
        uint32_t ranks[SORT_EACH];

        for (uint32_t d = simt_lane(); d < SORT_DIGITS; d += SIMT_WARP_THREADS)
            own_warp[d] = 0;
        SIMT_UNROLL
        for (uint32_t k = 0; k < SORT_EACH; k++) {
            words[k] = 0;
            if (SIMT_BOUND(at + k * SIMT_WARP_THREADS < end))
                words[k] = simt_load_u64(args.from + at + k * SIMT_WARP_THREADS);
        }
        simt_warp_sync();
        SIMT_UNROLL
        for (uint32_t k = 0; k < SORT_EACH; k++) {
            uint32_t digit = sort_digit(&args, words[k]);
            int valid = at + k * SIMT_WARP_THREADS < end;
            uint32_t peers = sort_peers(digit, valid), before = own_warp[digit];

            ranks[k] = before + simt_popcount(peers & ((1u << simt_lane()) - 1u));
            simt_warp_sync(); /* all lanes have read before a lane writes */
            if (valid && simt_lane() == simt_lowest_bit(peers))
                own_warp[digit] = before + simt_popcount(peers);
            simt_warp_sync();
        }
        simt_barrier();
        for (uint32_t w = 0; w < LISTS_THREADS / SIMT_WARP_THREADS; w++) {
            uint32_t *counted = sort_warps + w * SORT_DIGITS + simt_thread(), count = *counted;

            *counted = place;
            place += count;
        }
        simt_barrier();
        SIMT_UNROLL
        for (uint32_t k = 0; k < SORT_EACH; k++)
            if (at + k * SIMT_WARP_THREADS < end)
                sort_put(&args, own_warp[sort_digit(&args, words[k])] + ranks[k], words[k]);
        simt_barrier(); /* all warps have read their places before the next tile's counts */
    }
}
