/* papers_pss: tables I to VIII of Kutukcu: whole searches, kernel and copies, block sizes, builds.
 *
 * The book (The Hobbit, 513,717 characters) is not free, so another stands in for it: English text
 * of that size in which the two keys stand as often as the paper says. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define BOOK_BYTES 513717u
#define BILBO_COUNT 556u
#define METU_COUNT 10u
#define COPIES 20u
#define PLANT_SEED 17u
#define PLANT_TRIES 1000u
#define KEY_BYTES_MAX 5u

#define CASES 4u
#define VARIANTS 3u
#define BLOCKS 5u

static const struct {
    const char *number, *title, *key, *text;
    uint32_t copies;
    double findstr, variant[VARIANTS]; /* ms; 0: not in the paper */
    double kernel, copy, total;        /* tables V and VI */
} cases[CASES] = {
    {"I", "I: METU, book", "METU", "book", 1, 32.67, {1.92, 2.22, 1.82}, 0.33, 1.49, 1.82},
    {"II", "II: Bilbo, book", "Bilbo", "book", 1, 33.02, {2.14, 2.28, 2.01}, 0.49, 1.51, 2.0},
    {"III",
     "III: METU, 20 books",
     "METU",
     "20 books",
     COPIES,
     38.16,
     {13.84, 0, 13.53},
     4.65,
     8.88,
     13.53},
    {"IV",
     "IV: Bilbo, 20 books",
     "Bilbo",
     "20 books",
     COPIES,
     34.33,
     {17.09, 0, 16.67},
     7.79,
     8.87,
     16.66},
};
static const struct {
    const char *name, *debug, *release; /* the options of the plan */
} variants[VARIANTS] = {{"pss-gg", "pss-gg:1024,debug", "pss-gg:1024"},
                        {"pss-gr", "pss-gr:1024,debug", "pss-gr:1024"},
                        {"pss-gm", "pss-gm:1024,debug", "pss-gm:1024"}};
#define GG 0u
#define GR 1u
#define GM 2u

static const struct {
    const char *name, *debug, *release;
    double published;
} blocks[BLOCKS] = {{"1024", "pss-gm:1024,debug", "pss-gm:1024", 7.79},
                    {"512", "pss-gm:512,debug", "pss-gm:512", 5.17},
                    {"256", "pss-gm:256,debug", "pss-gm:256", 4.20},
                    {"128", "pss-gm:128,debug", "pss-gm:128", 4.02},
                    {"64", "pss-gm:64,debug", "pss-gm:64", 4.01}};
#define BLOCK_256 2u
#define OTHERS_MAX 8u
#define DEBUG_CODE ", debug code"
#define RELEASE_PUBLISHED 0.87
#define SPEEDUP_PUBLISHED 18 /* at best, over findstr */
#define SYSTEM "the system's command"

/* What one of tables I to IV came to. */
struct whole {
    const struct figure *grep, *command, *command_gpu, *debug[VARIANTS], *release[VARIANTS];
    const struct figure *one, *all, *own, *other[OTHERS_MAX];
};

/* What the gallery has beside the three: named with as many threads. */
static char other_names[OTHERS_MAX][NAME_BYTES];
static uint32_t other_count;

static void find_others(void)
{
    static const char *const known[] = {"pss-gg", "pss-gr", "pss-gm"};
    const char *names[OTHERS_MAX];

    other_count = papers_others("pss-", TRAWL_ENGINE_CUDA, known, VARIANTS, names, OTHERS_MAX);
    for (uint32_t i = 0; i < other_count; i++)
        snprintf(other_names[i], sizeof other_names[i], "%.80s:1024", names[i]);
}

struct books {
    uint8_t *bytes;
    uint64_t book_bytes, bytes_count;
    const char *path[2]; /* of the book, of the copies */
};

/* ---- The book ----------------------------------------------------------------------------- */

/* A key over what stands somewhere in [begin, end), not across the end of a line. */
static void plant(uint8_t *book, uint64_t begin, uint64_t end, const char *key,
                  struct seeded *seeded)
{
    uint64_t bytes = strlen(key);

    for (uint32_t i = 0; i < PLANT_TRIES && end - begin > bytes; i++) {
        uint8_t *at = book + begin + seeded_below(seeded, end - begin - bytes);

        if (memchr(at, '\n', bytes) != NULL)
            continue;
        for (uint64_t b = 0; b < bytes; b++)
            at[b] = (uint8_t)key[b];
        return;
    }
}

