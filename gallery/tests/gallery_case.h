/* gallery_case: random cases by algorithms of the gallery on a device. */
#ifndef TRAWL_TESTS_SIM_GALLERY_CASE_H
#define TRAWL_TESTS_SIM_GALLERY_CASE_H

#include "gallery/engine_gallery.h"
#include "gallery/limits.h"
#include "sim/random_case.h"

/* One of the ways below for each case, in turn. Patterns are few and texts short where an algorithm
 * would take long. */
#define GALLERY_WAYS_MAX 64u
extern const char *const gallery_ways[]; /* names with their options; NULL after the last */

/* Does it launch child grids? A hybrid does with some patterns. */
bool gallery_way_has_children(const char *way);

struct gallery_case_tally {
    uint64_t right[GALLERY_WAYS_MAX], with_matches[GALLERY_WAYS_MAX], refused[GALLERY_WAYS_MAX];
    uint64_t failed[GALLERY_WAYS_MAX];
};

extern const struct case_kind gallery_case_kind;

void gallery_case_count(struct gallery_case_tally *tally, uint64_t index,
                        enum cuda_case_answer answer, const struct diff_expected *expected);

/* The gallery on an open CUDA engine, and a worker of it. NULL: it failed. */
struct engine_worker *gallery_worker_open(struct engine *cuda, struct engine **gallery,
                                          struct trawl_error *error);
void gallery_worker_close(struct engine *gallery, struct engine_worker *worker);

/* On the simulated driver (sim_gallery_case.c), as random_case_run. */
bool gallery_case_run(const char *name, uint64_t index, uint32_t switches_max,
                      struct gallery_case_tally *tally);

/* Which cases run, and in how many threads. */
struct gallery_cases {
    const char *name;
    uint64_t count; /* for each thread, which has a worker with limits of its own */
    uint32_t threads;
    bool without_children, with_children; /* ways without child grids, ways with child grids */
};

/* As random_cases_on, for the cases from number `index` on: `count` cases in each thread. */
bool gallery_cases_on(struct engine *engine, const struct gallery_cases *cases, uint64_t index,
                      struct gallery_case_tally *tally);

#endif
