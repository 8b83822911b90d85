/* plane: search a dense tile, 32 positions at a time.
 *
 * One bit of each text byte makes a *plane*: a 32-bit word of it stands for 32 positions, and
 * shifts of such words compare positions. The pattern has the same plane. The steps for a tile:
 *
 * 1. Build the plane of the tile, and of the pattern's length after it, in shared memory.
 * 2. Window. A position stays if up to 64 bits of the pattern's plane stand there: one shift and
 *    one AND per bit and 32 positions. In a plane without a period of 32 or less, some probe of 64
 *    has no such period either (Fine and Wilf 1965). The host takes that one, so one position in
 *    33 is left.
 * 3. Runs. With a period p of at most half the pattern, a position stays if its first p bits do,
 *    and if the plane and the plane shifted by p agree from there on. A pattern without such a
 *    period is compared word by word, by a lane and then by its warp. What is left are the
 *    occurrences of the pattern's plane; two that overlap lie a period of the plane apart.
 * 4. Sweep. If such periods are the pattern's own, all that is left agrees wherever it overlaps. So
 *    each text byte is compared once, with the nearest candidate to its left, 32 bytes at a time,
 *    and a candidate with a byte that differs is dropped. If pattern and tile have only the same
 *    two letters, the plane says it all and this step is left out.
 *
 *     text bytes     a b a a b ...     bitmap word w = 32 begins, one lane each
 *     plane          0 1 0 0 1 ...     probe:  w &= plane >> i, or its complement, for each bit i
 *     shifted by p     0 1 0 0 1       runs:    a warp's 32 words; what follows them comes from
 *                                               the next row of 32 words, read by the same warp
 *     the sweep needs the nearest candidate below a warp's first byte: each warp writes its highest
 *     candidate to shared memory, and after a barrier reads those of the warps below.
 *
 * The host picks the bit (src/cuda/plane.c) and says from which distance on a period of the plane
 * may not be one of the pattern's. If candidates are that far apart, or word-by-word comparison
 * takes too many steps, duels (duel.h) search the tile; they need no such condition.
 *
 * Traffic    per tile of L begins and a pattern of m bytes: L + m text bytes, then L again, usually
 *            from L2, and as many pattern bytes; up to m more of each if the last candidate
 *            reaches beyond the tile.
 * Bound      by instructions: 157 to 437 per 512 text bytes, with 63 to 73 % of the issue slots and
 *            12 to 25 % of the memory's speed in use. 0.55 to 0.68 of the read speed for a^m in
 *            a^n, 0.23 to 0.71 for Thue-Morse and Fibonacci words [H200, 2 GiB, counts].
 * Lost       notes of where each warp's runs begin, for the warp below, and a sweep by 16 bytes
 *            that do not lie as they were loaded: with other savings 0.27 instead of 0.35 to 0.42
 *            for a^m in a^n [H200, 512 MiB].
 */
#ifndef TRAWL_CUDA_KERNELS_PLANE_H
#define TRAWL_CUDA_KERNELS_PLANE_H

#include "duel.h"
#include "filter.h"

#define PLANE_LOADS 2u       /* words of a thread in flight at a time */
#define PLANE_LANE_WORDS 16u /* compared by one lane alone; what is beyond, by the whole warp */
#define PLANE_ROOM_MAX (1u << 30) /* more than a tile needs; less than what skip is taken from */
#define PLANE_HALF 16u            /* bytes that are compared at a time where candidates are near */

/* What plane_ones looks for. */
enum { PLANE_RUNS, PLANE_GOOD };

/* What the sweep found. */
enum { PLANE_BAD = 1, PLANE_CONFLICT = 2 };

/* Begin b of the tile is bit b of the bitmap and bit b + skew of the plane, whose bit 0 is the text
 * byte at `address`. The warp has `words` words of the bitmap from `first` on, lane by lane one. */
struct plane_tile {
    uint64_t address;     /* of the plane's first byte, a multiple of 32; maybe before the text */
    uint32_t skew;        /* 0 to 31 */
    uint32_t skip;        /* bytes from there on that the text does not have, */
    uint32_t room;        /* and loadable ones after those */
    uint32_t plane_words; /* what is built */
    uint32_t first;
    uint32_t words;
    uint32_t warps;
    uint32_t whole;  /* are all bytes of the plane there, */
    uint32_t inside; /* and all begins of the tile wanted? */
};

