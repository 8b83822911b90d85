/* papers_word: the tutorial's plot: the time of 100 searches against the length of the text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define RUNS 100u
#define KEY_BYTES 4u
#define LENGTHS_MAX 9u
#define LENGTH_FIRST 1024u
#define LENGTH_LAST (64u << 20)
#define LENGTH_STEP 4u
#define KEY_SEED 31u
#define TEXT_SEED 37u
#define CROSSING_PUBLISHED 30000.0
#define LEVEL_BYTES (4u << 20) /* beyond the 456,976 places where a word is met by chance */

static const struct {
    const char *name;
    enum host host;
    const char *algorithm;
} columns[] = {
    {"wordSearchCPU (naive, one core)", HOST_ONE, "naive"},
    {"naive, all cores", HOST_ALL, "naive"},
    {"memmem, one core", HOST_ONE, "memmem"},
    {"trawl, one core", HOST_ONE, NULL},
    {"trawl, all cores", HOST_ALL, NULL},
    {"word-simple", HOST_GPU, "word-simple"},
    {"word-chunked", HOST_GPU, "word-chunked"},
    {"trawl, GPU", HOST_GPU_OWN, NULL},
};
#define COLUMNS (sizeof columns / sizeof columns[0])
enum column_index {
    NAIVE_ONE,
    NAIVE_ALL,
    MEMMEM_ONE,
    TRAWL_ONE,
    TRAWL_ALL,
    SIMPLE,
    CHUNKED,
    TRAWL_GPU
};

struct length {
    uint64_t bytes;
    const struct figure *column[COLUMNS], *grep;
};

struct word {
    uint8_t *text;
    uint64_t text_bytes;
    char key[RUNS][KEY_BYTES + 1];
    uint64_t place[RUNS]; /* of the first occurrence; UINT64_MAX: none */
    uint32_t length_count;
    struct length length[LENGTHS_MAX];
};

static void make_word(struct papers *papers, struct word *word)
{
    struct seeded seeded = {KEY_SEED};

    word->text_bytes = papers_bytes(papers, LENGTH_LAST);
    word->text = (uint8_t *)allocate(word->text_bytes);
    text_fill_letters(word->text, word->text_bytes, TEXT_SEED);
    for (uint32_t i = 0; i < RUNS; i++) {
        const uint8_t *found;

        for (uint32_t k = 0; k < KEY_BYTES; k++)
            word->key[i][k] = (char)('a' + seeded_below(&seeded, 26));
        found = (const uint8_t *)memmem(word->text, word->text_bytes, word->key[i], KEY_BYTES);
        word->place[i] = found != NULL ? (uint64_t)(found - word->text) : UINT64_MAX;
    }
}

/* The question of one key: its only expected place is the first. */
static void ask_for(const struct word *word, uint32_t run, struct trawl_pattern *pattern,
                    struct question *question, struct command_line *grep)
{
    *pattern = (struct trawl_pattern){word->key[run], KEY_BYTES};
    question->place[0] = word->place[run];
    question->place_count = word->place[run] <= question->text_bytes - KEY_BYTES ? 1 : 0;
    grep->argument[grep->options_count + 2] = word->key[run];
    expect_output("", 0, grep);
    grep->status = question->place_count > 0 ? 0 : 1;
}

static void run_length(struct papers *papers, struct word *word, struct length *length)
{
    uint64_t place = 0;
    struct trawl_pattern pattern = {word->key[0], KEY_BYTES};
    struct question question = {.kind = ASK_FIRST, .name = "random letters", .text = word->text};
    struct command_line grep;
    struct trawl_error error = {0};
    struct race race = {.count = 0};

    question.text_bytes = length->bytes;
    question.patterns = &pattern;
    question.pattern_count = 1;
    question.place = &place;
    if (trawl_text_from_memory(word->text, length->bytes, &question.handle, &error) != TRAWL_OK)
        fail("%s", error.message);
    command_grep(papers, &grep, "-F -q", word->key[0],
                 files_write(&papers->files, "letters", word->text, length->bytes));
    for (uint32_t i = 0; i < COLUMNS; i++)
        length->column[i] =
            race_library(papers, &race, columns[i].host, columns[i].algorithm, columns[i].name);
    length->grep = race_command(papers, &race, &grep, "grep -F -q");
    ask_for(word, 0, &pattern, &question, &grep);
    papers_enter(papers, &question, &race);
    for (uint32_t run = 0; run < RUNS; run++) {
        ask_for(word, run, &pattern, &question, &grep);
        for (uint32_t i = 0; i < race.count; i++)
            if (race.contestant[i].figure->whole.count <= run &&
                papers_wants_more(papers, &race.contestant[i]))
                (void)papers_run(papers, &question, &race.contestant[i], true);
    }
    trawl_text_close(question.handle);
}

/* ---- What it came to ---------------------------------------------------------------------- */

/* Where `right` stops being the slower one: between the last length where it is, and the next, on
 * the straight line of both logarithms. 0: it is never the faster one at the end. */
static bool find_crossing(const struct word *word, uint32_t left, uint32_t right, double *bytes)
{
    double before = 0, ratio;

    *bytes = 0;
    for (uint32_t i = 0; i < word->length_count; i++) {
        const struct length *length = &word->length[i];
        double a, b;

        if (!figure_mean(length->column[left], PART_WHOLE, &a) ||
            !figure_mean(length->column[right], PART_WHOLE, &b))
            return false;
        ratio = log(b / a); /* above 0: the right one is slower */
        if (ratio > 0)
            *bytes = 0;
        else if (*bytes <= 0 && i == 0)
            *bytes = (double)length->bytes;
        else if (*bytes <= 0)
            *bytes = (double)word->length[i - 1].bytes *
                     exp(log((double)length->bytes / (double)word->length[i - 1].bytes) * before /
                         (before - ratio));
        before = ratio;
    }
    return true;
}

