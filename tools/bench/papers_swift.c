/* papers_swift: figures 6 to 9 of SWIFT, and where its hybrid had better change over.
 *
 * The bars of its figures survive only as ratios and orderings, so no table of it has a published
 * column; the ratios stand beside ours in the orderings. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define LENGTHS 2u
#define ALGORITHMS 3u
#define FORMS 6u      /* the paper's, */
#define FORMS_MAX 14u /* and what the gallery has beside them */
#define SWEEP_MAX 15u
#define PATTERN_SEED 29u
#define THRESHOLD_PUBLISHED 800.0
#define NAMES_BYTES 48u
#define CANTERBURY_BYTES 4638690u /* of E.coli; ours is of another strain, and longer */

static const uint64_t lengths[LENGTHS] = {500, 1500};
static const char *const algorithms[ALGORITHMS] = {"bf", "qs", "hp"};
static const char *const paper_forms[FORMS] = {
    "", "-shared", "-swift", "-swift-binning", "-swift-chunking", "-hybrid:800"};
enum form { GENERIC, SHARED, SWIFT, BINNING, CHUNKING, HYBRID };
static const char *const text_names[CORPUS_KINDS] = {"bible", "world192", "E. coli", "Sample-Text"};
static const uint64_t sweep_lengths[SWEEP_MAX] = {50,  100, 200,  300,  400,  500,  600, 700,
                                                  800, 900, 1000, 1200, 1500, 2000, 3000};

/* All that was measured for one text and one length. */
struct cells {
    const struct figure *form[ALGORITHMS][FORMS_MAX]; /* NULL: there is none */
    const struct figure *one[ALGORITHMS], *all[ALGORITHMS];
    const struct figure *trawl_one, *trawl_all, *trawl_gpu, *grep;
};

static char suffix[FORMS_MAX][NAMES_BYTES], names[ALGORITHMS][FORMS_MAX][NAMES_BYTES];
static uint32_t form_count;

static uint32_t find_form(const char *text)
{
    for (uint32_t f = 0; f < form_count; f++)
        if (strcmp(suffix[f], text) == 0)
            return f;
    if (form_count == FORMS_MAX)
        fail("more than %u forms", FORMS_MAX);
    snprintf(suffix[form_count], NAMES_BYTES, "%s", text);
    return form_count++;
}

/* The paper's forms first, in its order, then what else the gallery has of the three. */
static void write_names(void)
{
    const char *name;

    form_count = 0;
    memset(names, 0, sizeof names);
    for (uint32_t f = 0; f < FORMS; f++)
        (void)find_form(paper_forms[f]);
    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL)) != NULL; i++)
        for (uint32_t a = 0; a < ALGORITHMS; a++) {
            size_t bytes = strlen(algorithms[a]);

            if (strncmp(name, algorithms[a], bytes) == 0 &&
                (name[bytes] == '\0' || name[bytes] == '-') &&
                (trawl_algorithm_engines(i) & 1u << TRAWL_ENGINE_CUDA) != 0)
                snprintf(names[a][find_form(name + bytes)], NAMES_BYTES, "%s", name);
        }
    for (uint32_t a = 0; a < ALGORITHMS;
         a++) /* with the paper's threshold, if there is one at all */
        if (names[a][SWIFT][0] != '\0')
            snprintf(names[a][HYBRID], NAMES_BYTES, "%s%s", algorithms[a], paper_forms[HYBRID]);
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

/* m bytes of the text, as many as an eighth of it at most: all of one text begin at one place, so
 * that a shorter one is the beginning of a longer one. */
static struct trawl_pattern take_pattern(const struct corpus *corpus, uint64_t bytes)
{
    struct seeded seeded = {PATTERN_SEED};
    uint64_t most = corpus->bytes_count / 8;

    return (struct trawl_pattern){corpus->bytes + seeded_below(&seeded, corpus->bytes_count - most),
                                  bytes < most ? bytes : most};
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
        for (uint32_t f = 0; f < form_count; f++)
            cells->form[a][f] = names[a][f][0] == '\0' ? NULL
                                                       : race_library(papers, &race, HOST_GPU,
                                                                      names[a][f], names[a][f]);
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
    const struct figure *const whole[] = {cells->one[a],    cells->all[a],    cells->trawl_one,
                                          cells->trawl_all, cells->trawl_gpu, cells->grep};

