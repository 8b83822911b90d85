/* work: a search does work linear in the text, whatever the text and the pattern. Work is counted
 * (places verified byte by byte, bytes searched), never timed: a count is the same on every
 * machine.
 */
#include <unistd.h>

#include "diff/run.h"

#define TEXT_BYTES ((uint64_t)1 << 20)
#define CANDIDATES_PER_BYTE 4
#define CANDIDATES_MORE 4096
#define METHODS (TRAWL_METHOD_SET + 1)

static const uint64_t pattern_sizes[] = {1, 2, 3, 4, 7, 8, 16, 33, 80, 257, 1024, 4096, 65536};
#define SIZES (sizeof pattern_sizes / sizeof *pattern_sizes)

/* Count occurrences of one plan; the oracle cannot follow here, methods are compared instead. */
static void run_plan(const struct diff_input *input, const struct run_config *config,
                     const struct trawl_plan *plan, uint64_t *count_known)
{
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_searcher *searcher = NULL;
    struct trawl_text *text = NULL;
    uint64_t count = 0;
    char line[700];

    if (!TEST_CHECK(run_searcher_open(config, &searcher, NULL) == TRAWL_OK) ||
        !TEST_CHECK(trawl_text_from_memory(input->text, input->text_bytes, &text, NULL) ==
                    TRAWL_OK))
        exit(test_end());
    TEST_CHECK(trawl_count(searcher, plan, text, &count, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_searcher_stats(searcher, &stats, NULL) == TRAWL_OK);
    if (*count_known == UINT64_MAX)
        *count_known = count;
    run_describe(input, config, line, sizeof line);
    if (!TEST_CHECK_U64(count, *count_known) ||
        !TEST_CHECK(stats.candidate_count <=
                    CANDIDATES_PER_BYTE * input->text_bytes + CANDIDATES_MORE) ||
        !TEST_CHECK_U64(stats.text_bytes, input->text_bytes))
        printf("  %s, pattern of %" PRIu64 " bytes: %" PRIu64 " candidates\n", line,
               input->patterns[0].bytes_count, stats.candidate_count);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
}

static void run_methods(const struct diff_input *input, uint64_t plans[METHODS])
{
    uint64_t count_known = UINT64_MAX;

    for (uint32_t method = 0; method < METHODS; method++) {
        struct run_config config = {.method = (enum trawl_method)method, .threads = 1};
        struct trawl_plan *plan = NULL;
        enum trawl_status status = run_plan_build(input, &config, &plan, NULL);
        TEST_CHECK(status == TRAWL_OK || (status == TRAWL_ARGUMENT && method > 0));
        plans[method] += status == TRAWL_OK;
        for (uint32_t set = 0; set < instruction_set_count() && status == TRAWL_OK; set++) {
            config.instruction_set = trawl_instruction_set(set);
            run_plan(input, &config, plan, &count_known);
        }
        trawl_plan_free(plan);
    }
}

int main(void)
{
    struct test_random random = test_random_begin("work");
    uint64_t text_bytes = TEST_SANITIZED ? TEXT_BYTES / 8 : TEXT_BYTES;
    uint64_t plans[METHODS] = {0};

    test_begin("work");
    alarm(600); /* quadratic work would not end */
    for (uint32_t kind = 0; kind < input_worst_kinds(); kind++)
        for (uint32_t size = 0; size < SIZES; size++) {
            struct diff_input input;
            input_generate_worst(&random, kind, text_bytes, pattern_sizes[size], &input);
            run_methods(&input, plans);
            input_free(&input);
        }
    for (uint32_t method = 0; method < METHODS; method++) {
        printf("%s: %" PRIu64 " plans\n", method_name((enum trawl_method)method), plans[method]);
        TEST_CHECK(plans[method] > 0);
    }
    return test_end();
}
