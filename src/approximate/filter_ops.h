/* filter_ops: the table of functions for approx_filter.h and grams.h, which each instruction set
 * fills. */
#ifndef TRAWL_APPROXIMATE_FILTER_OPS_H
#define TRAWL_APPROXIMATE_FILTER_OPS_H

#include "approximate/approx_filter.h"
#include "approximate/grams.h"

#define FILTER_WINDOWS_MAX 16u /* the lanes of two of the widest vectors */

/* The rows of all literals, one after the other. A row belongs to a symbol, and has a bit for each
 * offset of a text. With mismatches, the bit is set if the symbol differs there; with edits, if it
 * is equal. A literal refers to each of its rows by the index of the row's first word. */
struct filter_rows {
    uint64_t *words;     /* aligned to 64 bytes */
    uint64_t words_used; /* how many words of each row are searched */
};

/* A search compares a block of offsets with a literal's rows, and stops early once a test finds
 * that no offset of the block can have an occurrence. `from` is the number of groups of four rows
 * before the first test. `passed` counts the blocks whose first test found no such offset. `from`
 * approaches the lowest number with which most first tests find none. */
struct filter_vote {
    uint32_t from;
    uint32_t passed;
};

/* The offsets of a text, divided into windows that are searched in parallel, one window in each
 * lane of two vectors. A window has `words` words of 64 offsets. Its search begins `warm` words
 * before it, because an occurrence that ends in the window may begin there. */
struct filter_windows {
    uint64_t words;
    uint64_t warm;
};

struct filter_ops {
    uint32_t windows; /* the number of lanes of two vectors */
    /* Sets bit i % 64 of planes[c * plane_words + i / 64] if byte i is in class c. Writes whole
     * words, and so reads up to 63 bytes after `bytes`. */
    void (*planes)(const struct filter_class *classes, uint32_t class_count, const uint8_t *text,
                   uint32_t bytes, uint64_t *planes, uint64_t plane_words);
    /* Sets bit i of the row if bit i + shift of the plane is not set; shift ≤ 63. `words` is a
     * multiple of `windows`; one more word of the plane is read. */
    void (*shift)(const uint64_t *plane, uint32_t shift, uint64_t words, uint64_t *row);
    /* Sets a bit for each offset at which none of the first exact_count rows and at most errors_max
     * of the next `count` rows have their bit set; `count` is a multiple of 4. Returns true if
     * there is such an offset. */
    bool (*mismatches)(const struct filter_rows *rows, const uint32_t *rows_begin,
                       uint32_t exact_count, uint32_t count, uint32_t errors_max,
                       struct filter_vote *vote, uint64_t *found);
    /* Sets a bit for each offset at which a span ends that is within errors_max edits of the
     * literal. `found` has words_total words. Returns true if there is such an offset. The words of
     * a row are ordered by steps, each of which has one word of each window. The first `warm` steps
     * have the words before the windows. */
    bool (*edits)(const struct filter_rows *rows, const uint32_t *rows_begin, uint32_t count,
                  uint32_t errors_max, const struct filter_windows *windows, uint64_t words_total,
                  struct filter_vote *vote, uint64_t *found);
    grams_function grams;
};

/* Returns the functions for the instruction set of this name (see trawl_instruction_set); for NULL,
 * the portable functions. */
const struct filter_ops *filter_ops_by_name(const char *name);

extern const struct filter_ops approx_filter_portable;
#if defined(__x86_64__)
extern const struct filter_ops approx_filter_avx2;
extern const struct filter_ops approx_filter_avx512;
#elif defined(__aarch64__)
extern const struct filter_ops approx_filter_neon;
#endif

#endif
