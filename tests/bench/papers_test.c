/* papers_test: tables and sentences of `trawl-bench papers` say what the figures say.
 *
 * papers_test             made-up figures, expected sentences word for word
 * papers_test FILE.json   the claims of a run: each case of each is turned round, and each sentence
 *                         must turn with it */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"
#include "test.h"

static struct paper *paper;

struct paper *paper_open(const char *name)
{
    struct paper *opened = (struct paper *)calloc(1, sizeof *opened);

    if (opened == NULL)
        fail("no memory");
    opened->name = name;
    return opened;
}

/* A figure whose runs took these times, in seconds. */
static struct figure *measured(double first, double second)
{
    struct figure *figure = paper_figure(paper);

    figure->state = FIGURE_MEASURED;
    figure->runs = 2;
    samples_add(&figure->part[PART_WHOLE], first);
    samples_add(&figure->part[PART_WHOLE], second);
    return figure;
}

static struct figure *took(double seconds)
{
    return measured(seconds, seconds);
}

static void take_seconds(struct figure *figure, double seconds)
{
    figure->state = FIGURE_MEASURED;
    figure->factor = 1;
    for (uint32_t part = 0; part < PARTS; part++) {
        figure->part[part].count = 0;
        samples_add(&figure->part[part], seconds);
    }
}

static bool text_is(const char *text, const char *expected)
{
    if (strcmp(text, expected) != 0)
        printf("\"%s\", not \"%s\"\n", text, expected);
    return strcmp(text, expected) == 0;
}

static bool cell_is(const struct table *table, uint32_t row, uint32_t column, const char *expected)
{
    char text[NAME_BYTES];

    cell_text(table, &table->cell[row][column], text);
    return text_is(text, expected);
}

/* ---- Tables ------------------------------------------------------------------------------- */

static void test_cells(void)
{
    struct table *table = paper_table(paper, 1e3, "ms", "who", "Table %s", "X");
    struct figure *slow = measured(0.010, 0.030), *fast = took(0.004), *part = took(0.002);
    struct figure *none = paper_figure(paper), *skewed = measured(0.010, 0.011);

    part->factor = 8; /* an eighth of the work was run */
    none->state = FIGURE_NO_GPU;
    samples_add(&none->part[PART_WHOLE], 1); /* is not looked at */
    samples_add(&skewed->part[PART_WHOLE], 0.012);
    samples_add(&skewed->part[PART_WHOLE], 0.1002);
    skewed->runs = 10;
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
    table_grids(table, 2, 2, fast, CELL_GRIDS);
    TEST_CHECK(strcmp(table->title, "Table X") == 0 && strcmp(table->row[2], "row 2") == 0);
    TEST_CHECK(cell_is(table, 0, 0, "32.67"));
    TEST_CHECK(cell_is(table, 0, 1, "20.0 ~")); /* 10 and 30 ms lie apart */
    TEST_CHECK(cell_is(table, 0, 2, "-"));      /* no kernel was timed */
    TEST_CHECK(cell_is(table, 1, 0, "5.00"));
    TEST_CHECK(cell_is(table, 1, 1, "no GPU"));
    TEST_CHECK(cell_is(table, 1, 2, "-"));
    TEST_CHECK(cell_is(table, 2, 0, "16.0"));
    TEST_CHECK(cell_is(table, 2, 1, "no GPU"));
    TEST_CHECK(cell_is(table, 2, 2, "12"));
    table_grids(table, 2, 2, fast, CELL_SPILLS);
    TEST_CHECK(cell_is(table, 2, 2, "0"));
    table_grids(table, 2, 2, none, CELL_WITHHELD);
    TEST_CHECK(cell_is(table, 2, 2, "no GPU"));
    table_published(table, 1, 1, 4); /* as many decimals as the table's other numbers */
    TEST_CHECK(cell_is(table, 1, 1, "4.00"));
    table_published(table, 0, 0, 2746);
    TEST_CHECK(cell_is(table, 0, 0, "2746") && cell_is(table, 1, 1, "4"));
    table_time(table, 0, 0, skewed, PART_WHOLE);
    TEST_CHECK(cell_is(table, 0, 0, "11.5 (33.3) ~ [4]")); /* median, mean, spread, runs */
    table->means = true;
    TEST_CHECK(cell_is(table, 0, 0, "33.3 ~ [4]"));
}