SIMT_FUNCTION struct plane_tile plane_tile_of(const struct scan_arguments *a,
                                              const struct filter_range *range, uint64_t origin)
{
    uint64_t base, room, address;
    struct plane_tile t;

    t.skew = (uint32_t)origin % 32u;
    base = origin - t.skew;
    t.skip = base > a->text_end ? (uint32_t)(0 - base) : 0;
    room = a->text_end + PLANE_HALF - (base + t.skip);
    t.room = room < PLANE_ROOM_MAX ? (uint32_t)room : PLANE_ROOM_MAX;
    /* Opaque, or the compiler computes it anew at each load. */
    address = (uint64_t)(uintptr_t)a->text + base;
    t.address = (uint64_t)simt_opaque_u32((uint32_t)(address >> 32)) << 32 |
                simt_opaque_u32((uint32_t)address);
    t.plane_words = a->tile_words + a->pattern_bytes / 32u + SCAN_PLANE_WORDS_MORE;
    t.warps = simt_threads() / SIMT_WARP_THREADS;
    t.words = a->tile_words / t.warps;
    t.first = simt_warp() * t.words;
    t.whole = t.skip == 0 && t.room >= 32u * t.plane_words;
    t.inside =
        range->position >= range->first && range->position + 32u * a->tile_words <= range->last;
    return t;
}

/* ---- The plane -------------------------------------------------------------------------- */

/* Bit `bit` of each of 16 bytes: two words side by side by two multiplications, whose products have
 * no bit in common. */
SIMT_FUNCTION uint32_t plane_gather(const struct simt_u32x4 *bytes, uint32_t bit)
{
    uint32_t pairs[2];

    SIMT_UNROLL
    for (uint32_t i = 0; i < 2u; i++)
        pairs[i] = (bytes->w[2u * i] >> bit & 0x01010101u) * 0x01020408u +
                   (bytes->w[2u * i + 1u] >> bit & 0x01010101u) * 0x10204080u;
    return pairs[0] >> 24 | pairs[1] >> 24 << 8;
}

/* The 32 bytes of a word of the plane. */
struct plane_bytes {
    struct simt_u32x4 half[2];
};

SIMT_FUNCTION struct plane_bytes plane_load(const struct plane_tile *t, uint32_t w)
{
    uint64_t address = t->address + 32ull * w;
    struct plane_bytes bytes = {{{{0, 0, 0, 0}}, {{0, 0, 0, 0}}}};

    SIMT_UNROLL
    for (uint32_t i = 0; i < 2u; i++)
        if (t->whole || SIMT_BOUND(32u * w + PLANE_HALF * i - t->skip < t->room))
            bytes.half[i] = simt_load_u32x4(
                (const uint32_t *)(const void *)(uintptr_t)(address + PLANE_HALF * i));
    return bytes;
}

/* Are there others among the bytes than the one letter whose bit is 0 and the one whose bit is 1?
 */
SIMT_FUNCTION uint32_t plane_others(const struct scan_arguments *a, const struct plane_bytes *bytes)
{
    uint32_t others = 0;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 8u; i++) {
        uint32_t word = bytes->half[i / 4u].w[i % 4u];

        others |=
            word ^ ((word >> a->plane.bit & 0x01010101u) * a->plane.letter_step + a->plane.letters);
    }
    return others;
}

SIMT_FUNCTION uint32_t plane_build_of(const struct scan_arguments *a, const struct plane_tile *t,
                                      uint32_t *plane, int has_letters)
{
    uint32_t bit = a->plane.bit, others = 0;

    for (uint32_t at = simt_thread(); at < t->plane_words; at += PLANE_LOADS * simt_threads()) {
        struct plane_bytes bytes[PLANE_LOADS];

        SIMT_UNROLL
        for (uint32_t k = 0; k < PLANE_LOADS; k++) /* rather one that is there than none */
            bytes[k] = plane_load(
                t, at + k * simt_threads() < t->plane_words ? at + k * simt_threads() : at);
        SIMT_UNROLL
        for (uint32_t k = 0; k < PLANE_LOADS; k++) {
            if (has_letters)
                others |= plane_others(a, &bytes[k]);
            if (at + k * simt_threads() < t->plane_words)
                plane[at + k * simt_threads()] = plane_gather(&bytes[k].half[0], bit) |
                                                 plane_gather(&bytes[k].half[1], bit) << 16;
        }
    }
    return others;
}

