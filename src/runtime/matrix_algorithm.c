/* matrix_algorithm: makes cells by the gallery's algorithm that takes records one by one. The
 * matrix's search finds nothing by itself: it hands out chunks of the tape, and the thread that
 * takes a chunk makes the cells of the records that begin there. With engine CUDA a device first
 * says, for many records at a time, which records may hold a cell. */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/job.h"
#include "runtime/matrix.h"
#include "runtime/runtime.h"
#include "runtime/stats.h"
#include "runtime/workers.h"

#define FLAGGED_ROWS (1ull << 20) /* records about which a device is asked at a time */

struct by_algorithm {
    struct search *search;
    const struct trawl_plan *plan;
    const struct records *records;
    const struct engine_ops *engine;
    struct engine_worker *worker; /* the caller's; all threads make cells by this worker */
    uint8_t *flags;   /* one per record, made by a device; NULL: no device makes flags */
    uint64_t flagged; /* records before this index have their flags */
    struct engine_result result;
};

/* Returns `count` records, from this record on, as the engine takes records. */
static struct engine_matrix matrix_of(const struct by_algorithm *by, uint64_t record,
                                      uint64_t count)
{
    const uint64_t *offsets = (const uint64_t *)by->records->offsets;

    return (struct engine_matrix){
        .records = {by->records->tape - by->records->origin, offsets + record, count},
        .flags = by->flags == NULL ? NULL : by->flags + record};
}

/* Appends the cells of a record. All cells of `row` are -1 before and after. */
static enum trawl_status add_record(const struct by_algorithm *by, uint64_t record, int64_t *row,
                                    struct cells *cells, struct trawl_error *error)
{
    struct engine_matrix matrix = matrix_of(by, record, 1);
    struct engine_task task = {.output = ENGINE_OUTPUT_CELLS, .matrix = &matrix};

    matrix.row = row;
    TRAWL_TRY(by->engine->submit(by->worker, &task, error));
    if (matrix.match_count == 0)
        return TRAWL_OK;
    TRAWL_TRY(cells_reserve(cells, matrix.match_count, error));
    for (uint64_t p = 0; p < by->plan->pattern_count; p++)
        if (row[p] >= 0) {
            cells_append(cells, record, p, (uint64_t)row[p]);
            row[p] = -1;
        }
    return TRAWL_OK;
}

enum trawl_status by_algorithm_digest(const struct sink *sink, const struct sink_chunk *chunk,
                                      struct sink_digest *digest, struct trawl_error *error)
{
    const struct by_algorithm *by = (const struct by_algorithm *)sink->context;
    const struct records *records = by->records;
    uint64_t begin_ns = clock_now_ns(), columns = by->plan->pattern_count, record;
    enum trawl_status status = TRAWL_OK;
    int64_t *row;

    digest->cells.count = 0;
    if (chunk->owned == 0 || columns == 0)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(row, columns, error));
    memset(row, 0xff, columns * sizeof *row);
    record = records_beyond(records, 0, chunk->begin);
    for (; record < records->count && status == TRAWL_OK; record++) {
        if (records_begin(records, record) < chunk->begin) /* belongs to the chunk before */
            continue;
        if (records_begin(records, record) >= chunk->begin + chunk->owned)
            break;
        status = add_record(by, record, row, &digest->cells, error);
    }
    memory_release(row, columns, sizeof *row);
    /* by this time the search decides how many threads to wake */
    JOB_ADD(&by->search->job, &by->search->done.host.search_ns, clock_now_ns() - begin_ns);
    return status;
}

enum trawl_status by_algorithm_flag(struct by_algorithm *by, struct trawl_error *error)
{
    while (by->flags != NULL && by->flagged < by->records->count) {
        struct engine_matrix matrix =
            matrix_of(by, by->flagged, min_u64(FLAGGED_ROWS, by->records->count - by->flagged));
        struct engine_task task = {
            .output = ENGINE_OUTPUT_CELLS, .result = &by->result, .matrix = &matrix};

        if (engine_call_is_over(&by->search->searcher->call))
            return TRAWL_STOPPED;
        TRAWL_TRY(by->engine->submit(by->worker, &task, error));
        by->flagged += matrix.records.record_count;
    }
    return TRAWL_OK;
}

void by_algorithm_tell(const struct by_algorithm *by, struct trawl_stats *stats)
{
    stats->device_chunk_count = by->flags != NULL ? stats->chunk_count : 0;
    stats->candidate_count = by->result.candidate_count;
    stats_add(stats, &by->result);
}

enum trawl_status by_algorithm_open(struct search *search, struct trawl_searcher *searcher,
                                    const struct trawl_plan *plan, const struct records *records,
                                    struct by_algorithm **by_out, struct trawl_error *error)
{
    struct by_algorithm *by;
    enum trawl_status status;
    struct job job;

    if (records->narrow || records->validity != NULL)
        return TRAWL_FAIL(error, ARGUMENT,
                          "algorithm %s takes records with offsets of 8 bytes and without nulls",
                          plan->algorithm.name);
    TRAWL_TRY(MEMORY_ZEROED(by, 1, error));
    by->search = search;
    by->plan = plan;
    by->records = records;
    job_begin(&job, searcher->runtime, plan, NULL);
    status = worker_host_ready(&searcher->caller, &job, error);
    job_end(&job);
    if (status == TRAWL_OK)
        by->engine = worker_engine(&searcher->caller, &job, false, &by->worker);
    if (status == TRAWL_OK && searcher->runtime->engine == TRAWL_ENGINE_CUDA)
        status = MEMORY_NEW(by->flags, records->count, error);
    if (status == TRAWL_OK)
        *by_out = by;
    else
        by_algorithm_close(by);
    return status;
}

void by_algorithm_close(struct by_algorithm *by)
{
    memory_release(by->flags, by->records->count, 1);
    memory_release(by, 1, sizeof *by);
}
