/* tile: what all scan kernels do with a tile after its filter has set bits.
 *
 * Bit b of a tile stands for the begin tile->origin + b. Each thread owns tile_words / threads
 * neighbouring words of the bitmap. To list, the threads' counts become slots:
 *
 *     bits -> thread counts -> prefix in the warp -> warp totals -> prefix in the block -> slots
 *                              (shuffles)            (shared)       + hits before the tile
 *                                                                   (order.h)
 *
 * Up to TILE_LIST_MAX hits wait in shared memory until the block's next tile with hits, because by
 * then other blocks have published what comes before them.
 */
#ifndef TRAWL_CUDA_KERNELS_TILE_H
#define TRAWL_CUDA_KERNELS_TILE_H

#include "order.h"

#define TILE_DENSE 4u       /* hits per word from which on a warp writes them together */
#define TILE_STEPS 4u       /* of a warp, 256 bytes each, together */
#define TILE_LANE_BYTES 64u /* compared by one lane alone; what is beyond, by the whole warp */
/* Hits of a partition that are kept until the next partition has some, when others have published
 * what comes before them; a slot with TILE_LISTED on top is one of the list. */
#define TILE_LIST_MAX 1024u
#define TILE_LISTED (1ull << 63)
#define TILE_NONE UINT64_MAX

/* A partition that is published and not yet written. */
struct tile_pending {
    uint64_t partition; /* TILE_NONE: there is none */
    uint64_t count;
};

struct tile_shared {
    uint32_t *bits;        /* SCAN_TILE_WORDS_MAX */
    uint32_t *plane;       /* SCAN_PLANE_WORDS_MAX: plane.h */
    uint32_t *warp_totals; /* SCAN_THREADS_MAX / 32 */
    uint64_t *slot;
    uint64_t *ticket; /* 2 */
    uint32_t *beyond; /* plane_beyond's */
    uint64_t *list;   /* TILE_LIST_MAX */
    struct tile_pending *pending;
    int lists; /* constant: is it a kernel that lists hits? */
};

/* Declares the arrays and a struct tile_shared named `shared`; lists_hits is 0 or 1. Kernels that
 * list hits are separate: their registers and shared memory would slow counts of dense texts from
 * 0.67 to 0.37 of the read speed [H200]. */
#define TILE_SHARED(lists_hits)                                                    \
    SIMT_SHARED(uint32_t, tile_bits, SCAN_TILE_WORDS_MAX);                         \
    SIMT_SHARED(uint32_t, tile_plane, SCAN_PLANE_WORDS_MAX);                       \
    SIMT_SHARED(uint32_t, tile_warp_totals, SCAN_THREADS_MAX / SIMT_WARP_THREADS); \
    SIMT_SHARED(uint64_t, tile_slot, 1);                                           \
    SIMT_SHARED(uint64_t, tile_ticket, 2);                                         \
    SIMT_SHARED(uint32_t, tile_beyond, 1);                                         \
    SIMT_SHARED(uint64_t, tile_list, (lists_hits) ? TILE_LIST_MAX : 1u);           \
    SIMT_SHARED(struct tile_pending, tile_pending, 1);                             \
    struct tile_shared shared = {                                                  \
        tile_bits,   tile_plane, tile_warp_totals, tile_slot, tile_ticket,         \
        tile_beyond, tile_list,  tile_pending,     lists_hits}

/* What a thread adds up over all its tiles. */
struct tile_totals {
    uint64_t count;
    uint64_t candidates;
    uint64_t dense_count;
};

/* A-Z of each of eight bytes to a-z (the sums carry into bit 7 at 'A' and beyond 'Z'). */
SIMT_FUNCTION uint64_t tile_fold(uint64_t word)
{
    uint64_t low = word & 0x7f7f7f7f7f7f7f7full;
    uint64_t upper = (low + 0x3f3f3f3f3f3f3f3full) & ~(low + 0x2525252525252525ull) & ~word &
                     0x8080808080808080ull;

    return word | (upper >> 2);
}

