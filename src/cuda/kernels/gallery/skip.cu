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
#include "cuda/kernels/gallery/compare.h"

#define SKIP_SHIFTS 256u

enum skip_rule { SKIP_QS, SKIP_HP };

/* What a thread goes over, and where it finds the shifts. */
struct skip_segment {
    uint64_t x, end;
    const uint32_t *shifts; /* in shared memory; 0: a->shifts */
};

/* The first begin of the block's first segment. */
SIMT_FUNCTION uint64_t skip_block_begin(const struct gallery_arguments *a)
{
    return a->begin + (uint64_t)simt_block() * simt_threads() * a->segment;
}

/* The thread's segment; empty beyond the last. */
SIMT_FUNCTION struct skip_segment skip_segment(const struct gallery_arguments *a,
                                               const uint32_t *shifts)
{
    struct skip_segment segment;

    segment.x = skip_block_begin(a) + simt_thread() * a->segment;
    segment.end = segment.x + a->segment;
    if (!SIMT_BOUND(segment.end <= a->limit))
        segment.end = a->limit;
    segment.shifts = shifts;
    return segment;
}

/* The block's bin, and the shifts. All threads of the block. */
SIMT_FUNCTION struct compare_bin skip_bin(const struct gallery_arguments *a, uint32_t *words,
                                          uint32_t *shifts)
{
    uint64_t from = skip_block_begin(a);
    uint64_t to = from + simt_threads() * a->segment + a->pattern_bytes;

    for (uint32_t i = simt_thread(); i < SKIP_SHIFTS; i += simt_threads())
        shifts[i] = simt_load_u32(a->shifts + i);
    return compare_bin_fill(a, from, to < a->text_end ? to : a->text_end, words, GALLERY_BIN_BYTES);
}

/* The window behind the one at segment->x. */
SIMT_FUNCTION uint64_t skip_next(const struct gallery_arguments *a, const struct compare_bin *bin,
                                 enum skip_rule rule, const struct skip_segment *segment)
{
    uint64_t x = segment->x;
    uint8_t byte;

    if (x + 1u >= segment->end)
        return segment->end;
    byte = compare_text(a, bin, x + a->pattern_bytes - (rule == SKIP_HP ? 1u : 0u));
    return x + (segment->shifts != 0 ? segment->shifts[byte] : simt_load_u32(a->shifts + byte));
}

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
