/* sim_case: a random case with an engine of its own on the simulated driver. */
#include "random_case.h"
#include "sim_driver.h"

static bool run_open(const struct diff_input *input, const struct diff_expected *expected,
                     const struct cuda_case *config, enum cuda_case_answer *answer,
                     char message[CUDA_CASE_MESSAGE_BYTES])
{
    struct engine_options options = {.size = sizeof options};
    struct engine_lane *lane = NULL;
    struct engine *engine = NULL;
    struct trawl_error error;

    memset(&error, 0, sizeof error);
    *answer = CUDA_CASE_FAILED;
    if (engine_cuda.open(&options, &engine, &error) == TRAWL_OK) {
        if (engine_cuda.lane_open(engine, &lane, &error) == TRAWL_OK) {
            *answer = cuda_case_run(engine, lane, input, expected, config, message, &error);
            engine_cuda.lane_close(lane);
        }
        engine_cuda.close(engine);
    }
    if (*answer == CUDA_CASE_FAILED)
        (void)snprintf(message, CUDA_CASE_MESSAGE_BYTES, "%s", error.message);
    return *answer == CUDA_CASE_RIGHT || *answer == CUDA_CASE_REFUSED;
}

/* All follows from the random state. `way` NULL: methods, else that of the gallery. */
static bool run_one(struct test_random *random, const char *way, uint64_t index,
                    uint32_t switches_max, struct diff_expected *expected, struct cuda_case *config,
                    enum cuda_case_answer *answer)
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
    if (way != NULL)
        gallery_case_fit(way, &input, config);
    config->algorithm = way;
    expected_compute(&input, expected);
    sim_driver_reset(&options);
    cuda_limits_replace(&limits);
    passed = run_open(&input, expected, config, answer, message) &&
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
    passed = run_one(&random, NULL, index, switches_max, &expected, &config, &answer);
    random_case_count(tally, &config, answer, &expected);
    expected_free(&expected);
    return passed;
}

bool gallery_case_run(const char *name, uint64_t index, uint32_t switches_max,
                      struct gallery_case_tally *tally)
{
    struct test_random random = test_random_begin(name);
    struct diff_expected expected;
    enum cuda_case_answer answer;
    struct cuda_case config;
    uint64_t ways = 0;
    bool passed;

    while (gallery_ways[ways] != NULL)
        ways++;
    random.state ^= index * 0x2545f4914f6cdd1du;
    passed = run_one(&random, gallery_ways[index % ways], index, switches_max, &expected, &config,
                     &answer);
    gallery_case_count(tally, index % ways, answer, &expected);
    expected_free(&expected);
    return passed;
}
