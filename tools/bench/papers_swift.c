/* papers_swift: figures 6 to 9 of SWIFT, and where its hybrid had better change over.
 *
 * The bars of its figures survive only as ratios and orderings, so no table of it has a published
 * column; the ratios stand beside ours in the orderings. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define LENGTHS 2u
#define ALGORITHMS 3u
#define FORMS 6u
#define SWEEP_MAX 15u
#define PATTERN_SEED 29u
#define THRESHOLD_PUBLISHED 800.0
#define NAMES_BYTES 32u

static const uint64_t lengths[LENGTHS] = {500, 1500};
static const char *const algorithms[ALGORITHMS] = {"bf", "qs", "hp"};
static const char *const forms[FORMS] = {
    "", "-shared", "-swift", "-swift-binning", "-swift-chunking", "-hybrid"};
enum form { GENERIC, SHARED, SWIFT, BINNING, CHUNKING, HYBRID };
static const char *const text_names[CORPUS_KINDS] = {"bible", "world192", "E. coli", "Sample-Text"};
static const uint64_t sweep_lengths[SWEEP_MAX] = {50,  100, 200,  300,  400,  500,  600, 700,
                                                  800, 900, 1000, 1200, 1500, 2000, 3000};

/* All that was measured for one text and one length. */
struct cells {
    const struct figure *form[ALGORITHMS][FORMS];
    const struct figure *one[ALGORITHMS], *all[ALGORITHMS];
    const struct figure *trawl_one, *trawl_all, *trawl_gpu, *grep;
};

static char names[ALGORITHMS][FORMS][NAMES_BYTES];

static void write_names(void)
{
    for (uint32_t a = 0; a < ALGORITHMS; a++)
        for (uint32_t f = 0; f < FORMS; f++)
            snprintf(names[a][f], sizeof names[a][f], "%s%s", algorithms[a], forms[f]);
}

/* A pattern of grep ends at a line end. So it gets a copy of text and pattern in which a byte that
 * no text holds stands for it: the same places match. */
static void without_lines(uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = bytes[i] == '\n' ? 1 : bytes[i];
}

static const char *write_copy(struct papers *papers, const char *name, const struct corpus *corpus)
{
    uint8_t *copy = (uint8_t *)allocate(corpus->bytes_count);
    const char *path;

    memcpy(copy, corpus->bytes, corpus->bytes_count);
    without_lines(copy, corpus->bytes_count);
    path = files_write(&papers->files, name, copy, corpus->bytes_count);
    free(copy);
    return path;
}

/* m bytes of the text; as many as an eighth of it at most. */
static struct trawl_pattern take_pattern(const struct corpus *corpus, uint64_t bytes)
{
    struct seeded seeded = {PATTERN_SEED + bytes};

    if (bytes > corpus->bytes_count / 8)
        bytes = corpus->bytes_count / 8;
    return (struct trawl_pattern){
        corpus->bytes + seeded_below(&seeded, corpus->bytes_count - bytes), bytes};
}

static void expect_copy(struct papers *papers, const struct question *question, const char *path,
                        char *text, struct command_line *grep)
{
    struct question copy = *question;
    struct trawl_pattern pattern = {text, question->patterns->bytes_count};

    memcpy(text, question->patterns->bytes, pattern.bytes_count);
    without_lines((uint8_t *)text, pattern.bytes_count);
    text[pattern.bytes_count] = '\0';
    copy.patterns = &pattern;
    command_grep(papers, grep, "-F -a -o -b", text, path);
    expect_only_matching(&copy, grep);
}

/* ---- Figures 6 to 9 ----------------------------------------------------------------------- */

static void race_text(struct papers *papers, const struct corpus *corpus, const char *path,
                      const char *name, uint64_t length, struct cells *cells)
{
    struct trawl_pattern pattern = take_pattern(corpus, length);
    char *text = (char *)allocate(pattern.bytes_count + 1), title[NAME_BYTES];
    struct command_line grep;
    struct question question;
    struct race race = {.count = 0};

    snprintf(title, sizeof title, "%s, m = %llu", name, (unsigned long long)pattern.bytes_count);
    question_open(&question, ASK_POSITIONS, title, corpus->bytes, corpus->bytes_count, &pattern);
    question.loaded = true;
    expect_copy(papers, &question, path, text, &grep);
    for (uint32_t a = 0; a < ALGORITHMS; a++) {
        for (uint32_t f = 0; f < FORMS; f++)
            cells->form[a][f] = race_library(papers, &race, HOST_GPU, names[a][f], names[a][f]);
        cells->one[a] = race_library(papers, &race, HOST_ONE, algorithms[a], algorithms[a]);
        cells->all[a] = race_library(papers, &race, HOST_ALL, algorithms[a], algorithms[a]);
    }
    cells->trawl_one = race_library(papers, &race, HOST_ONE, NULL, "trawl, one core");
    cells->trawl_all = race_library(papers, &race, HOST_ALL, NULL, "trawl, all cores");
    cells->trawl_gpu = race_library(papers, &race, HOST_GPU_OWN, NULL, "trawl, GPU");
    cells->grep = race_command(papers, &race, &grep, "grep -F -o -b");
    papers_race(papers, &question, &race, papers->options->rounds);
    question_close(&question);
    free(text);
}

