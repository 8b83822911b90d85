/* random_case: a random input, random limits and a random search, on a simulated driver whose
 * schedule is random too: all from a name and a number. */
#ifndef TRAWL_TESTS_SIM_RANDOM_CASE_H
#define TRAWL_TESTS_SIM_RANDOM_CASE_H

#include "cuda_case.h"

struct random_case_tally {
    uint64_t method[TRAWL_METHOD_GRAMS + 1];
    uint64_t refused;
    uint64_t matches;
};

void random_case_input(struct test_random *random, struct diff_input *input);
/* A plan of the input's patterns, by a random method or, where that does not take them, by the
 * plan's choice. */
struct trawl_plan *random_case_plan(struct test_random *random, const struct diff_input *input);
void random_case_count(struct random_case_tally *tally, const struct cuda_case *config,
                       enum cuda_case_answer answer, const struct diff_expected *expected);

/* The same with algorithms of the gallery: one of the ways below for each case, in turn. Patterns
 * are few and texts short where an algorithm would take long. */
#define GALLERY_WAYS_MAX 64u
extern const char *const gallery_ways[]; /* names with their options; NULL after the last */

/* Does it launch child grids? A hybrid does with some patterns. */
bool gallery_way_has_children(const char *way);

struct gallery_case_tally {
    uint64_t right[GALLERY_WAYS_MAX], with_matches[GALLERY_WAYS_MAX], refused[GALLERY_WAYS_MAX];
};

void gallery_case_fit(const char *way, struct diff_input *input, struct cuda_case *config);
void gallery_case_count(struct gallery_case_tally *tally, uint64_t index,
                        enum cuda_case_answer answer, const struct diff_expected *expected);

/* On the simulated driver (sim_case.c). True if all went well; else it is printed. switches_max:
 * see sim_driver_options. tally may be NULL. */
bool random_case_run(const char *name, uint64_t index, uint32_t switches_max,
                     struct random_case_tally *tally);
bool gallery_case_run(const char *name, uint64_t index, uint32_t switches_max,
                      struct gallery_case_tally *tally);

/* `count` cases, from number `index` on, with one lane of an engine that is open: on whatever
 * driver it has. */
bool random_cases_on(struct engine *engine, const char *name, uint64_t index, uint64_t count,
                     struct random_case_tally *tally);
/* Of the gallery, ways without child grids, or with, or both. */
bool gallery_cases_on(struct engine *engine, const char *name, uint64_t index, uint64_t count,
                      bool without_children, bool with_children, struct gallery_case_tally *tally);

#endif
