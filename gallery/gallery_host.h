/* gallery_host: published algorithms on the host, each of which searches a text for one literal.
 *
 * Each algorithm has its own file (such as bf.c) with two functions: `prepare` builds tables from
 * the literal, and `next` searches starting at search->at. The loop in gallery_host.c divides a
 * chunk into steps, and searches each step (or, if case is ignored, a folded copy) for each literal
 * of the plan. It reports occurrences as the host's engine does: conditions, order and counts are
 * the library's, and the algorithms stay as published.
 */
#ifndef TRAWL_GALLERY_GALLERY_HOST_H
#define TRAWL_GALLERY_GALLERY_HOST_H

#include <string.h>

#include "engine.h"
#include "gallery/gallery_algorithm.h"
#include "gallery/gallery_device.h"

#define GALLERY_PAIRS 65536u /* pairs of bytes */

struct gallery_search {
    const uint8_t *bytes; /* the literal, `count` >= 1 bytes */
    uint64_t count;
    uint64_t at;         /* next start offset to look at, in the step */
    uint64_t shift[256]; /* bmh, qs, hp: how far each byte value moves the window */
    int64_t *table;      /* the algorithm's, of as many numbers as its row says */
    uint64_t known;      /* kmp, shift-or: what the text before `at` has told; 0 for a new text */
    uint32_t hash;       /* rabin-karp: the literal's hash */
    uint32_t rolling;    /* the hash of the window at `at`, if rolling_known */
    uint32_t power;      /* the factor of a window's first byte in the hash */
    bool rolling_known;
};

/* Sets the numbers of all pairs, [first][second]; those with this second byte have their own. Rows
 * are copied: searches of short texts otherwise spend most of their time here. */
static inline void gallery_pairs_fill(int64_t *pairs, int64_t number, uint8_t second, int64_t own)
{
    for (uint32_t i = 0; i < 256; i++)
        pairs[i] = i == second ? own : number;
    for (uint32_t at = 256; at < GALLERY_PAIRS; at += 256)
        memcpy(pairs + at, pairs, 256 * sizeof *pairs);
}

/* `next` returns the first start offset in [search->at, limit) at which the literal occurs, or
 * UINT64_MAX, and sets search->at to where the next call continues. The text is readable up to
 * limit - 1 + count, where strstr needs a NUL. */
#define ALGORITHM(enumerator, name, searched, engines, geometry, line, source)
#define ON_CORES(enumerator, name, file, words, engines, geometry, line, source)       \
    void gallery_##file##_prepare(struct gallery_search *search);                      \
    uint64_t gallery_##file##_next(struct gallery_search *search, const uint8_t *text, \
                                   uint64_t limit);
#include "gallery/algorithms.def"

/* A worker's state on the host, kept from search to search. All zeros: empty. */
struct gallery_host {
    const struct trawl_plan *plan;
    enum gallery_algorithm algorithm;
    struct gallery_search search;
    uint32_t prepared; /* the literal for which `search` has tables, or PLAN_NONE */
    uint8_t *copy;     /* for algorithms that need a copy: a step of the text and a NUL; for
                          strstr also the literal and a NUL */
    uint64_t copy_bytes_max;
    uint64_t table_count;
    uint64_t copied_at; /* where the copied step begins in the chunk; UINT64_MAX if no step is
                           copied */
};

/* Prepares for a plan. Errors: UNSUPPORTED if the algorithm or its options are only for devices;
 * MEMORY. */
enum trawl_status gallery_host_begin(struct gallery_host *host, const struct trawl_plan *plan,
                                     struct trawl_error *error);
void gallery_host_end(struct gallery_host *host);
/* Searches a chunk, as engine_scan does. */
enum trawl_status gallery_host_scan(struct gallery_host *host, const struct engine_chunk *chunk,
                                    uint64_t from, enum want want, struct engine_result *result,
                                    struct trawl_error *error);

/* ---- rabin-karp-matrix ---------------------------------------------------------------------- */

struct gallery_matrix;

enum trawl_status gallery_matrix_open(const struct trawl_plan *plan, struct gallery_matrix **matrix,
                                      struct trawl_error *error);
void gallery_matrix_close(struct gallery_matrix *matrix);
/* For each pattern that occurs in the record, sets row[pattern], which must be -1, to the offset of
 * its first occurrence. Returns how many cells were set. `met` says which literals may occur. */
uint64_t gallery_matrix_record(const struct gallery_matrix *matrix, const uint8_t *record,
                               uint64_t record_bytes, const struct gallery_met *met, int64_t *row);

#endif
