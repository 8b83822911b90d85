/* diff_looks: before each chunk a worker may take a sample of the text (a "look"), and choose the
 * chunk's method by it. Compares the answers with those of a simple search.
 *
 * The kind of text changes several times within a text, rarely where a chunk ends. In three of four
 * cases the test invents the costs of the methods, so that each method follows each other method;
 * otherwise the real costs decide. In most other tests the texts are too short for a look, or of a
 * single kind, so the method rarely changes between two chunks.
 */
#include "diff/diff_answer.h"
#include "diff/borders.h"
#include "diff/diff_run.h"

#define CASES_NORMAL 600
#define CASES_LONG 60000
#define PART_BYTES_MAX 24000u
#define PARTS_MAX 8u
/* After this number of cases each method must have followed each other method. */
#define CASES_TELLING 40
#define PATTERN_BYTES_MAX 1500u
#define PLANTED_MAX 60u
#define CALLS 3u
#define STRIDE_STRINGS 300u
#define STRIDE_TEXT_BYTES 65536u

static struct test_random chance;

/* With these costs one method costs nearly nothing, and all others cost very much. */
#define NEVER 1e6
#define CHEAP 1e-6
static const struct plan_costs one_is_free[] = {
    {.every = CHEAP, .grams = {NEVER, NEVER, NEVER, NEVER}, .sample = NEVER},
    {.every = NEVER, .grams = {CHEAP, CHEAP, CHEAP, CHEAP}, .sample = NEVER},
    {.every = NEVER, .grams = {NEVER, NEVER, NEVER, NEVER}, .sample = CHEAP}};

/* Fills lines of a log, which have the same rare bytes at nearly the same offsets of a line. */
static void fill_log(uint8_t *bytes, uint64_t count)
{
    for (uint64_t at = 0; at < count;) {
        char line[128];
        uint64_t left = count - at;
        int length = snprintf(
            line, sizeof line,
            "2026-11-%02u 12:%02u:%02u.%03u INFO  [worker-%u] request "
            "id=%08" PRIx64 " status=%s\n",
            (unsigned)test_random_between(&chance, 1, 30), (unsigned)test_random_below(&chance, 60),
            (unsigned)test_random_below(&chance, 60), (unsigned)test_random_below(&chance, 1000),
            (unsigned)test_random_below(&chance, 9), test_random_u64(&chance) >> 32,
            test_random_one_in(&chance, 9) ? "404" : "200");
        uint64_t copied = (uint64_t)length < left ? (uint64_t)length : left;

        memcpy(bytes + at, line, (size_t)copied);
        at += copied;
    }
}

/* Puts patterns into the text, unchanged or with a changed byte, wherever chunks may end. */
static void plant(struct diff_input *input, const uint8_t *pattern, uint64_t bytes)
{
    for (uint64_t i = test_random_below(&chance, PLANTED_MAX); i > 0; i--) {
        uint64_t at = test_random_below(&chance, input->text_bytes - bytes);

        memcpy(input->text + at, pattern, (size_t)bytes);
        if (test_random_one_in(&chance, 3))
            input->text[at + test_random_below(&chance, bytes)] ^= 0x20;
    }
}