/* As many places as there are keys, evenly spread; METU in every so many of them. */
static void write_book(uint8_t *book, uint64_t bytes)
{
    uint64_t metu = METU_COUNT * bytes / BOOK_BYTES, bilbo = BILBO_COUNT * bytes / BOOK_BYTES;
    struct seeded seeded = {PLANT_SEED};
    uint64_t all, step;

    metu = metu > 0 ? metu : 1;
    all = metu + (bilbo > 0 ? bilbo : 1);
    step = bytes / all;
    for (uint64_t i = 0; i < all; i++)
        plant(book, i * step, (i + 1) * step,
              i * metu / all != (i + 1) * metu / all ? "METU" : "Bilbo", &seeded);
}

static void make_books(struct papers *papers, struct books *books)
{
    struct corpus corpus;

    books->book_bytes = papers_bytes(papers, (uint64_t)BOOK_BYTES * COPIES) / COPIES;
    books->bytes_count = books->book_bytes * COPIES;
    corpus_make(papers, CORPUS_BIBLE, books->book_bytes, &corpus);
    write_book(corpus.bytes, books->book_bytes);
    books->bytes = (uint8_t *)allocate(books->bytes_count);
    text_fill_repeated(books->bytes, books->bytes_count, corpus.bytes, books->book_bytes);
    books->path[0] = files_write(&papers->files, "book", books->bytes, books->book_bytes);
    books->path[1] = files_write(&papers->files, "books", books->bytes, books->bytes_count);
    paper_note(papers->paper,
               "book: %s, with the keys written into it; 20 books: 20 copies of it, "
               "%llu bytes",
               corpus.name, (unsigned long long)books->bytes_count);
    corpus_free(&corpus);
}

static void ask_for(const struct books *books, uint32_t index, struct trawl_pattern *pattern,
                    struct question *question)
{
    *pattern = (struct trawl_pattern){cases[index].key, strlen(cases[index].key)};
    question_open(question, ASK_POSITIONS, cases[index].title, books->bytes,
                  books->book_bytes * cases[index].copies, pattern);
}

/* ---- Tables I to IV ----------------------------------------------------------------------- */

static void race_whole(struct papers *papers, const struct books *books, uint32_t index,
                       struct whole *whole)
{
    const char *path = books->path[cases[index].copies > 1];
    struct command_line grep, command, command_gpu;
    struct trawl_pattern pattern;
    struct question question;
    struct race race = {.count = 0};
    struct figure *figure;

    ask_for(books, index, &pattern, &question);
    command_grep(papers, &grep, "-F", cases[index].key, path);
    command_trawl(papers, &command, "", cases[index].key, path);
    command_trawl(papers, &command_gpu, "--engine=cuda --algorithm=pss-gm", cases[index].key, path);
    expect_lines(&question, &grep);
    expect_lines(&question, &command);
    expect_lines(&question, &command_gpu);
    figure = race_command(papers, &race, &grep, "grep -F");
    figure->side = SIDE_PUBLISHED; /* it stands where findstr stood */
    whole->grep = figure;
    figure = race_command(papers, &race, &command, "trawl, command");
    figure->side = SIDE_OWN;
    whole->command = figure;
    whole->command_gpu = race_command(papers, &race, &command_gpu, "trawl pss-gm, command");
    for (uint32_t i = 0; i < VARIANTS; i++)
        whole->debug[i] =
            race_library(papers, &race, HOST_GPU, variants[i].debug, variants[i].debug);
    for (uint32_t i = 0; i < VARIANTS; i++)
        whole->release[i] =
            race_library(papers, &race, HOST_GPU, variants[i].release, variants[i].release);
    for (uint32_t i = 0; i < other_count; i++)
        whole->other[i] = race_library(papers, &race, HOST_GPU, other_names[i], other_names[i]);
    whole->one = race_library(papers, &race, HOST_ONE, NULL, "trawl, one core");
    whole->all = race_library(papers, &race, HOST_ALL, NULL, "trawl, all cores");
    whole->own = race_library(papers, &race, HOST_GPU_OWN, NULL, "trawl, GPU");
    papers_race(papers, &question, &race, papers->options->rounds);
    paper_note(papers->paper, "%s: %llu occurrences", cases[index].title,
               (unsigned long long)question.place_count);
    question_close(&question);
}

