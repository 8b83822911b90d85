/* sets: many patterns in one text: trawl, Hyperscan, memmem, the gallery and aho-corasick in one
 * process or by themselves, and the commands with a file of patterns.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/hyperscan.h"
#include "bench/oracle.h"
#include "bench/patterns.h"
#include "bench/process.h"
#include "bench/rivals.h"
#include "bench/search.h"
#include "bench/text.h"

#define SETS_TEXT_BYTES_MAX (64ull << 20) /* unless --bytes says less */
#define LINE_BYTES 80u
#define SECONDS_MIN 0.001
#define SLICE_BYTES_MIN (16u << 10) /* of the text, for contestants that take long */
#define GALLERY_PATTERNS_MAX 2000u  /* it goes through the text once for each */
#define PYTHON_BYTES_MAX (4u << 20) /* it makes an object of each match */
#define WORD_BYTES_MIN 4u

static const char one_core[] = "trawl, one core", all_cores[] = "trawl, all cores";
static const char hyperscan_one[] = "Hyperscan, one core", memmem_all[] = "memmem, all cores";
static const char gallery_one[] = "rabin-karp of the gallery, one core";
static const char aho_corasick[] = "aho-corasick (Rust), one core";
static const char command_one[] = "trawl -j1 -c -f", command_all[] = "trawl -c -f";
static const char command_grep[] = "grep -F -c -f", command_rg[] = "rg -F -c -f";

struct sets {
    const struct options *options;
    uint32_t threads;
    struct trawl_searcher *one, *all;
    uint8_t *bytes;
    uint64_t bytes_count;
    struct trawl_text *text;
    struct trawl_pattern *patterns;
    uint64_t pattern_count;
    uint64_t expected, expected_lines;
    struct hyperscan *hyperscan;
    uint64_t memmem_patterns; /* that fit the time; 0: not known yet */
    uint64_t slice_bytes;     /* for the gallery */
    /* What is to be found in the shares of the three that do not do all; UINT64_MAX: not known. */
    uint64_t expected_memmem, expected_slice, expected_python;
    uint64_t plan_bytes;
    char command_path[PATH_MAX], text_path[PATH_MAX], patterns_path[PATH_MAX];
};

/* ---- In this process ---------------------------------------------------------------------- */

static void run_trawl(struct sets *sets, struct trawl_searcher *searcher, const char *algorithm,
                      uint64_t bytes_count, struct rival_run *run)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_error error = {0};
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    double begin = clock_seconds(), built;
    enum trawl_status status;

    options.algorithm = algorithm;
    options.method = algorithm == NULL ? sets->options->method : TRAWL_METHOD_AUTO;
    status = trawl_plan_build(sets->patterns, sets->pattern_count, &options, &plan, &error);
    if (status == TRAWL_UNSUPPORTED || status == TRAWL_ARGUMENT) {
        snprintf(run->why, sizeof run->why, "%.90s", error.message);
        return;
    }
    search_need(status, &error);
    built = clock_seconds();
    search_need(trawl_text_from_memory(sets->bytes, bytes_count, &text, &error), &error);
    search_need(trawl_count(searcher, plan, text, &run->count, &error), &error);
    run->seconds = clock_seconds() - built;
    run->compile_seconds = built - begin;
    trawl_text_close(text);
    trawl_plan_free(plan);
}

/* What the CPU searches with, patterns included: the bytes of the saved plan. */
static uint64_t plan_bytes(const struct sets *sets)
{
    struct trawl_error error = {0};
    struct trawl_plan *plan = NULL;
    char path[PATH_MAX + 8];
    struct stat status;
    bool good;

    snprintf(path, sizeof path, "%s.plan", sets->patterns_path);
    search_need(trawl_plan_build(sets->patterns, sets->pattern_count, NULL, &plan, &error), &error);
    search_need(trawl_plan_save(plan, path, NULL, &error), &error);
    trawl_plan_free(plan);
    good = stat(path, &status) == 0;
    (void)unlink(path);
    return good ? (uint64_t)status.st_size : 0;
}

