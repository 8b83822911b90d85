/* unit_matrix: a matrix says for each record of an array which patterns the record contains. A
 * matrix has one of two forms: cells of record and pattern, or a bit for each record. Compares
 * matrices, record by record, with the answers of a simple search. */
#include "calls.h"

#include "diff/borders.h"
#include "diff/shapes.h"

#define CANCELLED_ROWS 100000u

static struct test_random source;

/* Searches random records for a matrix of each form. Many searches have short chunks, which end
 * inside records. */
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
        for (int form = 0; form < SHAPES; form++)
            MUST(shapes_search(&c, searcher, plan, (enum shapes_form)form, NULL));
        MUST(shapes_search(&c, kept, plan, (enum shapes_form)(i / 4 % SHAPES), NULL));
        shapes_free(&c);
        if (test_failures > 0)
            printf("  case %" PRIu64 "\n", i);
    }
}

/* Makes random calls with plans for whole words or lines, on records and on texts. Small sizes make
 * the library divide the patterns into parts early. A search of records uses a copy of the plan
 * without the condition "whole words" or "whole lines". So a plan has two kinds of parts, with and
 * without the condition, and a search must not use parts of the wrong kind. */
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
        shapes_mix(&source, &c, (struct trawl_searcher *[]){one, other}, plan, 16);
        both += attachment_is_there(&plan->attached[PLAN_ALONE]) &&
                attachment_is_there(&plan->attached[PLAN_WHOLE_ALONE]);
        shapes_free(&c);
        if (test_failures > 0)
            printf("  mixed case %" PRIu64 "\n", i);
    }
    cpu_sizes = cpu_sizes_default;
    printf("%" PRIu64 " of %" PRIu64 " plans with both kinds of parts\n", both, cases);
    TEST_CHECK(cases < 100 || both > cases / 8);
}

/* Searches for a matrix of each form. Most of the records contain many of the patterns. If
 * `whole`, chunks have the default size, and cut no record. Otherwise a chunk has a random size, or
 * ends at a record's end, a byte before it or a byte after it. */
static void dense_run(uint64_t pattern_count, uint64_t longest, bool whole)
{
    AUTO_SEARCHER searcher = NULL;
    AUTO_PLAN plan = NULL;
    struct shapes_case c;
    uint64_t end;

    shapes_make_dense(&source, pattern_count, longest, &c);
    end = c.offsets[1 + test_random_below(&source, c.array.record_count)];
    end = test_random_one_in(&source, 3)
              ? 1 + test_random_below(&source, 3000)
              : 1 + (end > 2 ? end - 2 : 0) + test_random_below(&source, 3);
    searcher = must_searcher(1 + (uint32_t)test_random_below(&source, 3), whole ? 0 : end);
    MUST(shapes_plan(&c, &plan, NULL));
    for (int form = 0; form < SHAPES; form++)
        MUST(shapes_search(&c, searcher, plan, (enum shapes_form)form, NULL));
    shapes_free(&c);
}

/* Searches records that contain many patterns. The plan has few or many patterns, so that each way
 * to store a record's cells is used. With random chunk sizes, hardly any chunk ends one byte before
 * a record's end, where a cell could get the start of a later occurrence by mistake. */
static void dense_records(void)
{
    uint64_t cases = test_amount(8, 1000), short_cases = test_amount(200, 20000);

    for (uint64_t i = 0; i < cases && test_failures < 5; i++)
        dense_run(i % 8 == 0 ? 5000 : 1 + test_random_below(&source, 300),
                  1 + test_random_below(&source, 1000), i % 2 == 0);
    for (uint64_t i = 0; i < short_cases && test_failures < 5; i++)
        dense_run(1 + test_random_below(&source, 20), 2 + test_random_below(&source, 15), false);
    dense_run((1u << 18) + 1, 6, true);
    dense_run(300, 1000, false);
}

static int stop_at_once(void *context, const struct trawl_cells *cells)
{
    *(uint64_t *)context += cells->record_end - cells->record_begin;
    return 1;
}

static int cancel_searcher(void *context, const struct trawl_cells *cells)
{
    (void)cells;
    trawl_searcher_cancel((struct trawl_searcher *)context, false);
    return 0;
}

/* Asks with an open searcher, from its own sink. */
static int ask_again(void *context, const struct trawl_cells *cells)
{
    const struct trawl_record_array none = records_of(NULL, NULL, 0);
    struct trawl_records *records = NULL;

    TEST_CHECK_U64(cells->cell_count, 1);
    CHECK_ERROR(trawl_records_load((struct trawl_searcher *)context, &none, &records, error),
                TRAWL_BUSY);
    return 0;
}

