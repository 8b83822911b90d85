/* search_matrix: records x patterns, from the occurrences of one search over the whole tape.
 *
 * Matches come in the tape's order, so the record they lie in only ever moves forward: a row is
 * finished when a match begins beyond it, and rows are handed out in blocks. Only the gallery's
 * algorithm for records takes them one by one.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/fault.h"
#include "cpu/gallery/gallery.h"
#include "search.h"

#define BLOCK_BYTES (1u << 20)
#define SLICE_ROWS_MAX 64u   /* that a thread takes at once, */
#define SLICES_PER_THREAD 8u /* or less, so that none waits long for another */
#define ROW_BYTES_MAX UINT32_MAX
#define FLAGGED_ROWS (1ull << 20) /* records that a device looks at for one or several blocks */

struct matrix {
    const struct trawl_plan *plan; /* with its conditions, which the search leaves to us */
    const struct trawl_records *records;
    uint64_t columns;
    int64_t *first; /* rows_max rows of the current block */
    uint64_t rows_max;
    uint64_t block_begin; /* record of the block's first row */
    uint64_t record;      /* the match at hand lies in this one or behind it */
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
    if (matrix->columns > 0)
        memset(matrix->first, 0xff, (size_t)(matrix->rows_max * matrix->columns * sizeof(int64_t)));
}

