/* records: checks the caller's array of records, and finds the record at a position. */
#include "match/records.h"

#include <inttypes.h>

#include "base/checked.h"

/* Checks that no offset is less than the one before it, or exceeds 2^63 - 1. records->origin is
 * still 0, so records_begin returns the caller's offsets. */
static enum trawl_status check_offsets(const struct records *records, struct trawl_error *error)
{
    uint64_t begin = records_begin(records, 0);

    for (uint64_t i = 0; i < records->count; i++) {
        uint64_t end = records_begin(records, i + 1);

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
    TRAWL_TRY(check_offsets(records, error));
    records->origin = records_begin(records, 0);
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
    TRAWL_ASSERT(low == records->count || records_begin(records, low + 1) > position);
    return low;
}