static void fill_row(struct table *table, uint32_t row, const struct cells *cells, uint32_t a)
{
    for (uint32_t f = 0; f < FORMS; f++)
        table_time(table, row, f, cells->form[a][f], PART_KERNEL);
    table_time(table, row, FORMS, cells->one[a], PART_WHOLE);
    table_time(table, row, FORMS + 1, cells->all[a], PART_WHOLE);
    table_time(table, row, FORMS + 2, cells->trawl_one, PART_WHOLE);
    table_time(table, row, FORMS + 3, cells->trawl_all, PART_WHOLE);
    table_time(table, row, FORMS + 4, cells->trawl_gpu, PART_WHOLE);
    table_time(table, row, FORMS + 5, cells->grep, PART_WHOLE);
}

static void add_table(struct paper *paper, const struct cells cells[CORPUS_KINDS], uint32_t length)
{
    static const char *const columns[] = {"generic GPU",      "shared",         "swift",
                                          "swift-binning",    "swift-chunking", "hybrid",
                                          "one core",         "all cores",      "trawl, one core",
                                          "trawl, all cores", "trawl, GPU",     "grep -F -o -b"};
    struct table *table = paper_table(
        paper, 1e3, "ms", "text, algorithm", "%s: patterns of %llu bytes",
        length == 0 ? "Figure 6" : "Figures 7, 8 and 9", (unsigned long long)lengths[length]);

    for (uint32_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        (void)table_column(table, "%s", columns[i]);
    for (uint32_t t = 0; t < CORPUS_KINDS; t++)
        for (uint32_t a = 0; a < ALGORITHMS; a++)
            fill_row(table, table_row(table, "%s, %s", text_names[t], algorithms[a]), &cells[t], a);
    (void)paper_plot(paper, table, table->row_count, 0xfff, false, "text, algorithm", table->title);
}

/* How much the children of one search were: what the parents' threads launched, and what the device
 * refused, so that the parent's thread compared by itself. */
static void add_grids(struct paper *paper, const struct cells cells[LENGTHS][CORPUS_KINDS])
{
    struct table *table = paper_table(paper, 1, "child grids", "text, algorithm",
                                      "Child grids of one search by the -swift form");

    for (uint32_t m = 0; m < LENGTHS; m++) {
        (void)table_column(table, "m = %llu, ran", (unsigned long long)lengths[m]);
        (void)table_column(table, "m = %llu, launch refused", (unsigned long long)lengths[m]);
    }
    for (uint32_t t = 0; t < CORPUS_KINDS; t++)
        for (uint32_t a = 0; a < ALGORITHMS; a++) {
            uint32_t row = table_row(table, "%s, %s", text_names[t], algorithms[a]);

            for (uint32_t m = 0; m < LENGTHS; m++) {
                table_grids(table, row, 2 * m, cells[m][t].form[a][SWIFT], false);
                table_grids(table, row, 2 * m + 1, cells[m][t].form[a][SWIFT], true);
            }
        }
}

/* ---- What the paper says of them ---------------------------------------------------------- */

static void order_short(struct paper *paper, const struct cells *cells, uint32_t text)
{
    for (uint32_t a = 0; a < ALGORITHMS; a++) {
        const struct figure *swift = cells->form[a][SWIFT], *generic = cells->form[a][GENERIC];

        if (text == CORPUS_LETTERS) /* "neither a gain nor a loss" */
            paper_at_most(paper, swift, PART_KERNEL, generic, PART_KERNEL, 1.25, 0,
                          "m = 500, %s: %s-swift no slower than generic by a quarter",
                          text_names[text], algorithms[a]);
        else
            paper_at_least(paper, swift, PART_KERNEL, generic, PART_KERNEL, 1, 0,
                           "m = 500, %s: %s-swift is slower than generic", text_names[text],
                           algorithms[a]);
    }
}

static void order_long(struct paper *paper, const struct cells *cells, uint32_t text)
{
    const char *name = text_names[text];

    for (uint32_t a = 0; a < ALGORITHMS; a++) {
        const struct figure *const *form = cells->form[a];

        paper_at_least(paper, form[GENERIC], PART_KERNEL, form[SWIFT], PART_KERNEL, 1.2, 0,
                       "m = 1500, %s: generic %s / swift >= 1.2", name, algorithms[a]);
        paper_at_least(paper, form[GENERIC], PART_KERNEL, form[CHUNKING], PART_KERNEL, 1.6, 0,
                       "m = 1500, %s: generic %s / chunking >= 1.6", name, algorithms[a]);
        paper_at_most(paper, form[SWIFT], PART_KERNEL, cells->all[a], PART_WHOLE, 1, 0,
                      "m = 1500, %s: %s-swift <= %s on all cores", name, algorithms[a],
                      algorithms[a]);
    }
    paper_at_least(paper, cells->form[0][SWIFT], PART_KERNEL, cells->form[0][BINNING], PART_KERNEL,
                   1.1, 0, "m = 1500, %s: bf-swift / binning >= 1.1", name);
    paper_at_most(paper, cells->form[0][SWIFT], PART_KERNEL, cells->form[1][SWIFT], PART_KERNEL, 1,
                  0, "m = 1500, %s: bf-swift <= qs-swift", name);
    if (text == CORPUS_LETTERS)
        paper_at_least(paper, cells->form[0][SHARED], PART_KERNEL, cells->form[0][SWIFT],
                       PART_KERNEL, 2, 5, "m = 1500, %s: bf-shared / bf-swift >= 2, up to 5", name);
}

static void order_cores(struct paper *paper, const struct cells *cells, uint32_t text)
{
    const char *name = text_names[text];

    paper_at_most(paper, cells->all[1], PART_WHOLE, cells->all[0], PART_WHOLE, 1, 0,
                  "m = 1500, %s: qs <= bf on all cores", name);
    paper_at_most(paper, cells->all[1], PART_WHOLE, cells->all[2], PART_WHOLE, 1, 0,
                  "m = 1500, %s: qs <= hp on all cores", name);
    paper_at_most(paper, cells->trawl_all, PART_WHOLE, cells->all[1], PART_WHOLE, 1, 0,
                  "m = 1500, %s, today: trawl on all cores <= qs on all cores", name);
    paper_at_most(paper, cells->trawl_all, PART_WHOLE, cells->form[0][CHUNKING], PART_KERNEL, 1, 0,
                  "m = 1500, %s, today: trawl on all cores <= kernel of bf-swift-chunking", name);
    paper_at_most(paper, cells->trawl_gpu, PART_WHOLE, cells->form[0][CHUNKING], PART_KERNEL, 1, 0,
                  "m = 1500, %s, today: trawl on the GPU <= kernel of bf-swift-chunking", name);
}

/* "The best performance for patterns of all sizes." */
static void order_hybrid(struct paper *paper, const struct cells *cells, uint32_t text,
                         uint64_t length)
{
    for (uint32_t a = 0; a < ALGORITHMS; a++)
        paper_at_most(paper, cells->form[a][HYBRID], PART_KERNEL, cells->form[a][GENERIC],
                      PART_KERNEL, 1, 0, "m = %llu, %s: %s-hybrid <= generic",
                      (unsigned long long)length, text_names[text], algorithms[a]);
}

/* ---- The threshold ------------------------------------------------------------------------ */

struct sweep {
    uint32_t count;
    uint64_t length[SWEEP_MAX];
    const struct figure *shared[SWEEP_MAX][ALGORITHMS], *chunking[SWEEP_MAX][ALGORITHMS];
    const struct figure *all[SWEEP_MAX], *trawl[SWEEP_MAX];
};

static void run_sweep(struct papers *papers, const struct corpus *corpus, struct sweep *sweep)
{
    for (uint32_t i = 0; i < SWEEP_MAX; i++) {
        struct trawl_pattern pattern = take_pattern(corpus, sweep_lengths[i]);
        uint32_t at = sweep->count;
        struct question question;
        struct race race = {.count = 0};
        char name[NAME_BYTES];

        if (at > 0 && sweep->length[at - 1] == pattern.bytes_count)
            continue; /* a small text holds no longer one */
        snprintf(name, sizeof name, "bible, m = %llu", (unsigned long long)pattern.bytes_count);
        question_open(&question, ASK_POSITIONS, name, corpus->bytes, corpus->bytes_count, &pattern);
        question.loaded = true;
        for (uint32_t a = 0; a < ALGORITHMS; a++) {
            sweep->shared[at][a] =
                race_library(papers, &race, HOST_GPU, names[a][SHARED], names[a][SHARED]);
            sweep->chunking[at][a] =
                race_library(papers, &race, HOST_GPU, names[a][CHUNKING], names[a][CHUNKING]);
        }
        sweep->all[at] = race_library(papers, &race, HOST_ALL, "qs", "qs, all cores");
        sweep->trawl[at] = race_library(papers, &race, HOST_ALL, NULL, "trawl, all cores");
        papers_race(papers, &question, &race, papers->options->rounds);
        question_close(&question);
        sweep->length[sweep->count++] = pattern.bytes_count;
    }
}

/* The least length from which on chunking is never slower than shared. */
static void order_threshold(struct paper *paper, const struct sweep *sweep, uint32_t a)
{
    enum ordering_state state = ORDERING_UNKNOWN;
    double threshold = 0, shared, chunking;

    for (uint32_t i = 0; i < sweep->count; i++) {
        if (!figure_mean(sweep->shared[i][a], PART_KERNEL, &shared) ||
            !figure_mean(sweep->chunking[i][a], PART_KERNEL, &chunking)) {
            state = ORDERING_UNKNOWN;
            break;
        }
        state = ORDERING_FAILS;
        if (chunking > shared)
            threshold = 0;
        else if (threshold <= 0)
            threshold = (double)sweep->length[i];
    }
    if (state != ORDERING_UNKNOWN && threshold >= THRESHOLD_PUBLISHED / 2 &&
        threshold <= THRESHOLD_PUBLISHED * 2)
        state = ORDERING_HOLDS;
    paper_claim(paper, state, threshold, THRESHOLD_PUBLISHED,
                "%s: the length from which chunking is no slower than shared lies between 400 and "
                "1600 (the length; 0: there is none)",
                algorithms[a]);
}

static void add_sweep(struct papers *papers, const struct corpus *corpus)
{
    struct sweep sweep = {.count = 0};
    struct paper *paper = papers->paper;
    struct table *table =
        paper_table(paper, 1e3, "ms", "m", "The hybrid's threshold: kernels on bible, against m");

    run_sweep(papers, corpus, &sweep);
    for (uint32_t a = 0; a < ALGORITHMS; a++) {
        (void)table_column(table, "%s", names[a][SHARED]);
        (void)table_column(table, "%s", names[a][CHUNKING]);
    }
    (void)table_column(table, "qs, all cores");
    (void)table_column(table, "trawl, all cores");
    for (uint32_t i = 0; i < sweep.count; i++) {
        uint32_t row = table_row(table, "%llu", (unsigned long long)sweep.length[i]);

        table->row_number[row] = (double)sweep.length[i];
        for (uint32_t a = 0; a < ALGORITHMS; a++) {
            table_time(table, row, 2 * a, sweep.shared[i][a], PART_KERNEL);
            table_time(table, row, 2 * a + 1, sweep.chunking[i][a], PART_KERNEL);
        }
        table_time(table, row, 2 * ALGORITHMS, sweep.all[i], PART_WHOLE);
        table_time(table, row, 2 * ALGORITHMS + 1, sweep.trawl[i], PART_WHOLE);
    }
    for (uint32_t a = 0; a < ALGORITHMS; a++)
        order_threshold(paper, &sweep, a);
    (void)paper_plot(paper, table, table->row_count, 0xff, true,
                     "length of the pattern (logarithmic)", table->title);
}

void paper_swift(struct papers *papers)
{
    static struct cells cells[LENGTHS][CORPUS_KINDS];
    struct corpus corpus[CORPUS_KINDS];
    struct paper *paper = papers->paper;

    write_names();
    for (uint32_t t = 0; t < CORPUS_KINDS; t++) {
        const char *path;

        corpus_make(papers, (enum corpus_kind)t, 0, &corpus[t]);
        path = write_copy(papers, text_names[t], &corpus[t]);
        paper_note(paper, "%s: %s", text_names[t], corpus[t].name);
        for (uint32_t m = 0; m < LENGTHS; m++)
            race_text(papers, &corpus[t], path, text_names[t], lengths[m], &cells[m][t]);
    }
    paper_note(paper, "patterns are taken from the text; GPU columns: the kernels' time, the text "
                      "lies on the GPU, as the paper reports it; cores, trawl and grep: the whole "
                      "search; grep searches a copy with another byte for the line end, since its "
                      "patterns hold none");
    for (uint32_t m = 0; m < LENGTHS; m++)
        add_table(paper, cells[m], m);
    add_grids(paper, (const struct cells(*)[CORPUS_KINDS])cells);
    for (uint32_t t = 0; t < CORPUS_KINDS; t++) {
        order_short(paper, &cells[0][t], t);
        order_long(paper, &cells[1][t], t);
        order_cores(paper, &cells[1][t], t);
        for (uint32_t m = 0; m < LENGTHS; m++)
            order_hybrid(paper, &cells[m][t], t, lengths[m]);
    }
    add_sweep(papers, &corpus[CORPUS_BIBLE]);
    for (uint32_t t = 0; t < CORPUS_KINDS; t++)
        corpus_free(&corpus[t]);
}
