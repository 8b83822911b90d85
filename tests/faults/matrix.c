/* matrix: every shape of records x patterns while the world fails at the N-th point (memory,
 * threads), for N = 1, 2, ... until a run meets no fault; once as a single fault, once as "from N
 * on".
 *
 * Each round: the status is one that the header allows, what came is right, nothing leaks, and the
 * same searcher gives the right answer when the fault is gone.
 */
#include <stdlib.h>

#include "calls.h"
#include "base/fault.h"
#include "diff/shapes.h"
#include "faults/blocks.h"

#define ROUNDS_MAX 5000u

static struct trawl_searcher *searcher_open(uint32_t threads)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = threads;
    options.chunk_bytes = 500;
    MUST(trawl_searcher_open(&options, &searcher, NULL));
    return searcher;
}

/* One run, then one without fault. True: it met its fault. */
static bool round_met_fault(struct shapes_case *c, uint32_t threads, enum trawl_matrix_shape shape,
                            uint64_t nth, bool persistent)
{
    struct trawl_searcher *searcher = searcher_open(threads);
    uint64_t failures = test_failures;
    struct trawl_plan *plan = NULL;
    struct trawl_error error = {.message = ""};
    enum trawl_status status;
    bool met;

    TEST_CHECK(shapes_plan(c, &plan, NULL) == TRAWL_OK);
    fault_arm(nth, persistent);
    status = shapes_pull(c, searcher, plan, shape, &error);
    met = fault_points_passed() >= nth;
    fault_arm(0, false);
    TEST_CHECK(status == TRAWL_OK || (status == TRAWL_MEMORY && met && error.message[0] != '\0'));
    TEST_CHECK(shapes_pull(c, searcher, plan, shape, NULL) == TRAWL_OK);
    TEST_CHECK_U64(c->rows_seen, c->array.record_count);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    TEST_CHECK_U64((uint64_t)atomic_load(&live_bytes), 0);
    if (test_failures > failures)
        printf("  shape %d, %u threads, %s fault %" PRIu64 ", status %d\n", (int)shape, threads,
               persistent ? "every from" : "single", nth, (int)status);
    return met;
}

int main(void)
{
    struct test_random random = test_random_begin("faults of matrices");
    uint64_t cases = test_amount(2, 40), rounds = 0;

    blocks_count();
    for (uint64_t i = 0; i < cases && test_failures < 5;) {
        struct shapes_case c;

        shapes_make(&random, &c);
        if (c.array.record_count > 20 && c.tape.text_bytes > 1000) {
            for (int shape = 0; shape < SHAPES; shape++)
                for (int persistent = 0; persistent < 2; persistent++) {
                    uint64_t nth = 1;

                    while (round_met_fault(&c, i % 2 == 0 ? 1 : 3, (enum trawl_matrix_shape)shape,
                                           nth, persistent != 0) &&
                           TEST_CHECK(nth < ROUNDS_MAX) && test_failures < 5)
                        nth++;
                    TEST_CHECK(nth > 1 || test_failures > 0);
                    rounds += nth;
                }
            i++;
        }
        shapes_free(&c);
    }
    printf("%" PRIu64 " rounds\n", rounds);
    trawl_set_allocator(NULL);
    return test_end();
}
