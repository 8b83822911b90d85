/* records_into: loads records, and says for each which patterns occur in it (trawl_ask_records)
 *
 * If a device has the records, it computes the answer: a search of the tape whose sink asks for the
 * form RECORDS. The host searches (matrix.c; its workers also count occurrences for COUNTS) if no
 * device has the records, if devices cannot answer for the plan, or if the tape's filter leaves few
 * pages.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/options.h"
#include "match/line_automaton.h"
#include "runtime/devices.h"
#include "runtime/job.h"
#include "runtime/matrix.h"
#include "runtime/pages.h"
#include "runtime/runtime.h"
#include "runtime/workers.h"

#define FILTERED_SHARE 256u /* a device reads so many times as fast as the host, or more */

struct trawl_records {
    struct trawl_runtime *runtime;
    struct records
        records; /* with lies_there, offsets and validity are in the memory of `device` */
    bool lies_there;
    uint32_t device; /* if `held` is not NULL: the device that has the records */
    struct engine_records *held;
    struct trawl_text *text; /* the loaded tape; NULL: it is empty, or stays where it is */
};

/* ---- Load --------------------------------------------------------------------------------- */

/* Finds out in whose memory the array is: the host's or a device's. */
static enum trawl_status find_kind(const struct trawl_runtime *runtime,
                                   const struct trawl_record_array *array, bool *lies_there,
                                   uint32_t *device, struct trawl_error *error)
{
    const void *parts[] = {array->offsets, array->bytes, array->validity};

    TRAWL_TRY(runtime_find_memory(runtime, parts[0], lies_there, device, error));
    for (uint32_t i = 1; i < 3; i++) {
        uint32_t other = *device;
        bool there = *lies_there;

        if (parts[i] != NULL)
            TRAWL_TRY(runtime_find_memory(runtime, parts[i], &there, &other, error));
        if (there != *lies_there || (there && other != *device))
            return TRAWL_FAIL(error, ARGUMENT,
                              "records: bytes, offsets and validity lie in different memories");
    }
    if (!*lies_there && array->record_count > 0 && !memory_is_readable(array->offsets))
        return TRAWL_FAIL(error, ARGUMENT,
                          "records: offsets is memory that the host cannot read, and of none of "
                          "the searcher's devices");
    return TRAWL_OK;
}

/* Opens `records` for an array in device memory, and checks what can be checked without reading the
 * offsets. */
static enum trawl_status open_there(struct records *records, const struct trawl_record_array *array,
                                    struct trawl_error *error)
{
    struct trawl_record_array none = *array;

    none.record_count = 0;
    TRAWL_TRY(records_open(records, &none, error));
    records->count = array->record_count;
    if ((uintptr_t)array->offsets % (records->narrow ? sizeof(int32_t) : sizeof(uint64_t)) != 0)
        return TRAWL_FAIL(error, ARGUMENT, "records: offsets on a device are not aligned");
    return TRAWL_OK;
}

static enum trawl_status check_end(const struct trawl_record_array *array,
                                   const struct records *records, struct trawl_error *error)
{
    const uint64_t end = records->origin + records->tape_bytes;

    if (array->bytes_count == 0 || end <= array->bytes_count)
        return TRAWL_OK;
    return TRAWL_FAIL(error, ARGUMENT,
                      "records: the last offset is %" PRIu64 ", beyond the %" PRIu64 " bytes", end,
                      array->bytes_count);
}

/* Opens the tape as a text and loads it. */
static enum trawl_status load_tape(struct trawl_runtime *runtime, struct trawl_records *own,
                                   const uint8_t *bytes, struct trawl_error *error)
{
    const struct records *records = &own->records;

    if (records->tape_bytes == 0)
        return TRAWL_OK;
    if (own->lies_there)
        TRAWL_TRY(text_from_device((uint64_t)(uintptr_t)bytes + records->origin,
                                   records->tape_bytes, &own->text, error));
    else
        TRAWL_TRY(text_from_memory(records->tape, records->tape_bytes, &own->text, error));
    return runtime_load(runtime, own->text, true, error);
}

