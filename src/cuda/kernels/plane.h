/* plane: searches a dense tile (with many candidates), 32 positions at a time.
 *
 * The same bit of each text byte makes a *plane*: a 32-bit word of the plane describes 32
 * positions, and shifts of words compare positions. The pattern's plane is made from all bytes of
 * the pattern or, for a long pattern, from a *window* of SCAN_PLANE_WINDOW_MAX bytes. The steps for
 * a tile:
 *
 * 0. Single run. If the tile and all bytes that the tile's occurrences reach repeat a period of up
 *    to 64 bytes, or the pattern's period, the first period of the tile decides: later occurrences
 *    follow those that begin there, a period apart.
 * 1. Plane. The block builds the plane of the tile, and of a window's length after the tile, in
 *    shared memory.
 * 2. Probe. A position stays if up to 64 bits of the window's plane match there: a shift and an AND
 *    per bit and 32 positions. In a plane without a period of 32 or less, some probe of 64 bits has
 *    no period of 32 or less either (Fine and Wilf 1965). The host chooses that probe, so that at
 *    most 1 position in 33 stays.
 * 3. Runs. If the plane repeats within half the window, a position stays if the bits of the first
 *    period match, and if the plane and the plane shifted by the period agree after that. Without a
 *    period within half the window, first a lane and then its warp compare the plane word by word.
 *    The positions that stay are the occurrences of the window's plane.
 * 4. Bytes. If the pattern's bytes repeat within half the window, the block searches for runs once
 *    more: a second plane says which bytes equal the bytes a period further on. Finally, the block
 *    compares the bytes of each position; for a pattern that repeats, only the first period, and
 *    of positions a short period apart only one.
 *
 *     text bytes     a b a a b ...     bitmap word w = 32 begins, one lane each
 *     plane          0 1 0 0 1 ...     probe:  w &= plane >> i, or its complement, for each bit i
 *     shifted by p     0 1 0 0 1       runs:    a warp's 32 words; the words after these come from
 *                                               the next row of 32 words, read by the same warp
 *
 * The probe of the pattern abba, by bit 1 of each byte: 0 in an a (0x61), 1 in a b (0x62).
 *
 *     text                        a b b a b b a a b a
 *     plane                       0 1 1 0 1 1 0 0 1 0
 *     pattern's bit 0 is 0        1 0 0 1 0 0 1 1 0 1    ~plane
 *     bit 1 is 1                  1 1 0 1 1 0 0 1 0      plane >> 1: the bit a position later
 *     bit 2 is 1                  1 0 1 1 0 0 1 0        plane >> 2
 *     bit 3 is 0                  1 0 0 1 1 0 1          ~(plane >> 3)
 *     AND of the four             1 0 0 1 0 0 0          abba occurs at positions 0 and 3
 *
 * Work       Linear in the tile and the window, whatever the text. Let q be the smallest period of
 *            the chosen bit's plane; the host takes the bit with the largest q
 *            (src/cuda/cuda_plane.c).
 *            - Step 3 leaves positions that are q or more apart, or q is over half the window.
 *            - Step 4: every match that begins inside a long match differs from the long match
 *              within q bytes, because some bit's plane differs: that bit's period is at most q and
 *              does not divide the distance of the two starts. So long matches read each byte about
 *              twice, and each shorter match, q bytes from the next, reads q bytes.
 *            - Step 0 reads the tile and the pattern's length at most once, and ends at the first
 *              byte that differs. Then each start of the first period, which has at most 1,024
 *              bytes, is compared: in the worst case by eight steps of a warp.
 *            - Word by word, 1 position in 33 costs at most window / 1,024 steps of a warp: a step
 *              for each text byte at the longest window.
 *            A pattern longer than the window has at most five positions left in a tile. Each
 *            position may cost the pattern's length, or a run: so a long pattern costs up to length
 *            / 16,384 times the text.
 * Traffic    per tile of L begins and a window of m bytes: L + m text bytes for each plane; in step
 *            4 about 2 (L + m) text bytes, usually from L2, and 2 (L + m) bytes of the pattern.
 * Bound      by instructions: for two letters that need no comparison of bytes, 157 to 437 per 512
 *            text bytes, at 0.23 to 0.71 of the memory bandwidth [H200, 2 GiB, counts]; the
 *            comparisons come on top.
 * Rejected   each warp notes where its runs begin, and the warp before uses the note: 0.27 instead
 *            of 0.35 to 0.42 of the memory bandwidth for a^m in a^n [H200, 512 MiB].
 */