static void run_one(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;

    run_trawl(sets, sets->one, NULL, sets->bytes_count, run);
    run->table_bytes = sets->plan_bytes;
    run->expected = sets->expected + sets->options->falsify;
}

static void run_all(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;

    run_trawl(sets, sets->all, NULL, sets->bytes_count, run);
    run->table_bytes = sets->plan_bytes;
    run->expected = sets->expected;
}

/* On a slice that grows until it takes a quarter of a contestant's time. */
static void run_gallery(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;
    bool grows = sets->slice_bytes == 0;

    if (sets->pattern_count > GALLERY_PATTERNS_MAX) {
        snprintf(run->why, sizeof run->why, "not measured: a pass for each pattern takes too long");
        return;
    }
    if (grows)
        sets->slice_bytes = SLICE_BYTES_MIN;
    for (;;) {
        if (sets->slice_bytes > sets->bytes_count)
            sets->slice_bytes = sets->bytes_count;
        run_trawl(sets, sets->one, "rabin-karp", sets->slice_bytes, run);
        if (!grows || run->why[0] != '\0' || sets->slice_bytes == sets->bytes_count ||
            8 * run->seconds > sets->options->cell_seconds)
            break;
        sets->slice_bytes *= 2;
    }
    run->share = (double)sets->slice_bytes / (double)sets->bytes_count;
    if (sets->expected_slice == UINT64_MAX)
        sets->expected_slice =
            oracle_count(sets->patterns, sets->pattern_count, sets->bytes, sets->slice_bytes);
    run->expected = sets->expected_slice;
}

static void run_hyperscan(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;
    double begin = clock_seconds();

    if (sets->hyperscan == NULL) {
        sets->hyperscan = hyperscan_compile(sets->patterns, sets->pattern_count, false, run->why,
                                            sizeof run->why);
        if (sets->hyperscan == NULL)
            return;
        run->compile_seconds = clock_seconds() - begin;
        begin = clock_seconds();
    }
    run->count = hyperscan_count(sets->hyperscan, sets->bytes, sets->bytes_count);
    run->seconds = clock_seconds() - begin;
    run->table_bytes = hyperscan_bytes(sets->hyperscan);
    run->expected = sets->expected;
}

static uint64_t memmem_one(void *context, uint64_t index)
{
    struct sets *sets = (struct sets *)context;
    const struct trawl_pattern *pattern = &sets->patterns[index];
    const uint8_t *at = sets->bytes, *end = at + sets->bytes_count;
    uint64_t count = 0;

    while ((at = (const uint8_t *)memmem(at, (size_t)(end - at), pattern->bytes,
                                         (size_t)pattern->bytes_count)) != NULL) {
        count++;
        at++;
    }
    return count;
}

static void run_memmem(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;
    bool known = sets->memmem_patterns > 0;
    double begin = clock_seconds();
    uint64_t done = pieces_run(memmem_one, sets,
                               known ? sets->memmem_patterns : sets->pattern_count, sets->threads,
                               known ? 0 : sets->options->cell_seconds + SECONDS_MIN, &run->count);

    sets->memmem_patterns = done;
    run->seconds = clock_seconds() - begin;
    run->share = (double)done / (double)sets->pattern_count;
    if (sets->expected_memmem == UINT64_MAX)
        sets->expected_memmem = oracle_count(sets->patterns, done, sets->bytes, sets->bytes_count);
    run->expected = sets->expected_memmem;
}

/* ---- By themselves ------------------------------------------------------------------------ */

