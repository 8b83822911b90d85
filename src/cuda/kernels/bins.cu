/* bins: puts hits in order that the kernels that count have appended to bins
 *
 * Method     a bin has the hits that begin at neighbouring positions. If there are many bins,
 *            bins_sum adds up the counts of each block's. bins_sort and bins_gather add up those of
 *            earlier blocks, and write each bin's hits behind those of the bins before: bins_sort,
 *            a warp for a bin, sorts them first, by rank if they are few, else bitonic;
 *            bins_gather, eight lanes for a bin, writes hits that tile_append_step left in order.
 *            bins_ends only notes how many hits a bin and those before have (write_automaton).
 *            If a bin has a bit for each position (mark_automaton), a warp writes those that are
 *            set (bins_marks).
 * Grid       any; all kernels the same, LISTS_THREADS threads.
 * Traffic    per hit: reads 8 bytes (bins_gather: 2), writes 8. Per bin: reads 8.
 * Progress   no block waits for another.
 * Rejected   as speed of listing / of counting for a hit in 1,000, 400 and 100 bytes [H200]. Hits
 *            in order while counting, a block waiting for the tiles before its own: 0.87, 0.85 and
 *            0.82 for 1 byte; at 1/400 and 1/100, 0.83 and 0.79 for 10 bytes, but 0.55 and 0.29 for
 *            10 strings, and 950 lines of code. All hits in one list, by an atomic addition per
 *            warp and step, then a radix sort, which reads and writes 24 bytes of a hit for each
 *            digit: 0.65 and 0.62 for 10 bytes and 10 strings at 1/1,000. (docs/kernels.md has the
 *            figures of bins.)
 */
#include "lists.h"
#include "scan.h"
#include "simt.h"

#define BINS_WARPS (LISTS_THREADS / SIMT_WARP_THREADS)
#define BINS_GATHER_LANES 8u
#define BINS_GATHER_EACH 4u
#define BINS_MARKS_EACH 4u

/* LISTS_THREADS neighbouring bins. */
struct bins_turn {
    uint32_t counts[LISTS_THREADS];
    uint32_t before[LISTS_THREADS]; /* hits in all bins before each */
    uint32_t sums[BINS_WARPS];
};

SIMT_FUNCTION uint64_t bins_end(const struct bins_arguments *a)
{
    uint64_t end = (simt_block() + 1ull) * a->share;

    return end < a->bins ? end : a->bins;
}

/* Returns the sum over the block's threads. Called by all threads of the block. */
SIMT_FUNCTION uint32_t bins_block_sum(uint32_t own, uint32_t *warp_sums)
{
    uint32_t sum = simt_warp_sum_u32(own);

    simt_barrier();
    if (simt_lane() == 0)
        warp_sums[simt_warp()] = sum;
    simt_barrier();
    sum = 0;
    for (uint32_t w = 0; w < BINS_WARPS; w++)
        sum += warp_sums[w];
    return sum;
}

SIMT_KERNEL(bins_sum, bins_arguments, LISTS_THREADS, 4)
{
    SIMT_SHARED(uint32_t, bins_warp_sums, BINS_WARPS);
    uint64_t end = bins_end(&args);
    uint32_t own = 0, max = 0;

    for (uint64_t i = simt_block() * args.share + simt_thread(); SIMT_BOUND(i < end);
         i += simt_threads()) {
        uint32_t count = simt_load_u32(args.counts + i);

        own += count;
        max = max < count ? count : max;
    }
    own = bins_block_sum(own, bins_warp_sums);
    if (simt_thread() == 0)
        simt_store_u32(args.sums + simt_block(), own);
    if (max > args.slots_each)
        simt_max_u64(args.full, 1);
}

/* Returns how many hits the bins of earlier blocks have; adds them up itself if there are few bins.
 * Sets *full if some bin has lost hits. Called by all threads of the block. */
