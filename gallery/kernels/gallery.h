/* gallery: what the host and the gallery's kernels agree on.
 *
 * A gallery kernel looks for occurrences that begin at an offset x in [begin, limit) of a text in
 * device memory. Which thread searches which part of the text, and which memory holds what, is as
 * in the publication that the head of the kernel's file names. Most kernels report occurrences by
 * gallery_emit (emit.h), in any order, and the host sorts the occurrences. gallery/README.md tells
 * more. The kernels for records have arguments of their own (gallery_records.h).
 *
 * In the heads of the kernels' files, "Lost" names what was tried and is slower, and "Fixed" says
 * where the kernel does more than the publication.
 */
#ifndef TRAWL_GALLERY_KERNELS_GALLERY_H
#define TRAWL_GALLERY_KERNELS_GALLERY_H

#include <stdint.h>

#include "cuda/kernels/scan.h"

/* The size of the array in constant memory that holds a pattern or hashes of patterns. */
#define GALLERY_CONSTANT_WORDS 8192u
#define GALLERY_CONSTANT_BYTES (4u * GALLERY_CONSTANT_WORDS)
/* Bytes of shared memory for a block's text in bmh-shared. Bytes of the windows beyond the shared
 * memory are read from global memory. */
#define GALLERY_BIN_BYTES 32768u
#define GALLERY_TRIE_ROW 257u

/* Before the host launches a literal's kernels, it sets `first` to UINT64_MAX, and all other fields
 * to 0. */
struct gallery_result {
    uint64_t cursor; /* occurrences, if `want` is not FIRST; beyond `capacity` none is written */
    uint64_t first;  /* the least x - begin; aho-corasick: (x - begin) << 32 | literal, the least */
    uint64_t passed; /* swift: windows that passed the parent's test */
    uint64_t launched; /* swift: child grids launched without an error */
    uint64_t
        spilled; /* swift: windows that the parent compared, since the device refused a child */
    uint64_t withheld; /* swift: windows that the parent compared, beyond child_grids_max */
    uint64_t children; /* swift: child grids that ran, each counted by its first thread */
    uint64_t refusal;  /* swift: the error code of a launch that failed although the device could
                          take more launches; 0: none */
};

struct gallery_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;
    uint64_t limit;         /* the end of the begins; more than `begin` */
    uint64_t text_end;      /* text bytes; SCAN_PADDING_BYTES after the text are loadable */
    const uint8_t *pattern; /* the pattern, with zeros up to a multiple of 16; GALLERY_KEY_BYTES are
                               loadable */
    const uint32_t *shifts; /* bmh, qs, hp: 256 shifts, indexed by a byte */
    /* aho-corasick. `trie` has a row for each state: 1 + a literal that ends there, or 0; then for
     * each byte the next state, or 0 if there is none. `equals` has for each literal 1 + another
     * literal with the same bytes, or 0. */
    const uint32_t *trie, *equals;
    /* A byte for each begin from `begin` on, 16-byte aligned, loadable up to a multiple of 16. For
     * qs and hp, the host sets all to 0, and gallery_shifts_text sets 1 where a window begins. For
     * swift, 1 means that the window may match; before the parent's kernel all are 1 for bf, and
     * for qs and hp as gallery_shifts_text has set them. */
    uint8_t *flags;
    uint64_t *minima; /* word-reduction: for each block the least x - begin */
    struct gallery_result *result;
    uint32_t *offsets; /* x - begin of each occurrence; aho-corasick: followed by the literal */
    uint64_t capacity; /* occurrences for which `offsets` has room */
    uint64_t segment;  /* begins of a thread in bmh, the forms -segments, gallery_shifts_text */
    uint32_t pattern_bytes;
    uint32_t want;          /* enum want */
    uint32_t pattern_first; /* pss-gm-argument: the pattern's first byte */
    /* qs, hp: offset, from a window's begin, of the byte that says how far the window moves */
    uint32_t shift_at;
    uint32_t minima_count;      /* word-reduction: number of blocks, each with a minimum */
    uint32_t child_threads_max; /* swift: threads of one block of a child grid */
    uint32_t child_grids_max;   /* swift: most windows that get a child grid, unless `uncounted` */
    /* swift: if 1, kernels set only `spilled` and `refusal` of the numbers for swift */
    uint32_t uncounted;
    uint32_t bin_bytes; /* bytes of shared memory for the text of a block, a multiple of 16 */
};

/* pss-gr: number of words of the key, which lie in registers */
#define GALLERY_KEY_WORDS 12u
#define GALLERY_KEY_BYTES (4u * GALLERY_KEY_WORDS)

struct gallery_fold_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;      /* a multiple of 16 */
    uint64_t count;      /* the text's bytes [begin, begin + count rounded up to 16) are loadable */
    uint8_t *copy;       /* room for count bytes, rounded up to 16 */
};

#endif
