/* papers_test: tables and orderings of `trawl-bench papers` say what the figures say. */
#include <string.h>

#include "bench/papers.h"
#include "test.h"

static struct paper paper = {.name = "test"};

/* A figure whose runs took these times, in seconds. */
static struct figure *measured(double first, double second)
{
    struct figure *figure = paper_figure(&paper);

    figure->state = FIGURE_MEASURED;
    samples_add(&figure->whole, first);
    samples_add(&figure->whole, second);
    return figure;
}

static bool cell_is(const struct table *table, uint32_t row, uint32_t column, const char *expected)
{
    char text[NAME_BYTES];

    cell_text(table, &table->cell[row][column], text);
    if (strcmp(text, expected) != 0)
        printf("cell %u, %u: \"%s\", not \"%s\"\n", row, column, text, expected);
    return strcmp(text, expected) == 0;
}

static void test_cells(void)
{
    struct table *table = paper_table(&paper, 1e3, "ms", "who", "Table %s", "X");
    struct figure *slow = measured(0.010, 0.030), *fast = measured(0.004, 0.004);
    struct figure *part = measured(0.002, 0.002), *none = paper_figure(&paper);

    part->factor = 8; /* an eighth of the work was run */
    none->state = FIGURE_NO_GPU;
    samples_add(&none->whole, 1); /* is not looked at */
    for (uint32_t i = 0; i < 3; i++) {
        (void)table_row(table, "row %u", i);
        (void)table_column(table, "column %u", i);
    }
    table_published(table, 0, 0, 32.67);
    table_time(table, 0, 1, slow, PART_WHOLE);
    table_time(table, 0, 2, slow, PART_KERNEL);
    table_speedup(table, 1, 0, fast, slow);
    table_speedup(table, 1, 1, none, slow);
    table_speedup(table, 1, 2, fast, none);
    table_time(table, 2, 0, part, PART_WHOLE);
    table_time(table, 2, 1, none, PART_WHOLE);
    fast->child_grids = 12;
    table_grids(table, 2, 2, fast, false);
    TEST_CHECK(strcmp(table->title, "Table X") == 0 && strcmp(table->row[2], "row 2") == 0);
    TEST_CHECK(cell_is(table, 0, 0, "32.7"));
    TEST_CHECK(cell_is(table, 0, 1, "20.0")); /* the mean of 10 and 30 ms */
    TEST_CHECK(cell_is(table, 0, 2, "-"));    /* no kernel was timed */
    TEST_CHECK(cell_is(table, 1, 0, "5.00"));
    TEST_CHECK(cell_is(table, 1, 1, "no GPU"));
    TEST_CHECK(cell_is(table, 1, 2, "-"));
    TEST_CHECK(cell_is(table, 2, 0, "16.0"));
    TEST_CHECK(cell_is(table, 2, 1, "no GPU"));
    TEST_CHECK(cell_is(table, 2, 2, "12"));
    table_grids(table, 2, 2, fast, true);
    TEST_CHECK(cell_is(table, 2, 2, "0"));
    table_grids(table, 2, 2, none, true);
    TEST_CHECK(cell_is(table, 2, 2, "no GPU"));
    TEST_CHECK(cell_is(table, 1, 2, "-"));
}

static void test_states(void)
{
    struct table *table = paper_table(&paper, 1, "s", "", "states");
    static const struct {
        enum figure_state state;
        const char *text;
    } rows[] = {{FIGURE_EMPTY, "-"},         {FIGURE_NO_GPU, "no GPU"}, {FIGURE_MISSING, "missing"},
                {FIGURE_REFUSED, "refused"}, {FIGURE_FAILED, "failed"}, {FIGURE_WRONG, "wrong"},
                {FIGURE_LATE, "no time"}};

    (void)table_column(table, "only");
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct figure *figure = measured(1, 2);

        figure->state = rows[i].state;
        table_time(table, table_row(table, "%u", i), 0, figure, PART_WHOLE);
        TEST_CHECK(cell_is(table, i, 0, rows[i].text));
    }
}

static void test_orderings(void)
{
    const struct figure *slow = measured(0.010, 0.030), *fast = measured(0.004, 0.004);
    struct figure *none = paper_figure(&paper);
    const struct ordering *ordering = paper.ordering;

    none->state = FIGURE_NO_GPU;
    paper_at_most(&paper, fast, PART_WHOLE, slow, PART_WHOLE, 1, 0.95, "%s <= %s", "a", "b");
    paper_at_most(&paper, slow, PART_WHOLE, fast, PART_WHOLE, 1, 0, "b <= a");
    paper_at_most(&paper, slow, PART_WHOLE, fast, PART_WHOLE, 5, 0, "b <= 5 a");
    paper_at_least(&paper, slow, PART_WHOLE, fast, PART_WHOLE, 5, 0, "b >= 5 a");
    paper_at_least(&paper, fast, PART_WHOLE, slow, PART_WHOLE, 1, 0, "a >= b");
    paper_at_most(&paper, none, PART_WHOLE, slow, PART_WHOLE, 1, 0, "unknown");
    paper_at_least(&paper, slow, PART_KERNEL, fast, PART_WHOLE, 1, 0, "no kernel");
    TEST_CHECK(paper.ordering_count == 7);
    TEST_CHECK(ordering[0].state == ORDERING_HOLDS && strcmp(ordering[0].text, "a <= b") == 0);
    TEST_CHECK(ordering[0].value > 0.1999 && ordering[0].value < 0.2001);
    TEST_CHECK(ordering[0].published > 0.94 && ordering[0].published < 0.96);
    TEST_CHECK(ordering[1].state == ORDERING_FAILS && ordering[1].value > 4.999);
    TEST_CHECK(ordering[2].state == ORDERING_HOLDS);
    TEST_CHECK(ordering[3].state == ORDERING_HOLDS);
    TEST_CHECK(ordering[4].state == ORDERING_FAILS);
    TEST_CHECK(ordering[5].state == ORDERING_UNKNOWN);
    TEST_CHECK(ordering[6].state == ORDERING_UNKNOWN);
}

int main(void)
{
    test_cells();
    test_states();
    test_orderings();
    return test_end();
}
