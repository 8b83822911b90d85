/* oracle: the CUDA engine on a real device, against the oracle: the cases of tests/sim, thousands
 * of them, with lanes of all shapes on one engine; methods first, then the gallery.
 *
 * TRAWL_TEST_SEED, TRAWL_TEST_SCALE as everywhere; TRAWL_TEST_CASE=N: case N alone.
 */
#include "gpu/gpu.h"
#include "sim/random_case.h"

#define CASES_NORMAL 2000
#define CASES_LONG 40000
#define CASES_PER_LANE 16u
#define CASES_TELLING 800 /* enough that each way of the gallery must have met occurrences */
#define FAILURES_MAX 5

static void run_gallery(struct engine *engine, uint64_t only, uint64_t cases)
{
    static struct gallery_case_tally tally;

    for (uint64_t i = 0; i < cases && test_failures < FAILURES_MAX; i += CASES_PER_LANE)
        if (only == UINT64_MAX || i == only / CASES_PER_LANE * CASES_PER_LANE)
            TEST_CHECK(gallery_cases_on(engine, "gpu gallery", i, CASES_PER_LANE, &tally));
    for (uint32_t i = 0; gallery_ways[i] != NULL; i++) {
        printf("%-22s right %" PRIu64 ", with matches %" PRIu64 ", refused %" PRIu64 "\n",
               gallery_ways[i], tally.right[i], tally.with_matches[i], tally.refused[i]);
        if (only == UINT64_MAX && cases >= CASES_TELLING)
            TEST_CHECK(tally.with_matches[i] > 0 && tally.refused[i] < tally.right[i]);
    }
}

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
    run_gallery(engine, only, cases);
    engine_cuda.close(engine);
    printf("cases: every %" PRIu64 ", words %" PRIu64 ", sampled %" PRIu64 ", set %" PRIu64
           ", auto %" PRIu64 ", refused %" PRIu64 "; %" PRIu64 " matches\n",
           tally.method[TRAWL_METHOD_EVERY], tally.method[TRAWL_METHOD_WORDS],
           tally.method[TRAWL_METHOD_SAMPLED], tally.method[TRAWL_METHOD_SET],
           tally.method[TRAWL_METHOD_AUTO], tally.refused, tally.matches);
    return test_end();
}
