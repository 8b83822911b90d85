/* shapes: makes random records and patterns and checks their matrix (which record contains which
 * pattern): compares each batch, on arrival, with the first start of each pattern in each record.
 * In a dense case, most records contain many of the patterns. */
#include "diff/shapes.h"

#include "calls.h"
#include "diff/held.h"

#include <stdlib.h>
#include <string.h>

#define DENSE_RECORDS 30u
#define DENSE_BYTES 4u /* bytes of the longest pattern in a dense case */

static uint64_t record_bytes(struct test_random *random, uint64_t kind, uint64_t longest)
{
    if (longest != 0)
        return test_random_one_in(random, 5) ? 0 : test_random_below(random, longest);
    switch (kind == 0 ? test_random_below(random, 5) : kind) {
    case 1:
        return 0;
    case 2:
        return 1;
    case 3:
        return test_random_below(random, 30);
    default:
        return test_random_below(random, 300);
    }
}

/* If `longest` is not 0, the case is dense, and each record has fewer bytes than that. */
static void make_records(struct test_random *random, bool whole, uint64_t longest,
                         struct shapes_case *c)
{
    uint64_t count = test_random_one_in(random, 20) ? 0 : 1 + test_random_below(random, 60);
    uint64_t kind = test_random_below(random, 5), at = test_random_below(random, 5);
    enum input_kind letters = (enum input_kind)test_random_below(random, INPUT_KINDS);
    bool narrow = test_random_one_in(random, 2);

    if (longest != 0) {
        count = DENSE_RECORDS;
        at = 0;
        letters = INPUT_LETTERS_4;
    } else if (!whole && test_random_one_in(random, 3)) {
        /* many records of letters, for method CLASSES; make_patterns takes many strings from them
         */
        c->method = TRAWL_METHOD_CLASSES;
        count = 400;
        kind = 3;
        letters = INPUT_LETTERS_26;
    }
    c->offsets = (uint64_t *)test_memory((count + 1) * sizeof *c->offsets);
    c->offsets_narrow = (int32_t *)test_memory((count + 1) * sizeof *c->offsets_narrow);
    c->validity = (uint8_t *)test_memory(count / 8 + 3);
    for (uint64_t i = 0; i <= count; i++) {
        c->offsets[i] = at;
        c->offsets_narrow[i] = (int32_t)at;
        at += record_bytes(random, kind, longest);
    }
    for (uint64_t i = 0; i < count / 8 + 3; i++)
        c->validity[i] = (uint8_t)(test_random_u64(random) | test_random_u64(random));
    input_begin(random, letters, at + 1, &c->tape);
    for (uint64_t i = 0; i <= at && whole; i++)
        if (test_random_one_in(random, 6))
            c->tape.text[i] = (uint8_t) "\n\0 ,"[test_random_below(random, 4)];
    c->tape.has_line_end_also = whole && test_random_one_in(random, 2);
    c->array = (struct trawl_record_array)TRAWL_RECORD_ARRAY_INIT;
    c->array.bytes = c->tape.text;
    c->array.record_count = count;
    c->array.offsets = narrow ? (const void *)c->offsets_narrow : (const void *)c->offsets;
    c->array.offset_bytes = narrow ? 4 : (uint32_t)(8 * test_random_below(random, 2));
    if (test_random_one_in(random, 3)) {
        c->array.validity = c->validity;
        c->array.validity_begin = test_random_below(random, 10);
    }
}

/* If `dense` is not 0, the case is dense and has this many patterns. */
static void make_patterns(struct test_random *random, bool whole, uint64_t dense,
                          struct shapes_case *c)
{
    uint64_t count = 1 + test_random_below(random, test_random_one_in(random, 4) ? 300 : 12);
    uint64_t max = 1 + test_random_below(random, 12), min = 1;

