/* tile: what the scan kernels share: the comparison of candidates, hits for bins (bins.cu), tickets
 * and sums.
 *
 * Bit b of a tile's bitmap belongs to the start origin + b. Each thread owns tile_words / threads
 * neighbouring words of the bitmap.
 *
 * A *ticket* is a number from the counter result->ticket, which gives each number to one block or
 * warp: its next tile.
 */
#ifndef TRAWL_CUDA_KERNELS_TILE_H
#define TRAWL_CUDA_KERNELS_TILE_H

#include "simt.h"
#include "scan.h"

#define TILE_STEPS 4u /* steps of a warp, of 256 bytes each, whose loads are in flight together */
/* bytes that a single lane compares; the whole warp compares the rest */
#define TILE_LANE_BYTES 64u

/* Arrays in shared memory. */
struct tile_shared {
    uint32_t *bits;   /* SCAN_TILE_WORDS_MAX words */
    uint32_t *plane;  /* SCAN_PLANE_WORDS_MAX words, for plane.h */
    uint32_t *beyond; /* for plane.h: the lowest number that the threads find */
    uint64_t *tickets;
    int lists; /* a constant: 1 in the kernel that leaves hits for bins, else 0 */
};

#define TILE_LOADS_MAX 8u /* maximum number of loads per thread in tile_keep_words */

/* The sums of a thread over all its tiles. */
struct tile_totals {
    uint64_t count;
    uint64_t candidates;
    uint64_t dense_count;
};

/* Returns the eight bytes with A-Z as a-z. The first sum sets bit 7 in bytes that are at least 'A',
 * the second in bytes above 'Z'. */
SIMT_FUNCTION uint64_t tile_fold(uint64_t word)
{
    uint64_t low = word & 0x7f7f7f7f7f7f7f7full;
    uint64_t upper = (low + 0x3f3f3f3f3f3f3f3full) & ~(low + 0x2525252525252525ull) & ~word &
                     0x8080808080808080ull;

    return word | (upper >> 2);
}

/* Copies `count` words, a multiple of 4, from global to shared memory, both aligned to 16 bytes.
 * `loads`, a compile-time constant up to TILE_LOADS_MAX: loads of 16 bytes that a thread has in
 * flight. Called by all threads of the block. */
SIMT_FUNCTION void tile_keep_words(uint32_t *to, const uint32_t *from, uint32_t count,
                                   uint32_t loads)
{
    uint32_t step = 4u * simt_threads();

    for (uint32_t i = 4u * simt_thread(); i < count; i += loads * step) {
        struct simt_u32x4 loaded[TILE_LOADS_MAX];

        SIMT_UNROLL
        for (uint32_t k = 0; k < loads; k++)
            if (SIMT_BOUND(i + k * step < count))
                loaded[k] = simt_load_u32x4(from + i + k * step);
        SIMT_UNROLL
        for (uint32_t k = 0; k < loads; k++)
            if (i + k * step < count)
                simt_put_u32x4(to + i + k * step, loaded[k]);
    }
}

/* Returns eight text bytes from any position, in lower case if a->fold is set. Reads up to 15 bytes
 * beyond the position, which may be padding. */
SIMT_FUNCTION uint64_t tile_text_word(const struct scan_arguments *a, uint64_t position)
{
    const uint64_t *aligned = (const uint64_t *)(const void *)(a->text + (position & ~7ull));
    uint32_t shift_bits = (uint32_t)(position & 7u) * 8u;
    uint64_t word = simt_load_u64(aligned);

    if (shift_bits != 0)
        word = word >> shift_bits | simt_load_u64(aligned + 1) << (64u - shift_bits);
    return a->fold != 0 ? tile_fold(word) : word;
}

/* Returns the XOR of the lowest `count` bytes of a and b; of all eight bytes if count ≥ 8. */
SIMT_FUNCTION uint64_t tile_difference(uint64_t a, uint64_t b, uint32_t count)
{
    return count >= 8u ? a ^ b : (a ^ b) & ((1ull << (count * 8u)) - 1u);
}

/* Returns true if the text at `position` equals the `count` bytes of `words`. May be called by a
 * single thread. */
