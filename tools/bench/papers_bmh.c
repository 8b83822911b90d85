/* papers_bmh: table II of Han: 12 shapes of the grid, three patterns, one text. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define TEXT_BYTES 34873628u
#define TESTS 3u
#define SHAPES 12u
#define PATTERN_SEED 23u
#define MORE_MAX 16u

static const struct {
    const char *name, *option;
    double published[TESTS]; /* the source has no unit */
} shapes[SHAPES] = {
    {"256*16", "bmh:256x16", {167, 177, 367}}, {"512*4", "bmh:512x4", {170, 195, 390}},
    {"256*8", "bmh:256x8", {173, 189, 391}},   {"128*16", "bmh:128x16", {178, 178, 383}},
    {"64*32", "bmh:64x32", {171, 179, 586}},   {"32*64", "bmh:32x64", {168, 179, 588}},
    {"256*4", "bmh:256x4", {172, 189, 391}},   {"128*8", "bmh:128x8", {173, 191, 405}},
    {"64*16", "bmh:64x16", {171, 218, 609}},   {"32*32", "bmh:32x32", {171, 207, 922}},
    {"16*64", "bmh:16x64", {170, 200, 964}},   {"16*32", "bmh:16x32", {171, 261, 2746}},
};
enum shape_index {
    S256_16,
    S512_4,
    S256_8,
    S128_16,
    S64_32,
    S32_64,
    S256_4,
    S128_8,
    S64_16,
    S32_32,
    S16_64,
    S16_32
};

static const uint64_t lengths[TESTS] = {1751, 3, 3999};

static const struct {
    const char *name;
    enum host host;
    const char *algorithm;
} others[] = {
    {"bmh, as many threads as fit", HOST_GPU, "bmh"},
    {"bmh-shared 256*16", HOST_GPU, "bmh-shared:256x16"},
    {"bmh-shared, as many threads as fit", HOST_GPU, "bmh-shared"},
    {"bmh, one core", HOST_ONE, "bmh"},
    {"bmh, all cores", HOST_ALL, "bmh"},
    {"trawl, one core", HOST_ONE, NULL},
    {"trawl, all cores", HOST_ALL, NULL},
    {"trawl, GPU", HOST_GPU_OWN, NULL},
};
#define OTHERS (sizeof others / sizeof others[0])
enum other_index {
    FULL,
    SHARED_256_16,
    SHARED_FULL,
    CPU_ONE,
    CPU_ALL,
    TRAWL_ONE,
    TRAWL_ALL,
    TRAWL_GPU
};

struct test {
    uint64_t pattern_bytes, count;
    const struct figure *shape[SHAPES], *other[OTHERS], *more[MORE_MAX], *grep;
};

/* What the gallery has beside bmh and bmh-shared: each with the paper's best grid, and with its
 * own. */
static char more_names[MORE_MAX][NAME_BYTES];
static uint32_t more_count;

static void find_more(void)
{
    static const char *const known[] = {"bmh", "bmh-shared"};
    const char *names[MORE_MAX / 2];
    uint32_t count = papers_others("bmh", TRAWL_ENGINE_CUDA, known, 2, names, MORE_MAX / 2);

    more_count = 2 * count;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(more_names[2 * i], NAME_BYTES, "%.80s:256x16", names[i]);
        snprintf(more_names[2 * i + 1], NAME_BYTES, "%.90s", names[i]);
    }
}

static void run_test(struct papers *papers, const struct corpus *corpus, const char *path,
                     uint64_t pattern_bytes, struct test *test)
{
    struct seeded seeded = {PATTERN_SEED + pattern_bytes};
    uint64_t place = seeded_below(&seeded, corpus->bytes_count - pattern_bytes);
    struct trawl_pattern pattern = {corpus->bytes + place, pattern_bytes};
    char *text = (char *)allocate(pattern_bytes + 1);
    struct command_line grep;
    struct question question;
    struct race race = {.count = 0};
    char name[NAME_BYTES];

    snprintf(name, sizeof name, "m = %llu", (unsigned long long)pattern_bytes);
    question_open(&question, ASK_POSITIONS, name, corpus->bytes, corpus->bytes_count, &pattern);
    memcpy(text, pattern.bytes, pattern_bytes);
    text[pattern_bytes] = '\0';
    command_grep(papers, &grep, "-F -a -o -b", text, path);
    expect_only_matching(&question, &grep);
    for (uint32_t i = 0; i < SHAPES; i++)
        test->shape[i] = race_library(papers, &race, HOST_GPU, shapes[i].option, shapes[i].option);
    for (uint32_t i = 0; i < OTHERS; i++)
        test->other[i] =
            race_library(papers, &race, others[i].host, others[i].algorithm, others[i].name);
    for (uint32_t i = 0; i < more_count; i++)
        test->more[i] = race_library(papers, &race, HOST_GPU, more_names[i], more_names[i]);
    test->grep = race_command(papers, &race, &grep, "grep -F -o -b");
    papers_race(papers, &question, &race, papers->options->rounds);
    test->pattern_bytes = pattern_bytes;
    test->count = question.place_count;
    question_close(&question);
    free(text);
}

