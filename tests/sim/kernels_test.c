/* kernels_test: the CUDA engine and its kernels on the simulated driver, compared with the oracle.
 *
 * TRAWL_TEST_CASE=N runs only case N of each kind of cases. TRAWL_TEST_SEED and TRAWL_TEST_SCALE:
 * see test.h.
 */
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

#define CASES_NORMAL 1200
#define CASES_LONG 100000
#define CASES_TELLING 200 /* after this many cases each method must have been used */
#define FAILURES_MAX 5

static const struct {
    enum random_case_sets wanted;
    const char *name;
    uint64_t share; /* one case of this kind for this many cases of the first kind */
} kinds[] = {{RANDOM_CASE_ANY, "kernels", 1},
             {RANDOM_CASE_SETS, "kernels, sets", 2},
             {RANDOM_CASE_DENSE, "kernels, dense", 3},
             {RANDOM_CASE_LONG, "kernels, long", 2}};

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases;
    struct random_case_tally tally;
    struct sim_counters counters;

    test_begin("sim kernels");
    memset(&tally, 0, sizeof tally);
    cuda_driver_replace(sim_driver_table());
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    /* Only one case in 24 has a set for stream_set with a pattern from the text's start. Even fewer
     * have a long pattern, or tiles that a kernel gives up among tiles with few candidates. So the
     * test also runs separate cases of each of these kinds. */
    for (uint32_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        random_case_want(kinds[kind].wanted);
        for (uint64_t i = 0; i < cases / kinds[kind].share && test_failures < FAILURES_MAX; i++)
            if (only == UINT64_MAX || i == only)
                TEST_CHECK(random_case_run(kinds[kind].name, i, 0, &tally));
    }
    random_case_want(RANDOM_CASE_ANY);
    counters = sim_counters();
    printf("cases: every %" PRIu64 ", grams %" PRIu64 ", sampled %" PRIu64 ", set %" PRIu64
           ", auto %" PRIu64 ", refused %" PRIu64 "; %" PRIu64 " matches\n",
           tally.method[TRAWL_METHOD_EVERY], tally.method[TRAWL_METHOD_GRAMS],
           tally.method[TRAWL_METHOD_SAMPLED], tally.method[TRAWL_METHOD_SET],
           tally.method[TRAWL_METHOD_AUTO], tally.refused, tally.matches);
    printf("schedules: %" PRIu64 " launches in as many seeded orders, %" PRIu64
           " switches of threads, %" PRIu64 " barriers, %" PRIu64 " atomics\n",
           counters.schedules, counters.switches, counters.barriers, counters.atomics);
    if (only == UINT64_MAX) {
        for (uint32_t method = 0; method <= TRAWL_METHOD_SET; method++)
            TEST_CHECK(tally.method[method] > 0 || cases < CASES_TELLING);
        TEST_CHECK(tally.matches > 0);
    }
    return test_end();
}