static void wrong_questions(void)
{
    static const int32_t wrong[][3] = {{3, -1}, {3, 1}, {0, 2, 1}};
    int32_t good[2] = {0, 2};
    uint64_t room[1];
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    AUTO_PLAN plan = must_plan("a");
    AUTO_SEARCHER searcher = must_searcher_with(NULL);

    out.cells = ask_again;
    out.context = searcher;
    array.bytes = (const uint8_t *)"ab";
    array.offset_bytes = 4;
#define ASK(shape) call_records(searcher, plan, &array, shape, &out, error)
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        array.offsets = wrong[i];
        array.record_count = 1 + i / 2;
        CHECK_REFUSED(ASK(TRAWL_RECORDS_CELLS));
    }
    array.record_count = 1;
    array.offsets = good;
    CHECK_REFUSED(ASK((enum trawl_what)10));
    CHECK_REFUSED(ASK(TRAWL_RECORDS_BITS)); /* a sink takes only cells */
    out.values = out.patterns = room;
    out.room = 1; /* a sink or columns, not both */
    CHECK_REFUSED(ASK(TRAWL_RECORDS_CELLS));
    out.values = out.patterns = NULL;
    out.room = 0;
    array.flags = 8;
    CHECK_REFUSED(ASK(TRAWL_RECORDS_CELLS));
    array.flags = 0;
    array.offset_bytes = 2;
    CHECK_REFUSED(ASK(TRAWL_RECORDS_CELLS));
    array.offset_bytes = 4;
    array.bytes_count = 1; /* the last offset is 2 */
    CHECK_REFUSED(ASK(TRAWL_RECORDS_CELLS));
    array.bytes_count = 2;
    array.bytes = NULL;
    CHECK_REFUSED(ASK(TRAWL_RECORDS_CELLS));
    array.bytes = (const uint8_t *)"ab";
    array.size = 7;
    CHECK_REFUSED(ASK(TRAWL_RECORDS_CELLS));
    array.size = sizeof array;
    MUST(call_records(searcher, plan, &array, TRAWL_RECORDS_CELLS, &out, NULL));
    TEST_CHECK_U64(out.count, 1);
    out.cells = NULL;
    out.context = NULL;
    CHECK_REFUSED(ASK(TRAWL_RECORDS_MATCHES)); /* no array of where lists begin */
    out.room = 1;
    CHECK_REFUSED(ASK(TRAWL_RECORDS_FIRST)); /* no `begins` */
#undef ASK
}

/* "na" and "an" in three records: where each first occurs, and all occurrences. */
static void matches_of_records(void)
{
    static const uint32_t offsets[] = {0, 6, 6, 9};
    const struct trawl_pattern patterns[] = {{"na", 2}, {"an", 2}};
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    uint32_t begins[8], ends[8], indexes[8], lists[4];
    struct trawl_plan *plan = NULL;
    AUTO_SEARCHER searcher = must_searcher(1, 0);

    MUST(trawl_plan_build(patterns, 2, NULL, &plan, NULL));
    array.bytes = (const uint8_t *)"banana"
                                   "xna";
    array.offsets = offsets;
    array.offset_bytes = 4;
    array.record_count = 3;
    out.cell_bytes = 4;
    out.room = 3;
    out.begins = begins;
    out.ends = ends;
    out.patterns = indexes;
    MUST(call_records(searcher, plan, &array, TRAWL_RECORDS_FIRST, &out, NULL));
    TEST_CHECK_U64(out.count, 2);
    TEST_CHECK(memcmp(begins, (uint32_t[]){1, UINT32_MAX, 1}, 12) == 0);
    TEST_CHECK(memcmp(ends, (uint32_t[]){3, UINT32_MAX, 3}, 12) == 0);
    TEST_CHECK(memcmp(indexes, (uint32_t[]){1, UINT32_MAX, 0}, 12) == 0);
    out.values = lists;
    CHECK_STATUS(call_records(searcher, plan, &array, TRAWL_RECORDS_MATCHES, &out, NULL),
                 TRAWL_LIMIT);
    TEST_CHECK_U64(out.count, 5);
    TEST_CHECK(memcmp(lists, (uint32_t[]){0, 4, 4, 5}, 16) == 0);
    out.room = 8;
    out.ends = NULL; /* not wanted */
    MUST(call_records(searcher, plan, &array, TRAWL_RECORDS_MATCHES, &out, NULL));
    TEST_CHECK(memcmp(begins, (uint32_t[]){1, 2, 3, 4, 1}, 20) == 0);
    TEST_CHECK(memcmp(indexes, (uint32_t[]){1, 0, 1, 0, 0}, 20) == 0);
    trawl_plan_free(plan);
}

/* Stops and cancels searches before their end, and checks that the searcher is free afterwards. */
static void stopped_searches(void)
{
    static uint8_t tape[3 * CANCELLED_ROWS];
    static uint64_t offsets[CANCELLED_ROWS + 1];
    struct trawl_record_array array = records_of(tape, offsets, CANCELLED_ROWS);
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    uint64_t seen = 0;
    AUTO_PLAN plan = must_plan("a");
    AUTO_SEARCHER searcher = must_searcher_with(SEARCHER_WITH(.threads = 3, .chunk_bytes = 2000));

    memset(tape, 'a', sizeof tape);
    for (uint64_t i = 0; i <= CANCELLED_ROWS; i++)
        offsets[i] = 3 * i;
    out.cells = stop_at_once;
    out.context = &seen;
    for (uint32_t i = 0; i < 2; i++)
        CHECK_STATUS(call_records(searcher, plan, &array, TRAWL_RECORDS_CELLS, &out, NULL),
                     TRAWL_STOPPED);
    TEST_CHECK(seen < CANCELLED_ROWS);
    out.cells = cancel_searcher;
    out.context = searcher;
    CHECK_STATUS(call_records(searcher, plan, &array, TRAWL_RECORDS_CELLS, &out, NULL),
                 TRAWL_STOPPED);
    out.cells = NULL;
    out.context = NULL;
    CHECK_STATUS(call_records(searcher, plan, &array, TRAWL_RECORDS_CELLS, &out, NULL),
                 TRAWL_LIMIT);
    TEST_CHECK_U64(out.count, CANCELLED_ROWS);
}

int main(void)
{
    source = test_random_begin("matrix");
    all_shapes();
    mixed_calls();
    dense_records();
    wrong_questions();
    matches_of_records();
    stopped_searches();
    return test_end();
}