/* Copies the offsets to the device that has the tape, if there is one. */
static enum trawl_status hold_there(struct trawl_runtime *runtime, struct trawl_records *own,
                                    struct trawl_error *error)
{
    struct devices *devices = &runtime->devices;
    struct engine_text found;
    enum trawl_status status;

    if (own->held != NULL || !devices_are_usable(devices))
        return TRAWL_OK;
    own->device = devices_first_working(devices);
    if (own->text != NULL) {
        if (!devices_locate(devices, NULL, own->text->bytes, own->text->bytes_count, &found) ||
            found.reach != own->text->bytes_count)
            return TRAWL_OK;
        if (found.device != ENGINE_DEVICES_MAX)
            own->device = found.device;
    }
    status = engine_for_devices->there->records_hold(devices->engine, own->device, false,
                                                     &own->records, &own->held, error);
    /* the host can answer instead */
    return runtime->engine == TRAWL_ENGINE_AUTO || status == TRAWL_UNSUPPORTED ? TRAWL_OK : status;
}

static void release(struct trawl_runtime *runtime, struct trawl_records *own)
{
    if (own->held != NULL)
        engine_for_devices->there->records_drop(runtime->devices.engine, own->held);
    if (own->text != NULL) {
        runtime_unload(runtime, own->text);
        trawl_text_close(own->text);
    }
    memory_release(own, 1, sizeof *own);
}

static enum trawl_status load(struct trawl_runtime *runtime, struct trawl_records *own,
                              const struct trawl_record_array *array, struct trawl_error *error)
{
    if (array->flags == TRAWL_RECORDS_STAY) {
        TRAWL_TRY(records_open(&own->records, array, error));
        return check_end(array, &own->records, error);
    }
    if (runtime->engine != TRAWL_ENGINE_CPU)
        /* if this fails, the array must be in host memory */
        (void)devices_open(&runtime->devices, NULL);
    TRAWL_TRY(find_kind(runtime, array, &own->lies_there, &own->device, error));
    if (!own->lies_there)
        TRAWL_TRY(records_open(&own->records, array, error));
    else
        TRAWL_TRY(open_there(&own->records, array, error));
    if (own->records.count == 0)
        return TRAWL_OK;
    if (own->lies_there)
        TRAWL_TRY(engine_for_devices->there->records_hold(runtime->devices.engine, own->device,
                                                          true, &own->records, &own->held, error));
    TRAWL_TRY(check_end(array, &own->records, error));
    TRAWL_TRY(load_tape(runtime, own, array->bytes, error));
    return hold_there(runtime, own, error);
}

enum trawl_status trawl_records_load(struct trawl_searcher *searcher,
                                     const struct trawl_record_array *given,
                                     struct trawl_records **records, struct trawl_error *error)
{
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_records *own;
    enum trawl_status status;

    if (searcher == NULL || given == NULL || records == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL ? "searcher"
                          : given == NULL  ? "array"
                                           : "records");
    TRAWL_TRY(options_read(&array, sizeof array, given, sizeof array, "array", error));
    if ((array.flags & ~(uint32_t)TRAWL_RECORDS_STAY) != 0)
        return TRAWL_FAIL(error, ARGUMENT, "array: unknown flags 0x%" PRIx32, array.flags);
    TRAWL_TRY(searcher_enter(searcher, error));
    status = MEMORY_ZEROED(own, 1, error);
    if (status == TRAWL_OK) {
        own->runtime = searcher->runtime;
        status = load(searcher->runtime, own, &array, error);
        if (status == TRAWL_OK)
            *records = own;
        else
            release(searcher->runtime, own);
    }
    searcher_leave(searcher);
    return status;
}

void trawl_records_unload(struct trawl_records *records)
{
    if (records != NULL)
        release(records->runtime, records);
}

/* ---- Answers by the host -------------------------------------------------------------------- */

static bool deliver_nothing(struct sink *sink, const struct sink_chunk *chunk,
                            const struct sink_digest *digest)
{
    (void)sink;
    (void)chunk;
    (void)digest;
    return true;
}

