/* product: a look at 256 places at once by a matrix product on the tensor cores.
 *
 * The fingerprint of a window is the sum of weight[j] times its byte j, over q <= 17 bytes with
 * weights of up to 127. Rows of the left matrix are the 32 bytes from base + 16 i; its row r is
 * i = 2 r and its row r + 8 is i = 2 r + 1, so that what a lane holds of the second half of the one
 * is what it holds of the first half of the other, and only the last quarter comes from the lane
 * 4 on. (Rows r and r + 8 in the text's order need two shuffles and selections instead of one.) The
 * right matrix holds the weights shifted by its column, in a first product for the places
 * base + 16 i + 0...7, in a second for 8...15. Sums start at minus the pattern's fingerprint: a
 * candidate is a zero. To know whether there is one, four sums are multiplied: comparisons are what
 * the multiprocessor has least time for, multiplications it has plenty of. (A product of four that
 * are not zero is zero for one in 2^25; it is looked at in vain.)
 *
 * Bytes are mixed first, since a text's letters are neighbours: of windows of random letters one in
 * 7,000 had the pattern's sum by chance, of mixed ones one in 75,000. The cost does not depend on
 * the bytes, so texts of four letters take as long as others; a candidate is verified in any case.
 */
#ifndef TRAWL_CUDA_KERNELS_PRODUCT_H
#define TRAWL_CUDA_KERNELS_PRODUCT_H

#include "filter.h"

#define PRODUCT_BLOCK_BYTES 256u
/* Bytes beyond a last place whose words are loaded: a window's. */
#define PRODUCT_BEYOND_BYTES 16u

/* What a lane keeps of the pattern. */
struct product {
    uint32_t weights[4]; /* of the first product, then of the second */
    struct simt_s32x4 start;
    uint32_t fold;
};

SIMT_FUNCTION struct product product_of(const struct scan_arguments *a)
{
    struct product product;
    struct simt_u32x4 start = simt_load_u32x4(a->product->start);

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++) {
        product.weights[i] =
            simt_load_u32(a->product->weights + i * SIMT_WARP_THREADS + simt_lane());
        product.start.w[i] = (int32_t)start.w[i];
    }
    product.fold = simt_load_u32(&a->product->fold);
    return product;
}

/* Four bytes, each with its low half xor-ed into the high one: a bijection that is far from linear.
 */
SIMT_FUNCTION uint32_t product_mix(const struct product *product, uint32_t bytes)
{
    uint32_t folded = bytes | product->fold;

    return folded ^ (folded << 4 & 0xf0f0f0f0u);
}

/* Where the lane's lowest place of a block lies in it: also where its first word lies there, but
 * for twice the distance in the four. */
SIMT_FUNCTION uint32_t product_lane_place(void)
{
    return simt_lane() / 4u * 32u + simt_lane() % 4u * 2u;
}

/* Where the lane's first word of a block lies; the second is 16 bytes on. */
SIMT_FUNCTION uint32_t product_lane_bytes(void)
{
    return simt_lane() / 4u * 32u + simt_lane() % 4u * 4u;
}

/* The sums of the lane's places in a block, less the pattern's: 0, 1, 16 and 17 beyond its lowest.
 */
struct product_sums {
    struct simt_s32x4 low;
    struct simt_s32x4 high; /* 8 more */
};

/* `own` are the lane's two words of the block, `next` is its first one of the block behind (lanes 0
 * to 3). All lanes of the warp. */
SIMT_FUNCTION struct product_sums product_block(const struct product *product,
                                                const uint32_t own[2], uint32_t next)
{
    uint32_t lane = simt_lane(), first = product_mix(product, own[0]);
    uint32_t second = product_mix(product, own[1]);
    uint32_t given = lane < 4u ? product_mix(product, next) : first;
    struct simt_u32x4 rows = {{first, second, second, 0}};
    struct product_sums sums;

    rows.w[3] = simt_shuffle_u32(given, (lane + 4u) % SIMT_WARP_THREADS);
    sums.low = simt_product_u8s8(product->start, rows, product->weights[0], product->weights[1]);
    sums.high = simt_product_u8s8(product->start, rows, product->weights[2], product->weights[3]);
    return sums;
}

