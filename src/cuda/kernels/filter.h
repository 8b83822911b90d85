/* filter: finds the candidates of a tile, 16 text bytes per lane and step. A candidate is a
 * position that may be an occurrence.
 *
 * A warp reads its own part of the tile in steps of 512 bytes, 16 aligned bytes per lane. To
 * compare at its last position, a lane needs up to 7 bytes after its 16 bytes. These bytes come
 * from the next lane, with a shuffle:
 *
 *     lane      0         1         2              31
 *     bytes  |0 .. 15||16 .. 31||32 .. 47|  ...  |496 .. 511|  8 more, loaded by lane 31
 *                    <--- up to 7 bytes for lane 0
 *
 * Traffic    per text byte: reads 1 1/64, since 8 bytes of each 512 are loaded twice.
 *
 * The filter compares the *gram*, a window of up to 8 bytes at offset `shift` of the pattern. So
 * position p of the text is a candidate for an occurrence that begins at p - shift. `first` and
 * `last` bound the positions whose occurrence would begin in [begin, limit).
 */
#ifndef TRAWL_CUDA_KERNELS_FILTER_H
#define TRAWL_CUDA_KERNELS_FILTER_H

#include "tile.h"

enum {
    FILTER_BYTE,
    FILTER_SHORT,
    FILTER_WORD,
    FILTER_LONG,
    FILTER_MASKED,
    FILTER_STRIDE_2,
    FILTER_STRIDE_4,
    FILTER_STRIDE_8,
    FILTER_KINDS
};

/* A tile has the text positions [position, position + 32 * tile_words); those in [first, last) are
 * searched: the *wanted* positions. */
struct filter_range {
    uint64_t position; /* a multiple of 16 */
    uint64_t first;
    uint64_t last;
};

/* Steps that a warp loads together: four if a step needs few registers. FILTER_WORD ran at 0.70 of
 * the memory bandwidth with one step, and at 0.73 with two [H200]. */
#define FILTER_STEPS_MAX 4u
#define FILTER_STEPS(kind) ((kind) == FILTER_BYTE || (kind) == FILTER_STRIDE_8 ? 4u : 2u)

/* Six words of text: the lane's 16 bytes and 8 more. */
struct filter_words {
    uint32_t w[6];
};

/* Loads the lane's 16 bytes at i, and, if `neighbours` is not 0, also the 8 bytes after them,
 * unless the next lane has them. */
SIMT_FUNCTION struct filter_words filter_load(const struct scan_arguments *a, uint64_t i,
                                              uint64_t last, int neighbours)
{
    struct filter_words words = {{0, 0, 0, 0, 0, 0}};

    if (SIMT_BOUND(i < last)) {
        struct simt_u32x4 own = simt_load_u32x4((const uint32_t *)(const void *)(a->text + i));

        words.w[0] = own.w[0];
        words.w[1] = own.w[1];
        words.w[2] = own.w[2];
        words.w[3] = own.w[3];
        /* the last lane has no next lane, and the next lane may be out of range */
        if (neighbours && (simt_lane() == SIMT_WARP_THREADS - 1u || i + 16u >= last)) {
            uint64_t more = simt_load_u64((const uint64_t *)(const void *)(a->text + i + 16u));

            words.w[4] = (uint32_t)more;
            words.w[5] = (uint32_t)(more >> 32);
        }
    }
    return words;
}

/* Copies the two words after the lane's 16 bytes from the next lane, unless filter_load has loaded
 * them. Called by all lanes of the warp. */
SIMT_FUNCTION void filter_neighbours(struct filter_words *words, uint64_t i, uint64_t last)
{
    uint32_t next = simt_shuffle_down_u32(words->w[0], 1);
    uint32_t second = simt_shuffle_down_u32(words->w[1], 1);

    if (simt_lane() != SIMT_WARP_THREADS - 1u && i + 16u < last) {
        words->w[4] = next;
        words->w[5] = second;
    }
}

/* Returns the 4 bytes that start at byte j of the lane's six words, for j up to 19; j is a constant
 * once the caller's loop is unrolled. */
SIMT_FUNCTION uint32_t filter_word(const struct filter_words *words, uint32_t j)
{
    return j % 4u == 0 ? words->w[j / 4u]
                       : simt_funnel(words->w[j / 4u], words->w[j / 4u + 1u], j % 4u * 8u);
}

/* Returns s for a kind FILTER_STRIDE_s (a stride kind), which compares every s-th position. */
SIMT_FUNCTION uint32_t filter_stride(int kind)
{
    return kind == FILTER_STRIDE_8 ? 8u : kind == FILTER_STRIDE_4 ? 4u : 2u;
}

/* Returns how many words after the lane's 16 bytes this kind of comparison reads. */
SIMT_FUNCTION uint32_t filter_words_behind(int kind)
{
    if (kind == FILTER_BYTE || kind == FILTER_STRIDE_8)
        return 0;
    return kind == FILTER_SHORT || kind == FILTER_WORD || kind == FILTER_STRIDE_4 ? 1u : 2u;
}

