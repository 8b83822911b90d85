/* gallery_test: compares the gallery on the simulated driver, host code and kernels, with a simple
 * search (the oracle). A test of a long pattern searches on the host.
 *
 * TRAWL_TEST_SEED, TRAWL_TEST_SCALE as everywhere; TRAWL_TEST_CASE=N: random case N alone.
 */
#include "calls.h"
#include "gallery_case.h"

#include "gallery/kernels/gallery.h"
#include "sim/sim_driver.h"
#include "sim/simulator.h"

#define CASES_NORMAL 400
#define CASES_LONG 100000
/* after this many cases, each setup must have found occurrences */
#define CASES_TELLING 400
#define FAILURES_MAX 5
/* Each setup runs only every EDGES_STEP-th edge case, starting at one that depends on its name, so
 * that different setups run different cases. Sanitizers are slow, and find in a few cases what
 * they would find in all. */
#define EDGES_STEP (test_is_long() ? 1u : TEST_SANITIZED ? 10u : 2u)

/* Returns true if some setup runs the algorithm, with any options. */
static bool is_tried(const char *name)
{
    size_t count = strlen(name);

    for (uint32_t i = 0; gallery_setups[i] != NULL; i++)
        if (strncmp(gallery_setups[i], name, count) == 0 &&
            strchr(":,", gallery_setups[i][count]) != NULL) /* finds a final NUL, too */
            return true;
    return false;
}

/* Returns true if the setup rejects the input: pss-gr takes no key longer than its registers. */
static bool is_refused(const char *setup, const struct diff_input *input)
{
    bool is_long = false;

    for (uint64_t i = 0; i < input->pattern_count; i++)
        is_long |= input->patterns[i].bytes_count > GALLERY_KEY_BYTES;
    return is_long && strncmp(setup, "pss-gr", 6) == 0;
}

static void edge_run(struct engine *engine, struct engine_worker *worker, const char *setup,
                     enum want want, const struct diff_input *input)
{
    struct cuda_case config = {
        .want = want, .chunk_bytes = input->text_bytes, .algorithm = setup, .ops = &engine_gallery};
    char message[CUDA_CASE_MESSAGE_BYTES] = "";
    struct diff_expected expected;
    struct trawl_error error = {.message = ""};

    expected_compute(input, &expected);
    if (!TEST_CHECK(cuda_case_run(engine, worker, input, &expected, &config, message, &error) ==
                    (is_refused(setup, input) ? CUDA_CASE_REFUSED : CUDA_CASE_RIGHT)))
        printf("  %s, want %d, %" PRIu64 " patterns, first of %" PRIu64 ": %s %s\n", setup,
               (int)want, input->pattern_count, input->patterns[0].bytes_count, message,
               error.message);
    expected_free(&expected);
}

/* Searches texts in which every start offset is an occurrence, for patterns from one byte to more
 * than the text; then random texts for eight neighbouring substrings of 5 bytes at a time. All edge
 * cases together have an occurrence across each boundary of threads and blocks. */
static void edges(struct engine *engine, struct engine_worker *worker, const char *setup)
{
    static const uint64_t lengths[] = {1, 2, 7, 64, 149, 150, 151};
    struct test_random random = test_random_begin("gallery edges");
    uint64_t turn = strlen(setup);
    uint8_t letters[151];
    struct diff_input input;

    memset(letters, 'a', sizeof letters);
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (uint32_t want = 0; want < 3; want++) {
            if (turn++ % EDGES_STEP != 0)
                continue;
            input_begin(&random, INPUT_LETTERS_1, 150, &input);
            memset(input.text, 'a', input.text_bytes);
            input_add_pattern(&input, letters, lengths[i]);
            if (want == 2 && i > 0)
                input_add_pattern(&input, letters, lengths[i - 1]);
            edge_run(engine, worker, setup, (enum want)want, &input);
            input_free(&input);
        }
    for (uint64_t at = 0; at + 5 <= 150; at += 8) {
        if (turn++ % EDGES_STEP != 0)
            continue;
        input_begin(&random, INPUT_LETTERS_26, 150, &input);
        for (uint64_t i = 0; i < 8 && at + i + 5 <= 150; i++)
            input_add_pattern(&input, input.text + at + i, 5);
        edge_run(engine, worker, setup, (enum want)(turn / EDGES_STEP % 3), &input);
        input_free(&input);
    }
}

