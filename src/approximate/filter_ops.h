/* filter_ops: the table that each instruction set's filter fills. */
#ifndef TRAWL_APPROXIMATE_FILTER_OPS_H
#define TRAWL_APPROXIMATE_FILTER_OPS_H

#include "approximate/filter.h"

#define FILTER_BLOCK_WORDS 16u /* two of the widest vectors: rows are as long as some blocks */
#define FILTER_WINDOWS_MAX 16u /* the lanes of as many */

/* A class: byte b is in it if bit b % 64 of has[b / 64] is set, and if bit b / 16 % 8 of
 * nibbles[b / 128][b % 16] is. */
struct filter_class {
    uint64_t has[4];
    uint8_t nibbles[2][16];
};

/* Bits for the places of a text, one after the other. A literal knows its rows by the words before
 * them. */
struct filter_rows {
    uint64_t *words;     /* aligned to 64 */
    uint64_t words_used; /* of each row */
};

/* After how many groups of symbols it is asked whether anything is left. It moves towards the least
 * number at which the answer is most often no. */
struct filter_vote {
    uint32_t from;
    uint32_t passed;
};

/* The text as windows that are searched side by side, one in each lane of two vectors. A window is
 * `words` words, and before them the `warm` words that an occurrence's end may depend on. */
struct filter_windows {
    uint64_t words;
    uint64_t warm;
};

struct filter_ops {
    const char *name;
    uint32_t windows; /* lanes of two vectors */
    /* Bit i % 64 of planes[c * plane_words + i / 64]: byte i is in class c. Whole words: up to 63
     * bytes beyond `bytes` are read. */
    void (*planes)(const struct filter_class *classes, uint32_t class_count, const uint8_t *text,
                   uint32_t bytes, uint64_t *planes, uint64_t plane_words);
    /* Bit i of the row: bit i + shift (at most 63) of the plane is not set. `words` is a multiple
     * of FILTER_BLOCK_WORDS; one more word of the plane is read. */
    void (*shift)(const uint64_t *plane, uint32_t shift, uint64_t words, uint64_t *row);
    /* The row's bits at those places that `places` has bits for, next to each other. Up to a
     * multiple of FILTER_BLOCK_WORDS more bits follow: set, so that nothing is found there. */
    void (*select)(const uint64_t *row, const uint64_t *places, uint64_t words, uint64_t *selected);
    /* A bit for each place at which none of the first exact_count rows has its bit, and at most
     * errors_max of the next `count` (a multiple of 4) have. Is there one? */
    bool (*mismatches)(const struct filter_rows *rows, const uint32_t *rows_begin,
                       uint32_t exact_count, uint32_t count, uint32_t errors_max,
                       struct filter_vote *vote, uint64_t *found);
    /* A bit for each place at which the rows' symbols end within errors_max edits; `found` has
     * words_total words, and is left where there is none. Word l of step t of a row, in words of
     * all windows: word t - warm of window l. */
    bool (*edits)(const struct filter_rows *rows, const uint32_t *rows_begin, uint32_t count,
                  uint32_t errors_max, const struct filter_windows *windows, uint64_t words_total,
                  struct filter_vote *vote, uint64_t *found);
};

extern const struct filter_ops approx_filter_portable;
#if defined(__x86_64__)
extern const struct filter_ops approx_filter_avx2;
extern const struct filter_ops approx_filter_avx512;
#elif defined(__aarch64__)
extern const struct filter_ops approx_filter_neon;
#endif

#endif
