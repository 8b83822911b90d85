/* pss: "parallel string search", with a thread per position.
 *
 * Source     B. Kutukcu, "Parallel String Search Algorithm on GPU", algorithm 1; its versions GG
 *            (text and key in global memory), GR (key in registers) and GM (the key's first
 *            letter in a register, the rest in global memory). GM is also the kernel of his
 *            program (github.com/basarkutukcu/ParallelStringSearch).
 * Mapping    a thread that finds the key's first letter at its position compares the others from
 *            left to right, until one differs. 32 to 1,024 threads (the paper: 1,024, and 64 to
 *            1,024 in table VII), as many blocks as the text needs.
 * Memory     gg: the key in global memory; every thread with a position loads the first letter.
 *            gm: every thread begins by loading it into a register. gm-argument (ours): it comes
 *            as a kernel argument, without a load. gr: each lane of a warp loads a word of the key,
 *            and shuffles hand the words to all lanes before the first comparison. Registers have
 *            no index, so the comparison is written out for GALLERY_KEY_BYTES; it loads nothing
 *            but text, even in unoptimised code.
 * Traffic    per position: a text byte; for each comparison beyond the first a text byte and a byte
 *            of the key. The lanes of a warp read neighbouring bytes.
 * Results    The paper leaves an array of unknown size as future work. Here:
 *            gg, gr, gm: an array; beyond its room occurrences are counted, and the host launches
 *            the kernel again. -list: lists.cu. -passes (ours): the kernel counts each block's
 *            occurrences, gallery_pss_sums makes their prefix sums, and the kernel runs once more
 *            and writes.
 * Bound      by instructions, and by starting blocks.
 * Fixed      The paper stores an occurrence at index "++CurrInd"; here, indices begin at 0.
 *            Positions too near the text's end are skipped. The paper does not say how the key
 *            gets into registers.
 * Limits     gr: keys of up to GALLERY_KEY_BYTES. The paper's grid ends at (2^31 - 1) x 1,024
 *            positions; here the host searches a longer text in parts.
 */
#include "gallery/kernels/compare.h"

#define PSS_SUMS_THREADS 1024u

/* Searches at position args.begin + i. Nothing here is a function, whose arguments unoptimised code
 * would copy. A range has fewer than 2^32 positions. */
#define PSS_PLACE() (simt_block() * simt_threads() + simt_thread())
#define PSS_SEARCH(i, first)                                                                   \
    const uint8_t *text = args.text + args.begin + (i);                                        \
    uint32_t j = 1;                                                                            \
                                                                                               \
    if (simt_load_u8(text) != (first))                                                         \
        return;                                                                                \
    while (j < args.pattern_bytes && simt_load_u8(text + j) == simt_load_u8(args.pattern + j)) \
        j++;                                                                                   \
    if (j == args.pattern_bytes)                                                               \
        gallery_emit(&args, args.begin + (i));

SIMT_KERNEL(gallery_pss_gg, gallery_arguments, 1024, 1)
{
    uint32_t i = PSS_PLACE();

    if (SIMT_BOUND(i < args.limit - args.begin)) {
        PSS_SEARCH(i, simt_load_u8(args.pattern))
    }
}

SIMT_KERNEL(gallery_pss_gm, gallery_arguments, 1024, 1)
{
    uint32_t i = PSS_PLACE();
    uint8_t first = simt_load_u8(args.pattern);

    if (SIMT_BOUND(i < args.limit - args.begin)) {
        PSS_SEARCH(i, first)
    }
}

SIMT_KERNEL(gallery_pss_gm_argument, gallery_arguments, 1024, 1)
{
    uint32_t i = PSS_PLACE();

    if (SIMT_BOUND(i < args.limit - args.begin)) {
        PSS_SEARCH(i, args.pattern_first)
    }
}

/* An array would lie in local memory without optimisation, so each word is a variable, and each
 * comparison is written out. The result of a shuffle cannot be loaded again, so it stays in a
 * register. With 16 words instead of 12, unoptimised code for blocks of 1,024 threads would keep
 * four in local memory. */