/* Returns whether the thread's bytes must be compared after all: where the pattern has no more than
 * two letters, and the text no others, the plane says all. All threads of the block. */
SIMT_FUNCTION int plane_build(const struct scan_arguments *a, const struct plane_tile *t,
                              uint32_t *plane)
{
    if (a->plane.has_letters != 0)
        return plane_build_of(a, t, plane, 1) != 0;
    (void)plane_build_of(a, t, plane, 0);
    return 1;
}

/* The 32 bits from `bit` on. */
SIMT_FUNCTION uint32_t plane_at(const uint32_t *words, uint32_t bit)
{
    return simt_funnel(words[bit / 32u], words[bit / 32u + 1u], bit % 32u);
}

/* What of `bits` lies beyond the first `left` of them does not count. */
SIMT_FUNCTION uint32_t plane_kept(uint32_t bits, uint32_t left)
{
    return left < 32u ? bits & ((1u << left) - 1u) : bits;
}

/* ---- Window ----------------------------------------------------------------------------- */

/* Strike out of mask where eight bits do not stand from bit `from` on of 64. */
SIMT_FUNCTION uint32_t plane_eight(uint32_t low, uint32_t high, uint32_t from, const uint32_t *flip,
                                   uint32_t mask)
{
    SIMT_UNROLL
    for (uint32_t j = 0; j < 8u; j++)
        mask &= simt_funnel(low, high, from + j) ^ flip[j];
    return mask;
}

/* Which of the 32 positions of bitmap word w have the pattern's probe? */
SIMT_FUNCTION uint32_t plane_probe(const struct scan_arguments *a, const struct plane_tile *t,
                                   const uint32_t *plane, uint32_t w)
{
    uint32_t bits = a->plane.probe_bits, at = w * 32u + t->skew + a->plane.probe_at;
    uint32_t low = plane_at(plane, at), high = plane_at(plane, at + 32u), mask = ~0u;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 32u; j += 8u)
        if (j + 8u <= bits)
            mask = plane_eight(low, high, j, a->plane.flip + j, mask);
    /* The rest where there is something left, or, if words are compared later, more than one. */
    if (bits >= 40u && (a->plane.body_bits > bits ? mask & (mask - 1u) : mask) != 0) {
        low = high;
        high = plane_at(plane, at + 64u);
        SIMT_UNROLL
        for (uint32_t j = 0; j < 32u; j += 8u)
            if (j + 40u <= bits)
                mask = plane_eight(low, high, j, a->plane.flip + 32u + j, mask);
    }
    if (bits % 8u != 0) /* the last eight, some of them again */
        mask = plane_eight(plane_at(plane, at + bits - 8u), plane_at(plane, at + bits + 24u), 0,
                           a->plane.flip_last, mask);
    return mask;
}

/* Which begins of bitmap word w are in the range, whose first and last count positions? */
SIMT_FUNCTION uint32_t plane_wanted(const struct filter_range *range, uint32_t w)
{
    uint64_t place = range->position + w * 32u;
    uint32_t mask = ~0u;

    if (!SIMT_BOUND(place >= range->first))
        mask &= range->first - place < 32u ? ~0u << (range->first - place) : 0;
    if (!SIMT_BOUND(place + 32u <= range->last))
        mask &= place < range->last ? ~0u >> (place + 32u - range->last) : 0;
    return mask;
}

/* ---- Runs ------------------------------------------------------------------------------- */

/* RUNS: where in the 32 positions of word w do the plane and itself a period on agree? GOOD: which
 * of the 32 bytes do not differ? */
SIMT_FUNCTION uint32_t plane_ones(const struct scan_arguments *a, const struct tile_shared *shared,
                                  const struct plane_tile *t, uint32_t w, int kind)
{
    uint32_t at = w * 32u + t->skew;

    if (kind == PLANE_GOOD)
        return ~plane_at(shared->bad, at);
    return ~(plane_at(shared->plane, at) ^ plane_at(shared->plane, at + a->plane.period));
}

/* How many ones follow the warp's words? More than `count` do not matter; what is read beyond them
 * neither. */
