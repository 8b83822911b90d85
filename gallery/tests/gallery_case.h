/* gallery_case: random cases by algorithms of the gallery on a device. */
#ifndef TRAWL_TESTS_SIM_GALLERY_CASE_H
#define TRAWL_TESTS_SIM_GALLERY_CASE_H

#include "gallery/engine_gallery.h"
#include "gallery/gallery_limits.h"
#include "sim/random_case.h"

/* Each case runs one of the ways below, in turn. A way is an option string. If an algorithm would
 * take long, a case has few patterns and a short text. */
#define GALLERY_WAYS_MAX 64u
extern const char *const gallery_ways[]; /* algorithms' names with options; NULL after the last */

/* Returns true if the way launches child grids; a hybrid does so for some patterns. */
bool gallery_way_has_children(const char *way);

struct gallery_case_tally {
    uint64_t right[GALLERY_WAYS_MAX], with_matches[GALLERY_WAYS_MAX], refused[GALLERY_WAYS_MAX];
    uint64_t failed[GALLERY_WAYS_MAX];
};

extern const struct case_kind gallery_case_kind;

void gallery_case_count(struct gallery_case_tally *tally, uint64_t index,
                        enum cuda_case_answer answer, const struct diff_expected *expected);

/* Runs case number `index` on the simulated driver. A launch with more than switches_max switches
 * of threads counts as hung (0: the default). Returns true if the case passed. tally may be NULL.
 */
bool gallery_case_run(const char *name, uint64_t index, uint32_t switches_max,
                      struct gallery_case_tally *tally);

/* Which cases run, and in how many threads. */
struct gallery_cases {
    const char *name;
    /* number of cases of each thread, which has a separate worker with separate limits */
    uint64_t count;
    uint32_t threads;
    bool without_children, with_children; /* whether ways without, and ways with, child grids run */
};

/* Runs cases->count cases in each thread on the engine, from case number `index` on, and adds to
 * *tally. Returns false if a case or a thread failed. */
bool gallery_cases_on(struct engine *engine, const struct gallery_cases *cases, uint64_t index,
                      struct gallery_case_tally *tally);

#endif