/* Returns a fingerprint of 8 bytes; different bytes rarely share one. */
SIMT_FUNCTION uint32_t filter_sum(uint32_t low, uint32_t high)
{
    return low * SCAN_SUM_FACTOR + high;
}

/* Returns the fingerprint of the gram at byte j of the lane's words, for a stride kind. */
SIMT_FUNCTION uint32_t filter_stride_sum(const struct scan_arguments *a,
                                         const struct filter_words *words, uint32_t j)
{
    return filter_sum(filter_word(words, j) | a->stride_fold,
                      (filter_word(words, j + 4u) | a->stride_fold) & a->stride_keep);
}

/* Returns true if any of the lane's 16 / stride compared positions has the fingerprint of a gram of
 * the pattern. */
SIMT_FUNCTION int filter_strides_any(const struct scan_arguments *a,
                                     const struct filter_words *words, uint32_t stride)
{
    int hit = 0;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j += stride) {
        uint32_t sum = filter_stride_sum(a, words, j);

        SIMT_UNROLL
        for (uint32_t o = 0; o < stride; o++)
            hit |= sum == a->stride_sums[o];
    }
    return hit;
}

/* Returns the candidates among 16 positions, for a stride kind. The s grams are the windows of the
 * pattern at s consecutive offsets. If gram o is at position x, the candidate is x + stride - 1 -
 * o. */
SIMT_FUNCTION uint32_t filter_strides(const struct scan_arguments *a,
                                      const struct filter_words *words, uint32_t stride)
{
    uint32_t mask = 0;

    if (!filter_strides_any(a, words, stride))
        return 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j += stride) {
        uint32_t sum = filter_stride_sum(a, words, j);

        SIMT_UNROLL
        for (uint32_t o = 0; o < stride; o++)
            mask |= sum == a->stride_sums[o] ? 1u << (j + stride - 1u - o) : 0;
    }
    return mask;
}

/* Returns bit 7 of each byte of x that is zero. In any other byte, bit 7 is set, or the sum of the
 * lower 7 bits and 0x7f carries into it. */
SIMT_FUNCTION uint32_t filter_zero_bytes(uint32_t x)
{
    return ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x | 0x7f7f7f7fu);
}

/* Returns bits 7, 15, 23 and 31 of zeros as bits 4 k to 4 k + 3, where zeros is filter_zero_bytes
 * of word k. The multiplication adds shifted copies of the four bits; the mask keeps a copy of each
 * bit. */
SIMT_FUNCTION uint32_t filter_gather(uint32_t zeros, uint32_t k)
{
    uint64_t factor = (1ull << 25 | 1ull << 18 | 1ull << 11 | 1ull << 4) << 4u * k;

    return (uint32_t)(zeros * factor >> 32) & 0xfu << 4u * k;
}

/* Returns the positions among 16 that match a pattern of one byte: the zero bytes of w ^ byte. */
SIMT_FUNCTION uint32_t filter_byte(const struct scan_arguments *a, const struct filter_words *words)
{
    uint32_t repeated = a->gram[0] * 0x01010101u, mask = 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++)
        mask |= filter_gather(filter_zero_bytes(words->w[k] ^ repeated), k);
    return mask;
}

/* Returns true if the 8 bytes at any of 16 positions have the gram's fingerprint; each test is one
 * multiplication and one comparison. The caller then compares the bytes. */
SIMT_FUNCTION int filter_fingerprint(const struct scan_arguments *a,
                                     const struct filter_words *words)
{
    uint32_t sum = filter_sum(a->gram[0], a->gram[1]);
    int hit = 0;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        hit |= filter_sum(filter_word(words, j), filter_word(words, j + 4u)) == sum;
    return hit;
}

/* Returns true if any of 16 positions has the gram, for a gram of exactly 4 bytes. */
SIMT_FUNCTION int filter_word_anywhere(const struct scan_arguments *a,
                                       const struct filter_words *words)
{
    uint32_t gram = a->gram[0];
    int hit = 0;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        hit |= filter_word(words, j) == gram;
    return hit;
}

/* Returns the bits in which the 4 bytes starting at byte j differ from the gram's first 4 bytes,
 * under the gram's fold and mask. */
SIMT_FUNCTION uint32_t filter_folded(const struct scan_arguments *a,
                                     const struct filter_words *words, uint32_t j)
{
    return ((filter_word(words, j) | a->gram_fold[0]) ^ a->gram[0]) & a->gram_mask[0];
}

/* Returns the candidates among 16 positions, for a kind that compares every position. */
SIMT_FUNCTION uint32_t filter_every(const struct scan_arguments *a,
                                    const struct filter_words *words, int kind)
{
    uint32_t mask = 0, g0 = a->gram[0], g1 = a->gram[1], m1 = a->gram_mask[1], f1 = a->gram_fold[1];

    if (kind == FILTER_BYTE)
        return filter_byte(a, words);
    if (kind == FILTER_LONG && !filter_fingerprint(a, words))
        return 0;
    if (kind == FILTER_WORD && !filter_word_anywhere(a, words))
        return 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++) {
        uint32_t low = filter_word(words, j), high = filter_word(words, j + 4u);
        int hit;

        if (kind == FILTER_WORD)
            hit = low == g0;
        else if (kind == FILTER_SHORT)
            hit = (low & a->gram_mask[0]) == g0;
        else if (kind == FILTER_LONG)
            hit = (low == g0) & (high == g1);
        else
            hit = (filter_folded(a, words, j) | (((high | f1) ^ g1) & m1)) == 0;
        mask |= hit ? 1u << j : 0;
    }
    return mask;
}

