/* matrix: many patterns in many records: trawl's shapes of an answer, Hyperscan record by record,
 * memmem for each record and pattern, and the gallery.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/hyperscan.h"
#include "bench/oracle.h"
#include "bench/rivals.h"
#include "bench/search.h"
#include "bench/text.h"

#define RECORD_BYTES 200u
#define RECORDS_MAX 1000000u
#define SECONDS_MIN 0.001
#define SLICE_RECORDS_MIN 16u

static const char cells_all[] = "trawl, cells, all cores", cells_one[] = "trawl, cells, one core";
static const char rows_all[] = "trawl, rows of firsts, all cores";
static const char bits_all[] = "trawl, bits, all cores";
static const char records_all[] = "trawl, per record, all cores";
static const char patterns_all[] = "trawl, per pattern, all cores";
static const char memmem_all[] = "memmem, all cores";
static const char gallery_all[] = "rabin-karp-matrix of the gallery, all cores";
static const char hyperscan_one[] = "Hyperscan for each record, one core";

struct matrix {
    const struct options *options;
    uint32_t threads;
    struct trawl_searcher *one, *all;
    uint8_t *bytes;
    uint64_t *offsets;
    uint64_t record_count; /* of the row; records_all are there */
    uint64_t records_all;
    struct trawl_pattern *patterns;
    uint64_t pattern_count;
    uint64_t *cells_before; /* of record i: cells of those before it */
    uint64_t memory_bytes[TRAWL_MATRIX_PATTERNS + 1];
    uint64_t memmem_records, gallery_records, hyperscan_records; /* that fit the time; 0: unknown */
    struct hyperscan *hyperscan;
};

/* ---- What the library takes of memory ------------------------------------------------------ */

static _Atomic uint64_t memory_live, memory_most;

static void *memory_take(void *context, uint64_t bytes, uint64_t alignment)
{
    uint64_t now, most = atomic_load(&memory_most);
    void *pointer = NULL;

    (void)context;
    if (posix_memalign(&pointer, alignment, bytes) != 0)
        return NULL;
    now = atomic_fetch_add(&memory_live, bytes) + bytes;
    while (now > most && !atomic_compare_exchange_weak(&memory_most, &most, now))
        ;
    return pointer;
}

static void memory_give(void *context, void *pointer, uint64_t bytes)
{
    (void)context;
    atomic_fetch_sub(&memory_live, bytes);
    free(pointer);
}

/* ---- trawl -------------------------------------------------------------------------------- */

static struct trawl_plan *build(const struct matrix *matrix, const char *algorithm,
                                struct rival_run *run)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_error error = {0};
    struct trawl_plan *plan = NULL;
    double begin = clock_seconds();
    enum trawl_status status;

    options.algorithm = algorithm;
    options.method = algorithm == NULL ? matrix->options->method : TRAWL_METHOD_AUTO;
    status = trawl_plan_build(matrix->patterns, matrix->pattern_count, &options, &plan, &error);
    if (status == TRAWL_UNSUPPORTED || status == TRAWL_ARGUMENT) {
        snprintf(run->why, sizeof run->why, "%.90s", error.message);
        return NULL;
    }
    search_need(status, &error);
    run->compile_seconds = clock_seconds() - begin;
    return plan;
}

static void pull(const struct matrix *matrix, struct trawl_searcher *searcher,
                 enum trawl_matrix_shape shape, struct rival_run *run)
{
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_matrix_batch batch = {.size = sizeof batch};
    struct trawl_matrix_search *search = NULL;
    struct trawl_plan *plan = build(matrix, NULL, run);
    struct trawl_error error = {0};
    double begin = clock_seconds();

    if (plan == NULL)
        return;
    array.bytes = matrix->bytes;
    array.offsets = matrix->offsets;
    array.record_count = matrix->record_count;
    search_need(trawl_matrix_open(searcher, plan, &array, shape, &search, &error), &error);
    while (!batch.last) {
        search_need(trawl_matrix_next(search, &batch, &error), &error);
        run->count += batch.cell_count;
    }
    trawl_matrix_close(search);
    run->seconds = clock_seconds() - begin;
    run->expected = matrix->cells_before[matrix->record_count];
    run->memory_bytes = matrix->memory_bytes[shape];
    trawl_plan_free(plan);
}

