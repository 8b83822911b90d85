/* bf: brute force, with a thread per start offset.
 *
 * Source     The generic GPU implementation that S. Shenoy, S. Nayak U., B. Neelima, "SWIFT - A
 *            Performance Accelerated Optimized String Matching Algorithm for Nvidia GPUs", measures
 *            against (after R. Tay, "A demonstration of Exact String Matching Algorithms in CUDA"),
 *            and its form with shared memory for the text and constant memory for the pattern.
 *            bf-tay and bf-tay-shared have the grid and the copying of R. Tay's program of 2010.
 *            bf-warp is ours, after SWIFT's further work: lanes work together, without child grids.
 * Mapping    a thread compares the window at its start offset from left to right, until a byte
 *            differs. 32 to 1,024 threads (the default of bf-tay and bf-tay-shared: 32), as many
 *            blocks as the start offsets need.
 *            bf-warp: the lanes whose windows begin and end as the pattern are served one after
 *            another; all 32 lanes compare such a window, 32 bytes at a time, until a byte differs.
 * Memory     gallery_bf and gallery_bf_warp: text and pattern in global memory.
 *            gallery_bf_shared: the block's bin, threads + pattern bytes of the text, in shared
 *            memory; the pattern in constant memory. gallery_bf_tay_shared: the same, but filled as
 *            in R. Tay's program (compare_tay_fill).
 * Traffic    per comparison: a text byte and a pattern byte. A window costs a comparison for each
 *            equal byte and for the byte that differs. -shared reads each text byte once, and for
 *            each block as many further bytes as the pattern has.
 * Bound      by the longest comparison, if the pattern occurs: a thread goes byte by byte.
 * Slower     -shared: most windows differ in their first bytes, but the block first fills the whole
 *            bin. The time of -tay-shared grows with the pattern. Figures: docs/papers.md.
 * Fixed      All occurrences are reported, even at the last start offset.
 * Limits     -shared and -tay-shared: patterns of up to GALLERY_CONSTANT_BYTES.
 */
#include "gallery/kernels/compare.h"

SIMT_FUNCTION void bf_place(const struct gallery_arguments *a, const struct compare_bin *bin,
                            enum compare_pattern where)
{
    uint64_t x = gallery_place(a);

    if (SIMT_BOUND(x < a->limit) && compare_forward(a, bin, where, x, a->pattern_bytes))
        gallery_emit(a, x);
}

SIMT_KERNEL(gallery_bf, gallery_arguments, 1024, 1)
{
    struct compare_bin bin = compare_bin_none();

    bf_place(&args, &bin, COMPARE_GLOBAL);
}

/* Returns true if the window at x equals the pattern. All lanes of a warp call it with one x. */
SIMT_FUNCTION int bf_warp_matches(const struct gallery_arguments *a, uint64_t x)
{
    uint32_t lane = simt_thread() % SIMT_WARP_THREADS;
    uint32_t differs = 0;

    for (uint32_t j = lane; differs == 0 && j - lane < a->pattern_bytes; j += SIMT_WARP_THREADS)
        differs = simt_ballot(SIMT_BOUND(j < a->pattern_bytes) &&
                              simt_load_u8(a->text + x + j) != simt_load_u8(a->pattern + j));
    return differs == 0;
}

SIMT_KERNEL(gallery_bf_warp, gallery_arguments, 1024, 1)
{
    uint64_t x = gallery_place(&args), last = args.pattern_bytes - 1u;
    uint32_t lane = simt_thread() % SIMT_WARP_THREADS;
    uint32_t left = simt_ballot(
        SIMT_BOUND(x < args.limit) && simt_load_u8(args.text + x) == simt_load_u8(args.pattern) &&
        simt_load_u8(args.text + x + last) == simt_load_u8(args.pattern + last));

    for (; left != 0; left &= left - 1u) {
        uint32_t one = simt_lowest_bit(left);

        if (bf_warp_matches(&args, x - lane + one) && lane == one)
            gallery_emit(&args, x);
    }
}

SIMT_KERNEL(gallery_bf_shared, gallery_arguments, 1024, 1)
{
    SIMT_SHARED_DYNAMIC(uint32_t, words, args.bin_bytes);
    struct compare_bin bin = compare_places_fill(&args, words);

    bf_place(&args, &bin, COMPARE_CONSTANT);
}

SIMT_KERNEL(gallery_bf_tay_shared, gallery_arguments, 1024, 1)
{
    SIMT_SHARED_DYNAMIC(uint8_t, bytes, args.bin_bytes);
    struct compare_bin bin = compare_tay_fill(&args, bytes);

    bf_place(&args, &bin, COMPARE_CONSTANT);
}