/* Writes to host memory the answer for records in which nothing is found. */
static void clear(const struct trawl_records *own, struct trawl_answer *into)
{
    void *const columns[] = {into->values, into->patterns, into->begins, into->ends};

    for (uint32_t i = 0; i < RECORD_COLUMNS; i++) {
        const uint64_t bytes =
            record_column_bytes(into->what, i, own->records.count, into->cell_bytes);

        if (bytes > 0 && columns[i] != NULL)
            memset(columns[i], record_column_fill(into->what), (size_t)bytes);
    }
}

/* Sets the bit or byte of each record that has a cell; the values were zeros. For COUNTS, which the
 * workers have written, the cells are those of empty matches. */
static void put_any(const struct trawl_cells *cells, struct trawl_answer *into)
{
    const bool counts = into->what == TRAWL_RECORDS_COUNTS;
    const uint32_t *met = (const uint32_t *)into->values;
    uint8_t *values = (uint8_t *)into->values;

    for (uint64_t i = cells->record_begin; counts && i < cells->record_end; i++)
        into->count += met[i] > 0;
    for (uint64_t i = 0; i < cells->cell_count; i++) {
        const uint64_t record = cells->records[i];

        if (i > 0 && record == cells->records[i - 1])
            continue;
        into->count += !counts || met[record] == 0;
        if (into->what == TRAWL_RECORDS_BYTES)
            values[record] = 1;
        else if (!counts)
            values[record >> 3] |= (uint8_t)(1u << (record & 7));
    }
}

/* Writes a number of `bytes` bytes to a column, if it is wanted. */
static void put_number(void *column, uint64_t at, uint32_t bytes, uint64_t number)
{
    if (column != NULL && bytes == sizeof(uint32_t))
        ((uint32_t *)column)[at] = (uint32_t)number;
    else if (column != NULL)
        ((uint64_t *)column)[at] = number;
}

/* Appends matches to the columns, while there is room, or writes each record's first. */
static void put_matches(const struct trawl_cells *cells, struct trawl_answer *into)
{
    const bool first = into->what == TRAWL_RECORDS_FIRST;
    const uint32_t bytes = into->cell_bytes;
    uint64_t i = 0;

    for (uint64_t record = cells->record_begin; record < cells->record_end; record++) {
        for (bool more = true; i < cells->cell_count && cells->records[i] == record; i++) {
            const uint64_t at = first ? record : into->count, begin = cells->begins[i];

            if (more && at < into->room) {
                put_number(into->begins, at, bytes, begin);
                put_number(into->ends, at, bytes, begin + (cells->patterns[i] >> 32));
                put_number(into->patterns, at, bytes, (uint32_t)cells->patterns[i]);
            }
            into->count += more;
            more = !first;
        }
        if (!first)
            put_number(into->values, record + 1, bytes, into->count);
    }
}

/* Appends cells to the columns, while there is room. */
static void put_cells(const struct trawl_cells *cells, struct trawl_answer *into)
{
    uint64_t left = into->room - min_u64(into->room, into->count);

    for (uint64_t i = 0; i < min_u64(left, cells->cell_count); i++) {
        put_number(into->values, into->count + i, into->cell_bytes, cells->records[i]);
        put_number(into->patterns, into->count + i, into->cell_bytes, cells->patterns[i]);
    }
    into->count += cells->cell_count;
}

static bool put(void *context, const struct trawl_cells *cells)
{
    struct trawl_answer *into = (struct trawl_answer *)context;

    if (into->what == TRAWL_RECORDS_CELLS)
        put_cells(cells, into);
    else if (record_matches(into->what))
        put_matches(cells, into);
    else
        put_any(cells, into);
    return into->cells == NULL || into->cells(into->context, cells) == 0;
}

static enum trawl_status answer_on_host(struct trawl_searcher *searcher,
                                        const struct trawl_plan *plan, struct trawl_records *own,
                                        struct trawl_answer *into, struct trawl_error *error)
{
    const bool cells = into->what == TRAWL_RECORDS_CELLS, all = record_matches(into->what);
    uint32_t *counts = into->what == TRAWL_RECORDS_COUNTS ? (uint32_t *)into->values : NULL;

    if (!cells)
        clear(own, into);
    return matrix_search(searcher, plan, &own->records, !cells && !all, all, counts, put, into,
                         error);
}

