/* texts: every algorithm of the gallery on random and worst-case texts, compared with the oracle:
 * tiny chunks, several threads, several patterns, case and conditions, each kind of text and call.
 *
 * TRAWL_TEST_SEED     another sequence of inputs
 * TRAWL_TEST_CASE=N   input N of the sequence alone
 * TRAWL_TEST_SCALE    a number, or "long"
 */
#include "diff/run.h"

#define INPUTS_NORMAL 250
#define INPUTS_LONG 20000
#define THREADS_MAX 3
#define ALGORITHMS_MAX 32
#define RUN_COST_MAX 400000 /* bytes that tiny chunks may make a run read again and again */
#define ROUNDS 4            /* calls per input and algorithm */

static const uint64_t chunk_sizes[] = {0, 1, 3, 17, 64, 255, 1000, 4096, 65536};
#define CHUNK_SIZES (sizeof chunk_sizes / sizeof *chunk_sizes)

struct tally {
    uint64_t runs, built, refused, with_matches;
};
static struct tally tallies[ALGORITHMS_MAX];

static struct trawl_searcher *searcher_for(const struct run_config *config, uint64_t chunk_index)
{
    static struct trawl_searcher *pool[THREADS_MAX][CHUNK_SIZES];
    struct trawl_searcher **searcher = &pool[config->threads - 1][chunk_index];

    if (*searcher == NULL && !TEST_CHECK(run_searcher_open(config, searcher, NULL) == TRAWL_OK))
        exit(1);
    return *searcher;
}

static uint64_t choose_chunk(struct test_random *random, const struct diff_input *input)
{
    uint64_t index = test_random_below(random, CHUNK_SIZES), overlap = 32;

    for (uint64_t i = 0; i < input->pattern_count; i++)
        if (input->patterns[i].bytes_count + 32 > overlap)
            overlap = input->patterns[i].bytes_count + 32;
    while (index > 0 && index + 1 < CHUNK_SIZES &&
           input->text_bytes / chunk_sizes[index] * overlap > RUN_COST_MAX)
        index++;
    return index;
}

static void run_algorithm(struct test_random *random, const struct diff_input *input,
                          const struct diff_expected *expected, uint32_t algorithm, uint64_t index)
{
    struct run_config config = {.algorithm = cpu_algorithm(algorithm)};
    struct tally *tally = &tallies[algorithm];
    char message[RUN_MESSAGE_BYTES], line[700];
    struct trawl_plan *plan = NULL;
    enum trawl_status status = run_plan_build(input, &config, &plan, NULL);

    tally->built += status == TRAWL_OK;
    tally->refused += status != TRAWL_OK;
    if (!TEST_CHECK(status == TRAWL_OK ||
                    (status == TRAWL_ARGUMENT && strcmp(config.algorithm, "strstr") == 0)))
        printf("  case %" PRIu64 ", algorithm %s\n", index, config.algorithm);
    for (uint32_t round = 0; round < ROUNDS && plan != NULL; round++) {
        uint64_t chunk_index = choose_chunk(random, input);

        config.instruction_set = trawl_instruction_set(0);
        config.threads =
            1 +
            (uint32_t)(test_random_one_in(random, 4) ? test_random_below(random, THREADS_MAX) : 0);
        config.chunk_bytes = chunk_sizes[chunk_index];
        config.place = (enum place_kind)test_random_below(random, PLACE_KINDS);
        config.place_offset = test_random_u64(random) >> 8;
        config.call = (enum run_call)test_random_below(random, RUN_CALLS);
        config.parameter = test_random_u64(random);
        tally->runs++;
        tally->with_matches += expected->match_count > 0;
        if (TEST_CHECK(run_call(input, expected, &config, plan, searcher_for(&config, chunk_index),
                                NULL, message)))
            continue;
        run_describe(input, &config, line, sizeof line);
        printf("  TRAWL_TEST_CASE=%" PRIu64 " %s\n  %s\n", index, line, message);
    }
    trawl_plan_free(plan);
}

static void run_all(struct test_random *random, const struct diff_input *input, uint64_t index)
{
    struct diff_expected expected;

    expected_compute(input, &expected);
    for (uint32_t i = 0; cpu_algorithm(i) != NULL; i++)
        run_algorithm(random, input, &expected, i, index);
    expected_free(&expected);
}

