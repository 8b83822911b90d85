/* emit: how the gallery's kernels for texts report hits, in any order (aho-corasick has its own).
 */
#ifndef TRAWL_GALLERY_KERNELS_EMIT_H
#define TRAWL_GALLERY_KERNELS_EMIT_H

#include "gallery/kernels/gallery.h"
#include "cuda/kernels/simt.h"

/* Reports a hit at x: lowers the first hit's offset, or counts the hit and stores its offset. */
SIMT_FUNCTION void gallery_emit(const struct gallery_arguments *a, uint64_t x)
{
    uint64_t slot;

    if (a->want == WANT_FIRST) {
        (void)simt_atomic_min_u64(&a->result->first, x - a->begin);
        return;
    }
    slot = simt_atomic_add_u64(&a->result->cursor, 1);
    if (a->want == WANT_HITS && SIMT_BOUND(slot < a->capacity))
        simt_store_u32(&a->offsets[slot], (uint32_t)(x - a->begin));
}

/* Returns the thread's start offset, in kernels with a thread per start offset. May be a->limit or
 * more, where nothing is to be searched. */
SIMT_FUNCTION uint64_t gallery_place(const struct gallery_arguments *a)
{
    return a->begin + (uint64_t)simt_block() * simt_threads() + simt_thread();
}

#endif