#define PSS_WORDS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define PSS_WORD(w)                    \
    uint32_t key##w = 0;               \
    if (4u * (w) < args.pattern_bytes) \
        key##w = simt_shuffle_u32(own, w);
#define PSS_BYTE(w, j)                                                     \
    if (4u * (w) + (j) == args.pattern_bytes)                              \
        goto found;                                                        \
    if (simt_load_u8(text + 4u * (w) + (j)) != (key##w >> 8u * (j)&0xffu)) \
        return;
#define PSS_COMPARE(w) PSS_BYTE(w, 0u) PSS_BYTE(w, 1u) PSS_BYTE(w, 2u) PSS_BYTE(w, 3u)

SIMT_KERNEL(gallery_pss_gr, gallery_arguments, 1024, 1)
{
    const uint32_t *words = (const uint32_t *)(const void *)args.pattern;
    uint32_t own = simt_load_u32(words + simt_lane() % GALLERY_KEY_WORDS);
    uint64_t x = gallery_place(&args);
    const uint8_t *text = args.text + x;

    PSS_WORDS(PSS_WORD)
    if (!SIMT_BOUND(x < args.limit))
        return;
    PSS_WORDS(PSS_COMPARE)
found:
    gallery_emit(&args, x);
}

/* ---- Results ----------------------------------------------------------------------------- */

SIMT_FUNCTION int pss_matches(const struct gallery_arguments *a, uint32_t i)
{
    struct compare_bin bin = compare_bin_none();

    return SIMT_BOUND(i < a->limit - a->begin) &&
           compare_forward(a, &bin, COMPARE_GLOBAL, a->begin + i, a->pattern_bytes);
}

/* Without args.pass, counts the block's occurrences; with it, writes them from the block's sum
 * on. */
SIMT_KERNEL(gallery_pss_passes, gallery_arguments, 1024, 1)
{
    SIMT_SHARED(uint64_t, sum, 1);
    uint32_t i = PSS_PLACE();
    int found = pss_matches(&args, i);

    if (found && args.want == WANT_FIRST)
        gallery_emit(&args, args.begin + i);
    if (simt_thread() == 0)
        sum[0] = args.pass ? simt_load_u64(args.minima + simt_block()) : 0;
    simt_barrier();
    if (found) {
        uint64_t slot = simt_atomic_add_u64(sum, 1);

        if (args.pass && SIMT_BOUND(slot < args.capacity))
            simt_store_u32(&args.offsets[slot], i);
    }
    simt_barrier();
    if (!args.pass && simt_thread() == 0)
        simt_store_u64(args.minima + simt_block(), sum[0]);
}

/* Replaces the blocks' numbers with the sum of those before; the whole sum is the number of hits.
 * The grid is one block. */
SIMT_KERNEL(gallery_pss_sums, gallery_arguments, PSS_SUMS_THREADS, 1)
{
    SIMT_SHARED(uint64_t, sums, PSS_SUMS_THREADS);
    uint32_t each = (args.minima_count + simt_threads() - 1u) / simt_threads();
    uint32_t begin = simt_thread() * each, end = begin + each;
    uint64_t own = 0, before;

    end = end < args.minima_count ? end : args.minima_count;
    for (uint32_t k = begin; k < end; k++)
        own += simt_load_relaxed_u64(args.minima + k);
    sums[simt_thread()] = own;
    for (uint32_t reach = 1; reach < simt_threads(); reach *= 2u) {
        simt_barrier();
        before = simt_thread() >= reach ? sums[simt_thread() - reach] : 0;
        simt_barrier();
        sums[simt_thread()] += before;
    }
    before = sums[simt_thread()] - own;
    if (simt_thread() == simt_threads() - 1u)
        simt_store_u64(&args.result->cursor, before + own);
    for (uint32_t k = begin; k < end; k++) {
        uint64_t count = simt_load_relaxed_u64(args.minima + k);

        simt_store_u64(args.minima + k, before);
        before += count;
    }
}
