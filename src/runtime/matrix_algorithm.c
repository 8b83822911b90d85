/* matrix_algorithm: trawl_matrix by the gallery's algorithm that takes records one by one. Its rows
 * are made by all workers (rows.c). With a device, that one says first of many records at a time
 * which of them may hold anything.
 */
#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/job.h"
#include "runtime/records.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/stats.h"
#include "runtime/threads.h"
#include "runtime/workers.h"

#define FLAGGED_ROWS (1ull << 20) /* records that a device looks at at a time */
#define BLOCKS_PER_THREAD 8u      /* so that none waits long for another */

struct by_algorithm {
    struct trawl_searcher *searcher;
    const struct engine_ops *engine;
    struct engine_worker *worker;
    const struct trawl_plan *plan;
    const struct trawl_record_array *records;
    uint8_t *flags;       /* of records from flags_begin on; NULL: no device says any */
    uint64_t flags_count; /* at a time */
    uint64_t flags_begin;
    struct engine_result result;
    struct call_record done;
    trawl_row_sink sink;
    void *context;
};

static struct engine_matrix matrix_of(const struct by_algorithm *by, uint64_t begin, uint64_t end)
{
    const uint64_t *offsets = (const uint64_t *)by->records->offsets;

    return (struct engine_matrix){.records = {by->records->bytes, offsets + begin, end - begin},
                                  .columns = by->plan->pattern_count,
                                  .flags = by->flags == NULL ? NULL
                                                             : by->flags + begin - by->flags_begin};
}

/* Any thread's. */
static uint64_t fill(const void *context, uint64_t begin, uint64_t end, int64_t *cells,
                     uint32_t *rows, uint64_t *rows_count)
{
    const struct by_algorithm *by = (const struct by_algorithm *)context;
    struct engine_matrix matrix = matrix_of(by, begin, end);
    struct engine_task task = {.output = ENGINE_OUTPUT_CELLS, .matrix = &matrix};
    enum trawl_status status;

    matrix.cells = cells;
    matrix.rows = rows;
    matrix.rows_max = *rows_count;
    status = by->engine->submit(by->worker, &task, NULL);
    TRAWL_ASSERT(status == TRAWL_OK);
    (void)status;
    *rows_count = matrix.rows_count;
    return matrix.match_count;
}

/* Rows to the sink, up to the end of the span that they were begun with. */
static enum trawl_status deliver(struct by_algorithm *by, struct rows *rows)
{
    const uint64_t *offsets = (const uint64_t *)by->records->offsets;
    struct trawl_stats *stats = &by->done.stats;
    struct rows_view view;

    while (rows_next(rows, &view)) {
        if (searcher_is_cancelled(by->searcher) ||
            by->sink(by->context, view.record_begin, view.record_end - view.record_begin,
                     view.first) != 0)
            return TRAWL_STOPPED;
        stats->chunk_count++;
        stats->match_count += view.cell_count;
        stats->text_bytes = offsets[view.record_end] - offsets[0];
        atomic_store(&by->searcher->progress, stats->text_bytes);
    }
    return TRAWL_OK;
}

static enum trawl_status run(struct by_algorithm *by, struct rows *rows, struct trawl_error *error)
{
    uint64_t count = by->records->record_count;
    struct span span = {.record_end = 0, .fill = fill, .context = by};

    while (!span.last) {
        uint64_t begin_ns;

        span.record_begin = by->flags_begin = span.record_end;
        span.record_end = count;
        if (by->flags != NULL) {
            struct engine_matrix matrix;
            struct engine_task task = {
                .output = ENGINE_OUTPUT_FLAGS, .result = &by->result, .matrix = &matrix};

            span.record_end = min_u64(count, span.record_begin + by->flags_count);
            matrix = matrix_of(by, span.record_begin, span.record_end);
            TRAWL_TRY(by->engine->submit(by->worker, &task, error));
        }
        span.last = span.record_end == count;
        begin_ns = clock_now_ns();
        rows_begin(rows, &span);
        TRAWL_TRY(deliver(by, rows));
        by->result.device_host_ns += by->flags == NULL ? 0 : clock_now_ns() - begin_ns;
    }
    return TRAWL_OK;
}

static enum trawl_status ready(struct by_algorithm *by, struct trawl_error *error)
{
    struct trawl_searcher *searcher = by->searcher;
    enum trawl_status status;
    struct job job;
    void *memory;

    job_begin(&job, searcher->runtime, by->plan, NULL);
    status = worker_host_ready(&searcher->caller, &job, error);
    job_end(&job);
    TRAWL_TRY(status);
    by->engine = worker_engine(&searcher->caller, &job, false, &by->worker);
    if (searcher->runtime->engine != TRAWL_ENGINE_CUDA)
        return TRAWL_OK;
    by->flags_count = min_u64(FLAGGED_ROWS, by->records->record_count);
    TRAWL_TRY(memory_allocate(by->flags_count, 1, &memory, error));
    by->flags = (uint8_t *)memory;
    return TRAWL_OK;
}

enum trawl_status matrix_by_algorithm(struct trawl_searcher *searcher,
                                      const struct trawl_plan *plan,
                                      const struct trawl_record_array *records, trawl_row_sink sink,
                                      void *context, struct trawl_error *error)
{
    struct by_algorithm by = {
        .searcher = searcher, .plan = plan, .records = records, .sink = sink, .context = context};
    uint64_t begin_ns = clock_now_ns();
    struct records checked;
    enum trawl_status status;
    struct rows rows;

    TRAWL_TRY(records_open(&checked, records, error));
    atomic_store(&searcher->progress, 0);
    status =
        rows_open(&rows, searcher, TRAWL_MATRIX_FIRST, plan->pattern_count, records->record_count,
                  BLOCKS_PER_THREAD * (uint64_t)searcher->runtime->threads_max, error);
    if (status == TRAWL_OK)
        status = ready(&by, error);
    if (status == TRAWL_OK) {
        status = run(&by, &rows, error);
        by.done.stats.thread_count = atomic_load(&rows.job.took_part);
        by.done.stats.device_chunk_count = by.flags != NULL ? by.done.stats.chunk_count : 0;
        by.done.stats.candidate_count = by.result.candidate_count;
        stats_add(&by.done.stats, &by.result);
        searcher_keep(searcher, &by.done, begin_ns);
    }
    rows_close(&rows);
    memory_release(by.flags, by.flags_count, 1);
    return status;
}