SIMT_FUNCTION int tile_equal(const struct scan_arguments *a, uint64_t position,
                             const uint64_t *words, uint32_t count)
{
    for (uint32_t j = 0; j < count; j += 8u)
        if (tile_difference(tile_text_word(a, position + j), simt_load_u64(words + j / 8u),
                            count - j) != 0)
            return 0;
    return 1;
}

/* Returns true if the pattern differs from the text at x in one of the 8 bytes starting at
 * `offset`. Bytes at `to` and later do not count. */
SIMT_FUNCTION int tile_differs(const struct pattern_arguments *a, uint64_t x, uint32_t offset,
                               uint32_t to)
{
    return SIMT_BOUND(offset < to) &&
           tile_difference(tile_text_word(&a->scan, x + offset),
                           simt_load_u64(a->pattern + offset / 8u), to - offset) != 0;
}

/* Returns true if the pattern's bytes [from, to) equal the text at x + from. `from` is a multiple
 * of 8. Adds the number of steps, of 256 bytes each, to *steps. Called by all lanes of the warp,
 * with the same x. */
SIMT_FUNCTION int tile_equal_rest(const struct pattern_arguments *a, uint64_t x, uint32_t from,
                                  uint32_t to, uint32_t *steps)
{
    uint32_t step_bytes = 8u * SIMT_WARP_THREADS, together = 1;

    for (uint32_t j = from; j < to; j += together * step_bytes) {
        int differs = 0;

        /* The loads of several steps are in flight together. */
        together = to - j > step_bytes ? TILE_STEPS : 1u;
        if (together == TILE_STEPS) {
            SIMT_UNROLL
            for (uint32_t k = 0; k < TILE_STEPS; k++)
                differs |= tile_differs(a, x, j + k * step_bytes + 8u * simt_lane(), to);
        } else {
            differs = tile_differs(a, x, j + 8u * simt_lane(), to);
        }
        *steps += together;
        if (simt_ballot(differs) != 0)
            return 0;
    }
    return 1;
}

/* Returns how many words of the bitmap a thread owns. */
SIMT_FUNCTION uint32_t tile_own_words(const struct pattern_arguments *a)
{
    return a->tile_words / simt_threads();
}

/* Returns those of the starts of a word where the pattern matches: all of `matching` and, of the
 * starts that follow such a start at a distance of `period`, those in `starts`. `before` are the
 * matching ones of the word before. */
SIMT_FUNCTION uint32_t tile_repeat(uint32_t starts, uint32_t matching, uint32_t before,
                                   uint32_t period)
{
    matching |= starts & before >> (32u - period);
    for (uint32_t distance = period; distance < 32u; distance *= 2u) {
        matching |= starts & matching << distance;
        starts &= starts << distance;
    }
    return matching;
}

/* Clears the bits of starts where the pattern's bytes [from, to) do not match; `from` is a multiple
 * of 8. With a `period` (1 to 32; else 0), each start is known to have the same bytes there as
 * `period` bytes later: so of starts at this distance from each other, one is compared. */
SIMT_FUNCTION void tile_verify(const struct pattern_arguments *a, uint64_t origin,
                               const struct tile_shared *shared, uint32_t from, uint32_t to,
                               uint32_t period)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own, warp_first, lanes, steps = 0;
    uint32_t lane_bytes = to - from < TILE_LANE_BYTES ? to - from : TILE_LANE_BYTES;
    uint32_t any = 0, before = 0, matching = 0;

    for (uint32_t w = first; w < first + own; w++) {
        uint32_t starts = shared->bits[w], compared = starts, kept;

        if (period != 0)
            compared &= ~simt_funnel(before, starts, 32u - period);
        kept = compared;
        for (uint32_t left = compared; left != 0; left &= left - 1u) {
            uint32_t bit = simt_lowest_bit(left);

            if (!tile_equal(&a->scan, origin + w * 32u + bit + from, a->pattern + from / 8u,
                            lane_bytes))
                kept &= ~(1u << bit);
        }
        matching = period != 0 ? tile_repeat(starts, kept, matching, period) : kept;
        before = starts;
        shared->bits[w] = matching;
        any |= matching;
    }
    if (to - from <= TILE_LANE_BYTES)
        return;
    simt_warp_sync(); /* each lane sees the words that its warp's lanes wrote */
    warp_first = simt_warp() * SIMT_WARP_THREADS * own;
    for (lanes = simt_ballot(any != 0); lanes != 0; lanes &= lanes - 1u) {
        uint32_t lane_first = warp_first + simt_lowest_bit(lanes) * own;

        for (uint32_t w = lane_first; w < lane_first + own; w++) {
            uint32_t left = shared->bits[w], kept = left;

            for (; left != 0; left &= left - 1u) {
                uint32_t bit = simt_lowest_bit(left);

                if (!tile_equal_rest(a, origin + w * 32u + bit, from + TILE_LANE_BYTES, to, &steps))
                    kept &= ~(1u << bit);
            }
            simt_warp_sync();
            if (simt_lane() == 0)
                shared->bits[w] = kept;
        }
    }
}

