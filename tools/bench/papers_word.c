/* papers_word: the tutorial's plot: the time of 100 searches against the length of the text. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define RUNS 100u           /* searches that the source adds up, each for another word */
#define SETS 5u             /* times that sum */
#define FIRST_SET_CELLS 6.0 /* of --cell-seconds: beyond it the first set is cut short */
#define KEY_BYTES 4u
#define LENGTHS_MAX 9u
#define LENGTH_FIRST 1024u
#define LENGTH_LAST (64u << 20)
#define LENGTH_STEP 4u
#define KEY_SEED 31u
#define TEXT_SEED 37u
#define CROSSING_PUBLISHED 30000.0
#define LEVEL_MOST 1.5 /* times that long still is level */
#define CPU_NAME "wordSearchCPU"
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
#define OTHERS_MAX 8u
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
    const struct figure *column[COLUMNS], *other[OTHERS_MAX], *grep;
};

/* What the gallery has beside word-simple and word-chunked. */
static const char *other_names[OTHERS_MAX];
static uint32_t other_count;

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

/* Searches so far of the set, and their parts. */
struct sum {
    uint32_t searches;
    double seconds[PARTS];
};

/* One set: a search for each key, the contestants in turn. What takes too long stops after fewer,
 * and its sum is scaled. */
static void run_set(struct papers *papers, const struct word *word, struct question *question,
                    struct trawl_pattern *pattern, struct command_line *grep,
                    const struct race *race, uint32_t set)
{
    const double most = FIRST_SET_CELLS * papers->options->cell_seconds;
    static struct sum sums[RACE_MAX];
    bool runs[RACE_MAX];

    memset(sums, 0, sizeof sums);
    for (uint32_t i = 0; i < race->count; i++)
        runs[i] = papers_wants_more(papers, &race->contestant[i]);
    for (uint32_t key = 0; key < RUNS; key++) {
        uint32_t round = set * RUNS + key;

        ask_for(word, key, pattern, question, grep);
        for (uint32_t place = 0; place < race->count; place++) {
            uint32_t i = race_at(race, round, place);
            struct sum *sum = &sums[i];
            double seconds[PARTS];

            if (!runs[i] || (key > 0 && sum->seconds[PART_WHOLE] > most))
                continue;
            papers_warm(papers, question, &race->contestant[i]);
            if (!papers_run(papers, question, &race->contestant[i], false, seconds))
                continue;
            sum->searches++;
            for (uint32_t part = 0; part < PARTS; part++)
                sum->seconds[part] += seconds[part];
        }
    }
    for (uint32_t i = 0; i < race->count; i++) {
        struct figure *figure = race->contestant[i].figure;

        if (figure->state != FIGURE_MEASURED || sums[i].searches == 0)
            continue;
        for (uint32_t part = 0; part < PARTS; part++)
            sums[i].seconds[part] *= (double)RUNS / sums[i].searches;
        figure_keep(figure, sums[i].seconds);
        if (sums[i].searches < RUNS)
            snprintf(figure->note, sizeof figure->note, "%u of %u searches, their time scaled",
                     sums[i].searches, RUNS);
    }
}

static void run_length(struct papers *papers, struct word *word, struct length *length)
{
    uint64_t place = 0;
    struct trawl_pattern pattern = {word->key[0], KEY_BYTES};
    struct question question = {.kind = ASK_FIRST, .text = word->text};
    uint32_t sets = papers->options->rounds < SETS ? papers->options->rounds : SETS;
    struct command_line grep;
    struct trawl_error error = {0};
    struct race race = {.count = 0};
    char name[NAME_BYTES];

    snprintf(name, sizeof name, "%llu KiB", (unsigned long long)length->bytes / 1024);
    question.name = name;
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
    for (uint32_t i = 0; i < other_count; i++)
        length->other[i] = race_library(papers, &race, HOST_GPU, other_names[i], other_names[i]);
    length->grep = race_command(papers, &race, &grep, "grep -F -q");
    ask_for(word, 0, &pattern, &question, &grep);
    papers_enter(papers, &question, &race, sets, false);
    for (uint32_t set = 0; set < sets; set++)
        run_set(papers, word, &question, &pattern, &grep, &race, set);
    trawl_text_close(question.handle);
}

/* ---- What it came to ---------------------------------------------------------------------- */

