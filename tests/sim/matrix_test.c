/* matrix_test: records x patterns in every shape by each engine, on the simulated driver where
 * there is a device: random records and patterns, loaded or not, against the oracle; then with
 * driver call N failing, for every N, once and from N on.
 *
 * TRAWL_TEST_CASE=N: case N alone.
 */
#include "calls.h"
#include "cuda_case.h"
#include "diff/shapes.h"
#include "fail_calls.h"
#include "host.h"
#include "letters.h"
#include "sim_driver.h"

#define CASES_NORMAL 16
#define CASES_LONG 10000

static uint64_t on_device;

/* Two shapes of the case, and trawl_matrix. */
static enum trawl_status some_shapes(struct shapes_case *c, struct trawl_searcher *searcher,
                                     const struct trawl_plan *plan, struct trawl_error *error)
{
    struct trawl_stats stats = {.size = sizeof stats};
    enum trawl_status status = TRAWL_OK;

    for (int i = 0; i < 2 && status == TRAWL_OK; i++) { /* what makes cells is the same for all */
        int shape = (int)((c->array.record_count + (uint64_t)(2 * i)) % SHAPES);

        status = shapes_pull(c, searcher, plan, (enum trawl_matrix_shape)shape, error);
        if (status == TRAWL_OK)
            TEST_CHECK_U64(c->rows_seen, c->array.record_count);
        MUST(trawl_searcher_stats(searcher, &stats, NULL));
        on_device += stats.device_chunk_count;
    }
    return status == TRAWL_OK ? shapes_call(c, searcher, plan, error) : status;
}

/* The tape as trawl_matrix_open makes a text of it. */
static struct trawl_text *tape_text(const struct shapes_case *c)
{
    uint64_t begin = c->offsets[0], end = c->offsets[c->array.record_count];
    struct trawl_text *text = must_text(c->array.bytes + begin, end - begin);

    return text;
}

static void case_run(uint64_t index)
{
    static const enum trawl_engine engines[] = {TRAWL_ENGINE_CUDA, TRAWL_ENGINE_CUDA,
                                                TRAWL_ENGINE_AUTO};
    struct test_random random = test_random_begin("sim matrix");
    uint64_t failures = test_failures;
    struct trawl_searcher *searcher;
    struct trawl_plan *plan = NULL;
    struct cuda_limits limits;
    struct trawl_error error;
    struct trawl_text *text;
    struct shapes_case c;

    random.state ^= index * 0x2545f4914f6cdd1du;
    sim_driver_reset_usual(index + 1);
    limits = cuda_case_limits(&random);
    cuda_limits_replace(&limits);
    shapes_make(&random, &c);
    text = tape_text(&c);
    TEST_CHECK(shapes_plan(&c, &plan, &error) == TRAWL_OK);
    searcher = host_searcher(
        engines[index % 3], (uint32_t)(1 + test_random_below(&random, 3)),
        test_random_one_in(&random, 3) ? 0 : 1 + test_random_below(&random, 2000), &error);
    if (TEST_CHECK(searcher != NULL)) {
        TEST_CHECK(index % 2 == 0 || trawl_text_load(searcher, text, &error) == TRAWL_OK);
        if (!TEST_CHECK(some_shapes(&c, searcher, plan, &error) == TRAWL_OK))
            printf("  %s\n", error.message);
    }
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    trawl_text_close(text);
    shapes_free(&c);
    host_check_driver();
    if (test_failures > failures)
        printf("  TRAWL_TEST_CASE=%" PRIu64 "\n", index);
}

/* ---- Failing calls ------------------------------------------------------------------------ */

struct fail_scene {
    struct shapes_case c;
    struct trawl_plan *plan;
};

static enum trawl_status work_once(void *context, enum trawl_engine engine, bool again,
                                   struct trawl_error *error)
{
    struct fail_scene *scene = (struct fail_scene *)context;
    AUTO_SEARCHER searcher = host_searcher(engine, 1, 1000, error);
    enum trawl_status status =
        searcher == NULL ? error->status
                         : shapes_pull(&scene->c, searcher, scene->plan, TRAWL_MATRIX_CELLS, error);

    if (searcher != NULL && again) {
        struct trawl_error second;

        sim_driver_fail(0, 0, false);
        TEST_CHECK(shapes_pull(&scene->c, searcher, scene->plan, TRAWL_MATRIX_FIRST, &second) ==
                   TRAWL_OK);
    }
    return status;
}

static void failing_calls(void)
{
    struct test_random random = test_random_begin("sim matrix fail");
    struct cuda_limits limits = letters_limits();
    struct fail_scene scene;
    struct fail_work work = {&scene, work_once, false};
    uint64_t failed;

    cuda_limits_replace(&limits);
    do {
        shapes_make(&random, &scene.c);
        if (scene.c.array.record_count > 8 && scene.c.tape.text_bytes < 1000)
            break;
        shapes_free(&scene.c);
    } while (true);
    TEST_CHECK(shapes_plan(&scene.c, &scene.plan, NULL) == TRAWL_OK);
    failed = fail_calls(&work);
    printf("calls of the driver that failed: %" PRIu64 " ended the search or what came before it\n",
           failed);
    TEST_CHECK(failed > 10);
    trawl_plan_free(scene.plan);
    shapes_free(&scene.c);
}

int main(void)
{
    uint64_t cases = test_amount(CASES_NORMAL, CASES_LONG);
    bool all;

    test_begin("sim matrix");
    cuda_driver_replace(sim_driver_table());
    all = test_cases(cases, case_run);
    TEST_CHECK(!all || on_device > cases);
    if (all)
        failing_calls();
    cuda_limits_replace(NULL);
    return test_end();
}
