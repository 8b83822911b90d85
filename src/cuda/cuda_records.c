/* cuda_records: keeps the offsets of records on a device, and finds which records have occurrences
 *
 * A kernel finds a hit's record with a table that has the record at each KiB of the tape
 * (answer.cu). Bits, bytes and counts are written in the caller's memory if that is on the device,
 * else in the worker's, from which they are copied. For cells, all hits' pairs (record, pattern)
 * are listed as keys and sorted; of equal keys, the first becomes a cell.
 */
#include "cuda/cuda_records.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/cuda_lists.h"

#define STEPS_KEPT_BYTES_MAX (64u << 20)

struct engine_records {
    uint32_t device_index;
    struct records records;               /* offsets and validity belong to the caller */
    struct cuda_memory offsets, validity; /* copies; empty if the caller's are on the device */
    uint64_t offsets_address, validity_address, validity_begin;
    struct cuda_memory steps; /* answer_arguments.steps */
    uint64_t step_count;
};

/* ---- Loading ------------------------------------------------------------------------------ */

static uint64_t offset_bytes(const struct records *records)
{
    return records->narrow ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* Replaces up to two indexes in `at` with the offsets at these indexes. They are copied into memory
 * that lives as long as the worker, because a copy may still run after the wait has failed. */
static enum trawl_status read_offsets(struct cuda_worker *worker, const struct engine_records *held,
                                      uint64_t *at, uint32_t count, struct trawl_error *error)
{
    uint64_t bytes = offset_bytes(&held->records), *copies;

    TRAWL_TRY(cuda_lists_sums(worker, error));
    copies = (uint64_t *)(void *)worker->answering->told.bytes + ANSWER_SUMS;
    for (uint32_t i = 0; i < count; i++)
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, &copies[i],
                            held->offsets_address + at[i] * bytes, (size_t)bytes, worker->stream));
    TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    for (uint32_t i = 0; i < count; i++)
        at[i] = held->records.narrow ? (uint64_t)(int64_t)(int32_t)copies[i] : copies[i];
    return TRAWL_OK;
}

/* Copies offsets and validity bits from the host. */
static enum trawl_status copy_offsets(struct cuda_worker *worker, struct engine_records *held,
                                      struct trawl_error *error)
{
    const struct records *records = &held->records;
    uint64_t bytes = (records->count + 1) * offset_bytes(records);
    uint64_t bits = records->validity_begin % 8 + records->count;

    TRAWL_TRY(cuda_memory_reserve(worker->device, &held->offsets, bytes, error));
    TRAWL_TRY(cuda_worker_upload(worker, held->offsets.address, records->offsets, bytes, error));
    held->offsets_address = held->offsets.address;
    if (records->validity == NULL)
        return TRAWL_OK;
    TRAWL_TRY(cuda_memory_reserve(worker->device, &held->validity, (bits + 7) / 8, error));
    TRAWL_TRY(cuda_worker_upload(worker, held->validity.address,
                                 records->validity + records->validity_begin / 8, (bits + 7) / 8,
                                 error));
    held->validity_address = held->validity.address;
    held->validity_begin = records->validity_begin % 8;
    return TRAWL_OK;
}

uint32_t cuda_records_device(const struct engine_records *held)
{
    return held->device_index;
}

struct records cuda_records_of(const struct engine_records *held)
{
    return held->records;
}

void cuda_records_describe(const struct engine_records *held, struct answer_arguments *a)
{
    a->offsets = (const void *)(uintptr_t)held->offsets_address;
    a->validity = (const uint8_t *)(uintptr_t)held->validity_address;
    a->validity_begin = held->validity_begin;
    a->record_count = held->records.count;
    a->origin = held->records.origin;
    a->narrow = held->records.narrow;
    a->offset_max = held->records.narrow ? INT32_MAX : INT64_MAX;
    a->steps = (uint32_t *)(uintptr_t)held->steps.address;
    a->step_count = held->step_count;
}

/* Checks the offsets, and builds the table. The device's context is current. */
static enum trawl_status make_steps(struct cuda_worker *worker, struct engine_records *held,
                                    struct trawl_error *error)
{
    struct answer_arguments a = {.text = NULL};
    uint64_t ends[2], index;
    enum trawl_status status;
    const uint64_t *sums;

