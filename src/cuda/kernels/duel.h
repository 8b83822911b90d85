/* duel: linear work for a tile in which too many candidates survive.
 *
 * Method     Two candidates whose distance is not a period of the pattern cannot both be
 *            occurrences: where the pattern and its shifted self differ, one text byte rules out
 *            one of them or both. After such duels all candidates that are left agree with each
 *            other wherever they overlap. So each text byte is compared once, with the nearest
 *            candidate to its left, and a candidate is an occurrence if no byte inside it differs.
 *            Sums of periods are periods, so only neighbours need to duel, and a byte that rules
 *            out one candidate rules out all consistent ones that cover it.
 * Threads    duels run as a tournament: each thread makes its own words consistent, then pairs of
 *            neighbouring ranges are merged, one thread per pair, with a barrier between rounds.
 * Traffic    per tile of L begins and a pattern of m bytes: L text bytes and L pattern bytes; m
 *            more of each if the tile's last candidate is an occurrence; two bytes and an overlap
 *            per duel, at most as many duels as candidates and threads. Pattern and overlaps come
 *            from L2.
 * Speed      0.004 of the read speed for a^m in a^n, where planes (plane.h) reach 0.55 to 0.67
 *            [H200]. So duels run only where planes do not fit.
 * Source     Vishkin, "Optimal parallel pattern matching in strings", 1985; Breslauer and Galil,
 *            1990.
 */
#ifndef TRAWL_CUDA_KERNELS_DUEL_H
#define TRAWL_CUDA_KERNELS_DUEL_H

#include "tile.h"

#define DUEL_NONE UINT32_MAX

/* One more than the highest bit in [low, high), 0 if there is none. */
SIMT_FUNCTION uint32_t duel_last(const uint32_t *bits, uint32_t low, uint32_t high)
{
    while (high > low) {
        uint32_t w = (high - 1u) / 32u, word = bits[w];

        if (high % 32u != 0)
            word &= (1u << high % 32u) - 1u;
        if (w * 32u < low)
            word &= ~0u << low % 32u;
        if (word != 0)
            return w * 32u + simt_highest_bit(word) + 1u;
        high = w * 32u;
    }
    return 0;
}

/* The lowest bit in [low, high), DUEL_NONE if there is none. */
SIMT_FUNCTION uint32_t duel_first(const uint32_t *bits, uint32_t low, uint32_t high)
{
    while (low < high) {
        uint32_t w = low / 32u, word = bits[w] & ~0u << low % 32u;

        if (word != 0) {
            uint32_t bit = w * 32u + simt_lowest_bit(word);

            return bit < high ? bit : DUEL_NONE;
        }
        low = (w + 1u) * 32u;
    }
    return DUEL_NONE;
}

SIMT_FUNCTION void duel_clear(uint32_t *bits, uint32_t low, uint32_t high)
{
    while (low < high) {
        uint32_t w = low / 32u, end = (w + 1u) * 32u, mask = ~0u << low % 32u;

        if (end > high)
            mask &= (1u << high % 32u) - 1u;
        bits[w] &= ~mask;
        low = end;
    }
}

/* The candidates in [low, middle) agree with each other, and so do those in [middle, high): make
 * all of [low, high) agree. One thread, which owns the words meanwhile. */
SIMT_FUNCTION void duel_verify(const struct scan_arguments *a, uint64_t origin, uint32_t *bits,
                               uint32_t low, uint32_t middle, uint32_t high)
{
    for (;;) {
        uint32_t left = duel_last(bits, low, middle), right, distance, common, at;
        uint8_t byte;

        if (left-- == 0)
            return;
        right = duel_first(bits, middle, high);
        if (right == DUEL_NONE || right - left >= a->pattern_bytes)
            return;
        distance = right - left;
        common = simt_load_u32(a->overlap + distance);
        if (common + distance >= a->pattern_bytes)
            return; /* the distance is a period */
        at = right + common;
        byte = tile_text_byte(a, origin + at);
        if (byte != tile_pattern_byte(a, common + distance))
            duel_clear(bits, at >= low + a->pattern_bytes ? at - a->pattern_bytes + 1u : low,
                       left + 1u);
        if (byte != tile_pattern_byte(a, common))
            duel_clear(bits, right, at < high ? at + 1u : high);
    }
}

/* Compare the own words' bytes with the nearest candidate to their left (`current` - 1; 0: none).
 * Sets the own words of bad; returns the lowest position that differs. */