SIMT_FUNCTION uint32_t plane_behind(const struct scan_arguments *a,
                                    const struct tile_shared *shared, const struct plane_tile *t,
                                    uint32_t count, int kind)
{
    uint32_t run = 0;

    for (uint32_t w = t->first + t->words + simt_lane(); run < count; w += SIMT_WARP_THREADS) {
        uint32_t zeros = ~plane_ones(a, shared, t, w, kind), lanes = simt_ballot(zeros != 0);

        if (lanes != 0) {
            uint32_t source = simt_lowest_bit(lanes);

            return run + source * 32u + simt_lowest_bit(simt_shuffle_u32(zeros, source));
        }
        run += 32u * SIMT_WARP_THREADS;
    }
    return run;
}

/* At which of 32 positions do `count` ones begin, if `behind` ones follow these? */
SIMT_FUNCTION uint32_t plane_erode(uint32_t ones, uint32_t behind, uint32_t count)
{
    uint32_t have = 1, next;

    if (count > 32u) {
        uint32_t last = behind + 32u - count; /* the highest position that reaches so far */

        if (behind + 32u < count)
            return 0;
        if (ones != ~0u) {
            uint32_t top = simt_highest_bit(~ones);

            ones = top == 31u ? 0 : ~0u << (top + 1u);
        }
        return last >= 31u ? ones : ones & ((2u << last) - 1u);
    }
    next = behind >= 32u ? ~0u : (1u << behind) - 1u;
    for (; have * 2u <= count; have *= 2u) {
        ones &= simt_funnel(ones, next, have);
        next &= next >> have;
    }
    return have < count ? ones & simt_funnel(ones, next, count - have) : ones;
}

/* How many ones follow the own word, with `behind` of them following the row of 32 words, for which
 * *behind is put to those that its first word begins? All lanes of the warp. */
SIMT_FUNCTION uint32_t plane_follow(uint32_t ones, uint32_t *behind)
{
    uint32_t lane = simt_lane(), own = ones == ~0u ? 32u : simt_lowest_bit(~ones);
    uint32_t lanes = simt_ballot(ones != ~0u);
    uint32_t above = lane == SIMT_WARP_THREADS - 1u ? 0 : lanes >> (lane + 1u);
    uint32_t distance = above != 0 ? simt_lowest_bit(above) : SIMT_WARP_THREADS - 1u - lane;
    uint32_t lead = simt_shuffle_u32(own, above != 0 ? lane + 1u + distance : lane);
    uint32_t run = distance * 32u + (above != 0 ? lead : *behind);

    *behind = simt_shuffle_u32(own == 32u ? own + run : own, 0);
    return run;
}

/* At which positions of the own word do `count` ones begin? *behind as plane_follow has it. */
SIMT_FUNCTION uint32_t plane_run(uint32_t ones, uint32_t *behind, uint32_t count)
{
    if (*behind >= count && simt_ballot(ones != ~0u) == 0) {
        *behind += 32u * SIMT_WARP_THREADS;
        return ~0u;
    }
    return plane_erode(ones, plane_follow(ones, behind), count);
}

/* Fill the warp's words of the bitmap with the positions that have probe and run. */
SIMT_FUNCTION void plane_candidates(const struct scan_arguments *a,
                                    const struct filter_range *range,
                                    const struct tile_shared *shared, const struct plane_tile *t,
                                    struct tile_totals *totals)
{
    uint32_t count = a->pattern_bytes - a->plane.period, behind = 0;

    if (count != 0)
        behind = plane_behind(a, shared, t, count, PLANE_RUNS);
    for (uint32_t row = t->words; row > 0; row -= SIMT_WARP_THREADS) {
        uint32_t w = t->first + row - SIMT_WARP_THREADS + simt_lane();
        uint32_t mask = plane_probe(a, t, shared->plane, w);

        if (!t->inside)
            mask &= plane_wanted(range, w);
        if (count != 0)
            mask &= plane_run(plane_ones(a, shared, t, w, PLANE_RUNS), &behind, count);
        totals->candidates += simt_popcount(mask);
        shared->bits[w] = mask;
    }
}

