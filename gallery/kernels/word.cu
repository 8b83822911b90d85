/* word: "wordSearchSimple", a thread per place, for the first occurrence.
 *
 * Source     The tutorial on wordSearchSimple, a word search in CUDA; word-reduction is what it
 *            names for devices without atomic functions: the results reduced.
 * Mapping    one thread per place. word-simple: it looks whether an earlier occurrence is known; if
 *            not it compares all bytes of its window, without leaving at the first that differs,
 *            and lowers the place found by atomicMin. word-reduction: it compares, whatever others
 *            found; the block finds its least place by halving in shared memory, and a second
 *            kernel of one block the least of all blocks' in the same way. 64 to 1,024 threads, as
 *            many blocks as it takes. word-chunked, the tutorial's last remark, is word-simple on
 *            a text that the host copies in parts, none after the one with an occurrence.
 * Memory     text, word and the place found in global memory. word-reduction: 8 KiB of shared
 *            memory for the places, 8 bytes of global memory per block.
 * Traffic    per place that is compared: as many text bytes as the word has, and the word.
 *            word-simple: the place found as well. word-reduction: per block 8 bytes more, written
 *            and read again.
 *
 *              a block's places   p0        p1        p2        p3   p4   p5   p6   p7
 *              round 1            min p0 p4 min p1 p5 min p2 p6 min p3 p7       in shared memory;
 *              round 2            min 0 2   min 1 3                             a barrier before
 *              round 3            min 0 1                                       each round
 *
 * Bound      by the copy to the device.
 * Lost       word-reduction is no faster than word-simple.
 * Fixed      Where all occurrences are asked for, or their number, every window is compared, and
 *            nothing is reduced. Places near the text's end have no window and are not looked at.
 *            The place found is a 64-bit number, read as one that others change.
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
    if (args.want == WANT_FIRST && simt_read_u64(&args.result->first) <= x - args.begin)
        return;
    if (word_matches(&args, x))
        gallery_emit(&args, x);
}

/* The least of the block's values, in thread 0. All threads of the block. */
SIMT_FUNCTION uint64_t word_least(uint64_t *least, uint64_t own)
{
    uint32_t count = simt_threads();

    least[simt_thread()] = own;
    while (count > 1u) {
        uint32_t half = (count + 1u) / 2u;

        simt_barrier();
        if (simt_thread() + half < count && least[simt_thread() + half] < least[simt_thread()])
            least[simt_thread()] = least[simt_thread() + half];
        count = half;
    }
    return least[simt_thread()];
}

SIMT_KERNEL(gallery_word_reduction, gallery_arguments, WORD_THREADS_MAX, 1)
{
    SIMT_SHARED(uint64_t, least, WORD_THREADS_MAX);
    uint64_t x = gallery_place(&args), own = UINT64_MAX;

    if (SIMT_BOUND(x < args.limit) && word_matches(&args, x)) {
        own = x - args.begin;
        if (args.want != WANT_FIRST)
            gallery_emit(&args, x);
    }
    if (args.want != WANT_FIRST)
        return;
    own = word_least(least, own);
    if (simt_thread() == 0)
        simt_store_u64(args.minima + simt_block(), own);
}

/* One block. */
SIMT_KERNEL(gallery_word_minimum, gallery_arguments, WORD_THREADS_MAX, 1)
{
    SIMT_SHARED(uint64_t, least, WORD_THREADS_MAX);
    uint64_t own = UINT64_MAX;

    for (uint32_t i = simt_thread(); i < args.minima_count; i += simt_threads()) {
        uint64_t other = simt_load_u64(args.minima + i);

        own = other < own ? other : own;
    }
    own = word_least(least, own);
    if (simt_thread() == 0)
        simt_store_u64(&args.result->first, own);
}
