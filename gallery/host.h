/* host: published algorithms on the host, for one literal in one text, and the loop that runs them.
 *
 * Each file holds one algorithm as two functions: `prepare` makes its tables from the literal, and
 * `next` goes on from search->at. One loop (host.c) drives them all: it takes the text in steps,
 * runs each literal of a plan over each step, folds case by folding a copy of the step, and emits
 * what is found as every other scan does. So conditions, order and counts are the library's, and
 * the algorithms stay as they were published.
 */
#ifndef TRAWL_GALLERY_HOST_H
#define TRAWL_GALLERY_HOST_H

#include "engine.h"
#include "gallery/algorithm.h"
#include "gallery/device.h"

struct gallery_search {
    const uint8_t *bytes; /* the literal; count >= 1 */
    uint64_t count;
    uint64_t at;         /* the next begin to look at */
    uint64_t shift[256]; /* bmh, qs, hp: how far the window moves by a byte of the text */
    uint32_t hash;       /* rabin-karp: of the literal, */
    uint32_t rolling;    /* of the window at `at`, if known, */
    uint32_t power;      /* and what a window's first byte is worth */
    bool rolling_known;
};

/* The next begin in [search->at, limit), UINT64_MAX if none, with search->at after it. Text is
 * readable to limit - 1 + count; for strstr a NUL must follow. */
#define GALLERY_TEXT_LIST(X) \
    X(NAIVE, naive)          \
    X(MEMMEM, memmem)        \
    X(STRSTR, strstr)        \
    X(BF, bf)                \
    X(BMH, bmh)              \
    X(QS, qs)                \
    X(HP, hp)                \
    X(RABIN_KARP, rabin_karp)
#define GALLERY_DECLARE(enumerator, name)                                              \
    void gallery_##name##_prepare(struct gallery_search *search);                      \
    uint64_t gallery_##name##_next(struct gallery_search *search, const uint8_t *text, \
                                   uint64_t limit);
GALLERY_TEXT_LIST(GALLERY_DECLARE)
#undef GALLERY_DECLARE

/* What one thread keeps. Zeroed is empty. */
struct gallery_host {
    const struct trawl_plan *plan;
    enum gallery_algorithm algorithm;
    struct gallery_search search;
    uint32_t prepared; /* the literal that search's tables are for; PLAN_NONE: none */
    uint8_t *copy;     /* of a step of the text, where the algorithm cannot take it as it is; NUL;
                          for strstr the literal, NUL */
    uint64_t copy_bytes_max;
    uint64_t copied_at; /* the scan's place where the copy begins, UINT64_MAX: none */
};

/* Get ready for a plan. UNSUPPORTED: its algorithm is for devices. */
enum trawl_status gallery_host_begin(struct gallery_host *host, const struct trawl_plan *plan,
                                     struct trawl_error *error);
void gallery_host_end(struct gallery_host *host);
/* The engine's scan. */
enum trawl_status gallery_host_scan(struct gallery_host *host, const struct engine_chunk *chunk,
                                    uint64_t from, enum want want, struct engine_result *result,
                                    struct trawl_error *error);

/* ---- rabin-karp-matrix ---------------------------------------------------------------------- */

struct gallery_matrix;

enum trawl_status gallery_matrix_open(const struct trawl_plan *plan, struct gallery_matrix **matrix,
                                      struct trawl_error *error);
void gallery_matrix_close(struct gallery_matrix *matrix);
/* row[pattern], -1 before: where in the record it first begins. Returns how many cells it filled.
 */
uint64_t gallery_matrix_record(const struct gallery_matrix *matrix, const uint8_t *record,
                               uint64_t record_bytes, const struct gallery_met *met, int64_t *row);

#endif