/* Eight text bytes from any position. Reads up to 15 bytes beyond it: within the padding. */
SIMT_FUNCTION uint64_t tile_text_word(const struct scan_arguments *a, uint64_t position)
{
    const uint64_t *aligned = (const uint64_t *)(const void *)(a->text + (position & ~7ull));
    uint32_t shift_bits = (uint32_t)(position & 7u) * 8u;
    uint64_t word = simt_load_u64(aligned);

    if (shift_bits != 0)
        word = word >> shift_bits | simt_load_u64(aligned + 1) << (64u - shift_bits);
    return a->fold != 0 ? tile_fold(word) : word;
}

SIMT_FUNCTION uint8_t tile_text_byte(const struct scan_arguments *a, uint64_t position)
{
    uint8_t byte = simt_load_u8(a->text + position);

    return a->fold != 0 && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20u) : byte;
}

SIMT_FUNCTION uint8_t tile_pattern_byte(const struct scan_arguments *a, uint32_t offset)
{
    return simt_load_u8((const uint8_t *)a->pattern + offset);
}

/* The bits in which `count` bytes of eight differ (count >= 8: all of them). */
SIMT_FUNCTION uint64_t tile_difference(uint64_t a, uint64_t b, uint32_t count)
{
    return count >= 8u ? a ^ b : (a ^ b) & ((1ull << (count * 8u)) - 1u);
}

/* Do the `count` bytes of `words` stand at the text's position? One thread. */
SIMT_FUNCTION int tile_equal(const struct scan_arguments *a, uint64_t position,
                             const uint64_t *words, uint32_t count)
{
    for (uint32_t j = 0; j < count; j += 8u)
        if (tile_difference(tile_text_word(a, position + j), simt_load_u64(words + j / 8u),
                            count - j) != 0)
            return 0;
    return 1;
}

/* Do the pattern's 8 bytes at `offset`, as far as they lie below `to`, not stand at as many bytes
 * beyond x? */
SIMT_FUNCTION int tile_differs(const struct scan_arguments *a, uint64_t x, uint32_t offset,
                               uint32_t to)
{
    return SIMT_BOUND(offset < to) &&
           tile_difference(tile_text_word(a, x + offset), simt_load_u64(a->pattern + offset / 8u),
                           to - offset) != 0;
}

/* Do the pattern's bytes [from, to) stand there? By a whole warp with the same x; `from` is a
 * multiple of 8. *steps counts steps of 256 bytes. */
SIMT_FUNCTION int tile_equal_rest(const struct scan_arguments *a, uint64_t x, uint32_t from,
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

SIMT_FUNCTION uint32_t tile_own_words(const struct scan_arguments *a)
{
    return a->tile_words / simt_threads();
}

/* Clear the bits of begins where the pattern's bytes [from, to) do not stand; `from` is a multiple
 * of 8. Returns whether this warp gave up after `budget` steps of 256 bytes: its bits are then not
 * all verified, and the tile is dense. */
SIMT_FUNCTION int tile_verify(const struct scan_arguments *a, uint64_t origin,
                              const struct tile_shared *shared, uint32_t from, uint32_t to,
                              uint32_t budget)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own, warp_first, lanes, steps = 0;
    uint32_t lane_bytes = to - from < TILE_LANE_BYTES ? to - from : TILE_LANE_BYTES;
    uint32_t any = 0;

    for (uint32_t w = first; w < first + own; w++) {
        uint32_t left = shared->bits[w], kept = left;

        for (; left != 0; left &= left - 1u) {
            uint32_t bit = simt_lowest_bit(left);

            if (!tile_equal(a, origin + w * 32u + bit + from, a->pattern + from / 8u, lane_bytes))
                kept &= ~(1u << bit);
        }
        shared->bits[w] = kept;
        any |= kept;
    }
    if (to - from <= TILE_LANE_BYTES)
        return 0;
    simt_warp_sync(); /* the lanes' words become visible to each other */
    warp_first = simt_warp() * SIMT_WARP_THREADS * own;
    for (lanes = simt_ballot(any != 0); lanes != 0; lanes &= lanes - 1u) {
        uint32_t lane_first = warp_first + simt_lowest_bit(lanes) * own;

        for (uint32_t w = lane_first; w < lane_first + own; w++) {
            uint32_t left = shared->bits[w], kept = left;

            for (; left != 0; left &= left - 1u) {
                uint32_t bit = simt_lowest_bit(left);

                if (steps >= budget)
                    return 1;
                if (!tile_equal_rest(a, origin + w * 32u + bit, from + TILE_LANE_BYTES, to, &steps))
                    kept &= ~(1u << bit);
            }
            simt_warp_sync();
            if (simt_lane() == 0)
                shared->bits[w] = kept;
        }
    }
    return 0;
}

