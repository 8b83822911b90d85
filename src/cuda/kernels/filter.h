/* filter: finds candidates among 16 text bytes of a lane. A candidate is a position that may be an
 * occurrence.
 *
 * The filter compares the *gram*, a window of up to 8 bytes at offset `shift` of the pattern. So
 * position p of the text is a candidate for an occurrence that begins at p - shift. `first` and
 * `last` bound the positions whose occurrence would begin in [begin, limit). To compare at its last
 * position, a lane needs up to 7 bytes after its 16 bytes.
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

/* Six words of text: the lane's 16 bytes and 8 more. */
struct filter_words {
    uint32_t w[6];
};

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
SIMT_FUNCTION uint32_t filter_stride_sum(const struct pattern_arguments *a,
                                         const struct filter_words *words, uint32_t j)
{
    return filter_sum(filter_word(words, j) | a->stride_fold,
                      (filter_word(words, j + 4u) | a->stride_fold) & a->stride_keep);
}

/* Returns true if any of the lane's 16 / stride compared positions has the fingerprint of a gram of
 * the pattern. */
SIMT_FUNCTION int filter_strides_any(const struct pattern_arguments *a,
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
SIMT_FUNCTION uint32_t filter_strides(const struct pattern_arguments *a,
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
SIMT_FUNCTION uint32_t filter_byte(const struct pattern_arguments *a,
                                   const struct filter_words *words)
{
    uint32_t repeated = a->gram[0] * 0x01010101u, mask = 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++)
        mask |= filter_gather(filter_zero_bytes(words->w[k] ^ repeated), k);
    return mask;
}

/* Returns true if the 8 bytes at any of 16 positions have the gram's fingerprint; each test is one
 * multiplication and one comparison. The caller then compares the bytes. */
SIMT_FUNCTION int filter_fingerprint(const struct pattern_arguments *a,
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
SIMT_FUNCTION int filter_word_anywhere(const struct pattern_arguments *a,
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
SIMT_FUNCTION uint32_t filter_folded(const struct pattern_arguments *a,
                                     const struct filter_words *words, uint32_t j)
{
    return ((filter_word(words, j) | a->gram_fold[0]) ^ a->gram[0]) & a->gram_mask[0];
}

/* Returns the candidates among 16 positions, for a kind that compares every position. */
SIMT_FUNCTION uint32_t filter_every(const struct pattern_arguments *a,
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
SIMT_FUNCTION uint32_t filter_places(const struct pattern_arguments *a,
                                     const struct filter_words *words, int kind)
{
    if (kind == FILTER_STRIDE_2 || kind == FILTER_STRIDE_4 || kind == FILTER_STRIDE_8)
        return filter_strides(a, words, filter_stride(kind));
    return filter_every(a, words, kind);
}

/* Returns the candidates among the wanted positions of [i, i + 16). */
SIMT_FUNCTION uint32_t filter_lane(const struct pattern_arguments *a,
                                   const struct filter_range *range,
                                   const struct filter_words *words, uint64_t i, int kind)
{
    uint32_t mask = filter_places(a, words, kind);

    return mask != 0 ? mask & filter_wanted(range, i) : 0;
}

#endif