#ifndef TRAWL_CUDA_KERNELS_PLANE_H
#define TRAWL_CUDA_KERNELS_PLANE_H

#include "filter.h"

#define PLANE_LOADS 2u /* words of the plane, or halves of words, that a thread loads at a time */
/* words of a pattern's plane that a single lane compares; the warp compares the rest */
#define PLANE_LANE_WORDS 16u
/* the largest plane_tile.room: more than a tile needs, and so small that no 32-bit position wraps
 * around */
#define PLANE_ROOM_MAX (1u << 30)
#define PLANE_HALF 16u    /* bytes of a load: half a word of the plane */
#define PLANE_FOLD_BIT 5u /* the bit in which the two cases of a letter differ */
/* the largest periods that step 0 above looks for, in a tile's text and in a pattern. It compares
 * the pattern at every start within one period */
#define PLANE_PERIOD_SHORT 64u
#define PLANE_PERIOD_MAX 1024u

/* What plane_ones marks: positions where the plane has the same bit one period later (RUNS), or the
 * text the same byte (EQUAL). The bits of EQUAL are the second plane. */
enum { PLANE_RUNS, PLANE_EQUAL };

/* Bit b of the bitmap belongs to start b of the tile; the window of an occurrence there begins at
 * bit b + skew of the plane. The plane's bit 0 is the text byte at `address`. The warp owns `words`
 * words of the bitmap starting at `first`; lane i owns every 32nd, starting at word first + i. */
struct plane_tile {
    uint64_t base; /* text position of the plane's bit 0, a multiple of 32; maybe before the text */
    uint64_t address;     /* device address of the byte at `base` */
    uint32_t skew;        /* 0 to 31 */
    uint32_t skip;        /* bytes starting at `base` that lie before the text */
    uint32_t room;        /* bytes that can be loaded after the skipped ones */
    uint32_t plane_words; /* number of words of the plane */
    uint32_t first;
    uint32_t words;
    uint32_t warps;  /* number of warps in the block */
    uint32_t whole;  /* 1: all bytes of the plane can be loaded */
    uint32_t inside; /* 1: all starts of the tile are in the range that is searched */
    /* consecutive set bits that follow the last word that plane_ones can read */
    uint32_t beyond;
};

SIMT_FUNCTION struct plane_tile plane_tile_of(const struct pattern_arguments *a,
                                              const struct filter_range *range, uint64_t origin)
{
    uint64_t room, address;
    struct plane_tile t;

    t.skew = (uint32_t)(origin + a->plane.window_at) % 32u;
    t.base = origin + a->plane.window_at - t.skew;
    t.skip = t.base > a->scan.text_end ? (uint32_t)(0 - t.base) : 0;
    room = a->scan.text_end + PLANE_HALF - (t.base + t.skip);
    t.room = room < PLANE_ROOM_MAX ? (uint32_t)room : PLANE_ROOM_MAX;
    /* hides how the address is computed, which the compiler would otherwise repeat for each load */
    address = (uint64_t)(uintptr_t)a->scan.text + t.base;
    t.address = (uint64_t)simt_opaque_u32((uint32_t)(address >> 32)) << 32 |
                simt_opaque_u32((uint32_t)address);
    t.plane_words = a->tile_words + a->plane.window_bytes / 32u + SCAN_PLANE_WORDS_MORE;
    t.warps = simt_threads() / SIMT_WARP_THREADS;
    t.words = a->tile_words / t.warps;
    t.first = simt_warp() * t.words;
    t.whole = t.skip == 0 && t.room >= 32u * t.plane_words;
    t.inside =
        range->position >= range->first && range->position + 32u * a->tile_words <= range->last;
    t.beyond = 0;
    return t;
}

