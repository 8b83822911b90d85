/* streams_test: what occurs, how often, and where first, in texts of many whole steps of a stream.
 * Capital letters, or digits, stand at a few random places of a text of small ones, so that most
 * tiles hold nothing and the first may be anywhere, in the middle of a tile or at its borders; or
 * the pattern is a piece of a text of one or two letters, and occurs nearly everywhere. And how
 * many candidates the statistics count.
 *
 * TRAWL_TEST_CASE=N: case N alone.
 */
#include "calls.h"
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

static void case_run(uint64_t index)
{
    struct test_random random = test_random_begin("streams");
    struct engine_options options = {.size = sizeof options};
    char message[CUDA_CASE_MESSAGE_BYTES] = "";
    struct cuda_limits limits = cuda_limits_default;
    struct engine_worker *worker = NULL;
    struct engine *engine = NULL;
    struct diff_expected expected;
    struct diff_input input;
    struct trawl_error error;

    random.state ^= index * 0x2545f4914f6cdd1du;
    sim_driver_reset_usual(index + 1);
    make_input(&random, &input);
    expected_compute(&input, &expected);
    limits.threads = 32u << test_random_below(&random, 3);
    limits.blocks_max = (uint32_t)(1 + test_random_below(&random, 4));
    limits.partition_group_log2 = (uint32_t)test_random_below(&random, 4);
    limits.hits_room_min = 1 + test_random_below(&random, 20000);
    cuda_limits_replace(&limits);
    TEST_CHECK(engine_cuda.open(&options, &engine, &error) == TRAWL_OK);
    TEST_CHECK(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, &error) == TRAWL_OK);
    for (uint32_t want = WANT_COUNT; want <= WANT_FIRST; want++) {
        struct cuda_case config = {
            TRAWL_METHOD_AUTO, (enum want)want, input.text_bytes + 1, true, NULL, NULL};
        enum cuda_case_answer answer =
            cuda_case_run(engine, worker, &input, &expected, &config, message, &error);

        TEST_CHECK(answer == CUDA_CASE_RIGHT);
        if (answer != CUDA_CASE_RIGHT)
            printf("  TRAWL_TEST_CASE=%" PRIu64 ", want %" PRIu32 ", m = %" PRIu64
                   ", threads %" PRIu32 ": %s %s\n",
                   index, want, input.patterns[0].bytes_count, limits.threads, message,
                   answer == CUDA_CASE_FAILED ? error.message : sim_driver_report());
    }
    engine_cuda.release(worker);
    engine_cuda.close(engine);
    TEST_CHECK_U64(sim_driver_live(), 0);
    expected_free(&expected);
    input_free(&input);
}

/* ---- Candidates --------------------------------------------------------------------------- */

#define CANDIDATE_TEXT_BYTES 20000u
#define CANDIDATE_PLACES 7u

/* A text of nothing else but occurrences of one pattern: of each position that a method cannot
 * decide by its filter, the statistics count one candidate. */
static const struct candidate_case {
    enum trawl_method method;
    uint64_t pattern_bytes;
    uint64_t counted, listed; /* candidates */
} candidate_cases[] = {
    {TRAWL_METHOD_AUTO, 8, 0, 0},     {TRAWL_METHOD_AUTO, 9, 7, 7},
    {TRAWL_METHOD_EVERY, 3, 0, 0},    {TRAWL_METHOD_EVERY, 40, 7, 7},
    {TRAWL_METHOD_SAMPLED, 16, 7, 7}, {TRAWL_METHOD_SAMPLED, 64, 7, 7},
    {TRAWL_METHOD_SET, 3, 7, 7},      {TRAWL_METHOD_SET, 7, 7, 14},
    {TRAWL_METHOD_SET, 20, 7, 14}, /* one kernel marks, another one lists */
    {TRAWL_METHOD_GRAMS, 8, 0, 0},    {TRAWL_METHOD_GRAMS, 20, 7, 7},
};

static void check_candidates(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, const struct candidate_case *c)
{
    for (uint32_t lists = 0; lists < 2; lists++) {
        struct trawl_stats stats;
        uint64_t count = CANDIDATE_PLACES;
        enum trawl_status status =
            lists ? trawl_positions(searcher, plan, text, ignore_matches, NULL, NULL)
                  : trawl_count(searcher, plan, text, &count, NULL);

        TEST_CHECK(status == TRAWL_OK && count == CANDIDATE_PLACES);
        stats = must_stats(searcher);
        TEST_CHECK_U64(stats.match_count, CANDIDATE_PLACES);
        if (!TEST_CHECK_U64(stats.candidate_count, lists ? c->listed : c->counted))
            printf("  method %d, %" PRIu64 " bytes, %s\n", (int)c->method, c->pattern_bytes,
                   lists ? "listed" : "counted");
    }
}

static void candidates(const struct candidate_case *c, uint64_t seed)
{
    static uint8_t bytes[CANDIDATE_TEXT_BYTES], pattern_bytes[64];
    struct trawl_pattern pattern = {pattern_bytes, c->pattern_bytes};
    AUTO_TEXT text = must_text(bytes, sizeof bytes);
    AUTO_SEARCHER searcher = NULL;
    AUTO_PLAN plan = NULL;

    sim_driver_reset_usual(seed);
    for (uint64_t i = 0; i < c->pattern_bytes; i++)
        pattern_bytes[i] = (uint8_t)('!' + i);
    memset(bytes, 'x', sizeof bytes);
    for (uint32_t i = 0; i < CANDIDATE_PLACES; i++)
        memcpy(bytes + 1000 + 2501 * i, pattern_bytes, c->pattern_bytes);
    plan = must_plans(&pattern, 1, PLAN_WITH(.method = c->method));
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    check_candidates(searcher, plan, text, c);
}

int main(void)
{
    test_begin("sim streams");
    cuda_driver_replace(sim_driver_table());
    (void)test_cases(test_amount(CASES_NORMAL, CASES_LONG), case_run);
    cuda_limits_replace(NULL);
    for (uint32_t i = 0; i < sizeof candidate_cases / sizeof *candidate_cases; i++)
        candidates(&candidate_cases[i], i + 1);
    return test_end();
}