SIMT_FUNCTION uint32_t bins_earlier(const struct bins_arguments *a, struct bins_turn *turn,
                                    int *full)
{
    uint32_t before = 0, max = 0;

    if (a->bins <= BINS_FEW) {
        for (uint64_t i = simt_thread(); SIMT_BOUND(i < a->bins); i += simt_threads()) {
            uint32_t count = simt_load_u32(a->counts + i);

            before += i < simt_block() * a->share ? count : 0;
            max = max < count ? count : max;
        }
        *full = simt_barrier_or(max > a->slots_each);
    } else {
        for (uint32_t b = simt_thread(); SIMT_BOUND(b < simt_block()); b += simt_threads())
            before += simt_load_u32(a->sums + b);
        *full = simt_load_relaxed_u64(a->full) != 0;
    }
    return bins_block_sum(before, turn->sums);
}

/* Reads the counts of the bins from `first` on, which `before` hits precede, and returns how many
 * hits precede the next turn's. Called by all threads of the block. */
SIMT_FUNCTION uint32_t bins_begin(const struct bins_arguments *a, struct bins_turn *turn,
                                  uint64_t first, uint32_t before)
{
    uint32_t own = 0, upto;

    if (SIMT_BOUND(first + simt_thread() < bins_end(a)))
        own = simt_load_u32(a->counts + first + simt_thread());
    upto = simt_warp_upto_u32(own);
    simt_barrier(); /* all warps have read the last turn's words */
    if (simt_lane() == SIMT_WARP_THREADS - 1u)
        turn->sums[simt_warp()] = upto;
    simt_barrier();
    turn->counts[simt_thread()] = own;
    turn->before[simt_thread()] = before + upto - own;
    for (uint32_t w = 0; w < BINS_WARPS; w++) {
        turn->before[simt_thread()] += w < simt_warp() ? turn->sums[w] : 0;
        before += turn->sums[w];
    }
    simt_barrier();
    return before;
}

/* ---- Hits in any order -------------------------------------------------------------------- */

SIMT_FUNCTION void bins_put(const struct bins_arguments *a, uint64_t at, uint64_t key)
{
    if (SIMT_BOUND(at < a->capacity))
        simt_store_u64(a->to + at, a->base + (key >> 32) + a->factor * (uint32_t)key);
}

/* Sorts the bin's `count` hits, and writes them from index `at` on. Called by all lanes. */
SIMT_FUNCTION void bins_sort_one(const struct bins_arguments *a, uint64_t *keys, uint64_t bin,
                                 uint32_t count, uint64_t at)
{
    const uint64_t *from = a->slots + bin * a->slots_each;
    uint32_t size = SIMT_WARP_THREADS, rank = 0;

    while (size < count)
        size *= 2u;
    for (uint32_t i = simt_lane(); i < size; i += SIMT_WARP_THREADS) {
        uint64_t word = UINT64_MAX;

        if (SIMT_BOUND(i < count)) {
            word = simt_load_u64(from + i);
            word = word << 32 | word >> 32; /* by offset, then by literal */
        }
        keys[i] = word;
    }
    simt_warp_sync();
    if (size == SIMT_WARP_THREADS) {
        for (uint32_t i = 0; i < count; i++)
            rank += keys[i] < keys[simt_lane()];
        if (simt_lane() < count)
            bins_put(a, at + rank, keys[simt_lane()]);
        simt_warp_sync(); /* all lanes have read before the next bin's words */
        return;
    }
    for (uint32_t k = 2u; k <= size; k *= 2u)
        for (uint32_t j = k / 2u; j != 0; j /= 2u) {
            for (uint32_t t = simt_lane(); t < size / 2u; t += SIMT_WARP_THREADS) {
                uint32_t i = 2u * t - (t & (j - 1u));
                uint64_t low = keys[i], high = keys[i + j];

                if ((low > high) == ((i & k) == 0)) {
                    keys[i] = high;
                    keys[i + j] = low;
                }
            }
            simt_warp_sync();
        }
    for (uint32_t i = simt_lane(); i < count; i += SIMT_WARP_THREADS)
        bins_put(a, at + i, keys[i]);
    simt_warp_sync(); /* all lanes have read before the next bin's words */
}