/* Hand out blocks until the one with the record is at hand. */
static bool block_reach(struct matrix *matrix, uint64_t record)
{
    while (record >= matrix->block_begin + matrix->rows_max) {
        if (matrix->sink(matrix->context, matrix->block_begin, matrix->rows_max, matrix->first) !=
            0)
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

static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct matrix *matrix = (struct matrix *)context;
    const uint64_t *offsets = matrix->records->offsets;

    for (uint64_t i = 0; i < match_count; i++) {
        uint64_t begin = offsets[0] + matches[i].begin, end = offsets[0] + matches[i].end, base;
        int64_t *cell;

        while (offsets[matrix->record + 1] <= begin)
            matrix->record++;
        if (end > offsets[matrix->record + 1])
            continue; /* it crosses the record's end */
        if (!block_reach(matrix, matrix->record))
            return 1;
        base = offsets[matrix->record];
        cell = &matrix->first[(matrix->record - matrix->block_begin) * matrix->columns +
                              matches[i].pattern_index];
        if (*cell < 0 && record_accepts(matrix, matrix->records->bytes + base, begin - base,
                                        end - base, offsets[matrix->record + 1] - base))
            *cell = (int64_t)(begin - base);
    }
    return 0;
}

/* The blocks behind the last match. */
static bool finish_rows(struct matrix *matrix)
{
    uint64_t records = matrix->records->record_count;

    return block_reach(matrix, records) &&
           (records == matrix->block_begin ||
            matrix->sink(matrix->context, matrix->block_begin, records - matrix->block_begin,
                         matrix->first) == 0);
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

/* ---- rabin-karp-matrix: record by record ------------------------------------------------------
 */

/* The rows of one block, taken by all threads in slices. With a device it says first which records
 * may hold anything; threads then look at those alone. */
struct row_gang {
    const struct matrix *matrix;
    const struct gallery_matrix *gallery;
    uint64_t rows_end; /* record behind the block's last row */
    uint64_t slice_rows;
    _Atomic uint64_t row_next;
    _Atomic uint64_t match_count;
    pthread_t *helpers;
    uint32_t helpers_max;
    uint32_t helper_count; /* the most of a block; where starting fails, fewer do the work */

    struct engine_lane *device; /* NULL: the host alone */
    uint8_t *flags;             /* of records [flags_begin, flags_end) */
    uint64_t flags_capacity;
    uint64_t flags_begin, flags_end;
    struct engine_result result; /* of the device */
};

static void *take_slices(void *argument)
{
    struct row_gang *gang = (struct row_gang *)argument;
    const struct matrix *matrix = gang->matrix;
    const uint64_t *offsets = matrix->records->offsets;
    uint64_t found = 0, begin;

    while ((begin = atomic_fetch_add(&gang->row_next, gang->slice_rows)) < gang->rows_end)
        for (uint64_t i = begin; i < min_u64(begin + gang->slice_rows, gang->rows_end); i++)
            if (gang->device == NULL || gang->flags[i - gang->flags_begin] != 0)
                found += gallery_matrix_record(
                    gang->gallery, matrix->records->bytes + offsets[i], offsets[i + 1] - offsets[i],
                    matrix->first + (i - matrix->block_begin) * matrix->columns);
    atomic_fetch_add(&gang->match_count, found);
    return NULL;
}

static void fill_block(struct row_gang *gang)
{
    uint64_t rows = gang->rows_end - atomic_load(&gang->row_next);
    uint64_t slice = rows / (SLICES_PER_THREAD * (1ull + gang->helpers_max));
    uint32_t wanted, started = 0;

    gang->slice_rows = max_u64(min_u64(slice, SLICE_ROWS_MAX), 1);
    wanted = (uint32_t)min_u64(gang->helpers_max, (rows - 1) / gang->slice_rows);
    while (started < wanted && !fault_hit(FAULT_THREAD) &&
           pthread_create(&gang->helpers[started], NULL, take_slices, gang) == 0)
        started++;
    if (started > gang->helper_count)
        gang->helper_count = started;
    (void)take_slices(gang);
    while (started > 0)
        (void)pthread_join(gang->helpers[--started], NULL);
}

/* Flags for the block's records and, since a device wants many, for as many behind as fit. */
static enum trawl_status reach_flags(struct trawl_searcher *searcher, struct row_gang *gang,
                                     uint64_t begin, struct trawl_error *error)
{
    const struct trawl_records *all = gang->matrix->records;
    struct engine_records records = {all->bytes, all->offsets + begin, 0};

    if (gang->device == NULL || gang->rows_end <= gang->flags_end)
        return TRAWL_OK;
    records.record_count = min_u64(gang->flags_capacity, all->record_count - begin);
    TRAWL_TRY(searcher->ops->records(gang->device, &records, gang->flags, &gang->result, error));
    gang->flags_begin = begin;
    gang->flags_end = begin + records.record_count;
    return TRAWL_OK;
}

static enum trawl_status fill_rows(struct trawl_searcher *searcher, struct matrix *matrix,
                                   struct row_gang *gang, struct trawl_stats *stats,
                                   struct trawl_error *error)
{
    const struct trawl_records *records = matrix->records;

    for (uint64_t begin = 0; begin < records->record_count; begin += matrix->rows_max) {
        uint64_t bytes;

        if (!block_reach(matrix, begin))
            return TRAWL_STOPPED;
        gang->rows_end = min_u64(begin + matrix->rows_max, records->record_count);
        atomic_store(&gang->row_next, begin);
        if (matrix->columns > 0) {
            uint64_t begin_ns;

            TRAWL_TRY(reach_flags(searcher, gang, begin, error));
            begin_ns = search_now_ns();
            fill_block(gang);
            if (gang->device != NULL)
                gang->result.device_host_ns += search_now_ns() - begin_ns;
        }
        bytes = records->offsets[gang->rows_end] - records->offsets[begin];
        stats->text_bytes += bytes;
        stats->chunk_count++;
        stats->device_chunk_count += gang->device != NULL;
        atomic_fetch_add(&searcher->progress, bytes);
    }
    return finish_rows(matrix) ? TRAWL_OK : TRAWL_STOPPED;
}

/* A lane of the engine's, if that is to flag the records. */
static enum trawl_status gang_device(struct trawl_searcher *searcher, struct row_gang *gang,
                                     struct trawl_error *error)
{
    const struct trawl_plan *plan = gang->matrix->plan;
    const struct engine_ops *ops = searcher->ops;
    uint64_t rows_max = max_u64(gang->matrix->rows_max, 1);
    void *memory;

    if (ops->records == NULL) {
        if ((plan_engines(plan) & 1u << TRAWL_ENGINE_CPU) != 0)
            return TRAWL_OK;
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "algorithm %s as asked for is one of the engine \"cuda\" alone, which "
                          "must be asked for too",
                          plan_algorithm_name(plan->algorithm));
    }
    if (searcher->caller.lane == NULL)
        TRAWL_TRY(ops->lane_open(searcher->engine, &searcher->caller.lane, error));
    TRAWL_TRY(ops->lane_begin(searcher->caller.lane, plan, error));
    /* whole blocks, so that no block's flags come in two parts */
    gang->flags_capacity = min_u64((FLAGGED_ROWS + rows_max - 1) / rows_max * rows_max,
                                   gang->matrix->records->record_count);
    TRAWL_TRY(memory_allocate(gang->flags_capacity, 1, &memory, error));
    gang->flags = (uint8_t *)memory;
    gang->device = searcher->caller.lane;
    return TRAWL_OK;
}

static enum trawl_status gang_run(struct trawl_searcher *searcher, struct matrix *matrix,
                                  struct row_gang *gang, struct trawl_stats *stats,
                                  struct trawl_error *error)
{
    struct gallery_matrix *gallery = NULL;
    enum trawl_status status;
    void *memory;

    TRAWL_TRY(memory_allocate(gang->helpers_max, sizeof *gang->helpers, &memory, error));
    gang->helpers = (pthread_t *)memory;
    TRAWL_TRY_DONE(gang_device(searcher, gang, error));
    TRAWL_TRY_DONE(gallery_matrix_open(matrix->plan, &gallery, error));
    gang->gallery = gallery;
    status = fill_rows(searcher, matrix, gang, stats, error);
done:
    gallery_matrix_close(gallery);
    memory_release(gang->flags, gang->flags_capacity, 1);
    memory_release(gang->helpers, gang->helpers_max, sizeof *gang->helpers);
    return status;
}

/* The searcher is the caller's alone meanwhile; its statistics tell of this call. */
static enum trawl_status search_records(struct trawl_searcher *searcher, struct matrix *matrix,
                                        struct trawl_error *error)
{
    struct trawl_stats stats = {.size = sizeof stats};
    struct row_gang gang = {.matrix = matrix, .helpers_max = searcher->threads_capacity};
    uint64_t begin_ns = search_now_ns();
    enum trawl_status status;

    if (atomic_exchange(&searcher->busy, true))
        return TRAWL_FAIL(error, BUSY, "the searcher is already inside a call");
    atomic_store(&searcher->progress, 0);
    status = gang_run(searcher, matrix, &gang, &stats, error);
    stats.cpu_chunk_count = stats.chunk_count - stats.device_chunk_count;
    stats.match_count = atomic_load(&gang.match_count);
    stats.candidate_count = gang.result.candidate_count;
    stats.device_copy_ns = gang.result.device_copy_ns;
    stats.device_kernel_ns = gang.result.device_kernel_ns;
    stats.device_back_ns = gang.result.device_back_ns;
    stats.device_memory_ns = gang.result.device_memory_ns;
    stats.device_host_ns = gang.result.device_host_ns;
    stats.wall_ns = search_now_ns() - begin_ns;
    stats.thread_count = 1 + gang.helper_count;
    (void)snprintf(stats.engine, sizeof stats.engine, "%s",
                   stats.device_chunk_count > 0 ? "cuda" : "cpu");
    searcher->stats = stats;
    atomic_store(&searcher->busy, false);
    return status;
}

enum trawl_status trawl_matrix(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_records *records, trawl_row_sink sink,
                               void *context, struct trawl_error *error)
{
    struct matrix matrix = {plan, records, 0, NULL, 0, 0, 0, sink, context};
    struct trawl_text *text = NULL;
    struct trawl_plan bare;
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
    bare = *plan; /* the same tables; conditions are for the record, not for the tape */
    bare.flags &= ~(uint32_t)(TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    if (plan_algorithm_is_for_records(plan->algorithm)) {
        TRAWL_TRY_DONE(
            matrix_open(&matrix, BLOCK_BYTES * (1ull + searcher->threads_capacity), error));
        status = search_records(searcher, &matrix, error);
        goto done;
    }
    TRAWL_TRY_DONE(matrix_open(&matrix, BLOCK_BYTES, error));
    TRAWL_TRY_DONE(trawl_text_from_memory(
        records->bytes + records->offsets[0],
        records->offsets[records->record_count] - records->offsets[0], &text, error));
    TRAWL_TRY_DONE(trawl_positions(searcher, &bare, text, take_matches, &matrix, error));
    if (!finish_rows(&matrix))
        status = TRAWL_STOPPED;
done:
    trawl_text_close(text);
    memory_release(matrix.first, matrix.rows_max, matrix.columns * sizeof(int64_t));
    return status;
}