#define RUN_SHAPE(name, searcher, shape)                              \
    static void name(void *context, struct rival_run *run)            \
    {                                                                 \
        const struct matrix *matrix = (const struct matrix *)context; \
        pull(matrix, matrix->searcher, shape, run);                   \
    }
RUN_SHAPE(run_cells_one, one, TRAWL_MATRIX_CELLS)
RUN_SHAPE(run_rows, all, TRAWL_MATRIX_FIRST)
RUN_SHAPE(run_bits, all, TRAWL_MATRIX_BITS)
RUN_SHAPE(run_records, all, TRAWL_MATRIX_RECORDS)
RUN_SHAPE(run_patterns, all, TRAWL_MATRIX_PATTERNS)
#undef RUN_SHAPE

static void run_cells(void *context, struct rival_run *run)
{
    const struct matrix *matrix = (const struct matrix *)context;

    pull(matrix, matrix->all, TRAWL_MATRIX_CELLS, run);
    run->expected += matrix->options->falsify;
}

static int count_row(void *context, uint64_t row_first, uint64_t row_count, const int64_t *first)
{
    (void)context;
    (void)row_first;
    (void)row_count;
    (void)first;
    return 0;
}

/* Of how many records, in a run that is to find out? Twice as many until it takes long enough. */
static bool grow(const struct matrix *matrix, uint64_t *records, double seconds)
{
    if (*records == matrix->record_count || 8 * seconds > matrix->options->cell_seconds)
        return false;
    *records = 2 * *records < matrix->record_count ? 2 * *records : matrix->record_count;
    return true;
}

static uint64_t begin_slice(const struct matrix *matrix)
{
    return matrix->record_count < SLICE_RECORDS_MIN ? matrix->record_count : SLICE_RECORDS_MIN;
}

static void take_slice(const struct matrix *matrix, uint64_t records, struct rival_run *run)
{
    run->share = (double)records / (double)matrix->record_count;
    run->expected = matrix->cells_before[records];
}

static void run_gallery(void *context, struct rival_run *run)
{
    struct matrix *matrix = (struct matrix *)context;
    struct trawl_plan *plan = build(matrix, "rabin-karp-matrix", run);
    bool grows = matrix->gallery_records == 0;
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_error error = {0};

    if (plan == NULL)
        return;
    if (grows)
        matrix->gallery_records = begin_slice(matrix);
    do {
        struct trawl_records records = {matrix->bytes, matrix->offsets, matrix->gallery_records};
        double begin = clock_seconds();

        search_need(trawl_matrix(matrix->all, plan, &records, count_row, NULL, &error), &error);
        run->seconds = clock_seconds() - begin;
    } while (grows && grow(matrix, &matrix->gallery_records, run->seconds));
    search_need(trawl_searcher_stats(matrix->all, &stats, &error), &error);
    run->count = stats.match_count;
    take_slice(matrix, matrix->gallery_records, run);
    trawl_plan_free(plan);
}

/* The most that the library holds, its plan included, by a run of its own. */
static void measure_memory(struct matrix *matrix)
{
    static const struct trawl_allocator allocator = {NULL, memory_take, memory_give};

    trawl_set_allocator(&allocator);
    for (int shape = 0; shape <= TRAWL_MATRIX_PATTERNS; shape++) {
        struct rival_run run = {.share = 1};
        struct trawl_searcher *searcher;
        struct trawl_error error = {0};

        atomic_store(&memory_most, 0);
        searcher = search_open(matrix->options, TRAWL_ENGINE_CPU, matrix->threads, &error);
        pull(matrix, searcher, (enum trawl_matrix_shape)shape, &run);
        trawl_searcher_close(searcher);
        matrix->memory_bytes[shape] = atomic_load(&memory_most);
    }
    trawl_set_allocator(NULL);
}

/* ---- The others --------------------------------------------------------------------------- */

static uint64_t memmem_record(void *context, uint64_t index)
{
    const struct matrix *matrix = (const struct matrix *)context;
    const uint8_t *record = matrix->bytes + matrix->offsets[index];
    size_t bytes = (size_t)(matrix->offsets[index + 1] - matrix->offsets[index]);
    uint64_t count = 0;

    for (uint64_t p = 0; p < matrix->pattern_count; p++)
        count += memmem(record, bytes, matrix->patterns[p].bytes,
                        (size_t)matrix->patterns[p].bytes_count) != NULL;
    return count;
}