static void run_aho_corasick(void *context, struct rival_run *run)
{
    static const char script[] =
        "import sys, time\n"
        "import ahocorasick_rs as rust\n"
        "patterns = open(sys.argv[1], 'rb').read().split(b'\\n')[:-1]\n"
        "text = open(sys.argv[2], 'rb').read(int(sys.argv[3]))\n"
        "begin = time.perf_counter()\n"
        "made = rust.BytesAhoCorasick(patterns)\n"
        "built = time.perf_counter()\n"
        "count = len(made.find_matches_as_indexes(text, overlapping=True))\n"
        "print(built - begin, time.perf_counter() - built, count)\n";
    struct sets *sets = (struct sets *)context;
    uint64_t bytes = sets->bytes_count < PYTHON_BYTES_MAX ? sets->bytes_count : PYTHON_BYTES_MAX;
    char number[24], line[160], *end = line;
    const char *const program[] = {"python3",       "-c",   script, sets->patterns_path,
                                   sets->text_path, number, NULL};

    snprintf(number, sizeof number, "%" PRIu64, bytes);
    if (process_first_line(program, line, sizeof line)) {
        run->compile_seconds = strtod(line, &end);
        run->seconds = strtod(end, &end);
        run->count = strtoull(end, NULL, 10);
    }
    if (end == line || run->seconds <= 0) {
        snprintf(run->why, sizeof run->why, "not measured: Python has no ahocorasick_rs here");
        return;
    }
    run->share = (double)bytes / (double)sets->bytes_count;
    if (sets->expected_python == UINT64_MAX)
        sets->expected_python =
            oracle_count(sets->patterns, sets->pattern_count, sets->bytes, bytes);
    run->expected = sets->expected_python;
}

static void run_command(struct sets *sets, const char *const *program, struct rival_run *run)
{
    const struct command command = {program, NULL};
    struct outcome outcome;
    char right[32];

    snprintf(right, sizeof right, "%" PRIu64 "\n", sets->expected_lines);
    process_run(&command, true, &outcome);
    if (outcome.status > 1) {
        snprintf(run->why, sizeof run->why, "not measured: it ended with status %d",
                 outcome.status);
        return;
    }
    run->seconds = outcome.seconds;
    run->expected = sets->expected_lines;
    run->count = outcome.output_bytes == strlen(right) &&
                         outcome.output_hash == process_hash((const uint8_t *)right, strlen(right))
                     ? sets->expected_lines
                     : sets->expected_lines + 1;
}

static void run_command_one(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;
    const char *const program[] = {sets->command_path,  "-j1",           "-c", "-f",
                                   sets->patterns_path, sets->text_path, NULL};

    run_command(sets, program, run);
}

static void run_command_all(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;
    const char *const program[] = {sets->command_path, "-c", "-f", sets->patterns_path,
                                   sets->text_path,    NULL};

    run_command(sets, program, run);
}

static void run_command_grep(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;
    const char *const program[] = {"grep",          "-F", "-c", "-f", sets->patterns_path,
                                   sets->text_path, NULL};

    run_command(sets, program, run);
}

static void run_command_rg(void *context, struct rival_run *run)
{
    struct sets *sets = (struct sets *)context;
    const char *const program[] = {"rg", "-F", "--no-config",       "--include-zero",
                                   "-c", "-f", sets->patterns_path, sets->text_path,
                                   NULL};

    run_command(sets, program, run);
}

static const struct rival contestants[] = {
    {one_core, true, run_one},
    {all_cores, true, run_all},
    {hyperscan_one, false, run_hyperscan},
    {memmem_all, false, run_memmem},
    {gallery_one, true, run_gallery},
    {aho_corasick, false, run_aho_corasick},
    {command_one, true, run_command_one},
    {command_all, true, run_command_all},
    {command_grep, false, run_command_grep},
    {command_rg, false, run_command_rg},
};

/* ---- Texts and patterns ------------------------------------------------------------------- */

static void write_file(const char *path, const void *bytes, uint64_t count)
{
    FILE *file = result_open(path);

    if (count > 0 && fwrite(bytes, 1, (size_t)count, file) != count)
        fail("%s: cannot be written", path);
    result_close(file, path);
}

