/* swift_host_test: tests how the host counts child grids, in a text in which every window passes
 * and in another text. If the device's run-time library loses a grid, the error names how many
 * were launched and how many ran; if it refuses a launch although it is not full, the error
 * names the code. */
#include "sim/sim_driver.h"
#include "sim/simulator.h"
#include "test.h"
#include "gallery/trawl_gallery.h"

#define TEXT_BYTES 700u
#define PATTERN_BYTES 9u
#define OTHER_CODE 4 /* any error code that does not say that the device is full */

static const char *const names[] = {
    "bf-swift", "bf-swift-binning", "bf-swift-chunking", "bf-hybrid:9",
    "qs-swift", "qs-swift-binning", "qs-swift-chunking", "qs-hybrid:9",
    "hp-swift", "hp-swift-binning", "hp-swift-chunking", "hp-hybrid:9",
};

/* The result of a search: the number of matches, and what became of the child grids. */
struct search {
    uint64_t count;
    struct trawl_algorithm_stats stats;
    struct trawl_error error;
    enum trawl_status status;
};

static void search_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                       struct trawl_text *text, struct search *search)
{
    memset(search, 0, sizeof *search);
    search->stats.size = sizeof search->stats;
    search->status = trawl_count(searcher, plan, text, &search->count, &search->error);
    if (search->status == TRAWL_OK)
        TEST_CHECK(trawl_searcher_algorithm_stats(searcher, &search->stats, NULL) == TRAWL_OK);
}

struct expected {
    uint64_t matches;
    uint64_t passed; /* number of windows whose ends match, as algorithm bf counts them */
    bool all_pass;
};

static void expect(const uint8_t *text, const uint8_t *pattern, struct expected *expected)
{
    memset(expected, 0, sizeof *expected);
    for (uint32_t x = 0; x + PATTERN_BYTES <= TEXT_BYTES; x++) {
        expected->matches += memcmp(text + x, pattern, PATTERN_BYTES) == 0;
        expected->passed +=
            text[x] == pattern[0] && text[x + PATTERN_BYTES - 1] == pattern[PATTERN_BYTES - 1];
    }
    expected->all_pass = expected->passed == TEXT_BYTES - PATTERN_BYTES + 1;
}

static void check_broken(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                         struct trawl_text *text, const struct expected *expected)
{
    struct search search;

    sim_pending_max(1u << 20);
    sim_children_break(2, 0);
    search_run(searcher, plan, text, &search);
    TEST_CHECK(search.status == TRAWL_DEVICE);
    if (!TEST_CHECK(strstr(search.error.message, "child grids were launched, but ") != NULL))
        printf("  %s\n", search.error.message);
    sim_pending_max(0);
    sim_children_break(0, OTHER_CODE);
    search_run(searcher, plan, text, &search);
    TEST_CHECK(search.status == TRAWL_DEVICE);
    if (!TEST_CHECK(strstr(search.error.message, "failed with code 4") != NULL))
        printf("  %s\n", search.error.message);
    sim_children_break(0, 0);
    search_run(searcher, plan, text, &search);
    TEST_CHECK(search.status == TRAWL_OK);
    TEST_CHECK_U64(search.count, expected->matches);
}

static void check_name(struct trawl_searcher *searcher, const char *name, struct trawl_text *text,
                       const uint8_t *pattern_bytes, const struct expected *expected)
{
    static const uint32_t pending[] = {0, 1, 2, SIM_PENDING_SEEDED, 1u << 20};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern pattern = {pattern_bytes, PATTERN_BYTES};
    struct trawl_plan *plan = NULL;

    options.algorithm = name;
    if (!TEST_CHECK(trawl_plan_build(&pattern, 1, &options, &plan, NULL) == TRAWL_OK))
        return;
    for (uint32_t i = 0; i < sizeof pending / sizeof *pending; i++) {
        struct search search;
        uint64_t windows;

        sim_pending_max(pending[i]);
        search_run(searcher, plan, text, &search);
        if (!TEST_CHECK(search.status == TRAWL_OK))
            printf("  %s: %s\n", name, search.error.message);
        windows = search.stats.child_grids + search.stats.child_spills;
        TEST_CHECK_U64(search.count, expected->matches);
        if (name[0] == 'b' || expected->all_pass) /* qs and hp skip some windows */
            TEST_CHECK_U64(windows, expected->passed);
        TEST_CHECK(windows >= expected->matches && windows <= expected->passed);
        TEST_CHECK((search.stats.child_grids == 0) == (pending[i] == 0) ||
                   pending[i] == SIM_PENDING_SEEDED);
        TEST_CHECK(pending[i] != 1u << 20 || search.stats.child_spills == 0);
    }
    check_broken(searcher, plan, text, expected);
    sim_pending_max(SIM_PENDING_SEEDED);
    trawl_plan_free(plan);
}

static void check_text(struct trawl_searcher *searcher, uint32_t letters)
{
    struct test_random random = test_random_begin("swift host");
    uint8_t bytes[TEXT_BYTES];
    const struct trawl_text_options memory = TRAWL_TEXT_MEMORY(bytes, TEXT_BYTES);
    struct trawl_text *text = NULL;
    struct expected expected;

    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        bytes[i] = (uint8_t)('a' + test_random_below(&random, letters));
    TEST_CHECK(trawl_text_open(NULL, &memory, &text, NULL) == TRAWL_OK);
    expect(bytes, bytes + 100, &expected);
    TEST_CHECK(expected.matches > 0 && expected.passed > 3);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        check_name(searcher, names[i], text, bytes + 100, &expected);
    trawl_text_close(text);
}

int main(void)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;

    test_begin("sim swift host");
    cuda_driver_replace(sim_driver_table());
    sim_driver_reset_usual(1);
    options.engine = TRAWL_ENGINE_CUDA;
    options.threads = 1;
    if (!TEST_CHECK(trawl_searcher_open(&options, &searcher, NULL) == TRAWL_OK))
        return test_end();
    check_text(searcher, 1);
    check_text(searcher, 3);
    trawl_searcher_close(searcher);
    TEST_CHECK_U64(sim_driver_live(), 0);
    TEST_CHECK(sim_driver_report()[0] == '\0');
    return test_end();
}