static void order_crossing(struct paper *paper, const struct word *word, const char *left_name,
                           uint32_t left, const char *right_name, uint32_t right, bool published)
{
    struct claim *claim = paper_claim(paper, CLAIM_CROSSINGS, !published, left_name, right_name);

    snprintf(claim->unit, sizeof claim->unit, "bytes of text");
    if (published) {
        claim->bound = CROSSING_PUBLISHED;
        snprintf(claim->published, sizeof claim->published, "faster from around 30,000 bytes on");
    }
    for (uint32_t i = 0; i < word->length_count; i++) {
        const struct length *length = &word->length[i];
        const struct figure *one =
            left < COLUMNS ? length->column[left] : length->other[left - COLUMNS];
        char name[NAME_BYTES];
        struct claim_case *added;

        snprintf(name, sizeof name, "%llu KiB", (unsigned long long)length->bytes / 1024);
        added = claim_add(claim, name, one, PART_WHOLE, length->column[right], PART_WHOLE);
        added->x = (double)length->bytes;
    }
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

    struct claim *claim;
    struct claim_case *one;
    char end[NAME_BYTES], middle[NAME_BYTES], text[NAME_BYTES + 32];

    snprintf(end, sizeof end, "%llu KiB", (unsigned long long)last->bytes / 1024);
    snprintf(middle, sizeof middle, "%llu KiB", (unsigned long long)level->bytes / 1024);
    order_crossing(paper, word, "word-simple", SIMPLE, CPU_NAME, NAIVE_ONE, true);
    order_crossing(paper, word, "word-chunked", CHUNKED, CPU_NAME, NAIVE_ONE, false);
    order_crossing(paper, word, "word-simple", SIMPLE, "naive, all cores", NAIVE_ALL, false);
    order_crossing(paper, word, "trawl, GPU", TRAWL_GPU, "trawl, one core", TRAWL_ONE, false);
    order_crossing(paper, word, "trawl, GPU", TRAWL_GPU, "trawl, all cores", TRAWL_ALL, false);
    order_crossing(paper, word, "trawl, GPU", TRAWL_GPU, "word-chunked", CHUNKED, false);
    order_crossing(paper, word, "trawl, all cores", TRAWL_ALL, "word-chunked", CHUNKED, false);
    order_crossing(paper, word, "trawl, one core", TRAWL_ONE, "word-chunked", CHUNKED, false);
    order_crossing(paper, word, "trawl, all cores", TRAWL_ALL, "trawl, one core", TRAWL_ONE, false);
    for (uint32_t i = 0; i < other_count; i++)
        order_crossing(paper, word, other_names[i], (uint32_t)COLUMNS + i, "word-simple", SIMPLE,
                       false);
    if (level == last)
        return; /* the texts are too short to level off */
    snprintf(text, sizeof text, CPU_NAME " on %.40s", end);
    claim = paper_claim(paper, CLAIM_RATIO, false, text, middle);
    claim->bound = LEVEL_MOST;
    snprintf(claim->published, sizeof claim->published, "its time levels off");
    (void)claim_add(claim, end, last->column[NAIVE_ONE], PART_WHOLE, level->column[NAIVE_ONE],
                    PART_WHOLE);
    snprintf(text, sizeof text, "word-simple on %.40s", end);
    claim = paper_claim(paper, CLAIM_RATIO, false, text, middle);
    claim->at_least = true;
    claim->bound = growth / 2;
    snprintf(claim->published, sizeof claim->published, "it grows with the text");
    one =
        claim_add(claim, end, last->column[SIMPLE], PART_WHOLE, level->column[SIMPLE], PART_WHOLE);
    one->x = growth;
    paper_faster(paper, "word-chunked", last->column[CHUNKED], PART_WHOLE, "word-simple",
                 last->column[SIMPLE], PART_WHOLE, 0, end);
}

static void add_table(struct paper *paper, const struct word *word)
{
    struct table *table = paper_table(paper, 1e3, "ms for 100 searches", "text, KiB",
                                      "The time of 100 searches for a word of 4 letters");

    table_caption(table, "The sum of 100 searches for the first occurrence, as in the source. "
                         "Each search holds building the plan, copying the text to the device "
                         "(not where cores search), the kernel, and copying the result back. "
                         "grep: 100 whole processes.");
    for (uint32_t i = 0; i < COLUMNS; i++)
        (void)table_column(table, "%s", columns[i].name);
    for (uint32_t i = 0; i < other_count; i++)
        (void)table_column(table, "%s", other_names[i]);
    (void)table_column(table, "grep -F -q");
    for (uint32_t k = 0; k < word->length_count; k++) {
        uint32_t row = table_row(table, "%llu", (unsigned long long)word->length[k].bytes / 1024);

        table->row_number[row] = (double)word->length[k].bytes;
        for (uint32_t i = 0; i < COLUMNS; i++)
            table_time(table, row, i, word->length[k].column[i], PART_WHOLE);
        for (uint32_t i = 0; i < other_count; i++)
            table_time(table, row, (uint32_t)COLUMNS + i, word->length[k].other[i], PART_WHOLE);
        table_time(table, row, (uint32_t)COLUMNS + other_count, word->length[k].grep, PART_WHOLE);
    }
    (void)paper_plot(paper, table, table->row_count, (1u << table->column_count) - 1, true,
                     "length of the text, KiB (logarithmic)", table->title);
}

void paper_word(struct papers *papers)
{
    static struct word word;
    static const char *const known[] = {"word-simple", "word-chunked"};
    uint32_t found = 0;

    other_count = papers_others("word-", TRAWL_ENGINE_CUDA, known, 2, other_names, OTHERS_MAX);
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
        "random letters a-z; 100 keys of 4 random letters; %u of them occur in the largest text; "
        "a first set that takes longer than %.0f times --cell-seconds is cut short and scaled",
        found, FIRST_SET_CELLS);
    paper_note(papers->paper,
               "runs of each figure: %u sums of 100 searches; the source has one sum",
               papers->options->rounds < SETS ? papers->options->rounds : SETS);
    add_table(papers->paper, &word);
    add_orderings(papers->paper, &word);
    paper_parts(papers->paper, 0,
                "100 searches for each text; the parts of a row add up to its total.");
    paper_own_parts(papers->paper, 0);
    free(word.text);
}
