/* compare: how bf, qs and hp (and in part bmh, pss and swift) read text and pattern, and compare a
 * window byte by byte.
 *
 * Each algorithm has two forms: text and pattern in global memory, or the block's text (the bin) in
 * shared memory and the pattern in constant memory. All warps of a block fill the bin, 16 bytes per
 * thread in turn, before any compares:
 *
 *   text    ... | the block's start offsets, one per thread | the pattern's length - 1 | ...
 *   bin         | 16 bytes of thread 0 | of thread 1 | of thread 2 | ...               |
 *   then, after a barrier, thread t compares m bytes of the bin, from its start offset on
 */
#ifndef TRAWL_GALLERY_KERNELS_COMPARE_H
#define TRAWL_GALLERY_KERNELS_COMPARE_H

#include "gallery/kernels/constant.h"
#include "gallery/kernels/emit.h"

enum compare_pattern { COMPARE_GLOBAL, COMPARE_CONSTANT };

/* The text bytes that lie in shared memory. */
struct compare_bin {
    const uint8_t *bytes; /* text bytes [begin, begin + bytes_count) */
    uint64_t begin;       /* a multiple of 16, except in -tay-shared */
    uint32_t bytes_count; /* 0: all text is read from global memory */
};

SIMT_FUNCTION uint8_t compare_text(const struct gallery_arguments *a, const struct compare_bin *bin,
                                   uint64_t position)
{
    uint64_t offset = position - bin->begin;

    if (SIMT_BOUND(offset < bin->bytes_count))
        return bin->bytes[offset];
    return simt_load_u8(a->text + position);
}

SIMT_FUNCTION uint8_t compare_pattern(const struct gallery_arguments *a, enum compare_pattern where,
                                      uint32_t offset)
{
    if (where == COMPARE_CONSTANT)
        return simt_constant_u8(gallery_constant, offset);
    return simt_load_u8(a->pattern + offset);
}

/* Returns a bin in `words`, not yet filled, for the text [from, to) or its first `bytes_max` bytes
 * (a multiple of 16). */
SIMT_FUNCTION struct compare_bin compare_bin_open(uint64_t from, uint64_t to, const uint32_t *words,
                                                  uint32_t bytes_max)
{
    struct compare_bin bin = {(const uint8_t *)words, from & ~15ull, 0};

    if (from < to) /* otherwise, the block has no start offset */
        bin.bytes_count =
            to - bin.begin < bytes_max ? (uint32_t)(to - bin.begin + 15u) & ~15u : bytes_max;
    return bin;
}

/* Loads the bin's text; the last load may read padding after the text. Called by all threads of the
 * block. */
SIMT_FUNCTION void compare_bin_load(const struct gallery_arguments *a,
                                    const struct compare_bin *bin, uint32_t *words)
{
    for (uint32_t i = 16u * simt_thread(); i < bin->bytes_count; i += 16u * simt_threads()) {
        struct simt_u32x4 loaded =
            simt_load_u32x4((const uint32_t *)(const void *)(a->text + bin->begin + i));

        SIMT_UNROLL
        for (uint32_t w = 0; w < 4u; w++)
            words[i / 4u + w] = loaded.w[w];
    }
    simt_barrier();
}

SIMT_FUNCTION struct compare_bin compare_bin_fill(const struct gallery_arguments *a, uint64_t from,
                                                  uint64_t to, uint32_t *words, uint32_t bytes_max)
{
    struct compare_bin bin = compare_bin_open(from, to, words, bytes_max);

    compare_bin_load(a, &bin, words);
    return bin;
}

SIMT_FUNCTION struct compare_bin compare_bin_none(void)
{
    struct compare_bin bin = {0, 0, 0};

    return bin;
}

/* Returns a bin, filled with the windows of the block's threads, in bin_bytes of shared memory. */
SIMT_FUNCTION struct compare_bin compare_places_fill(const struct gallery_arguments *a,
                                                     uint32_t *words)
{
    uint64_t from = a->begin + (uint64_t)simt_block() * simt_threads();
    uint64_t to = from + simt_threads() + a->pattern_bytes - 1u;

    return compare_bin_fill(a, from, to < a->text_end ? to : a->text_end, words, a->bin_bytes);
}

/* Returns a bin, filled as R. Tay's bf fills it: each thread of the block copies the byte at its
 * start offset, and the last thread also the pattern's length of bytes that follow, while the
 * others wait. */
SIMT_FUNCTION struct compare_bin compare_tay_fill(const struct gallery_arguments *a, uint8_t *bytes)
{
    struct compare_bin bin = {bytes, gallery_place(a) - simt_thread(), 0};
    uint32_t begin = simt_thread(), end = begin + 1u;

    bin.bytes_count = simt_threads() + a->pattern_bytes;
    if (!SIMT_BOUND(bin.begin + bin.bytes_count <= a->text_end))
        bin.bytes_count = a->text_end > bin.begin ? (uint32_t)(a->text_end - bin.begin) : 0u;
    if (end == simt_threads() || end > bin.bytes_count)
        end = bin.bytes_count;
    for (uint32_t i = begin; i < end; i++)
        bytes[i] = simt_load_u8(a->text + bin.begin + i);
    simt_barrier();
    return bin;
}

/* Returns true if `count` bytes at x equal the pattern's first bytes, compared from left to
 * right. */
SIMT_FUNCTION int compare_forward(const struct gallery_arguments *a, const struct compare_bin *bin,
                                  enum compare_pattern where, uint64_t x, uint32_t count)
{
    uint32_t j = 0;

    while (j < count && compare_text(a, bin, x + j) == compare_pattern(a, where, j))
        j++;
    return j == count;
}

/* Returns true if the window at x equals the pattern, compared from right to left. */
SIMT_FUNCTION int compare_backward(const struct gallery_arguments *a, const struct compare_bin *bin,
                                   enum compare_pattern where, uint64_t x)
{
    uint32_t j = a->pattern_bytes;

    while (j > 0 && compare_text(a, bin, x + j - 1u) == compare_pattern(a, where, j - 1u))
        j--;
    return j == 0;
}

#endif