static void run_memmem(void *context, struct rival_run *run)
{
    struct matrix *matrix = (struct matrix *)context;
    bool known = matrix->memmem_records > 0;
    double begin = clock_seconds();

    matrix->memmem_records = pieces_run(
        memmem_record, matrix, known ? matrix->memmem_records : matrix->record_count,
        matrix->threads, known ? 0 : matrix->options->cell_seconds + SECONDS_MIN, &run->count);
    run->seconds = clock_seconds() - begin;
    take_slice(matrix, matrix->memmem_records, run);
}

static void run_hyperscan(void *context, struct rival_run *run)
{
    struct matrix *matrix = (struct matrix *)context;
    bool grows = matrix->hyperscan_records == 0;
    double begin = clock_seconds();

    if (matrix->hyperscan == NULL) {
        matrix->hyperscan = hyperscan_compile(matrix->patterns, matrix->pattern_count, true,
                                              run->why, sizeof run->why);
        if (matrix->hyperscan == NULL)
            return;
        run->compile_seconds = clock_seconds() - begin;
    }
    if (grows)
        matrix->hyperscan_records = begin_slice(matrix);
    do {
        begin = clock_seconds();
        run->count = 0;
        for (uint64_t i = 0; i < matrix->hyperscan_records; i++)
            run->count += hyperscan_count(matrix->hyperscan, matrix->bytes + matrix->offsets[i],
                                          matrix->offsets[i + 1] - matrix->offsets[i]);
        run->seconds = clock_seconds() - begin;
    } while (grows && grow(matrix, &matrix->hyperscan_records, run->seconds));
    run->table_bytes = hyperscan_bytes(matrix->hyperscan);
    take_slice(matrix, matrix->hyperscan_records, run);
}

static const struct rival contestants[] = {
    {cells_all, true, run_cells},
    {cells_one, true, run_cells_one},
    {rows_all, true, run_rows},
    {bits_all, true, run_bits},
    {records_all, true, run_records},
    {patterns_all, true, run_patterns},
    {memmem_all, false, run_memmem},
    {gallery_all, true, run_gallery},
    {hyperscan_one, false, run_hyperscan},
};

/* ---- Rows --------------------------------------------------------------------------------- */

struct matrix_row {
    const char *kind; /* "letters", "english" */
    uint64_t pattern_count;
    uint64_t pattern_bytes;
    double bar;
    uint64_t records_max;
};

static const struct matrix_row matrix_rows[] = {
    {"letters", 4096, 12, 40, RECORDS_MAX},
    {"letters", 100000, 12, 40, RECORDS_MAX},
    {"english", 1000, 4, 0, 20000}, /* dense: about 130 cells a record */
};

struct oracle {
    struct matrix *matrix;
    uint64_t *last; /* of each pattern: the record it was last seen in, plus one */
};

static void take_cell(void *context, uint64_t position, uint64_t pattern)
{
    struct oracle *oracle = (struct oracle *)context;
    struct matrix *matrix = oracle->matrix;
    uint64_t record = position / RECORD_BYTES;

    if (position + matrix->patterns[pattern].bytes_count > matrix->offsets[record + 1] ||
        oracle->last[pattern] == record + 1)
        return;
    oracle->last[pattern] = record + 1;
    matrix->cells_before[record + 1]++;
}

static void expect(struct matrix *matrix)
{
    struct oracle oracle = {matrix,
                            (uint64_t *)allocate(matrix->pattern_count * sizeof *oracle.last)};

    memset(oracle.last, 0, (size_t)matrix->pattern_count * sizeof *oracle.last);
    memset(matrix->cells_before, 0,
           (size_t)(matrix->record_count + 1) * sizeof *matrix->cells_before);
    oracle_each(matrix->patterns, matrix->pattern_count, matrix->bytes,
                matrix->offsets[matrix->record_count], take_cell, &oracle);
    for (uint64_t i = 0; i < matrix->record_count; i++)
        matrix->cells_before[i + 1] += matrix->cells_before[i];
    free(oracle.last);
}

