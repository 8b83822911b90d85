/* random_case: a random input, random limits and a random search, on a simulated driver with a
 * random schedule or on an open engine. A name and a number determine everything. */
#ifndef TRAWL_TESTS_SIM_RANDOM_CASE_H
#define TRAWL_TESTS_SIM_RANDOM_CASE_H

#include "cuda_case.h"

struct random_case_tally {
    uint64_t method[TRAWL_METHOD_SET + 1];
    uint64_t refused;
    uint64_t matches;
};

/* Which inputs random_case_input makes. */
enum random_case_sets {
    RANDOM_CASE_ANY,
    RANDOM_CASE_NO_SETS, /* all inputs but sets for the kernel stream_set */
    RANDOM_CASE_SETS,    /* only sets for the kernel stream_set */
    /* a single pattern. Some parts of the text are full of candidates, so stream kernels abandon
     * the tiles in them, which tile kernels then search */
    RANDOM_CASE_DENSE,
    RANDOM_CASE_LONG /* a long pattern for the method `sampled` */
};
void random_case_want(enum random_case_sets sets);
enum random_case_sets random_case_wanted(void);

void random_case_input(struct test_random *random, struct diff_input *input);
void random_case_count(struct random_case_tally *tally, const struct cuda_case *config,
                       enum cuda_case_answer answer, const struct diff_expected *expected);

/* How an engine on top of the CUDA engine runs random cases. */
struct case_kind {
    const struct engine_ops *ops;
    /* adapts the limits to the engine, and sets the engine's own limits */
    void (*limits)(struct cuda_limits *limits);
    void (*fit)(const char *algorithm, const struct cuda_limits *limits, struct diff_input *input,
                struct cuda_case *config);
};

/* Runs a case on the simulated driver (sim_case.c). Returns true if all went well; otherwise prints
 * what went wrong. For switches_max see sim_driver_options. `tally` may be NULL. */
bool random_case_run(const char *name, uint64_t index, uint32_t switches_max,
                     struct random_case_tally *tally);
/* Runs a case with the engine of `kind`, or with the CUDA engine if `kind` is NULL. The random
 * state determines the case; `index` is only for messages. */
bool sim_case_run(struct test_random *random, const struct case_kind *kind, const char *algorithm,
                  uint64_t index, uint32_t switches_max, struct diff_expected *expected,
                  struct cuda_case *config, enum cuda_case_answer *answer);

/* Runs `count` cases from number `index` on, each with a worker of an open engine, on the engine's
 * driver. */
bool random_cases_on(struct engine *engine, const char *name, uint64_t index, uint64_t count,
                     struct random_case_tally *tally);
/* Runs a case with an algorithm and a worker that was opened under `limits`. The worker belongs to
 * the engine of `kind`, or to the CUDA engine if `kind` is NULL. */
bool random_case_on(struct engine *engine, struct engine_worker *worker, const char *name,
                    const struct case_kind *kind, const char *algorithm, uint64_t index,
                    const struct cuda_limits *limits, struct diff_expected *expected,
                    struct cuda_case *config, enum cuda_case_answer *answer);
/* Sets limits that follow from the name and the number, and returns the limits. */
struct cuda_limits random_case_limits(const char *name, uint64_t index,
                                      const struct case_kind *kind);

#endif
