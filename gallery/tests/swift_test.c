/* swift_test: the kernels bf, qs and hp in all their forms, in the simulator, against the oracle:
 * what they find, how many windows pass the parents' test, and that no window is lost, however few
 * child grids may be pending.
 *
 * TRAWL_TEST_SEED, TRAWL_TEST_SCALE as everywhere; TRAWL_TEST_CASE=N: case N alone.
 */
#include "sim/simulator.h"
#include "swift_case.h"
#include "test.h"

#define CASES_NORMAL 200
#define CASES_LONG 20000
#define FLOODS_NORMAL 12
#define FLOODS_LONG 500
#define FAILURES_MAX 5

/* Where every window passes: none may be lost. */
static void check_floods(void)
{
    static const uint32_t pending[] = {0, 1, 2, 1u << 20};

    for (uint32_t i = 0; i < sizeof pending / sizeof *pending; i++) {
        uint64_t seeds = test_amount(FLOODS_NORMAL, FLOODS_LONG);
        struct swift_case_tally tally;

        memset(&tally, 0, sizeof tally);
        for (uint64_t seed = 0; seed < seeds && test_failures < FAILURES_MAX; seed++)
            TEST_CHECK(swift_flood_run(pending[i], seed, &tally));
        printf("one letter, %u child grids allowed: %" PRIu64 " windows passed: %" PRIu64
               " child grids, %" PRIu64 " refused\n",
               pending[i], tally.passed, tally.launched, tally.spilled);
        TEST_CHECK(tally.passed > 0);
        TEST_CHECK_U64(tally.withheld, 0);
        TEST_CHECK_U64(tally.launched + tally.spilled, tally.passed);
        TEST_CHECK((tally.launched == 0) == (pending[i] == 0));
        TEST_CHECK((tally.spilled == 0) == (pending[i] == 1u << 20));
    }
}

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases;
    struct swift_case_tally tally;

    test_begin("sim swift");
    memset(&tally, 0, sizeof tally);
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    for (uint64_t i = 0; i < cases && test_failures < FAILURES_MAX; i++)
        if (only == UINT64_MAX || i == only)
            TEST_CHECK(swift_case_run("swift", i, 0, &tally));
    printf("%" PRIu64 " launches, %" PRIu64 " matches; %" PRIu64 " windows passed: %" PRIu64
           " child grids, %" PRIu64 " refused, %" PRIu64 " not asked for\n",
           tally.launches, tally.matches, tally.passed, tally.launched, tally.spilled,
           tally.withheld);
    TEST_CHECK_U64(tally.launched + tally.spilled + tally.withheld, tally.passed);
    TEST_CHECK_U64(sim_counters().child_grids, tally.launched);
    TEST_CHECK_U64(sim_counters().child_refusals, tally.spilled);
    if (only == UINT64_MAX) {
        TEST_CHECK(tally.withheld > 0);
        TEST_CHECK(tally.matches > 0 && tally.launched > 0 && tally.spilled > 0);
        TEST_CHECK(tally.all_spilled > 0 && tally.none_spilled > 0);
    }
    if (only == UINT64_MAX)
        check_floods();
    sim_release();
    return test_end();
}
