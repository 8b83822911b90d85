/* cells: from a piece's matches to (record, pattern, begin), in the thread that searched it. */
#include <inttypes.h>

#include "base/checked.h"
#include "runtime/records.h"

static uint64_t offset_of(const struct trawl_record_array *array, uint64_t index)
{
    return array->offset_bytes == sizeof(int32_t)
               ? (uint64_t)((const int32_t *)array->offsets)[index]
               : ((const uint64_t *)array->offsets)[index];
}

static enum trawl_status check_offsets(const struct trawl_record_array *array,
                                       struct trawl_error *error)
{
    uint64_t begin = offset_of(array, 0);

    for (uint64_t i = 0; i < array->record_count; i++) {
        uint64_t end = offset_of(array, i + 1);

        if (begin > end || end > (uint64_t)INT64_MAX) {
            enum trawl_status status = TRAWL_FAIL(
                error, ARGUMENT,
                "record %" PRIu64 " ends at %" PRIu64 ", before its begin or beyond 2^63", i, end);

            if (error != NULL)
                error->text_offset = begin;
            return status;
        }
        begin = end;
    }
    return TRAWL_OK;
}

enum trawl_status records_open(struct records *records, const struct trawl_record_array *array,
                               struct trawl_error *error)
{
    if (array->offset_bytes != 0 && array->offset_bytes != sizeof(int32_t) &&
        array->offset_bytes != sizeof(uint64_t))
        return TRAWL_FAIL(error, ARGUMENT, "records: offset_bytes is %" PRIu32 ", not 4 or 8",
                          array->offset_bytes);
    if (array->record_count > 0 && array->offsets == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "records: offsets is NULL");
    *records = (struct records){.offsets = array->offsets,
                                .narrow = array->offset_bytes == sizeof(int32_t),
                                .validity = array->validity,
                                .validity_begin = array->validity_begin,
                                .count = array->record_count};
    if (array->record_count == 0)
        return TRAWL_OK;
    TRAWL_TRY(check_offsets(array, error));
    records->origin = offset_of(array, 0);
    records->tape_bytes = records_begin(records, records->count);
    if (array->bytes == NULL && records->tape_bytes > 0)
        return TRAWL_FAIL(error, ARGUMENT, "records: bytes is NULL");
    records->tape = array->bytes == NULL ? NULL : array->bytes + records->origin;
    return TRAWL_OK;
}

uint64_t records_beyond(const struct records *records, uint64_t from, uint64_t position)
{
    uint64_t low = from, high, step = 1;

    while (low + step <= records->count && records_begin(records, low + step) <= position) {
        low += step;
        step *= 2;
    }
    high = min_u64(low + step - 1, records->count);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (records_begin(records, middle + 1) <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- Of one piece ------------------------------------------------------------------------- */

/* A record and what of a piece's hits lies in it. */
struct at_record {
    uint64_t index;
    uint64_t begin; /* positions on the tape */
    uint64_t end;
    bool is_null;
    enum cells_order order;
};

/* Go to the record that holds this position. What a record needs that goes on beyond the piece is
 * to be merged there. */
static void reach(const struct cell_maker *maker, const struct sink_piece *piece, uint64_t position,
                  struct at_record *at)
{
    at->index = records_beyond(maker->records, at->index, position);
    at->begin = records_begin(maker->records, at->index);
    at->end = records_begin(maker->records, at->index + 1);
    at->is_null = records_is_null(maker->records, at->index);
    at->order = at->begin >= piece->begin && at->end <= piece->begin + piece->owned ? maker->order
                                                                                    : CELLS_SORTED;
}

static uint64_t length_of(const struct cell_maker *maker, const struct sink_piece *piece,
                          uint64_t index, const struct plan_literal *literal)
{
    uint64_t at = piece->hits[index].offset - piece->hits_base;

    if (piece->hit_lengths != NULL)
        return piece->hit_lengths[index];
    if (literal->tail_count == 0)
        return literal->bytes_count;
    return plan_literal_match(maker->plan, literal, piece->bytes + at,
                              piece->owned + piece->after - at);
}

/* Does the record hold the occurrence, and do the plan's word and line conditions inside it? */
static bool accepts(const struct cell_maker *maker, const struct at_record *at, uint64_t begin,
                    uint64_t end)
{
    uint64_t bytes = at->end - at->begin;

    if (end > bytes || at->is_null)
        return false;
    return !plan_has_conditions(maker->plan) ||
           plan_accepts(maker->plan, maker->records->tape + at->begin, begin, end, 0, bytes);
}

enum trawl_status cells_digest(const struct sink *sink, const struct sink_piece *piece,
                               struct sink_digest *digest, struct trawl_error *error)
{
    const struct cell_maker *maker = (const struct cell_maker *)sink->context;
    struct cell_digest *made = &digest->cells;
    struct at_record at = {.index = 0};

    TRAWL_TRY(cells_begin(made, piece->hit_count, error));
    for (uint64_t i = 0; i < piece->hit_count; i++) {
        const struct plan_literal literal = plan_literal_at(maker->plan, piece->hits[i].literal);
        uint64_t position = piece->begin - piece->hits_base + piece->hits[i].offset, begin;

        if (position >= at.end) {
            if (made->row_count > 0)
                TRAWL_TRY(cells_keep(made, at.order, at.index, error));
            reach(maker, piece, position, &at);
        }
        begin = position - at.begin;
        if (!accepts(maker, &at, begin, begin + length_of(maker, piece, i, &literal)))
            continue;
        if (at.order == CELLS_ANY)
            cells_append(&made->cells, at.index, literal.pattern, begin);
        else
            TRAWL_TRY(cells_push(made, literal.pattern, begin, error));
    }
    return made->row_count > 0 ? cells_keep(made, at.order, at.index, error) : TRAWL_OK;
}