SIMT_FUNCTION uint32_t duel_sweep(const struct scan_arguments *a, uint64_t origin,
                                  const struct tile_shared *shared, uint32_t current)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own, first_bad = DUEL_NONE;

    for (uint32_t w = first; w < first + own; w++) {
        uint32_t word = shared->bits[w], bad = 0;

        for (uint32_t bit = 0; bit < 32u; bit++) {
            uint32_t b = w * 32u + bit;

            if ((word >> bit & 1u) != 0)
                current = b + 1u;
            if (current == 0 || b + 1u - current >= a->pattern_bytes ||
                tile_text_byte(a, origin + b) == tile_pattern_byte(a, b + 1u - current))
                continue;
            bad |= 1u << bit;
            if (first_bad == DUEL_NONE)
                first_bad = b;
        }
        shared->bad[w] = bad;
    }
    return first_bad;
}

/* The lowest position at or beyond the tile's end where the last candidate differs, into
 * *shared->beyond. All threads of the block. */
SIMT_FUNCTION void duel_sweep_beyond(const struct scan_arguments *a, uint64_t origin,
                                     const struct tile_shared *shared, uint32_t last)
{
    uint32_t step = 8u * simt_threads();

    for (uint32_t j = a->tile_words * 32u - last; j < a->pattern_bytes; j += step) {
        uint32_t offset = j + 8u * simt_thread(), differs = 0;

        for (uint32_t i = offset; i < offset + 8u && SIMT_BOUND(i < a->pattern_bytes); i++)
            if (tile_text_byte(a, origin + last + i) != tile_pattern_byte(a, i)) {
                (void)simt_atomic_min_u32(shared->beyond, last + i);
                differs = 1;
                break;
            }
        if (simt_barrier_or(differs))
            break;
    }
}

/* Clear the own candidates that hold a byte that differs; `next_bad` is the lowest one beyond the
 * own words. */
SIMT_FUNCTION void duel_keep(const struct scan_arguments *a, const struct tile_shared *shared,
                             uint32_t next_bad)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own;

    for (uint32_t w = first + own; w-- > first;) {
        uint32_t word = shared->bits[w], bad = shared->bad[w], kept = word;

        for (uint32_t bit = 32u; bit-- > 0;) {
            uint32_t b = w * 32u + bit;

            if ((bad >> bit & 1u) != 0)
                next_bad = b;
            if ((word >> bit & 1u) != 0 && next_bad != DUEL_NONE && next_bad - b < a->pattern_bytes)
                kept &= ~(1u << bit);
        }
        shared->bits[w] = kept;
    }
}

SIMT_FUNCTION_LARGE void duel_words(const struct scan_arguments *a, uint64_t origin,
                                    const struct tile_shared *shared)
{
    uint32_t own_bits = tile_own_words(a) * 32u, first = simt_thread() * own_bits;
    uint32_t threads = simt_threads(), thread = simt_thread(), t, current, last, first_bad;

    for (uint32_t b = duel_first(shared->bits, first, first + own_bits); b != DUEL_NONE;
         b = duel_first(shared->bits, b + 1u, first + own_bits))
        duel_verify(a, origin, shared->bits, first, b, b + 1u);
    if (thread == 0)
        *shared->beyond = DUEL_NONE;
    simt_barrier();
    for (uint32_t width = 1; width < threads; width *= 2u) {
        if (thread % (2u * width) == 0 && thread + width < threads) {
            uint32_t end = thread + 2u * width < threads ? thread + 2u * width : threads;

            duel_verify(a, origin, shared->bits, first, first + width * own_bits, end * own_bits);
        }
        simt_barrier();
    }
    shared->scratch[thread] = duel_last(shared->bits, first, first + own_bits);
    simt_barrier();
    for (t = thread, current = 0; t > 0 && current == 0; t--)
        current = shared->scratch[t - 1u];
    for (t = threads, last = 0; t > 0 && last == 0; t--)
        last = shared->scratch[t - 1u];
    simt_barrier();
    if (last == 0)
        return;
    first_bad = duel_sweep(a, origin, shared, current);
    shared->scratch[thread] = first_bad;
    duel_sweep_beyond(a, origin, shared, last - 1u);
    simt_barrier();
    for (t = thread + 1u, first_bad = DUEL_NONE; t < threads && first_bad == DUEL_NONE; t++)
        first_bad = shared->scratch[t];
    duel_keep(a, shared, first_bad != DUEL_NONE ? first_bad : *shared->beyond);
}

/* Turn the bitmap's candidates into its occurrences. All threads of the block. The call takes a
 * copy: whose address is taken lies in memory, and all that it points to is then no longer known to
 * be shared. */
SIMT_FUNCTION void duel_tile(const struct scan_arguments *a, uint64_t origin,
                             const struct tile_shared *shared)
{
    struct tile_shared copy = *shared;

    duel_words(a, origin, &copy);
}

#endif
