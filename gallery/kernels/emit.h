/* emit: how the gallery's kernels for texts, except aho-corasick, report occurrences: in any
 * order. */
#ifndef TRAWL_GALLERY_KERNELS_EMIT_H
#define TRAWL_GALLERY_KERNELS_EMIT_H

#include "gallery/kernels/gallery.h"
#include "cuda/kernels/simt.h"

/* Reports an occurrence at x. */
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

/* Returns the thread's begin, if each thread looks at a single begin. The begin may lie beyond
 * a->limit. */
SIMT_FUNCTION uint64_t gallery_place(const struct gallery_arguments *a)
{
    return a->begin + (uint64_t)simt_block() * simt_threads() + simt_thread();
}

#endif
