/* matrix_cells: turns a chunk's hits into cells, in the thread that searched the chunk. A *cell* is
 * a record, a pattern that occurs in it, and where the first occurrence begins. */
#include <string.h>

#include "base/checked.h"
#include "runtime/matrix.h"

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
static void reach(const struct cell_maker *maker, const struct sink_chunk *chunk, uint64_t hit,
                  struct at_record *at)
{
    uint64_t origin = chunk->begin - chunk->hits_base, position = origin + chunk->hits[hit].offset;

    at->index = records_beyond(maker->records, at->index, position);
    at->begin = records_begin(maker->records, at->index);
    at->end = records_begin(maker->records, at->index + 1);
    at->from = hit;
    at->to = hits_beyond(chunk, hit, at->end - origin);
    at->base = origin - at->begin;
    TRAWL_ASSERT(at->begin <= position && position < at->end);
    TRAWL_ASSERT(at->from < at->to && at->to <= chunk->hit_count);
    at->is_null = records_is_null(maker->records, at->index);
}

static uint64_t begin_of(const struct sink_chunk *chunk, const struct at_record *at, uint64_t hit)
{
    const bool is_after = chunk->hit_lengths != NULL && chunk->hit_lengths[hit] == HITS_EMPTY_AFTER;

    return at->base + chunk->hits[hit].offset + is_after;
}

static uint64_t length_of(const struct cell_maker *maker, const struct sink_chunk *chunk,
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
    return plan_literal_match(maker->plan, literal, chunk->bytes + at,
                              chunk->owned + chunk->after - at);
}

/* Returns true if the plan's conditions hold before an occurrence at `begin` of the record. */
static bool accepts_begin(const struct cell_maker *maker, const struct at_record *at,
                          uint64_t begin)
{
    return !maker->checks ||
           plan_accepts_begin(maker->plan, maker->records->tape + at->begin, begin, 0);
}

/* Returns true if the occurrence ends inside the record, and the plan's conditions hold after it.
 * Stores its pattern. */
static bool accepts_end(const struct cell_maker *maker, const struct sink_chunk *chunk,
                        const struct at_record *at, uint64_t hit, uint32_t *pattern)
{
    const struct plan_literal literal = plan_literal_at(maker->plan, chunk->hits[hit].literal);
    uint64_t bytes = at->end - at->begin;
    uint64_t end = begin_of(chunk, at, hit) + length_of(maker, chunk, hit, &literal);

    TRAWL_ASSERT(hit >= at->from && hit < at->to);
    *pattern = literal.pattern;
    if (end > bytes)
        return false;
    return !maker->checks ||
           plan_accepts_end(maker->plan, maker->records->tape + at->begin, end, bytes);
}

/* Makes at most one cell of a record, with maker->counts only of an empty match, of which all
 * occurrences are then counted. */
static enum trawl_status find_any(const struct cell_maker *maker, const struct sink_chunk *chunk,
                                  const struct at_record *at, struct cells *cells,
                                  struct trawl_error *error)
{
    const uint64_t first = cells->count;
    uint32_t pattern;

    TRAWL_ASSERT(at->from < at->to);
    TRAWL_TRY(cells_reserve(cells, 1, error));
    for (uint64_t i = at->from; i < at->to && (cells->count == first || maker->counts != NULL);
         i++) {
        uint64_t begin = begin_of(chunk, at, i);
        bool has_bytes = chunk->hit_lengths == NULL || hits_length(chunk->hit_lengths[i]) > 0;

        TRAWL_ASSERT(begin <= at->end - at->begin);
        if (!accepts_begin(maker, at, begin) || !accepts_end(maker, chunk, at, i, &pattern))
            continue;
        if (maker->counts != NULL) /* atomic, because a record may lie in two chunks */
            __atomic_fetch_add(&maker->counts[at->index], has_bytes, __ATOMIC_RELAXED);
        if (cells->count == first && (maker->counts == NULL || !has_bytes))
            cells_append(cells, at->index, pattern, begin);
    }
    return TRAWL_OK;
}

