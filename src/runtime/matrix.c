/* matrix: records x patterns, from the occurrences of one search over the whole tape.
 *
 * Matches come in the tape's order, so the record they lie in only ever moves forward: a row is
 * finished when a match begins beyond it, and rows are handed out in blocks. Only the gallery's
 * algorithm for records takes them one by one.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/search.h"

#define BLOCK_BYTES (1u << 20)
#define ROW_BYTES_MAX UINT32_MAX

struct matrix {
    struct trawl_searcher *searcher;
    const struct trawl_plan *plan; /* with its conditions, which the search leaves to us */
    const struct trawl_records *records;
    uint64_t columns;
    int64_t *first; /* rows_max rows of the current block */
    uint64_t rows_max;
    uint64_t block_begin; /* record of the block's first row */
    uint64_t record;      /* the match at hand lies in this one or behind it */
    uint64_t begin_ns;    /* of the call */
    uint64_t clear_ns;    /* spent clearing blocks */
    trawl_row_sink sink;
    void *context;
};

static enum trawl_status check_records(const struct trawl_records *records,
                                       struct trawl_error *error)
{
    for (uint64_t i = 0; i < records->record_count; i++)
        if (records->offsets[i] > records->offsets[i + 1] ||
            records->offsets[i + 1] > (uint64_t)INT64_MAX) {
            enum trawl_status status = TRAWL_FAIL(error, ARGUMENT,
                                                  "record %" PRIu64 " ends at %" PRIu64
                                                  ", before its begin or beyond 2^63",
                                                  i, records->offsets[i + 1]);

            if (error != NULL)
                error->text_offset = records->offsets[i];
            return status;
        }
    return TRAWL_OK;
}

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
    while (record >= matrix->block_begin + matrix->rows_max) {
        if (!hand_out(matrix, matrix->rows_max))
            return false;
        matrix->block_begin += matrix->rows_max;
        block_clear(matrix);
    }
    return true;
}

/* Do the plan's word and line conditions hold inside the record? */
static bool record_accepts(const struct matrix *matrix, const uint8_t *record, uint64_t begin,
                           uint64_t end, uint64_t record_bytes)
{
    return !plan_has_conditions(matrix->plan) ||
           plan_accepts(matrix->plan, record, begin, end, 0, record_bytes);
}

/* The cells of the record at hand, from those matches that begin in it; returns the first beyond.
 */
static uint64_t fill_row(const struct matrix *matrix, const struct trawl_match *matches,
                         uint64_t at, uint64_t match_count)
{
    const struct trawl_records *records = matrix->records;
    uint64_t base = records->offsets[matrix->record] - records->offsets[0];
    uint64_t bytes = records->offsets[matrix->record + 1] - records->offsets[matrix->record];
    const uint8_t *record = records->bytes + records->offsets[matrix->record];
    int64_t *row = matrix->first + (matrix->record - matrix->block_begin) * matrix->columns;

    for (; at < match_count && matches[at].begin - base < bytes; at++) {
        uint64_t begin = matches[at].begin - base, end = matches[at].end - base;
        int64_t *cell = &row[matches[at].pattern_index];

        /* What ends beyond the record crosses its end. */
        if (*cell < 0 && end <= bytes && record_accepts(matrix, record, begin, end, bytes))
            *cell = (int64_t)begin;
    }
    return at;
}

static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct matrix *matrix = (struct matrix *)context;
    const uint64_t *offsets = matrix->records->offsets;

    for (uint64_t at = 0; at < match_count;) {
        while (offsets[matrix->record + 1] - offsets[0] <= matches[at].begin)
            matrix->record++;
        if (!block_reach(matrix, matrix->record))
            return 1;
        at = fill_row(matrix, matches, at, match_count);
    }
    return 0;
}

/* The blocks behind the last match. */
static bool finish_rows(struct matrix *matrix)
{
    uint64_t records = matrix->records->record_count;

    return block_reach(matrix, records) &&
           (records == matrix->block_begin || hand_out(matrix, records - matrix->block_begin));
}