/* ---- Answers by a device -------------------------------------------------------------------- */

static enum trawl_status answer_on_device(struct trawl_searcher *searcher,
                                          const struct trawl_plan *plan, struct trawl_records *own,
                                          bool to_device, bool is_empty, struct trawl_answer *into,
                                          struct trawl_error *error)
{
    struct record_answer answer = {
        .held = own->held,
        .flags = plan->flags,
        .shape = into->what,
        .columns = {into->values, into->patterns, into->begins, into->ends},
        .room = into->room,
        .cell_bytes = into->cell_bytes,
        .on_device = to_device};
    struct devices *devices = &searcher->runtime->devices;
    struct trawl_plan bare = *plan;
    struct sink sink = {.want = WANT_HITS,
                        .form = ANSWER_OF_RECORDS,
                        .by_engine = true,
                        .record_answer = &answer,
                        .deliver = deliver_nothing};
    bool is_split;

    if (own->text == NULL || plan->literal_count == 0 || is_empty) { /* no chunk is searched */
        if (to_device)
            TRAWL_TRY(engine_for_devices->there->records_clear(searcher->runtime->devices.engine,
                                                               &answer, error));
        else
            clear(own, into);
        into->on_device = to_device;
        return TRAWL_OK;
    }
    bare.flags &= ~(uint32_t)(TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    worker_go_to(&searcher->caller, own->device);
    if (!devices_are_usable(devices) || !devices_hold_text(devices, &bare, own->text, &is_split))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "no device has the records, or a pattern is too long");
    TRAWL_TRY(search_run(searcher, &bare, own->text, &sink, error));
    if (!answer.is_made) /* the device was lost, and nothing was searched */
        return TRAWL_FAIL(error, DEVICE, "the device that has the records is lost");
    into->count = answer.count;
    into->on_device = 1;
    return TRAWL_OK;
}

/* ---- The call ------------------------------------------------------------------------------- */

static enum trawl_status check(const struct trawl_plan *plan, const struct trawl_records *own,
                               const struct trawl_answer *into, struct trawl_error *error)
{
    const enum trawl_what shape = into->what;
    const bool cells = shape == TRAWL_RECORDS_CELLS;

    if (shape < TRAWL_RECORDS_BITS || shape > TRAWL_RECORDS_MATCHES)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s is an answer about a text: trawl_ask",
                          ask_name(shape));
    if (plan->algorithm.for_records && (shape == TRAWL_RECORDS_COUNTS || record_matches(shape)))
        return TRAWL_FAIL(error, ARGUMENT, "algorithm %s does not find all occurrences",
                          plan->algorithm.name);
    if (into->cell_bytes != sizeof(uint32_t) && into->cell_bytes != sizeof(uint64_t))
        return TRAWL_FAIL(error, ARGUMENT, "answer.cell_bytes is %" PRIu32 ", not 4 or 8",
                          into->cell_bytes);
    if (cells && into->cell_bytes == sizeof(uint32_t) &&
        (own->records.count > UINT32_MAX || plan->pattern_count > UINT32_MAX))
        return TRAWL_FAIL(error, ARGUMENT, "answer.cell_bytes is 4, too few for these records");
    if (record_matches(shape) && into->cell_bytes == sizeof(uint32_t) &&
        own->records.tape_bytes >= UINT32_MAX)
        return TRAWL_FAIL(error, ARGUMENT, "answer.cell_bytes is 4, too few for these records");
    if (!cells && shape != TRAWL_RECORDS_MATCHES && into->room < own->records.count)
        return TRAWL_FAIL(error, LIMIT, "answer.room is %" PRIu64 ", for %" PRIu64 " records",
                          into->room, own->records.count);
    if (shape == TRAWL_RECORDS_FIRST) {
        if (into->room > 0 && into->begins == NULL)
            return TRAWL_FAIL(error, ARGUMENT, "answer.begins is NULL");
    } else if ((into->room > 0 || shape == TRAWL_RECORDS_MATCHES) &&
               (into->values == NULL || (cells && into->patterns == NULL))) {
        return TRAWL_FAIL(error, ARGUMENT, "answer.%s is NULL",
                          into->values == NULL ? "values" : "patterns");
    }
    return TRAWL_OK;
}