/* Leave of the warp's candidates those without a byte that differs. */
SIMT_FUNCTION void plane_keep(const struct scan_arguments *a, const struct tile_shared *shared,
                              const struct plane_tile *t)
{
    uint32_t behind = plane_behind(a, shared, t, a->pattern_bytes, PLANE_GOOD);

    for (uint32_t row = t->words; row > 0; row -= SIMT_WARP_THREADS) {
        uint32_t w = t->first + row - SIMT_WARP_THREADS + simt_lane();
        uint32_t ones = plane_ones(a, shared, t, w, PLANE_GOOD);

        shared->bits[w] &= plane_run(ones, &behind, a->pattern_bytes);
    }
    simt_barrier(); /* the lanes' words become visible to each other */
}

/* ---- Word by word ----------------------------------------------------------------------- */

/* Do words j to j + 3 of the pattern's plane differ from the tile's, laid at bit `at`? */
SIMT_FUNCTION int plane_four_differ(const struct scan_arguments *a, const uint32_t *plane,
                                    uint32_t at, uint32_t j)
{
    struct simt_u32x4 bits = simt_load_u32x4(a->plane.words + j);
    uint32_t w = at / 32u + j, lower = plane[w], left = a->plane.body_bits - 32u * j;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++) {
        uint32_t upper = plane[w + i + 1u];

        bits.w[i] ^= simt_funnel(lower, upper, at % 32u);
        lower = upper;
    }
    if (left < 128u) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            bits.w[i] = left > 32u * i ? plane_kept(bits.w[i], left - 32u * i) : 0;
    }
    return (bits.w[0] | bits.w[1] | bits.w[2] | bits.w[3]) != 0;
}

/* The words from PLANE_LANE_WORDS on, by a whole warp with the same `at`. */
SIMT_FUNCTION int plane_equal_rest(const struct scan_arguments *a, const uint32_t *plane,
                                   uint32_t at, uint32_t words, uint32_t *steps)
{
    for (uint32_t j = PLANE_LANE_WORDS; j < words; j += SIMT_WARP_THREADS) {
        uint32_t own = j + simt_lane();
        int differs = 0;

        (*steps)++;
        if (SIMT_BOUND(own < words))
            differs =
                plane_kept(plane_at(plane, at + 32u * own) ^ simt_load_u32(a->plane.words + own),
                           a->plane.body_bits - 32u * own) != 0;
        if (simt_ballot(differs) != 0)
            return 0;
    }
    return 1;
}

/* Clear the bits of the warp's begins where the pattern's plane does not stand. Returns whether the
 * warp gave up; its bits are then not all verified. */
SIMT_FUNCTION int plane_verify(const struct scan_arguments *a, const struct tile_shared *shared,
                               const struct plane_tile *t)
{
    uint32_t words = (a->plane.body_bits + 31u) / 32u, steps = 0;
    uint32_t lane_words = words < PLANE_LANE_WORDS ? words : PLANE_LANE_WORDS;

    for (uint32_t row = 0; row < t->words; row += SIMT_WARP_THREADS) {
        uint32_t w = t->first + row + simt_lane(), kept = shared->bits[w], lanes;

        for (uint32_t left = kept; left != 0; left &= left - 1u) {
            uint32_t bit = simt_lowest_bit(left), j = 0;

            while (j < lane_words &&
                   !plane_four_differ(a, shared->plane, w * 32u + bit + t->skew, j))
                j += 4u;
            if (j < lane_words)
                kept &= ~(1u << bit);
        }
        lanes = words > PLANE_LANE_WORDS ? simt_ballot(kept != 0) : 0;
        for (; lanes != 0; lanes &= lanes - 1u) {
            uint32_t source = simt_lowest_bit(lanes), word = simt_shuffle_u32(kept, source);
            uint32_t at = (t->first + row + source) * 32u + t->skew;

            for (uint32_t left = word; left != 0; left &= left - 1u) {
                uint32_t bit = simt_lowest_bit(left);

                if (steps >= a->plane.steps_max)
                    return 1;
                if (!plane_equal_rest(a, shared->plane, at + bit, words, &steps))
                    word &= ~(1u << bit);
            }
            if (simt_lane() == source)
                kept = word;
        }
        shared->bits[w] = kept;
    }
    return 0;
}

/* ---- Sweep ------------------------------------------------------------------------------ */

/* The begins among the tile's last that stand for text bytes after the plane's first words. */
SIMT_FUNCTION uint32_t plane_tail(const struct scan_arguments *a, const struct tile_shared *shared,
                                  const struct plane_tile *t)
{
    return t->skew == 0 ? 0 : shared->bits[a->tile_words - 1u] >> (32u - t->skew);
}

