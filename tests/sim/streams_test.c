/* streams_test: what occurs, how often, and where first, in texts of many whole steps of a stream.
 * Capital letters, or digits, stand at a few random places of a text of small ones, so that most
 * tiles hold nothing and the first may be anywhere, in the middle of a tile or at its borders; or
 * the pattern is a piece of a text of one or two letters, and occurs nearly everywhere.
 *
 * TRAWL_TEST_CASE=N: case N alone.
 */
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

#define CASES_NORMAL 60
#define CASES_LONG 5000
#define TEXT_BYTES_MAX 60000u

static void make_dense(struct test_random *random, uint64_t text_bytes, uint64_t pattern_bytes,
                       struct diff_input *input)
{
    uint8_t pattern[300];

    input_begin(random, test_random_below(random, 2) ? INPUT_LETTERS_1 : INPUT_LETTERS_2,
                text_bytes, input);
    for (uint64_t changes = test_random_below(random, 50); changes > 0; changes--)
        input->text[test_random_below(random, text_bytes)] ^= 1;
    memcpy(pattern, input->text + test_random_below(random, text_bytes - pattern_bytes + 1),
           pattern_bytes);
    input_add_pattern(input, pattern, pattern_bytes);
}

static void make_sparse(struct test_random *random, uint64_t text_bytes, uint64_t pattern_bytes,
                        struct diff_input *input)
{
    uint8_t pattern[300];
    uint64_t digits = test_random_below(random, 4); /* out of two bytes: none, some, all */

    input_begin(random, test_random_below(random, 2) ? INPUT_LETTERS_26 : INPUT_LETTERS_2,
                text_bytes, input);
    for (uint64_t i = 0; i < pattern_bytes; i++)
        pattern[i] = (uint8_t)((test_random_below(random, 2) < digits ? '0' : 'A') +
                               test_random_below(random, 4));
    for (uint64_t count = test_random_below(random, 6); count > 0; count--)
        memcpy(input->text + test_random_below(random, text_bytes - pattern_bytes + 1), pattern,
               pattern_bytes);
    /* What nearly matches has to be refused. */
    for (uint64_t count = test_random_below(random, 6); count > 0; count--)
        memcpy(input->text + test_random_below(random, text_bytes - pattern_bytes + 1), pattern,
               pattern_bytes - 1);
    input_add_pattern(input, pattern, pattern_bytes);
}

static void make_input(struct test_random *random, struct diff_input *input)
{
    static const uint64_t lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 40, 64, 65, 100, 300};
    uint64_t text_bytes = 4000 + test_random_below(random, TEXT_BYTES_MAX - 4000);
    uint64_t pattern_bytes = lengths[test_random_below(random, 16)];

    if (test_random_below(random, 3) == 0)
        make_dense(random, text_bytes, pattern_bytes, input);
    else
        make_sparse(random, text_bytes, pattern_bytes, input);
    input->flags = test_random_below(random, 4) == 0 ? NAIVE_IGNORE_CASE : 0;
}

static bool case_run(uint64_t index)
{
    struct test_random random = test_random_begin("streams");
    struct engine_options options = {.size = sizeof options};
    char message[CUDA_CASE_MESSAGE_BYTES] = "";
    struct cuda_limits limits = cuda_limits_default;
    struct engine_lane *lane = NULL;
    struct engine *engine = NULL;
    struct diff_expected expected;
    struct diff_input input;
    struct trawl_error error;
    bool right = true;

    random.state ^= index * 0x2545f4914f6cdd1du;
    sim_driver_reset_usual(index + 1);
    make_input(&random, &input);
    expected_compute(&input, &expected);
    limits.threads = 32u << test_random_below(&random, 3);
    limits.blocks_max = (uint32_t)(1 + test_random_below(&random, 4));
    limits.bundle_log2 = (uint32_t)test_random_below(&random, 4);
    limits.hits_room_min = 1 + test_random_below(&random, 20000);
    cuda_limits_replace(&limits);
    TEST_CHECK(engine_cuda.open(&options, &engine, &error) == TRAWL_OK);
    TEST_CHECK(engine_cuda.lane_open(engine, &lane, &error) == TRAWL_OK);
    for (uint32_t want = ENGINE_WANT_COUNT; want <= ENGINE_WANT_FIRST; want++) {
        struct cuda_case config = {
            TRAWL_METHOD_AUTO, (enum engine_want)want, input.text_bytes + 1, true, NULL, NULL};
        enum cuda_case_answer answer =
            cuda_case_run(engine, lane, &input, &expected, &config, message, &error);

        right = TEST_CHECK(answer == CUDA_CASE_RIGHT) && right;
        if (answer != CUDA_CASE_RIGHT)
            printf("  TRAWL_TEST_CASE=%" PRIu64 ", want %" PRIu32 ", m = %" PRIu64
                   ", threads %" PRIu32 ": %s %s\n",
                   index, want, input.patterns[0].bytes_count, limits.threads, message,
                   answer == CUDA_CASE_FAILED ? error.message : sim_driver_report());
    }
    engine_cuda.lane_close(lane);
    engine_cuda.close(engine);
    TEST_CHECK_U64(sim_driver_live(), 0);
    expected_free(&expected);
    input_free(&input);
    return right;
}

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases;

    test_begin("sim streams");
    cuda_driver_replace(sim_driver_table());
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    for (uint64_t i = 0; i < cases && test_failures < 5; i++)
        if (only == UINT64_MAX || only == i)
            (void)case_run(i);
    return test_end();
}