SIMT_KERNEL(bins_sort, bins_arguments, LISTS_THREADS, 4)
{
    SIMT_SHARED(uint64_t, bins_keys, BINS_WARPS * BINS_SLOTS_MAX);
    SIMT_SHARED(struct bins_turn, bins_sort_turn, 1);
    uint64_t end = bins_end(&args);
    int full;
    uint32_t before = bins_earlier(&args, bins_sort_turn, &full);

    if (simt_block() == 0 && simt_thread() == 0)
        simt_store_u64(args.told, full ? 1u : 0);
    if (full)
        return;
    for (uint64_t first = simt_block() * args.share; first < end; first += LISTS_THREADS) {
        before = bins_begin(&args, bins_sort_turn, first, before);
        for (uint32_t i = simt_warp(); i < LISTS_THREADS; i += BINS_WARPS)
            if (bins_sort_turn->counts[i] != 0)
                bins_sort_one(&args, bins_keys + simt_warp() * BINS_SLOTS_MAX, first + i,
                              bins_sort_turn->counts[i], bins_sort_turn->before[i]);
    }
}

/* ---- Hits that are in order ----------------------------------------------------------------- */

/* Writes the hits of a step that has left its lanes' masks: word by word, a lane for each bit, so
 * that stores lie side by side. Called by all lanes. */
SIMT_FUNCTION void bins_gather_bits(const struct bins_arguments *a, const uint32_t *masks,
                                    uint64_t base, uint64_t at)
{
    for (uint32_t row = 0; row < STREAM_ROWS; row++) {
        uint32_t own = simt_load_u32(masks + row / 2u * SIMT_WARP_THREADS + simt_lane());

        own = own >> row % 2u * 16u & 0xffffu;
        own |= simt_shuffle_u32(own, (simt_lane() + 1u) % SIMT_WARP_THREADS) << 16;
        for (uint32_t i = 0; i < SIMT_WARP_THREADS; i += 2u, base += 32u) {
            uint32_t word = simt_shuffle_u32(own, i);
            uint64_t to = at + simt_popcount(word & ((1u << simt_lane()) - 1u));

            if ((word >> simt_lane() & 1u) != 0 && SIMT_BOUND(to < a->capacity))
                simt_store_u64(a->to + to, base + simt_lane());
            at += simt_popcount(word);
        }
    }
}

/* Writes every BINS_GATHER_LANES-th of a run's hits from number k on, at most BINS_GATHER_EACH:
 * their loads are in flight together. */
SIMT_FUNCTION void bins_gather_run(const struct bins_arguments *a, const uint16_t *run, uint32_t k,
                                   uint32_t count, uint64_t base, uint64_t at)
{
    uint32_t offsets[BINS_GATHER_EACH];

    SIMT_UNROLL
    for (uint32_t i = 0; i < BINS_GATHER_EACH; i++)
        if (k + i * BINS_GATHER_LANES < count)
            offsets[i] = simt_load_u16(run + k + i * BINS_GATHER_LANES);
    SIMT_UNROLL
    for (uint32_t i = 0; i < BINS_GATHER_EACH; i++)
        if (k + i * BINS_GATHER_LANES < count &&
            SIMT_BOUND(at + k + i * BINS_GATHER_LANES < a->capacity))
            simt_store_u64(a->to + at + k + i * BINS_GATHER_LANES, base + offsets[i]);
}

SIMT_KERNEL(bins_gather, bins_arguments, LISTS_THREADS, 6)
{
    SIMT_SHARED(struct bins_turn, bins_gather_turn, 1);
    const uint8_t *runs = (const uint8_t *)(const void *)args.slots;
    uint32_t together = SIMT_WARP_THREADS / BINS_GATHER_LANES;
    int full;
    uint32_t before = bins_earlier(&args, bins_gather_turn, &full);

    for (uint64_t first = simt_block() * args.share; first < bins_end(&args);
         first += LISTS_THREADS) {
        before = bins_begin(&args, bins_gather_turn, first, before);
        for (uint32_t i = simt_warp() * together; i < LISTS_THREADS; i += BINS_WARPS * together) {
            uint32_t own = i + simt_lane() / BINS_GATHER_LANES;
            uint32_t count = bins_gather_turn->counts[own];
            uint64_t at = bins_gather_turn->before[own];
            uint64_t base = args.base + (first + own) * STREAM_STEP_BYTES;
            const uint8_t *run = runs + (first + own) * BINS_RUN_BYTES;

            for (uint32_t k = simt_lane() % BINS_GATHER_LANES; k < count && count <= BINS_RUN_MAX;
                 k += BINS_GATHER_EACH * BINS_GATHER_LANES)
                bins_gather_run(&args, (const uint16_t *)(const void *)run, k, count, base, at);
            for (own = i; own < i + together; own++)
                if (bins_gather_turn->counts[own] > BINS_RUN_MAX)
                    bins_gather_bits(
                        &args,
                        (const uint32_t *)(const void *)(runs + (first + own) * BINS_RUN_BYTES),
                        args.base + (first + own) * STREAM_STEP_BYTES,
                        bins_gather_turn->before[own]);
        }
    }
}

