/* matrix: finds which patterns occur in which records, in a single search of the tape: all records,
 * one after another (trawl_ask_records)
 *
 * A *cell* is a record, a pattern that occurs in it, and where the first occurrence begins. The
 * thread that searched a chunk turns its occurrences into cells, or a published algorithm for
 * records makes them (engine_ops.cells). The calling thread gives complete records, with all their
 * cells, to the caller's function. The cells of a record that continues after the chunk wait for
 * those of the next chunk. No chunk contains an empty record, so the cells of regular expressions
 * that match the empty string are added last.
 */
#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/job.h"
#include "runtime/matrix.h"
#include "runtime/search.h"
#include "runtime/workers.h"

/* the records that are given together have at most about this many cells of empty records */
#define EMPTY_CELLS_MAX (1u << 20)
/* of more records, none is looked at unless an expression matches the empty string */
#define EMPTY_LOOKED_FOR 4096u

struct matrix {
    struct trawl_searcher *searcher;
    const struct engine_ops *algorithm; /* NULL: `search` finds occurrences */
    struct engine_worker *worker;       /* the calling thread's worker, which runs the algorithm */
    /* what the algorithm reports for the statistics */
    struct engine_result flagged;
    struct sink sink;
    struct trawl_text *text;
    /* the plan without its conditions on words and lines, which are checked for each record; with
     * an algorithm, a plan that finds nothing */
    struct trawl_plan bare;
    struct records records;
    const struct trawl_plan *plan; /* the caller's, whose conditions must hold in each record */
    bool checks;                   /* the conditions are checked when cells are made */
    bool any;                      /* at most one cell for each record, whatever the pattern */
    bool all;                      /* a cell for each occurrence that is not empty */
    /* if not NULL: count here the occurrences in each record, and make cells only of empty matches
     */
    uint32_t *counts;
    matrix_function function;
    void *context;
    uint64_t done; /* the records before this index were given to `function` */
    /* cells of the record that continues after the last chunk, the *carried* record */
    struct cells carried;
    struct cells room; /* for cells_merge */
    bool adds_empty;   /* expressions may match empty records */
    /* indexes of the expressions that match the empty string; room for pattern_count */
    uint64_t *empty;
    uint64_t empty_count;
    struct cells filled; /* cells, with those of empty records added */
    struct search search;
};

/* ---- One chunk ---------------------------------------------------------------------------- */

/* A record, and the chunk's hits that begin in it. */
struct at_record {
    uint64_t index;
    uint64_t begin; /* the record is [begin, end) on the tape */
    uint64_t end;
    uint64_t from; /* the record's hits are [from, to) */
    uint64_t to;
    uint64_t base; /* add this to a hit's offset, modulo 2^64, to get the offset in the record */
    bool is_null;
};

