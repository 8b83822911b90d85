/* word: "wordSearchSimple", which finds the first occurrence with a thread per position.
 *
 * Source     The tutorial on wordSearchSimple, a word search in CUDA; word-reduction is the
 *            reduction that the tutorial names for devices without atomic functions.
 * Mapping    a thread per position. word-simple: a thread ends if an earlier occurrence is known;
 *            otherwise it compares all bytes of the window, even after one differs, and lowers the
 *            position found by atomicMin. word-reduction: each block computes the minimum of its
 *            threads' positions by a reduction in shared memory, and a second kernel, of one block,
 *            that of all blocks in the same way. 32 to 1,024 threads, as many blocks as the text
 *            needs.
 *            word-chunked, the tutorial's last remark, is word-simple on a text that the host
 *            copies in parts, until one has an occurrence.
 * Memory     text, word and the position found in global memory. word-reduction: 8 KiB of shared
 *            memory for the positions, 8 bytes of global memory per block.
 * Traffic    per compared position: as many text bytes as the word has, and the word. word-simple:
 *            also the position found. word-reduction: 8 bytes more per block, written and read.
 *
 *              a block's positions p0        p1        p2        p3   p4   p5   p6   p7
 *              round 1             min p0 p4 min p1 p5 min p2 p6 min p3 p7       in shared memory;
 *              round 2             min 0 2   min 1 3                             a barrier before
 *              round 3             min 0 1                                       each round
 *
 * Bound      by the copy to the device.
 * Slower     none; but word-reduction is no faster than word-simple.
 * Fixed      If all occurrences or their number are wanted, every window is compared, and nothing
 *            is reduced. Positions too near the text's end are skipped. The position found has 64
 *            bits, and another thread may lower it while it is read.
 * Limits     none.
 */
#include "gallery/kernels/emit.h"

#define WORD_THREADS_MAX 1024u

SIMT_FUNCTION int word_matches(const struct gallery_arguments *a, uint64_t x)
{
    int matches = 1;

    for (uint32_t j = 0; j < a->pattern_bytes; j++)
        if (simt_load_u8(a->text + x + j) != simt_load_u8(a->pattern + j))
            matches = 0;
    return matches;
}

SIMT_KERNEL(gallery_word_simple, gallery_arguments, WORD_THREADS_MAX, 1)
{
    uint64_t x = gallery_place(&args);

    if (!SIMT_BOUND(x < args.limit))
        return;
    if (args.want == WANT_FIRST && simt_load_relaxed_u64(&args.result->first) <= x - args.begin)
        return;
    if (word_matches(&args, x))
        gallery_emit(&args, x);
}

/* Returns the minimum of all threads' `own`, in thread 0 only. Called by all threads of the
 * block. */
SIMT_FUNCTION uint64_t word_min(uint64_t *min, uint64_t own)
{
    uint32_t count = simt_threads();

    min[simt_thread()] = own;
    while (count > 1u) {
        uint32_t half = (count + 1u) / 2u;

        simt_barrier();
        if (simt_thread() + half < count && min[simt_thread() + half] < min[simt_thread()])
            min[simt_thread()] = min[simt_thread() + half];
        count = half;
    }
    return min[simt_thread()];
}

SIMT_KERNEL(gallery_word_reduction, gallery_arguments, WORD_THREADS_MAX, 1)
{
    SIMT_SHARED(uint64_t, min, WORD_THREADS_MAX);
    uint64_t x = gallery_place(&args), own = UINT64_MAX;

    if (SIMT_BOUND(x < args.limit) && word_matches(&args, x)) {
        own = x - args.begin;
        if (args.want != WANT_FIRST)
            gallery_emit(&args, x);
    }
    if (args.want != WANT_FIRST)
        return;
    own = word_min(min, own);
    if (simt_thread() == 0)
        simt_store_u64(args.minima + simt_block(), own);
}

/* Stores the minimum of all blocks' minima in the result. The grid is one block. */
SIMT_KERNEL(gallery_word_minimum, gallery_arguments, WORD_THREADS_MAX, 1)
{
    SIMT_SHARED(uint64_t, min, WORD_THREADS_MAX);
    uint64_t own = UINT64_MAX;

    for (uint32_t i = simt_thread(); i < args.minima_count; i += simt_threads()) {
        uint64_t other = simt_load_u64(args.minima + i);

        own = other < own ? other : own;
    }
    own = word_min(min, own);
    if (simt_thread() == 0)
        simt_store_u64(&args.result->first, own);
}
