/* sim_case: a random case with an engine of its own on the simulated driver. */
#include "random_case.h"
#include "sim_driver.h"

static enum cuda_case_answer run_lane(struct engine *engine, const struct case_kind *kind,
                                      const struct diff_input *input,
                                      const struct diff_expected *expected,
                                      const struct cuda_case *config,
                                      char message[CUDA_CASE_MESSAGE_BYTES],
                                      struct trawl_error *error)
{
    struct engine_options options = {.size = sizeof options, .cuda = engine};
    const struct engine_ops *ops = kind == NULL ? &engine_cuda : kind->ops;
    enum cuda_case_answer answer = CUDA_CASE_FAILED;
    struct engine_lane *lane = NULL;
    struct engine *own = engine;

    if (kind != NULL && ops->open(&options, &own, error) != TRAWL_OK)
        return answer;
    if (ops->lane_open(own, &lane, error) == TRAWL_OK) {
        answer = cuda_case_run(engine, lane, input, expected, config, message, error);
        ops->lane_close(lane);
    }
    if (kind != NULL)
        ops->close(own);
    return answer;
}

static bool run_open(const struct case_kind *kind, const struct diff_input *input,
                     const struct diff_expected *expected, const struct cuda_case *config,
                     enum cuda_case_answer *answer, char message[CUDA_CASE_MESSAGE_BYTES])
{
    struct engine_options options = {.size = sizeof options};
    struct engine *engine = NULL;
    struct trawl_error error;

    memset(&error, 0, sizeof error);
    *answer = CUDA_CASE_FAILED;
    if (engine_cuda.open(&options, &engine, &error) == TRAWL_OK) {
        *answer = run_lane(engine, kind, input, expected, config, message, &error);
        engine_cuda.close(engine);
    }
    if (*answer == CUDA_CASE_FAILED)
        (void)snprintf(message, CUDA_CASE_MESSAGE_BYTES, "%s", error.message);
    return *answer == CUDA_CASE_RIGHT || *answer == CUDA_CASE_REFUSED;
}

bool sim_case_run(struct test_random *random, const struct case_kind *kind, const char *algorithm,
                  uint64_t index, uint32_t switches_max, struct diff_expected *expected,
                  struct cuda_case *config, enum cuda_case_answer *answer)
{
    struct sim_driver_options options = {0, 1, 16u << 20, 2, 0, switches_max};
    char message[CUDA_CASE_MESSAGE_BYTES] = "", line[CUDA_CASE_MESSAGE_BYTES];
    struct diff_input input;
    struct cuda_limits limits;
    bool passed;

    options.seed = test_random_u64(random);
    random_case_input(random, &input);
    limits = cuda_case_limits(random);
    *config = cuda_case_choose(random, &input);
    if (kind != NULL) {
        kind->limits(&limits);
        kind->fit(algorithm, &input, config);
        config->algorithm = algorithm;
        config->ops = kind->ops;
    }
    expected_compute(&input, expected);
    sim_driver_reset(&options);
    cuda_limits_replace(&limits);
    passed = run_open(kind, &input, expected, config, answer, message) &&
             sim_driver_report()[0] == '\0' && sim_driver_live() == 0;
    if (!passed) {
        cuda_case_describe(config, &input, &limits, line, sizeof line);
        printf("  TRAWL_TEST_CASE=%" PRIu64 ": %s\n  %s\n  %s\n  %" PRIu64 " objects left\n", index,
               line, message, sim_driver_report(), sim_driver_live());
    }
    input_free(&input);
    return passed;
}

bool random_case_run(const char *name, uint64_t index, uint32_t switches_max,
                     struct random_case_tally *tally)
{
    struct test_random random = test_random_begin(name);
    struct diff_expected expected;
    enum cuda_case_answer answer;
    struct cuda_case config;
    bool passed;

    random.state ^= index * 0x2545f4914f6cdd1du;
    passed = sim_case_run(&random, NULL, NULL, index, switches_max, &expected, &config, &answer);
    random_case_count(tally, &config, answer, &expected);
    expected_free(&expected);
    return passed;
}