static void order_crossing(struct paper *paper, const struct word *word, uint32_t left,
                           uint32_t right, double published)
{
    enum ordering_state state = ORDERING_UNKNOWN;
    double bytes = 0;

    if (find_crossing(word, left, right, &bytes))
        state = bytes > 0 ? ORDERING_HOLDS : ORDERING_FAILS;
    paper_claim(paper, state, bytes, published,
                "%sfrom some length on %s is the faster one of it and %s (the length in bytes; 0: "
                "it is not)",
                left == NAIVE_ONE ? "" : "today: ", columns[right].name, columns[left].name);
}

static const struct length *length_of(const struct word *word, uint64_t bytes)
{
    for (uint32_t i = 0; i < word->length_count; i++)
        if (word->length[i].bytes >= bytes)
            return &word->length[i];
    return &word->length[word->length_count - 1];
}

static void add_orderings(struct paper *paper, const struct word *word)
{
    const struct length *last = &word->length[word->length_count - 1];
    const struct length *level = length_of(word, LEVEL_BYTES);
    double growth = (double)last->bytes / (double)level->bytes;

    order_crossing(paper, word, NAIVE_ONE, SIMPLE, CROSSING_PUBLISHED);
    order_crossing(paper, word, NAIVE_ONE, CHUNKED, 0);
    order_crossing(paper, word, NAIVE_ALL, SIMPLE, 0);
    order_crossing(paper, word, TRAWL_ALL, TRAWL_GPU, 0);
    paper_at_most(paper, last->column[NAIVE_ONE], PART_WHOLE, level->column[NAIVE_ONE], PART_WHOLE,
                  1.5, 0, "the CPU's time levels off: at %llu KiB <= 1.5 x at %llu KiB",
                  (unsigned long long)last->bytes / 1024, (unsigned long long)level->bytes / 1024);
    paper_at_least(paper, last->column[SIMPLE], PART_WHOLE, level->column[SIMPLE], PART_WHOLE,
                   growth / 2, 0, "word-simple's time does not: at %llu KiB >= %.0f x at %llu KiB",
                   (unsigned long long)last->bytes / 1024, growth / 2,
                   (unsigned long long)level->bytes / 1024);
    paper_at_most(paper, last->column[CHUNKED], PART_WHOLE, last->column[SIMPLE], PART_WHOLE, 1, 0,
                  "copying in parts remedies that: word-chunked <= word-simple at %llu KiB",
                  (unsigned long long)last->bytes / 1024);
    paper_at_most(paper, last->column[TRAWL_ONE], PART_WHOLE, last->column[NAIVE_ONE], PART_WHOLE,
                  1, 0, "today: trawl on one core <= wordSearchCPU at %llu KiB",
                  (unsigned long long)last->bytes / 1024);
    paper_at_most(paper, last->column[TRAWL_ALL], PART_WHOLE, last->column[CHUNKED], PART_WHOLE, 1,
                  0, "today: trawl on all cores <= word-chunked at %llu KiB",
                  (unsigned long long)last->bytes / 1024);
}

static void add_table(struct paper *paper, const struct word *word)
{
    struct table *table = paper_table(paper, 1e3 * RUNS, "ms for 100 searches", "text, KiB",
                                      "The time of 100 searches for a word of 4 letters");

    for (uint32_t i = 0; i < COLUMNS; i++)
        (void)table_column(table, "%s", columns[i].name);
    (void)table_column(table, "grep -F -q");
    for (uint32_t k = 0; k < word->length_count; k++) {
        uint32_t row = table_row(table, "%llu", (unsigned long long)word->length[k].bytes / 1024);

        table->row_number[row] = (double)word->length[k].bytes;
        for (uint32_t i = 0; i < COLUMNS; i++)
            table_time(table, row, i, word->length[k].column[i], PART_WHOLE);
        table_time(table, row, (uint32_t)COLUMNS, word->length[k].grep, PART_WHOLE);
    }
    (void)paper_plot(paper, table, table->row_count, 0x1ff, true,
                     "length of the text, KiB (logarithmic)", table->title);
}

void paper_word(struct papers *papers)
{
    static struct word word;
    uint32_t found = 0;

    papers->paper->runs_differ = true;
    make_word(papers, &word);
    for (uint64_t bytes = LENGTH_FIRST; bytes <= word.text_bytes; bytes *= LENGTH_STEP) {
        struct length *length = &word.length[word.length_count++];

        length->bytes = bytes;
        run_length(papers, &word, length);
    }
    for (uint32_t i = 0; i < RUNS; i++)
        found += word.place[i] != UINT64_MAX;
    paper_note(
        papers->paper,
        "random letters a-z; 100 keys of 4 random letters, a search for each (fewer where they "
        "take longer than --cell-seconds: then 100 times their mean); the first occurrence "
        "is asked for; %u of the keys occur in the largest text; the text is copied to the "
        "GPU in each run",
        found);
    add_table(papers->paper, &word);
    add_orderings(papers->paper, &word);
    free(word.text);
}
