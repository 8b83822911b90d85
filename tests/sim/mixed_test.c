/* mixed_test: sets of strings of mixed lengths. Compares with the naive oracle: each kind of scan
 * of the host's engine, and the public calls of diff/held.h on the host's engine and on the engine
 * for (simulated) devices.
 *
 * TRAWL_TEST_CASE=N runs only case N of the random cases.
 */
#include "calls.h"
#include "diff/diff_answer.h"
#include "diff/borders.h"
#include "diff/diff_run.h"
#include "diff/shapes.h"
#include "plan/parts.h"
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

#define TEXT_BYTES_MAX 5000
#define CASES_NORMAL 400
#define CASES_LONG 20000
#define FAILURES_MAX 5

/* Makes each call of enum held_call with a searcher of this engine. A random call comes first,
 * since the first call of a plan tries which tables are quick. */
static void run_calls(const struct diff_input *input, const struct diff_expected *expected,
                      const struct trawl_plan *plan, enum trawl_engine engine,
                      struct test_random *random)
{
    struct run_config config = {.method = TRAWL_METHOD_AUTO, .threads = 1};
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error;
    uint32_t first;

    config.chunk_bytes = test_random_between(random, 1, input->text_bytes + 1);
    if (test_random_one_in(random, 2))
        config.chunk_bytes = 0;
    MUST(trawl_searcher_open(
        SEARCHER_WITH(.engine = engine, .threads = 1, .chunk_bytes = config.chunk_bytes), &searcher,
        &error));
    first = (uint32_t)test_random_below(random, HELD_CALLS);
    for (uint32_t i = 0; i < HELD_CALLS; i++) {
        char message[HELD_MESSAGE_BYTES] = "", line[HELD_MESSAGE_BYTES];

        config.call = (enum held_call)((first + i) % HELD_CALLS);
        config.parameter = test_random_u64(random);
        if (TEST_CHECK(run_call(input, expected, &config, plan, searcher, NULL, message)))
            continue;
        run_describe(input, &config, line, sizeof line);
        printf("  engine %d: %s\n  %s\n", (int)engine, line, message);
    }
    trawl_searcher_close(searcher);
}

/* Makes random calls with a plan for whole words or lines, for records and for texts, on both
 * engines. A device searches a set in parts. Returns true if the set was divided into parts twice
 * for the device: once for whole words or lines only, and once without that condition. */
static bool run_mix(struct test_random *random)
{
    struct trawl_searcher *searchers[] = {
        must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = 1)),
        must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1))};
    struct shapes_case c;
    struct trawl_plan *plan;
    bool both;

    shapes_make(random, true, &c);
    MUST(shapes_plan(&c, &plan, NULL));
    shapes_mix(random, &c, searchers, plan, 8);
    both = attachment_is_there(&plan->attached[PLAN_PARTS_DEVICE]) &&
           attachment_is_there(&plan->attached[PLAN_WHOLE_PARTS_DEVICE]);
    trawl_searcher_close(searchers[0]);
    trawl_searcher_close(searchers[1]);
    trawl_plan_free(plan);
    shapes_free(&c);
    return both;
}

static void run_case(uint64_t index, uint64_t *in_parts, uint64_t *in_both)
{
    struct test_random random = test_random_begin("mixed");
    const struct plan_parts *parts = NULL;
    struct diff_expected expected;
    struct cuda_limits limits;
    struct trawl_plan *plan;
    struct diff_input input;

    random.state ^= index * 0x2545f4914f6cdd1du;
    input_generate_mixed(&random, TEXT_BYTES_MAX, &input);
    borders_draw(&random);
    borders_plant(&random, &input);
    input_rename(&random, &input);
    expected_compute(&input, &expected);
    MUST(run_plan_build(&input, &(struct run_config){.method = TRAWL_METHOD_AUTO}, &plan, NULL));
    answer_check(
        &input, &expected, plan,
        trawl_instruction_set((uint32_t)test_random_below(&random, instruction_set_count())),
        &random);
    limits = cuda_case_limits(&random);
    cuda_limits_replace(&limits);
    sim_driver_reset_usual(index + 1);
    run_calls(&input, &expected, plan, TRAWL_ENGINE_CPU, &random);
    run_calls(&input, &expected, plan, TRAWL_ENGINE_CUDA, &random);
    MUST(plan_parts_want(plan, PLAN_PARTS_DEVICE, &parts, NULL));
    *in_parts += parts != NULL;
    *in_both += run_mix(&random);
    if (!TEST_CHECK(sim_driver_report()[0] == '\0' && sim_driver_live() == 0))
        printf("  %s\n", sim_driver_report());
    if (test_failures > 0)
        printf("  TRAWL_TEST_CASE=%" PRIu64 "\n", index);
    trawl_plan_free(plan);
    expected_free(&expected);
    input_free(&input);
}

