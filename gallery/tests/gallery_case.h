/* gallery_case: random cases of the gallery's algorithms on a device. */
#ifndef TRAWL_TESTS_SIM_GALLERY_CASE_H
#define TRAWL_TESTS_SIM_GALLERY_CASE_H

#include "gallery/engine_gallery.h"
#include "gallery/gallery_limits.h"
#include "sim/random_case.h"

/* The algorithms under test, as option strings ("setups"): a name, perhaps with options. Case i
 * runs number i modulo their count; slow ones get few patterns and a short text. */
#define GALLERY_SETUPS_MAX 120u
extern const char *const gallery_setups[]; /* ends with NULL */

/* Returns true if this algorithm may launch child grids. Hybrids do for some patterns. */
bool gallery_setup_has_children(const char *setup);

struct gallery_case_tally {
    uint64_t right[GALLERY_SETUPS_MAX], with_matches[GALLERY_SETUPS_MAX],
        refused[GALLERY_SETUPS_MAX];
    uint64_t failed[GALLERY_SETUPS_MAX];
};

extern const struct case_kind gallery_case_kind;

void gallery_case_count(struct gallery_case_tally *tally, uint64_t index,
                        enum cuda_case_answer answer, const struct diff_expected *expected);

/* Runs case `index` on the simulated driver, where a launch counts as hung after switches_max
 * thread switches (0: the default). Returns true if the case passed. tally may be NULL.
 */
bool gallery_case_run(const char *name, uint64_t index, uint32_t switches_max,
                      struct gallery_case_tally *tally);

/* Which cases run, and in how many threads. */
struct gallery_cases {
    const char *name;
    /* cases of each thread, which has its own worker and limits */
    uint64_t count;
    uint32_t threads;
    bool without_children, with_children; /* which setups run */
};

/* Runs cases->count cases in each thread on the engine, starting with case `index`, and adds to
 * *tally. Returns false if a case or a thread failed. */
bool gallery_cases_on(struct engine *engine, const struct gallery_cases *cases, uint64_t index,
                      struct gallery_case_tally *tally);

#endif
