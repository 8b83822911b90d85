/* gallery: the interface between the host and the gallery's kernels.
 *
 * A gallery kernel searches for occurrences that start at an offset x in [begin, limit) of a text
 * in device memory. What each thread does, and what lies in which memory, follows the publication
 * named at the head of the kernel's file. These heads also say what was slower ("Slower"), and
 * where the kernel differs from the publication ("Fixed"). Hits come in any order (emit.h); the
 * host sorts them. Kernels for records have their own arguments (gallery_records.h).
 */
#ifndef TRAWL_GALLERY_KERNELS_GALLERY_H
#define TRAWL_GALLERY_KERNELS_GALLERY_H

#include <stdint.h>

#include "cuda/kernels/scan.h"

/* The array in constant memory, for a pattern or for hashes. */
#define GALLERY_CONSTANT_WORDS 8192u
#define GALLERY_CONSTANT_BYTES (4u * GALLERY_CONSTANT_WORDS)
/* bmh-shared: shared memory for a block's text; windows that reach beyond it are read from global
 * memory. */
#define GALLERY_BIN_BYTES 32768u
#define GALLERY_TRIE_ROW 257u

/* Before a literal's kernels, the host sets `first` to UINT64_MAX, and the rest to 0. */
struct gallery_result {
    uint64_t cursor; /* hits, unless `want` is FIRST; those beyond `capacity` are not stored */
    uint64_t
        first; /* lowest x - begin of a hit; aho-corasick: lowest (x - begin) << 32 | literal */
    uint64_t passed;   /* swift: windows that passed the parent's test */
    uint64_t launched; /* swift: child grids launched without an error */
    uint64_t spilled;  /* swift: windows that the parent compared because the device refused a child
                          grid */
    uint64_t withheld; /* swift: windows that the parent compared beyond child_grids_max */
    uint64_t children; /* swift: child grids that ran, each counted by its first thread */
    uint64_t refusal;  /* swift: code of a launch that failed although the device was not full;
                          0: none */
};

struct gallery_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;
    uint64_t limit;         /* end of the start offsets; more than `begin` */
    uint64_t text_end;      /* text bytes; SCAN_PADDING_BYTES more are loadable */
    const uint8_t *pattern; /* padded with zeros to a multiple of 16; GALLERY_KEY_BYTES are
                               loadable */
    const uint32_t *shifts; /* bmh, qs, hp: 256 shifts, by byte */
    /* aho-corasick. `trie` has a row per state: 1 + a literal that ends there, or 0; then the next
     * state for each byte, or 0. `equals` has per literal 1 + another literal with the same bytes,
     * or 0. */
    const uint32_t *trie, *equals;
    /* A flag for each start offset, 16-byte aligned, loadable up to a multiple of 16. The host sets
     * all to 1 for bf-swift, and to 0 for qs and hp, where gallery_shifts_text then sets 1 for each
     * window. The swift forms clear the flags of windows that differ. */
    uint8_t *flags;
    /* a number per block: word-reduction: its lowest x - begin; pss-gm-passes: its hits, later the
     * hits of earlier blocks; pss-gm-list: its list */
    uint64_t *minima;
    struct gallery_result *result;
    uint32_t *offsets; /* x - begin of each hit; aho-corasick: also the literal */
    uint64_t capacity; /* how many hits `offsets` can take */
    uint64_t segment;  /* start offsets per thread in bmh, -segments and gallery_shifts_text */
    uint32_t pattern_bytes;
    uint32_t want;          /* enum want */
    uint32_t pattern_first; /* pss-gm-argument: the pattern's first byte */
    /* qs, hp: offset in a window of the byte that says how far to move the window */
    uint32_t shift_at;
    uint32_t minima_count;      /* number of blocks */
    uint32_t pass;              /* pss-gm-passes: 1: writes the hits */
    uint32_t child_threads_max; /* swift: maximum number of threads in a block of a child grid */
    uint32_t child_grids_max;   /* swift: maximum number of windows that get a child grid, unless
                                   `uncounted` */
    /* swift: 1: of the result's numbers about child grids, only `spilled` and `refusal` are set */
    uint32_t uncounted;
    uint32_t ordered;   /* swift: 1: a block's child grids run one after the other */
    uint32_t bin_bytes; /* shared memory for a block's text, a multiple of 16 */
};

/* pss-gr: maximum number of words of a key, which is kept in registers */
#define GALLERY_KEY_WORDS 12u
#define GALLERY_KEY_BYTES (4u * GALLERY_KEY_WORDS)

struct gallery_fold_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;      /* a multiple of 16 */
    uint64_t count;      /* the text's bytes [begin, begin + count rounded up to 16) are loadable */
    uint8_t *copy;       /* room for count bytes, rounded up to 16 */
};

#endif