/* Returns the first hit whose offset is at least `offset`. The offset of hit `from` is less. */
static uint64_t hits_beyond(const struct sink_chunk *chunk, uint64_t from, uint64_t offset)
{
    uint64_t low = from + 1, high, step = 1;

    while (low + step <= chunk->hit_count && chunk->hits[low + step - 1].offset < offset) {
        low += step;
        step *= 2;
    }
    high = min_u64(low + step - 1, chunk->hit_count);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (chunk->hits[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    TRAWL_ASSERT(low > from && low <= chunk->hit_count);
    TRAWL_ASSERT(low == chunk->hit_count || chunk->hits[low].offset >= offset);
    return low;
}

/* Moves *at to the record that contains this hit. */
static void reach(const struct matrix *matrix, const struct sink_chunk *chunk, uint64_t hit,
                  struct at_record *at)
{
    uint64_t origin = chunk->begin - chunk->hits_base, position = origin + chunk->hits[hit].offset;

    at->index = records_beyond(&matrix->records, at->index, position);
    at->begin = records_begin(&matrix->records, at->index);
    at->end = records_begin(&matrix->records, at->index + 1);
    at->from = hit;
    at->to = hits_beyond(chunk, hit, at->end - origin);
    at->base = origin - at->begin;
    TRAWL_ASSERT(at->begin <= position && position < at->end);
    TRAWL_ASSERT(at->from < at->to && at->to <= chunk->hit_count);
    at->is_null = records_is_null(&matrix->records, at->index);
}

static uint64_t begin_of(const struct sink_chunk *chunk, const struct at_record *at, uint64_t hit)
{
    const bool is_after = chunk->hit_lengths != NULL && chunk->hit_lengths[hit] == HITS_EMPTY_AFTER;

    return at->base + chunk->hits[hit].offset + is_after;
}

static uint64_t length_of(const struct matrix *matrix, const struct sink_chunk *chunk,
                          uint64_t index, const struct plan_literal *literal)
{
    uint64_t at = chunk->hits[index].offset - chunk->hits_base;

    TRAWL_ASSERT(index < chunk->hit_count && at < chunk->owned);
    /* the length of the variant that was found, which may differ from the literal's */
    if (chunk->hit_lengths != NULL)
        return hits_length(chunk->hit_lengths[index]);
    TRAWL_ASSERT(literal->bytes_count <= chunk->owned + chunk->after - at);
    if (literal->tail_count == 0)
        return literal->bytes_count;
    return plan_literal_match(matrix->plan, literal, chunk->bytes + at,
                              chunk->owned + chunk->after - at);
}

/* Returns true if the plan's conditions hold before an occurrence at `begin` of the record. */
static bool accepts_begin(const struct matrix *matrix, const struct at_record *at, uint64_t begin)
{
    return !matrix->checks ||
           plan_accepts_begin(matrix->plan, matrix->records.tape + at->begin, begin, 0);
}

/* Returns true if the occurrence ends inside the record, and the plan's conditions hold after it.
 * Stores its pattern. */
static bool accepts_end(const struct matrix *matrix, const struct sink_chunk *chunk,
                        const struct at_record *at, uint64_t hit, uint32_t *pattern)
{
    const struct plan_literal literal = plan_literal_at(matrix->plan, chunk->hits[hit].literal);
    uint64_t bytes = at->end - at->begin;
    uint64_t end = begin_of(chunk, at, hit) + length_of(matrix, chunk, hit, &literal);

    TRAWL_ASSERT(hit >= at->from && hit < at->to);
    *pattern = literal.pattern;
    if (end > bytes)
        return false;
    return !matrix->checks ||
           plan_accepts_end(matrix->plan, matrix->records.tape + at->begin, end, bytes);
}

/* Makes at most one cell of a record, with matrix->counts only of an empty match, of which all
 * occurrences are then counted. */
static enum trawl_status find_any(const struct matrix *matrix, const struct sink_chunk *chunk,
                                  const struct at_record *at, struct cells *cells,
                                  struct trawl_error *error)
{
    const uint64_t first = cells->count;
    uint32_t pattern;

    TRAWL_ASSERT(at->from < at->to);
    TRAWL_TRY(cells_reserve(cells, 1, error));
    for (uint64_t i = at->from; i < at->to && (cells->count == first || matrix->counts != NULL);
         i++) {
        uint64_t begin = begin_of(chunk, at, i);
        bool has_bytes = chunk->hit_lengths == NULL || hits_length(chunk->hit_lengths[i]) > 0;

        TRAWL_ASSERT(begin <= at->end - at->begin);
        if (!accepts_begin(matrix, at, begin) || !accepts_end(matrix, chunk, at, i, &pattern))
            continue;
        if (matrix->counts != NULL) /* atomic, because a record may lie in two chunks */
            __atomic_fetch_add(&matrix->counts[at->index], has_bytes, __ATOMIC_RELAXED);
        if (cells->count == first && (matrix->counts == NULL || !has_bytes))
            cells_append(cells, at->index, pattern, begin);
    }
    return TRAWL_OK;
}

/* Makes a cell of each of a record's occurrences. */
static enum trawl_status list_record(const struct matrix *matrix, const struct sink_chunk *chunk,
                                     const struct at_record *at, struct cells *cells,
                                     struct trawl_error *error)
{
    uint32_t pattern;

    TRAWL_TRY(cells_reserve(cells, at->to - at->from, error));
    for (uint64_t i = at->from; i < at->to; i++) {
        const struct plan_literal literal = plan_literal_at(matrix->plan, chunk->hits[i].literal);
        const uint64_t length = length_of(matrix, chunk, i, &literal);
        const uint64_t begin = begin_of(chunk, at, i);

        if (length > 0 && accepts_begin(matrix, at, begin) &&
            accepts_end(matrix, chunk, at, i, &pattern))
            cells_append(cells, at->index, length << 32 | pattern, begin);
    }
    return TRAWL_OK;
}

/* Makes the cells of a record. Goes backwards, so that a pattern's first occurrence overwrites the
 * marks of later ones. Only occurrences near the record's end can reach beyond it; the others
 * usually need no check. */
static enum trawl_status mark_record(const struct matrix *matrix, const struct sink_chunk *chunk,
                                     const struct at_record *at, struct cell_marks *marks,
                                     struct cells *cells, struct trawl_error *error)
{
    const struct trawl_plan *plan = matrix->plan;
    bool plain = plan->literals == NULL && !plan_has_conditions(plan) && chunk->hit_lengths == NULL;
    uint64_t sure = plain ? at->end - at->begin - at->base : 0, i = at->to;
    uint32_t pattern;
    bool begins = true;

    TRAWL_ASSERT(at->from < at->to && at->to <= chunk->hit_count);
    TRAWL_TRY(cells_reserve(cells, min_u64(at->to - at->from, plan->pattern_count), error));
    while (i > at->from && chunk->hits[i - 1].offset + plan->length_max > sure) {
        uint32_t offset = chunk->hits[--i].offset;

        if (i + 1 == at->to || offset != chunk->hits[i + 1].offset)
            begins = accepts_begin(matrix, at, at->base + offset);
        if (begins && accepts_end(matrix, chunk, at, i, &pattern))
            cells_mark(marks, pattern, (uint32_t)(begin_of(chunk, at, i) - at->base));
    }
    while (i-- > at->from)
        cells_mark(marks, chunk->hits[i].literal, chunk->hits[i].offset);
    cells_keep_marked(cells, marks, at->index, at->base);
    return TRAWL_OK;
}

static enum trawl_status make_cells(const struct matrix *matrix, const struct sink_chunk *chunk,
                                    struct cell_marks *marks, struct cells *cells,
                                    struct trawl_error *error)
{
    struct at_record at = {.index = 0};

    for (uint64_t i = 0; i < chunk->hit_count; i = at.to) {
        reach(matrix, chunk, i, &at);
        if (at.is_null)
            continue;
        if (matrix->all)
            TRAWL_TRY(list_record(matrix, chunk, &at, cells, error));
        else if (matrix->any)
            TRAWL_TRY(find_any(matrix, chunk, &at, cells, error));
        else
            TRAWL_TRY(mark_record(matrix, chunk, &at, marks, cells, error));
    }
    return TRAWL_OK;
}

static enum trawl_status cells_digest(const struct sink *sink, const struct sink_chunk *chunk,
                                      struct sink_digest *digest, struct trawl_error *error)
{
    const struct matrix *matrix = (const struct matrix *)sink->context;
    enum trawl_status status = TRAWL_OK;
    struct cell_marks marks = {0};

    digest->cells.count = 0;
    if (chunk->hit_count > 0 && !matrix->all && !matrix->any)
        status = cells_marks_open(&marks, matrix->plan->pattern_count, error);
    if (status == TRAWL_OK)
        status = make_cells(matrix, chunk, &marks, &digest->cells, error);
    cells_marks_close(&marks);
    return status;
}

/* ---- Complete records ----------------------------------------------------------------------- */

/* Gives the records [matrix->done, end), with the cells [from, to), to the caller's function. */
static enum trawl_status deliver_records(struct matrix *matrix, uint64_t end,
                                         const struct cells *cells, uint64_t from, uint64_t to)
{
    struct trawl_cells given = {
        .record_begin = matrix->done, .record_end = end, .cell_count = to - from};

    TRAWL_ASSERT(matrix->done <= end && end <= matrix->records.count);
    TRAWL_ASSERT(from <= to && to <= cells->count);
    if (to > from) {
        TRAWL_ASSERT(cells->records[from] >= matrix->done && cells->records[to - 1] < end);
        given.records = cells->records + from;
        given.patterns = cells->patterns + from;
        given.begins = cells->begins + from;
    }
    matrix->done = end;
    if (matrix->algorithm != NULL)
        matrix->search.done.stats.match_count += to - from;
    return matrix->function(matrix->context, &given) ? TRAWL_OK : TRAWL_STOPPED;
}

/* Lists the expressions that match the empty string, unless that has been done. One is enough
 * if bits are asked for. */
static enum trawl_status find_empty(struct matrix *matrix, struct trawl_error *error)
{
    const uint64_t count = matrix->plan->pattern_count;
    const uint64_t max = matrix->any ? 1 : count;

    if (matrix->empty != NULL)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(matrix->empty, count, error));
    for (uint64_t i = 0; i < count && matrix->empty_count < max; i++) {
        bool matches;

        TRAWL_TRY(engines_match_empty(matrix->plan, i, &matches, error));
        if (matches)
            matrix->empty[matrix->empty_count++] = i;
    }
    return TRAWL_OK;
}

/* Appends the cells from *at that belong to records before `record`, and advances *at past them.
 * Also reserves room for `more` cells. */
static enum trawl_status copy_before(struct cells *to, const struct cells *cells, uint64_t record,
                                     uint64_t *at, uint64_t end, uint64_t more,
                                     struct trawl_error *error)
{
    uint64_t from = *at;

    while (*at < end && cells->records[*at] < record)
        (*at)++;
    TRAWL_TRY(cells_reserve(to, *at - from + more, error));
    for (; from < *at; from++)
        cells_append(to, cells->records[from], cells->patterns[from], cells->begins[from]);
    return TRAWL_OK;
}

/* Like deliver_records, with the cells of empty records added: in several parts, if there are many.
 */
static enum trawl_status deliver_filled(struct matrix *matrix, uint64_t end,
                                        const struct cells *cells, uint64_t from, uint64_t to,
                                        struct trawl_error *error)
{
    const struct records *records = &matrix->records;

    if (matrix->adds_empty && end - matrix->done > EMPTY_LOOKED_FOR) {
        TRAWL_TRY(find_empty(matrix, error));
        matrix->adds_empty = matrix->empty_count > 0;
    }
    while (matrix->adds_empty && matrix->done < end) {
        uint64_t record = matrix->done, added = 0;

        matrix->filled.count = 0;
        for (; record < end && added <= EMPTY_CELLS_MAX; record++) {
            if (records_begin(records, record) != records_begin(records, record + 1) ||
                records_is_null(records, record))
                continue;
            TRAWL_TRY(find_empty(matrix, error));
            if (matrix->empty_count == 0)
                break;
            TRAWL_TRY(
                copy_before(&matrix->filled, cells, record, &from, to, matrix->empty_count, error));
            for (uint64_t i = 0; i < matrix->empty_count; i++)
                cells_append(&matrix->filled, record, matrix->empty[i], 0);
            added += matrix->empty_count;
        }
        if (added == 0)
            break;
        TRAWL_TRY(copy_before(&matrix->filled, cells, record, &from, to, 0, error));
        TRAWL_TRY(deliver_records(matrix, record, &matrix->filled, 0, matrix->filled.count));
    }
    return matrix->done < end ? deliver_records(matrix, end, cells, from, to) : TRAWL_OK;
}

/* Gives the records that are complete with a chunk, whose cells these are: the carried one, and
 * those before `end`. Keeps the cells of the record that continues after the chunk. */
static enum trawl_status deliver_chunk(struct matrix *matrix, const struct cells *cells,
                                       uint64_t end, struct trawl_error *error)
{
    struct cells *carried = &matrix->carried;
    uint64_t from = 0, to = cells->count;

    if (carried->count > 0) {
        TRAWL_ASSERT(carried->records[0] == matrix->done);
        if (matrix->all)
            TRAWL_TRY(copy_before(carried, cells, matrix->done + 1, &from, to, 0, error));
        else
            TRAWL_TRY(cells_merge(carried, &matrix->room, cells, &from, error));
    }
    if (carried->count > 0 && carried->records[0] < end) {
        TRAWL_TRY(
            deliver_filled(matrix, carried->records[0] + 1, carried, 0, carried->count, error));
        carried->count = 0;
    }
    while (to > from && cells->records[to - 1] >= end)
        to--;
    TRAWL_TRY(deliver_filled(matrix, end, cells, from, to, error));
    if (to == cells->count)
        return TRAWL_OK;
    TRAWL_ASSERT(carried->count == 0 && cells->records[to] == end);
    return copy_before(carried, cells, end + 1, &to, cells->count, 0, error);
}

/* ---- Begin and end ------------------------------------------------------------------------ */

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
    status = worker_ready(&searcher->caller, &job, false, error);
    job_end(&job);
    TRAWL_TRY(status);
    matrix->algorithm = worker_engine(&searcher->caller, &job, false, &matrix->worker);
    matrix->bare.algorithm = (struct plan_algorithm){.name = NULL};
    matrix->bare.kind = PLAN_KIND_STRINGS;
    matrix->bare.literal_count = 0;
    matrix->bare.length_min = matrix->bare.length_max = 0;
    matrix->bare.need_before = matrix->bare.need_after = 0;
    matrix->sink.digest = digest_by_algorithm;
    matrix->sink.want = WANT_NOTHING;
    return TRAWL_OK;
}