    held->step_count =
        max_u64((held->records.tape_bytes + (1u << RECORDS_STEP_LOG2) - 1) >> RECORDS_STEP_LOG2, 1);
    held->steps = worker->steps;
    worker->steps = (struct cuda_memory){0};
    TRAWL_TRY(
        cuda_worker_reserve(worker, &held->steps, held->step_count * sizeof(uint32_t), error));
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, held->steps.address, 0,
                        (size_t)(held->step_count * sizeof(uint32_t)), worker->stream));
    TRAWL_TRY(cuda_lists_sums(worker, error));
    cuda_records_describe(held, &a);
    TRAWL_TRY(cuda_lists_run(
        worker, CUDA_KERNEL_ANSWER_STEPS, held->records.count,
        max_u64(worker->limits.blocks_max, worker->device->resident[CUDA_KERNEL_ANSWER_STEPS]), &a,
        &sums, error));
    if (sums[ANSWER_FAULT] == 0)
        return TRAWL_OK;
    index = UINT64_MAX - sums[ANSWER_FAULT];
    ends[0] = index;
    ends[1] = index + 1;
    TRAWL_TRY(read_offsets(worker, held, ends, 2, error));
    status = TRAWL_FAIL(error, ARGUMENT,
                        "record %" PRIu64 " ends at %" PRIu64 ", before its begin or beyond 2^63",
                        index, ends[1]);
    if (error != NULL)
        error->text_offset = ends[0];
    return status;
}

static enum trawl_status hold(struct cuda_worker *worker, bool lies_there,
                              struct engine_records *held, struct trawl_error *error)
{
    struct records *records = &held->records;
    uint64_t ends[] = {0, records->count};

    if (!lies_there) {
        TRAWL_TRY(copy_offsets(worker, held, error));
        return make_steps(worker, held, error);
    }
    held->offsets_address = (uint64_t)(uintptr_t)records->offsets;
    held->validity_address = (uint64_t)(uintptr_t)records->validity;
    held->validity_begin = records->validity_begin;
    TRAWL_TRY(read_offsets(worker, held, ends, 2, error));
    if (ends[0] > ends[1] || ends[1] > (uint64_t)INT64_MAX)
        return TRAWL_FAIL(error, ARGUMENT,
                          "the records end at %" PRIu64 ", before their begin or beyond 2^63",
                          ends[1]);
    records->origin = ends[0];
    records->tape_bytes = ends[1] - ends[0];
    return make_steps(worker, held, error);
}

static void held_release(struct engine_records *held, struct cuda_device *device)
{
    cuda_memory_release(device, &held->offsets);
    cuda_memory_release(device, &held->validity);
    cuda_memory_release(device, &held->steps);
}

enum trawl_status cuda_records_hold(struct engine *opaque, uint32_t device, bool lies_there,
                                    struct records *records, struct engine_records **held_out,
                                    struct trawl_error *error)
{
    struct cuda_engine *engine = cuda_engine_of(opaque);
    struct cuda_worker *worker;
    struct engine_records *held;
    enum trawl_status status;

    if (records->count > UINT32_MAX)
        return TRAWL_FAIL(error, UNSUPPORTED, "a device takes up to %u records, not %" PRIu64,
                          UINT32_MAX, records->count);
    TRAWL_TRY(MEMORY_ZEROED(held, 1, error));
    held->device_index = device;
    held->records = *records;
    TRAWL_TRY_DONE(cuda_worker_lend(engine, device, &worker, error));
    status = hold(worker, lies_there, held, error);
    if (status != TRAWL_OK) {
        cuda_worker_failed(worker);
        held_release(held, worker->device);
    }
    cuda_worker_return(worker, status == TRAWL_OK);
done:
    if (status == TRAWL_OK) {
        *records = held->records;
        *held_out = held;
    } else {
        memory_release(held, 1, sizeof *held);
    }
    return status;
}

/* Leaves the table's memory to the next records: freeing and allocating memory takes longer than a
 * search of few records. */
static void leave_steps(struct cuda_engine *engine, struct engine_records *held)
{
    struct cuda_worker *idle;

    (void)pthread_mutex_lock(&engine->lock);
    idle = engine->idle[held->device_index];
    if (idle != NULL && idle->steps.bytes == 0 && held->steps.bytes <= STEPS_KEPT_BYTES_MAX) {
        idle->steps = held->steps;
        held->steps = (struct cuda_memory){0};
    }
    (void)pthread_mutex_unlock(&engine->lock);
}

