/* bf: searches by brute force, with a thread per begin.
 *
 * Source     The generic GPU implementation that S. Shenoy, S. Nayak U., B. Neelima, "SWIFT - A
 *            Performance Accelerated Optimized String Matching Algorithm for Nvidia GPUs", measures
 *            against (after R. Tay, "A demonstration of Exact String Matching Algorithms in CUDA"),
 *            and its form with shared memory for the text and constant memory for the pattern.
 * Mapping    a thread per begin compares the window from left to right until a byte differs. 32 to
 *            1,024 threads, as many blocks as the begins need.
 * Memory     gallery_bf: text and pattern in global memory. gallery_bf_shared: the block's bin,
 *            threads + pattern bytes of the text, in 8 KiB of shared memory; the pattern in
 *            constant memory.
 * Traffic    per comparison: a text byte and a pattern byte. A window costs a comparison for each
 *            equal byte, and a comparison for the byte that differs. -shared reads each text byte
 *            once, and the pattern's length again for each block.
 * Bound      by the longest comparison, if the pattern occurs: a thread goes byte by byte.
 * Lost       -shared is slower: most windows differ early, but the block fills the whole bin
 *            before. Figures: docs/papers.md.
 * Fixed      Bytes of a bin beyond 8 KiB are read from global memory (the paper's patterns have up
 *            to 1,500 bytes). All occurrences are reported, also at the last begin.
 * Limits     gallery_bf_shared: patterns of up to GALLERY_CONSTANT_BYTES.
 */
#include "gallery/kernels/compare.h"

SIMT_KERNEL(gallery_bf, gallery_arguments, 1024, 1)
{
    struct compare_bin bin = compare_bin_none();
    uint64_t x = gallery_place(&args);

    if (SIMT_BOUND(x < args.limit) &&
        compare_forward(&args, &bin, COMPARE_GLOBAL, x, args.pattern_bytes))
        gallery_emit(&args, x);
}

SIMT_KERNEL(gallery_bf_shared, gallery_arguments, 1024, 1)
{
    SIMT_SHARED(uint32_t, words, COMPARE_PLACES_BYTES / 4u);
    struct compare_bin bin = compare_places_fill(&args, words);
    uint64_t x = gallery_place(&args);

    if (SIMT_BOUND(x < args.limit) &&
        compare_forward(&args, &bin, COMPARE_CONSTANT, x, args.pattern_bytes))
        gallery_emit(&args, x);
}