/* Finds out whether the answer goes to the device that has the records. */
static enum trawl_status find_into(const struct trawl_runtime *runtime,
                                   const struct trawl_records *own, const struct trawl_answer *into,
                                   bool *to_device, struct trawl_error *error)
{
    const void *const columns[] = {into->values, into->patterns, into->begins, into->ends};
    uint32_t device = 0, width;
    uintptr_t addresses = 0;
    bool there = false, is_first = true;

    *to_device = false;
    if (into->room == 0 && into->what != TRAWL_RECORDS_MATCHES)
        return TRAWL_OK;
    for (uint32_t i = 0; i < RECORD_COLUMNS; i++) {
        if (columns[i] == NULL)
            continue;
        TRAWL_TRY(runtime_find_memory(runtime, columns[i], &there, &device, error));
        if (!is_first && there != *to_device)
            return TRAWL_FAIL(error, ARGUMENT, "the answer's arrays lie in different memories");
        if (there && (own->held == NULL || device != own->device))
            return TRAWL_FAIL(error, ARGUMENT,
                              "the device of the answer's arrays does not hold the records");
        *to_device = there;
        is_first = false;
        addresses |= (uintptr_t)columns[i];
    }
    width = into->what >= TRAWL_RECORDS_CELLS    ? into->cell_bytes
            : into->what == TRAWL_RECORDS_COUNTS ? (uint32_t)sizeof(uint32_t)
                                                 : 1;
    if (*to_device && addresses % width != 0)
        return TRAWL_FAIL(error, ARGUMENT,
                          "the answer's arrays on a device are not aligned to %u bytes", width);
    return TRAWL_OK;
}

static enum trawl_status answer(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                struct trawl_records *own, struct trawl_answer *into,
                                struct trawl_error *error)
{
    const struct trawl_plan *lines = NULL, *used = plan;
    enum trawl_status status = TRAWL_UNSUPPORTED;
    const struct sink hits = {.want = WANT_HITS};
    struct trawl_error why;
    uint64_t left = PAGES_ALL;
    bool to_device;

    if (own->records.count == 0)
        return TRAWL_OK;
    TRAWL_TRY(find_into(searcher->runtime, own, into, &to_device, error));
    if (own->text != NULL && own->held != NULL)
        left = pages_left(searcher->runtime, plan, own->text, &hits);
    /* the host reads these pages in less time than a device all records */
    if (!to_device && left != PAGES_ALL &&
        left <= own->text->bytes_count / (FILTERED_SHARE * PLAN_PAGE_BYTES))
        return answer_on_host(searcher, plan, own, into, error);
    if (to_device && left == 0)
        return answer_on_device(searcher, plan, own, true, true, into, error);
    if (own->text != NULL && into->cells == NULL)
        TRAWL_TRY(search_line_plan(searcher, plan, own->text, into->what >= TRAWL_RECORDS_COUNTS,
                                   &lines, error));
    if (lines != NULL)
        used = lines;
    if (own->held != NULL && into->cells == NULL && !kind_of(plan)->is_apart &&
        ((own->text == NULL && record_matches(into->what)) || /* and no match is empty */
         engine_for_devices->there->answers(used, ANSWER_OF_RECORDS)))
        status = answer_on_device(searcher, used, own, to_device, false, into, &why);
    else
        (void)TRAWL_FAIL(&why, UNSUPPORTED, "only the host can answer this plan's question");
    if (status != TRAWL_OK && status != TRAWL_STOPPED && !to_device && !own->lies_there) {
        into->count = 0;
        return answer_on_host(searcher, plan, own, into, error);
    }
    if (status != TRAWL_OK && status != TRAWL_STOPPED && error != NULL)
        *error = why;
    return status;
}

enum trawl_status trawl_ask_records(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_records *records, struct trawl_answer *given,
                                    struct trawl_error *error)
{
    struct trawl_answer into = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    enum trawl_status status;