/* May any of the lane's places be a candidate? */
SIMT_FUNCTION int product_hit(const struct product_sums *sums)
{
    const int32_t *low = sums->low.w, *high = sums->high.w;

    return ((uint32_t)low[0] * (uint32_t)low[1] * (uint32_t)low[2] * (uint32_t)low[3] == 0) |
           ((uint32_t)high[0] * (uint32_t)high[1] * (uint32_t)high[2] * (uint32_t)high[3] == 0);
}

/* Which: bit b for the place b beyond the lane's lowest. */
SIMT_FUNCTION uint32_t product_mask(const struct product_sums *sums)
{
    uint32_t mask = 0;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++) {
        uint32_t bit = i / 2u * 16u + i % 2u;

        mask |= sums->low.w[i] == 0 ? 1u << bit : 0;
        mask |= sums->high.w[i] == 0 ? 1u << (bit + 8u) : 0;
    }
    return mask;
}

/* Strike out of a mask the places that do not count; `position` is the lane's lowest. */
SIMT_FUNCTION uint32_t product_wanted(const struct filter_range *range, uint64_t position,
                                      uint32_t mask)
{
    uint32_t kept = mask;

    for (uint32_t left = mask; left != 0; left &= left - 1u) {
        uint32_t bit = simt_lowest_bit(left);

        if (!SIMT_BOUND(position + bit >= range->first) ||
            !SIMT_BOUND(position + bit < range->last))
            kept &= ~(1u << bit);
    }
    return kept;
}

/* A word of places below `last` or of a window that begins there; `whole`: it is known to be. */
SIMT_FUNCTION uint32_t product_load(const struct scan_arguments *a, uint64_t i, uint64_t last,
                                    int whole)
{
    return whole || SIMT_BOUND(i < last + PRODUCT_BEYOND_BYTES)
               ? simt_load_u32((const uint32_t *)(const void *)(a->text + i))
               : 0;
}

/* Write the eight words of a block's bitmap: each of four lanes. All lanes of the warp. */
SIMT_FUNCTION void product_write(uint32_t *bits, uint32_t mask)
{
    uint32_t lane = simt_lane(), word = mask << lane % 4u * 2u;

    word |= simt_shuffle_u32(word, lane ^ 1u);
    word |= simt_shuffle_u32(word, lane ^ 2u);
    if (lane % 4u == 0)
        bits[lane / 4u] = word;
}

/* filter_tile_of's work by products. */
SIMT_FUNCTION uint32_t product_tile(const struct scan_arguments *a,
                                    const struct filter_range *range,
                                    const struct tile_shared *shared, const struct product *product)
{
    uint32_t warp_bytes = a->tile_words * 32u / (simt_threads() / SIMT_WARP_THREADS);
    uint32_t begin = simt_warp() * warp_bytes, count = 0;

    /* A thread owns words of 32 places: the warp's part is a multiple of four blocks. */
    for (uint32_t step = 0; step < warp_bytes; step += 4u * PRODUCT_BLOCK_BYTES) {
        uint64_t position = range->position + begin + step;
        int whole = position + 4u * PRODUCT_BLOCK_BYTES <= range->last;
        uint32_t words[9];

        SIMT_UNROLL
        for (uint32_t k = 0; k < 8u; k++)
            words[k] = product_load(
                a, position + k / 2u * PRODUCT_BLOCK_BYTES + product_lane_bytes() + k % 2u * 16u,
                range->last, whole);
        words[8] = 0;
        if (simt_lane() < 4u)
            words[8] = product_load(a, position + 4u * PRODUCT_BLOCK_BYTES + product_lane_bytes(),
                                    range->last, whole);
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4u; k++) {
            uint32_t at = begin + step + k * PRODUCT_BLOCK_BYTES;
            struct product_sums sums = product_block(product, &words[2u * k], words[2u * k + 2u]);
            uint32_t mask = 0;

            if (product_hit(&sums))
                mask = product_wanted(range, range->position + at + product_lane_place(),
                                      product_mask(&sums));
            count += simt_popcount(mask);
            product_write(shared->bits + at / 32u, mask);
        }
    }
    return count;
}

#endif