static void row_of(struct table *table, const struct whole whole[CASES], const char *name,
                   const struct figure *const *first)
{
    uint32_t row = table_row(table, "%s", name);
    size_t place = (size_t)((const char *)first - (const char *)whole);

    for (uint32_t i = 0; i < CASES; i++) {
        const void *at = (const char *)&whole[i] + place;

        table_time(table, row, 2 * i + 1, *(const struct figure *const *)at, PART_WHOLE);
    }
}

static void add_whole_table(struct paper *paper, const struct whole whole[CASES])
{
    struct table *table = paper_table(paper, 1e3, "ms", "",
                                      "Tables I (METU in the book), II (Bilbo), III (METU in 20 "
                                      "books) and IV (Bilbo): whole searches, copies included");

    table_caption(table, "One search each that returns all positions. The time of algorithms and"
                         " of trawl holds building the plan, copying the text from memory to the"
                         " device (not where cores search), the kernel, copying the results "
                         "back, and sorting. That of a command holds the whole process, which "
                         "reads the file and writes the lines. The source includes the copies "
                         "and leaves the first CUDA call out; so do all rows except the one with"
                         " the start-up.");
    for (uint32_t i = 0; i < CASES; i++) {
        (void)table_column(table, "%s, published", cases[i].number);
        (void)table_column(table, "%s, here", cases[i].number);
    }
    row_of(table, whole, "findstr there, grep -F here", &whole->grep);
    for (uint32_t k = 0; k < VARIANTS; k++) {
        char name[NAME_BYTES];

        snprintf(name, sizeof name, "%s, debug code as there", variants[k].name);
        row_of(table, whole, name, &whole->debug[k]);
    }
    for (uint32_t k = 0; k < VARIANTS; k++)
        row_of(table, whole, variants[k].name, &whole->release[k]);
    for (uint32_t k = 0; k < other_count; k++)
        row_of(table, whole, other_names[k], &whole->other[k]);
    row_of(table, whole, "trawl, the command", &whole->command);
    row_of(table, whole, "trawl, the command, with pss-gm and its start-up", &whole->command_gpu);
    row_of(table, whole, "trawl, one core", &whole->one);
    row_of(table, whole, "trawl, all cores", &whole->all);
    row_of(table, whole, "trawl, GPU", &whole->own);
    for (uint32_t i = 0; i < CASES; i++) {
        table_published(table, 0, 2 * i, cases[i].findstr);
        for (uint32_t k = 0; k < VARIANTS; k++)
            if (cases[i].variant[k] > 0)
                table_published(table, 1 + k, 2 * i, cases[i].variant[k]);
    }
    (void)paper_plot(paper, table, table->row_count, 0xff, false, "who",
                     "Whole searches, copies included");
}

/* "every parallel implementation is better", and the best of them by "approximately 18 times". */
static void order_command(struct paper *paper, const struct whole *whole, uint32_t index)
{
    struct claim *claim;
    char name[NAME_BYTES];

    for (uint32_t v = VARIANTS; v-- > 0;) {
        if (cases[index].variant[v] <= 0)
            continue;
        snprintf(name, sizeof name, "%s" DEBUG_CODE, variants[v].name);
        paper_faster(paper, name, whole->debug[v], PART_WHOLE, SYSTEM, whole->grep, PART_WHOLE,
                     cases[index].variant[v] / cases[index].findstr, cases[index].title);
    }
    claim = paper_claim(paper, CLAIM_BEST, false, "pss-gm" DEBUG_CODE, SYSTEM);
    claim->bound = SPEEDUP_PUBLISHED;
    (void)claim_add(claim, cases[index].title, whole->debug[GM], PART_WHOLE, whole->grep,
                    PART_WHOLE);
}