/* One more than the plane's bit of the warp's highest candidate, 0: it has none. Those of its last
 * word that stand for text bytes after its own words of the plane count only `with_tail`. */
SIMT_FUNCTION uint32_t plane_last(const struct tile_shared *shared, const struct plane_tile *t,
                                  int with_tail)
{
    for (uint32_t row = t->words; row > 0; row -= SIMT_WARP_THREADS) {
        uint32_t first = t->first + row - SIMT_WARP_THREADS;
        uint32_t word = shared->bits[first + simt_lane()], lanes;

        if (!with_tail && row == t->words && simt_lane() == SIMT_WARP_THREADS - 1u)
            word &= ~0u >> t->skew;
        lanes = simt_ballot(word != 0);
        if (lanes != 0) {
            uint32_t source = simt_highest_bit(lanes), word_of = simt_shuffle_u32(word, source);

            return (first + source) * 32u + t->skew + simt_highest_bit(word_of) + 1u;
        }
    }
    return 0;
}

/* 16 bytes out of 24, from byte `from` < 8 on. */
SIMT_FUNCTION struct simt_u32x4 plane_unaligned(uint64_t low, uint64_t middle, uint64_t high,
                                                uint32_t from)
{
    uint32_t w[6] = {(uint32_t)low,    (uint32_t)(low >> 32),
                     (uint32_t)middle, (uint32_t)(middle >> 32),
                     (uint32_t)high,   (uint32_t)(high >> 32)};
    uint32_t second = from & 4u, shift_bits = from % 4u * 8u, lower = second ? w[1] : w[0];
    struct simt_u32x4 bytes;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++) {
        uint32_t upper = second ? w[i + 2u] : w[i + 1u];

        bytes.w[i] = simt_funnel(lower, upper, shift_bits);
        lower = upper;
    }
    return bytes;
}

/* Which bytes of 16 are not zero? */
SIMT_FUNCTION uint32_t plane_nonzero(struct simt_u32x4 bytes)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++) /* bit 7 of each that is not */
        bytes.w[i] |= (bytes.w[i] & 0x7f7f7f7fu) + 0x7f7f7f7fu;
    return plane_gather(&bytes, 7u);
}

/* Which of the bytes [from, to) of 16 differ from the pattern's, of which that at `offset` (above
 * -16) stands against the first? */
SIMT_FUNCTION uint32_t plane_compare(const struct scan_arguments *a, const struct simt_u32x4 *text,
                                     int32_t offset, uint32_t from, uint32_t to)
{
    const uint64_t *words = a->pattern + (offset & ~7) / 8;
    struct simt_u32x4 bytes = plane_unaligned(simt_load_u64(words), simt_load_u64(words + 1),
                                              simt_load_u64(words + 2), (uint32_t)offset % 8u);
    uint32_t any = 0;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++) {
        bytes.w[i] ^= text->w[i];
        any |= bytes.w[i];
    }
    return any == 0 ? 0 : plane_nonzero(bytes) & (0xffffu >> (16u - to)) & ~0u << from;
}

/* The same of 32 bytes; `offset` is above -32. */
SIMT_FUNCTION uint32_t plane_compare_all(const struct scan_arguments *a,
                                         const struct plane_bytes *text, int32_t offset)
{
    const uint64_t *words = a->pattern + (offset & ~7) / 8;
    struct simt_u32x4 bytes[2];
    uint32_t any = 0;
    uint64_t w[5];

    SIMT_UNROLL
    for (uint32_t i = 0; i < 5u; i++)
        w[i] = simt_load_u64(words + i);
    bytes[0] = plane_unaligned(w[0], w[1], w[2], (uint32_t)offset % 8u);
    bytes[1] = plane_unaligned(w[2], w[3], w[4], (uint32_t)offset % 8u);
    SIMT_UNROLL
    for (uint32_t i = 0; i < 8u; i++) {
        bytes[i / 4u].w[i % 4u] ^= text->half[i / 4u].w[i % 4u];
        any |= bytes[i / 4u].w[i % 4u];
    }
    return any == 0 ? 0 : plane_nonzero(bytes[0]) | plane_nonzero(bytes[1]) << 16;
}

