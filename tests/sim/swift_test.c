/* swift_test: the kernels bf, qs and hp in all their forms, in the simulator, against the oracle:
 * what they find, how many windows pass the parents' test, and that no window is lost, however few
 * child grids may be pending.
 *
 * TRAWL_TEST_SEED, TRAWL_TEST_SCALE as everywhere; TRAWL_TEST_CASE=N: case N alone.
 */
#include "simulator.h"
#include "swift_case.h"
#include "test.h"

#define CASES_NORMAL 400
#define CASES_LONG 20000
#define FAILURES_MAX 5

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
           " child grids, %" PRIu64 " refused\n",
           tally.launches, tally.matches, tally.passed, tally.launched, tally.spilled);
    TEST_CHECK_U64(tally.launched + tally.spilled, tally.passed);
    TEST_CHECK_U64(sim_counters().child_grids, tally.launched);
    TEST_CHECK_U64(sim_counters().child_refusals, tally.spilled);
    if (only == UINT64_MAX) {
        TEST_CHECK(tally.matches > 0 && tally.launched > 0 && tally.spilled > 0);
        TEST_CHECK(tally.all_spilled > 0 && tally.none_spilled > 0);
    }
    sim_release();
    return test_end();
}
