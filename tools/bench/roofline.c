/* roofline: was the right method chosen, and how near is it to the speed of reading?
 *
 * Counts in random letters, English and DNA, patterns of 1 to 65,536 bytes that are in the text,
 * through the public functions: each engine (one thread, all threads, the GPU with the text loaded)
 * with the method as chosen and with each that takes the pattern. In each round they run in turn,
 * after the read loop with as many threads; each count is checked. What a GPU reads is not to be
 * had through the public functions: its figures are GB/s (gpu_roofline in tests/gpu knows more).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/machine.h"
#include "bench/read.h"
#include "bench/report.h"
#include "bench/rows.h"
#include "bench/search.h"
#include "bench/text.h"
#include "bench/util.h"

#define CHOICE_BAR 0.95 /* of the best method's speed */
#define GIGA 1e9
#define SEED 1u
#define ENGINES 3u
#define ENGINE_NAME_BYTES 32u

static const char *const alphabets[] = {"az", "english", "dna"};
static const uint64_t lengths[] = {8,  1,  4,  16,  5,   6,   2,    3,    7,     12,   24,
                                   32, 64, 80, 128, 256, 512, 1024, 4096, 16384, 65536};

static const char *const method_names[] = {
#define METHOD_NAME(name, number, word) [TRAWL_METHOD_##name] = word,
    TRAWL_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
};
#define METHODS (sizeof method_names / sizeof method_names[0]) /* the first is the choice */

struct engine {
    char name[ENGINE_NAME_BYTES];
    enum trawl_engine kind;
    struct trawl_searcher *searcher; /* NULL: not here */
    uint32_t threads;                /* of the read loop; 0: none is comparable */
};

/* One pattern on one engine. */
struct result {
    const struct row *row;
    const struct engine *engine;
    char chosen[METHOD_NAME_BYTES];
    struct samples read, method[METHODS]; /* empty: the method does not take the pattern */
};

struct roofline {
    const struct options *options;
    const struct reader *reader;
    struct engine engine[ENGINES];
    struct rows rows;
    uint8_t *bytes;
    struct trawl_text *text;
    uint64_t read_sum;
    double deadline;
    struct result *results;
    uint32_t result_count, late_count, wrong_count;
};

/* ---- One figure --------------------------------------------------------------------------- */

static void run(struct roofline *roofline, struct result *result, const struct trawl_plan *plan,
                uint32_t method, bool kept)
{
    uint64_t count = 0, expected = result->row->expected + (roofline->options->falsify ? 1 : 0);
    struct trawl_error error = {0};
    double begin = clock_seconds();

    search_need(trawl_count(result->engine->searcher, plan, roofline->text, &count, &error),
                &error);
    if (kept)
        samples_add(&result->method[method], clock_seconds() - begin);
    if (count == expected)
        return;
    printf("WRONG: %s: %s, method %s counts %" PRIu64 ", expected %" PRIu64 "\n", result->row->name,
           result->engine->name, method_names[method], count, expected);
    roofline->wrong_count++;
}

static void run_read(struct roofline *roofline, struct result *result)
{
    double seconds;

    if (result->engine->threads == 0)
        return;
    if (reader_run(roofline->reader, roofline->bytes, roofline->rows.text_bytes,
                   result->engine->threads, &seconds) != roofline->read_sum) {
        printf("WRONG: %s: the read loop's sum changed\n", result->row->name);
        roofline->wrong_count++;
    }
    samples_add(&result->read, seconds);
}

/* One run more, unless all it had took longer than one may. */
static bool wants_more(const struct roofline *roofline, const struct samples *samples)
{
    double spent = 0;

    for (uint32_t i = 0; i < samples->count; i++)
        spent += samples->seconds[i];
    return samples->count == 0 || spent < roofline->options->cell_seconds;
}