void cuda_records_drop(struct engine *opaque, struct engine_records *held)
{
    struct cuda_engine *engine = cuda_engine_of(opaque);
    struct cuda_device *device;

    if (held == NULL)
        return;
    device = &engine->devices[held->device_index];
    leave_steps(engine, held);
    if (cuda_device_enter(device, NULL) == TRAWL_OK) {
        held_release(held, device);
        cuda_device_leave(device);
    }
    memory_release(held, 1, sizeof *held);
}

/* ---- Answers ------------------------------------------------------------------------------ */

/* Writes the answer for records without a hit to its columns, which are at `to` on the device. */
static enum trawl_status fill_columns(struct cuda_worker *worker,
                                      const struct record_answer *answer, void *const *to,
                                      struct trawl_error *error)
{
    for (uint32_t i = 0; i < RECORD_COLUMNS; i++) {
        const uint64_t bytes =
            record_column_bytes(answer->shape, i, answer->held->records.count, answer->cell_bytes);

        if (bytes > 0 && to[i] != NULL)
            TRAWL_TRY(CUDA_CALL(worker->device, error, fill, (uint64_t)(uintptr_t)to[i],
                                record_column_fill(answer->shape), (size_t)bytes, worker->stream));
    }
    return TRAWL_OK;
}

enum trawl_status cuda_records_clear(struct engine *opaque, const struct record_answer *answer,
                                     struct trawl_error *error)
{
    struct cuda_engine *engine = cuda_engine_of(opaque);
    struct cuda_worker *worker;
    enum trawl_status status;

    if (answer->shape == TRAWL_RECORDS_CELLS)
        return TRAWL_OK;
    TRAWL_TRY(cuda_worker_lend(engine, answer->held->device_index, &worker, error));
    status = fill_columns(worker, answer, answer->columns, error);
    if (status == TRAWL_OK)
        status = CUDA_CALL(worker->device, error, stream_wait, worker->stream);
    cuda_worker_return(worker, status == TRAWL_OK);
    return status;
}

/* Returns how many bytes a column takes that has items for `count` matches. */
static uint64_t column_bytes(const struct record_answer *answer, uint32_t column, uint64_t count)
{
    if (answer->shape == TRAWL_RECORDS_MATCHES && column != RECORD_VALUES)
        return count * answer->cell_bytes;
    return record_column_bytes(answer->shape, column, answer->held->records.count,
                               answer->cell_bytes);
}

/* Finds out where on the device the wanted columns are, other than those of CELLS, and fills
 * them. */
static enum trawl_status place_columns(struct cuda_worker *worker,
                                       const struct record_answer *answer,
                                       struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    uint64_t total = 0, at[RECORD_COLUMNS];

    for (uint32_t i = 0; i < RECORD_COLUMNS; i++) {
        at[i] = total;
        if (answer->columns[i] != NULL && !answer->on_device)
            total += (column_bytes(answer, i, answer->room) + 7) / 8 * 8;
    }
    if (total > 0)
        TRAWL_TRY(cuda_memory_reserve(worker->device, &own->values, total, error));
    for (uint32_t i = 0; i < RECORD_COLUMNS; i++) {
        own->columns[i] = answer->columns[i];
        if (answer->columns[i] != NULL && !answer->on_device)
            own->columns[i] = (void *)(uintptr_t)(own->values.address + at[i]);
    }
    return fill_columns(worker, answer, own->columns, error);
}

/* Returns true if a bit tells whether a record has a hit: its count does not if that is an empty
 * match. */
static bool has_bits(const struct cuda_worker *worker)
{
    const struct line_reader *reader = worker->plan->line_reader;

    const enum trawl_what shape = worker->answering->answer->records->shape;

    return shape < TRAWL_RECORDS_COUNTS ||
           (shape == TRAWL_RECORDS_COUNTS && reader != NULL && reader->may_be_empty);
}

enum trawl_status cuda_records_begin(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    struct record_answer *answer = own->answer->records;
    uint64_t bits = (answer->held->records.count / 32 + 1) * 4;

    answer->count = 0;
    if (answer->held->device_index != worker->device_index)
        return TRAWL_FAIL(error, UNSUPPORTED, "the records are not loaded on %s",
                          worker->device->name);
    if (answer->shape == TRAWL_RECORDS_CELLS)
        return cuda_memory_reserve(worker->device, &own->block_counts,
                                   CELLS_BLOCKS_MAX * sizeof(uint32_t), error);
    if (has_bits(worker)) {
        TRAWL_TRY(cuda_memory_reserve(worker->device, &own->bits, bits, error));
        TRAWL_TRY(CUDA_CALL(worker->device, error, fill, own->bits.address, 0, (size_t)bits,
                            worker->stream));
    }
    if (answer->shape == TRAWL_RECORDS_BITS)
        return TRAWL_OK;
    return place_columns(worker, answer, error);
}