static void run_case(uint64_t index)
{
    struct test_random random = test_random_begin("gallery texts");
    struct diff_input input;

    random.state += index * 0x9e3779b97f4a7c15u;
    if (index % 5 == 0)
        input_generate_worst(&random, (uint32_t)(index / 5) % input_worst_kinds(),
                             test_random_between(&random, 1, 3000),
                             test_random_between(&random, 1, 200), &input);
    else if (index % 5 == 1)
        input_generate_border(&random, &input);
    else
        input_generate(&random, test_random_between(&random, 1, 4000), &input);
    run_all(&random, &input, index);
    input_free(&input);
}

/* Across the steps in which a text is taken: 64 KiB, or 1 MiB for one pattern. Matches are rare, at
 * the borders, and everywhere; one, and several patterns of different lengths. */
static void large_texts(void)
{
    static const uint64_t borders[] = {65536, 131072, 1048576, 2097152};
    static const char word[] = "border crossing";
    struct test_random random = test_random_begin("gallery large");

    for (uint32_t turn = 0; turn < 4; turn++) {
        uint64_t text_bytes = TEST_SANITIZED ? 300000 : test_is_long() ? 2400000 : 1200000;
        struct diff_input input;

        if (turn == 3 && TEST_SANITIZED) /* at each call of strstr asan reads what is left of it */
            text_bytes = 80000;
        input_begin(&random, turn == 3 ? INPUT_LETTERS_1 : INPUT_LETTERS_26, text_bytes, &input);
        for (uint32_t i = 0; i < sizeof borders / sizeof *borders && turn < 3; i++)
            if (borders[i] + 100 < text_bytes) {
                memcpy(input.text + borders[i] - 14 + 7 * turn, word, sizeof word - 1);
                memcpy(input.text + borders[i] + 20, word, sizeof word - 1);
            }
        input.flags = turn == 1 ? NAIVE_IGNORE_CASE : 0;
        if (turn < 3)
            input_add_pattern(&input, (const uint8_t *)word, sizeof word - 1);
        if (turn == 2)
            input_add_pattern(&input, (const uint8_t *)"border", 6);
        if (turn == 2 || turn == 3)
            input_add_pattern(&input, input.text + 70000, turn == 2 ? 2 : 3);
        run_all(&random, &input, UINT64_MAX);
        input_free(&input);
    }
}

/* NUL bytes, which end strstr's strings: between matches, beside them, many, at borders. */
static void nul_bytes(void)
{
    struct test_random random = test_random_begin("gallery nul");

    for (uint32_t turn = 0; turn < test_amount(60, 600); turn++) {
        struct diff_input input;

        input_begin(&random, INPUT_LETTERS_2, test_random_between(&random, 1, 300), &input);
        for (uint64_t i = 0; i < input.text_bytes; i++)
            if (test_random_one_in(&random, 1 + turn % 9))
                input.text[i] = 0;
        for (uint64_t i = 0; i <= turn % 3; i++)
            input_add_pattern(&input, (const uint8_t *)"abba" + test_random_below(&random, 3),
                              test_random_between(&random, 1, 2));
        if (turn == 0) /* which strstr refuses */
            input_add_pattern(&input, (const uint8_t *)"a\0b", 3);
        run_all(&random, &input, UINT64_MAX);
        input_free(&input);
    }
}

int main(void)
{
    uint64_t alone = test_setting("TRAWL_TEST_CASE", UINT64_MAX);
    uint64_t wanted = test_amount(INPUTS_NORMAL, INPUTS_LONG);

    test_begin("gallery_texts");
    if (alone != UINT64_MAX) {
        run_case(alone);
        return test_end();
    }
    for (uint64_t index = 0; index < wanted && test_failures < 10; index++)
        run_case(index);
    nul_bytes();
    large_texts();
    for (uint32_t i = 0; cpu_algorithm(i) != NULL; i++) {
        const char *name = cpu_algorithm(i);

        printf("%-18s plans %" PRIu64 ", refused %" PRIu64 ", runs %" PRIu64
               ", with matches %" PRIu64 "\n",
               name, tallies[i].built, tallies[i].refused, tallies[i].runs,
               tallies[i].with_matches);
        TEST_CHECK(tallies[i].with_matches > 0 &&
                   (tallies[i].refused == 0) == (strcmp(name, "strstr") != 0));
    }
    return test_end();
}