static void write_patterns(const struct sets *sets)
{
    FILE *file = result_open(sets->patterns_path);

    for (uint64_t i = 0; i < sets->pattern_count; i++)
        if (fwrite(sets->patterns[i].bytes, 1, (size_t)sets->patterns[i].bytes_count, file) !=
                sets->patterns[i].bytes_count ||
            putc('\n', file) == EOF)
            fail("%s: cannot be written", sets->patterns_path);
    result_close(file, sets->patterns_path);
}

/* Pieces of lines of the text. */
static void take_pieces(struct sets *sets, uint64_t count, uint64_t pattern_bytes)
{
    uint64_t drawn = count + count / 8 + 8; /* some come twice */

    sets->patterns =
        patterns_pieces(sets->bytes, sets->bytes_count, drawn, pattern_bytes, pattern_bytes);
    sets->pattern_count = patterns_distinct(sets->patterns, drawn, count);
}

static void take_words(struct sets *sets, const struct source *source, uint64_t count)
{
    sets->patterns = patterns_words(source, WORD_BYTES_MIN, &sets->pattern_count);
    sets->pattern_count = patterns_distinct(sets->patterns, sets->pattern_count, count);
}

static void put_line_ends(struct sets *sets)
{
    text_put_line_ends(sets->bytes, sets->bytes_count, LINE_BYTES, LINE_BYTES);
}

/* ---- Rows --------------------------------------------------------------------------------- */

struct set_row {
    const char *kind; /* "words", "dna", "letters" */
    uint64_t pattern_count;
    uint64_t pattern_bytes; /* 0: as they are */
    double bar_hyperscan, bar_compile, bar_commands;
};

static const struct set_row set_rows[] = {
    {"words", 10, 0, 2, 0, 0},      {"words", 1000, 0, 2, 0, 0},
    {"words", 100000, 0, 2, 50, 4}, {"dna", 10, 16, 2, 0, 0},
    {"dna", 1000, 16, 2, 0, 0},     {"dna", 100000, 16, 10, 50, 0},
    {"letters", 1000, 16, 0, 0, 0}, {"letters", 100000, 16, 0, 0, 0},
};

static void mark_line(void *context, uint64_t position, uint64_t pattern)
{
    (void)pattern;
    ((uint8_t *)context)[position] = 1;
}

static void expect(struct sets *sets)
{
    uint8_t *begins = text_allocate(sets->bytes_count);
    bool found = false;

    memset(begins, 0, (size_t)sets->bytes_count);
    sets->expected =
        oracle_count(sets->patterns, sets->pattern_count, sets->bytes, sets->bytes_count);
    oracle_each(sets->patterns, sets->pattern_count, sets->bytes, sets->bytes_count, mark_line,
                begins);
    sets->expected_lines = 0;
    for (uint64_t i = 0; i < sets->bytes_count; i++) {
        found |= begins[i] != 0;
        if (sets->bytes[i] == '\n' || i + 1 == sets->bytes_count) {
            sets->expected_lines += found;
            found = false;
        }
    }
    text_release(begins, sets->bytes_count);
}

static void fill_text(struct sets *sets, const struct set_row *row, struct source *words)
{
    struct source source;

    if (strcmp(row->kind, "letters") == 0) {
        text_fill_letters(sets->bytes, sets->bytes_count, 1);
        put_line_ends(sets);
        return;
    }
    if (strcmp(row->kind, "dna") == 0)
        source_dna(sets->options, &source);
    else
        source_english(sets->options, &source);
    text_fill_repeated(sets->bytes, sets->bytes_count, source.bytes, source.bytes_count);
    if (strcmp(row->kind, "dna") == 0)
        put_line_ends(sets);
    else
        source_words(sets->options, words);
    source_free(&source);
}

static void add_bars(struct rivals_row *row, const struct set_row *wanted)
{
    const struct rivals_bar bars[] = {
        {one_core, hyperscan_one, wanted->bar_hyperscan, false},
        {one_core, hyperscan_one, wanted->bar_compile, true},
        {command_one, command_grep, wanted->bar_commands, false},
        {command_one, command_rg, wanted->bar_commands, false},
    };

    row->bar_count = sizeof bars / sizeof bars[0];
    memcpy(row->bars, bars, sizeof bars);
}