static void generate(struct diff_input *input)
{
    static const enum input_kind kinds[] = {INPUT_LETTERS_2,  INPUT_DNA,        INPUT_LETTERS_26,
                                            INPUT_THUE_MORSE, INPUT_FIBONACCI,  INPUT_PERIODIC,
                                            INPUT_WORDS,      INPUT_MIXED_CASE, INPUT_LETTERS_256};
    static const uint64_t lengths[] = {2,  3,  6,  7,  8,   12,  16,  24,  40,  56,
                                       57, 63, 64, 65, 100, 135, 200, 400, 800, PATTERN_BYTES_MAX};
    static const uint32_t flags[] = {0, 0, 0, NAIVE_IGNORE_CASE, NAIVE_WHOLE_WORD};
    uint64_t parts = test_random_between(&chance, 2, PARTS_MAX);
    uint64_t part_bytes = test_random_between(&chance, PLAN_SAMPLE_BYTES_MIN, PART_BYTES_MAX);
    uint64_t bytes = lengths[test_random_below(&chance, sizeof lengths / sizeof *lengths)];
    uint8_t pattern[PATTERN_BYTES_MAX];

    input_begin(&chance, INPUT_LETTERS_256, parts * part_bytes, input);
    for (uint64_t part = 0; part < parts; part++) {
        uint64_t kind = test_random_below(&chance, sizeof kinds / sizeof *kinds + 3);

        if (kind < sizeof kinds / sizeof *kinds)
            (void)input_fill(&chance, kinds[kind], input->text + part * part_bytes, part_bytes);
        else
            fill_log(input->text + part * part_bytes, part_bytes);
    }
    memcpy(pattern, input->text + test_random_below(&chance, input->text_bytes - bytes),
           (size_t)bytes);
    if (test_random_one_in(&chance, 4))
        pattern[test_random_below(&chance, bytes)] ^= 1;
    input->flags = flags[test_random_below(&chance, sizeof flags / sizeof *flags)];
    plant(input, pattern, bytes);
    input_add_pattern(input, pattern, bytes);
    input->kind = "changing";
}

/* Makes the public calls, with a single thread or with several threads. */
static void run_calls(const struct diff_input *input, const struct diff_expected *expected,
                      const struct trawl_plan *plan)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        struct run_config config = {
            .method = TRAWL_METHOD_AUTO,
            .instruction_set = trawl_instruction_set(
                (uint32_t)test_random_below(&chance, instruction_set_count())),
            .threads = (uint32_t)test_random_between(&chance, 1, 3),
            .chunk_bytes = test_random_between(&chance, PLAN_SAMPLE_BYTES_MIN, PART_BYTES_MAX),
            .place = (enum place_kind)test_random_below(&chance, PLACE_KINDS),
            .place_offset = test_random_below(&chance, 1000),
            .call = (enum held_call)test_random_below(&chance, HELD_CALLS),
            .parameter = test_random_u64(&chance)};
        struct trawl_searcher *searcher = NULL;
        char message[HELD_MESSAGE_BYTES], line[700];

        if (!TEST_CHECK(run_searcher_open(&config, &searcher, NULL) == TRAWL_OK))
            return;
        if (!TEST_CHECK(run_call(input, expected, &config, plan, searcher, NULL, message))) {
            run_describe(input, &config, line, sizeof line);
            printf("  %s\n  %s\n", line, message);
        }
        trawl_searcher_close(searcher);
    }
}

static void run_case(uint64_t index)
{
    const struct run_config automatic = {.method = TRAWL_METHOD_AUTO};
    struct diff_input input;
    struct diff_expected expected;
    struct trawl_plan *plan = NULL;

    chance = test_random_begin("diff looks");
    chance.state ^= index * 0x2545f4914f6cdd1du;
    borders_draw(&chance);
    /* so that the worker takes a sample before each chunk */
    cpu_sizes.look_after = cpu_sizes.look_again = 0;
    cpu_sizes.look_lost_ns = 0;
    generate(&input);
    borders_plant(&chance, &input);
    expected_compute(&input, &expected);
    if (!TEST_CHECK(run_plan_build(&input, &automatic, &plan, NULL) == TRAWL_OK))
        exit(test_end());
    answer_costs = index % 4 == 0 ? NULL : one_is_free;
    for (uint32_t set = 0; set < instruction_set_count(); set++)
        answer_check(&input, &expected, plan, trawl_instruction_set(set), &chance);
    run_calls(&input, &expected, plan);
    trawl_plan_free(plan);
    expected_free(&expected);
    input_free(&input);
    if (test_failures > 0)
        printf("  TRAWL_TEST_CASE=%" PRIu64 "\n", index);
}

