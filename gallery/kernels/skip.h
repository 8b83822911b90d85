/* skip: the segments of qs and hp, a segment per thread, and the shifts. */
#ifndef TRAWL_GALLERY_KERNELS_SKIP_H
#define TRAWL_GALLERY_KERNELS_SKIP_H

#include "gallery/kernels/compare.h"

enum skip_rule { SKIP_QS, SKIP_HP };

/* A thread searches the begins [x, end). */
struct skip_segment {
    uint64_t x, end;
};

/* Returns the thread's segment, which is empty beyond the last begin. */
SIMT_FUNCTION struct skip_segment skip_segment(const struct gallery_arguments *a)
{
    struct skip_segment segment;

    segment.x = a->begin + ((uint64_t)simt_block() * simt_threads() + simt_thread()) * a->segment;
    segment.end = segment.x + a->segment;
    if (!SIMT_BOUND(segment.end <= a->limit))
        segment.end = a->limit;
    return segment;
}

/* Returns the begin of the window after the window at segment->x. Returns segment->end or more if
 * that window does not begin in the segment. */
SIMT_FUNCTION uint64_t skip_next(const struct gallery_arguments *a,
                                 const struct skip_segment *segment)
{
    uint64_t x = segment->x;

    if (x + 1u >= segment->end)
        return segment->end;
    return x + simt_load_u32(a->shifts + simt_load_u8(a->text + x + a->shift_at));
}

#endif
