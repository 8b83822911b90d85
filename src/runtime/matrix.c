/* matrix: finds which patterns occur in which records, in a single search of the tape: all records,
 * one after another (trawl_ask_records)
 *
 * A *cell* is a record, a pattern that occurs in it, and where the first occurrence begins. Workers
 * turn the occurrences in a chunk into cells (matrix_cells.c), or a published algorithm for records
 * makes the cells of a chunk (engine_ops.cells). This file joins them to *spans*: complete records
 * with all their cells. The cells of a record that continues after the chunk wait for those of the
 * next chunk. No chunk contains an empty record, so the cells of regular expressions that match the
 * empty string are added to the spans. A span becomes a batch, or several if many such cells are
 * added.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/job.h"
#include "runtime/matrix.h"
#include "runtime/search.h"
#include "runtime/workers.h"

#define BITS_BYTES_MIN 4096u
/* a batch ends once it has more cells of empty records */
#define EMPTY_CELLS_MAX (1u << 20)

/* The complete records [record_begin, record_end), with their cells. */
struct span {
    uint64_t record_begin;
    uint64_t record_end;
    struct cells cells; /* borrowed */
    bool last;
};

struct matrix {
    struct trawl_searcher *searcher;
    const struct engine_ops *algorithm; /* NULL: `search` finds occurrences */
    struct engine_worker *worker;       /* the calling thread's worker, which runs the algorithm */
    /* what the algorithm reports for the statistics */
    struct engine_result flagged;
    struct search search;
    struct sink sink;
    struct trawl_text *text;
    /* the plan without its conditions on words and lines, which are checked for each record; with
     * an algorithm, a plan that finds nothing */
    struct trawl_plan bare;
    struct records records;
    struct cell_maker maker;
    bool any; /* a bit for each record is asked for, not cells */

    struct cells
        carried; /* cells of the record that continues after the last chunk, the *carried* record */
    /* the cells from `carried` once that record is complete; borrowed by the current span */
    struct cells whole;
    uint64_t done;       /* the records before this index have been in spans */
    bool holds_chunk;    /* `chunk` and the chunk_ fields are set */
    struct cells chunk;  /* the chunk's cells, borrowed from the task */
    uint64_t chunk_from; /* cells before this index belong to the carried record */
    /* cells at and after this index belong to a record that continues after the chunk */
    uint64_t chunk_to;
    uint64_t chunk_end; /* the records before this index end in the chunk or earlier */

    const struct trawl_plan
        *expressions; /* the caller's plan of regular expressions; NULL: the plan has strings */
    struct span span; /* what is left of the last span after the last batch */
    /* indexes of the expressions that match the empty string; room for pattern_count */
    uint64_t *empty;
    uint64_t empty_count;
    struct cells filled; /* cells of a span, with those of its empty records added */

    uint8_t *bits; /* for `any`: one bit per record of the batch, in bits_bytes bytes */
    uint64_t bits_bytes;
};

/* ---- Spans -------------------------------------------------------------------------------- */

/* Makes a span of the records [matrix->done, end), with the cells [from, to). */
static void span_of(struct matrix *matrix, uint64_t end, const struct cells *cells, uint64_t from,
                    uint64_t to, struct span *span)
{
    *span = (struct span){.record_begin = matrix->done,
                          .record_end = end,
                          .cells = {.count = to - from},
                          .last = end == matrix->records.count};
    TRAWL_ASSERT(matrix->done <= end && end <= matrix->records.count);
    TRAWL_ASSERT(from <= to && (from == to || to <= cells->count));
    if (to > from) {
        span->cells.records = cells->records + from;
        span->cells.patterns = cells->patterns + from;
        span->cells.begins = cells->begins + from;
    }
    matrix->done = end;
}

/* Takes the search's next chunk, whose first cells may belong to the carried record. */
static enum trawl_status take_chunk(struct matrix *matrix, struct trawl_error *error)
{
    struct sink_chunk view;
    uint64_t from = 0, to;
    bool more;

    TRAWL_TRY(search_step(&matrix->search, &view, &more, error));
    if (more && view.last)
        TRAWL_TRY(search_decided(&matrix->search, error));
    matrix->chunk = more ? matrix->search.current->digest.cells : (struct cells){.count = 0};
    matrix->chunk_end =
        more ? records_beyond(&matrix->records, matrix->done, view.begin + view.owned)
             : matrix->records.count;
    to = matrix->chunk.count;
    if (matrix->carried.count > 0) {
        TRAWL_ASSERT(matrix->carried.records[0] == matrix->done);
        while (from < to && matrix->chunk.records[from] == matrix->carried.records[0])
            from++;
        TRAWL_TRY(cells_merge(&matrix->carried, &matrix->whole, &matrix->chunk, from, error));
    }
    while (to > from && matrix->chunk.records[to - 1] >= matrix->chunk_end)
        to--;
    TRAWL_ASSERT(from == to || matrix->chunk.records[from] >= matrix->done);
    TRAWL_ASSERT(to == matrix->chunk.count || matrix->chunk.records[to] == matrix->chunk_end);
    matrix->holds_chunk = true;
    matrix->chunk_from = from;
    matrix->chunk_to = to;
    return TRAWL_OK;
}

