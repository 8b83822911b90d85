/* gallery_host: published algorithms on the host, each of which searches a text for one literal,
 * and the loop that calls the algorithms.
 *
 * Each algorithm is in a file of its own (such as bf.c), as two functions: `prepare` makes tables
 * from the literal, and `next` searches from search->at on. The loop in gallery_host.c takes the
 * text in steps and runs each literal of a plan over each step. If case is ignored, the loop
 * searches a folded copy of the step. The loop reports occurrences as the engine for the host does.
 * So conditions, order and counts are the library's, and the algorithms stay as published.
 */
#ifndef TRAWL_GALLERY_GALLERY_HOST_H
#define TRAWL_GALLERY_GALLERY_HOST_H

#include "engine.h"
#include "gallery/gallery_algorithm.h"
#include "gallery/gallery_device.h"

struct gallery_search {
    const uint8_t *bytes; /* the literal; count >= 1 */
    uint64_t count;
    uint64_t at;         /* the next begin to look at, an offset in the step */
    uint64_t shift[256]; /* bmh, qs, hp: for each value of a byte, how far the window moves */
    uint32_t hash;       /* rabin-karp: the literal's hash */
    uint32_t rolling;    /* the hash of the window at `at`, if rolling_known */
    uint32_t power;      /* the factor of a window's first byte in the hash */
    bool rolling_known;
};

/* `next` returns the next begin in [search->at, limit) at which the literal occurs, and sets
 * search->at to where the search goes on. It returns UINT64_MAX if the literal does not occur
 * there. The text is readable up to limit - 1 + count, and a NUL follows for strstr. */
#define GALLERY_TEXT_LIST(X)    \
    X(NAIVE, naive)             \
    X(NAIVE_WHOLE, naive_whole) \
    X(MEMMEM, memmem)           \
    X(STRSTR, strstr)           \
    X(BF, bf)                   \
    X(BMH, bmh)                 \
    X(QS, qs)                   \
    X(HP, hp)                   \
    X(RABIN_KARP, rabin_karp)
#define GALLERY_DECLARE(enumerator, name)                                              \
    void gallery_##name##_prepare(struct gallery_search *search);                      \
    uint64_t gallery_##name##_next(struct gallery_search *search, const uint8_t *text, \
                                   uint64_t limit);
GALLERY_TEXT_LIST(GALLERY_DECLARE)
#undef GALLERY_DECLARE

/* What a worker keeps between searches on the host. A zeroed struct is empty. */
struct gallery_host {
    const struct trawl_plan *plan;
    enum gallery_algorithm algorithm;
    struct gallery_search search;
    uint32_t prepared; /* number of the literal for which `search` has tables, or PLAN_NONE */
    uint8_t *copy;     /* if the algorithm needs a copy: a step of the text and a NUL, and for
                          strstr the literal and a NUL */
    uint64_t copy_bytes_max;
    uint64_t copied_at; /* where in the chunk the copied step begins; UINT64_MAX: nothing is
                           copied */
};

/* Prepares for a plan. Errors: UNSUPPORTED if the plan's algorithm or its options are for devices
 * only; MEMORY. */
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
/* For each pattern that occurs in the record, sets row[pattern] to the offset where the pattern
 * first begins. All entries must be -1 before. Returns how many entries were set. `met` says which
 * literals the record may hold. */
uint64_t gallery_matrix_record(const struct gallery_matrix *matrix, const uint8_t *record,
                               uint64_t record_bytes, const struct gallery_met *met, int64_t *row);

#endif