/* Put a hit into its slot. */
SIMT_FUNCTION void tile_put(const struct scan_arguments *a, const struct tile_shared *shared,
                            uint64_t slot, uint64_t hit)
{
    if ((slot & TILE_LISTED) != 0)
        shared->list[slot & ~TILE_LISTED] = hit;
    else if (SIMT_BOUND(slot < a->capacity))
        simt_store_u64(&a->hits[slot], hit);
}

/* Write the hits of the partition that is pending: all threads have read its number, and a barrier
 * ago. All threads of the block. */
SIMT_FUNCTION void tile_flush(const struct scan_arguments *a, const struct tile_shared *shared,
                              uint64_t partition)
{
    uint64_t count = shared->pending->count, slot;

    if (partition == TILE_NONE)
        return;
    if (simt_warp() == 0) {
        slot = order_before(a, partition, count);
        if (simt_lane() == 0)
            *shared->slot = slot;
    }
    simt_barrier();
    slot = *shared->slot;
    for (uint64_t i = simt_thread(); i < count; i += simt_threads())
        tile_put(a, shared, slot + i, shared->list[i]);
    simt_barrier(); /* read before it is changed */
    if (simt_thread() == 0)
        shared->pending->partition = TILE_NONE;
}

/* Nothing is pending. One thread, a barrier before all else. */
SIMT_FUNCTION void tile_begin(const struct tile_shared *shared)
{
    if (shared->lists)
        shared->pending->partition = TILE_NONE;
}

/* Nothing is left pending. All threads of the block, a barrier after all else. */
SIMT_FUNCTION void tile_end(const struct scan_arguments *a, const struct tile_shared *shared)
{
    if (shared->lists)
        tile_flush(a, shared, shared->pending->partition);
}

/* Publish the partition's hits, `own` of this thread, and find slots for them: in the list if they
 * are few, so that the block need not wait for what comes before them, else in the result. Returns
 * this thread's first; *shared->slot is the block's. All threads of the block. */
SIMT_FUNCTION uint64_t tile_reserve(const struct scan_arguments *a,
                                    const struct tile_shared *shared, uint32_t own,
                                    uint64_t partition)
{
    uint32_t inclusive = order_sum_upto(own), before = 0, total = 0;
    uint64_t pending = shared->pending->partition;

    if (simt_lane() == SIMT_WARP_THREADS - 1u)
        shared->warp_totals[simt_warp()] = inclusive;
    simt_barrier();
    for (uint32_t w = 0; w < simt_threads() / SIMT_WARP_THREADS; w++) {
        before += w < simt_warp() ? shared->warp_totals[w] : 0;
        total += shared->warp_totals[w];
    }
    if (simt_thread() == 0)
        order_publish(a, partition, total);
    tile_flush(a, shared, pending);
    if (total <= TILE_LIST_MAX && !order_ends_group(a, partition)) {
        if (simt_thread() == 0) {
            *shared->slot = TILE_LISTED;
            shared->pending->partition = total != 0 ? partition : TILE_NONE;
            shared->pending->count = total;
        }
    } else if (simt_warp() == 0) {
        uint64_t slot = order_before(a, partition, total);

        if (simt_lane() == 0)
            *shared->slot = slot;
    }
    simt_barrier();
    return *shared->slot + before + (inclusive - own);
}

