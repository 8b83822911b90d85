/* oracle: the CUDA engine on a real device, against the oracle: the cases of tests/sim, thousands
 * of them, with lanes of all shapes on one engine.
 *
 * TRAWL_TEST_SEED, TRAWL_TEST_SCALE as everywhere; TRAWL_TEST_CASE=N: case N alone.
 */
#include "gpu/gpu.h"
#include "sim/random_case.h"

#define CASES_NORMAL 2000
#define CASES_LONG 40000
#define CASES_PER_LANE 16u
#define FAILURES_MAX 5

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases;
    struct random_case_tally tally;
    struct engine *engine;

    test_begin("gpu oracle");
    engine = gpu_open();
    memset(&tally, 0, sizeof tally);
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    for (uint64_t i = 0; i < cases && test_failures < FAILURES_MAX; i += CASES_PER_LANE)
        if (only == UINT64_MAX || i == only / CASES_PER_LANE * CASES_PER_LANE)
            TEST_CHECK(random_cases_on(engine, "gpu", i, CASES_PER_LANE, &tally));
    engine_cuda.close(engine);
    printf("cases: every %" PRIu64 ", words %" PRIu64 ", sampled %" PRIu64 ", set %" PRIu64
           ", auto %" PRIu64 ", refused %" PRIu64 "; %" PRIu64 " matches\n",
           tally.method[TRAWL_METHOD_EVERY], tally.method[TRAWL_METHOD_WORDS],
           tally.method[TRAWL_METHOD_SAMPLED], tally.method[TRAWL_METHOD_SET],
           tally.method[TRAWL_METHOD_AUTO], tally.refused, tally.matches);
    return test_end();
}