    if (test_random_one_in(random, 8)) /* so that some patterns have indices above 255 */
        count = 250 + test_random_below(random, 60);
    if (c->method == TRAWL_METHOD_CLASSES) {
        count = 300;
        min = max = 4 + max % 5;
    }
    if (dense != 0) {
        count = dense;
        max = DENSE_BYTES;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t begin = test_random_below(random, c->tape.text_bytes);
        uint64_t room = c->tape.text_bytes - begin;

        if (i > 0 && test_random_one_in(random, 6)) { /* the same pattern twice */
            const struct naive_bytes *twin = &c->tape.patterns[test_random_below(random, i)];

            input_add_pattern(&c->tape, twin->bytes, twin->bytes_count);
            continue;
        }
        room = room < max ? room : max;
        input_add_pattern(&c->tape, c->tape.text + begin,
                          test_random_between(random, room < min ? room : min, room));
    }
    c->tape.flags = dense != 0 || c->method != TRAWL_METHOD_AUTO || test_random_one_in(random, 2)
                        ? 0
                        : (uint32_t)test_random_below(random, 8);
    if (whole)
        c->tape.flags |= test_random_one_in(random, 4) ? NAIVE_WHOLE_LINE : NAIVE_WHOLE_WORD;
}

static bool is_null(const struct shapes_case *c, uint64_t record)
{
    uint64_t bit = c->array.validity_begin + record;

    return c->array.validity != NULL && (c->array.validity[bit / 8] >> bit % 8 & 1) == 0;
}

/* Computes the expected cells of a single record by a simple search. */
static void expect_row(struct shapes_case *c, uint64_t record)
{
    struct naive_query query = input_query(&c->tape);
    struct naive_bytes text = {c->tape.text + c->offsets[record],
                               c->offsets[record + 1] - c->offsets[record]};
    int64_t *row = c->expected + record * c->tape.pattern_count;
    uint64_t room = text.bytes_count * c->tape.pattern_count;
    struct naive_match *matches = (struct naive_match *)test_memory((room + 1) * sizeof *matches);
    uint64_t count = is_null(c, record) ? 0 : naive_matches(&query, text, matches, room);

    for (uint64_t p = 0; p < c->tape.pattern_count; p++)
        row[p] = -1;
    for (uint64_t i = count; i > 0; i--)
        row[matches[i - 1].pattern_index] = (int64_t)matches[i - 1].begin;
    free(matches);
}

void shapes_make(struct test_random *random, bool whole, struct shapes_case *c)
{
    memset(c, 0, sizeof *c);
    make_records(random, whole, 0, c);
    make_patterns(random, whole, 0, c);
}

void shapes_make_dense(struct test_random *random, uint64_t pattern_count, uint64_t longest,
                       struct shapes_case *c)
{
    memset(c, 0, sizeof *c);
    make_records(random, false, longest, c);
    make_patterns(random, false, pattern_count, c);
}

void shapes_free(struct shapes_case *c)
{
    free(c->offsets);
    free(c->offsets_narrow);
    free(c->validity);
    free(c->expected);
    input_free(&c->tape);
}

enum trawl_status shapes_plan(const struct shapes_case *c, struct trawl_plan **plan,
                              struct trawl_error *error)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    options.method = c->method;
    return held_plan(&c->tape, &options, plan, error);
}

static const int64_t *expected_row(const struct shapes_case *c, uint64_t record)
{
    return c->expected + record * c->tape.pattern_count;
}

