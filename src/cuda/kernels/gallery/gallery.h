/* gallery: what the host and the gallery's kernels agree on.
 *
 * A gallery kernel looks for begins x in [begin, limit) of a text in device memory, as published:
 * its mapping of threads to text and its use of memories are the publication's. What it finds goes
 * through gallery_emit (emit.h), in any order; the host sorts. docs/gallery.md tells more.
 */
#ifndef TRAWL_CUDA_KERNELS_GALLERY_GALLERY_H
#define TRAWL_CUDA_KERNELS_GALLERY_GALLERY_H

#include <stdint.h>

#include "cuda/kernels/scan.h"

/* Constant memory: a pattern, or hashes of patterns. */
#define GALLERY_CONSTANT_WORDS 8192u
#define GALLERY_CONSTANT_BYTES (4u * GALLERY_CONSTANT_WORDS)

/* Zeroed before each launch, but for first: all ones. */
struct gallery_result {
    uint64_t cursor;   /* occurrences found; beyond the capacity they were not written */
    uint64_t first;    /* the least x - begin */
    uint64_t passed;   /* swift: windows that passed the parent's test */
    uint64_t launched; /* swift: child grids launched without an error */
    uint64_t spilled;  /* swift: launches refused; the parent's thread compared by itself */
    uint64_t children; /* swift: child grids that ran, counted by themselves */
};

struct gallery_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;
    uint64_t limit;         /* no begin at or beyond it; > begin */
    uint64_t text_end;      /* text bytes; SCAN_PADDING_BYTES more are loadable */
    const uint8_t *pattern; /* zero up to a multiple of 16 */
    const uint32_t *shifts; /* bmh, qs, hp: 256 */
    uint8_t *flags;         /* swift: of each begin from `begin` on, 1 before: may it match? */
    struct gallery_result *result;
    uint32_t *offsets; /* x - begin */
    uint64_t capacity; /* of offsets */
    uint64_t segment;  /* bmh, qs, hp: begins per thread */
    uint32_t pattern_bytes;
    uint32_t want;              /* enum scan_want */
    uint32_t pattern_first;     /* pss-gm: the first byte */
    uint32_t child_threads_max; /* swift: threads of one block of a child grid */
};

#endif
