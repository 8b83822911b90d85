/* papers_bmh: table II of Han: 12 shapes of the grid, three patterns, one text. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define TEXT_BYTES 34873628u
#define TESTS 3u
#define SHAPES 12u
#define PATTERN_SEED 23u

static const struct {
    const char *name, *option;
    double published[TESTS]; /* ms */
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
    const struct figure *shape[SHAPES], *other[OTHERS], *grep;
};

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
    test->grep = race_command(papers, &race, &grep, "grep -F -o -b");
    papers_race(papers, &question, &race, papers->options->rounds);
    test->pattern_bytes = pattern_bytes;
    test->count = question.place_count;
    question_close(&question);
    free(text);
}

static void add_table(struct paper *paper, const struct test tests[TESTS])
{
    struct table *table =
        paper_table(paper, 1e3, "ms", "blocks*threads", "Table II: the shape of the grid");
    uint32_t row;

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

    if (!figure_mean(best, PART_KERNEL, &least))
        return best;
    for (uint32_t i = 1; i < count; i++)
        if (figure_mean(test->shape[indexes[i]], PART_KERNEL, &seconds) && seconds < least) {
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
        uint32_t many, few;
    } pairs[] = {{S256_16, S128_16}, {S128_16, S64_16}, {S64_32, S32_32}, {S32_32, S16_32}};
    static const struct {
        uint32_t narrow, wide;
    } widths[] = {{S128_16, S64_32}, {S64_16, S32_32}};
    double best_published = shapes[rest[0]].published[k];

    for (uint32_t i = 1; i < sizeof rest / sizeof rest[0]; i++)
        if (shapes[rest[i]].published[k] < best_published)
            best_published = shapes[rest[i]].published[k];
    paper_at_most(paper, test->shape[S256_16], PART_KERNEL,
                  fastest(test, rest, sizeof rest / sizeof rest[0]), PART_KERNEL, 1,
                  shapes[S256_16].published[k] / best_published,
                  "m = %llu: kernel of 256*16 <= the best of the 11 others",
                  (unsigned long long)test->pattern_bytes);
    for (uint32_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        paper_at_most(paper, test->shape[pairs[i].many], PART_KERNEL, test->shape[pairs[i].few],
                      PART_KERNEL, 1,
                      shapes[pairs[i].many].published[k] / shapes[pairs[i].few].published[k],
                      "m = %llu: kernel of %s <= of %s, half the threads",
                      (unsigned long long)test->pattern_bytes, shapes[pairs[i].many].name,
                      shapes[pairs[i].few].name);
    for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        paper_at_most(paper, test->shape[widths[i].narrow], PART_KERNEL,
                      test->shape[widths[i].wide], PART_KERNEL, 1,
                      shapes[widths[i].narrow].published[k] / shapes[widths[i].wide].published[k],
                      "m = %llu: kernel of %s <= of %s, as many threads in blocks of 32",
                      (unsigned long long)test->pattern_bytes, shapes[widths[i].narrow].name,
                      shapes[widths[i].wide].name);
}

static void order_today(struct paper *paper, const struct test *test)
{
    unsigned long long m = test->pattern_bytes;

    paper_at_most(paper, test->other[SHARED_256_16], PART_KERNEL, test->shape[S256_16], PART_KERNEL,
                  1, 0, "m = %llu: shared memory decreases the latency: bmh-shared <= bmh, 256*16",
                  m);
    paper_at_most(paper, test->shape[S256_16], PART_WHOLE, test->other[CPU_ONE], PART_WHOLE, 1, 0,
                  "m = %llu: bmh 256*16, copies included <= serial bmh", m);
    paper_at_most(paper, test->other[FULL], PART_KERNEL, test->shape[S256_16], PART_KERNEL, 1, 0,
                  "m = %llu, today: kernel with as many threads as fit <= of 256*16", m);
    paper_at_most(paper, test->other[CPU_ALL], PART_WHOLE, test->shape[S256_16], PART_WHOLE, 1, 0,
                  "m = %llu, today: bmh on all cores <= bmh 256*16, copies included", m);
    paper_at_most(paper, test->other[TRAWL_ONE], PART_WHOLE, test->other[CPU_ONE], PART_WHOLE, 1, 0,
                  "m = %llu, today: trawl on one core <= serial bmh", m);
    paper_at_most(paper, test->other[TRAWL_ALL], PART_WHOLE, test->grep, PART_WHOLE, 1, 0,
                  "m = %llu, today: trawl on all cores <= grep -F -o -b", m);
}

void paper_bmh(struct papers *papers)
{
    struct test tests[TESTS];
    struct corpus corpus;
    const char *path;

    corpus_make(papers, CORPUS_BIBLE, TEXT_BYTES, &corpus);
    /* One line, so that grep can be asked for a pattern that went over the end of one. */
    for (uint64_t i = 0; i < corpus.bytes_count; i++)
        if (corpus.bytes[i] == '\n' || corpus.bytes[i] == '\r')
            corpus.bytes[i] = ' ';
    path = files_write(&papers->files, "bmh", corpus.bytes, corpus.bytes_count);
    paper_note(papers->paper, "text: %s, line ends as blanks", corpus.name);
    paper_note(papers->paper,
               "here: one search of a text that is copied to the GPU in each run, all positions "
               "handed back; the source does not say what text, and what of this its times hold");
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
    corpus_free(&corpus);
}