/* Begins the search of the tape. If it succeeds, the caller must call search_close. */
static enum trawl_status search_open(struct matrix *matrix, struct trawl_error *error)
{
    const struct trawl_plan *plan = matrix->plan;
    /* an engine that judges checks conditions itself, in each record */
    const bool judges = kind_of(plan)->judges;
    enum trawl_status status = TRAWL_OK;
    bool one;

    TRAWL_TRY(
        text_from_memory(matrix->records.tape, matrix->records.tape_bytes, &matrix->text, error));
    matrix->checks = plan_has_conditions(plan) && !judges;
    matrix->adds_empty = kind_of(plan)->by_lines && plan->pattern_count > 0 && !matrix->all;
    matrix->bare = *plan;
    matrix->bare.flags &= ~(uint32_t)(TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    /* One occurrence per record may be enough. Two exceptions: strings with conditions, which are
     * checked after the search and need all occurrences; and a single string longer than a byte,
     * where looking for one occurrence per record is slower than for all, since it compares each
     * candidate with the last one. */
    one = matrix->any && matrix->counts == NULL &&
          (kind_of(plan)->by_lines ||
           (!plan_has_conditions(plan) && (plan->literal_count > 1 || plan->length_max == 1)));
    matrix->sink = (struct sink){.want = one ? WANT_LINES : WANT_HITS,
                                 .digest = cells_digest,
                                 .digest_adds = matrix->counts != NULL,
                                 .context = matrix};
    if (judges || matrix->sink.want == WANT_LINES)
        matrix->sink.records = &matrix->records;
    if (plan->algorithm.for_records)
        status = begin_algorithm(matrix, plan, error);
    if (status == TRAWL_OK)
        status = search_begin(&matrix->search, matrix->searcher, judges ? plan : &matrix->bare,
                              matrix->text, &matrix->sink, error);
    if (status != TRAWL_OK)
        trawl_text_close(matrix->text);
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
    trawl_text_close(matrix->text);
    cells_clear(&matrix->carried);
    cells_clear(&matrix->room);
    cells_clear(&matrix->filled);
    if (matrix->empty != NULL)
        memory_release(matrix->empty, matrix->plan->pattern_count, sizeof *matrix->empty);
}

/* Searches, and gives all records. */
static enum trawl_status run(struct matrix *matrix, struct trawl_error *error)
{
    const struct records *records = &matrix->records;
    struct search *search = &matrix->search;
    uint64_t begin_ns = 0;
    struct sink_chunk view;
    bool more = true;

