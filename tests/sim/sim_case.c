/* sim_case: a random case with a separate engine on the simulated driver. */
#include "base/checked.h"
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

static enum cuda_case_answer run_worker(struct engine *engine, const struct case_kind *kind,
                                        const struct diff_input *input,
                                        const struct diff_expected *expected,
                                        const struct cuda_case *config,
                                        char message[CUDA_CASE_MESSAGE_BYTES],
                                        struct trawl_error *error)
{
    const struct engine_ops *ops = kind == NULL ? &engine_cuda : kind->ops;
    enum cuda_case_answer answer = CUDA_CASE_FAILED;
    struct engine_worker *worker = NULL;

    if (ops->compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, error) == TRAWL_OK) {
        answer = cuda_case_run(engine, worker, input, expected, config, message, error);
        ops->release(worker);
    }
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
        *answer = run_worker(engine, kind, input, expected, config, message, &error);
        engine_cuda.close(engine);
    }
    if (*answer == CUDA_CASE_FAILED)
        (void)snprintf(message, CUDA_CASE_MESSAGE_BYTES, "%s", error.message);
    return *answer == CUDA_CASE_RIGHT || *answer == CUDA_CASE_REFUSED;
}

/* One in CROWD_EVERY cases of the CUDA engine itself is a crowd: 34 to 64 blocks at a time search a
 * long text in tiles of 2 KiB. */
#define CROWD_EVERY 40u
#define CROWD_BLOCKS_MAX 64u
#define CROWD_TEXT_BYTES 36000u

static void crowd(struct test_random *random, struct diff_input *input, struct cuda_limits *limits,
                  struct cuda_case *config)
{
    uint64_t bytes = CROWD_TEXT_BYTES + test_random_below(random, CROWD_TEXT_BYTES), gap;
    uint64_t count = 4 + test_random_below(random, 9);
    uint8_t pattern[16];

    input_free(input);
    input_begin(random, INPUT_LETTERS_26, bytes, input);
    (void)input_fill(random, INPUT_LETTERS_26, pattern, count);
    gap = 1 + test_random_below(random, 3000);
    for (uint64_t at = 0; at + count <= bytes; at += count + test_random_below(random, gap))
        memcpy(input->text + at, pattern, count);
    input_add_pattern(input, pattern, count);
    *limits = cuda_limits_default;
    limits->threads = 32;
    limits->tile_words_max = 32;
    limits->blocks_max = (uint32_t)test_random_between(random, 34, CROWD_BLOCKS_MAX);
    config->method = TRAWL_METHOD_EVERY;
    config->want = test_random_below(random, 4) != 0 ? WANT_HITS : WANT_COUNT;
    config->chunk_bytes = bytes;
    config->resident = false;
    sim_resident_max(CROWD_BLOCKS_MAX);
}

bool sim_case_run(struct test_random *random, const struct case_kind *kind, const char *algorithm,
                  uint64_t index, uint32_t switches_max, struct diff_expected *expected,
                  struct cuda_case *config, enum cuda_case_answer *answer)
{
    /* room for a set's automaton, which cuda_case_lacks_table judges by its limit alone */
    struct sim_driver_options options = {0, 1, 256u << 20, 2, 0, switches_max, 0};
    char message[CUDA_CASE_MESSAGE_BYTES] = "", line[CUDA_CASE_MESSAGE_BYTES];
    struct diff_input input;
    struct cuda_limits limits;
    bool passed;

    options.seed = test_random_u64(random);
    random_case_input(random, &input);
    limits = cuda_case_limits(random);
    *config = cuda_case_choose(random, &input);
    if (random_case_wanted() >= RANDOM_CASE_DENSE) {
        limits.listed_min = 1000;
        limits.text_bytes_max = max_u64(limits.text_bytes_max, 4000);
        limits.launch_begins_max = cuda_limits_default.launch_begins_max;
        config->chunk_bytes = max_u64(config->chunk_bytes, 4000);
    }
    if (random_case_wanted() == RANDOM_CASE_LONG && input.pattern_count == 1 &&
        input.patterns[0].bytes_count >= 31) {
        if (test_random_below(random, 4) != 0)
            config->method = TRAWL_METHOD_SAMPLED;
        limits.dense_always = test_random_below(random, 2);
        config->resident = test_random_below(random, 2);
    }
    if (kind != NULL) {
        kind->limits(&limits);
        kind->fit(algorithm, &limits, &input, config);
        config->algorithm = algorithm;
        config->ops = kind->ops;
    }
    if (kind == NULL && index % CROWD_EVERY == CROWD_EVERY - 1)
        crowd(random, &input, &limits, config);
    cuda_case_plant(random, &limits, config, &input);
    expected_compute(&input, expected);
    sim_driver_reset(&options);
    cuda_limits_replace(&limits);
    passed = run_open(kind, &input, expected, config, answer, message) &&
             sim_driver_report()[0] == '\0' && sim_driver_live() == 0;
    sim_resident_max(0);
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
