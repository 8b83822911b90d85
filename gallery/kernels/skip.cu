/* skip: Quick Search (qs) and Horspool (hp) with a thread per start offset, or in the form
 * qs-segments (ours) with a segment per thread. The window at an offset is as long as the pattern.
 *
 * Source     The generic GPU implementations of S. Shenoy, S. Nayak U., B. Neelima, "SWIFT - A
 *            Performance Accelerated Optimized String Matching Algorithm for Nvidia GPUs" (after
 *            R. Tay, "A demonstration of Exact String Matching Algorithms in CUDA"), and the
 *            forms with shared memory for the text and constant memory for the pattern. The
 *            algorithms: D. M. Sunday 1990, R. N. Horspool 1980. hp-tay has the blocks of 340
 *            threads of R. Tay's program of 2010. -segments is ours.
 * Mapping    As published: gallery_shifts_text (the paper's Calculate-Shifts-Text) flags the
 *            start offsets at which the shifts put a window. Then a thread per offset exits
 *            immediately if its offset has no window. qs compares from right to left; hp the last
 *            byte, then the others from left to right. -shared has the same grid. 32 to 1,024
 *            threads, as many blocks as the offsets need. -segments: a thread per segment of
 *            args.segment offsets compares a window, then moves by the shift; 1 to 1,024 threads.
 * Memory     generic: text, pattern and shifts in global memory, a flag per start offset.
 *            -shared: the block's windows in shared memory, the pattern in constant memory.
 *            -tay-shared: the same, filled as by R. Tay's bf (compare_tay_fill; his program has qs
 *            and hp only without shared memory), in the blocks of his qs (256) and hp (340).
 * Traffic    gallery_shifts_text: per window a text byte and a shift; per offset a flag written.
 *            The search: per offset the flag; per comparison a text byte and a pattern byte.
 *            -segments: per window a text byte and a shift, no flags.
 * Bound      by the longest comparison, as for bf.
 * Slower     in kernel time, -shared than the generic form, and segments with text and shifts in
 *            shared memory than -segments. Figures: docs/papers.md.
 * Fixed      The paper follows the shifts on the host, from the text's first byte. Here a thread
 *            follows them through args.segment offsets (512), the first of which has a window, so
 *            there are usually a few more windows. The byte after the last window is not read.
 * Limits     -shared and -tay-shared: patterns of up to GALLERY_CONSTANT_BYTES.
 */
#include "gallery/kernels/compare.h"

enum skip_rule { SKIP_QS, SKIP_HP };

/* A thread's start offsets, [x, end). */
struct skip_segment {
    uint64_t x, end;
};

/* Returns the thread's segment, which is empty beyond the last start offset. */
SIMT_FUNCTION struct skip_segment skip_segment(const struct gallery_arguments *a)
{
    struct skip_segment segment;

    segment.x = a->begin + ((uint64_t)simt_block() * simt_threads() + simt_thread()) * a->segment;
    segment.end = segment.x + a->segment;
    if (!SIMT_BOUND(segment.end <= a->limit))
        segment.end = a->limit;
    return segment;
}

/* Returns the start of the window after the one at segment->x; segment->end or more if that is
 * outside the segment. */
SIMT_FUNCTION uint64_t skip_next(const struct gallery_arguments *a,
                                 const struct skip_segment *segment)
{
    uint64_t x = segment->x;

    if (x + 1u >= segment->end)
        return segment->end;
    return x + simt_load_u32(a->shifts + simt_load_u8(a->text + x + a->shift_at));
}

/* ---- As published -------------------------------------------------------------------------- */

/* Flags each start offset with a window. Each thread follows the shifts in one segment. */
SIMT_KERNEL(gallery_shifts_text, gallery_arguments, 1024, 1)
{
    struct skip_segment segment = skip_segment(&args);

    for (; segment.x < segment.end; segment.x = skip_next(&args, &segment))
        simt_store_u8(args.flags + (segment.x - args.begin), 1);
}

SIMT_FUNCTION int skip_matches(const struct gallery_arguments *a, const struct compare_bin *bin,
                               enum compare_pattern where, enum skip_rule rule, uint64_t x)
{
    uint32_t last = a->pattern_bytes - 1u;

    if (rule == SKIP_QS)
        return compare_backward(a, bin, where, x);
    return compare_text(a, bin, x + last) == compare_pattern(a, where, last) &&
           compare_forward(a, bin, where, x, last);
}

SIMT_FUNCTION void skip_place(const struct gallery_arguments *a, const struct compare_bin *bin,
                              enum compare_pattern where, enum skip_rule rule)
{
    uint64_t x = gallery_place(a);

    if (SIMT_BOUND(x < a->limit) && simt_load_u8(a->flags + (x - a->begin)) != 0 &&
        skip_matches(a, bin, where, rule, x))
        gallery_emit(a, x);
}

#define SKIP_PLACES(name, rule)                                          \
    SIMT_KERNEL(gallery_##name, gallery_arguments, 1024, 1)              \
    {                                                                    \
        struct compare_bin bin = compare_bin_none();                     \
                                                                         \
        skip_place(&args, &bin, COMPARE_GLOBAL, rule);                   \
    }                                                                    \
    SIMT_KERNEL(gallery_##name##_shared, gallery_arguments, 1024, 1)     \
    {                                                                    \
        SIMT_SHARED_DYNAMIC(uint32_t, words, args.bin_bytes);            \
        struct compare_bin bin = compare_places_fill(&args, words);      \
                                                                         \
        skip_place(&args, &bin, COMPARE_CONSTANT, rule);                 \
    }                                                                    \
    SIMT_KERNEL(gallery_##name##_tay_shared, gallery_arguments, 1024, 1) \
    {                                                                    \
        SIMT_SHARED_DYNAMIC(uint8_t, bytes, args.bin_bytes);             \
        struct compare_bin bin = compare_tay_fill(&args, bytes);         \
                                                                         \
        skip_place(&args, &bin, COMPARE_CONSTANT, rule);                 \
    }

SKIP_PLACES(qs, SKIP_QS)
SKIP_PLACES(hp, SKIP_HP)

/* ---- Ours ---------------------------------------------------------------------------------- */

SIMT_KERNEL(gallery_qs_segments, gallery_arguments, 1024, 1)
{
    struct skip_segment segment = skip_segment(&args);
    struct compare_bin bin = compare_bin_none();

    for (; segment.x < segment.end; segment.x = skip_next(&args, &segment))
        if (skip_matches(&args, &bin, COMPARE_GLOBAL, SKIP_QS, segment.x))
            gallery_emit(&args, segment.x);
}

/* Brute force in the same segments. */
SIMT_KERNEL(gallery_bf_segments, gallery_arguments, 1024, 1)
{
    struct skip_segment segment = skip_segment(&args);
    struct compare_bin bin = compare_bin_none();

    for (; segment.x < segment.end; segment.x++)
        if (compare_forward(&args, &bin, COMPARE_GLOBAL, segment.x, args.pattern_bytes))
            gallery_emit(&args, segment.x);
}