    if (matrix->algorithm != NULL)
        TRAWL_TRY(matrix->algorithm->flag(matrix->worker, records, &matrix->searcher->call,
                                          &matrix->flagged, error));
    if (matrix->flagged.on_device)
        begin_ns = clock_now_ns();
    while (more) {
        TRAWL_TRY(search_step(search, &view, &more, error));
        if (more)
            TRAWL_TRY(deliver_chunk(matrix, &search->current->digest.cells,
                                    records_beyond(records, matrix->done, view.begin + view.owned),
                                    error));
    }
    TRAWL_TRY(deliver_chunk(matrix, &(struct cells){.count = 0}, records->count, error));
    if (matrix->flagged.on_device)
        matrix->flagged.work.host_ns += clock_now_ns() - begin_ns;
    return TRAWL_OK;
}

enum trawl_status matrix_search(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                const struct records *records, bool any, bool all, uint32_t *counts,
                                matrix_function function, void *context, struct trawl_error *error)
{
    struct matrix matrix;
    enum trawl_status status;

    memset(&matrix, 0, offsetof(struct matrix, search));
    matrix.searcher = searcher;
    matrix.function = function;
    matrix.context = context;
    matrix.plan = plan;
    matrix.any = any;
    matrix.all = all;
    matrix.counts = counts;
    matrix.records = *records;
    TRAWL_TRY(search_open(&matrix, error));
    status = run(&matrix, error);
    search_close(&matrix);
    return status;
}
