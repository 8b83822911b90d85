/* shuffle: brute force whose lanes hand each other the text's bytes.
 *
 * Source     The further work of S. Shenoy, S. Nayak U., B. Neelima, "SWIFT - A Performance
 * Accelerated Optimized String Matching Algorithm for Nvidia GPUs": shuffle instructions. Ours.
 * Mapping    a thread per start offset, 32 to 1,024 threads. A warp's windows overlap: each lane
 * loads two bytes of the text, 32 apart, and byte j of its window comes from lane + j. The warp
 *            goes on until no lane's window equals the pattern so far.
 *
 *              lane       0       1       ...  31
 *              low        x       x + 1        x + 31         byte j of lane's window: low of lane
 * + j, high       x + 32  x + 33       x + 63         or high of lane + j - 32 after 32 bytes: low
 * takes high, and high is loaded again
 *
 * Memory     text and pattern in global memory.
 * Traffic    a text byte per lane and 32 bytes of the pattern, and the pattern once for each lane.
 * Bound      by the longest comparison of a warp: two shuffles a byte.
 * Slower     not measured yet.
 * Fixed      -
 * Limits     none.
 */
#include "gallery/kernels/emit.h"

/* Returns the text's byte at `position`, or 0 beyond its end. */
SIMT_FUNCTION uint32_t shuffle_byte(const struct gallery_arguments *a, uint64_t position)
{
    return SIMT_BOUND(position < a->text_end) ? simt_load_u8(a->text + position) : 0u;
}

SIMT_KERNEL(gallery_bf_shuffle, gallery_arguments, 1024, 1)
{
    uint64_t x = gallery_place(&args);
    uint32_t lane = simt_thread() % SIMT_WARP_THREADS;
    uint32_t low = shuffle_byte(&args, x), high = shuffle_byte(&args, x + SIMT_WARP_THREADS);
    uint32_t equal = SIMT_BOUND(x < args.limit) ? 1u : 0u;

    for (uint32_t j = 0; j < args.pattern_bytes && simt_ballot(equal != 0) != 0; j++) {
        uint32_t from = lane + j % SIMT_WARP_THREADS, near, far;

        if (j > 0 && j % SIMT_WARP_THREADS == 0) {
            low = high;
            high = shuffle_byte(&args, x + j + SIMT_WARP_THREADS);
        }
        near = simt_shuffle_u32(low, from % SIMT_WARP_THREADS);
        far = simt_shuffle_u32(high, from % SIMT_WARP_THREADS);
        if ((from < SIMT_WARP_THREADS ? near : far) != simt_load_u8(args.pattern + j))
            equal = 0;
    }
    if (equal != 0)
        gallery_emit(&args, x);
}