    for (uint32_t f = 0; f < form_count; f++)
        if (cells->form[a][f] != NULL)
            table_time(table, row, f, cells->form[a][f], PART_KERNEL);
    for (uint32_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        table_time(table, row, form_count + i, whole[i], PART_WHOLE);
}

static void add_table(struct paper *paper, const struct cells cells[CORPUS_KINDS], uint32_t length)
{
    static const char *const columns[] = {"one core",         "all cores",  "trawl, one core",
                                          "trawl, all cores", "trawl, GPU", "grep -F -o -b"};
    struct table *table = paper_table(
        paper, 1e3, "ms", "text, algorithm", "%s: patterns of %llu bytes",
        length == 0 ? "Figure 6" : "Figures 7, 8 and 9", (unsigned long long)lengths[length]);

    table_caption(table, "GPU columns of the source's forms: the kernels alone, by the device's "
                         "clock, which is what the source reports; the text lies on the device. "
                         "Cores, trawl and grep: the whole search, from building the plan to "
                         "returning all positions; for \"trawl, GPU\" the text lies on the "
                         "device, too. The table of the device's algorithms below has the whole "
                         "time of each form. Of the source's bars only ratios survive.");
    for (uint32_t f = 0; f < form_count; f++)
        (void)table_column(table, "%s", f == GENERIC ? "generic GPU" : suffix[f] + 1);
    for (uint32_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        (void)table_column(table, "%s", columns[i]);
    for (uint32_t t = 0; t < CORPUS_KINDS; t++)
        for (uint32_t a = 0; a < ALGORITHMS; a++)
            fill_row(table, table_row(table, "%s, %s", text_names[t], algorithms[a]), &cells[t], a);
    (void)paper_plot(paper, table, table->row_count, (1u << table->column_count) - 1, false,
                     "text, algorithm", table->title);
}

/* How much the children of one search were: what the parents' threads launched, and what the device
 * refused, so that the parent's thread compared by itself. */
static void add_grids(struct paper *paper, const struct cells cells[LENGTHS][CORPUS_KINDS])
{
    struct table *table = paper_table(paper, 1, "child grids", "text, algorithm",
                                      "Child grids of one search by the -swift form");

    table_caption(table, "The last run of each. Where a launch was refused, or not requested, "
                         "the parent's thread compared the window.");
    for (uint32_t m = 0; m < LENGTHS; m++) {
        (void)table_column(table, "m = %llu, ran", (unsigned long long)lengths[m]);
        (void)table_column(table, "m = %llu, not asked for", (unsigned long long)lengths[m]);
        (void)table_column(table, "m = %llu, launch refused", (unsigned long long)lengths[m]);
    }
    for (uint32_t t = 0; t < CORPUS_KINDS; t++)
        for (uint32_t a = 0; a < ALGORITHMS; a++) {
            uint32_t row = table_row(table, "%s, %s", text_names[t], algorithms[a]);

            for (uint32_t m = 0; m < LENGTHS; m++) {
                table_grids(table, row, 3 * m, cells[m][t].form[a][SWIFT], CELL_GRIDS);
                table_grids(table, row, 3 * m + 1, cells[m][t].form[a][SWIFT], CELL_WITHHELD);
                table_grids(table, row, 3 * m + 2, cells[m][t].form[a][SWIFT], CELL_SPILLS);
            }
        }
}

/* ---- What the paper says of them ---------------------------------------------------------- */

/* A bound that the source gives; its own range in words. */
static void order_bound(struct paper *paper, const char *left_name, const struct figure *left,
                        const char *right_name, const struct figure *right, bool at_least,
                        double bound, const char *published, const char *on)
{
    struct claim *claim = paper_claim(paper, CLAIM_RATIO, false, left_name, right_name);

    claim->at_least = at_least;
    claim->bound = bound;
    snprintf(claim->published, sizeof claim->published, "%s", published);
    (void)claim_add(claim, on, left, PART_KERNEL, right, PART_KERNEL);
}

static void order_short(struct paper *paper, const struct cells *cells, uint32_t text)
{
    for (uint32_t a = 0; a < ALGORITHMS; a++) {
        const struct figure *swift = cells->form[a][SWIFT], *generic = cells->form[a][GENERIC];
        char left[NAME_BYTES], right[NAME_BYTES];

        snprintf(left, sizeof left, "%s-swift, m = 500", algorithms[a]);
        snprintf(right, sizeof right, "generic %s", algorithms[a]);
        if (text != CORPUS_LETTERS) {
            paper_slower(paper, left, swift, PART_KERNEL, right, generic, PART_KERNEL, 0,
                         text_names[text]);
            continue;
        }
        snprintf(left, sizeof left, "%s-swift, m = 500, Sample-Text", algorithms[a]);
        order_bound(paper, left, swift, right, generic, false, 1.25,
                    "neither a gain nor a loss (here: at most 1.25 times)", text_names[text]);
    }
}

static void order_long(struct paper *paper, const struct cells *cells, uint32_t text)
{
    const char *on = text_names[text];
    char left[NAME_BYTES], right[NAME_BYTES];

    for (uint32_t a = 0; a < ALGORITHMS; a++) {
        const struct figure *const *form = cells->form[a];

        snprintf(left, sizeof left, "generic %s, m = 1500", algorithms[a]);
        snprintf(right, sizeof right, "%s-swift", algorithms[a]);
        order_bound(paper, left, form[GENERIC], right, form[SWIFT], true, 1.2, "1.2 to 1.4 times",
                    on);
        snprintf(right, sizeof right, "%s-swift-chunking", algorithms[a]);
        order_bound(paper, left, form[GENERIC], right, form[CHUNKING], true, 1.6,
                    "1.6 to 1.7 times", on);
        snprintf(left, sizeof left, "%s-swift, m = 1500", algorithms[a]);
        order_bound(paper, left, form[SWIFT], right, form[CHUNKING], true, 1.2, "1.2 to 1.4 times",
                    on);
        snprintf(right, sizeof right, "%s on all cores", algorithms[a]);
        paper_faster(paper, left, form[SWIFT], PART_KERNEL, right, cells->all[a], PART_WHOLE, 0,
                     on);
    }
    order_bound(paper, "bf-swift, m = 1500", cells->form[0][SWIFT], "bf-swift-binning",
                cells->form[0][BINNING], true, 1.1, "about 1.1 times", on);
    order_bound(paper, "generic bf, m = 1500", cells->form[0][GENERIC], "bf-swift-binning",
                cells->form[0][BINNING], true, 1.5, "1.5 to 1.6 times", on);
    paper_faster(paper, "bf-swift-binning, m = 1500", cells->form[0][BINNING], PART_KERNEL,
                 "bf-shared", cells->form[0][SHARED], PART_KERNEL, 0, on);
    for (uint32_t a = 1; a < ALGORITHMS; a++) {
        snprintf(right, sizeof right, "%s-swift", algorithms[a]);
        order_bound(paper, "bf-swift, m = 1500", cells->form[0][SWIFT], right,
                    cells->form[a][SWIFT], false, 1.05,
                    "equal or sometimes better (here: at most 1.05 times)", on);
    }
    for (uint32_t a = 0; a < ALGORITHMS && text == CORPUS_LETTERS; a++) {
        snprintf(right, sizeof right, "%s-swift on Sample-Text", algorithms[a]);
        snprintf(left, sizeof left, "%s-shared, m = 1500", algorithms[a]);
        order_bound(paper, left, cells->form[a][SHARED], right, cells->form[a][SWIFT], true, 2,
                    "up to 5 times (here: at least 2)", on);
        snprintf(left, sizeof left, "generic %s, m = 1500", algorithms[a]);
        order_bound(paper, left, cells->form[a][GENERIC], right, cells->form[a][SWIFT], true, 2,
                    "up to 5 times (here: at least 2)", on);
    }
}

static void order_cores(struct paper *paper, const struct cells *cells, uint32_t text,
                        uint64_t length)
{
    char on[NAME_BYTES], right[NAME_BYTES];

    snprintf(on, sizeof on, "%s, m = %llu", text_names[text], (unsigned long long)length);
    paper_faster(paper, "qs on all cores", cells->all[1], PART_WHOLE, "bf on all cores",
                 cells->all[0], PART_WHOLE, 0, on);
    paper_faster(paper, "qs on all cores", cells->all[1], PART_WHOLE, "hp on all cores",
                 cells->all[2], PART_WHOLE, 0, on);
    paper_faster(paper, "generic qs", cells->form[1][GENERIC], PART_KERNEL, "generic bf",
                 cells->form[0][GENERIC], PART_KERNEL, 0, on);
    paper_faster(paper, "generic qs", cells->form[1][GENERIC], PART_KERNEL, "generic hp",
                 cells->form[2][GENERIC], PART_KERNEL, 0, on);
    paper_ours(paper, "trawl, all cores", cells->trawl_all, PART_WHOLE, "trawl, one core",
               cells->trawl_one, PART_WHOLE, on);
    for (uint32_t a = 0; a < ALGORITHMS; a++) {
        snprintf(right, sizeof right, "%s on all cores", algorithms[a]);
        paper_ours(paper, "trawl, all cores", cells->trawl_all, PART_WHOLE, right, cells->all[a],
                   PART_WHOLE, on);
        snprintf(right, sizeof right, "generic %s, the whole search", algorithms[a]);
        paper_ours(paper, "trawl, GPU", cells->trawl_gpu, PART_WHOLE, right,
                   cells->form[a][GENERIC], PART_WHOLE, on);
        snprintf(right, sizeof right, "%s-swift-chunking, the whole search", algorithms[a]);
        paper_ours(paper, "trawl, GPU", cells->trawl_gpu, PART_WHOLE, right,
                   cells->form[a][CHUNKING], PART_WHOLE, on);
    }
}

/* "will yield the best performance for patterns of all sizes". And what the gallery has of its own.
 */
static void order_hybrid(struct paper *paper, const struct cells *cells, uint32_t text,
                         uint64_t length)
{
    char on[NAME_BYTES], right[NAME_BYTES];

    snprintf(on, sizeof on, "%s, m = %llu", text_names[text], (unsigned long long)length);
    for (uint32_t a = 0; a < ALGORITHMS; a++) {
        snprintf(right, sizeof right, "generic %s", algorithms[a]);
        paper_faster(paper, names[a][HYBRID], cells->form[a][HYBRID], PART_KERNEL, right,
                     cells->form[a][GENERIC], PART_KERNEL, 0, on);
        for (uint32_t f = FORMS; f < form_count; f++)
            paper_ours(paper, names[a][f], cells->form[a][f], PART_KERNEL, right,
                       cells->form[a][GENERIC], PART_KERNEL, on);
    }
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
        snprintf(name, sizeof name, "sweep, m = %llu", (unsigned long long)pattern.bytes_count);
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

/* All crossings of the two that the hybrid changes over between. */
static void order_threshold(struct paper *paper, const struct sweep *sweep, uint32_t a)
{
    struct claim *claim =
        paper_claim(paper, CLAIM_CROSSINGS, false, names[a][CHUNKING], names[a][SHARED]);

    claim->bound = THRESHOLD_PUBLISHED;
    snprintf(claim->unit, sizeof claim->unit, "bytes of pattern");
    snprintf(claim->published, sizeof claim->published, "faster from a pattern of around 800 on");
    for (uint32_t i = 0; i < sweep->count; i++) {
        char name[NAME_BYTES];
        struct claim_case *one;

        snprintf(name, sizeof name, "m = %llu", (unsigned long long)sweep->length[i]);
        one = claim_add(claim, name, sweep->chunking[i][a], PART_KERNEL, sweep->shared[i][a],
                        PART_KERNEL);
        one->x = (double)sweep->length[i];
    }
}

static void add_sweep(struct papers *papers, const struct corpus *corpus)
{
    struct sweep sweep = {.count = 0};
    struct paper *paper = papers->paper;
    struct table *table =
        paper_table(paper, 1e3, "ms", "m", "The hybrid's threshold: kernels on bible, against m");

    table_caption(table, "One pattern and its prefixes. Kernels by the device's clock, with the "
                         "text on the device; cores: the whole search.");
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

        corpus_make(papers, (enum corpus_kind)t, t == CORPUS_ECOLI ? CANTERBURY_BYTES : 0,
                    &corpus[t]);
        path = write_copy(papers, text_names[t], &corpus[t]);
        paper_note(paper, "%s: %s", text_names[t], corpus[t].name);
        for (uint32_t m = 0; m < LENGTHS; m++)
            race_text(papers, &corpus[t], path, text_names[t], lengths[m], &cells[m][t]);
    }
    paper_note(paper, "runs of each figure: %u; the source has the mean of 10",
               papers->options->rounds);
    paper_note(paper,
               "E. coli: the source used the Canterbury file, of %u bytes; the text "
               "here, named above, is of another strain or generated, and cut to that "
               "length",
               CANTERBURY_BYTES);
    paper_note(paper, "a text's patterns are taken from it and begin at one position; grep "
                      "searches a copy with another byte in place of line ends, since grep's "
                      "patterns cannot hold any");
    for (uint32_t m = 0; m < LENGTHS; m++)
        add_table(paper, cells[m], m);
    add_grids(paper, (const struct cells(*)[CORPUS_KINDS])cells);
    for (uint32_t t = 0; t < CORPUS_KINDS; t++) {
        order_short(paper, &cells[0][t], t);
        order_long(paper, &cells[1][t], t);
        for (uint32_t m = 0; m < LENGTHS; m++)
            order_cores(paper, &cells[m][t], t, lengths[m]);
        for (uint32_t m = 0; m < LENGTHS; m++)
            order_hybrid(paper, &cells[m][t], t, lengths[m]);
    }
    paper_parts(paper, 0,
                "Every search of figures 6 to 9: the text lies on the device, so that what "
                "is copied there is the pattern and its tables. The parts of a row add "
                "up to its total.");
    paper_own_parts(paper, 0);
    add_sweep(papers, &corpus[CORPUS_BIBLE]);
    for (uint32_t t = 0; t < CORPUS_KINDS; t++)
        corpus_free(&corpus[t]);
}