enum trawl_status cuda_records_cut(struct cuda_worker *worker, const struct cuda_range *range,
                                   uint64_t *done, struct trawl_error *error)
{
    const struct cuda_answering *own = worker->answering;
    const struct engine_records *held = own->answer->records->held;
    /* tape offset of *done; records up to `low` begin there or earlier */
    uint64_t at = *done - own->chunk_at, low = 0, high = held->records.count, offset = 0;

    if (own->answer->records->shape != TRAWL_RECORDS_CELLS || at == held->records.tape_bytes)
        return TRAWL_OK;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        offset = middle;
        TRAWL_TRY(read_offsets(worker, held, &offset, 1, error));
        if (offset - held->records.origin <= at)
            low = middle;
        else
            high = middle;
    }
    offset = low;
    TRAWL_TRY(read_offsets(worker, held, &offset, 1, error));
    *done = own->chunk_at + (offset - held->records.origin);
    if (*done > range->begin)
        return TRAWL_OK;
    return TRAWL_FAIL(error, UNSUPPORTED, "record %" PRIu64 " has too many occurrences for %s", low,
                      worker->device->name);
}

/* Sorts `count` keys, and appends their cells to those of earlier ranges. */
static enum trawl_status add_cells(struct cuda_worker *worker, struct answer_arguments *a,
                                   uint32_t which, uint64_t count, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    struct record_answer *answer = own->answer->records;
    uint64_t blocks = min_u64(count / LISTS_THREADS + 1, CELLS_BLOCKS_MAX), found, fitting, bytes;
    uint8_t *records = (uint8_t *)answer->columns[RECORD_VALUES];
    uint8_t *patterns = (uint8_t *)answer->columns[RECORD_PATTERNS];
    const uint64_t *sums;

    if (count == 0)
        return TRAWL_OK;
    TRAWL_TRY(cuda_lists_sort(worker, &which, count, log2_ceiling(answer->held->records.count),
                              log2_ceiling(cuda_plan_patterns(worker->plan)), NULL, error));
    a->hits = (const uint64_t *)(uintptr_t)worker->lists[which].address;
    a->count = count;
    a->block_counts = (uint32_t *)(uintptr_t)own->block_counts.address;
    a->cell_bytes = answer->cell_bytes;
    a->into_room = 0;
    TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_CELLS, blocks * LISTS_THREADS, 0, a, &sums,
                             error));
    found = sums[ANSWER_KEPT];
    fitting = min_u64(found, answer->room - min_u64(answer->room, answer->count));
    bytes = fitting * answer->cell_bytes;
    a->cells_before = answer->on_device ? answer->count : 0;
    a->into_room = answer->on_device ? answer->room : fitting;
    a->cell_records = records;
    a->cell_patterns = patterns;
    if (!answer->on_device && fitting > 0) {
        TRAWL_TRY(cuda_memory_reserve(worker->device, &own->values, 2 * bytes, error));
        a->cell_records = (void *)(uintptr_t)own->values.address;
        a->cell_patterns = (void *)(uintptr_t)(own->values.address + bytes);
    }
    if (fitting > 0)
        TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_CELLS, blocks * LISTS_THREADS, 0, a,
                                 &sums, error));
    if (!answer->on_device && fitting > 0) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host,
                            records + answer->count * answer->cell_bytes, own->values.address,
                            (size_t)bytes, worker->stream));
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host,
                            patterns + answer->count * answer->cell_bytes,
                            own->values.address + bytes, (size_t)bytes, worker->stream));
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    }
    answer->count += found;
    return TRAWL_OK;
}

