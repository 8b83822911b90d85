/* cuda_rewrite: makes new columns of strings of records and of matches in them
 *
 * Kernels choose matches, sum up how the text grows, and write the strings (kernels/rewrite.cu).
 * The host waits once for the sum, which says whether the caller's memory suffices.
 */
#include "cuda/cuda_records.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_lists.h"
#include "cuda/residents.h"

static uint64_t steps_bytes(const struct line_group *group)
{
    return (uint64_t)group->state_count * (group->columns + 1) * sizeof *group->steps;
}

/* Copies the groups' automaton to the device, to `address`. */
static enum trawl_status put_group(struct cuda_worker *worker, const struct line_group *group,
                                   uint64_t address, struct rewrite_arguments *a,
                                   struct trawl_error *error)
{
    const uint64_t bytes = steps_bytes(group);

    a->steps = (const uint32_t *)(uintptr_t)address;
    a->column_of = (const uint8_t *)(uintptr_t)(address + bytes);
    a->columns = group->columns;
    a->backwards = group->backwards;
    for (uint32_t i = 0; i < LINE_BEFORES; i++)
        a->answer.automaton.first[i] = group->first[i];
    TRAWL_TRY(cuda_worker_upload(worker, address, group->steps, bytes, error));
    return cuda_worker_upload(worker, address + bytes, group->column_of, sizeof group->column_of,
                              error);
}

/* Reserves the entries, sums, automaton and values, and copies the last two to the device. */
static enum trawl_status prepare(struct cuda_worker *worker, const struct trawl_rewrite *rewrite,
                                 const struct line_group *group, uint64_t tape_bytes,
                                 struct rewrite_arguments *a, struct trawl_error *error)
{
    struct cuda_memory *memory = &worker->answering->rewriting;
    const uint64_t words = rewrite->matches->count + 1, ends = rewrite->values_count + 1;
    const uint64_t columns = rewrite->how == TRAWL_SPLIT ? 4 : 3;
    const uint64_t table = group == NULL ? 0 : steps_bytes(group) + sizeof group->column_of;
    uint64_t bytes = ends * sizeof(uint32_t), address, max;
    enum trawl_status status;
    uint32_t *told;
    void *host;

    for (uint64_t i = 0; i < rewrite->values_count; i++)
        if (!checked_add(bytes, rewrite->values[i].bytes_count, &bytes) || bytes > UINT32_MAX)
            return TRAWL_FAIL(error, ARGUMENT, "rewrite: the values have 4 GiB or more");
    if (!checked_multiply(bytes, tape_bytes, &max)) /* a value for each byte */
        return TRAWL_FAIL(error, ARGUMENT, "rewrite: the new strings may have 2^64 bytes");
    TRAWL_TRY(cuda_worker_reserve(
        worker, memory, (columns * words + REWRITE_BLOCKS_MAX) * sizeof(uint64_t) + table + bytes,
        error));
    address = memory->address;
    a->from = (uint64_t *)(uintptr_t)address;
    a->to = a->from + words;
    a->shift = a->to + words;
    a->chosen = rewrite->how == TRAWL_SPLIT ? a->shift + words : NULL;
    a->block_sums = a->from + columns * words;
    address = (uint64_t)(uintptr_t)(a->block_sums + REWRITE_BLOCKS_MAX);
    if (group != NULL)
        TRAWL_TRY(put_group(worker, group, address, a, error));
    a->value_ends = (const uint32_t *)(uintptr_t)(address + table);
    a->values = (const uint8_t *)(a->value_ends + ends);
    a->value_count = rewrite->values_count;
    TRAWL_TRY(cuda_worker_stage(worker, bytes, &host, error));
    told = (uint32_t *)host;
    told[0] = 0;
    for (uint64_t i = 0; i < rewrite->values_count; i++) {
        const struct trawl_value value = rewrite->values[i];

        if (value.bytes_count > 0)
            memcpy((uint8_t *)(told + ends) + told[i], value.bytes, (size_t)value.bytes_count);
        told[i + 1] = told[i] + (uint32_t)value.bytes_count;
    }
    status = cuda_worker_upload(worker, (uint64_t)(uintptr_t)a->value_ends, host, bytes, error);
    cuda_worker_unstage(worker, host, bytes);
    return status;
}

/* Sums up `column` over the matches, and makes entries of it. */
static enum trawl_status scan(struct cuda_worker *worker, struct rewrite_arguments *a,
                              uint64_t *column, uint64_t *sum, struct trawl_error *error)
{
    const uint64_t threads = a->answer.count;
    const uint64_t *sums;

    a->scanned = column;
    a->writes = 0;
    TRAWL_TRY(cuda_lists_run(worker, CUDA_KERNEL_REWRITE_SCAN, threads, REWRITE_BLOCKS_MAX,
                             &a->answer, &sums, error));
    *sum = sums[ANSWER_KEPT];
    a->writes = 1;
    return cuda_lists_launch(worker, CUDA_KERNEL_REWRITE_SCAN, threads, REWRITE_BLOCKS_MAX, a,
                             error);
}

