/* gallery_test: the gallery on the simulated driver, host code and kernels, against the oracle.
 *
 * TRAWL_TEST_SEED, TRAWL_TEST_SCALE as everywhere; TRAWL_TEST_CASE=N: case N alone.
 */
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

#define CASES_NORMAL 1200
#define CASES_LONG 100000
#define FAILURES_MAX 5

/* Is the algorithm among the ways, whatever its options? */
static bool is_tried(const char *name)
{
    size_t count = strlen(name);

    for (uint32_t i = 0; gallery_ways[i] != NULL; i++)
        if (strncmp(gallery_ways[i], name, count) == 0 &&
            strchr(":,", gallery_ways[i][count]) != NULL) /* the end, too */
            return true;
    return false;
}

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), cases;
    static struct gallery_case_tally tally;
    const char *name;

    test_begin("sim gallery");
    cuda_driver_replace(sim_driver_table());
    cases = test_amount(CASES_NORMAL, CASES_LONG);
    for (uint64_t i = 0; i < cases && test_failures < FAILURES_MAX; i++)
        if (only == UINT64_MAX || i == only)
            TEST_CHECK(gallery_case_run("gallery", i, 0, &tally));
    for (uint32_t i = 0; gallery_ways[i] != NULL; i++) {
        printf("%-22s right %" PRIu64 ", with matches %" PRIu64 ", refused %" PRIu64 "\n",
               gallery_ways[i], tally.right[i], tally.with_matches[i], tally.refused[i]);
        if (only == UINT64_MAX)
            TEST_CHECK(tally.with_matches[i] > 0 && tally.refused[i] < tally.right[i]);
    }
    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL)) != NULL; i++)
        if ((trawl_algorithm_engines(i) & 1u << TRAWL_ENGINE_CUDA) != 0 &&
            strcmp(name, "rabin-karp-matrix") != 0 && !TEST_CHECK(is_tried(name)))
            printf("  %s\n", name);
    return test_end();
}