/* ---- The plane -------------------------------------------------------------------------- */

/* Returns bit `bit` of each of 16 bytes. Two multiplications gather the bits of two words; the two
 * products have no bit in common. */
SIMT_FUNCTION uint32_t plane_gather(const struct simt_u32x4 *bytes, uint32_t bit)
{
    uint32_t pairs[2];

    SIMT_UNROLL
    for (uint32_t i = 0; i < 2u; i++)
        pairs[i] = (bytes->w[2u * i] >> bit & 0x01010101u) * 0x01020408u +
                   (bytes->w[2u * i + 1u] >> bit & 0x01010101u) * 0x10204080u;
    return pairs[0] >> 24 | pairs[1] >> 24 << 8;
}

/* The 32 text bytes from which a word of the plane is made. */
struct plane_bytes {
    struct simt_u32x4 half[2];
};

SIMT_FUNCTION struct plane_bytes plane_load_bytes(const struct plane_tile *t, uint32_t w)
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

/* Builds the tile's plane. Called by all threads of the block. */
SIMT_FUNCTION void plane_build(const struct pattern_arguments *a, const struct plane_tile *t,
                               uint32_t *plane)
{
    uint32_t bit = a->plane.bit;
    int folds = a->scan.fold != 0 && bit == PLANE_FOLD_BIT; /* the cases differ only in this bit */

    for (uint32_t at = simt_thread(); at < t->plane_words; at += PLANE_LOADS * simt_threads()) {
        struct plane_bytes bytes[PLANE_LOADS];

        SIMT_UNROLL
        for (uint32_t k = 0; k < PLANE_LOADS; k++) /* beyond the end: load the first word again */
            bytes[k] = plane_load_bytes(
                t, at + k * simt_threads() < t->plane_words ? at + k * simt_threads() : at);
        SIMT_UNROLL
        for (uint32_t k = 0; k < PLANE_LOADS; k++) {
            SIMT_UNROLL
            for (uint32_t i = 0; folds && i < 8u; i++)
                bytes[k].half[i / 4u].w[i % 4u] =
                    (uint32_t)tile_fold(bytes[k].half[i / 4u].w[i % 4u]);
            if (at + k * simt_threads() < t->plane_words)
                plane[at + k * simt_threads()] = plane_gather(&bytes[k].half[0], bit) |
                                                 plane_gather(&bytes[k].half[1], bit) << 16;
        }
    }
}

/* Returns the 32 bits starting at `bit`. */
SIMT_FUNCTION uint32_t plane_at(const uint32_t *words, uint32_t bit)
{
    return simt_funnel(words[bit / 32u], words[bit / 32u + 1u], bit % 32u);
}

/* Returns the first `left` bits of `bits`; the higher bits become 0. */
SIMT_FUNCTION uint32_t plane_kept(uint32_t bits, uint32_t left)
{
    return left < 32u ? bits & ((1u << left) - 1u) : bits;
}

/* ---- Probe ------------------------------------------------------------------------------ */

/* Returns mask without the positions where eight bits of the probe do not match. flip[j] is ~0 if
 * bit j of the eight is 0, else 0. low, high: 64 bits of the text's plane; its bit `from` is
 * compared with the first of the eight at position 0. */
SIMT_FUNCTION uint32_t plane_eight(uint32_t low, uint32_t high, uint32_t from, const uint32_t *flip,
                                   uint32_t mask)
{
    SIMT_UNROLL
    for (uint32_t j = 0; j < 8u; j++)
        mask &= simt_funnel(low, high, from + j) ^ flip[j];
    return mask;
}

/* Returns, as bits, the positions of bitmap word w where the pattern's probe matches. If a
 * comparison word by word decides later, a single position that is left after the probe's first
 * half is returned untested. */