static void order_whole(struct paper *paper, const struct whole *whole, uint32_t index)
{
    const char *title = cases[index].title, *system = SYSTEM;
    const double *there = cases[index].variant;

    paper_faster(paper, "pss-gm" DEBUG_CODE, whole->debug[GM], PART_WHOLE, "pss-gg" DEBUG_CODE,
                 whole->debug[GG], PART_WHOLE, there[GM] / there[GG], title);
    paper_ours(paper, "pss-gm", whole->release[GM], PART_WHOLE, "pss-gg", whole->release[GG],
               PART_WHOLE, title);
    if (there[GR] > 0)
        paper_faster(paper, "pss-gg" DEBUG_CODE, whole->debug[GG], PART_WHOLE, "pss-gr" DEBUG_CODE,
                     whole->debug[GR], PART_WHOLE, there[GG] / there[GR], title);
    paper_ours(paper, "pss-gg", whole->release[GG], PART_WHOLE, "pss-gr", whole->release[GR],
               PART_WHOLE, title);
    order_command(paper, whole, index);
    paper_ours(paper, "pss-gm", whole->release[GM], PART_WHOLE, system, whole->grep, PART_WHOLE,
               title);
    paper_slower(paper, "pss-gm with the start-up of the first CUDA call", whole->command_gpu,
                 PART_WHOLE, system, whole->grep, PART_WHOLE, 0, title);
    paper_ours(paper, "trawl, the command", whole->command, PART_WHOLE, system, whole->grep,
               PART_WHOLE, title);
    paper_ours(paper, "trawl, one core", whole->one, PART_WHOLE, "pss-gm", whole->release[GM],
               PART_WHOLE, title);
    paper_ours(paper, "trawl, all cores", whole->all, PART_WHOLE, "pss-gm", whole->release[GM],
               PART_WHOLE, title);
    paper_ours(paper, "trawl, GPU", whole->own, PART_WHOLE, "pss-gm", whole->release[GM],
               PART_WHOLE, title);
    paper_ours(paper, "trawl, all cores", whole->all, PART_WHOLE, "trawl, one core", whole->one,
               PART_WHOLE, title);
    for (uint32_t i = 0; i < other_count; i++)
        paper_ours(paper, other_names[i], whole->other[i], PART_WHOLE, "pss-gm", whole->release[GM],
                   PART_WHOLE, title);
}

/* ---- Tables V and VI ---------------------------------------------------------------------- */

static void add_parts_table(struct paper *paper, const struct whole whole[CASES])
{
    struct table *table =
        paper_table(paper, 1e3, "ms", "", "Tables V and VI: pss-gm, kernel and copies");
    static const char *const names[] = {"kernel", "copies", "total"};
    static const enum part parts[] = {PART_KERNEL, PART_COPIES, PART_WHOLE};

    table_caption(table, "The runs of tables I to IV. The source's total is the sum of the other"
                         " two, ours is the whole search; the table of the device's algorithms "
                         "below has all of its parts.");

    for (uint32_t key = 0; key < 2; key++) {
        (void)table_column(table, "%s, published", cases[key].key);
        (void)table_column(table, "%s, here, debug code", cases[key].key);
        (void)table_column(table, "%s, here", cases[key].key);
    }
    for (uint32_t book = 0; book < 2; book++)
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t row = table_row(table, "%s: %s, %s", book == 0 ? "V" : "VI",
                                     cases[2 * book].text, names[i]);

            for (uint32_t key = 0; key < 2; key++) {
                uint32_t at = 2 * book + key;
                const double there[] = {cases[at].kernel, cases[at].copy, cases[at].total};

                table_published(table, row, 3 * key, there[i]);
                table_time(table, row, 3 * key + 1, whole[at].debug[GM], parts[i]);
                table_time(table, row, 3 * key + 2, whole[at].release[GM], parts[i]);
            }
        }
}

static void order_parts(struct paper *paper, const struct whole whole[CASES])
{
    for (uint32_t i = 0; i < CASES; i++)
        paper_slower(paper, "pss-gm's copies", whole[i].release[GM], PART_COPIES, "its kernel",
                     whole[i].release[GM], PART_KERNEL, cases[i].copy / cases[i].kernel,
                     cases[i].title);
    for (uint32_t i = 0; i < CASES; i += 2)
        paper_faster(paper, "pss-gm's kernel for METU", whole[i].release[GM], PART_KERNEL,
                     "that for Bilbo", whole[i + 1].release[GM], PART_KERNEL,
                     cases[i].kernel / cases[i + 1].kernel, cases[i].text);
}

