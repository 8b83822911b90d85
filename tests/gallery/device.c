/* device: the CUDA engine, on the simulated driver, refuses algorithms it does not have; under
 * engine "auto" the CPU then runs them, also on a text that was loaded. */
#include "cuda/driver.h"
#include "diff/run.h"
#include "sim/sim_driver.h"
#include "unit/unit.h"

static const struct trawl_pattern pattern = {"ana", 3};

static struct trawl_searcher *open_on(enum trawl_engine engine)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;

    options.engine = engine;
    options.threads = 1;
    MUST(trawl_searcher_open(&options, &searcher, NULL));
    return searcher;
}

static struct trawl_plan *build(const char *algorithm)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_plan *plan = NULL;

    options.algorithm = algorithm;
    MUST(trawl_plan_build(&pattern, 1, &options, &plan, NULL));
    return plan;
}

static int take_rows(void *context, uint64_t row_first, uint64_t row_count, const int64_t *first)
{
    TEST_CHECK(row_first == 0 && row_count == 1 && first[0] == 1);
    *(uint64_t *)context += row_count;
    return 0;
}

/* Both engines on one text; the CUDA engine stays usable for what it has. */
static void run(const char *algorithm, bool for_records)
{
    static const uint64_t offsets[] = {0, 6};
    const struct trawl_records records = {(const uint8_t *)"banana", offsets, 1};
    struct trawl_searcher *cuda = open_on(TRAWL_ENGINE_CUDA), *both = open_on(TRAWL_ENGINE_AUTO);
    struct trawl_text *text = unit_string("banana");
    struct trawl_plan *plan = build(algorithm), *own = build(NULL);
    struct trawl_error record = unit_error();
    uint64_t count = 0, rows = 0, calls;

    CHECK_STATUS(for_records ? trawl_matrix(cuda, plan, &records, take_rows, &rows, &record)
                             : trawl_count(cuda, plan, text, &count, &record),
                 TRAWL_UNSUPPORTED);
    TEST_CHECK(record.status == TRAWL_UNSUPPORTED && strstr(record.message, algorithm) != NULL);
    TEST_CHECK_U64(rows, 0);
    TEST_CHECK_U64(unit_count(cuda, own, text), 2);
    MUST(trawl_text_load(both, text, NULL));
    calls = sim_driver_calls();
    TEST_CHECK_U64(unit_count(both, own, text), 2);
    TEST_CHECK(sim_driver_calls() > calls); /* the device does take part */
    if (!for_records)
        TEST_CHECK_U64(unit_count(both, plan, text), 2);
    MUST(trawl_matrix(both, plan, &records, take_rows, &rows, NULL));
    TEST_CHECK_U64(rows, 1);
    trawl_text_unload(both, text);
    trawl_plan_free(own);
    trawl_plan_free(plan);
    trawl_text_close(text);
    trawl_searcher_close(both);
    trawl_searcher_close(cuda);
}

int main(void)
{
    struct sim_driver_options options = {1, 1, 1u << 20, 2, 0, 0};

    test_begin("gallery_device");
    cuda_driver_replace(sim_driver_table());
    sim_driver_reset(&options);
    for (uint32_t i = 0; cpu_algorithm(i) != NULL; i++)
        run(cpu_algorithm(i), false);
    run("rabin-karp-matrix", true);
    TEST_CHECK_U64(sim_driver_live(), 0);
    TEST_CHECK(sim_driver_report()[0] == '\0');
    return test_end();
}
