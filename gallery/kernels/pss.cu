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
 * Bound      by instructions, and by starting blocks.
 * Fixed      The paper stores an occurrence at index "++CurrInd" of an array of unknown size; here,
 *            indices begin at 0, and the host launches the kernel again with a larger array if the
 *            array was too small. Positions too near the text's end are skipped. The paper does
 *            not say how the key gets into registers.
 * Limits     gr: keys of up to GALLERY_KEY_BYTES. The paper's grid ends at (2^31 - 1) x 1,024
 *            positions; here the host searches a longer text in parts.
 */
#include "gallery/kernels/emit.h"

/* Searches at position x for the key, whose first letter is `first`. */
SIMT_FUNCTION void pss_place(const struct gallery_arguments *a, uint64_t x, uint8_t first)
{
    uint32_t j = 1;

    if (simt_load_u8(a->text + x) != first)
        return;
    while (j < a->pattern_bytes && simt_load_u8(a->text + x + j) == simt_load_u8(a->pattern + j))
        j++;
    if (j == a->pattern_bytes)
        gallery_emit(a, x);
}

SIMT_KERNEL(gallery_pss_gg, gallery_arguments, 1024, 1)
{
    uint64_t x = gallery_place(&args);

    if (SIMT_BOUND(x < args.limit))
        pss_place(&args, x, simt_load_u8(args.pattern));
}

SIMT_KERNEL(gallery_pss_gm, gallery_arguments, 1024, 1)
{
    uint64_t x = gallery_place(&args);
    uint8_t first = simt_load_u8(args.pattern);

    if (SIMT_BOUND(x < args.limit))
        pss_place(&args, x, first);
}

SIMT_KERNEL(gallery_pss_gm_argument, gallery_arguments, 1024, 1)
{
    uint64_t x = gallery_place(&args);

    if (SIMT_BOUND(x < args.limit))
        pss_place(&args, x, (uint8_t)args.pattern_first);
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
