/* product: a look at 256 places at once by a matrix product on the tensor cores.
 *
 * The fingerprint of a window is the sum of weight[j] times its byte j, over q <= 17 bytes with
 * weights of up to 127. Rows of the left matrix are the 32 bytes from base + 16 r, so its
 * fragments are the text's words as they lie; the right matrix holds the weights shifted by its
 * column, in a first product for the places base + 16 r + 0...7, in a second for 8...15. A sum
 * that is the pattern's fingerprint is a candidate. Bytes are mixed first, since a text's letters
 * are neighbours: sums of weights times neighbours are few, and one window in 7,000 of random
 * letters had the pattern's by chance, of mixed ones one in 75,000. The cost does not depend on the
 * bytes, so texts of four letters take as long as others; a candidate is verified in any case.
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
    int32_t fingerprint;
    uint32_t fold;
};

SIMT_FUNCTION struct product product_of(const struct scan_arguments *a)
{
    struct product product;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++)
        product.weights[i] =
            simt_load_u32(a->product->weights + i * SIMT_WARP_THREADS + simt_lane());
    product.fingerprint = (int32_t)simt_load_u32(&a->product->fingerprint);
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

/* Where the lane's lowest place of a block lies in it. */
SIMT_FUNCTION uint32_t product_lane_place(void)
{
    return simt_lane() / 4u * 16u + simt_lane() % 4u * 2u;
}

/* The sums of the lane's places in a block: four of the first half and, in the last two of each,
 * of the second. */
struct product_sums {
    struct simt_s32x4 low;  /* 0 and 1 beyond the lane's lowest place */
    struct simt_s32x4 high; /* 8 and 9 */
};

/* `own` are the block's words `lane` and 32 + lane, `next` is word `lane` behind it (lanes 0 to 3).
 * All lanes of the warp. */
SIMT_FUNCTION struct product_sums product_block(const struct product *product,
                                                const uint32_t own[2], uint32_t next)
{
    uint32_t lane = simt_lane(), above = (lane + 4u) % SIMT_WARP_THREADS;
    struct simt_s32x4 zero = {{0, 0, 0, 0}};
    struct simt_u32x4 rows = {{product_mix(product, own[0]), product_mix(product, own[1]), 0, 0}};
    struct product_sums sums;

    /* 16 bytes on is lane + 4; the last four lanes get what the first four hold of the next. */
    rows.w[2] = simt_shuffle_u32(lane < 4u ? rows.w[1] : rows.w[0], above);
    rows.w[3] = simt_shuffle_u32(lane < 4u ? product_mix(product, next) : rows.w[1], above);
    sums.low = simt_product_u8s8(zero, rows, product->weights[0], product->weights[1]);
    sums.high = simt_product_u8s8(zero, rows, product->weights[2], product->weights[3]);
    return sums;
}

/* Is any of the lane's places a candidate? */
SIMT_FUNCTION int product_hit(const struct product *product, const struct product_sums *sums)
{
    int32_t wanted = product->fingerprint;
    int hit = 0;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++)
        hit |= (sums->low.w[i] == wanted) | (sums->high.w[i] == wanted);
    return hit;
}

/* Which: bits 0, 1, 8, 9 for as many places beyond its lowest, bits 16, 17, 24, 25 for the same
 * places of the block's second half. */
SIMT_FUNCTION uint32_t product_mask(const struct product *product, const struct product_sums *sums)
{
    uint32_t mask = 0, wanted = (uint32_t)product->fingerprint;

    /* Opaque, or product_hit keeps its eight comparisons in case this is called. */
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++) {
        uint32_t bit = i / 2u * 16u + i % 2u;

        mask |= simt_opaque_u32((uint32_t)sums->low.w[i]) == wanted ? 1u << bit : 0;
        mask |= simt_opaque_u32((uint32_t)sums->high.w[i]) == wanted ? 1u << (bit + 8u) : 0;
    }
    return mask;
}

/* The place of a bit of product_mask, from the lane's lowest. */
SIMT_FUNCTION uint32_t product_bit_place(uint32_t bit)
{
    return bit % 16u + bit / 16u * (PRODUCT_BLOCK_BYTES / 2u);
}

/* Strike out of a mask the places that do not count; `position` is the lane's lowest. */
SIMT_FUNCTION uint32_t product_wanted(const struct filter_range *range, uint64_t position,
                                      uint32_t mask)
{
    uint32_t kept = mask;

    for (uint32_t left = mask; left != 0; left &= left - 1u) {
        uint32_t bit = simt_lowest_bit(left);
        uint64_t place = position + product_bit_place(bit);

        if (!SIMT_BOUND(place >= range->first) || !SIMT_BOUND(place < range->last))
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

/* Write the eight words of a block's bitmap. All lanes of the warp. */
SIMT_FUNCTION void product_write(uint32_t *bits, uint32_t mask)
{
    uint32_t lane = simt_lane(), row, upper, lower;

    if (simt_ballot(mask != 0) == 0) {
        if (lane < 8u)
            bits[lane] = 0;
        return;
    }
    row = mask << simt_lane() % 4u * 2u; /* the row's 16 places, and below them row + 8's */
    row |= simt_shuffle_u32(row, lane ^ 1u);
    row |= simt_shuffle_u32(row, lane ^ 2u);
    lower = simt_shuffle_u32(row, lane % 4u * 8u); /* of rows 2 i and 2 i + 1, i = lane % 4 */
    upper = simt_shuffle_u32(row, lane % 4u * 8u + 4u);
    if (lane < 4u)
        bits[lane] = (lower & 0xffffu) | upper << 16;
    else if (lane < 8u)
        bits[lane] = lower >> 16 | (upper & 0xffff0000u);
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
            words[k] = product_load(a, position + k * 128u + simt_lane() * 4u, range->last, whole);
        words[8] = 0;
        if (simt_lane() < 4u)
            words[8] = product_load(a, position + 8u * 128u + simt_lane() * 4u, range->last, whole);
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4u; k++) {
            uint32_t at = begin + step + k * PRODUCT_BLOCK_BYTES;
            struct product_sums sums = product_block(product, &words[2u * k], words[2u * k + 2u]);
            uint32_t mask = 0;

            if (product_hit(product, &sums))
                mask = product_wanted(range, range->position + at + product_lane_place(),
                                      product_mask(product, &sums));
            count += simt_popcount(mask);
            product_write(shared->bits + at / 32u, mask);
        }
    }
    return count;
}

#endif