static void test_states(void)
{
    struct table *table = paper_table(paper, 1, "s", "", "states");
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

/* The parts of a row add up to its total, since they are means. */
static void test_parts(void)
{
    static const double runs[2][PARTS] = {{10, 1, 0, 2, 3, 1, 2, 1, 3},
                                          {20, 1, 1, 4, 9, 1, 2, 2, 5}};
    struct figure *figure = paper_figure(paper);
    uint32_t first = paper->figure_count - 1;
    struct table *table;
    double sum = 0, value, whole = 0;

    figure->state = FIGURE_MEASURED;
    figure->host = HOST_GPU;
    figure->side = SIDE_PUBLISHED;
    figure_keep(figure, runs[0]);
    figure_keep(figure, runs[1]);
    paper_parts(paper, first, "caption");
    table = &paper->table[paper->table_count - 1];
    TEST_CHECK(table->row_count == 1 && table->column_count == 8 && table->means);
    for (uint32_t i = 0; i + 1 < table->column_count; i++) {
        TEST_CHECK(cell_value(table, &table->cell[0][i], &value));
        sum += value;
    }
    TEST_CHECK(cell_value(table, &table->cell[0][7], &whole));
    TEST_CHECK(sum > 14999 && sum < 15001 && whole > 14999 && whole < 15001);
}

/* ---- Sentences ---------------------------------------------------------------------------- */

static bool sentence_is(const struct claim *claim, const char *expected)
{
    char text[SENTENCE_BYTES];

    if (!claim_sentence(claim, text))
        return expected == NULL;
    return expected != NULL && text_is(text, expected);
}

static const struct claim *last_claim(void)
{
    return &paper->claim[paper->claim_count - 1];
}

static void test_ratios(void)
{
    struct figure *slow = took(0.020), *fast = took(0.010), *near = took(0.0204);
    struct figure *none = paper_figure(paper);

    none->state = FIGURE_NO_GPU;
    paper_faster(paper, "a", fast, PART_WHOLE, "b", slow, PART_WHOLE, 0.95, "one");
    TEST_CHECK(sentence_is(last_claim(),
                           "a: 0.500 times the time of b; faster in 1 of 1 cells, "
                           "slower in 0. Published: faster (0.950); holds in 1 of 1."));
    paper_faster(paper, "a", near, PART_WHOLE, "b", slow, PART_WHOLE, 0.9, "two");
    paper_faster(paper, "a", none, PART_WHOLE, "b", slow, PART_WHOLE, 0.8, "three");
    TEST_CHECK(sentence_is(
        last_claim(), "a: 0.500 to 1.02 times the time of b; faster in 1 of 2 cells, slower "
                      "in 1, within 5 % in 1. Slower: two. Published: faster (0.900 to 0.950); "
                      "holds in 1 of 2."));
    TEST_CHECK(paper->claim_count == 1 && last_claim()->count == 3);
    paper_slower(paper, "c", slow, PART_WHOLE, "d", fast, PART_WHOLE, 0, "one");
    TEST_CHECK(sentence_is(last_claim(), "c: 2.00 times the time of d; faster in 0 of 1 cells, "
                                         "slower in 1. Published: slower; holds in 1 of 1."));
    paper_ours(paper, "a", slow, PART_WHOLE, "b", fast, PART_WHOLE, "one");
    TEST_CHECK(sentence_is(last_claim(), "Ours: a: 2.00 times the time of b; faster in 0 of 1 "
                                         "cells, slower in 1."));
    paper_ours(paper, "a", slow, PART_KERNEL, "no kernel", fast, PART_WHOLE, "one");
    TEST_CHECK(sentence_is(last_claim(), NULL));
}

static void test_bounds(void)
{
    struct claim *claim = paper_claim(paper, CLAIM_RATIO, false, "e", "f");

    claim->at_least = true;
    claim->bound = 1.2;
    snprintf(claim->published, sizeof claim->published, "1.2 to 1.4 times");
    (void)claim_add(claim, "one", took(0.026), PART_WHOLE, took(0.020), PART_WHOLE);
    (void)claim_add(claim, "two", took(0.022), PART_WHOLE, took(0.020), PART_WHOLE);
    TEST_CHECK(sentence_is(claim,
                           "e: 1.10 to 1.30 times the time of f; at least 1.2 times in "
                           "1 of 2 cells. Not so: two. Published: 1.2 to 1.4 times; holds in "
                           "1 of 2."));
}

static void test_gains(void)
{
    struct claim *claim = paper_claim(paper, CLAIM_GAIN, false, "the gain", "that of g");
    struct claim_case *one =
        claim_add(claim, "one", took(0.030), PART_WHOLE, took(0.010), PART_WHOLE);

    one->base_left = took(0.060);
    one->base_right = took(0.010);
    TEST_CHECK(sentence_is(claim, "the gain is 0.500 times that of g: smaller in 1 of 1 cells. "
                                  "Published: smaller; holds in 1 of 1."));
}

static void test_best(void)
{
    struct claim *claim = paper_claim(paper, CLAIM_BEST, false, "h", "i");

    claim->bound = 35;
    (void)claim_add(claim, "one", took(0.010), PART_WHOLE, took(0.040), PART_WHOLE);
    (void)claim_add(claim, "two", took(0.010), PART_WHOLE, took(0.400), PART_WHOLE);
    TEST_CHECK(sentence_is(claim,
                           "h is at best 40.0 times as fast as i (two), at worst 4.00 times. "
                           "Published: up to 35 times; reached in 1 of 2 cells."));
}

static void test_crossings(void)
{
    static const double left[] = {2, 1, 1, 2}, right[] = {1, 2, 4, 1};
    struct claim *claim = paper_claim(paper, CLAIM_CROSSINGS, false, "j", "k");

    claim->bound = 30;
    snprintf(claim->published, sizeof claim->published, "faster from 30 on");
    for (uint32_t i = 0; i < 4; i++) {
        double x[] = {10, 40, 160, 640};
        struct claim_case *one =
            claim_add(claim, "length", took(left[i]), PART_WHOLE, took(right[i]), PART_WHOLE);

        one->x = x[i];
    }
    TEST_CHECK(sentence_is(claim,
                           "j compared with k: slower at 10, faster from 20, slower from 403; 2 "
                           "crossings between 10 and 640 (ratios 0.250 to 2.00). Published: "
                           "faster from 30 on; the nearest here is 0.67 times that: holds "
                           "within a factor of 2."));
    TEST_CHECK(claim_count(claim).known == 1 && claim_count(claim).holds == 1);
    claim->count = 1;
    TEST_CHECK(sentence_is(claim,
                           "j compared with k: slower at 10; 0 crossings between 10 and 10 (ratios "
                           "2.00). Published: faster from 30 on; there is none here: does "
                           "not hold."));
}

/* ---- Order -------------------------------------------------------------------------------- */

/* Each round has each contestant once, those of the device together and last; over as many rounds
 * as there are contestants of a kind each comes at each of the kind's places. */
static void test_order(void)
{
    static const enum host hosts[] = {HOST_GPU,     HOST_ONE, HOST_COMMAND,
                                      HOST_GPU_OWN, HOST_ALL, HOST_GPU};
    enum { COUNT = 6, CORES = 3 };
    uint32_t seen[COUNT][COUNT] = {{0}};
    struct race race = {.count = COUNT};

    for (uint32_t i = 0; i < COUNT; i++)
        race.contestant[i].host = hosts[i];
    for (uint32_t round = 0; round < CORES; round++)
        for (uint32_t place = 0; place < COUNT; place++) {
            uint32_t who = race_at(&race, round, place);

            TEST_CHECK(contestant_on_device(&race.contestant[who]) == (place >= CORES));
            seen[who][place]++;
        }
    for (uint32_t who = 0; who < COUNT; who++)
        for (uint32_t place = 0; place < COUNT; place++)
            TEST_CHECK_U64(seen[who][place],
                           contestant_on_device(&race.contestant[who]) == (place >= CORES));
}

/* ---- Losses ------------------------------------------------------------------------------- */

static struct figure *runner(const char *who, enum host host, enum side side, double seconds)
{
    struct figure *figure = took(seconds);

    snprintf(figure->who, sizeof figure->who, "%s", who);
    snprintf(figure->on, sizeof figure->on, "X");
    figure->host = host;
    figure->side = side;
    return figure;
}

static void losses_of(struct paper *one, char *text, size_t text_bytes)
{
    struct paper *const papers[] = {one};
    FILE *file = fmemopen(text, text_bytes, "w");

    if (file == NULL)
        fail("no memory");
    papers_losses(papers, 1, file);
    fclose(file);
}

static void test_losses(void)
{
    struct figure *rival, *own, *other;
    static char text[4096];

    paper = paper_open("losing");
    rival = runner("rival", HOST_GPU, SIDE_PUBLISHED, 0.001);
    own = runner("trawl, GPU", HOST_GPU_OWN, SIDE_OWN, 0.002);
    other = runner("trawl, one core", HOST_ONE, SIDE_OWN, 0.003);
    losses_of(paper, text, sizeof text);
    TEST_CHECK(strstr(text, "In 1 cells") != NULL &&
               strstr(text, "longer in 1 of them; in 1 of those") != NULL);
    TEST_CHECK(strstr(text, "- losing, device, X: trawl takes 2.00 ms, longer than rival (1.00 "
                            "ms)*. Why: not explained.") != NULL);
    take_seconds(other, 0.0005);
    losses_of(paper, text, sizeof text);
    TEST_CHECK(strstr(text, "longer in 1 of them; in 0 of those") != NULL &&
               strstr(text, "ms). Why") != NULL);
    take_seconds(own, 0.0005);
    losses_of(paper, text, sizeof text);
    TEST_CHECK(strstr(text, "longer in 0 of them") != NULL && strstr(text, "- losing") == NULL);
    rival->state = FIGURE_NO_GPU;
    losses_of(paper, text, sizeof text);
    TEST_CHECK(strstr(text, "In 0 cells") != NULL);
    free(paper);
}

/* ---- Reasons ------------------------------------------------------------------------------ */

static void take_part(struct figure *figure, enum part part, double seconds)
{
    figure->part[part].count = 0;
    samples_add(&figure->part[part], seconds);
}

static bool says(struct paper *one, const char *words)
{
    static char text[4096];
    bool is_there;

    losses_of(one, text, sizeof text);
    is_there = strstr(text, words) != NULL;
    if (!is_there)
        printf("\"%s\" is not in: %s\n", words, text);
    return is_there;
}

/* Figures that bear a reason out, and the same turned round. */
static void test_reason_plan(struct figure *rival, struct figure *own)
{
    take_part(own, PART_PLAN, 0.0015);
    take_part(rival, PART_PLAN, 0.0001);
    TEST_CHECK(says(paper, "Why: the plan: trawl chooses a method and builds its tables in 1.50 "
                           "ms, the other's takes 0.100 ms; without them trawl takes 0.500 ms, the "
                           "other 0.900 ms."));
    take_part(own, PART_PLAN, 0.0010);
    TEST_CHECK(says(paper, "Why: not explained."));
}

static void test_reason_near(struct figure *rival, struct figure *own)
{
    own->part[PART_PLAN].count = 0;
    take_part(own, PART_WHOLE, 0.00104);
    samples_add(&own->part[PART_WHOLE], 0.00106);
    samples_add(&own->part[PART_WHOLE], 0.0008);
    TEST_CHECK(says(paper, "Why: the runs overlap: trawl's quickest takes 0.800 ms, its median "
                           "1.04 ms, the other's median 1.00 ms."));
    take_part(own, PART_WHOLE, 0.00104);
    TEST_CHECK(says(paper, "Why: not explained."));
    take_part(own, PART_WHOLE, 0.002);
    take_part(rival, PART_WHOLE, 0.001);
}

static void test_reason_device(struct figure *rival, struct figure *own)
{
    take_part(own, PART_PLAN, 0.0010);
    take_part(own, PART_SEARCH, 0.003);
    take_part(rival, PART_COPY_IN, 0.0006);
    take_part(rival, PART_KERNEL, 0.0001);
    TEST_CHECK(says(paper, "Why: one round trip each: trawl's plan takes 1.00 ms, and tables, "
                           "copies, kernels and answer 3.00 ms; the other's copy to the device "
                           "0.600 ms, its kernel 0.100 ms, and all else 0.300 ms."));
    own->chunks = 7;
    take_part(own, PART_READY, 0.004);
    TEST_CHECK(says(
        paper, "Why: the chunks: trawl copies 7 of them to pinned memory in 4.00 ms, summed over "
               "its threads, and searches them in 3.00 ms, summed over the device's workers; the "
               "other makes one copy in 0.600 ms and runs one kernel of 0.100 ms."));
    rival->part[PART_KERNEL].count = 0;
    TEST_CHECK(says(paper, "Why: not explained."));
}

static void test_reason_call(struct figure *rival, struct figure *own)
{
    rival->host = own->host = HOST_ONE;
    take_part(own, PART_SEARCH, 0.0004);
    TEST_CHECK(says(paper, "Why: the time around the search: trawl's plan takes 1.00 ms, its "
                           "search 0.400 ms, and the call with both 0.600 ms; the other's plan "
                           "takes 0.100 ms, its search and the call 0.900 ms."));
    take_part(own, PART_SEARCH, 0.0014); /* more than the whole */
    TEST_CHECK(says(paper, "Why: not explained."));
    rival->host = HOST_GPU;
    own->host = HOST_GPU_OWN;
}

static void test_reason_process(struct figure *rival, struct figure *own)
{
    struct figure *inside = runner("trawl, one core", HOST_ONE, SIDE_OWN, 0.0004);

    rival->host = own->host = HOST_COMMAND;
    TEST_CHECK(says(paper,
                    "Why: the process: inside a running one, trawl's search takes 0.400 ms; the "
                    "rest is starting process and threads, reading the file, and ending."));
    take_seconds(inside, 0.005);
    TEST_CHECK(says(paper, "Why: not explained."));
    rival->host = HOST_GPU;
    own->host = HOST_GPU_OWN;
}

static void test_reason_dense(struct figure *rival, struct figure *own)
{
    struct figure *rival_sparse = runner("rival", HOST_GPU, SIDE_PUBLISHED, 0.0009);
    struct figure *own_sparse = runner("trawl, GPU", HOST_GPU_OWN, SIDE_OWN, 0.0005);

    snprintf(rival->on, sizeof rival->on, "dense, M = 2");
    snprintf(own->on, sizeof own->on, "dense, M = 2");
    snprintf(rival_sparse->on, sizeof rival_sparse->on, "sparse, M = 2");
    snprintf(own_sparse->on, sizeof own_sparse->on, "sparse, M = 2");
    own->occurrences = 1000;
    own->answers = 400;
    TEST_CHECK(says(paper, "Why: the occurrences: where they are few, trawl takes 0.500 ms for as "
                           "many cells, the other 0.900 ms; here trawl finds 1000, of which 400 "
                           "are the first of a cell, and each adds 1500 ns."));
    take_seconds(own_sparse, 0.0019);
    TEST_CHECK(says(paper, "Why: not explained."));
    own_sparse->state = rival_sparse->state = FIGURE_EMPTY;
}

/* Programs with one reason are one line, with the values from the least to the most. */
static void test_reason_range(struct figure *rival, struct figure *own)
{
    struct figure *more = runner("other", HOST_GPU, SIDE_PUBLISHED, 0.0012);

    snprintf(rival->on, sizeof rival->on, "X");
    snprintf(own->on, sizeof own->on, "X");
    take_part(more, PART_PLAN, 0.0002);
    take_part(own, PART_PLAN, 0.0015);
    TEST_CHECK(says(paper, "X: trawl takes 2.00 ms, longer than rival (1.00 ms)*, other (1.20 "
                           "ms)*. Why: the plan: trawl chooses a method and builds its tables in "
                           "1.50 ms, the other's takes 0.100 to 0.200 ms; without them trawl takes "
                           "0.500 ms, the other 0.900 to 1.00 ms."));
}

static void test_reasons(void)
{
    struct figure *rival, *own;

    paper = paper_open("reasons");
    rival = runner("rival", HOST_GPU, SIDE_PUBLISHED, 0.001);
    own = runner("trawl, GPU", HOST_GPU_OWN, SIDE_OWN, 0.002);
    test_reason_plan(rival, own);
    test_reason_near(rival, own);
    test_reason_device(rival, own);
    test_reason_call(rival, own);
    test_reason_process(rival, own);
    test_reason_dense(rival, own);
    test_reason_range(rival, own);
    free(paper);
}

/* ---- Every claim of a run ----------------------------------------------------------------- */

/* Make left this many times as slow as right, in one case; figures of other cases are apart. */
static void set_case(struct claim_case *one, struct figure copies[4], double ratio)
{
    for (uint32_t i = 0; i < 4; i++)
        take_seconds(&copies[i], 0.010);
    take_seconds(&copies[0], 0.010 * ratio);
    one->left = &copies[0];
    one->right = &copies[1];
    if (one->base_left != NULL) {
        one->base_left = &copies[2];
        one->base_right = &copies[3];
    }
}

/* Cases that a sentence counts as so, from its words. */
static void check_turned(struct claim *claim, uint32_t turned)
{
    static struct figure copies[CLAIM_CASES_MAX][4];
    double toward = claim->at_least ? 4.0 : 0.25, away = 1 / toward;
    char before[SENTENCE_BYTES], after[SENTENCE_BYTES], words[NAME_BYTES];
    struct claim_count count;

    if (claim->kind == CLAIM_BEST) {
        toward = 1 / (2 * claim->bound);
        away = 2;
    } else if (claim->kind == CLAIM_RATIO && claim->at_least) {
        toward = 2 * claim->bound;
        away = claim->bound / 2;
    }
    for (uint32_t i = 0; i < claim->count; i++)
        set_case(&claim->cases[i], copies[i], toward);
    TEST_CHECK(claim_sentence(claim, before));
    if (claim->kind != CLAIM_CROSSINGS) {
        count = claim_count(claim);
        TEST_CHECK(count.known == claim->count && count.holds == claim->count);
        snprintf(words, sizeof words, "%u of %u", claim->count, claim->count);
        TEST_CHECK(claim->ours || strstr(before, words) != NULL);
    }
    TEST_CHECK((strstr(before, "Ours: ") == before) == claim->ours);
    set_case(&claim->cases[turned], copies[turned], away);
    TEST_CHECK(claim_sentence(claim, after));
    if (strcmp(before, after) == 0)
        printf("does not turn: %s\n", before);
    TEST_CHECK(strcmp(before, after) != 0);
    if (claim->kind != CLAIM_CROSSINGS) {
        TEST_CHECK(claim_count(claim).holds == claim->count - 1);
        snprintf(words, sizeof words, "%u of %u", claim->count - 1, claim->count);
        TEST_CHECK(claim->ours || strstr(after, words) != NULL);
    }
}

static void test_run(const char *path)
{
    static struct papers papers;
    static struct options options;
    struct paper *loaded[PAPERS_MAX];
    uint32_t count = papers_load(path, &papers, &options, loaded), turned = 0;

    TEST_CHECK(count == 5);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < loaded[i]->claim_count; k++)
            for (uint32_t c = 0; c < loaded[i]->claim[k].count; c++) {
                check_turned(&loaded[i]->claim[k], c);
                turned++;
            }
    for (uint32_t i = 0; i < count; i++)
        free(loaded[i]);
    printf("%u cases turned\n", turned);
    TEST_CHECK(turned > 100);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        test_run(argv[1]);
        return test_end();
    }
    paper = paper_open("test");
    test_cells();
    test_states();
    test_parts();
    test_ratios();
    test_bounds();
    test_gains();
    test_best();
    test_crossings();
    test_order();
    free(paper);
    test_losses();
    test_reasons();
    return test_end();
}