/* Which of 16 text bytes differ, each compared with the nearest candidate to its left? `mask` has
 * the candidates among them, `before` the distance from the nearest one below, or the pattern's
 * length where it does not reach them. */
SIMT_FUNCTION uint32_t plane_half(const struct scan_arguments *a, const struct simt_u32x4 *text,
                                  uint32_t mask, uint32_t before)
{
    int32_t count = (int32_t)a->pattern_bytes, at = -(int32_t)before;
    uint32_t bad = 0, end;

    for (uint32_t done = 0; done < PLANE_HALF; done = end) {
        uint32_t above = mask & ~((2u << done) - 1u), below = mask ^ above;

        if (below != 0)
            at = (int32_t)simt_highest_bit(below);
        if (at + count <= (int32_t)done) {
            if (above == 0)
                break;
            at = (int32_t)simt_lowest_bit(above);
        }
        end = at + count < (int32_t)PLANE_HALF ? (uint32_t)(at + count) : PLANE_HALF;
        bad |= plane_compare(a, text, -at, at > (int32_t)done ? (uint32_t)at : done, end);
    }
    return bad;
}

/* Which of the 32 text bytes of word w of the plane differ? `mask` has the candidates among them,
 * `nearest` is one more than the nearest below, 0 where there is none. */
SIMT_FUNCTION uint32_t plane_bad(const struct scan_arguments *a, struct plane_bytes text,
                                 uint32_t w, uint32_t mask, uint32_t nearest)
{
    uint32_t m = a->pattern_bytes, before = w * 32u + 1u - nearest, low, bad = 0;

    if (nearest == 0 || before > m)
        before = m;
    if (mask == 0 && before == m)
        return 0;
    if (a->fold != 0) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < 8u; i++)
            text.half[i / 4u].w[i % 4u] = (uint32_t)tile_fold(text.half[i / 4u].w[i % 4u]);
    }
    if (m >= 32u) {
        if (before < m)
            bad = plane_kept(plane_compare_all(a, &text, (int32_t)before), m - before);
        if (mask != 0 && before + 32u > m) {
            low = simt_lowest_bit(mask);
            bad |= plane_compare_all(a, &text, -(int32_t)low) & ~0u << low;
        }
        return bad;
    }
    low = mask & 0xffffu;
    return plane_half(a, &text.half[0], low, before) |
           plane_half(a, &text.half[1], mask >> 16,
                      low != 0                  ? PLANE_HALF - simt_highest_bit(low)
                      : before + PLANE_HALF < m ? before + PLANE_HALF
                                                : m)
               << 16;
}

/* Are the nearest candidate below a word and the first in it too far apart to be trusted? */
SIMT_FUNCTION int plane_conflict(const struct scan_arguments *a, uint32_t w, uint32_t mask,
                                 uint32_t nearest)
{
    uint32_t distance;

    if (mask == 0 || nearest == 0)
        return 0;
    distance = w * 32u + simt_lowest_bit(mask) + 1u - nearest;
    return distance - a->plane.trusted < a->pattern_bytes - a->plane.trusted;
}

/* Compare the warp's bytes and set its words of bad; `current` is one more than the nearest
 * candidate below them, 0 where there is none. Returns what was found. */
SIMT_FUNCTION int plane_sweep(const struct scan_arguments *a, const struct tile_shared *shared,
                              const struct plane_tile *t, uint32_t current)
{
    struct plane_bytes next = plane_load(t, t->first + simt_lane());
    int found = 0;

    for (uint32_t w = t->first + simt_lane(); w < t->first + t->words; w += SIMT_WARP_THREADS) {
        uint32_t mask = shared->bits[w], own, lanes, below, nearest, bad;
        struct plane_bytes text = next;

        if (w + SIMT_WARP_THREADS < t->first + t->words)
            next = plane_load(t, w + SIMT_WARP_THREADS);
        if (t->skew != 0)
            mask = simt_funnel(w != 0 ? shared->bits[w - 1u] : 0, mask, 32u - t->skew);
        own = mask != 0 ? w * 32u + simt_highest_bit(mask) + 1u : 0;
        lanes = simt_ballot(mask != 0);
        below = lanes & ((1u << simt_lane()) - 1u);
        nearest = simt_shuffle_u32(own, below != 0 ? simt_highest_bit(below) : 0);
        if (below == 0)
            nearest = current;
        found |= plane_conflict(a, w, mask, nearest) ? PLANE_CONFLICT : 0;
        bad = plane_bad(a, text, w, mask, nearest);
        found |= bad != 0 ? PLANE_BAD : 0;
        shared->bad[w] = bad;
        nearest = simt_shuffle_u32(own, lanes != 0 ? simt_highest_bit(lanes) : 0);
        if (lanes != 0)
            current = nearest;
    }
    return found;
}