/* Makes a cell of each of a record's occurrences. */
static enum trawl_status list_record(const struct cell_maker *maker, const struct sink_chunk *chunk,
                                     const struct at_record *at, struct cells *cells,
                                     struct trawl_error *error)
{
    uint32_t pattern;

    TRAWL_TRY(cells_reserve(cells, at->to - at->from, error));
    for (uint64_t i = at->from; i < at->to; i++) {
        const struct plan_literal literal = plan_literal_at(maker->plan, chunk->hits[i].literal);
        const uint64_t length = length_of(maker, chunk, i, &literal);
        const uint64_t begin = begin_of(chunk, at, i);

        if (length > 0 && accepts_begin(maker, at, begin) &&
            accepts_end(maker, chunk, at, i, &pattern))
            cells_append(cells, at->index, length << 32 | pattern, begin);
    }
    return TRAWL_OK;
}

/* Makes the cells of a record. Goes backwards, so that a pattern's first occurrence overwrites the
 * marks of later ones. Only occurrences near the record's end can reach beyond it; the others
 * usually need no check. */
static enum trawl_status mark_record(const struct cell_maker *maker, const struct sink_chunk *chunk,
                                     const struct at_record *at, struct cell_marks *marks,
                                     struct cells *cells, struct trawl_error *error)
{
    const struct trawl_plan *plan = maker->plan;
    bool plain = plan->literals == NULL && !plan_has_conditions(plan) && chunk->hit_lengths == NULL;
    uint64_t sure = plain ? at->end - at->begin - at->base : 0, i = at->to;
    uint32_t pattern;
    bool begins = true;

    TRAWL_ASSERT(at->from < at->to && at->to <= chunk->hit_count);
    TRAWL_TRY(cells_reserve(cells, min_u64(at->to - at->from, plan->pattern_count), error));
    while (i > at->from && chunk->hits[i - 1].offset + plan->length_max > sure) {
        uint32_t offset = chunk->hits[--i].offset;

        if (i + 1 == at->to || offset != chunk->hits[i + 1].offset)
            begins = accepts_begin(maker, at, at->base + offset);
        if (begins && accepts_end(maker, chunk, at, i, &pattern))
            cells_mark(marks, pattern, (uint32_t)(begin_of(chunk, at, i) - at->base));
    }
    while (i-- > at->from)
        cells_mark(marks, chunk->hits[i].literal, chunk->hits[i].offset);
    cells_keep_marked(cells, marks, at->index, at->base);
    return TRAWL_OK;
}

static enum trawl_status make_cells(const struct cell_maker *maker, const struct sink_chunk *chunk,
                                    struct cell_marks *marks, struct cells *cells,
                                    struct trawl_error *error)
{
    struct at_record at = {.index = 0};

    for (uint64_t i = 0; i < chunk->hit_count; i = at.to) {
        reach(maker, chunk, i, &at);
        if (at.is_null)
            continue;
        if (maker->all)
            TRAWL_TRY(list_record(maker, chunk, &at, cells, error));
        else if (maker->any)
            TRAWL_TRY(find_any(maker, chunk, &at, cells, error));
        else
            TRAWL_TRY(mark_record(maker, chunk, &at, marks, cells, error));
    }
    return TRAWL_OK;
}

enum trawl_status cells_digest(const struct sink *sink, const struct sink_chunk *chunk,
                               struct sink_digest *digest, struct trawl_error *error)
{
    struct cell_maker *maker = (struct cell_maker *)sink->context;
    enum trawl_status status = TRAWL_OK;
    struct cell_marks marks = {0};

    digest->cells.count = 0;
    if (chunk->hit_count > 0 && !maker->all && !maker->any)
        status = cells_marks_open(&marks, maker->plan->pattern_count, error);
    if (status == TRAWL_OK)
        status = make_cells(maker, chunk, &marks, &digest->cells, error);
    cells_marks_close(&marks);
    return status;
}