    if (searcher == NULL || plan == NULL || records == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL ? "searcher"
                          : plan == NULL   ? "plan"
                                           : "records");
    TRAWL_TRY(ask_read(&into, given, error));
    if (into.cell_bytes == 0)
        into.cell_bytes = sizeof(uint64_t);
    into.count = 0;
    into.on_device = 0;
    TRAWL_TRY(check(plan, records, &into, error));
    TRAWL_TRY(searcher_enter(searcher, error));
    status = answer(searcher, plan, records, &into, error);
    searcher_leave(searcher);
    if (status == TRAWL_OK && into.what >= TRAWL_RECORDS_CELLS && into.cells == NULL &&
        into.count > into.room)
        status =
            TRAWL_FAIL(error, LIMIT, "answer.room is %" PRIu64 ", for %" PRIu64 " %s", into.room,
                       into.count, into.what == TRAWL_RECORDS_CELLS ? "cells" : "occurrences");
    ask_report(given, &into, status);
    return status;
}

/* ---- New columns ---------------------------------------------------------------------------- */

/* Checks that an array lies in the memory of the device that has the records. */
static enum trawl_status check_there(const struct trawl_runtime *runtime,
                                     const struct trawl_records *own, const void *array,
                                     const char *name, uint32_t alignment,
                                     struct trawl_error *error)
{
    uint32_t device = 0;
    bool there = false;

    if (array != NULL)
        TRAWL_TRY(runtime_find_memory(runtime, array, &there, &device, error));
    if (!there || device != own->device)
        return TRAWL_FAIL(error, ARGUMENT,
                          "rewrite: %s is not in the memory of the device that has the records",
                          name);
    if ((uintptr_t)array % alignment != 0)
        return TRAWL_FAIL(error, ARGUMENT, "rewrite: %s is not aligned to %u bytes", name,
                          alignment);
    return TRAWL_OK;
}

static enum trawl_status check_rewrite(const struct trawl_runtime *runtime,
                                       const struct trawl_records *own,
                                       const struct trawl_rewrite *rewrite,
                                       struct trawl_error *error)
{
    const struct trawl_answer *matches = rewrite->matches;
    const bool splits = rewrite->how == TRAWL_SPLIT;
    const bool has_values = rewrite->how < TRAWL_SPLIT;

    if ((unsigned)rewrite->how > TRAWL_GROUP || matches == NULL ||
        (rewrite->flags != TRAWL_SPANS && rewrite->flags != TRAWL_SPANS_FIRST) ||
        (rewrite->offset_bytes != 4 && rewrite->offset_bytes != 8) ||
        (matches->cell_bytes != 4 && matches->cell_bytes != 8) ||
        (rewrite->values_count > 0) != has_values || (rewrite->values != NULL) != has_values)
        return TRAWL_FAIL(error, ARGUMENT,
                          "rewrite: how, flags, offset_bytes, matches or values are not allowed");
    if ((rewrite->lists != NULL && !splits) ||
        ((rewrite->plan != NULL || rewrite->group != 0 || rewrite->validity != NULL) &&
         rewrite->how != TRAWL_GROUP))
        return TRAWL_FAIL(error, ARGUMENT, "rewrite: %s is set, which `how` does not use",
                          rewrite->lists != NULL && !splits ? "lists"
                          : rewrite->plan != NULL           ? "plan"
                          : rewrite->group != 0             ? "group"
                                                            : "validity");
    for (uint64_t i = 0; i < rewrite->values_count; i++)
        if (rewrite->values[i].bytes == NULL && rewrite->values[i].bytes_count > 0)
            return TRAWL_FAIL(error, ARGUMENT, "rewrite: value %" PRIu64 " is NULL", i);
    if (matches->what != TRAWL_RECORDS_MATCHES || matches->count > matches->room)
        return TRAWL_FAIL(error, ARGUMENT, "rewrite: matches are no complete answer MATCHES");
    if (own->held == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED, "rewrite: no device has the records");
    TRAWL_TRY(check_there(runtime, own, matches->values, "values", matches->cell_bytes, error));
    TRAWL_TRY(check_there(runtime, own, rewrite->offsets, "offsets", rewrite->offset_bytes, error));
    if (splits)
        TRAWL_TRY(check_there(runtime, own, rewrite->lists, "lists", rewrite->offset_bytes, error));
    if (rewrite->how == TRAWL_GROUP)
        TRAWL_TRY(check_there(runtime, own, rewrite->validity, "validity", 4, error));
    if (rewrite->room > 0)
        TRAWL_TRY(check_there(runtime, own, rewrite->bytes, "bytes", 16, error));
    if (matches->count == 0)
        return TRAWL_OK;
    TRAWL_TRY(check_there(runtime, own, matches->begins, "begins", matches->cell_bytes, error));
    TRAWL_TRY(check_there(runtime, own, matches->ends, "ends", matches->cell_bytes, error));
    return rewrite->values_count <= 1 ? TRAWL_OK
                                      : check_there(runtime, own, matches->patterns, "patterns",
                                                    matches->cell_bytes, error);
}