/* The paper's speed-up over the system's command shrinks from 18 to 2 with 20 copies. */
static void order_sizes(struct paper *paper, const struct whole whole[CASES])
{
    struct claim *claim =
        paper_claim(paper, CLAIM_GAIN, false,
                    "pss-gm's gain over the system's command (time / time) with 20 books",
                    "that with one book");

    for (uint32_t key = 0; key < 2; key++) {
        const struct whole *one = &whole[key], *many = &whole[key + 2];
        struct claim_case *added =
            claim_add(claim, cases[key].key, many->grep, PART_WHOLE, many->release[GM], PART_WHOLE);

        added->base_left = one->grep;
        added->base_right = one->release[GM];
        added->published = cases[key + 2].findstr / cases[key + 2].variant[GM] /
                           (cases[key].findstr / cases[key].variant[GM]);
    }
}

/* ---- Tables VII and VIII ------------------------------------------------------------------ */

static void blocks_tables(struct papers *papers, const struct books *books)
{
    const struct figure *debug[BLOCKS], *release[BLOCKS];
    struct paper *paper = papers->paper;
    struct table *table = paper_table(
        paper, 1e3, "ms", "threads per block",
        "Tables VII and VIII: kernel of pss-gm, Bilbo in 20 books; VIII is the row 256");
    const char *on = cases[CASES - 1].title;
    char left[NAME_BYTES], right[NAME_BYTES];
    struct trawl_pattern pattern;
    struct question question;
    struct race race = {.count = 0};

    ask_for(books, CASES - 1, &pattern, &question);
    question.name = "blocks, Bilbo, 20 books";
    table_caption(table, "The kernel alone, by the device's clock; no copies.");
    for (uint32_t i = 0; i < BLOCKS; i++) {
        debug[i] = race_library(papers, &race, HOST_GPU, blocks[i].debug, blocks[i].debug);
        release[i] = race_library(papers, &race, HOST_GPU, blocks[i].release, blocks[i].release);
    }
    papers_race(papers, &question, &race, papers->options->rounds);
    question_close(&question);
    (void)table_column(table, "debug, published");
    (void)table_column(table, "debug, here");
    (void)table_column(table, "release, published");
    (void)table_column(table, "release, here");
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t row = table_row(table, "%s", blocks[i].name);

        table->row_number[row] = strtod(blocks[i].name, NULL);
        table_published(table, row, 0, blocks[i].published);
        table_time(table, row, 1, debug[i], PART_KERNEL);
        table_time(table, row, 3, release[i], PART_KERNEL);
        if (i == 0)
            continue;
        snprintf(left, sizeof left, "pss-gm's kernel with blocks of %s", blocks[i].name);
        snprintf(right, sizeof right, "that with blocks of %s", blocks[i - 1].name);
        paper_ours(paper, left, release[i], PART_KERNEL, right, release[i - 1], PART_KERNEL, on);
        snprintf(right, sizeof right, "that with blocks of %s" DEBUG_CODE, blocks[i - 1].name);
        paper_faster(paper, left, debug[i], PART_KERNEL, right, debug[i - 1], PART_KERNEL,
                     blocks[i].published / blocks[i - 1].published, on);
    }
    table_published(table, BLOCK_256, 2, RELEASE_PUBLISHED);
    paper_faster(paper, "pss-gm's kernel with blocks of 256, release", release[BLOCK_256],
                 PART_KERNEL, "debug code", debug[BLOCK_256], PART_KERNEL,
                 RELEASE_PUBLISHED / blocks[BLOCK_256].published, on);
    (void)paper_plot(paper, table, BLOCKS, 0xf, true, "threads per block (logarithmic)",
                     "pss-gm: kernel against block size");
}

void paper_pss(struct papers *papers)
{
    struct whole whole[CASES];
    struct books books;

    find_others();
    make_books(papers, &books);
    paper_note(papers->paper, "runs of each figure: %u; the source has the mean of 10",
               papers->options->rounds);
    paper_note(papers->paper,
               "pss-gg, -gr, -gm: the text is copied to the GPU in each run, blocks of 1024 "
               "threads; debug code as in tables I to VII, and release code");
    for (uint32_t i = 0; i < CASES; i++)
        race_whole(papers, &books, i, &whole[i]);
    add_whole_table(papers->paper, whole);
    add_parts_table(papers->paper, whole);
    for (uint32_t i = 0; i < CASES; i++)
        order_whole(papers->paper, &whole[i], i);
    order_parts(papers->paper, whole);
    order_sizes(papers->paper, whole);
    blocks_tables(papers, &books);
    paper_parts(papers->paper, 0,
                "Every search of the tables above; the parts of a row add up to its total.");
    paper_own_parts(papers->paper, 0);
    free(books.bytes);
}