/* Appends the hit of each lane whose `found` is not 0 to its bin, in any order: literal << 32 | x -
 * begin. A lane does so by itself: the bins' counters are far apart, and a warp waits only once. */
SIMT_FUNCTION void tile_append(const struct scan_arguments *a, int found, uint64_t x,
                               uint32_t literal)
{
    uint64_t bin = (x - a->begin) >> a->bin_shift;
    uint32_t slot;

    if (!found)
        return;
    slot = simt_atomic_add_u32(a->bin_counts + bin, 1);
    if (SIMT_BOUND(slot < a->capacity))
        simt_store_u64(a->hits + bin * a->capacity + slot,
                       (uint64_t)literal << 32 | (x - a->begin));
}

/* A lane's hits in a step (STREAM_ROWS rows of 512 bytes): 16 bits per row, one for each position
 * of the lane. Two rows share a word, the earlier one in the low half. */
struct tile_masks {
    uint32_t rows[STREAM_ROWS / 2u];
};

/* Leaves the hits of the step at `position` for bins_gather: in the step's BINS_RUN_BYTES, their
 * offsets in the step, ascending, 16 bits each, or, if they are more than BINS_RUN_MAX, the lanes'
 * masks. Returns how many hits this lane has. Called by all lanes of the warp. */
SIMT_FUNCTION uint32_t tile_append_step(const struct scan_arguments *a, uint64_t position,
                                        const struct tile_masks *masks)
{
    uint64_t step = (position - a->position) / STREAM_STEP_BYTES;
    uint32_t *words = (uint32_t *)(void *)a->hits + step * (BINS_RUN_BYTES / 4u);
    uint16_t *run = (uint16_t *)(void *)words;
    uint32_t low = masks->rows[0], high = masks->rows[1], at, last;
    uint32_t own = simt_popcount(low) + simt_popcount(high), all = simt_warp_sum_u32(own);

    if (simt_lane() == 0)
        simt_store_u32(a->bin_counts + step, all);
    if (all == 0)
        return 0;
    if (all > BINS_RUN_MAX) {
        simt_store_u32(words + simt_lane(), low);
        simt_store_u32(words + SIMT_WARP_THREADS + simt_lane(), high);
        return own;
    }
    /* a row's hits in a byte each: first the lane's, then those of this lane and all lower ones,
     * then those that precede this lane's in the step */
    own = simt_popcount(low & 0xffffu) | simt_popcount(low >> 16) << 8 |
          simt_popcount(high & 0xffffu) << 16 | simt_popcount(high >> 16) << 24;
    at = simt_warp_upto_u32(own);
    last = simt_shuffle_u32(at, SIMT_WARP_THREADS - 1u);
    at += last * 0x01010100u - own;
    SIMT_UNROLL
    for (uint32_t i = 0; i < STREAM_ROWS / 2u; i++)
        for (uint32_t left = masks->rows[i]; left != 0; left &= left - 1u) {
            uint32_t bit = simt_lowest_bit(left), row = 2u * i + bit / 16u;

            simt_store_u16(run + (at >> 8u * row & 0xffu),
                           (uint16_t)(row * STREAM_ROW_BYTES + 16u * simt_lane() + bit % 16u));
            at += 1u << 8u * row;
        }
    return simt_popcount(low) + simt_popcount(high);
}
/* The block's next tiles. Thread 0 draws a tile's ticket one turn before the block needs it. */
struct tile_queue {
    uint64_t ahead; /* in thread 0: the number that tile_next returns next */
    uint32_t turn;
};