/* The partition has no hits. Warp 0 of the block, as far as it matters. */
SIMT_FUNCTION void tile_without(const struct scan_arguments *a, const struct tile_shared *shared,
                                uint64_t partition)
{
    if (shared->lists && simt_warp() == 0)
        (void)order_take(a, partition, 0);
}

/* An occurrence, (x - begin) << 32 | literal: is it the first? */
SIMT_FUNCTION void tile_lower_first(const struct scan_arguments *a, uint64_t found)
{
    simt_max_u64(&a->result->nearest, SCAN_NONE - found);
}

/* Write the warp's hits, of which the thread has `count`, from `slot` on. All lanes of the warp;
 * bits are visible to each other. */
SIMT_FUNCTION void tile_write(const struct scan_arguments *a, uint64_t origin,
                              const struct tile_shared *shared, uint64_t slot, uint32_t count)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own, begin;
    uint64_t base = a->hits_base + origin - a->begin;

    if (simt_ballot(count > TILE_DENSE * own) == 0) {
        for (uint32_t w = first; w < first + own; w++)
            for (uint32_t left = shared->bits[w]; left != 0; left &= left - 1u, slot++)
                tile_put(a, shared, slot, base + w * 32u + simt_lowest_bit(left));
        return;
    }
    /* Many: word by word, a lane to each bit, so that stores lie side by side. */
    slot = simt_shuffle_u64(slot, 0);
    begin = simt_warp() * SIMT_WARP_THREADS * own;
    for (uint32_t w = begin; w < begin + SIMT_WARP_THREADS * own; w++) {
        uint32_t word = shared->bits[w];
        uint64_t at = slot + simt_popcount(word & ((1u << simt_lane()) - 1u));

        if ((word >> simt_lane() & 1u) != 0)
            tile_put(a, shared, at, base + w * 32u + simt_lane());
        slot += simt_popcount(word);
    }
}

/* Hand out what the bitmap holds, in order. All threads of the block. */
SIMT_FUNCTION void tile_emit(const struct scan_arguments *a, uint64_t origin,
                             const struct tile_shared *shared, uint64_t partition,
                             struct tile_totals *totals)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own, count = 0, lowest = UINT32_MAX;

    for (uint32_t w = first; w < first + own; w++) {
        uint32_t word = shared->bits[w];

        if (word != 0 && count == 0)
            lowest = w * 32u + simt_lowest_bit(word);
        count += simt_popcount(word);
    }
    totals->count += count;
    if (!shared->lists && a->want == WANT_FIRST) {
        uint32_t lanes = simt_ballot(count != 0);

        if (lanes != 0 && simt_lane() == simt_lowest_bit(lanes))
            tile_lower_first(a, (origin + lowest - a->begin) << 32);
    } else if (shared->lists) {
        tile_write(a, origin, shared, tile_reserve(a, shared, count, partition), count);
    }
}

/* The block's next tiles: thread 0 draws the one after the next ahead of time. */
struct tile_queue {
    uint64_t ahead; /* thread 0's */
    uint32_t turn;
};

/* A ticket of 32 bits: the upper half of a longer one would occupy a register, and the next use of
 * that register would wait for the ticket. */
SIMT_FUNCTION uint32_t tile_ticket(const struct scan_arguments *a)
{
    return simt_atomic_add_u32((uint32_t *)(void *)&a->result->ticket, 1);
}

SIMT_FUNCTION uint64_t tile_ask(const struct scan_arguments *a)
{
    return simt_thread() == 0 ? simt_atomic_add_u64(&a->result->ticket, 1) : 0;
}

