/* unit_matrix: a matrix tells for each record of an array which patterns the record holds. Compares
 * matrices, record by record, with the answers of a simple search. */
#include "calls.h"

#include "diff/borders.h"
#include "diff/shapes.h"

#define CANCELLED_ROWS 100000u

static struct test_random source;

/* Pulls random matrices of every shape, with chunks whose ends cut records. */
static void all_shapes(void)
{
    uint64_t cases = test_amount(150, 20000);
    AUTO_SEARCHER kept = must_searcher(2, 0);

    for (uint64_t i = 0; i < cases && test_failures < 5; i++) {
        AUTO_SEARCHER searcher =
            must_searcher(1 + (uint32_t)test_random_below(&source, 4),
                          test_random_one_in(&source, 4) ? 0 : 1 + test_random_below(&source, 400));
        AUTO_PLAN plan = NULL;
        struct shapes_case c;

        shapes_make(&source, false, &c);
        MUST(shapes_plan(&c, &plan, NULL));
        for (int shape = 0; shape < SHAPES; shape++) {
            MUST(shapes_pull(&c, searcher, plan, (enum trawl_matrix_shape)shape, NULL));
            TEST_CHECK_U64(c.rows_seen, c.array.record_count);
        }
        MUST(shapes_pull(&c, kept, plan, (enum trawl_matrix_shape)(i / 4 % SHAPES), NULL));
        shapes_free(&c);
        if (test_failures > 0)
            printf("  case %" PRIu64 "\n", i);
    }
}

/* Makes random calls with plans for whole words or lines, on records and on texts. Small sizes let
 * the library search a text in parts at once. A search of records has a copy of the plan without
 * conditions, so each plan has parts with and without conditions. (No test had used the same plan
 * for records and for a text that is searched in parts. Both searches shared the parts, with the
 * conditions of the search that came first.) */
static void mixed_calls(void)
{
    uint64_t cases = test_amount(300, 20000), both = 0;

    for (uint64_t i = 0; i < cases && test_failures < 5; i++) {
        AUTO_SEARCHER one = must_searcher(1, 0);
        AUTO_SEARCHER other = must_searcher(1 + (uint32_t)test_random_below(&source, 3), 0);
        AUTO_PLAN plan = NULL;
        struct shapes_case c;

        borders_draw(&source);
        cpu_sizes.trial_bytes = 1 + test_random_below(&source, 50);
        cpu_sizes.trial_advance = UINT64_MAX / 2;
        shapes_make(&source, true, &c);
        MUST(shapes_plan(&c, &plan, NULL));
        shapes_mix(&source, &c, (struct trawl_searcher *[]){one, other}, plan, 12);
        both += attachment_is_there(&plan->attached[PLAN_ALONE]) &&
                attachment_is_there(&plan->attached[PLAN_WHOLE_ALONE]);
        shapes_free(&c);
        if (test_failures > 0)
            printf("  mixed case %" PRIu64 "\n", i);
    }
    cpu_sizes = cpu_sizes_default;
    printf("%" PRIu64 " of %" PRIu64 " plans with both kinds of parts\n", both, cases);
    TEST_CHECK(both > cases / 8);
}

typedef void (*batch_check)(const void *context, const struct trawl_matrix_batch *batch,
                            enum trawl_matrix_shape shape);

static void pull_all(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                     const struct trawl_record_array *array, int shape, batch_check check,
                     const void *context)
{
    struct trawl_matrix_batch batch = {.size = sizeof batch};
    struct trawl_matrix_search *matrix;

    MUST(trawl_matrix_open(searcher, plan, array, (enum trawl_matrix_shape)shape, &matrix, NULL));
    while (!batch.last) {
        MUST(trawl_matrix_next(matrix, &batch, NULL));
        check(context, &batch, (enum trawl_matrix_shape)shape);
    }
    trawl_matrix_close(matrix);
}

/* Records most of which hold many of the patterns. The expected answers come from a table of the
 * first begins of all strings of up to SHORT_MAX letters in a record. */
enum { SHORT_MAX = 4, LETTERS = 3, STRINGS = 4 * 4 * 4 * 4 * 4, DENSE_ROWS = 30 };

struct dense_scene {
    uint8_t tape[DENSE_ROWS * 1000];
    uint64_t offsets[DENSE_ROWS + 1];
    uint64_t pattern_count;
    uint8_t (*bytes)[SHORT_MAX];
    struct trawl_pattern *patterns;
    uint32_t *strings; /* strings[p]: string_number of pattern p */
};

/* Returns the number of a string of letters; strings of other lengths have other numbers. */
static uint32_t string_number(const uint8_t *bytes, uint64_t count)
{
    uint32_t number = 0;

    for (uint64_t i = 0; i < count; i++)
        number = 4 * number + 1 + (bytes[i] - (uint32_t)'a');
    return number;
}