/* Leaves the chunk, and keeps the cells of the record that continues after it. */
static enum trawl_status leave_chunk(struct matrix *matrix, struct trawl_error *error)
{
    matrix->holds_chunk = false;
    if (matrix->chunk_to == matrix->chunk.count)
        return TRAWL_OK;
    TRAWL_ASSERT(matrix->carried.count == 0);
    return cells_copy(&matrix->carried, &matrix->chunk, matrix->chunk_to, matrix->chunk.count,
                      error);
}

/* Makes a span of the next complete records: of the carried one, or of those that end in the chunk.
 * Its cells are valid until the next call. */
static enum trawl_status next_span(struct matrix *matrix, struct span *span,
                                   struct trawl_error *error)
{
    while (matrix->done < matrix->records.count) {
        if (!matrix->holds_chunk)
            TRAWL_TRY(take_chunk(matrix, error));
        if (matrix->carried.count > 0 && matrix->carried.records[0] < matrix->chunk_end) {
            struct cells room = matrix->whole;

            matrix->whole = matrix->carried;
            matrix->carried = room;
            matrix->carried.count = 0;
            span_of(matrix, matrix->whole.records[0] + 1, &matrix->whole, 0, matrix->whole.count,
                    span);
            return TRAWL_OK;
        }
        if (matrix->done < matrix->chunk_end) {
            span_of(matrix, matrix->chunk_end, &matrix->chunk, matrix->chunk_from, matrix->chunk_to,
                    span);
            return TRAWL_OK;
        }
        TRAWL_TRY(leave_chunk(matrix, error));
    }
    span_of(matrix, matrix->done, NULL, 0, 0, span); /* there are no records */
    return TRAWL_OK;
}

/* ---- Empty records ------------------------------------------------------------------------ */

/* Lists the expressions that match the empty string, unless that has been done. One is enough
 * if bits are asked for. */
static enum trawl_status find_empty(struct matrix *matrix, struct trawl_error *error)
{
    const uint64_t count = matrix->expressions->pattern_count;
    const uint64_t most = matrix->any ? 1 : count;

    if (matrix->empty != NULL)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(matrix->empty, count, error));
    for (uint64_t i = 0; i < count && matrix->empty_count < most; i++) {
        bool matches;

        TRAWL_TRY(engines_match_empty(matrix->expressions, i, &matches, error));
        if (matches)
            matrix->empty[matrix->empty_count++] = i;
    }
    return TRAWL_OK;
}

/* Appends to matrix->filled the span's cells from *at that belong to records before `record`, and
 * advances *at past them. Also reserves room for the cells of `record` itself, which is empty. */
static enum trawl_status copy_before(struct matrix *matrix, uint64_t record, uint64_t *at,
                                     struct trawl_error *error)
{
    const struct cells *cells = &matrix->span.cells;
    uint64_t from = *at;

    while (*at < cells->count && cells->records[*at] < record)
        (*at)++;
    TRAWL_TRY(cells_reserve(&matrix->filled, *at - from + matrix->empty_count, error));
    for (; from < *at; from++)
        cells_append(&matrix->filled, cells->records[from], cells->patterns[from],
                     cells->begins[from]);
    return TRAWL_OK;
}

/* Like next_span, with the cells of empty records added. */
static enum trawl_status next_filled(struct matrix *matrix, struct span *taken,
                                     struct trawl_error *error)
{
    const struct records *records = &matrix->records;
    struct span *span = &matrix->span;
    uint64_t at = 0, record, added = 0;

    if (span->record_begin == span->record_end)
        TRAWL_TRY(next_span(matrix, span, error));
    record = span->record_begin;
    matrix->filled.count = 0;
    for (; record < span->record_end && added <= EMPTY_CELLS_MAX; record++) {
        if (records_begin(records, record) != records_begin(records, record + 1) ||
            records_is_null(records, record))
            continue;
        TRAWL_TRY(find_empty(matrix, error));
        if (matrix->empty_count == 0) {
            record = span->record_end;
            break;
        }
        TRAWL_TRY(copy_before(matrix, record, &at, error));
        for (uint64_t i = 0; i < matrix->empty_count; i++)
            cells_append(&matrix->filled, record, matrix->empty[i], 0);
        added += matrix->empty_count;
    }
    *taken = *span;
    if (added > 0) {
        TRAWL_TRY(copy_before(matrix, record, &at, error));
        taken->cells = matrix->filled;
    }
    if (at > 0) {
        span->cells.records += at;
        span->cells.patterns += at;
        span->cells.begins += at;
        span->cells.count -= at;
    }
    taken->record_end = span->record_begin = record;
    taken->last = record == records->count;
    return TRAWL_OK;
}