static void fill(struct matrix *matrix, const struct matrix_row *row)
{
    uint64_t bytes = matrix->offsets[matrix->record_count];
    struct seeded seeded = {11};
    struct source source;

    if (strcmp(row->kind, "letters") == 0) {
        text_fill_letters(matrix->bytes, bytes, 1);
    } else {
        source_english(matrix->options, &source);
        text_fill_repeated(matrix->bytes, bytes, source.bytes, source.bytes_count);
        source_free(&source);
    }
    matrix->pattern_count = row->pattern_count;
    matrix->patterns =
        (struct trawl_pattern *)allocate(row->pattern_count * sizeof *matrix->patterns);
    for (uint64_t i = 0; i < row->pattern_count; i++) /* some twice */
        matrix->patterns[i] = (struct trawl_pattern){
            matrix->bytes + seeded_below(&seeded, bytes - row->pattern_bytes), row->pattern_bytes};
}

static void run_row(struct rivals *rivals, struct matrix *matrix, const struct matrix_row *wanted,
                    const char *name)
{
    struct rivals_row *row = &rivals->row[rivals->count++];
    const struct rivals_bar bars[] = {
        {cells_all, memmem_all, wanted->bar, false},
        {rows_all, memmem_all, wanted->bar, false},
        {rows_all, gallery_all, 0, false},
        {cells_one, hyperscan_one, 0, false},
    };
    struct trawl_error error = {0};

    matrix->record_count =
        matrix->records_all < wanted->records_max ? matrix->records_all : wanted->records_max;
    fill(matrix, wanted);
    expect(matrix);
    matrix->memmem_records = matrix->gallery_records = matrix->hyperscan_records = 0;
    measure_memory(matrix);
    matrix->one = search_open(matrix->options, TRAWL_ENGINE_CPU, 1, &error);
    matrix->all = search_open(matrix->options, TRAWL_ENGINE_CPU, matrix->threads, &error);
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->work, sizeof row->work, "%" PRIu64 " patterns in %" PRIu64 " records of %u bytes",
             matrix->pattern_count, matrix->record_count, RECORD_BYTES);
    row->text_bytes = matrix->offsets[matrix->record_count];
    row->pattern_count = matrix->pattern_count;
    row->found = matrix->cells_before[matrix->record_count];
    row->bar_count = sizeof bars / sizeof bars[0];
    memcpy(row->bars, bars, sizeof bars);
    rivals_measure(rivals, row, contestants, sizeof contestants / sizeof contestants[0], matrix,
                   matrix->options);
    if (!rivals->wrong)
        rivals_report_row(row);
    hyperscan_free(matrix->hyperscan);
    matrix->hyperscan = NULL;
    free(matrix->patterns);
    trawl_searcher_close(matrix->one);
    trawl_searcher_close(matrix->all);
}

static void open_matrix(struct matrix *matrix, const struct options *options)
{
    memset(matrix, 0, sizeof *matrix);
    matrix->options = options;
    matrix->threads =
        options->threads > 0 ? options->threads : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    matrix->record_count = options->text_bytes / RECORD_BYTES < RECORDS_MAX
                               ? options->text_bytes / RECORD_BYTES
                               : RECORDS_MAX;
    matrix->bytes = text_allocate(matrix->record_count * RECORD_BYTES);
    matrix->offsets = (uint64_t *)allocate((matrix->record_count + 1) * sizeof *matrix->offsets);
    matrix->cells_before =
        (uint64_t *)allocate((matrix->record_count + 1) * sizeof *matrix->cells_before);
    matrix->records_all = matrix->record_count;
    for (uint64_t i = 0; i <= matrix->record_count; i++)
        matrix->offsets[i] = i * RECORD_BYTES;
}

static void close_matrix(struct matrix *matrix)
{
    text_release(matrix->bytes, matrix->records_all * RECORD_BYTES);
    free(matrix->offsets);
    free(matrix->cells_before);
}

int bench_matrix(const struct options *options)
{
    static struct rivals rivals = {.benchmark = "matrix"};
    struct matrix matrix;
    struct machine machine;
    int status;

    open_matrix(&matrix, options);
    rivals_begin(options, &machine);
    for (uint32_t i = 0; i < sizeof matrix_rows / sizeof matrix_rows[0] && !rivals.wrong; i++) {
        char name[RIVALS_NAME_BYTES];

        snprintf(name, sizeof name, "%s, %" PRIu64 " patterns", matrix_rows[i].kind,
                 matrix_rows[i].pattern_count);
        if (options_wants(options, name))
            run_row(&rivals, &matrix, &matrix_rows[i], name);
    }
    status = rivals_end(&rivals, &machine, options);
    close_matrix(&matrix);
    return status;
}
