/* records_test: compares, record by record with a simple search (the oracle), the matrix under
 * rabin-karp-matrix, under each of the CPU's algorithms for texts, and by trawl's own methods:
 * mixed lengths, many patterns, dense matches, empty records, patterns longer than a record,
 * conditions and case. */
#include "records_case.h"

#include "diff/diff_run.h"

#define RECORDS_MAX 60
#define RANDOM_PATTERNS_MAX 20

static void scene_run(struct scene *scene, const char *algorithm, uint32_t threads,
                      uint64_t chunk_bytes)
{
    struct trawl_searcher *searcher = must_searcher(threads, chunk_bytes);
    struct trawl_stats stats = {.size = sizeof stats};

    MUST(scene_matrix(scene, algorithm, searcher, NULL));
    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    if (algorithm != NULL && strcmp(algorithm, "rabin-karp-matrix") == 0) {
        uint64_t bytes = scene->offsets[scene->records.record_count] - scene->offsets[0];

        TEST_CHECK_U64(stats.match_count, scene->cells_set);
        TEST_CHECK_U64(stats.text_bytes, bytes);
        TEST_CHECK_U64(trawl_searcher_progress(searcher), bytes);
        TEST_CHECK(stats.chunk_count > 0);
        TEST_CHECK_U64(stats.cpu_chunk_count, stats.chunk_count);
    }
    trawl_searcher_close(searcher);
}

static void random_scenes(void)
{
    struct test_random random = test_random_begin("gallery records");

    for (uint64_t round = 0; round < test_amount(300, 5000) && test_failures < 10; round++) {
        enum input_kind kind = (enum input_kind)test_random_below(&random, INPUT_KINDS);
        uint64_t record_count = test_random_between(&random, 1, RECORDS_MAX);
        uint64_t patterns = test_random_below(&random, RANDOM_PATTERNS_MAX + 1);
        uint32_t algorithms = 0;
        struct scene scene;

        scene_begin(&random, kind, record_count, test_random_between(&random, 1, 80), &scene);
        scene_add_patterns(&random, patterns, 12, &scene);
        scene.tape.flags = (uint32_t)test_random_below(&random, 8);
        while (cpu_algorithm(algorithms) != NULL)
            algorithms++;
        scene_run(&scene, "rabin-karp-matrix", 1 + (uint32_t)(round % 4), 0);
        scene_run(&scene, NULL, 1 + (uint32_t)(round % 3), 1 + test_random_below(&random, 200));
        if (kind != INPUT_LETTERS_256) /* strstr takes no NUL */
            scene_run(&scene, cpu_algorithm((uint32_t)(round % algorithms)),
                      1 + (uint32_t)(round % 3), 1 + test_random_below(&random, 200));
        scene_end(&scene);
    }
}

/* More patterns than the published algorithm takes (fewer under sanitizers), in many lengths. Most
 * are in the set twice, and one in a hundred is longer than any record. */
static void many_patterns(void)
{
    struct test_random random = test_random_begin("gallery many patterns");
    uint64_t patterns = TEST_SANITIZED ? 600 : 5000;
    struct scene scene;

    scene_begin(&random, INPUT_LETTERS_26, 24, 300, &scene);
    for (uint64_t i = 0; i < patterns; i++) {
        uint64_t count = 1 + i / 2 % 7 + (i % 100 == 0 ? 400 : 0);
        uint64_t begin = i / 2 * 37 % (scene.tape.text_bytes - count);

        input_add_pattern(&scene.tape, scene.tape.text + begin, count);
    }
    scene_run(&scene, "rabin-karp-matrix", 2, 0);
    TEST_CHECK(scene.cells_set > patterns);
    scene_run(&scene, NULL, 2, 50);
    scene_end(&scene);
}

/* A searcher makes matrices of different widths by rabin-karp-matrix, every fourth by trawl's own
 * methods. Each call must clear the cells of the one before. */
static void rows_are_cleared(void)
{
    struct test_random random = test_random_begin("gallery rows again");
    struct trawl_searcher *searcher = must_searcher(2, 0);

    for (uint64_t round = 0; round < 12; round++) {
        bool dense = round % 3 == 0;
        struct scene scene;

        scene_begin(&random, dense ? INPUT_LETTERS_1 : INPUT_LETTERS_26, 100 * (1 + round % 4), 60,
                    &scene);
        scene_add_patterns(&random, 1 + test_random_below(&random, 30), 4, &scene);
        MUST(scene_matrix(&scene, round % 4 == 3 ? NULL : "rabin-karp-matrix", searcher, NULL));
        TEST_CHECK(scene.cells_set > 0);
        scene_end(&scene);
    }
    trawl_searcher_close(searcher);
}

/* A plan without patterns, more rows than the sink gets in one call, a sink that stops, and offsets
 * that descend. */
static void corners(void)
{
    enum { ROWS = 300000 };
    static uint64_t offsets[ROWS + 1];
    struct test_random random = test_random_begin("gallery corners");
    struct trawl_searcher *searcher = must_searcher(1, 0);
    uint64_t descending[3] = {0, 2, 1};
    const struct trawl_record_array wrong = records_of("ab", descending, 2);
    struct trawl_plan *plan;
    struct scene scene;

    scene_begin(&random, INPUT_LETTERS_2, 30, 9, &scene);
    scene_run(&scene, "rabin-karp-matrix", 1, 0);
    scene_end(&scene);

    scene_begin(&random, INPUT_LETTERS_1, 1, 9, &scene);
    /* the records are not on the scene's tape, so the oracle cannot check cells; with a
     * pattern_count of 0, scene_take_rows checks none */
    scene.tape.pattern_count = 0;
    scene.algorithm = "rabin-karp-matrix";
    for (uint64_t i = 0; i <= ROWS; i++)
        offsets[i] = i > ROWS / 2 ? 1 : 0;
    scene.records = records_of("b", offsets, ROWS);
    input_add_pattern(&scene.tape, (const uint8_t *)"b", 1);
    plan = scene_plan(&scene);
    scene.tape.pattern_count = 0;
    MUST(call_rows(searcher, plan, &scene.records, scene_take_rows, &scene, NULL));
    TEST_CHECK_U64(scene.rows_seen, ROWS);
    scene.rows_seen = 0;
    scene.stop_at = 1;
    CHECK_STATUS(call_rows(searcher, plan, &scene.records, scene_take_rows, &scene, NULL),
                 TRAWL_STOPPED);
    TEST_CHECK(scene.rows_seen > 0 && scene.rows_seen < ROWS);
    CHECK_ERROR(call_rows(searcher, plan, &wrong, scene_take_rows, &scene, error), TRAWL_ARGUMENT);
    scene.tape.pattern_count = 1;
    trawl_plan_free(plan);
    trawl_searcher_close(searcher);
    scene_end(&scene);
}

int main(void)
{
    test_begin("gallery_records");
    random_scenes();
    many_patterns();
    rows_are_cleared();
    corners();
    return test_end();
}
