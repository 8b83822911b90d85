/* many_test: trawl_count_many, on each engine, on the simulated driver where there is a device:
 * random plans and texts, loaded or not, in random pairs, against the oracle; then with driver call
 * N failing, for every N, once and from N on.
 *
 * TRAWL_TEST_CASE=N: case N alone.
 */
#include "base/checked.h"
#include "cuda_case.h"
#include "fail_calls.h"
#include "host.h"
#include "letters.h"
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"
#include "trawl.h"

#define CASES_NORMAL 40
#define CASES_LONG 5000
#define KINDS_MAX 6u /* of plans, and of texts */
#define QUERIES_MAX 700u
#define TEXT_BYTES_MAX 3000u
#define UNTOUCHED 0x7777777777777777u

struct scene {
    struct diff_input inputs[KINDS_MAX];
    struct trawl_plan *plans[KINDS_MAX]; /* of the input's patterns */
    struct trawl_text *texts[KINDS_MAX]; /* of its text */
    bool loaded[KINDS_MAX];
    uint32_t kinds;
    uint64_t expected[KINDS_MAX][KINDS_MAX]; /* plan, text */
    struct trawl_query queries[QUERIES_MAX];
    uint64_t wanted[QUERIES_MAX];
    uint64_t query_count;
};

static uint64_t device_answers;

/* How often the patterns of one input occur in the text of another. */
static uint64_t expect(const struct diff_input *patterns, const struct diff_input *text)
{
    struct diff_input input = *patterns;
    struct diff_expected expected;
    uint64_t count;

    input.text = text->text;
    input.text_bytes = text->text_bytes;
    expected_compute(&input, &expected);
    count = expected.match_count;
    expected_free(&expected);
    return count;
}

static void scene_open(struct scene *s, struct test_random *random)
{
    bool in_order = test_random_below(random, 2);
    const uint8_t *text;

    memset(s, 0, sizeof *s);
    s->kinds = (uint32_t)(1 + test_random_below(random, KINDS_MAX));
    for (uint32_t i = 0; i < s->kinds; i++) {
        do {
            if (s->inputs[i].text != NULL)
                input_free(&s->inputs[i]);
            memset(&s->inputs[i], 0, sizeof s->inputs[i]);
            random_case_input(random, &s->inputs[i]);
        } while (s->inputs[i].pattern_count > 40 || s->inputs[i].text_bytes > TEXT_BYTES_MAX);
        s->plans[i] = random_case_plan(random, &s->inputs[i]);
        text = s->inputs[i].text;
        /* A text may be the begin of the one before it: the same address, another length. */
        if (i > 0 && s->inputs[i - 1].text_bytes > 0 && test_random_below(random, 2)) {
            text = s->inputs[i - 1].text;
            s->inputs[i].text_bytes = test_random_below(
                random, min_u64(s->inputs[i].text_bytes, s->inputs[i - 1].text_bytes) + 1);
            memcpy(s->inputs[i].text, text, s->inputs[i].text_bytes);
        }
        TEST_CHECK(trawl_text_from_memory(text, s->inputs[i].text_bytes, &s->texts[i], NULL) ==
                   TRAWL_OK);
        s->loaded[i] = test_random_below(random, 2);
    }
    for (uint32_t p = 0; p < s->kinds; p++)
        for (uint32_t t = 0; t < s->kinds; t++)
            s->expected[p][t] = expect(&s->inputs[p], &s->inputs[t]);
    s->query_count = test_random_below(random, test_random_below(random, 4) ? 40 : QUERIES_MAX);
    for (uint64_t i = 0; i < s->query_count; i++) {
        uint64_t p = test_random_below(random, s->kinds), t = test_random_below(random, s->kinds);

        if (in_order) {
            p = i * s->kinds / s->query_count;
            t = i % s->kinds;
        }
        s->queries[i].plan = s->plans[p];
        s->queries[i].text = s->texts[t];
        s->wanted[i] = s->expected[p][t];
    }
}

static void scene_close(struct scene *s)
{
    for (uint32_t i = 0; i < s->kinds; i++) {
        trawl_text_close(s->texts[i]);
        trawl_plan_free(s->plans[i]);
        input_free(&s->inputs[i]);
    }
}

static enum trawl_status load(struct scene *s, struct trawl_searcher *searcher,
                              struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    for (uint32_t i = 0; i < s->kinds && status == TRAWL_OK; i++)
        if (s->loaded[i])
            status = trawl_text_load(searcher, s->texts[i], error);
    return status;
}

