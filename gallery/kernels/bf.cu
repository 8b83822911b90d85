/* bf: brute force, with a thread per start offset.
 *
 * Source     The generic GPU implementation that S. Shenoy, S. Nayak U., B. Neelima, "SWIFT - A
 *            Performance Accelerated Optimized String Matching Algorithm for Nvidia GPUs", measures
 *            against (after R. Tay, "A demonstration of Exact String Matching Algorithms in CUDA"),
 *            and its form with shared memory for the text and constant memory for the pattern.
 *            bf-tay and bf-tay-shared have the grid and the copying of R. Tay's program of 2010.
 * Mapping    a thread compares the window at its start offset from left to right, until a byte
 *            differs. 32 to 1,024 threads (the default of bf-tay and bf-tay-shared: 32), as many
 *            blocks as the start offsets need.
 * Memory     gallery_bf: text and pattern in global memory. gallery_bf_shared: the block's bin,
 *            threads + pattern bytes of the text, in shared memory; the pattern in constant
 *            memory. gallery_bf_tay_shared: the same, but filled as in R. Tay's program
 *            (compare_tay_fill).
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