static void dense_make(struct dense_scene *scene, uint64_t pattern_count, uint64_t longest)
{
    uint64_t at = 0;

    memset(scene, 0, sizeof *scene);
    for (uint64_t i = 0; i < sizeof scene->tape; i++)
        scene->tape[i] = (uint8_t)('a' + test_random_below(&source, LETTERS));
    for (uint64_t i = 0; i < DENSE_ROWS; i++) {
        at += test_random_one_in(&source, 5) ? 0 : test_random_below(&source, longest);
        scene->offsets[i + 1] = at;
    }
    scene->pattern_count = pattern_count;
    scene->bytes = (uint8_t(*)[SHORT_MAX])test_memory(pattern_count * sizeof *scene->bytes);
    scene->patterns = (struct trawl_pattern *)test_memory(pattern_count * sizeof *scene->patterns);
    scene->strings = (uint32_t *)test_memory(pattern_count * sizeof *scene->strings);
    for (uint64_t p = 0; p < pattern_count; p++) {
        uint64_t count = test_random_between(&source, 1, SHORT_MAX);

        for (uint64_t i = 0; i < count; i++)
            scene->bytes[p][i] = (uint8_t)('a' + test_random_below(&source, LETTERS));
        scene->patterns[p] = (struct trawl_pattern){scene->bytes[p], count};
        scene->strings[p] = string_number(scene->bytes[p], count);
    }
}

/* Computes for all strings where they first begin in the record; -1: the string does not occur. */
static void dense_expect(const struct dense_scene *scene, uint64_t record, int64_t *first)
{
    const uint8_t *bytes = scene->tape + scene->offsets[record];
    uint64_t count = scene->offsets[record + 1] - scene->offsets[record];

    memset(first, 0xff, STRINGS * sizeof *first);
    for (uint64_t i = count; i-- > 0;)
        for (uint64_t length = 1; length <= SHORT_MAX && length <= count - i; length++)
            first[string_number(bytes + i, length)] = (int64_t)i;
}

static void dense_check(const void *context, const struct trawl_matrix_batch *batch,
                        enum trawl_matrix_shape shape)
{
    const struct dense_scene *scene = (const struct dense_scene *)context;
    static int64_t first[STRINGS];
    uint64_t at = 0, wrong = 0, columns = scene->pattern_count;

    for (uint64_t r = batch->record_begin; r < batch->record_end; r++) {
        uint64_t row = r - batch->record_begin, in_row = 0;

        dense_expect(scene, r, first);
        for (uint64_t p = 0; p < columns; p++) {
            int64_t begin = first[scene->strings[p]];

            if (begin < 0 || (shape == TRAWL_MATRIX_ANY && in_row > 0))
                continue;
            if (shape == TRAWL_MATRIX_CELLS)
                wrong += at >= batch->cell_count || batch->cell_records[at] != r ||
                         batch->cell_patterns[at] != p || batch->cell_begins[at] != (uint64_t)begin;
            at++;
            in_row++;
        }
        if (shape == TRAWL_MATRIX_ANY)
            wrong += (batch->any[row / 8] >> row % 8 & 1) != in_row;
    }
    TEST_CHECK_U64(wrong, 0);
    TEST_CHECK_U64(batch->cell_count, at);
}

/* Returns a chunk size: a random size, or a size with which the first chunk ends at a record's end,
 * a byte before or a byte after. */
static uint64_t dense_chunk(const struct dense_scene *scene)
{
    uint64_t end = scene->offsets[1 + test_random_below(&source, DENSE_ROWS)];

    return test_random_one_in(&source, 3)
               ? 1 + test_random_below(&source, 3000)
               : 1 + (end > 2 ? end - 2 : 0) + test_random_below(&source, 3);
}

static void dense_run(uint64_t pattern_count, uint64_t longest, bool whole)
{
    static struct dense_scene scene;
    struct trawl_record_array array = records_of(scene.tape, scene.offsets, DENSE_ROWS);
    AUTO_SEARCHER searcher = NULL;
    AUTO_PLAN plan = NULL;

    dense_make(&scene, pattern_count, longest);
    searcher =
        must_searcher(1 + (uint32_t)test_random_below(&source, 3), whole ? 0 : dense_chunk(&scene));
    plan = must_plans(scene.patterns, pattern_count, NULL);
    for (int shape = 0; shape < SHAPES; shape++)
        pull_all(searcher, plan, &array, shape, dense_check, &scene);
    free(scene.bytes);
    free(scene.patterns);
    free(scene.strings);
}

/* Runs records that hold many patterns, with few and with many patterns, so that each way to store
 * a record's cells is used. (With random chunk sizes no record ended one byte after a chunk; the
 * tests had missed that a cell then had the begin of a later occurrence.) */