/* One call, and what it says of itself. Counts are right, or, after a failure, untouched. */
static enum trawl_status count(const struct scene *s, struct trawl_searcher *searcher,
                               struct trawl_error *error)
{
    struct trawl_stats stats = {.size = sizeof stats};
    uint64_t counts[QUERIES_MAX], matches = 0, wrong = 0;
    enum trawl_status status;

    for (uint64_t i = 0; i < QUERIES_MAX; i++)
        counts[i] = UNTOUCHED;
    status = trawl_count_many(searcher, s->queries, s->query_count, counts, error);
    for (uint64_t i = 0; i < QUERIES_MAX; i++)
        wrong += counts[i] != (status == TRAWL_OK && i < s->query_count ? s->wanted[i] : UNTOUCHED);
    if (!TEST_CHECK_U64(wrong, 0))
        for (uint64_t i = 0; i < s->query_count; i++)
            if (counts[i] != s->wanted[i]) {
                printf("  query %" PRIu64 " of %" PRIu64 ": %" PRIu64 ", expected %" PRIu64 "\n", i,
                       s->query_count, counts[i], s->wanted[i]);
                break;
            }
    if (status != TRAWL_OK || s->query_count == 0)
        return status;
    for (uint64_t i = 0; i < s->query_count; i++)
        matches += s->wanted[i];
    TEST_CHECK(trawl_searcher_stats(searcher, &stats, NULL) == TRAWL_OK);
    TEST_CHECK_U64(stats.match_count, matches);
    TEST_CHECK(stats.chunk_count >= s->query_count && stats.thread_count > 0);
    device_answers += stats.device_chunk_count;
    return TRAWL_OK;
}

static struct trawl_searcher *searcher_open(struct test_random *random, enum trawl_engine engine,
                                            struct trawl_error *error)
{
    uint32_t threads = (uint32_t)(1 + test_random_below(random, 3));
    /* Where it is small, longer texts are searched by all threads. */
    uint64_t chunk_bytes = test_random_below(random, 3) ? 0 : 1 + test_random_below(random, 3000);

    return host_searcher(engine, threads, chunk_bytes, error);
}

static void random_limits(struct test_random *random)
{
    struct cuda_limits limits = cuda_case_limits(random);

    limits.load_in_place = false;     /* the texts lie as they lie: see cuda_case.c */
    if (test_random_below(random, 3)) /* room for more than one query */
        limits.staging_bytes = 1u << (11 + test_random_below(random, 8));
    if (test_random_below(random, 4) == 0)
        limits = cuda_limits_default;
    cuda_limits_replace(&limits);
}

static void case_run(uint64_t index)
{
    static const enum trawl_engine engines[] = {TRAWL_ENGINE_CUDA, TRAWL_ENGINE_CUDA,
                                                TRAWL_ENGINE_AUTO, TRAWL_ENGINE_CPU};
    struct test_random random = test_random_begin("many");
    uint64_t failures = test_failures;
    struct trawl_searcher *searcher;
    struct trawl_error error;
    static struct scene s;

    random.state ^= index * 0x2545f4914f6cdd1du;
    sim_driver_reset_usual(index + 1);
    random_limits(&random);
    scene_open(&s, &random);
    searcher = searcher_open(&random, engines[index % 4], &error);
    if (TEST_CHECK(searcher != NULL)) {
        TEST_CHECK(load(&s, searcher, &error) == TRAWL_OK);
        for (uint32_t i = 0; i < 2; i++) /* the workers keep what the first call left */
            if (!TEST_CHECK(count(&s, searcher, &error) == TRAWL_OK))
                printf("  %s\n", error.message);
    }
    trawl_searcher_close(searcher);
    host_check_driver();
    scene_close(&s);
    if (test_failures > failures)
        printf("  TRAWL_TEST_CASE=%" PRIu64 "\n", index);
}

/* Of a text of which only the beginning is loaded, the rest is searched in ordinary chunks, and
 * nothing of what lies after the text. */