SIMT_FUNCTION uint32_t plane_probe(const struct pattern_arguments *a, const struct plane_tile *t,
                                   const uint32_t *plane, uint32_t w)
{
    uint32_t bits = a->plane.probe_bits, at = w * 32u + t->skew + a->plane.probe_at;
    uint32_t low = plane_at(plane, at), high = plane_at(plane, at + 32u), mask = ~0u;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 32u; j += 8u)
        if (j + 8u <= bits)
            mask = plane_eight(low, high, j, a->plane.flip + j, mask);
    /* The probe's second half is tested only if positions are left; if a comparison word by word
     * follows, only if more than one is left. */
    if (bits >= 40u && (a->plane.period > bits ? mask & (mask - 1u) : mask) != 0) {
        low = high;
        high = plane_at(plane, at + 64u);
        SIMT_UNROLL
        for (uint32_t j = 0; j < 32u; j += 8u)
            if (j + 40u <= bits)
                mask = plane_eight(low, high, j, a->plane.flip + 32u + j, mask);
    }
    if (bits % 8u != 0) /* the last eight bits, some of which were tested before */
        mask = plane_eight(plane_at(plane, at + bits - 8u), plane_at(plane, at + bits + 24u), 0,
                           a->plane.flip_last, mask);
    return mask;
}

/* Returns the starts of bitmap word w that are in the range, as bits. */
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

/* Returns bits for the 32 positions of word w. RUNS: 1 if the plane has the same bit one period
 * later. EQUAL: 1 if the byte equals the byte one period later. */
SIMT_FUNCTION uint32_t plane_ones(const struct pattern_arguments *a,
                                  const struct tile_shared *shared, const struct plane_tile *t,
                                  uint32_t w, int kind)
{
    uint32_t at = w * 32u + t->skew;

    if (kind == PLANE_EQUAL)
        return plane_at(shared->plane, at);
    return ~(plane_at(shared->plane, at) ^ plane_at(shared->plane, at + a->plane.period));
}

/* Returns the first word that plane_ones cannot read, since the plane ends there. */
SIMT_FUNCTION uint32_t plane_ones_end(const struct pattern_arguments *a, const struct plane_tile *t,
                                      int kind)
{
    return t->plane_words - 2u - (kind == PLANE_RUNS ? a->plane.period / 32u : 0);
}

/* Returns how many set bits of plane_ones follow the warp's words. If that is `count` or more, the
 * result may be too low, but is at least `count`. Called by all lanes of the warp. */
SIMT_FUNCTION uint32_t plane_behind(const struct pattern_arguments *a,
                                    const struct tile_shared *shared, const struct plane_tile *t,
                                    uint32_t count, int kind)
{
    uint32_t first = t->first + t->words, end = plane_ones_end(a, t, kind);
    uint32_t max = 32u * (end - first), run = 0;

    for (uint32_t w = first + simt_lane(); run < count && run < max; w += SIMT_WARP_THREADS) {
        uint32_t zeros = SIMT_BOUND(w < end) ? ~plane_ones(a, shared, t, w, kind) : 0;
        uint32_t lanes = simt_ballot(zeros != 0);

        if (lanes != 0) {
            uint32_t source = simt_lowest_bit(lanes);

            return run + source * 32u + simt_lowest_bit(simt_shuffle_u32(zeros, source));
        }
        run += 32u * SIMT_WARP_THREADS;
    }
    return run < max ? run : max + t->beyond;
}

/* Returns the positions where `count` set bits in a row begin, as bits. `ones` has the bits of 32
 * positions, and `behind` set bits follow them. */