static void measure(struct roofline *roofline, struct result *result)
{
    const struct row *row = result->row;
    struct trawl_plan *plans[METHODS];

    for (uint32_t m = 0; m < METHODS; m++) {
        plans[m] = search_plan(row->pattern, row->pattern_bytes, (enum trawl_method)m,
                               roofline->options->sample ? roofline->bytes : NULL,
                               roofline->rows.text_bytes);
        if (plans[m] != NULL)
            run(roofline, result, plans[m], m, false);
    }
    search_method(plans[TRAWL_METHOD_AUTO], result->engine->kind, result->chosen);
    for (uint32_t round = 0; round < roofline->options->rounds; round++) {
        run_read(roofline, result);
        for (uint32_t m = 0; m < METHODS && roofline->wrong_count == 0; m++)
            if (plans[m] != NULL && wants_more(roofline, &result->method[m]))
                run(roofline, result, plans[m], m, true);
    }
    for (uint32_t m = 0; m < METHODS; m++)
        trawl_plan_free(plans[m]);
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* The fastest of the methods that were forced; 0 where none was measured. */
static uint32_t best_method(const struct result *result)
{
    uint32_t best = 0;

    for (uint32_t m = 1; m < METHODS; m++)
        if (result->method[m].count > 0 && (best == 0 || samples_median(&result->method[m]) <
                                                             samples_median(&result->method[best])))
            best = m;
    return best;
}

/* How fast the choice is beside the best method; of the best method itself it is 1: what differs
 * then is noise. */
static double choice_ratio(const struct result *result)
{
    uint32_t best = best_method(result);

    if (best == 0 || strcmp(method_names[best], result->chosen) == 0)
        return 1;
    return row_ratio(&result->method[TRAWL_METHOD_AUTO], &result->method[best]);
}

static void write_head(FILE *file)
{
    fprintf(file, "| engine | text, m | count | read, GB/s | chosen | as chosen |");
    for (uint32_t m = 1; m < METHODS; m++)
        fprintf(file, " %s |", method_names[m]);
    fprintf(file, " choice / best | |\n|---|---|--:|--:|---|--:|");
    for (uint32_t m = 1; m < METHODS; m++)
        fprintf(file, "--:|");
    fprintf(file, "--:|---|\n");
}

static void write_result(const struct roofline *roofline, const struct result *result, FILE *file)
{
    const struct row *row = result->row;
    bool by_read = result->engine->threads > 0;

    fprintf(file, "| %s | %s, %" PRIu64 " | %" PRIu64 " | ", result->engine->name, row->alphabet,
            row->pattern_bytes, row->expected);
    if (by_read)
        fprintf(file, "%.1f | %s |", row_speed(&roofline->rows, &result->read) / GIGA,
                result->chosen);
    else
        fprintf(file, "- | %s |", result->chosen);
    for (uint32_t m = 0; m < METHODS; m++) {
        const struct samples *samples = &result->method[m];

        if (samples->count == 0)
            fprintf(file, " - |");
        else if (by_read)
            fprintf(file, " %.2f |", row_ratio(samples, &result->read));
        else
            fprintf(file, " %.1f |", row_speed(&roofline->rows, samples) / GIGA);
    }
    fprintf(file, " %.2f | %s |\n", choice_ratio(result),
            choice_ratio(result) < CHOICE_BAR ? "low" : "ok");
}

static void write_end(const struct roofline *roofline, FILE *file)
{
    uint32_t low = 0;

    for (uint32_t i = 0; i < roofline->result_count; i++)
        low += choice_ratio(&roofline->results[i]) < CHOICE_BAR;
    fprintf(file, "\n%" PRIu32 " choices, %" PRIu32 " of less than %.2f of the best method's speed",
            roofline->result_count, low, CHOICE_BAR);
    if (roofline->late_count > 0)
        fprintf(file, "; %" PRIu32 " more left out: the time was up (--seconds)",
                roofline->late_count);
    fprintf(file, "\n");
}

static void write_markdown(const struct roofline *roofline, const struct machine *machine)
{
    const char *path = roofline->options->markdown_path;
    FILE *file;

    if (path == NULL)
        return;
    file = result_open(path);
    machine_print(machine, roofline->options, file, "- ");
    for (uint32_t i = 0; i < roofline->rows.text_count; i++)
        fprintf(file, "- text %s\n", roofline->rows.texts[i]);
    fprintf(file, "- read loop: %s\n\n", roofline->rows.reader_name);
    write_head(file);
    for (uint32_t i = 0; i < roofline->result_count; i++)
        write_result(roofline, &roofline->results[i], file);
    write_end(roofline, file);
    result_close(file, path);
}

/* ---- The run ------------------------------------------------------------------------------ */

static void measure_row(struct roofline *roofline, const struct row *row)
{
    for (uint32_t e = 0; e < ENGINES && roofline->wrong_count == 0; e++) {
        struct result *result = &roofline->results[roofline->result_count];

        if (roofline->engine[e].searcher == NULL)
            continue;
        if (clock_seconds() > roofline->deadline) {
            roofline->late_count++;
            continue;
        }
        memset(result, 0, sizeof *result);
        result->row = row;
        result->engine = &roofline->engine[e];
        measure(roofline, result);
        roofline->result_count++;
        if (roofline->wrong_count == 0)
            write_result(roofline, result, stdout);
    }
}

static void measure_alphabet(struct roofline *roofline, const char *alphabet)
{
    struct trawl_searcher *gpu = roofline->engine[ENGINES - 1].searcher;
    struct rows *rows = &roofline->rows;
    struct trawl_error error = {0};
    uint32_t first = rows->count;
    double seconds;

    rows_fill_alphabet(rows, roofline->options, alphabet, roofline->bytes);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        rows_add_length(rows, roofline->options, alphabet, roofline->bytes, lengths[i], true,
                        rows->threads);
    if (rows->count == first)
        return;
    roofline->read_sum =
        reader_run(roofline->reader, roofline->bytes, rows->text_bytes, 1, &seconds);
    if (gpu != NULL)
        search_need(trawl_text_load(gpu, roofline->text, &error), &error);
    write_head(stdout);
    for (uint32_t i = first; i < rows->count && roofline->wrong_count == 0; i++)
        measure_row(roofline, &rows->row[i]);
    if (gpu != NULL)
        trawl_text_unload(gpu, roofline->text);
}

static void open_engines(struct roofline *roofline)
{
    struct engine *one = &roofline->engine[0], *all = &roofline->engine[1], *gpu = all + 1;
    struct trawl_error error = {0};

    snprintf(one->name, sizeof one->name, "CPU, 1 thread");
    one->kind = all->kind = TRAWL_ENGINE_CPU;
    one->threads = 1;
    one->searcher = search_open(roofline->options, TRAWL_ENGINE_CPU, 1, &error);
    snprintf(all->name, sizeof all->name, "CPU, %" PRIu32 " threads", roofline->rows.threads);
    all->threads = roofline->rows.threads;
    if (all->threads > 1)
        all->searcher = search_open(roofline->options, TRAWL_ENGINE_CPU, all->threads, &error);
    snprintf(gpu->name, sizeof gpu->name, "GPU, GB/s");
    gpu->kind = TRAWL_ENGINE_CUDA;
    gpu->searcher = search_open(roofline->options, gpu->kind, 0, &error);
    printf("GPU: %s\n", gpu->searcher == NULL ? error.message : "its columns are GB/s");
}

static void open_roofline(struct roofline *roofline, const struct options *options,
                          const struct machine *machine)
{
    struct trawl_error error = {0};

    roofline->options = options;
    roofline->deadline = clock_seconds() + (double)options->seconds_max;
    roofline->rows.text_bytes = options->text_bytes;
    roofline->rows.threads = options->threads > 0 ? options->threads : machine->cores;
    roofline->bytes = text_allocate(options->text_bytes);
    text_fill_letters(roofline->bytes, options->text_bytes, SEED);
    roofline->reader = reader_choose(roofline->bytes, options->text_bytes);
    roofline->rows.reader_name = roofline->reader->name;
    roofline->results = (struct result *)allocate(ROWS_MAX * ENGINES * sizeof *roofline->results);
    search_need(
        trawl_text_from_memory(roofline->bytes, options->text_bytes, &roofline->text, &error),
        &error);
    open_engines(roofline);
    printf("read loop: %s; columns are times the read speed, by the median\n",
           roofline->reader->name);
}

static void close_roofline(struct roofline *roofline)
{
    trawl_text_close(roofline->text);
    for (uint32_t e = 0; e < ENGINES; e++)
        trawl_searcher_close(roofline->engine[e].searcher);
    text_release(roofline->bytes, roofline->rows.text_bytes);
    for (uint32_t i = 0; i < roofline->rows.count; i++)
        free(roofline->rows.row[i].pattern);
    free(roofline->results);
    free(roofline);
}

int bench_roofline(const struct options *options)
{
    struct roofline *roofline = (struct roofline *)allocate(sizeof *roofline);
    struct machine machine;
    bool right;

    memset(roofline, 0, sizeof *roofline);
    machine_describe(options, &machine);
    machine_print(&machine, options, stdout, "");
    open_roofline(roofline, options, &machine);
    for (size_t i = 0; i < sizeof alphabets / sizeof alphabets[0]; i++)
        if (roofline->wrong_count == 0 && rows_may_want(options, alphabets[i]))
            measure_alphabet(roofline, alphabets[i]);
    if (roofline->rows.count == 0)
        fail("no row has a name that contains '%s'", options->filter);
    right = roofline->wrong_count == 0;
    if (right) {
        write_end(roofline, stdout);
        write_markdown(roofline, &machine);
    }
    close_roofline(roofline);
    return right ? 0 : 1;
}