/* Like next_span, with an algorithm's cells. */
static enum trawl_status next_by_algorithm(struct matrix *matrix, struct span *span,
                                           struct trawl_error *error)
{
    uint64_t begin_ns;

    TRAWL_TRY(matrix->algorithm->flag(matrix->worker, &matrix->records, &matrix->searcher->call,
                                      &matrix->flagged, error));
    begin_ns = clock_now_ns();
    TRAWL_TRY(next_span(matrix, span, error));
    matrix->search.done.stats.match_count += span->cells.count;
    if (matrix->flagged.on_device)
        matrix->flagged.work.host_ns += clock_now_ns() - begin_ns;
    return TRAWL_OK;
}

/* ---- Batches ------------------------------------------------------------------------------ */

/* Computes a bit for each of the span's records. */
static enum trawl_status make_bits(struct matrix *matrix, const struct span *span,
                                   struct matrix_batch *batch, struct trawl_error *error)
{
    uint64_t bytes = (span->record_end - span->record_begin + 7) / 8;
    void *memory;

    if (matrix->bits == NULL || bytes > matrix->bits_bytes) {
        uint64_t room = max_u64(bytes, BITS_BYTES_MIN);

        TRAWL_TRY(memory_allocate(room, 1, &memory, error));
        memory_release(matrix->bits, matrix->bits_bytes, 1);
        matrix->bits = (uint8_t *)memory;
        matrix->bits_bytes = room;
    }
    memset(matrix->bits, 0, (size_t)bytes);
    for (uint64_t i = 0; i < span->cells.count; i++) {
        uint64_t row = span->cells.records[i] - span->record_begin;

        TRAWL_ASSERT(row < 8 * bytes);
        matrix->bits[row >> 3] |= (uint8_t)(1u << (row & 7));
    }
    batch->bits = matrix->bits;
    return TRAWL_OK;
}

enum trawl_status matrix_next(struct matrix *matrix, struct matrix_batch *batch,
                              struct trawl_error *error)
{
    struct span span;

    memset(batch, 0, sizeof *batch);
    if (engine_call_is_over(&matrix->searcher->call))
        return TRAWL_STOPPED;
    TRAWL_TRY(searcher_lives(matrix->searcher, error));
    TRAWL_TRY(matrix->algorithm != NULL     ? next_by_algorithm(matrix, &span, error)
              : matrix->expressions != NULL ? next_filled(matrix, &span, error)
                                            : next_span(matrix, &span, error));
    batch->cells.record_begin = span.record_begin;
    batch->cells.record_end = span.record_end;
    batch->last = span.last;
    if (span.last)
        atomic_store(&matrix->searcher->progress, matrix->records.tape_bytes);
    if (matrix->any)
        return make_bits(matrix, &span, batch, error);
    batch->cells.cell_count = span.cells.count;
    batch->cells.records = span.cells.records;
    batch->cells.patterns = span.cells.patterns;
    batch->cells.begins = span.cells.begins;
    return TRAWL_OK;
}

/* ---- Begin and end ------------------------------------------------------------------------ */

/* Returns true if one occurrence per record is enough, and is found faster than all of them. Two
 * exceptions: strings with conditions, which are checked after the search and need all occurrences;
 * and a single string longer than a byte, where looking for one occurrence per record is slower,
 * since it compares each candidate with the last one. */
static bool one_tells(const struct matrix *matrix, const struct trawl_plan *plan)
{
    return matrix->any && matrix->maker.counts == NULL &&
           (kind_of(plan)->by_lines ||
            (!plan_has_conditions(plan) && (plan->literal_count > 1 || plan->length_max == 1)));
}

/* Makes the cells of the records that begin in a chunk. Called as sink.digest(). */
static enum trawl_status digest_by_algorithm(const struct sink *sink,
                                             const struct sink_chunk *chunk,
                                             struct sink_digest *digest, struct trawl_error *error)
{
    struct matrix *matrix = (struct matrix *)sink->context;
    uint64_t begin_ns = clock_now_ns();

