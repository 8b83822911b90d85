/* find_pair: finds the positions of two chosen bytes of a literal (its first two probes), and in
 * long texts also of a third, without loading any byte after the text.
 *
 * Most functions of find.h that test every position fill a bitmap. This one writes a list of
 * positions, and so stores nothing where no position matches. A variant may replace the functions
 * between #ifndef and #endif. `fold` is a compile-time constant; if it is false, no probe ignores
 * case.
 */
#ifndef TRAWL_CPU_FIND_PAIR_H
#define TRAWL_CPU_FIND_PAIR_H

#include <string.h>

#include "base/checked.h"
#include "cpu/find.h"

/* Prefetch distance in bytes. Without prefetching, searching 64 KiB in the L2 cache took 1.2 x the
 * time [Xeon, AVX-512]. */
#define PAIR_AHEAD 1024u
#define PAIR_ALIGNED 448u /* with at least this many positions, align loads to cache lines */

/* Returns which of the 64 positions at `text` match both probes. */
static inline __attribute__((always_inline)) uint64_t block_pair(const uint8_t *text,
                                                                 const struct plan_probe *probes,
                                                                 bool fold)
{
    return block_equal(text + probes[0].offset, probes[0].value, fold ? probes[0].fold : 0) &
           block_equal(text + probes[1].offset, probes[1].value, fold ? probes[1].fold : 0);
}

#ifndef HAS_PAIR_FEW
/* Like block_pair, for 1 to 63 positions, but loads no byte after the last one's probes. */
static __attribute__((noinline)) uint64_t pair_few(const uint8_t *text, uint64_t count,
                                                   const struct plan_probe *probes)
{
    const struct plan_probe moved[2] = {{0, probes[0].value, probes[0].fold, {0}},
                                        {64, probes[1].value, probes[1].fold, {0}}};
    uint8_t bytes[128];

    TRAWL_ASSERT(count > 0 && count < 64);
    memcpy(bytes, text + probes[0].offset, (size_t)count);
    memcpy(bytes + 64, text + probes[1].offset, (size_t)count);
    return block_pair(bytes, moved, true) & ((1ull << count) - 1);
}
#endif

/* Writes the positions of the bits. A block's first bit, usually the only one, takes no branch. */
static inline uint32_t pair_write(uint64_t bits, uint64_t base, uint32_t *positions)
{
    uint32_t count = bits != 0;

    positions[0] = (uint32_t)(base + (uint64_t)__builtin_ctzll(bits | 1ull << 63));
    for (bits &= bits - 1; __builtin_expect(bits != 0, 0); bits &= bits - 1)
        positions[count++] = (uint32_t)(base + (uint64_t)__builtin_ctzll(bits));
    return count;
}

static inline __attribute__((always_inline)) uint32_t pair_search(const uint8_t *text,
                                                                  uint64_t *from, uint64_t to,
                                                                  const struct plan_probe *given,
                                                                  bool fold, uint32_t *positions,
                                                                  uint32_t room)
{
    const struct plan_probe probes[3] = {given[0], given[1], given[2]};
    uint64_t at = *from, skew;
    uint32_t count = 0;

    if (to - at >= PAIR_ALIGNED) {
        skew = -(uint64_t)(uintptr_t)(text + at + probes[0].offset) % 64;
        count =
            pair_write(block_pair(text + at, probes, fold) & ((1ull << skew) - 1), at, positions);
        at += skew;
    }
    for (; to - at >= 64 && count + 64 < room; at += 64) {
        uint64_t bits = block_pair(text + at, probes, fold);

        __builtin_prefetch(text + min_u64(at + PAIR_AHEAD, to));
        if (bits == 0)
            continue;
        bits &= block_equal(text + at + probes[2].offset, probes[2].value, probes[2].fold);
        count += pair_write(bits, at, positions + count);
    }
    if (at < to && to - at < 64 && count + 64 < room) {
        /* the last block overlaps positions that have already been tested */
        uint64_t begin = to < 64 ? at : to - 64;
        uint64_t bits = to < 64
                            ? pair_few(text + at, to - at, probes)
                            : block_pair(text + begin, probes, fold) & UINT64_MAX << (at - begin);

        if (bits != 0)
            count += pair_write(bits, begin, positions + count);
        at = to;
    }
    *from = at;
    return count;
}

static uint32_t FIND_NAME(pair)(const uint8_t *text, uint64_t *from, uint64_t to,
                                const struct plan_probe probes[3], uint32_t *positions,
                                uint32_t room)
{
    TRAWL_ASSERT(*from < to && to <= UINT32_MAX && room >= FIND_PAIR_ROOM);
    return (probes[0].fold | probes[1].fold) == 0
               ? pair_search(text, from, to, probes, false, positions, room)
               : pair_search(text, from, to, probes, true, positions, room);
}

#endif