static void all_edges(void)
{
    struct engine_options options = {.size = sizeof options};
    struct engine_worker *worker = NULL;
    struct engine *engine = NULL;

    sim_driver_reset_usual(7);
    cuda_limits_replace(NULL);
    gallery_limits_replace(NULL);
    if (TEST_CHECK(engine_cuda.open(&options, &engine, NULL) == TRAWL_OK) &&
        TEST_CHECK(engine_gallery.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, NULL) ==
                   TRAWL_OK))
        for (uint32_t i = 0; gallery_setups[i] != NULL && test_failures < FAILURES_MAX; i++)
            edges(engine, worker, gallery_setups[i]);
    if (worker != NULL)
        engine_gallery.release(worker);
    if (engine != NULL)
        engine_cuda.close(engine);
    TEST_CHECK_U64(sim_driver_live(), 0);
    TEST_CHECK(sim_driver_report()[0] == '\0');
}

/* Searches on the host for a pattern longer than the default step, which lengthens the steps. Case
 * is ignored, so each step is copied; the pattern occurs PLACES times, in mixed case. */
static void long_on_host(void)
{
    enum { LENGTH = 150000, TEXT_BYTES = 2000000, PLACES = 12 };
    struct test_random random = test_random_begin("gallery long");
    uint8_t *bytes = test_memory(TEXT_BYTES), *lower = test_memory(LENGTH);
    struct trawl_pattern pattern = {lower, LENGTH};
    struct trawl_text *text = must_text(bytes, TEXT_BYTES);
    struct trawl_searcher *searcher =
        must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = 1));
    uint32_t engines, ran = 0;
    const char *name;

    memset(bytes, '.', TEXT_BYTES);
    for (uint32_t i = 0; i < LENGTH; i++)
        lower[i] = (uint8_t)('a' + test_random_below(&random, 26));
    for (uint32_t place = 0; place < PLACES; place++)
        for (uint32_t i = 0; i < LENGTH; i++)
            bytes[(LENGTH + 10000) * place + i] = (uint8_t)(lower[i] - (place + i) % 2 * 32);
    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL, &engines)) != NULL; i++) {
        struct trawl_plan *plan = NULL;

        if ((engines & 1u << TRAWL_ENGINE_CPU) == 0 ||
            strncmp(name, "rabin-karp-matrix", 17) == 0 ||
            strcmp(name, "naive-whole") == 0 || /* would compare 3 · 10^11 bytes */
            trawl_plan_build(&pattern, 1, PLAN_WITH(.algorithm = name, .flags = TRAWL_IGNORE_CASE),
                             &plan, NULL) != TRAWL_OK)
            continue;
        if (!TEST_CHECK_U64(must_count(searcher, plan, text), PLACES))
            printf("  %s\n", name);
        ran++;
        trawl_plan_free(plan);
    }
    TEST_CHECK(ran > 3);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    free(bytes);
    free(lower);
}

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases;
    static struct gallery_case_tally tally;
    uint64_t setups = 0;
    const char *name;
    uint32_t engines;

    test_begin("sim gallery");
    cuda_driver_replace(sim_driver_table());
    if (only == UINT64_MAX) {
        all_edges();
        long_on_host();
    }
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    while (gallery_setups[setups] != NULL)
        setups++;
    cases = cases > 2 * setups ? cases : 2 * setups; /* each setup runs at least twice */
    for (uint64_t i = 0; i < cases && test_failures < FAILURES_MAX; i++)
        if (only == UINT64_MAX || i == only)
            TEST_CHECK(gallery_case_run("gallery", i, 0, &tally));
    for (uint32_t i = 0; gallery_setups[i] != NULL; i++) {
        printf("%-22s right %" PRIu64 ", with matches %" PRIu64 ", refused %" PRIu64 "\n",
               gallery_setups[i], tally.right[i], tally.with_matches[i], tally.refused[i]);
        if (only == UINT64_MAX && cases >= CASES_TELLING)
            TEST_CHECK(tally.with_matches[i] > 0 && tally.refused[i] < tally.right[i]);
    }
    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL, &engines)) != NULL; i++)
        if ((engines & 1u << TRAWL_ENGINE_CUDA) != 0 &&
            strncmp(name, "rabin-karp-matrix", 17) != 0 && !TEST_CHECK(is_tried(name)))
            printf("  %s\n", name);
    return test_end();
}
