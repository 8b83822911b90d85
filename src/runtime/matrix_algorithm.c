/* matrix_algorithm: trawl_matrix by the gallery's algorithm that takes records one by one. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/call.h"
#include "runtime/jobs.h"
#include "runtime/records.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/stats.h"
#include "runtime/threads.h"
#include "runtime/workers.h"

#define BLOCK_BYTES (1u << 20) /* for each thread */
#define ROW_BYTES_MAX UINT32_MAX

struct matrix {
    struct trawl_searcher *searcher;
    const struct trawl_plan *plan;
    const struct trawl_record_array *records;
    uint64_t columns;
    int64_t *first; /* rows_max rows of the current block */
    uint64_t rows_max;
    uint64_t block_begin; /* record of the block's first row */
    uint64_t begin_ns;    /* of the call */
    uint64_t clear_ns;    /* spent clearing blocks */
    struct trawl_stats stats;
    trawl_row_sink sink;
    void *context;
};

static void block_clear(struct matrix *matrix)
{
    uint64_t begin_ns = clock_now_ns();

    if (matrix->columns > 0)
        memset(matrix->first, 0xff, (size_t)(matrix->rows_max * matrix->columns * sizeof(int64_t)));
    matrix->clear_ns += clock_now_ns() - begin_ns;
}

/* Hand out rows of the block at hand; false: no more are wanted. */
static bool hand_out(struct matrix *matrix, uint64_t rows)
{
    return !searcher_is_cancelled(matrix->searcher) &&
           matrix->sink(matrix->context, matrix->block_begin, rows, matrix->first) == 0;
}

/* Hand out blocks until the one with the record is at hand. */
static bool block_reach(struct matrix *matrix, uint64_t record)
{
    TRAWL_ASSERT(matrix->rows_max > 0 && record >= matrix->block_begin);
    TRAWL_ASSERT(record <= matrix->records->record_count);
    while (record >= matrix->block_begin + matrix->rows_max) {
        if (!hand_out(matrix, matrix->rows_max))
            return false;
        matrix->block_begin += matrix->rows_max;
        block_clear(matrix);
    }
    return true;
}

/* The blocks that are left. */
static bool finish_rows(struct matrix *matrix)
{
    uint64_t records = matrix->records->record_count;

    return block_reach(matrix, records) &&
           (records == matrix->block_begin || hand_out(matrix, records - matrix->block_begin));
}

static enum trawl_status matrix_open(struct matrix *matrix, struct trawl_error *error)
{
    uint64_t block_bytes = (uint64_t)matrix->searcher->runtime->threads_max * BLOCK_BYTES;
    uint64_t row_bytes;
    void *memory;

    TRAWL_ASSERT(matrix->first == NULL && matrix->block_begin == 0);
    matrix->columns = matrix->plan->pattern_count;
    if (!checked_multiply(matrix->columns, sizeof(int64_t), &row_bytes) ||
        row_bytes > ROW_BYTES_MAX)
        return TRAWL_FAIL(error, LIMIT, "a row of %" PRIu64 " patterns exceeds 2^32 bytes",
                          matrix->columns);
    matrix->rows_max = row_bytes == 0 ? block_bytes : max_u64(block_bytes / row_bytes, 1);
    matrix->rows_max = min_u64(matrix->rows_max, max_u64(matrix->records->record_count, 1));
    TRAWL_TRY(memory_allocate(matrix->rows_max, row_bytes, &memory, error));
    matrix->first = (int64_t *)memory;
    block_clear(matrix);
    return TRAWL_OK;
}

/* Records before this one are done. */
static void records_done(struct matrix *matrix, uint64_t end)
{
    const uint64_t *offsets = (const uint64_t *)matrix->records->offsets;

    matrix->stats.text_bytes = offsets[end] - offsets[0];
    matrix->stats.chunk_count = (end + matrix->rows_max - 1) / matrix->rows_max;
    atomic_store(&matrix->searcher->progress, matrix->stats.text_bytes);
}

static bool next_block(void *context, uint64_t record_begin, int64_t **cells)
{
    struct matrix *matrix = (struct matrix *)context;

    records_done(matrix, record_begin);
    *cells = matrix->first;
    return block_reach(matrix, record_begin);
}

static enum trawl_status run_records(struct matrix *matrix, struct engine_result *result,
                                     struct trawl_error *error)
{
    struct trawl_searcher *searcher = matrix->searcher;
    const struct trawl_plan *plan = matrix->plan;
    struct engine_records records = {matrix->records->bytes,
                                     (const uint64_t *)matrix->records->offsets,
                                     matrix->records->record_count};
    struct engine_matrix wanted = {.records = &records,
                                   .columns = matrix->columns,
                                   .rows_max = matrix->rows_max,
                                   .block = next_block,
                                   .context = matrix,
                                   .helpers_max = searcher->runtime->threads_max - 1};
    struct engine_task task = {.output = ENGINE_OUTPUT_CELLS, .result = result, .matrix = &wanted};
    const struct engine_ops *engine;
    struct engine_worker *engine_worker;
    enum trawl_status status;
    struct job call;

    job_begin(&call, searcher->runtime, plan, NULL);
    status = worker_host_ready(&searcher->caller, &call, error);
    job_end(&call);
    TRAWL_TRY(status);
    engine = worker_engine(&searcher->caller, &call, false, &engine_worker);
    status = engine->submit(engine_worker, &task, error);
    matrix->stats.match_count = wanted.match_count;
    matrix->stats.thread_count = 1 + wanted.helper_count;
    TRAWL_TRY(status);
    records_done(matrix, records.record_count);
    return finish_rows(matrix) ? TRAWL_OK : TRAWL_STOPPED;
}

enum trawl_status matrix_by_algorithm(struct trawl_searcher *searcher,
                                      const struct trawl_plan *plan,
                                      const struct trawl_record_array *records, trawl_row_sink sink,
                                      void *context, struct trawl_error *error)
{
    struct matrix matrix = {.searcher = searcher,
                            .plan = plan,
                            .records = records,
                            .begin_ns = clock_now_ns(),
                            .stats = {.size = sizeof matrix.stats, .thread_count = 1},
                            .sink = sink,
                            .context = context};
    struct trawl_stats *stats = &matrix.stats;
    struct engine_result result = {.count = 0};
    struct records checked;
    enum trawl_status status;

    TRAWL_TRY(records_open(&checked, records, error));
    status = matrix_open(&matrix, error);
    if (status == TRAWL_OK) {
        atomic_store(&searcher->progress, 0);
        status = run_records(&matrix, &result, error);
        stats->device_chunk_count = result.on_device ? stats->chunk_count : 0;
        stats->candidate_count = result.candidate_count;
        stats->device_copy_ns = result.device_copy_ns;
        stats->device_kernel_ns = result.device_kernel_ns;
        stats->device_back_ns = result.device_back_ns;
        stats->device_memory_ns = result.device_memory_ns;
        stats->device_host_ns = result.device_host_ns + (result.on_device ? matrix.clear_ns : 0);
        stats_finish(searcher, stats, matrix.begin_ns);
    }
    memory_release(matrix.first, matrix.rows_max, matrix.columns * sizeof(int64_t));
    return status;
}