SIMT_FUNCTION uint32_t plane_erode(uint32_t ones, uint32_t behind, uint32_t count)
{
    uint32_t have = 1, next;

    if (count > 32u) {
        uint32_t last = behind + 32u - count; /* the last position with `count` set bits ahead */

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

/* Returns the length of the run of set bits right after the lane's word, if such a run of *behind
 * bits is right after the warp's row of 32 words. Sets *behind to the row's first run, for the row
 * before. Called by all lanes of the warp. */
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

/* Returns, as bits, the positions of the lane's word at which `count` consecutive set bits begin.
 * *behind is read and written as in plane_follow. */
SIMT_FUNCTION uint32_t plane_run(uint32_t ones, uint32_t *behind, uint32_t count)
{
    if (*behind >= count && simt_ballot(ones != ~0u) == 0) {
        *behind += 32u * SIMT_WARP_THREADS;
        return ~0u;
    }
    return plane_erode(ones, plane_follow(ones, behind), count);
}

/* Fills the warp's words of the bitmap with the positions where the probe matches (step 2), and, if
 * the plane repeats, where also a run begins that is long enough (step 3). Returns true if the
 * lane's words have any. */
SIMT_FUNCTION int plane_candidates(const struct pattern_arguments *a,
                                   const struct filter_range *range,
                                   const struct tile_shared *shared, const struct plane_tile *t,
                                   struct tile_totals *totals)
{
    uint32_t count = a->plane.window_bytes - a->plane.period, behind = 0, any = 0;

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
        any |= mask;
    }
    return any != 0;
}

/* ---- Word by word ----------------------------------------------------------------------- */

/* Returns true if words j to j + 3 of the pattern's plane differ from the tile's, with the pattern
 * at bit `at`. */
SIMT_FUNCTION int plane_four_differ(const struct pattern_arguments *a, const uint32_t *plane,
                                    uint32_t at, uint32_t j)
{
    struct simt_u32x4 bits = simt_load_u32x4(a->plane.words + j);
    uint32_t w = at / 32u + j, lower = plane[w], left = a->plane.period - 32u * j;

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

/* Returns true if the pattern's plane, starting at word PLANE_LANE_WORDS, equals the tile's. Called
 * by all lanes of the warp, with the same `at`. */
SIMT_FUNCTION int plane_equal_rest(const struct pattern_arguments *a, const uint32_t *plane,
                                   uint32_t at, uint32_t words)
{
    for (uint32_t j = PLANE_LANE_WORDS; j < words; j += SIMT_WARP_THREADS) {
        uint32_t own = j + simt_lane();
        int differs = 0;

        if (SIMT_BOUND(own < words))
            differs =
                plane_kept(plane_at(plane, at + 32u * own) ^ simt_load_u32(a->plane.words + own),
                           a->plane.period - 32u * own) != 0;
        if (simt_ballot(differs) != 0)
            return 0;
    }
    return 1;
}

/* Clears the bits of the warp's starts where the window's plane does not match. Returns true if
 * bits of the lane's words are left. */
SIMT_FUNCTION int plane_verify(const struct pattern_arguments *a, const struct tile_shared *shared,
                               const struct plane_tile *t)
{
    uint32_t words = (a->plane.period + 31u) / 32u, any = 0;
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

                if (!plane_equal_rest(a, shared->plane, at + bit, words))
                    word &= ~(1u << bit);
            }
            if (simt_lane() == source)
                kept = word;
        }
        shared->bits[w] = kept;
        any |= kept;
    }
    return any != 0;
}

/* ---- Bytes ------------------------------------------------------------------------------ */

/* Returns the XOR of the 8 bytes at the position and the 8 bytes a period further on, the lowest
 * byte first. If either begins beyond the text, all bytes count as different; bytes of padding
 * after the text's end may count as equal. */
SIMT_FUNCTION uint64_t plane_differ(const struct pattern_arguments *a, uint64_t position)
{
    uint64_t other = position + a->plane.byte_period;

    if (!SIMT_BOUND(position < a->scan.text_end && other < a->scan.text_end))
        return UINT64_MAX;
    return tile_text_word(&a->scan, position) ^ tile_text_word(&a->scan, other);
}

/* Makes the second plane: a bit is 1 if the byte equals the byte one period later. Called by all
 * threads of the block. */
