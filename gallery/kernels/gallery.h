/* gallery: what the host and the gallery's kernels agree on.
 *
 * A gallery kernel looks for begins x in [begin, limit) of a text in device memory, as published:
 * its mapping of threads to text and its use of memories are the publication's. What it finds goes
 * through gallery_emit (emit.h), in any order; the host sorts. gallery/README.md tells more.
 */
#ifndef TRAWL_GALLERY_KERNELS_GALLERY_H
#define TRAWL_GALLERY_KERNELS_GALLERY_H

#include <stdint.h>

#include "cuda/kernels/scan.h"

/* Constant memory: a pattern, or hashes of patterns. */
#define GALLERY_CONSTANT_WORDS 8192u
#define GALLERY_CONSTANT_BYTES (4u * GALLERY_CONSTANT_WORDS)
/* Shared memory for a block's text where threads have segments. What the windows of the block's
 * segments have beyond it is read from global memory. */
#define GALLERY_BIN_BYTES 32768u
#define GALLERY_TRIE_ROW 257u

/* Zeroed before each launch, but for first: all ones. */
struct gallery_result {
    uint64_t cursor;   /* occurrences found; beyond the capacity they were not written */
    uint64_t first;    /* the least x - begin; aho-corasick: that << 32, and the least literal */
    uint64_t passed;   /* swift: windows that passed the parent's test */
    uint64_t launched; /* swift: child grids launched without an error */
    uint64_t spilled;  /* swift: the device refused a child grid; the parent's thread compared */
    uint64_t withheld; /* swift: none was asked for, since child_grids_max were; likewise */
    uint64_t children; /* swift: child grids that ran, counted by themselves */
    uint64_t refusal;  /* swift: the error code of a launch that failed, but not for want of room */
};

struct gallery_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;
    uint64_t limit;         /* no begin at or beyond it; > begin */
    uint64_t text_end;      /* text bytes; SCAN_PADDING_BYTES more are loadable */
    const uint8_t *pattern; /* zero up to a multiple of 16; GALLERY_KEY_BYTES are loadable */
    const uint32_t *shifts; /* bmh, qs, hp: 256 */
    /* aho-corasick: of each state, 1 + a literal that ends there or 0, then the next state
     * for each byte, 0: none. Of each literal, 1 + another one with the same bytes or 0. */
    const uint32_t *trie, *equals;
    /* Of each begin from `begin` on, 16-byte aligned, loadable up to a multiple of 16. qs, hp: is
     * a window there? 0 before gallery_shifts_text. swift: may it match? Before, 1 (bf), or the
     * windows (qs, hp). */
    uint8_t *flags;
    uint64_t *minima; /* word-reduction: of each block, its least x - begin */
    struct gallery_result *result;
    uint32_t *offsets; /* x - begin; aho-corasick: and the literal, after each */
    uint64_t capacity; /* of offsets */
    uint64_t segment;  /* begins per thread: of bmh and -segments, and of gallery_shifts_text */
    uint32_t pattern_bytes;
    uint32_t want;              /* enum want */
    uint32_t pattern_first;     /* pss-gm: the first byte */
    uint32_t shift_at;          /* qs, hp: from a window's begin to the byte that moves it */
    uint32_t minima_count;      /* word-reduction: blocks */
    uint32_t child_threads_max; /* swift: threads of one block of a child grid */
    uint32_t child_grids_max;   /* swift: windows that get one, of those that want one */
};

/* pss-gr: the key's words lie in registers. */
#define GALLERY_KEY_WORDS 12u
#define GALLERY_KEY_BYTES (4u * GALLERY_KEY_WORDS)

struct gallery_fold_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;      /* a multiple of 16 */
    uint64_t count;      /* the text's bytes [begin, begin + count rounded up to 16) are loadable */
    uint8_t *copy;       /* count, rounded up to 16 */
};

#endif
