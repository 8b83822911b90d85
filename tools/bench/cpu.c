/* cpu: texts in memory; the read loop, memmem and trawl in turn, every answer checked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <trawl.h>

#include "bench/bench.h"
#include "bench/count.h"
#include "bench/machine.h"
#include "bench/read.h"
#include "bench/report.h"
#include "bench/rows.h"
#include "bench/search.h"
#include "bench/svg.h"
#include "bench/text.h"
#include "bench/util.h"

#define MEMMEM_SECONDS_MAX 0.25 /* of one run; the rest of the text is left out */
#define LETTERS_SEED 1u
#define PLAIN_SEED 2u

/* A text in memory with all that searches it. */
struct bench {
    const struct options *options;
    const struct reader *reader;
    struct trawl_searcher *one, *all;
    struct rows rows;
    uint32_t threads; /* of `all` */
    uint8_t *bytes, *plain_bytes;
    struct trawl_text *text, *plain_text;
    uint64_t read_sum; /* of text */
    int wrong_count;
};

static void check(struct bench *bench, const struct row *row, const char *who, uint64_t got,
                  uint64_t expected)
{
    expected += bench->options->falsify ? 1 : 0;
    if (got == expected)
        return;
    printf("WRONG: %s: %s counts %" PRIu64 ", expected %" PRIu64 "\n", row->name, who, got,
           expected);
    bench->wrong_count++;
}

/* ---- One timed run ------------------------------------------------------------------------ */

static struct trawl_plan *build_plan(const struct bench *bench, const uint8_t *pattern,
                                     uint64_t pattern_bytes, const uint8_t *text)
{
    struct trawl_plan *plan =
        search_plan(pattern, pattern_bytes, bench->options->method,
                    bench->options->sample ? text : NULL, bench->rows.text_bytes);

    if (plan == NULL)
        fail("method %s does not take a pattern of %" PRIu64 " bytes", bench->options->method_name,
             pattern_bytes);
    return plan;
}

/* The plan is built and freed inside the time, as memmem looks at its pattern anew each time. */
static uint64_t run_trawl(const struct bench *bench, struct trawl_searcher *searcher, bool plain,
                          const struct row *row, struct samples *samples)
{
    struct trawl_error error = {0};
    struct trawl_plan *plan;
    uint64_t count = 0;
    double begin = clock_seconds();

    plan = build_plan(bench, plain ? row->plain_pattern : row->pattern, row->pattern_bytes,
                      plain ? bench->plain_bytes : bench->bytes);
    search_need(
        trawl_count(searcher, plan, plain ? bench->plain_text : bench->text, &count, &error),
        &error);
    trawl_plan_free(plan);
    samples_add(samples, clock_seconds() - begin);
    return count;
}

static void run_read(struct bench *bench, const struct row *row, uint32_t threads,
                     struct samples *samples)
{
    double seconds;
    uint64_t sum =
        reader_run(bench->reader, bench->bytes, bench->rows.text_bytes, threads, &seconds);

    samples_add(samples, seconds);
    if (sum != bench->read_sum) {
        printf("WRONG: %s: the read loop's sum changed\n", row->name);
        bench->wrong_count++;
    }
}

static void run_memmem(struct bench *bench, struct row *row)
{
    double begin = clock_seconds();
    uint64_t done;
    uint64_t count = count_by_memmem(bench->bytes, row->memmem_bytes, row->pattern,
                                     row->pattern_bytes, 0, &done);

    samples_add(&row->memmem, clock_seconds() - begin);
    check(bench, row, "memmem", count, row->memmem_expected);
}

/* ---- A row -------------------------------------------------------------------------------- */

/* How much of the text memmem is to search: as much as it did within the time, at least four
 * patterns' length. */
static void limit_memmem(struct bench *bench, struct row *row)
{
    uint64_t done;

    count_by_memmem(bench->bytes, bench->rows.text_bytes, row->pattern, row->pattern_bytes,
                    MEMMEM_SECONDS_MAX, &done);
    if (done < 4 * row->pattern_bytes)
        done = 4 * row->pattern_bytes;
    row->memmem_bytes = done < bench->rows.text_bytes ? done : bench->rows.text_bytes;
    row->memmem_expected = row->memmem_bytes == bench->rows.text_bytes
                               ? row->expected
                               : count_by_automaton(bench->bytes, row->memmem_bytes, row->pattern,
                                                    row->pattern_bytes, bench->threads);
}

static void find_method(const struct bench *bench, struct row *row)
{
    struct trawl_plan *plan = build_plan(bench, row->pattern, row->pattern_bytes, bench->bytes);

    search_method(plan, TRAWL_ENGINE_CPU, row->method);
    trawl_plan_free(plan);
}

static void warm_up(struct bench *bench, struct row *row)
{
    struct samples unused = {{0}, 0};

    find_method(bench, row);
    limit_memmem(bench, row);
    check(bench, row, "trawl", run_trawl(bench, bench->one, false, row, &unused), row->expected);
    check(bench, row, "trawl with all threads", run_trawl(bench, bench->all, false, row, &unused),
          row->expected);
}

static void run_plain(struct bench *bench, struct row *row)
{
    check(bench, row, "trawl on random text",
          run_trawl(bench, bench->one, true, row, &row->plain_one), row->plain_expected);
    check(bench, row, "trawl on random text with all threads",
          run_trawl(bench, bench->all, true, row, &row->plain_all), row->plain_expected);
}