SIMT_FUNCTION void plane_build_equal(const struct pattern_arguments *a, const struct plane_tile *t,
                                     uint32_t *plane)
{
    for (uint32_t w = simt_thread(); w < t->plane_words; w += simt_threads()) {
        uint32_t differ = 0;

        SIMT_UNROLL
        for (uint32_t i = 0; i < 2u; i++) {
            uint64_t low = plane_differ(a, t->base + 32ull * w + 16u * i);
            uint64_t high = plane_differ(a, t->base + 32ull * w + 16u * i + 8u);
            struct simt_u32x4 bytes = {
                {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};

            SIMT_UNROLL
            for (uint32_t k = 0; k < 4u; k++) /* bit 7 of each byte that is not zero */
                bytes.w[k] |= (bytes.w[k] & 0x7f7f7f7fu) + 0x7f7f7f7fu;
            differ |= plane_gather(&bytes, 7u) << 16u * i;
        }
        plane[w] = ~differ;
    }
}

/* Returns how many consecutive bytes, after those that plane_ones can read, equal the bytes one
 * period later; at most `max`. Before the call, *shared->beyond is `max`. Called by all threads
 * of the block. */
SIMT_FUNCTION uint32_t plane_beyond(const struct pattern_arguments *a,
                                    const struct tile_shared *shared, const struct plane_tile *t,
                                    uint32_t max)
{
    uint64_t from = t->base + t->skew + 32ull * plane_ones_end(a, t, PLANE_EQUAL);

    for (uint32_t step = 0; step < max; step += 8u * simt_threads()) {
        uint32_t at = step + 8u * simt_thread();
        uint64_t differ = plane_differ(a, from + at);

        while (differ != 0 && (differ & 0xffu) == 0) {
            differ >>= 8;
            at++;
        }
        if (differ != 0)
            (void)simt_atomic_min_u32(shared->beyond, at);
        if (simt_barrier_or(differ != 0))
            break;
    }
    return *shared->beyond;
}

/* Keeps those of the warp's candidates that begin a run: the next byte_run bytes equal those a
 * period further on. Called by all threads of the block. */
SIMT_FUNCTION void plane_keep(const struct pattern_arguments *a, const struct tile_shared *shared,
                              struct plane_tile *t)
{
    uint32_t count = a->plane.byte_run, behind;

    plane_build_equal(a, t, shared->plane);
    if (count >= a->plane.window_bytes)
        t->beyond = plane_beyond(a, shared, t, count);
    simt_barrier(); /* all threads have written their words of the plane */
    behind = plane_behind(a, shared, t, count, PLANE_EQUAL);
    for (uint32_t row = t->words; row > 0; row -= SIMT_WARP_THREADS) {
        uint32_t w = t->first + row - SIMT_WARP_THREADS + simt_lane();

        shared->bits[w] &= plane_run(plane_ones(a, shared, t, w, PLANE_EQUAL), &behind, count);
    }
}

/* ---- One run ---------------------------------------------------------------------------- */

/* Returns 16 bytes starting `distance` (below 16) bytes into *first, which *second follows. */
SIMT_FUNCTION struct simt_u32x4 plane_between(const struct simt_u32x4 *first,
                                              const struct simt_u32x4 *second, uint32_t distance)
{
    struct simt_u32x4 half;
    uint32_t w[8];

    SIMT_UNROLL
    for (uint32_t i = 0; i < 8u; i++)
        w[i] = i < 4u ? first->w[i] : second->w[i - 4u];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 6u; i++)
        w[i] = (distance & 8u) != 0 ? w[i + 2u] : w[i];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 5u; i++)
        w[i] = (distance & 4u) != 0 ? w[i + 1u] : w[i];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++)
        half.w[i] = simt_funnel(w[i], w[i + 1u], distance % 4u * 8u);
    return half;
}

SIMT_FUNCTION struct simt_u32x4 plane_half(const struct pattern_arguments *a,
                                           const struct plane_tile *t, uint32_t at)
{
    struct simt_u32x4 half =
        simt_load_u32x4((const uint32_t *)(const void *)(uintptr_t)(t->address + at));

    SIMT_UNROLL
    for (uint32_t i = 0; a->scan.fold != 0 && i < 4u; i++)
        half.w[i] = (uint32_t)tile_fold(half.w[i]);
    return half;
}