/* Draws a ticket of 32 bits. With 64, the upper half would occupy a register, and the next use of
 * that register would wait for the ticket. */
SIMT_FUNCTION uint32_t tile_ticket(const struct scan_arguments *a)
{
    return simt_atomic_add_u32((uint32_t *)(void *)&a->result->ticket, 1);
}

/* Draws a ticket for the block, in thread 0. */
SIMT_FUNCTION uint64_t tile_block_ticket(const struct scan_arguments *a)
{
    return simt_thread() == 0 ? simt_atomic_add_u64(&a->result->ticket, 1) : 0;
}

/* Draws a ticket for the warp, in lane 0. */
SIMT_FUNCTION uint64_t tile_warp_ticket(const struct scan_arguments *a)
{
    return simt_lane() == 0 ? simt_atomic_add_u64(&a->result->ticket, 1) : 0;
}

/* Returns the number of the next tile (≥ tile_count: none). The two words of `tickets` are used in
 * turn, so that a single barrier is enough: when thread 0 writes a word, all threads have read its
 * earlier value. Called by all threads of the block. */
SIMT_FUNCTION uint64_t tile_next(const struct scan_arguments *a, uint64_t *tickets,
                                 struct tile_queue *queue)
{
    uint64_t *ticket = &tickets[queue->turn++ % 2u];

    if (simt_thread() == 0)
        *ticket = queue->ahead;
    simt_barrier();
    queue->ahead = tile_block_ticket(a);
    return *ticket;
}

/* Passes the sums to the host, without a fence: each word packs its sum with the number
 * of blocks that have added to it, so that the last block to add has the whole sum. Called by all
 * lanes of the block's warp 0; lane i has sum i. */
SIMT_FUNCTION void tile_report_count(const struct scan_arguments *a, uint64_t own)
{
    uint64_t *word = (uint64_t *)a->result + simt_lane(), sum;

    if (!SIMT_BOUND(simt_lane() < SCAN_SUMS))
        return;
    sum = own + (1ull << SCAN_SUM_BITS);
    sum += simt_atomic_add_u64(word, sum);
    if (sum >> SCAN_SUM_BITS != simt_blocks())
        return;
    simt_store_u64(word, 0);
    if (simt_lane() == 2u) {
        simt_store_u64(&a->result->ticket, 0);
        simt_store_u64(&a->result->listed, 0);
    }
    simt_store_u64((uint64_t *)a->answer + simt_lane(),
                   SCAN_THERE | (sum & ((1ull << SCAN_SUM_BITS) - 1u)));
}

/* Adds the threads' sums to the result, with one atomic operation per block and sum: one per thread
 * would take 5 times as long as the whole scan, for a pattern of 1 byte in 32 MiB. `asked` is the
 * thread's last ticket if it draws tickets, never UINT64_MAX: comparing it waits for the ticket, so
 * that the block signals only after all its tickets have arrived. Called by all threads of the
 * block, at the kernel's end. */
SIMT_FUNCTION void tile_finish(const struct scan_arguments *a, const struct tile_totals *totals,
                               uint64_t asked)
{
    SIMT_SHARED(uint64_t, tile_sums, SCAN_SUMS * SCAN_WARPS_MAX);
    uint64_t count = simt_warp_sum_u64(totals->count + (asked == UINT64_MAX)), total = 0;
    uint64_t candidates = simt_warp_sum_u64(totals->candidates),
             dense_count = simt_warp_sum_u64(totals->dense_count);
    uint64_t *own = tile_sums + SCAN_SUMS * simt_warp();

    if (simt_lane() == 0) {
        own[0] = count;
        own[1] = candidates;
        own[2] = dense_count;
    }
    simt_barrier();
    if (simt_warp() != 0)
        return;
    for (uint32_t w = 0; w < simt_threads() / SIMT_WARP_THREADS; w++)
        total += simt_lane() < SCAN_SUMS ? tile_sums[SCAN_SUMS * w + simt_lane()] : 0;
    tile_report_count(a, total);
}

#endif
