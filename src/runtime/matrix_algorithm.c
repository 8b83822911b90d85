/* matrix_algorithm: makes cells by the gallery's algorithm that takes records one by one. All
 * workers make rows (rows.c), and the caller makes cells of the rows here. With engine CUDA a
 * device first says, for many records at a time, which records may hold a cell. */
#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/job.h"
#include "runtime/matrix.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/stats.h"
#include "runtime/threads.h"
#include "runtime/workers.h"

#define FLAGGED_ROWS (1ull << 20) /* records about which a device is asked at a time */

struct by_algorithm {
    struct trawl_searcher *searcher;
    const struct engine_ops *engine;
    struct engine_worker *worker;
    const struct trawl_plan *plan;
    struct trawl_record_array records; /* converted: offsets have 8 bytes, no record is null */
    struct rows rows;
    struct cells cells; /* cells of the span that was returned last */
    uint64_t rows_end;  /* rows were begun for the records before this index */
    uint64_t begin_ns;
    /* Flags of the records from flags_begin on, made by a device; NULL: no device makes flags. */
    uint8_t *flags;
    uint64_t flags_count; /* records about which the device is asked at a time */
    uint64_t flags_begin;
    struct engine_result result;
    struct call_record done;
};

static struct engine_matrix matrix_of(const struct by_algorithm *by, uint64_t begin, uint64_t end)
{
    const uint64_t *offsets = (const uint64_t *)by->records.offsets;

    return (struct engine_matrix){.records = {by->records.bytes, offsets + begin, end - begin},
                                  .columns = by->plan->pattern_count,
                                  .flags = by->flags == NULL ? NULL
                                                             : by->flags + begin - by->flags_begin};
}

/* Fills rows by the host's algorithm. A rows_fill, so any thread may call. */
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

/* Asks the device about the next records, if there is a device, and begins with the rows of these
 * records. */
static enum trawl_status begin_rows(struct by_algorithm *by, struct trawl_error *error)
{
    uint64_t begin = by->rows_end, end = by->records.record_count;

    if (by->flags != NULL) {
        struct engine_matrix matrix;
        struct engine_task task = {
            .output = ENGINE_OUTPUT_CELLS, .result = &by->result, .matrix = &matrix};

        by->flags_begin = begin;
        end = min_u64(end, begin + by->flags_count);
        matrix = matrix_of(by, begin, end);
        TRAWL_TRY(by->engine->submit(by->worker, &task, error));
    }
    by->rows_end = end;
    rows_begin(&by->rows, begin, end);
    return TRAWL_OK;
}

static enum trawl_status cells_of_rows(struct by_algorithm *by, const struct rows_view *view,
                                       struct trawl_error *error)
{
    uint64_t columns = by->plan->pattern_count;

    by->cells.count = 0;
    TRAWL_TRY(cells_reserve(&by->cells, view->cell_count, error));
    for (uint64_t i = 0; i < view->filled_count; i++) {
        const int64_t *row = view->first + view->filled[i] * columns;

        for (uint64_t p = 0; p < columns; p++)
            if (row[p] >= 0)
                cells_append(&by->cells, view->record_begin + view->filled[i], p, (uint64_t)row[p]);
    }
    TRAWL_ASSERT(by->cells.count == view->cell_count);
    return TRAWL_OK;
}

enum trawl_status by_algorithm_next(struct by_algorithm *by, struct span *span,
                                    struct trawl_error *error)
{
    const uint64_t *offsets = (const uint64_t *)by->records.offsets;
    struct trawl_stats *stats = &by->done.stats;
    uint64_t begin_ns = clock_now_ns();
    struct rows_view view;

    if (by->records.record_count == 0) {
        *span = (struct span){.last = true};
        return TRAWL_OK;
    }
    while (!rows_next(&by->rows, &view)) {
        TRAWL_TRY(begin_rows(by, error));
        begin_ns = clock_now_ns();
    }
    TRAWL_TRY(cells_of_rows(by, &view, error));
    *span = (struct span){.record_begin = view.record_begin,
                          .record_end = view.record_end,
                          .cells = by->cells,
                          .last = view.record_end == by->records.record_count};
    stats->chunk_count++;
    stats->match_count += view.cell_count;
    stats->text_bytes = offsets[view.record_end] - offsets[0];
    atomic_store(&by->searcher->progress, stats->text_bytes);
    by->result.device_host_ns += by->flags == NULL ? 0 : clock_now_ns() - begin_ns;
    return TRAWL_OK;
}

static enum trawl_status ready(struct by_algorithm *by, struct trawl_error *error)
{
    struct trawl_searcher *searcher = by->searcher;
    enum trawl_status status;
    struct job job;

    job_begin(&job, searcher->runtime, by->plan, NULL);
    status = worker_host_ready(&searcher->caller, &job, error);
    job_end(&job);
    TRAWL_TRY(status);
    by->engine = worker_engine(&searcher->caller, &job, false, &by->worker);
    if (searcher->runtime->engine != TRAWL_ENGINE_CUDA)
        return TRAWL_OK;
    by->flags_count = min_u64(FLAGGED_ROWS, by->records.record_count);
    TRAWL_TRY(MEMORY_NEW(by->flags, by->flags_count, error));
    return TRAWL_OK;
}

enum trawl_status by_algorithm_open(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    const struct trawl_record_array *records,
                                    struct by_algorithm **by_out, struct trawl_error *error)
{
    enum trawl_status status;
    struct by_algorithm *by;

    if (records->offset_bytes == sizeof(int32_t) || records->validity != NULL)
        return TRAWL_FAIL(error, ARGUMENT,
                          "algorithm %s takes records with offsets of 8 bytes and without nulls",
                          plan->algorithm.name);
    TRAWL_TRY(MEMORY_ZEROED(by, 1, error));
    by->searcher = searcher;
    by->plan = plan;
    by->records = *records;
    by->begin_ns = clock_now_ns();
    atomic_store(&searcher->progress, 0);
    status =
        rows_open(&by->rows, searcher, plan->pattern_count, records->record_count, fill, by, error);
    if (status == TRAWL_OK)
        status = ready(by, error);
    if (status == TRAWL_OK)
        *by_out = by;
    else
        by_algorithm_close(by);
    return status;
}

void by_algorithm_close(struct by_algorithm *by)
{
    struct trawl_stats *stats = &by->done.stats;

    if (by->engine != NULL) {
        stats->thread_count = atomic_load(&by->rows.job.took_part);
        stats->device_chunk_count = by->flags != NULL ? stats->chunk_count : 0;
        stats->candidate_count = by->result.candidate_count;
        stats_add(stats, &by->result);
        searcher_keep(by->searcher, &by->done, by->begin_ns);
    }
    rows_close(&by->rows);
    cells_clear(&by->cells);
    memory_release(by->flags, by->flags_count, 1);
    memory_release(by, 1, sizeof *by);
}