    digest->cells.count = 0;
    if (chunk->owned == 0)
        return TRAWL_OK;
    TRAWL_TRY(matrix->algorithm->cells(matrix->worker, &matrix->records, chunk->begin,
                                       chunk->begin + chunk->owned, &digest->cells, error));
    /* search_ns decides how many threads the search wakes */
    JOB_ADD(&matrix->search.job, &matrix->search.done.host.search_ns, clock_now_ns() - begin_ns);
    return TRAWL_OK;
}

/* Prepares the plan's algorithm, which will make the cells. The search itself finds nothing. */
static enum trawl_status begin_algorithm(struct matrix *matrix, const struct trawl_plan *plan,
                                         struct trawl_error *error)
{
    struct trawl_searcher *searcher = matrix->searcher;
    enum trawl_status status;
    struct job job;

    if (matrix->records.narrow || matrix->records.validity != NULL)
        return TRAWL_FAIL(error, ARGUMENT,
                          "algorithm %s takes records with offsets of 8 bytes and without nulls",
                          plan->algorithm.name);
    job_begin(&job, searcher->runtime, plan, NULL);
    status = worker_host_ready(&searcher->caller, &job, error);
    job_end(&job);
    TRAWL_TRY(status);
    matrix->algorithm = worker_engine(&searcher->caller, &job, false, &matrix->worker);
    matrix->bare.algorithm = (struct plan_algorithm){.name = NULL};
    matrix->bare.kind = PLAN_KIND_STRINGS;
    matrix->bare.literal_count = 0;
    matrix->bare.length_min = matrix->bare.length_max = 0;
    matrix->bare.need_before = matrix->bare.need_after = 0;
    sink_digests(&matrix->sink, digest_by_algorithm, matrix);
    matrix->sink.want = WANT_NOTHING;
    return TRAWL_OK;
}

/* Begins the search of the tape. If it succeeds, the caller must call search_close. */
static enum trawl_status search_open(struct matrix *matrix, const struct trawl_plan *plan,
                                     uint32_t *counts, struct trawl_error *error)
{
    const struct trawl_plan *searched;
    enum trawl_status status = TRAWL_OK;

    TRAWL_TRY(
        text_from_memory(matrix->records.tape, matrix->records.tape_bytes, &matrix->text, error));
    cell_maker_open(&matrix->maker, &matrix->records, plan, matrix->any);
    matrix->maker.counts = counts;
    sink_digests(&matrix->sink, cells_digest, &matrix->maker);
    matrix->sink.digest_adds = counts != NULL;
    searched = cell_maker_plan(&matrix->maker, &matrix->bare, &matrix->sink);
    if (one_tells(matrix, plan)) {
        matrix->sink.want = WANT_LINES;
        matrix->sink.records = &matrix->records;
    }
    if (plan->algorithm.for_records)
        status = begin_algorithm(matrix, plan, error);
    if (status == TRAWL_OK)
        status = search_begin(&matrix->search, matrix->searcher, searched, matrix->text,
                              &matrix->sink, error);
    if (status != TRAWL_OK) {
        cell_maker_close(&matrix->maker);
        trawl_text_close(matrix->text);
    }
    return status;
}

static void search_close(struct matrix *matrix)
{
    struct trawl_stats *stats = &matrix->search.done.stats;

    if (matrix->algorithm != NULL) {
        stats->device_chunk_count = matrix->flagged.on_device ? stats->chunk_count : 0;
        stats->candidate_count = matrix->flagged.candidate_count;
        algorithm_work_add(&matrix->search.done.algorithm, &matrix->flagged.work);
    }
    search_end(&matrix->search);
    cell_maker_close(&matrix->maker);
    trawl_text_close(matrix->text);
    cells_clear(&matrix->carried);
    cells_clear(&matrix->whole);
    cells_clear(&matrix->filled);
    if (matrix->empty != NULL)
        memory_release(matrix->empty, matrix->expressions->pattern_count, sizeof *matrix->empty);
}

/* ---- Calls -------------------------------------------------------------------------------- */

enum trawl_status matrix_begin(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct records *records, bool any, uint32_t *counts,
                               struct matrix **matrix_out, struct trawl_error *error)
{
    struct matrix *matrix;
    enum trawl_status status;

    TRAWL_TRY(MEMORY_ZEROED(matrix, 1, error));
    matrix->searcher = searcher;
    matrix->any = any;
    if (kind_of(plan)->by_lines && plan->pattern_count > 0)
        matrix->expressions = plan;
    matrix->records = *records;
    status = search_open(matrix, plan, counts, error);
    if (status == TRAWL_OK)
        *matrix_out = matrix;
    else
        memory_release(matrix, 1, sizeof *matrix);
    return status;
}

void matrix_end(struct matrix *matrix)
{
    search_close(matrix);
    memory_release(matrix->bits, matrix->bits_bytes, 1);
    memory_release(matrix, 1, sizeof *matrix);
}