static enum trawl_status rewrite_there(struct cuda_worker *worker,
                                       const struct engine_records *held, const uint8_t *tape,
                                       const struct line_group *group,
                                       struct trawl_rewrite *rewrite, struct trawl_error *error)
{
    const struct trawl_answer *matches = rewrite->matches;
    struct rewrite_arguments a = {.how = (uint32_t)rewrite->how,
                                  .longest = rewrite->flags == TRAWL_SPANS,
                                  .offset_bytes = rewrite->offset_bytes,
                                  .lists = rewrite->lists,
                                  .valid = (uint32_t *)rewrite->validity,
                                  .bytes = (uint8_t *)rewrite->bytes};
    const bool is_group = rewrite->how == TRAWL_GROUP;
    uint64_t grown = 0, chosen = 0;
    struct cuda_place place;
    struct records records;

    cuda_records_describe(held, &a.answer);
    records = cuda_records_of(held);
    if (records.tape_bytes > 0) {
        if (!cuda_worker_resident(worker, tape, records.tape_bytes, 0, &place))
            return TRAWL_FAIL(error, UNSUPPORTED, "the records are not loaded on %s",
                              worker->device->name);
        a.answer.text = (const uint8_t *)(uintptr_t)(place.address + place.at);
    }
    a.answer.count = matches->count;
    a.answer.cell_bytes = matches->cell_bytes;
    a.answer.cell_records = matches->values;
    a.answer.cell_begins = matches->begins;
    a.answer.cell_ends = matches->ends;
    a.answer.cell_patterns = matches->patterns;
    a.answer.into = rewrite->offsets;
    TRAWL_TRY(cuda_lists_sums(worker, error));
    TRAWL_TRY(prepare(worker, rewrite, group, records.tape_bytes, &a, error));
    if (matches->count > 0) {
        TRAWL_TRY(cuda_lists_launch(
            worker, is_group ? CUDA_KERNEL_REWRITE_GROUPS : CUDA_KERNEL_REWRITE_SELECT,
            records.count, 0, &a, error));
        TRAWL_TRY(scan(worker, &a, a.shift, &grown, error));
        if (a.chosen != NULL)
            TRAWL_TRY(scan(worker, &a, a.chosen, &chosen, error));
    } else if (a.chosen != NULL) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, fill, (uint64_t)(uintptr_t)a.chosen, 0,
                            sizeof(uint64_t), worker->stream));
    } else if (is_group) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, fill, (uint64_t)(uintptr_t)a.valid, 0,
                            (size_t)((records.count + 31) / 32 * sizeof(uint32_t)),
                            worker->stream));
    }
    rewrite->count = a.total = (is_group ? 0 : records.tape_bytes) + grown;
    rewrite->strings = records.count + chosen;
    if (a.total > rewrite->room)
        return TRAWL_FAIL(error, LIMIT, "rewrite: room for %" PRIu64 " of %" PRIu64 " bytes",
                          rewrite->room, a.total);
    if (rewrite->offset_bytes == 4 &&
        (a.total > INT32_MAX || (a.chosen != NULL && rewrite->strings > INT32_MAX)))
        return TRAWL_FAIL(error, LIMIT,
                          "rewrite: offsets of 4 bytes cannot number %" PRIu64
                          " strings of %" PRIu64 " bytes",
                          rewrite->strings, a.total);
    TRAWL_TRY(cuda_lists_launch(worker, CUDA_KERNEL_REWRITE_ENDS, records.count + 1, 0, &a, error));
    if (a.total > 0)
        TRAWL_TRY(cuda_lists_launch(worker, CUDA_KERNEL_REWRITE_GATHER,
                                    (a.total + REWRITE_TILE - 1) / REWRITE_TILE * LISTS_THREADS, 0,
                                    &a, error));
    return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
}

enum trawl_status cuda_records_rewrite(struct engine *opaque, const struct engine_records *held,
                                       const uint8_t *tape, const struct line_group *group,
                                       struct trawl_rewrite *rewrite, struct trawl_error *error)
{
    struct cuda_engine *engine = cuda_engine_of(opaque);
    struct cuda_worker *worker;
    enum trawl_status status;

    TRAWL_TRY(cuda_worker_lend(engine, cuda_records_device(held), &worker, error));
    status = rewrite_there(worker, held, tape, group, rewrite, error);
    if (status != TRAWL_OK)
        cuda_worker_failed(worker);
    cuda_worker_return(worker, status == TRAWL_OK || status == TRAWL_LIMIT);
    return status;
}