static void dense_records(void)
{
    uint64_t cases = test_amount(8, 1000), short_cases = test_amount(200, 20000);

    for (uint64_t i = 0; i < cases && test_failures < 5; i++)
        dense_run(1 + test_random_below(&source, i % 8 == 0 ? 5000 : 300),
                  1 + test_random_below(&source, 1000), i % 2 == 0);
    for (uint64_t i = 0; i < short_cases && test_failures < 5; i++)
        dense_run(1 + test_random_below(&source, 20), 2 + test_random_below(&source, 15), false);
    dense_run((1u << 18) + 1, 6, true);
}

static void wrong_pulls(void)
{
    static const int32_t wrong[][3] = {{3, -1}, {3, 1}, {0, 2, 1}};
    int32_t good[2] = {0, 2};
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_matrix_batch batch = {.size = sizeof batch};
    struct trawl_matrix_search *matrix = NULL;
    AUTO_PLAN plan = must_plan("a");
    AUTO_SEARCHER searcher = must_searcher_with(NULL);

    array.bytes = (const uint8_t *)"ab";
    array.offset_bytes = 4;
#define OPEN(searcher, plan, array, shape) \
    trawl_matrix_open(searcher, plan, array, shape, &matrix, error)
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        array.offsets = wrong[i];
        array.record_count = 1 + i / 2;
        CHECK_REFUSED(OPEN(searcher, plan, &array, TRAWL_MATRIX_CELLS));
    }
    array.record_count = 1;
    array.offsets = good;
    CHECK_REFUSED(OPEN(NULL, plan, &array, TRAWL_MATRIX_CELLS));
    CHECK_REFUSED(OPEN(searcher, NULL, &array, TRAWL_MATRIX_CELLS));
    CHECK_REFUSED(OPEN(searcher, plan, NULL, TRAWL_MATRIX_CELLS));
    CHECK_REFUSED(OPEN(searcher, plan, &array, (enum trawl_matrix_shape)SHAPES));
    array.offset_bytes = 2;
    CHECK_REFUSED(OPEN(searcher, plan, &array, TRAWL_MATRIX_CELLS));
    array.offset_bytes = 4;
    array.bytes = NULL;
    CHECK_REFUSED(OPEN(searcher, plan, &array, TRAWL_MATRIX_CELLS));
    array.bytes = (const uint8_t *)"ab";
    array.size = 7;
    CHECK_REFUSED(OPEN(searcher, plan, &array, TRAWL_MATRIX_CELLS));
    array.size = sizeof array;
    MUST(trawl_matrix_open(searcher, plan, &array, TRAWL_MATRIX_CELLS, &matrix, NULL));
    CHECK_ERROR(OPEN(searcher, plan, &array, TRAWL_MATRIX_CELLS), TRAWL_BUSY);
#undef OPEN
    CHECK_REFUSED(trawl_matrix_next(NULL, &batch, error));
    CHECK_REFUSED(trawl_matrix_next(matrix, NULL, error));
    MUST(trawl_matrix_next(matrix, &batch, NULL));
    TEST_CHECK_U64(batch.cell_count, 1);
    TEST_CHECK(batch.last);
    CHECK_REFUSED(trawl_matrix_next(matrix, &batch, error));
    trawl_matrix_close(matrix);
    trawl_matrix_close(NULL);
}

/* Cancels or closes searches before their end, and checks that the searcher is free afterwards. */
static void cancelled_pulls(void)
{
    static uint8_t tape[3 * CANCELLED_ROWS];
    static uint64_t offsets[CANCELLED_ROWS + 1];
    struct trawl_record_array array = records_of(tape, offsets, CANCELLED_ROWS);
    AUTO_PLAN plan = must_plan("a");
    AUTO_SEARCHER searcher = must_searcher_with(SEARCHER_WITH(.threads = 3, .chunk_bytes = 2000));

    memset(tape, 'a', sizeof tape);
    for (uint64_t i = 0; i <= CANCELLED_ROWS; i++)
        offsets[i] = 3 * i;
    for (int shape = 0; shape < SHAPES; shape++) {
        struct trawl_matrix_batch batch = {.size = sizeof batch};
        struct trawl_matrix_search *matrix;

        MUST(trawl_matrix_open(searcher, plan, &array, (enum trawl_matrix_shape)shape, &matrix,
                               NULL));
        MUST(trawl_matrix_next(matrix, &batch, NULL));
        TEST_CHECK(!batch.last);
        trawl_searcher_cancel(searcher);
        CHECK_STATUS(trawl_matrix_next(matrix, &batch, NULL), TRAWL_STOPPED);
        CHECK_REFUSED(trawl_matrix_next(matrix, &batch, error));
        trawl_matrix_close(matrix);
        MUST(trawl_matrix_open(searcher, plan, &array, (enum trawl_matrix_shape)shape, &matrix,
                               NULL));
        trawl_matrix_close(matrix); /* no batch was pulled */
    }
}

int main(void)
{
    source = test_random_begin("matrix");
    all_shapes();
    mixed_calls();
    dense_records();
    wrong_pulls();
    cancelled_pulls();
    return test_end();
}