/* A sink: compares the cells of the batch's records: values, number and order. */
static int check_cells(void *context, const struct trawl_cells *cells)
{
    struct shapes_case *c = (struct shapes_case *)context;
    uint64_t at = 0;

    TEST_CHECK_U64(cells->record_begin, c->rows_seen);
    if (!TEST_CHECK(cells->record_end >= cells->record_begin &&
                    cells->record_end <= c->array.record_count))
        return 1;
    for (uint64_t r = cells->record_begin; r < cells->record_end; r++)
        for (uint64_t p = 0; p < c->tape.pattern_count; p++) {
            int64_t begin = expected_row(c, r)[p];

            if (begin < 0)
                continue;
            if (at < cells->cell_count) {
                TEST_CHECK_U64(cells->records[at], r);
                TEST_CHECK_U64(cells->patterns[at], p);
                TEST_CHECK_U64(cells->begins[at], (uint64_t)begin);
            }
            at++;
        }
    TEST_CHECK_U64(cells->cell_count, at);
    c->rows_seen = cells->record_end;
    return 0;
}

/* Compares the bits of all records, and their number. */
static void check_bits(const struct shapes_case *c, const uint8_t *bits, uint64_t set_count)
{
    const uint64_t rows = c->array.record_count;
    uint64_t expected = 0;

    for (uint64_t r = 0; r < rows; r++) {
        bool any = false;

        for (uint64_t p = 0; p < c->tape.pattern_count; p++)
            any = any || expected_row(c, r)[p] >= 0;
        TEST_CHECK_U64(bits[r / 8] >> r % 8 & 1, any);
        expected += any;
    }
    if (rows % 8 != 0)
        TEST_CHECK((bits[rows / 8] >> rows % 8) == 0);
    TEST_CHECK_U64(set_count, expected);
}

enum trawl_status shapes_search(struct shapes_case *c, struct trawl_searcher *searcher,
                                const struct trawl_plan *plan, enum shapes_form form,
                                struct trawl_error *error)
{
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    enum trawl_status status;

    c->rows_seen = 0;
    /* The expected answer is computed only now, because a test draws many cases and runs only a few
     * of them. */
    if (c->expected == NULL) {
        c->expected = (int64_t *)test_memory((c->array.record_count * c->tape.pattern_count + 1) *
                                             sizeof *c->expected);
        for (uint64_t i = 0; i < c->array.record_count; i++)
            expect_row(c, i);
    }
    if (form == SHAPES_CELLS) {
        out.cells = check_cells;
        out.context = c;
        status = call_records(searcher, plan, &c->array, TRAWL_RECORDS_CELLS, &out, error);
        if (status == TRAWL_OK)
            TEST_CHECK_U64(c->rows_seen, c->array.record_count);
        return status;
    }
    out.values = test_memory(c->array.record_count / 8 + 1);
    out.room = c->array.record_count;
    status = call_records(searcher, plan, &c->array, TRAWL_RECORDS_BITS, &out, error);
    if (status == TRAWL_OK)
        check_bits(c, (const uint8_t *)out.values, out.count);
    free(out.values);
    return status;
}

void shapes_mix(struct test_random *random, struct shapes_case *c,
                struct trawl_searcher *const searchers[2], const struct trawl_plan *plan,
                uint32_t steps)
{
    struct diff_expected expected;
    struct trawl_text *text = NULL;

    expected_compute(&c->tape, &expected);
    TEST_CHECK(call_memory(c->tape.text, c->tape.text_bytes, &text, NULL) == TRAWL_OK);
    for (uint32_t i = 0; i < steps && test_failures == 0; i++) {
        struct trawl_searcher *searcher = searchers[test_random_below(random, 2)];
        uint32_t call = (uint32_t)test_random_below(random, 2 * SHAPES + HELD_CALLS);
        struct held held = held_begin(&c->tape, &expected, plan, searcher, text);

        if (call >= HELD_CALLS)
            TEST_CHECK(shapes_search(c, searcher, plan, (enum shapes_form)(call % SHAPES), NULL) ==
                       TRAWL_OK);
        else if (!TEST_CHECK(held_search(&held, (enum held_call)call, NULL) == TRAWL_OK &&
                             held.right))
            printf("  call %" PRIu32 ", %s: %s\n", i, held_name((enum held_call)call),
                   held.message);
        held_end(&held);
    }
    trawl_text_close(text);
    expected_free(&expected);
}