/* Returns the wanted positions of [i, i + 16), as a mask. */
SIMT_FUNCTION uint32_t filter_wanted(const struct filter_range *range, uint64_t i)
{
    uint32_t mask = 0xffffu;

    if (!SIMT_BOUND(i >= range->first))
        mask &= range->first - i < 16u ? 0xffffu << (range->first - i) : 0;
    if (!SIMT_BOUND(i + 16u <= range->last))
        mask &= i < range->last ? 0xffffu >> (i + 16u - range->last) : 0;
    return mask;
}

/* Returns the candidates among 16 positions, wanted or not. */
SIMT_FUNCTION uint32_t filter_places(const struct scan_arguments *a,
                                     const struct filter_words *words, int kind)
{
    if (kind == FILTER_STRIDE_2 || kind == FILTER_STRIDE_4 || kind == FILTER_STRIDE_8)
        return filter_strides(a, words, filter_stride(kind));
    return filter_every(a, words, kind);
}

/* Returns the candidates among the wanted positions of [i, i + 16). */
SIMT_FUNCTION uint32_t filter_lane(const struct scan_arguments *a, const struct filter_range *range,
                                   const struct filter_words *words, uint64_t i, int kind)
{
    uint32_t mask = filter_places(a, words, kind);

    return mask != 0 ? mask & filter_wanted(range, i) : 0;
}

/* Returns the number of this thread's candidates in the tile. Unless only_count is set, writes the
 * tile's bitmap of candidates: each warp writes every word of its part of the tile, so that no
 * thread needs to clear it. */
SIMT_FUNCTION uint32_t filter_tile_of(const struct scan_arguments *a,
                                      const struct filter_range *range,
                                      const struct tile_shared *shared, int kind, int only_count)
{
    uint32_t warp_bytes = a->tile_words * 32u / (simt_threads() / SIMT_WARP_THREADS);
    uint32_t b = simt_warp() * warp_bytes + 16u * simt_lane(), count = 0;
    uint32_t step_bytes = 16u * SIMT_WARP_THREADS;
    int needs_more = filter_words_behind(kind) != 0;

    for (uint32_t step = 0; step < warp_bytes; step += step_bytes * FILTER_STEPS(kind)) {
        struct filter_words words[FILTER_STEPS_MAX];

        SIMT_UNROLL
        for (uint32_t k = 0; k < FILTER_STEPS(kind); k++)
            words[k] =
                filter_load(a, range->position + b + step + step_bytes * k,
                            step + step_bytes * k < warp_bytes ? range->last : 0, needs_more);
        SIMT_UNROLL
        for (uint32_t k = 0; k < FILTER_STEPS(kind); k++) {
            uint32_t at = b + step + step_bytes * k, mask, above;

            if (step + step_bytes * k >= warp_bytes)
                break; /* the warp's part of the tile may end before the last of the steps */
            if (needs_more)
                filter_neighbours(&words[k], range->position + at, range->last);
            mask = filter_lane(a, range, &words[k], range->position + at, kind);
            count += simt_popcount(mask);
            if (only_count)
                continue;
            above = simt_shuffle_down_u32(mask, 1);
            if (simt_lane() % 2u == 0)
                shared->bits[at / 32u] = mask | above << 16;
        }
    }
    return count;
}

/* Calls filter_tile_of with the pattern's kind. */
SIMT_FUNCTION uint32_t filter_tile(const struct scan_arguments *a, const struct filter_range *range,
                                   const struct tile_shared *shared, int only_count)
{
    if (a->gram_kind == SCAN_GRAM_LONG)
        return filter_tile_of(a, range, shared, FILTER_LONG, only_count);
    if (a->gram_kind == SCAN_GRAM_BYTE)
        return filter_tile_of(a, range, shared, FILTER_BYTE, only_count);
    if (a->gram_kind == SCAN_GRAM_WORD)
        return filter_tile_of(a, range, shared, FILTER_WORD, only_count);
    if (a->gram_kind == SCAN_GRAM_SHORT)
        return filter_tile_of(a, range, shared, FILTER_SHORT, only_count);
    if (a->gram_kind == SCAN_GRAM_STRIDE_2)
        return filter_tile_of(a, range, shared, FILTER_STRIDE_2, only_count);
    if (a->gram_kind == SCAN_GRAM_STRIDE_4)
        return filter_tile_of(a, range, shared, FILTER_STRIDE_4, only_count);
    if (a->gram_kind == SCAN_GRAM_STRIDE_8)
        return filter_tile_of(a, range, shared, FILTER_STRIDE_8, only_count);
    return filter_tile_of(a, range, shared, FILTER_MASKED, only_count);
}

#endif