static void add_table(struct paper *paper, const struct test tests[TESTS])
{
    struct table *table = paper_table(paper, 1e3, "ms; published: no unit in the source",
                                      "blocks*threads", "Table II: the shape of the grid");
    uint32_t row;

    table_caption(table, "Here: one search that returns all positions. Its time holds building "
                         "the plan, copying the text to the device (not where cores search), the"
                         " kernel, copying the results back, and sorting; that of grep holds the"
                         " whole process. Its kernel: the kernel alone, by the device's clock. "
                         "The source says neither what its numbers include nor what unit they "
                         "have.");
    for (uint32_t k = 0; k < TESTS; k++) {
        (void)table_column(table, "test %u, published", (unsigned)k + 1);
        (void)table_column(table, "here, m = %llu", (unsigned long long)tests[k].pattern_bytes);
        (void)table_column(table, "its kernel, m = %llu",
                           (unsigned long long)tests[k].pattern_bytes);
    }
    for (uint32_t i = 0; i < SHAPES; i++) {
        row = table_row(table, "%s", shapes[i].name);
        for (uint32_t k = 0; k < TESTS; k++) {
            table_published(table, row, 3 * k, shapes[i].published[k]);
            table_time(table, row, 3 * k + 1, tests[k].shape[i], PART_WHOLE);
            table_time(table, row, 3 * k + 2, tests[k].shape[i], PART_KERNEL);
        }
    }
    for (uint32_t i = 0; i < OTHERS; i++) {
        row = table_row(table, "%s", others[i].name);
        for (uint32_t k = 0; k < TESTS; k++) {
            table_time(table, row, 3 * k + 1, tests[k].other[i], PART_WHOLE);
            if (others[i].host == HOST_GPU)
                table_time(table, row, 3 * k + 2, tests[k].other[i], PART_KERNEL);
        }
    }
    for (uint32_t i = 0; i < more_count; i++) {
        row = table_row(table, "%s", more_names[i]);
        for (uint32_t k = 0; k < TESTS; k++) {
            table_time(table, row, 3 * k + 1, tests[k].more[i], PART_WHOLE);
            table_time(table, row, 3 * k + 2, tests[k].more[i], PART_KERNEL);
        }
    }
    row = table_row(table, "grep -F -o -b");
    for (uint32_t k = 0; k < TESTS; k++)
        table_time(table, row, 3 * k + 1, tests[k].grep, PART_WHOLE);
    (void)paper_plot(paper, table, table->row_count, 0x1ff, false, "blocks*threads, or who",
                     "One search, copies included; kernels alone");
}

static const struct figure *fastest(const struct test *test, const uint32_t *indexes,
                                    uint32_t count)
{
    const struct figure *best = test->shape[indexes[0]];
    double least, seconds;

    if (!figure_median(best, PART_KERNEL, &least))
        return best;
    for (uint32_t i = 1; i < count; i++)
        if (figure_median(test->shape[indexes[i]], PART_KERNEL, &seconds) && seconds < least) {
            least = seconds;
            best = test->shape[indexes[i]];
        }
    return best;
}

/* The paper's reading: 256*16 is best, and more threads in all are better. */
static void order_shapes(struct paper *paper, const struct test *test, uint32_t k)
{
    static const uint32_t rest[] = {S512_4, S256_8, S128_16, S64_32, S32_64, S256_4,
                                    S128_8, S64_16, S32_32,  S16_64, S16_32};
    static const struct {
        uint32_t left, right;
        const char *how;
    } pairs[] = {{S256_16, S128_16, "half the threads"},
                 {S128_16, S64_16, "half the threads"},
                 {S64_32, S32_32, "half the threads"},
                 {S32_32, S16_32, "half the threads"},
                 {S128_16, S64_32, "as many threads in blocks of 32"},
                 {S64_16, S32_32, "as many threads in blocks of 32"}};
    double best_published = shapes[rest[0]].published[k];
    char left[NAME_BYTES], right[NAME_BYTES], on[NAME_BYTES];

    snprintf(on, sizeof on, "m = %llu", (unsigned long long)test->pattern_bytes);
    for (uint32_t i = 1; i < sizeof rest / sizeof rest[0]; i++)
        if (shapes[rest[i]].published[k] < best_published)
            best_published = shapes[rest[i]].published[k];
    paper_faster(paper, "the kernel of 256*16", test->shape[S256_16], PART_KERNEL,
                 "the quickest of the 11 others", fastest(test, rest, sizeof rest / sizeof rest[0]),
                 PART_KERNEL, shapes[S256_16].published[k] / best_published, on);
    for (uint32_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        snprintf(left, sizeof left, "the kernel of %s", shapes[pairs[i].left].name);
        snprintf(right, sizeof right, "that of %s, %s", shapes[pairs[i].right].name, pairs[i].how);
        paper_faster(paper, left, test->shape[pairs[i].left], PART_KERNEL, right,
                     test->shape[pairs[i].right], PART_KERNEL,
                     shapes[pairs[i].left].published[k] / shapes[pairs[i].right].published[k], on);
    }
}