void cuda_records_arguments(const struct cuda_worker *worker, struct answer_arguments *a)
{
    static const uint32_t shapes[] = {
        [TRAWL_RECORDS_BITS] = ANSWER_BITS,        [TRAWL_RECORDS_BYTES] = ANSWER_BYTES,
        [TRAWL_RECORDS_COUNTS] = ANSWER_COUNTS,    [TRAWL_RECORDS_CELLS] = ANSWER_KEYS,
        [TRAWL_RECORDS_FIRST] = ANSWER_FIRST_HITS, [TRAWL_RECORDS_MATCHES] = ANSWER_ALL_HITS};
    const struct cuda_answering *own = worker->answering;
    const struct record_answer *answer = own->answer->records;

    cuda_records_describe(answer->held, a);
    a->tape = own->chunk_at;
    a->shape = shapes[answer->shape];
    a->bits = has_bits(worker) ? (uint32_t *)(uintptr_t)own->bits.address : NULL;
    a->into = own->columns[RECORD_VALUES];
}

/* Sorts the `count` hits of list `which`, which lie in records, and writes those of each record to
 * the columns. */
static enum trawl_status add_matches(struct cuda_worker *worker, struct answer_arguments *a,
                                     uint32_t which, uint64_t count, struct trawl_error *error)
{
    const struct cuda_answering *own = worker->answering;
    struct record_answer *answer = own->answer->records;
    const struct trawl_plan *plan = worker->plan;
    const uint64_t *sums;
    uint32_t high_bits = log2_ceiling(plan->literal_count);

    if (count == 0)
        return TRAWL_OK;
    if (cuda_plan_finds(plan)) /* a single expression has one match at a place */
        high_bits = plan->line_reader->count == 1
                        ? 0
                        : LENGTH_BITS + log2_ceiling(plan->line_reader->count);
    TRAWL_TRY(cuda_lists_sort(worker, &which, count, log2_ceiling(a->end - a->begin), high_bits,
                              NULL, error));
    a->hits = (const uint64_t *)(uintptr_t)worker->lists[which].address;
    a->count = count;
    a->cell_bytes = answer->cell_bytes;
    a->cells_before = answer->count;
    a->into_room = answer->room;
    a->cell_records = own->columns[RECORD_VALUES];
    a->cell_patterns = own->columns[RECORD_PATTERNS];
    a->cell_begins = own->columns[RECORD_BEGINS];
    a->cell_ends = own->columns[RECORD_ENDS];
    TRAWL_TRY(
        cuda_lists_run(worker, CUDA_KERNEL_ANSWER_SPANS, a->record_count + 1, 0, a, &sums, error));
    answer->count += answer->shape == TRAWL_RECORDS_FIRST ? sums[ANSWER_KEPT] : count;
    return TRAWL_OK;
}

enum trawl_status cuda_records_add(struct cuda_worker *worker, struct answer_arguments *a,
                                   uint32_t which, uint64_t count, struct trawl_error *error)
{
    struct record_answer *answer = worker->answering->answer->records;
    const uint64_t *sums;

    if (count == 0)
        return TRAWL_OK;
    TRAWL_TRY(cuda_lists_decide(worker, a, &which, &count, error));
    if (count == 0)
        return TRAWL_OK;
    a->hits = (const uint64_t *)(uintptr_t)worker->lists[which].address;
    a->count = count;
    a->kept = (uint64_t *)(uintptr_t)worker->lists[which ^ 1].address;
    TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_ANSWER_RECORDS, count, 0, a, &sums, error));
    if (answer->shape == TRAWL_RECORDS_CELLS)
        return add_cells(worker, a, which ^ 1, sums[ANSWER_KEPT], error);
    if (record_matches(answer->shape))
        return add_matches(worker, a, which ^ 1, sums[ANSWER_KEPT], error);
    answer->count += sums[ANSWER_KEPT];
    return TRAWL_OK;
}

enum trawl_status cuda_records_copy_answer(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_answering *own = worker->answering;
    struct record_answer *answer = own->answer->records;
    const bool bits = answer->shape == TRAWL_RECORDS_BITS;

    for (uint32_t i = 0; i < RECORD_COLUMNS; i++) {
        const uint64_t bytes = column_bytes(answer, i, min_u64(answer->count, answer->room));
        const uint64_t to = (uint64_t)(uintptr_t)answer->columns[i];
        const uint64_t from = bits ? own->bits.address : (uint64_t)(uintptr_t)own->columns[i];

        if (to == 0 || bytes == 0)
            continue;
        if (!answer->on_device)
            TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, answer->columns[i], from,
                                (size_t)bytes, worker->stream));
        else if (bits)
            TRAWL_TRY(CUDA_CALL(worker->device, error, copy_on_device, to, from, (size_t)bytes,
                                worker->stream));
    }
    TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    answer->is_made = true;
    return TRAWL_OK;
}
