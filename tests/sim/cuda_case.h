/* cuda_case: one search with the CUDA engine, compared with the oracle. Divides the text into
 * chunks, calls the engine for each chunk and checks the results, as the runtime would. */
#ifndef TRAWL_TESTS_SIM_CUDA_CASE_H
#define TRAWL_TESTS_SIM_CUDA_CASE_H

#include "cuda/engine_cuda.h"
#include "cuda/cuda_load.h"
#include "cuda/residents.h"
#include "cuda/limits.h"
#include "diff/diff_input.h"

struct cuda_case {
    enum trawl_method method;
    enum want want;
    uint64_t chunk_bytes;
    bool resident;
    const char *algorithm;        /* an algorithm of the gallery, with options; NULL: the method */
    const struct engine_ops *ops; /* the engine whose worker searches; NULL: engine_cuda */
};

#define CUDA_CASE_MESSAGE_BYTES 600

enum cuda_case_answer {
    CUDA_CASE_RIGHT,
    CUDA_CASE_WRONG,   /* message says how */
    CUDA_CASE_REFUSED, /* the method or the algorithm does not fit the patterns */
    CUDA_CASE_FAILED   /* a call failed, see `error`; the hits delivered before are right */
};

/* Returns random limits: small sizes of tiles and buffers, so that a small text has many
 * boundaries. Also draws the costs by which plans divide sets into parts (plan_part_costs_device).
 */
struct cuda_limits cuda_case_limits(struct test_random *random);
/* In half of the calls, makes the chunks of loaded texts small. */
void cuda_case_draw_residents(struct test_random *random);
/* Returns true if the input is a set whose automaton may exceed the limits. If stream_set cannot
 * search for it either, the host must. */
bool cuda_case_lacks_table(const struct cuda_limits *limits, const struct diff_input *input,
                           enum trawl_method method);
struct cuda_case cuda_case_choose(struct test_random *random, const struct diff_input *input);
/* In half of the cases, plants patterns around the boundaries of chunks, copies, launches, tiles
 * and samples, and lets some inputs require whole words or lines. */
void cuda_case_plant(struct test_random *random, const struct cuda_limits *limits,
                     const struct cuda_case *config, struct diff_input *input);
void cuda_case_describe(const struct cuda_case *config, const struct diff_input *input,
                        const struct cuda_limits *limits, char *line, uint64_t line_bytes);

/* Searches `input` with a worker of config->ops; the CUDA engine under that worker loads texts. */
enum cuda_case_answer cuda_case_run(struct engine *engine, struct engine_worker *worker,
                                    const struct diff_input *input,
                                    const struct diff_expected *expected,
                                    const struct cuda_case *config,
                                    char message[CUDA_CASE_MESSAGE_BYTES],
                                    struct trawl_error *error);

#endif