static void order_today(struct paper *paper, const struct test *test)
{
    const struct figure *const *other = test->other, *best = test->shape[S256_16];
    char on[NAME_BYTES];

    snprintf(on, sizeof on, "m = %llu", (unsigned long long)test->pattern_bytes);
    paper_faster(paper, "the kernel of bmh-shared, 256*16", other[SHARED_256_16], PART_KERNEL,
                 "that of bmh, 256*16", best, PART_KERNEL, 0, on);
    paper_faster(paper, "bmh 256*16, copies included", best, PART_WHOLE, "bmh, one core",
                 other[CPU_ONE], PART_WHOLE, 0, on);
    paper_ours(paper, "the kernel of bmh, as many threads as fit", other[FULL], PART_KERNEL,
               "that of 256*16", best, PART_KERNEL, on);
    paper_ours(paper, "bmh, all cores", other[CPU_ALL], PART_WHOLE, "bmh 256*16, copies included",
               best, PART_WHOLE, on);
    paper_ours(paper, "trawl, one core", other[TRAWL_ONE], PART_WHOLE, "bmh, one core",
               other[CPU_ONE], PART_WHOLE, on);
    paper_ours(paper, "trawl, all cores", other[TRAWL_ALL], PART_WHOLE, "bmh, all cores",
               other[CPU_ALL], PART_WHOLE, on);
    paper_ours(paper, "trawl, all cores", other[TRAWL_ALL], PART_WHOLE,
               "bmh 256*16, copies included", best, PART_WHOLE, on);
    paper_ours(paper, "trawl, GPU", other[TRAWL_GPU], PART_WHOLE, "bmh 256*16, copies included",
               best, PART_WHOLE, on);
    paper_ours(paper, "trawl, GPU", other[TRAWL_GPU], PART_WHOLE,
               "bmh with as many threads as fit, copies included", other[FULL], PART_WHOLE, on);
    paper_ours(paper, "trawl, all cores", other[TRAWL_ALL], PART_WHOLE, "grep -F -o -b", test->grep,
               PART_WHOLE, on);
    for (uint32_t i = 0; i < more_count; i++) {
        char left[NAME_BYTES + 16];

        snprintf(left, sizeof left, "the kernel of %.80s", more_names[i]);
        paper_ours(paper, left, test->more[i], PART_KERNEL, "that of bmh-shared, 256*16",
                   other[SHARED_256_16], PART_KERNEL, on);
    }
}

void paper_bmh(struct papers *papers)
{
    struct test tests[TESTS];
    struct corpus corpus;
    const char *path;

    find_more();
    corpus_make(papers, CORPUS_BIBLE, TEXT_BYTES, &corpus);
    /* One line, so that grep can be asked for a pattern that went over the end of one. */
    for (uint64_t i = 0; i < corpus.bytes_count; i++)
        if (corpus.bytes[i] == '\n' || corpus.bytes[i] == '\r')
            corpus.bytes[i] = ' ';
    path = files_write(&papers->files, "bmh", corpus.bytes, corpus.bytes_count);
    paper_note(papers->paper, "text: %s, with blanks in place of line ends", corpus.name);
    paper_note(papers->paper,
               "the source does not name its text; it says that its serial program is "
               "slower, without a number");
    for (uint32_t k = 0; k < TESTS; k++) {
        uint64_t longest = corpus.bytes_count / 8;

        run_test(papers, &corpus, path, lengths[k] < longest ? lengths[k] : longest, &tests[k]);
        paper_note(papers->paper,
                   "test %u: a pattern of %llu bytes from the text, %llu occurrences",
                   (unsigned)k + 1, (unsigned long long)tests[k].pattern_bytes,
                   (unsigned long long)tests[k].count);
    }
    add_table(papers->paper, tests);
    for (uint32_t k = 0; k < TESTS; k++)
        order_shapes(papers->paper, &tests[k], k);
    for (uint32_t k = 0; k < TESTS; k++)
        order_today(papers->paper, &tests[k]);
    paper_parts(papers->paper, 0,
                "Every search of table II; the parts of a row add up to its total.");
    paper_own_parts(papers->paper, 0);
    corpus_free(&corpus);
}