/* The same beyond the tile, as far as its last candidate reaches: `last` is one more than that
 * without the tail. All threads of the block. */
SIMT_FUNCTION int plane_sweep_beyond(const struct scan_arguments *a,
                                     const struct tile_shared *shared, const struct plane_tile *t,
                                     uint32_t last, uint32_t tail)
{
    uint32_t begin = a->tile_words * 32u, end, found = 0;

    end = (tail != 0 ? begin + simt_highest_bit(tail) + 1u : last) - 1u + a->pattern_bytes;
    for (uint32_t w = a->tile_words + simt_thread(); w * 32u < end; w += simt_threads()) {
        int is_first = w == a->tile_words;
        uint32_t nearest = is_first || tail == 0 ? last : begin + simt_highest_bit(tail) + 1u;
        uint32_t mask = is_first ? tail : 0, bad;

        found |= plane_conflict(a, w, mask, nearest) ? PLANE_CONFLICT : 0;
        bad = plane_bad(a, plane_load(t, w), w, mask, nearest);
        found |= bad != 0 ? PLANE_BAD : 0;
        shared->bad[w] = bad;
    }
    return (int)found;
}

/* What each warp notes for the others: its highest candidate without its tail, and with it. */
SIMT_FUNCTION void plane_publish(const struct tile_shared *shared, const struct plane_tile *t)
{
    uint32_t without = plane_last(shared, t, 0), with_tail = plane_last(shared, t, 1);

    if (simt_lane() == 0) {
        shared->scratch[2u * simt_warp()] = without;
        shared->scratch[2u * simt_warp() + 1u] = with_tail;
    }
}

/* The highest note of the warps below `end`, of the last of which the tail does not count: it is no
 * candidate below the words of the plane of the warp after it. All lanes of the warp. */
SIMT_FUNCTION uint32_t plane_below(const uint32_t *notes, uint32_t end)
{
    uint32_t own = 0, lanes;

    if (simt_lane() < end)
        own = notes[2u * simt_lane() + (simt_lane() + 1u < end ? 1u : 0u)];
    lanes = simt_ballot(own != 0);
    own = simt_shuffle_u32(own, lanes != 0 ? simt_highest_bit(lanes) : 0);
    return lanes != 0 ? own : 0;
}

/* ---- A tile ----------------------------------------------------------------------------- */

/* Turn a tile into the bitmap of its occurrences, whatever the bitmap holds. Returns whether there
 * were any before the last look at their bytes. All threads of the block; each then finds its own
 * words as its warp wrote them. */
SIMT_FUNCTION int plane_tile_verify(const struct scan_arguments *a,
                                    const struct filter_range *range, uint64_t origin,
                                    const struct tile_shared *shared, struct tile_totals *totals)
{
    struct plane_tile t = plane_tile_of(a, range, origin);
    uint32_t last, current, tail;
    int gave_up = 0, found, others;

    others = simt_barrier_or(plane_build(a, &t, shared->plane));
    plane_candidates(a, range, shared, &t, totals);
    if (a->plane.body_bits > SCAN_PLANE_PROBE_MAX)
        gave_up = plane_verify(a, shared, &t);
    plane_publish(shared, &t);
    if (simt_barrier_or(gave_up)) {
        duel_tile(a, origin, shared);
        return 1;
    }
    last = plane_below(shared->scratch, t.warps);
    current = plane_below(shared->scratch, simt_warp());
    tail = plane_tail(a, shared, &t);
    if (last == 0 && tail == 0)
        return 0;
    if (!others)
        return 1;
    found = plane_sweep(a, shared, &t, current) | plane_sweep_beyond(a, shared, &t, last, tail);
    if (simt_barrier_or(found != 0)) {
        if (simt_barrier_or((found & PLANE_CONFLICT) != 0))
            duel_tile(a, origin, shared);
        else
            plane_keep(a, shared, &t);
    }
    return 1;
}

#endif