/* Asks a new plan for the first occurrence in a text. The occurrence lies after the bytes on which
 * the device's engine tries the parts of the set. Each string of the set is the first occurrence in
 * turn. */
static void late_first(void)
{
    enum { STRINGS = 8, TEXT_BYTES = 4000, LATE = 3900 };
    struct cuda_limits limits = cuda_limits_default;
    uint8_t strings[STRINGS][2 * STRINGS], text_bytes[TEXT_BYTES];
    struct trawl_pattern list[STRINGS];
    struct test_random random = test_random_begin("late first");

    limits.streams = false;
    /* without stream_set, the engine first tries the set's filter on tried_bytes bytes */
    limits.sets = false;
    limits.tried_bytes = 100;
    cuda_limits_replace(&limits);
    plan_part_costs_device = (struct plan_part_costs){.met = 1e9, .dense = 1e9};
    for (uint32_t i = 0; i < STRINGS; i++) {
        list[i] = (struct trawl_pattern){strings[i], 4 + i};
        for (uint32_t j = 0; j < list[i].bytes_count; j++)
            strings[i][j] = (uint8_t)('a' + test_random_below(&random, 26));
    }
    for (uint32_t i = 0; i < STRINGS; i++) {
        struct trawl_searcher *searcher = NULL;
        const struct plan_parts *parts = NULL;
        struct trawl_plan *plan = must_plans(list, STRINGS, NULL);
        struct trawl_match match = {.begin = 0};
        struct trawl_text *text;
        bool found = false;

        memset(text_bytes, 'X', sizeof text_bytes);
        memcpy(text_bytes + LATE, strings[i], list[i].bytes_count);
        sim_driver_reset_usual(i + 1);
        searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        text = must_text(text_bytes, TEXT_BYTES);
        MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
        TEST_CHECK(found && match.begin == LATE && match.pattern_index == i);
        MUST(plan_parts_want(plan, PLAN_PARTS_DEVICE, &parts, NULL));
        TEST_CHECK(parts != NULL && parts->count > 1);
        trawl_text_close(text);
        trawl_searcher_close(searcher);
        trawl_plan_free(plan);
    }
    plan_part_costs_device = plan_part_costs_device_default;
}

/* Counts the occurrences of plans that need different tables and methods, in random order with one
 * searcher, in a loaded text of which the engine takes a sample. */
static void plans_in_turn(void)
{
    enum { PLANS = 5, STRINGS = 3, TEXT_BYTES = 3000, STEPS = 60 };
    static const char *const strings[PLANS][STRINGS] = {
        {"abcab"}, {"a", "ab", "bca"}, {"abca", "bcab", "cabc"}, {"bcabcabcabcabcabcabca"}, {"ca"}};
    struct test_random random = test_random_begin("plans in turn");
    uint8_t text_bytes[TEXT_BYTES];
    uint64_t expected[PLANS] = {0};
    struct trawl_plan *plans[PLANS];
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_searcher *searcher;
    struct trawl_text *text;

    limits.seen_bytes_min = 1;
    cuda_limits_replace(&limits);
    sim_driver_reset_usual(1);
    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        text_bytes[i] = (uint8_t)("abc"[test_random_one_in(&random, 9) ? i % 2 : i % 3]);
    for (uint32_t p = 0; p < PLANS; p++) {
        struct trawl_pattern list[STRINGS];
        uint32_t count = 0;

        for (; count < STRINGS && strings[p][count] != NULL; count++) {
            uint64_t length = strlen(strings[p][count]);

            list[count] = (struct trawl_pattern){strings[p][count], length};
            for (uint64_t at = 0; at + length <= TEXT_BYTES; at++)
                expected[p] += memcmp(text_bytes + at, strings[p][count], length) == 0;
        }
        plans[p] = must_plans(list, count, NULL);
    }
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    text = must_text(text_bytes, TEXT_BYTES);
    MUST(trawl_text_load(searcher, text, NULL));
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t p = test_random_below(&random, PLANS);

        TEST_CHECK_U64(must_count(searcher, plans[p], text), expected[p]);
    }
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    for (uint32_t p = 0; p < PLANS; p++)
        trawl_plan_free(plans[p]);
}

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases, in_parts = 0, in_both = 0;

    test_begin("sim mixed");
    cuda_driver_replace(sim_driver_table());
    late_first();
    plans_in_turn();
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    for (uint64_t i = 0; i < cases && test_failures < FAILURES_MAX; i++)
        if (only == UINT64_MAX || i == only)
            run_case(i, &in_parts, &in_both);
    printf("%" PRIu64 " cases, %" PRIu64 " in parts on the device, %" PRIu64
           " in parts with and without conditions\n",
           cases, in_parts, in_both);
    TEST_CHECK(only != UINT64_MAX || cases < 40 || (in_parts > cases / 4 && in_both > cases / 8));
    return test_end();
}