/* Writes the positions from `base` on that are marked, from index `at` on. */
SIMT_FUNCTION void bins_put_marks(const struct bins_arguments *a, uint64_t marks, uint64_t base,
                                  uint64_t at)
{
    for (uint32_t half = 0; half < 2u; half++, base += 32u, marks >>= 32)
        for (uint32_t left = (uint32_t)marks; left != 0; left &= left - 1u, at++)
            if (SIMT_BOUND(at < a->capacity))
                simt_store_u64(a->to + at, base + simt_lowest_bit(left));
}

/* A bin has slots_each bits, a multiple of 64. The words of 32 bins lie together: the first of
 * each, then the second of each. A lane reads every 32nd word of BINS_MARKS_EACH bins, so that a
 * warp writes a bin's positions together: a lane for each bin took 1.8 times as long [H200]. */
SIMT_KERNEL(bins_marks, bins_arguments, LISTS_THREADS, 4)
{
    SIMT_SHARED(struct bins_turn, bins_marks_turn, 1);
    uint32_t words = args.slots_each / 64u;
    int full;
    uint32_t before = bins_earlier(&args, bins_marks_turn, &full);

    for (uint64_t first = simt_block() * args.share; first < bins_end(&args);
         first += LISTS_THREADS) {
        before = bins_begin(&args, bins_marks_turn, first, before);
        for (uint32_t i = simt_warp() * BINS_MARKS_EACH; i < LISTS_THREADS;
             i += BINS_WARPS * BINS_MARKS_EACH) {
            const uint64_t *from = args.slots + (first + i) / 32u * 32u * words;
            uint64_t marks[BINS_MARKS_EACH], base = args.base + (first + i) * args.slots_each;
            uint32_t done[BINS_MARKS_EACH] = {0};

            for (uint32_t w = simt_lane(); w - simt_lane() < words; w += SIMT_WARP_THREADS) {
                SIMT_UNROLL
                for (uint32_t k = 0; k < BINS_MARKS_EACH; k++) {
                    marks[k] = 0;
                    if (SIMT_BOUND(w < words) && bins_marks_turn->counts[i + k] != 0)
                        marks[k] = simt_load_u64(from + w * 32u + (first + i) % 32u + k);
                }
                SIMT_UNROLL
                for (uint32_t k = 0; k < BINS_MARKS_EACH; k++) {
                    uint32_t own = simt_popcount((uint32_t)marks[k]) +
                                   simt_popcount((uint32_t)(marks[k] >> 32));
                    uint32_t upto = simt_warp_upto_u32(own);

                    bins_put_marks(&args, marks[k], base + k * args.slots_each + 64u * w,
                                   (uint64_t)bins_marks_turn->before[i + k] + done[k] + upto - own);
                    done[k] += simt_shuffle_u32(upto, SIMT_WARP_THREADS - 1u);
                }
            }
        }
    }
}

/* ---- Hits that are not written yet ---------------------------------------------------------- */

SIMT_KERNEL(bins_ends, bins_arguments, LISTS_THREADS, 8)
{
    SIMT_SHARED(struct bins_turn, bins_ends_turn, 1);
    int full;
    uint32_t before = bins_earlier(&args, bins_ends_turn, &full);

    for (uint64_t first = simt_block() * args.share; first < bins_end(&args);
         first += LISTS_THREADS) {
        uint64_t own = first + simt_thread();

        before = bins_begin(&args, bins_ends_turn, first, before);
        if (SIMT_BOUND(own < bins_end(&args)))
            simt_store_u64(args.to + own, (uint64_t)bins_ends_turn->before[simt_thread()] +
                                              bins_ends_turn->counts[simt_thread()]);
    }
}