/* Returns the period to try in step 0: the smallest one, of up to PLANE_PERIOD_SHORT bytes, with
 * which the tile's text begins, or the pattern's, if that is longer; 0 if there is none. Called by
 * all lanes of the warp. */
SIMT_FUNCTION uint32_t plane_period(const struct pattern_arguments *a, const struct plane_tile *t)
{
    uint32_t period = a->plane.byte_period <= PLANE_PERIOD_MAX ? a->plane.byte_period : 0;

    if (a->plane.has_rest != 0 || !t->inside || t->skip != 0 || t->room < 4u * PLANE_PERIOD_SHORT)
        return 0;
    for (uint32_t k = 1; k < PLANE_PERIOD_SHORT && period <= PLANE_PERIOD_SHORT;
         k += SIMT_WARP_THREADS) {
        uint32_t own = k + simt_lane(), at = 0, lanes;

        while (at < PLANE_PERIOD_SHORT && tile_text_word(&a->scan, t->base + at) ==
                                              tile_text_word(&a->scan, t->base + own + at))
            at += 8u;
        lanes = simt_ballot(at == PLANE_PERIOD_SHORT);
        if (lanes != 0)
            return k + simt_lowest_bit(lanes);
    }
    return period > PLANE_PERIOD_SHORT ? period : 0;
}

/* Returns true if one of the bytes from `from` to `to` of the plane's text that the thread compares
 * differs from the one a period later. */
SIMT_FUNCTION int plane_breaks(const struct pattern_arguments *a, const struct plane_tile *t,
                               uint32_t from, uint32_t to, uint32_t period)
{
    uint32_t distance = period % PLANE_HALF;
    int differs = 0;

    for (uint32_t at = from + PLANE_HALF * simt_thread(); at < to && !differs;
         at += PLANE_LOADS * PLANE_HALF * simt_threads()) {
        struct simt_u32x4 own[PLANE_LOADS], first[PLANE_LOADS], second[PLANE_LOADS];

        SIMT_UNROLL
        for (uint32_t k = 0; k < PLANE_LOADS;
             k++) { /* beyond the end: load the first bytes again */
            uint32_t there = at + k * PLANE_HALF * simt_threads();

            there = SIMT_BOUND(there < to) ? there : at;
            own[k] = plane_half(a, t, there);
            first[k] = plane_half(a, t, there + period - distance);
            second[k] = plane_half(a, t, there + period - distance + PLANE_HALF);
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < PLANE_LOADS; k++) {
            struct simt_u32x4 other = plane_between(&first[k], &second[k], distance);

            SIMT_UNROLL
            for (uint32_t i = 0; i < 4u; i++)
                differs |= own[k].w[i] != other.w[i];
        }
    }
    return differs;
}

/* Returns true if step 0 can search the tile: each byte that the tile's occurrences may reach
 * equals the one a period later. The first bytes are compared first, because texts that nearly
 * repeat a period often break it there. Called by all threads of the block. */
SIMT_FUNCTION int plane_is_run(const struct pattern_arguments *a, const struct plane_tile *t,
                               uint32_t period)
{
    uint32_t starts = 32u * a->tile_words, to = PLANE_LOADS * PLANE_HALF * simt_threads();
    uint32_t more = a->pattern_bytes > period ? a->pattern_bytes - period : 0;
    uint32_t bytes = t->skew + starts + more, from = 0;

    if (period == 0 || period + 2u * SIMT_WARP_THREADS > starts ||
        bytes + period + 2u * PLANE_HALF > t->room)
        return 0;
    SIMT_ROLLED
    while (from < bytes) {
        to = to < bytes && from == 0 ? to : bytes;
        if (simt_barrier_or(plane_breaks(a, t, from, to, period)))
            return 0;
        from = to;
    }
    return 1;
}

/* Notes in `found`, as bits, at which starts of the tile's first period, and the 32 and more after
 * it, the pattern occurs. Its first two periods decide: a longer pattern that occurs in a run has
 * the run's period, and then no shorter one; that is its byte_period. Called by all threads of the
 * block. */
