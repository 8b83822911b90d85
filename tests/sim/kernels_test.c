/* kernels_test: the CUDA engine and its kernels on the simulated driver, against the oracle.
 *
 * TRAWL_TEST_SEED, TRAWL_TEST_SCALE as everywhere; TRAWL_TEST_CASE=N: case N alone.
 */
#include "cuda_case.h"
#include "sim_driver.h"
#include "simulator.h"

#define CASES_NORMAL 2500
#define CASES_LONG 100000
#define TEXT_BYTES_MAX 9000

struct tally {
    uint64_t method[TRAWL_METHOD_SET + 1];
    uint64_t refused;
    uint64_t matches;
};

static void make_input(struct test_random *random, struct diff_input *input)
{
    if (test_random_below(random, 3) == 0) {
        uint64_t text_bytes = 1 + test_random_below(random, TEXT_BYTES_MAX);
        uint64_t pattern_bytes = 1 + test_random_below(random, text_bytes);
        uint32_t kind = (uint32_t)test_random_below(random, input_worst_kinds());

        input_generate_worst(random, kind, text_bytes,
                             test_random_below(random, 2) ? pattern_bytes
                                                          : 1 + pattern_bytes % 300,
                             input);
    } else {
        input_generate(random, TEXT_BYTES_MAX, input);
    }
}

static void run_case(uint64_t index, struct tally *tally)
{
    struct test_random random = test_random_begin("kernels");
    char message[CUDA_CASE_MESSAGE_BYTES] = "", line[CUDA_CASE_MESSAGE_BYTES];
    struct sim_driver_options options = {0, 1, 16u << 20, 2, 0, 0};
    struct engine_options engine_options = {.size = sizeof engine_options};
    struct engine_lane *lane = NULL;
    struct engine *engine = NULL;
    struct diff_expected expected;
    enum cuda_case_answer answer;
    struct trawl_error error;
    struct diff_input input;
    struct cuda_limits limits;
    struct cuda_case config;

    random.state ^= index * 0x2545f4914f6cdd1du;
    memset(&error, 0, sizeof error);
    options.seed = test_random_u64(&random);
    make_input(&random, &input);
    limits = cuda_case_limits(&random);
    config = cuda_case_choose(&random, &input);
    expected_compute(&input, &expected);
    sim_driver_reset(&options);
    cuda_limits_replace(&limits);
    if (TEST_CHECK(engine_cuda.open(&engine_options, &engine, &error) == TRAWL_OK) &&
        TEST_CHECK(engine_cuda.lane_open(engine, &lane, &error) == TRAWL_OK)) {
        answer = cuda_case_run(engine, lane, &input, &expected, &config, message, &error);
        tally->method[config.method] += answer == CUDA_CASE_RIGHT;
        tally->refused += answer == CUDA_CASE_REFUSED;
        tally->matches += expected.match_count;
        if (!TEST_CHECK(answer == CUDA_CASE_RIGHT || answer == CUDA_CASE_REFUSED)) {
            cuda_case_describe(&config, &input, &limits, line, sizeof line);
            printf("  TRAWL_TEST_CASE=%" PRIu64 ": %s\n  %s %s\n  %s\n", index, line, message,
                   answer == CUDA_CASE_FAILED ? error.message : "", sim_driver_report());
        }
    }
    if (lane != NULL)
        engine_cuda.lane_close(lane);
    if (engine != NULL)
        engine_cuda.close(engine);
    if (!TEST_CHECK(sim_driver_report()[0] == '\0'))
        printf("  TRAWL_TEST_CASE=%" PRIu64 ": %s\n", index, sim_driver_report());
    TEST_CHECK_U64(sim_driver_live(), 0);
    expected_free(&expected);
    input_free(&input);
}

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases;
    struct sim_counters counters;
    struct tally tally;

    test_begin("sim kernels");
    memset(&tally, 0, sizeof tally);
    cuda_driver_replace(sim_driver_table());
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    for (uint64_t i = 0; i < cases && test_failures < 5; i++)
        if (only == UINT64_MAX || i == only)
            run_case(i, &tally);
    counters = sim_counters();
    printf("cases: every %" PRIu64 ", words %" PRIu64 ", sampled %" PRIu64 ", set %" PRIu64
           ", auto %" PRIu64 ", refused %" PRIu64 "; %" PRIu64 " matches\n",
           tally.method[TRAWL_METHOD_EVERY], tally.method[TRAWL_METHOD_WORDS],
           tally.method[TRAWL_METHOD_SAMPLED], tally.method[TRAWL_METHOD_SET],
           tally.method[TRAWL_METHOD_AUTO], tally.refused, tally.matches);
    printf("schedules: %" PRIu64 " launches in as many seeded orders, %" PRIu64
           " switches of threads, %" PRIu64 " barriers, %" PRIu64 " atomics\n",
           counters.schedules, counters.switches, counters.barriers, counters.atomics);
    if (only == UINT64_MAX) {
        for (uint32_t method = 0; method <= TRAWL_METHOD_SET; method++)
            TEST_CHECK(tally.method[method] > 0);
        TEST_CHECK(tally.matches > 0);
    }
    return test_end();
}
