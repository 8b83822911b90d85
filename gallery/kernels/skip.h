/* skip: the segments of qs and hp, a segment per thread, and the shifts. */
#ifndef TRAWL_GALLERY_KERNELS_SKIP_H
#define TRAWL_GALLERY_KERNELS_SKIP_H

#include "gallery/kernels/compare.h"

#define SKIP_SHIFTS 256u

enum skip_rule { SKIP_QS, SKIP_HP };

/* A thread searches the begins [x, end), with these shifts. */
struct skip_segment {
    uint64_t x, end;
    const uint32_t *shifts; /* in shared memory; if NULL, a->shifts in global memory is used */
};

/* Returns the first begin of the block's first segment. */
SIMT_FUNCTION uint64_t skip_block_begin(const struct gallery_arguments *a)
{
    return a->begin + (uint64_t)simt_block() * simt_threads() * a->segment;
}

/* Returns the thread's segment, which is empty beyond the last begin. */
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

/* Returns the block's bin, filled, and copies the shifts into `shifts`, which is in shared memory.
 * Called by all threads of the block. */
SIMT_FUNCTION struct compare_bin skip_bin(const struct gallery_arguments *a, uint32_t *words,
                                          uint32_t *shifts)
{
    uint64_t from = skip_block_begin(a);
    uint64_t to = from + simt_threads() * a->segment + a->pattern_bytes;

    for (uint32_t i = simt_thread(); i < SKIP_SHIFTS; i += simt_threads())
        shifts[i] = simt_load_u32(a->shifts + i);
    return compare_bin_fill(a, from, to < a->text_end ? to : a->text_end, words, GALLERY_BIN_BYTES);
}

/* Returns the begin of the window after the window at segment->x. Returns segment->end or more if
 * that window does not begin in the segment. */
SIMT_FUNCTION uint64_t skip_next(const struct gallery_arguments *a, const struct compare_bin *bin,
                                 const struct skip_segment *segment)
{
    uint64_t x = segment->x;
    uint8_t byte;

    if (x + 1u >= segment->end)
        return segment->end;
    byte = compare_text(a, bin, x + a->shift_at);
    return x + (segment->shifts != 0 ? segment->shifts[byte] : simt_load_u32(a->shifts + byte));
}

#endif