/* The same for each warp. */
SIMT_FUNCTION uint64_t tile_lane_ask(const struct scan_arguments *a)
{
    return simt_lane() == 0 ? simt_atomic_add_u64(&a->result->ticket, 1) : 0;
}

/* The number of the next tile; tile_count and more: none. All threads of the block. Two tickets in
 * turn, so that one barrier is enough: when a thread writes one, all have read it before the other
 * was written. */
SIMT_FUNCTION uint64_t tile_next(const struct scan_arguments *a, const struct tile_shared *shared,
                                 struct tile_queue *queue)
{
    uint64_t *ticket = &shared->ticket[queue->turn++ % 2u];

    if (simt_thread() == 0)
        *ticket = queue->ahead;
    simt_barrier();
    queue->ahead = tile_ask(a);
    return *ticket;
}

/* Is everything from begin x on behind the first occurrence found so far? The same answer for all
 * threads of the block. */
SIMT_FUNCTION int tile_is_behind(const struct scan_arguments *a, uint64_t x)
{
    int behind = 0;

    if (simt_thread() == 0 && x > a->begin)
        behind = (SCAN_NONE - simt_read_u64(&a->result->nearest)) >> 32 < x - a->begin;
    return simt_barrier_or(behind);
}

/* If this is the last block, hand the whole result to the host and leave zeros for the next launch:
 * no launch needs a fill before it or a copy after it. Warp 0 of the block, all lanes. */
SIMT_FUNCTION void tile_sign(const struct scan_arguments *a)
{
    uint64_t done = 0;

    simt_fence(); /* the sums before the signature */
    simt_warp_sync();
    if (simt_lane() == 0)
        done = simt_atomic_add_u64(&a->result->blocks, 1) + 1u;
    if (simt_shuffle_u64(done, 0) != simt_blocks())
        return;
    simt_fence(); /* all signatures before their sums */
    if (SIMT_BOUND(simt_lane() < SCAN_RESULT_WORDS)) {
        uint64_t *word = (uint64_t *)a->result + simt_lane();

        if (simt_lane() != SCAN_RESULT_WORDS - 1u)
            simt_store_u64((uint64_t *)a->answer + simt_lane(), simt_read_u64(word));
        simt_store_u64(word, 0);
    }
    simt_warp_sync(); /* the lanes' words before the launch's number */
    if (simt_lane() == 0) {
        simt_fence_host();
        simt_store_u64(&a->answer->blocks, a->launch);
    }
}

/* The same for counts, without a fence: each counter packs its sum with the number of blocks that
 * have added to it, so that the last one has the whole sum. Warp 0 of the block, all lanes; lane i
 * has sum i. */
SIMT_FUNCTION void tile_hand_over(const struct scan_arguments *a, uint64_t own)
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

/* Add what the threads have counted to the result: one atomic per block and sum, since all threads'
 * would take longer than the scan of a small piece (measured: 5 times, at 32 MiB and m = 1).
 * `asked` is the last ticket of each thread that draws any, never all ones: using its value waits
 * for it, so the block signs after all its tickets have arrived. All threads of the block, after
 * all else. */
SIMT_FUNCTION void tile_finish(const struct scan_arguments *a, const struct tile_totals *totals,
                               uint64_t asked)
{
    SIMT_SHARED(uint64_t, tile_sums, SCAN_SUMS * SCAN_WARPS_MAX);
    uint64_t count = order_warp_sum(totals->count + (asked == UINT64_MAX)), total = 0;
    uint64_t candidates = order_warp_sum(totals->candidates),
             dense_count = order_warp_sum(totals->dense_count);
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
    if (a->want == WANT_COUNT) {
        tile_hand_over(a, total);
        return;
    }
    if (total != 0)
        simt_add_u64((uint64_t *)a->result + simt_lane(), total);
    tile_sign(a);
}

#endif
