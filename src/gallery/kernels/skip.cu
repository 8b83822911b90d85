/* skip: Quick Search (qs) and Horspool (hp), a segment of begins per thread.
 *
 * Source     The generic GPU implementations of S. Shenoy, S. Nayak U., B. Neelima, "SWIFT - A
 *            Performance Accelerated Optimized String Matching Algorithm for Nvidia GPUs", and
 *            their form with shared memory for the text and constant memory for the pattern. The
 *            algorithms: D. M. Sunday 1990, R. N. Horspool 1980.
 * Mapping    one thread per segment of args.segment begins, from left to right: a look at a
 *            window, then the shift. qs: from right to left, then the shift of the byte behind
 *            the window. hp: the last byte, the rest from left to right, then the shift of the
 *            last byte. 1 to 1,024 threads, as many blocks as it takes.
 * Memory     generic: text, pattern and shifts in global memory. -shared: the block's bin, the
 *            windows of its segments, in 32 KiB of shared memory, the shifts in 1 KiB of it; the
 *            pattern in constant memory.
 * Mended     The paper has the host calculate the windows of the text beforehand; here each
 *            thread follows the shifts in its own segment, so the host does not search. What of a
 *            bin does not fit is read from global memory. The byte behind the text's last window
 *            is not looked at.
 * Limits     -shared: patterns of up to GALLERY_CONSTANT_BYTES.
 */
#include "gallery/kernels/skip.h"

/* The whole search of the generic and the -shared form. */
SIMT_FUNCTION void skip_search(const struct gallery_arguments *a, const struct compare_bin *bin,
                               enum compare_pattern where, enum skip_rule rule,
                               const uint32_t *shifts)
{
    struct skip_segment segment = skip_segment(a, shifts);
    uint32_t last = a->pattern_bytes - 1u;

    for (; segment.x < segment.end; segment.x = skip_next(a, bin, rule, &segment)) {
        int found = rule == SKIP_QS ? compare_backward(a, bin, where, segment.x)
                                    : compare_text(a, bin, segment.x + last) ==
                                              compare_pattern(a, where, last) &&
                                          compare_forward(a, bin, where, segment.x, last);

        if (found)
            gallery_emit(a, segment.x);
    }
}

SIMT_KERNEL(gallery_qs, gallery_arguments, 1024, 1)
{
    struct compare_bin bin = compare_bin_none();

    skip_search(&args, &bin, COMPARE_GLOBAL, SKIP_QS, 0);
}

SIMT_KERNEL(gallery_qs_shared, gallery_arguments, 1024, 1)
{
    SIMT_SHARED(uint32_t, words, GALLERY_BIN_BYTES / 4u);
    SIMT_SHARED(uint32_t, shifts, SKIP_SHIFTS);
    struct compare_bin bin = skip_bin(&args, words, shifts);

    skip_search(&args, &bin, COMPARE_CONSTANT, SKIP_QS, shifts);
}

SIMT_KERNEL(gallery_hp, gallery_arguments, 1024, 1)
{
    struct compare_bin bin = compare_bin_none();

    skip_search(&args, &bin, COMPARE_GLOBAL, SKIP_HP, 0);
}

SIMT_KERNEL(gallery_hp_shared, gallery_arguments, 1024, 1)
{
    SIMT_SHARED(uint32_t, words, GALLERY_BIN_BYTES / 4u);
    SIMT_SHARED(uint32_t, shifts, SKIP_SHIFTS);
    struct compare_bin bin = skip_bin(&args, words, shifts);

    skip_search(&args, &bin, COMPARE_CONSTANT, SKIP_HP, shifts);
}