SIMT_FUNCTION void plane_run_begins(const struct pattern_arguments *a, uint64_t origin,
                                    uint32_t period, uint32_t *found)
{
    uint32_t bytes = a->pattern_bytes, steps = 0, lane_bytes;
    int is_none = bytes > 2u * period && period != a->plane.byte_period;

    bytes = bytes < 2u * period ? bytes : 2u * period;
    lane_bytes = bytes < TILE_LANE_BYTES ? bytes : TILE_LANE_BYTES;
    for (uint32_t at = simt_warp() * SIMT_WARP_THREADS; at < period + SIMT_WARP_THREADS;
         at += simt_threads()) {
        uint64_t start = origin + at + simt_lane();
        uint32_t kept =
            simt_ballot(!is_none && tile_equal(&a->scan, start, a->pattern, lane_bytes));

        for (uint32_t lanes = bytes > lane_bytes ? kept : 0; lanes != 0; lanes &= lanes - 1u) {
            uint32_t source = simt_lowest_bit(lanes);

            if (!tile_equal_rest(a, origin + at + source, lane_bytes, bytes, &steps))
                kept &= ~(1u << source);
        }
        if (simt_lane() == 0)
            found[at / SIMT_WARP_THREADS] = kept;
    }
    simt_barrier();
}

/* Fills the bitmap of a tile that is one run: its occurrences repeat the period. Returns true if
 * the lane's words have any. Called by all threads of the block. */
SIMT_FUNCTION int plane_run_verify(const struct pattern_arguments *a, uint64_t origin,
                                   const struct tile_shared *shared, const struct plane_tile *t,
                                   uint32_t period, struct tile_totals *totals)
{
    uint32_t any = 0;

    plane_run_begins(a, origin, period, shared->plane);
    for (uint32_t row = 0; row < t->words; row += SIMT_WARP_THREADS) {
        uint32_t w = t->first + row + simt_lane(), mask = plane_at(shared->plane, 32u * w % period);

        totals->candidates += simt_popcount(mask);
        shared->bits[w] = mask;
        any |= mask;
    }
    return simt_barrier_or(any != 0); /* all threads have read `found` */
}

/* ---- A tile ----------------------------------------------------------------------------- */

/* Fills the bitmap with the tile's occurrences; its earlier content does not matter. Returns 0 if
 * there is none; may return 1 without an occurrence, since a position was left before step 4.
 * Called by all threads of the block, each of which may then read the words that its own warp
 * wrote. */
SIMT_FUNCTION int plane_tile_verify(const struct pattern_arguments *a,
                                    const struct filter_range *range, uint64_t origin,
                                    const struct tile_shared *shared, struct tile_totals *totals)
{
    struct plane_tile t = plane_tile_of(a, range, origin);
    uint32_t from = a->plane.window_at, to = from + a->plane.window_bytes, part = 0, period = 0;
    int any;

    if (simt_thread() == 0)
        *shared->beyond = a->plane.byte_run;
    period = plane_period(a, &t);
    if (plane_is_run(a, &t, period))
        return plane_run_verify(a, origin, shared, &t, period, totals);
    period = 0;
    plane_build(a, &t, shared->plane);
    simt_barrier();
    any = plane_candidates(a, range, shared, &t, totals);
    if (a->plane.period > SCAN_PLANE_PROBE_MAX)
        any = plane_verify(a, shared, &t);
    if (!simt_barrier_or(any)) /* after the barrier, no thread reads the plane any longer */
        return 0;
    if (a->plane.byte_period != 0) {
        plane_keep(a, shared, &t);
        to = from + a->plane.byte_period;
        period = a->plane.byte_period <= 32u ? a->plane.byte_period : 0;
    }
    SIMT_ROLLED
    /* the window comes first, so that few candidates are left for the rest of a longer pattern */
    do {
        simt_warp_sync(); /* each lane sees the words that its warp's lanes wrote */
        tile_verify(a, origin, shared, from, to, period);
        period = from = 0;
        to = a->pattern_bytes;
    } while (part++ < a->plane.has_rest);
    simt_warp_sync();
    return 1;
}

#endif