/* Finds the automaton for the group of the plan's expression; NULL: no record has a byte. */
static enum trawl_status find_group(struct trawl_searcher *searcher, struct trawl_records *records,
                                    const struct trawl_rewrite *rewrite,
                                    const struct line_group **group, struct trawl_error *error)
{
    const struct trawl_plan *lines = NULL;
    struct trawl_plan_told told = {.size = sizeof told};

    if (rewrite->plan == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "rewrite: plan is NULL");
    TRAWL_TRY(trawl_plan_tell(rewrite->plan, &told, error));
    if (rewrite->group == 0 || rewrite->group > told.group_count)
        return TRAWL_FAIL(error, ARGUMENT, "rewrite: no group has the number %" PRIu64,
                          rewrite->group);
    if (records->text == NULL && rewrite->matches->count == 0)
        return TRAWL_OK;
    if (records->text != NULL)
        TRAWL_TRY(search_line_plan(searcher, rewrite->plan, records->text, true, &lines, error));
    if (lines != NULL && lines->line_reader != NULL &&
        rewrite->group <= lines->line_reader->group_count &&
        lines->line_reader->groups[rewrite->group - 1].steps != NULL)
        *group = &lines->line_reader->groups[rewrite->group - 1];
    if (*group == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "only the host can find the group: the plan is no single one-pass "
                          "expression in Perl's syntax");
    return TRAWL_OK;
}

enum trawl_status trawl_records_rewrite(struct trawl_searcher *searcher,
                                        struct trawl_records *records, struct trawl_rewrite *given,
                                        struct trawl_error *error)
{
    struct trawl_rewrite rewrite = {.size = sizeof rewrite};
    struct trawl_answer matches = TRAWL_ANSWER(TRAWL_RECORDS_MATCHES);
    const struct line_group *group = NULL;
    enum trawl_status status;

    if (searcher == NULL || records == NULL || given == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL  ? "searcher"
                          : records == NULL ? "records"
                                            : "rewrite");
    TRAWL_TRY(options_read(&rewrite, sizeof rewrite, given, sizeof rewrite, "rewrite", error));
    if (rewrite.matches != NULL) {
        TRAWL_TRY(ask_read(&matches, rewrite.matches, error));
        if (matches.cell_bytes == 0)
            matches.cell_bytes = sizeof(uint64_t);
        rewrite.matches = &matches;
    }
    TRAWL_TRY(searcher_enter(searcher, error));
    rewrite.count = rewrite.strings = 0;
    status = records->records.count == 0
                 ? TRAWL_OK
                 : check_rewrite(searcher->runtime, records, &rewrite, error);
    if (status == TRAWL_OK && records->records.count > 0 && rewrite.how == TRAWL_GROUP)
        status = find_group(searcher, records, &rewrite, &group, error);
    if (status == TRAWL_OK && records->records.count > 0)
        status = engine_for_devices->there->records_rewrite(
            searcher->runtime->devices.engine, records->held,
            records->text == NULL ? NULL : records->text->bytes, group, &rewrite, error);
    searcher_leave(searcher);
    if (status == TRAWL_OK || status == TRAWL_LIMIT) {
        given->count = rewrite.count;
        given->strings = rewrite.strings;
    }
    return status;
}