static enum trawl_status matrix_open(struct matrix *matrix, uint64_t block_bytes,
                                     struct trawl_error *error)
{
    uint64_t row_bytes;
    void *memory;

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

/* ---- Algorithms that take records one by one -------------------------------------------------
 */

struct record_job {
    struct trawl_searcher *searcher;
    struct matrix *matrix;
    struct trawl_stats stats;
};

/* Records before this one are done. */
static void records_done(struct record_job *job, uint64_t end)
{
    const uint64_t *offsets = job->matrix->records->offsets;

    job->stats.text_bytes = offsets[end] - offsets[0];
    job->stats.chunk_count = (end + job->matrix->rows_max - 1) / job->matrix->rows_max;
    atomic_store(&job->searcher->progress, job->stats.text_bytes);
}

static bool next_block(void *context, uint64_t record_begin, int64_t **cells)
{
    struct record_job *job = (struct record_job *)context;

    records_done(job, record_begin);
    *cells = job->matrix->first;
    return block_reach(job->matrix, record_begin);
}

static enum trawl_status run_records(struct record_job *job, struct engine_result *result,
                                     struct trawl_error *error)
{
    struct trawl_searcher *searcher = job->searcher;
    struct matrix *matrix = job->matrix;
    const struct trawl_plan *plan = matrix->plan;
    struct engine_records records = {matrix->records->bytes, matrix->records->offsets,
                                     matrix->records->record_count};
    struct engine_matrix wanted = {.records = &records,
                                   .columns = matrix->columns,
                                   .rows_max = matrix->rows_max,
                                   .block = next_block,
                                   .context = job,
                                   .helpers_max = searcher->runtime->threads_max - 1};
    const struct engine_ops *engine;
    struct engine_lane *lane;
    enum trawl_status status;
    struct job call;

    job_begin(&call, searcher->runtime, plan, NULL);
    status = worker_host_ready(&searcher->caller, &call, error);
    job_end(&call);
    TRAWL_TRY(status);
    engine = worker_engine(&searcher->caller, &call, false, &lane);
    status = engine->matrix(lane, &wanted, result, error);
    job->stats.match_count = wanted.match_count;
    job->stats.thread_count = 1 + wanted.helper_count;
    TRAWL_TRY(status);
    records_done(job, records.record_count);
    return finish_rows(matrix) ? TRAWL_OK : TRAWL_STOPPED;
}

static enum trawl_status search_records(struct trawl_searcher *searcher, struct matrix *matrix,
                                        struct trawl_error *error)
{
    struct record_job job = {searcher, matrix, {.size = sizeof job.stats, .thread_count = 1}};
    struct engine_result result = {.count = 0};
    enum trawl_status status;

    atomic_store(&searcher->progress, 0);
    status = run_records(&job, &result, error);
    job.stats.device_chunk_count = result.on_device ? job.stats.chunk_count : 0;
    job.stats.candidate_count = result.candidate_count;
    job.stats.device_copy_ns = result.device_copy_ns;
    job.stats.device_kernel_ns = result.device_kernel_ns;
    job.stats.device_back_ns = result.device_back_ns;
    job.stats.device_memory_ns = result.device_memory_ns;
    job.stats.device_host_ns = result.device_host_ns + (result.on_device ? matrix->clear_ns : 0);
    stats_finish(searcher, &job.stats, matrix->begin_ns);
    return status;
}

/* All records as one text. */
static enum trawl_status search_tape(struct trawl_searcher *searcher, struct matrix *matrix,
                                     struct trawl_error *error)
{
    const struct trawl_records *records = matrix->records;
    struct trawl_plan bare = *matrix->plan; /* the same tables */
    struct trawl_text *text = NULL;
    struct sink sink;
    enum trawl_status status;

    /* Conditions are for the record, not for the tape. */
    bare.flags &= ~(uint32_t)(TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    TRAWL_TRY(trawl_text_from_memory(records->bytes + records->offsets[0],
                                     records->offsets[records->record_count] - records->offsets[0],
                                     &text, error));
    sink_positions(&sink, take_matches, matrix);
    sink_line_ends(&sink, bare.line_end, bare.line_end_also);
    status = search_run(searcher, &bare, text, &sink, error);
    if (status == TRAWL_OK && !finish_rows(matrix))
        status = TRAWL_STOPPED;
    trawl_text_close(text);
    return status;
}

enum trawl_status trawl_matrix(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_records *records, trawl_row_sink sink,
                               void *context, struct trawl_error *error)
{
    struct matrix matrix = {.searcher = searcher,
                            .plan = plan,
                            .records = records,
                            .begin_ns = clock_now_ns(),
                            .sink = sink,
                            .context = context};
    enum trawl_status status;

    if (searcher == NULL || plan == NULL || records == NULL || sink == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL  ? "searcher"
                          : plan == NULL    ? "plan"
                          : records == NULL ? "records"
                                            : "sink");
    if (records->record_count == 0)
        return TRAWL_OK;
    if (records->offsets == NULL || records->bytes == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "records: %s is NULL",
                          records->bytes == NULL ? "bytes" : "offsets");
    TRAWL_TRY(check_records(records, error));
    TRAWL_TRY(searcher_enter(searcher, error));
    status = matrix_open(&matrix,
                         plan->algorithm.for_records
                             ? BLOCK_BYTES * (uint64_t)searcher->runtime->threads_max
                             : BLOCK_BYTES,
                         error);
    if (status == TRAWL_OK)
        status = plan->algorithm.for_records ? search_records(searcher, &matrix, error)
                                             : search_tape(searcher, &matrix, error);
    memory_release(matrix.first, matrix.rows_max, matrix.columns * sizeof(int64_t));
    searcher_leave(searcher);
    return status;
}