static void beginning_loaded(void)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_text *whole = NULL, *beginning = NULL;
    struct trawl_searcher *searcher = NULL;
    struct test_random random = test_random_begin("many, beginning");
    struct trawl_plan *plan;
    struct diff_input input;
    uint64_t count = 0;

    sim_driver_reset_usual(1);
    cuda_limits_replace(NULL);
    input_begin(&random, INPUT_LETTERS_1, 3000, &input);
    input_add_pattern(&input, input.text, 13);
    input.text_bytes = 2000;
    plan = random_case_plan(&random, &input);
    options.chunk_bytes = 300;
    TEST_CHECK(trawl_searcher_open(&options, &searcher, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_text_from_memory(input.text, 5, &beginning, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_text_from_memory(input.text, input.text_bytes, &whole, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_text_load(searcher, beginning, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_count(searcher, plan, whole, &count, NULL) == TRAWL_OK);
    TEST_CHECK_U64(count, expect(&input, &input));
    TEST_CHECK(trawl_searcher_stats(searcher, &stats, NULL) == TRAWL_OK);
    TEST_CHECK(stats.chunk_count <= 8);
    trawl_searcher_close(searcher);
    trawl_text_close(beginning);
    trawl_text_close(whole);
    trawl_plan_free(plan);
    input_free(&input);
    TEST_CHECK_U64(sim_driver_live(), 0);
}

/* ---- Failing calls ------------------------------------------------------------------------ */

static const char *const fail_patterns[KINDS_MAX] = {
    "abcab",
    "b",
    "cabcabca",
    "qrs",
    "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc",
    "bc"};

/* Six plans of different methods, one of which floods and one with a condition, and two texts. */
static void fail_scene(struct scene *s)
{
    struct test_random random = test_random_begin("many fails");

    memset(s, 0, sizeof *s);
    s->kinds = KINDS_MAX;
    for (uint32_t i = 0; i < s->kinds; i++) {
        input_begin(&random, INPUT_LETTERS_1, 300 + 100 * i, &s->inputs[i]);
        for (uint64_t k = 0; k < s->inputs[i].text_bytes; k++)
            s->inputs[i].text[k] = (uint8_t)("abc "[k % 97 % 3 + (k % 50 == 49)]);
        input_add_pattern(&s->inputs[i], (const uint8_t *)fail_patterns[i],
                          strlen(fail_patterns[i]));
        s->inputs[i].flags = i == 5 ? NAIVE_WHOLE_WORD : 0;
        s->plans[i] = random_case_plan(&random, &s->inputs[i]);
        TEST_CHECK(trawl_text_from_memory(s->inputs[i].text, s->inputs[i].text_bytes, &s->texts[i],
                                          NULL) == TRAWL_OK);
        s->loaded[i] = i == 0;
    }
    s->query_count = 9;
    for (uint64_t i = 0; i < s->query_count; i++) {
        uint64_t p = i * KINDS_MAX / s->query_count, t = i % 2;

        s->queries[i].plan = s->plans[p];
        s->queries[i].text = s->texts[t];
        s->wanted[i] = expect(&s->inputs[p], &s->inputs[t]);
    }
}

/* Open, load, count; with `again`, once more when the fault is gone. */
static enum trawl_status work_once(void *context, enum trawl_engine engine, bool again,
                                   struct trawl_error *error)
{
    struct scene *s = (struct scene *)context;
    struct trawl_searcher *searcher = host_searcher(engine, 1, 0, error);
    enum trawl_status status = searcher == NULL ? error->status : TRAWL_OK;

    if (status == TRAWL_OK)
        status = load(s, searcher, error);
    if (status == TRAWL_OK)
        status = count(s, searcher, error);
    if (searcher != NULL && again) {
        struct trawl_error second;

        sim_driver_fail(0, 0, false);
        TEST_CHECK(count(s, searcher, &second) == TRAWL_OK);
    }
    trawl_searcher_close(searcher);
    return status;
}

static void failing_calls(void)
{
    struct cuda_limits limits = letters_limits();
    struct scene *s = (struct scene *)test_memory(sizeof *s);
    struct fail_work work = {s, work_once, false};
    uint64_t failed;

    limits.staging_bytes = 4096;
    limits.streams = true;
    cuda_limits_replace(&limits);
    fail_scene(s);
    failed = fail_calls(&work);
    printf("calls of the driver that failed: %" PRIu64 " ended trawl_count_many or what came "
           "before it\n",
           failed);
    TEST_CHECK(failed > 100);
    scene_close(s);
    free(s);
}

int main(void)
{
    bool all;

    test_begin("sim many");
    cuda_driver_replace(sim_driver_table());
    all = test_cases(test_amount(CASES_NORMAL, CASES_LONG), case_run);
    printf("%" PRIu64 " queries answered by the device, %" PRIu64 " launches\n", device_answers,
           sim_counters().launches);
    if (all) {
        TEST_CHECK(device_answers > 50);
        beginning_loaded();
        failing_calls();
    }
    return test_end();
}