/* Checks that the text decides the stride of the classes method, which reads the text at every
 * stride-th offset. The strings have 9 equal first bytes, and then 7 random letters. If `full`, the
 * text is full of these 9 bytes. With stride 8 (grams of 9 bytes), each such gram would make all
 * strings candidates; with stride 6 (grams of 11 bytes), a gram makes only 1 in 676 strings a
 * candidate. From the strings alone, all texts would get the same stride. */
static void test_stride(bool full, uint32_t stride_min, uint32_t stride_max)
{
    static uint8_t text[STRIDE_TEXT_BYTES + FIND_LOAD_SLACK], bytes[STRIDE_STRINGS][16];
    struct engine_chunk chunk = {
        .bytes = text, .owned = STRIDE_TEXT_BYTES, .readable = FIND_LOAD_SLACK};
    struct trawl_plan_options plan_options = TRAWL_PLAN_OPTIONS_INIT;
    struct engine_options options = {.size = sizeof options};
    struct trawl_pattern patterns[STRIDE_STRINGS];
    struct engine_result result = {.count = 0};
    struct engine_worker *worker = NULL;
    const struct set_matcher *matcher;
    struct trawl_plan *plan = NULL;
    struct engine *engine = NULL;

    for (uint32_t i = 0; i < STRIDE_TEXT_BYTES; i++)
        text[i] =
            (uint8_t)(full && i % 10 > 0 ? 'A' + i % 10 : 'a' + test_random_below(&chance, 26));
    for (uint32_t i = 0; i < STRIDE_STRINGS; i++) {
        for (uint32_t j = 0; j < 16; j++)
            bytes[i][j] = (uint8_t)(j < 9 ? 'B' + j : 'a' + test_random_below(&chance, 26));
        patterns[i] = (struct trawl_pattern){bytes[i], 16};
    }
    plan_options.method = TRAWL_METHOD_CLASSES;
    if (!TEST_CHECK(
            trawl_plan_build(patterns, STRIDE_STRINGS, &plan_options, &plan, NULL) == TRAWL_OK &&
            engine_cpu.open(&options, &engine, NULL) == TRAWL_OK &&
            engine_cpu.compile(engine, ENGINE_DEVICES_MAX, plan, &worker, NULL) == TRAWL_OK &&
            engine_scan(&engine_cpu, worker, &chunk, 0, WANT_COUNT, &result, NULL) == TRAWL_OK))
        exit(test_end());
    matcher = cpu_worker_of(worker)->matcher;
    TEST_CHECK(matcher->class_count == 1);
    TEST_CHECK(matcher->classes[0].stride >= stride_min &&
               matcher->classes[0].stride <= stride_max);
    printf("a stride of %u\n", matcher->classes[0].stride);
    engine_cpu.release(worker);
    engine_cpu.close(engine);
    trawl_plan_free(plan);
}

int main(void)
{
    uint64_t cases = test_amount_telling(CASES_NORMAL, CASES_LONG, CASES_TELLING);
    bool all;

    test_begin("looks");
    answer_costs_count = sizeof one_is_free / sizeof *one_is_free;
    all = test_cases(cases, run_case);
    test_stride(false, 8, 8);
    test_stride(true, 4, 6);
    for (uint32_t from = TRAWL_METHOD_EVERY; from <= TRAWL_METHOD_SAMPLED; from++)
        for (uint32_t to = TRAWL_METHOD_EVERY; to <= TRAWL_METHOD_SAMPLED; to++) {
            printf("%s to %s: %" PRIu64 " scans\n", method_name((enum trawl_method)from),
                   method_name((enum trawl_method)to), answer_scans.switches[from][to]);
            if (all && cases >= CASES_TELLING)
                TEST_CHECK(answer_scans.switches[from][to] > 0);
        }
    return test_end();
}