static void measure_row(struct bench *bench, struct row *row)
{
    warm_up(bench, row);
    for (uint32_t round = 0; round < bench->options->rounds && bench->wrong_count == 0; round++) {
        run_read(bench, row, 1, &row->read_one);
        check(bench, row, "trawl", run_trawl(bench, bench->one, false, row, &row->one),
              row->expected);
        run_memmem(bench, row);
        run_read(bench, row, bench->threads, &row->read_all);
        check(bench, row, "trawl with all threads",
              run_trawl(bench, bench->all, false, row, &row->all), row->expected);
        if (row->plain_pattern != NULL)
            run_plain(bench, row);
    }
    if (bench->wrong_count == 0)
        report_row(&bench->rows, row);
}

/* Measure the rows added since `first`. */
static void measure_rows(struct bench *bench, uint32_t first)
{
    double seconds;

    bench->read_sum = reader_run(bench->reader, bench->bytes, bench->rows.text_bytes, 1, &seconds);
    for (uint32_t i = first; i < bench->rows.count && bench->wrong_count == 0; i++)
        measure_row(bench, &bench->rows.row[i]);
}

/* ---- The texts ---------------------------------------------------------------------------- */

static void run_alphabets(struct bench *bench)
{
    static const char *const alphabets[] = {"az", "english", "dna", "periodic"};

    for (size_t i = 0; i < sizeof alphabets / sizeof alphabets[0]; i++) {
        uint32_t first = bench->rows.count;

        if (!rows_may_want(bench->options, alphabets[i]) || bench->wrong_count > 0)
            continue;
        rows_fill_alphabet(&bench->rows, bench->options, alphabets[i], bench->bytes);
        rows_add_alphabet(&bench->rows, bench->options, alphabets[i], bench->bytes, bench->threads);
        measure_rows(bench, first);
    }
}

static void run_worst(struct bench *bench)
{
    uint64_t bytes = bench->rows.text_bytes;
    struct trawl_error error = {0};

    for (uint32_t worst_text = 0; worst_text < WORST_TEXTS; worst_text++) {
        uint32_t first = bench->rows.count;

        if (!rows_want_worst(bench->options, worst_text) || bench->wrong_count > 0)
            continue;
        if (bench->plain_bytes == NULL) {
            bench->plain_bytes = text_allocate(bytes);
            text_fill_letters(bench->plain_bytes, bytes, PLAIN_SEED);
            search_need(
                trawl_text_from_memory(bench->plain_bytes, bytes, &bench->plain_text, &error),
                &error);
        }
        rows_fill_worst(bench->bytes, bytes, worst_text);
        rows_add_worst(&bench->rows, bench->options, worst_text, bench->bytes, bench->plain_bytes,
                       bench->threads);
        measure_rows(bench, first);
    }
}

/* ---- The run ------------------------------------------------------------------------------ */

static void open_bench(struct bench *bench, const struct options *options,
                       const struct machine *machine)
{
    uint64_t bytes = options->text_bytes;
    struct trawl_error error = {0};

    bench->options = options;
    bench->threads = options->threads > 0 ? options->threads : machine->cores;
    bench->rows.text_bytes = bytes;
    bench->rows.threads = bench->threads;
    bench->bytes = text_allocate(bytes);
    text_fill_letters(bench->bytes, bytes, LETTERS_SEED);
    bench->reader = reader_choose(bench->bytes, bytes);
    bench->rows.reader_name = bench->reader->name;
    bench->one = search_open(options, TRAWL_ENGINE_CPU, 1, &error);
    bench->all = search_open(options, TRAWL_ENGINE_CPU, bench->threads, &error);
    search_need(trawl_text_from_memory(bench->bytes, bytes, &bench->text, &error), &error);
}

static void close_bench(struct bench *bench)
{
    trawl_text_close(bench->text);
    trawl_text_close(bench->plain_text);
    trawl_searcher_close(bench->one);
    trawl_searcher_close(bench->all);
    text_release(bench->bytes, bench->rows.text_bytes);
    text_release(bench->plain_bytes, bench->rows.text_bytes);
    for (uint32_t i = 0; i < bench->rows.count; i++) {
        free(bench->rows.row[i].pattern);
        free(bench->rows.row[i].plain_pattern);
    }
    free(bench);
}

int bench_cpu(const struct options *options)
{
    struct bench *bench = (struct bench *)allocate(sizeof *bench);
    struct machine machine;
    int wrong_count;

    memset(bench, 0, sizeof *bench);
    machine_describe(options, &machine);
    machine_print(&machine, options, stdout, "");
    open_bench(bench, options, &machine);
    report_begin(&bench->rows);
    run_alphabets(bench);
    run_worst(bench);
    if (bench->rows.count == 0)
        fail("no row has a name that contains '%s'", options->filter);
    wrong_count = bench->wrong_count;
    if (wrong_count == 0) {
        report_end(&bench->rows);
        report_json(&bench->rows, &machine, options);
        report_markdown(&bench->rows, &machine, options);
        svg_draw(&bench->rows, &machine, options);
    }
    close_bench(bench);
    return wrong_count == 0 ? 0 : 1;
}