static void run_row(struct rivals *rivals, struct sets *sets, const struct set_row *wanted,
                    const char *name)
{
    struct rivals_row *row = &rivals->row[rivals->count++];
    struct source words = {.bytes = NULL};

    fill_text(sets, wanted, &words);
    if (words.bytes != NULL)
        take_words(sets, &words, wanted->pattern_count);
    else
        take_pieces(sets, wanted->pattern_count, wanted->pattern_bytes);
    write_file(sets->text_path, sets->bytes, sets->bytes_count);
    write_patterns(sets);
    expect(sets);
    sets->memmem_patterns = sets->slice_bytes = 0;
    sets->expected_memmem = sets->expected_slice = sets->expected_python = UINT64_MAX;
    sets->plan_bytes = plan_bytes(sets);
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->work, sizeof row->work, "%" PRIu64 " patterns in %" PRIu64 " MiB",
             sets->pattern_count, sets->bytes_count >> 20);
    row->text_bytes = sets->bytes_count;
    row->pattern_count = sets->pattern_count;
    row->found = sets->expected;
    add_bars(row, wanted);
    rivals_measure(rivals, row, contestants, sizeof contestants / sizeof contestants[0], sets,
                   sets->options);
    if (!rivals->wrong)
        rivals_report_row(row);
    hyperscan_free(sets->hyperscan);
    sets->hyperscan = NULL;
    free(sets->patterns);
    if (words.bytes != NULL)
        source_free(&words);
}

static void open_sets(struct sets *sets, const struct options *options)
{
    struct trawl_error error = {0};
    char folder[PATH_MAX - 32];
    const char *directory = options->directory;

    memset(sets, 0, sizeof *sets);
    sets->options = options;
    sets->threads =
        options->threads > 0 ? options->threads : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    sets->one = search_open(options, TRAWL_ENGINE_CPU, 1, &error);
    sets->all = search_open(options, TRAWL_ENGINE_CPU, sets->threads, &error);
    sets->bytes_count =
        options->text_bytes < SETS_TEXT_BYTES_MAX ? options->text_bytes : SETS_TEXT_BYTES_MAX;
    sets->bytes = text_allocate(sets->bytes_count);
    machine_program_folder(folder, sizeof folder);
    if (options->command_path != NULL)
        snprintf(sets->command_path, sizeof sets->command_path, "%s", options->command_path);
    else
        snprintf(sets->command_path, sizeof sets->command_path, "%s/trawl", folder);
    if (directory == NULL)
        directory = folder;
    snprintf(sets->text_path, sizeof sets->text_path, "%s/trawl-bench.text-%d", directory,
             getpid());
    snprintf(sets->patterns_path, sizeof sets->patterns_path, "%s/trawl-bench.patterns-%d",
             directory, getpid());
    setenv("LC_ALL", "C", 1);
}

int bench_sets(const struct options *options)
{
    static struct rivals rivals = {.benchmark = "sets"};
    static struct sets sets;
    struct machine machine;
    int status;

    open_sets(&sets, options);
    rivals_begin(options, &machine);
    for (uint32_t i = 0; i < sizeof set_rows / sizeof set_rows[0] && !rivals.wrong; i++) {
        char name[RIVALS_NAME_BYTES];

        snprintf(name, sizeof name, "%s, %" PRIu64 " patterns", set_rows[i].kind,
                 set_rows[i].pattern_count);
        if (options_wants(options, name))
            run_row(&rivals, &sets, &set_rows[i], name);
    }
    (void)unlink(sets.text_path);
    (void)unlink(sets.patterns_path);
    status = rivals_end(&rivals, &machine, options);
    trawl_searcher_close(sets.one);
    trawl_searcher_close(sets.all);
    text_release(sets.bytes, sets.bytes_count);
    return status;
}
