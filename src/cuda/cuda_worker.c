/* cuda_worker: opens a worker's stream and buffers, and copies bytes to the device through staging
 * buffers. */
#include "cuda/cuda_worker.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

uint64_t cuda_worker_left(const struct cuda_worker *worker)
{
    const struct text_ranges *kept = &worker->chunk->kept;
    uint64_t left = 0;

    for (uint64_t i = 0; i < kept->count; i++)
        left += kept->items[i].end - kept->items[i].begin;
    return kept->items == NULL ? worker->chunk->owned : max_u64(left, 1);
}

uint64_t cuda_worker_room(const struct cuda_worker *worker, uint64_t bytes)
{
    uint64_t step = worker->limits.room_step_bytes;

    TRAWL_ASSERT(step > 0 && bytes <= UINT64_MAX - step);
    return (bytes + step - 1) / step * step;
}

enum trawl_status cuda_worker_reserve(const struct cuda_worker *worker, struct cuda_memory *memory,
                                      uint64_t bytes, struct trawl_error *error)
{
    return cuda_memory_reserve(worker->device, memory, cuda_worker_room(worker, bytes), error);
}

enum trawl_status cuda_worker_launch(const struct cuda_worker *worker, enum cuda_kernel kernel,
                                     uint64_t blocks, uint32_t threads, uint32_t shared_bytes,
                                     void *arguments, struct trawl_error *error)
{
    void *parameters[] = {arguments};

    TRAWL_ASSERT(blocks > 0 && blocks <= INT32_MAX && threads > 0 && threads % 32 == 0);
    return CUDA_CALL(worker->device, error, launch, worker->device->functions[kernel],
                     (unsigned)blocks, 1, 1, threads, 1, 1, shared_bytes, worker->stream,
                     parameters, NULL);
}

/* Waits for the last copy from the next staging buffer, and makes that buffer long enough for
 * `count` bytes, but at most limits.staging_bytes. */
static enum trawl_status take_staging(struct cuda_worker *worker, uint64_t count,
                                      struct trawl_error *error)
{
    uint64_t room = min_u64(worker->limits.staging_bytes, cuda_worker_room(worker, count));
    uint32_t turn = worker->staging_turn;

    TRAWL_TRY(CUDA_CALL(worker->device, error, event_wait, worker->staged[turn]));
    return cuda_pinned_reserve(worker->device, &worker->staging[turn], room, 0, error);
}

enum trawl_status cuda_worker_stage(struct cuda_worker *worker, uint64_t count, void **bytes,
                                    struct trawl_error *error)
{
    if (count > worker->limits.staging_bytes)
        return memory_allocate_table(count, 1, bytes, error);
    TRAWL_TRY(take_staging(worker, count, error));
    *bytes = worker->staging[worker->staging_turn].bytes;
    return TRAWL_OK;
}

void cuda_worker_unstage(const struct cuda_worker *worker, void *bytes, uint64_t count)
{
    if (count > worker->limits.staging_bytes)
        memory_release(bytes, count, 1);
}

/* Fills the next staging buffer with as many bytes as fit, starting at *at, and starts to copy it
 * to the device. After the last byte, appends `zeros` zeros, if they fit, too. The two buffers take
 * turns, so that one can be filled while the other is being copied. */
static enum trawl_status upload_part(struct cuda_worker *worker, uint64_t address,
                                     const uint8_t *bytes, uint64_t count, uint64_t zeros,
                                     uint64_t *at, bool *ended, struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    uint32_t turn = worker->staging_turn;
    struct cuda_pinned *staging = &worker->staging[turn];
    uint64_t part;

    TRAWL_TRY(take_staging(worker, count + zeros, error));
    TRAWL_ASSERT(*at < count && staging->count > 0);
    part = min_u64(staging->count, count - *at);
    if (staging->bytes != bytes) /* else the caller has filled it (cuda_worker_stage) */
        memcpy(staging->bytes, bytes + *at, (size_t)part);
    *ended = *at + part == count && part + zeros <= staging->count;
    if (*ended)
        memset(staging->bytes + part, 0, (size_t)zeros);
    TRAWL_TRY(CUDA_CALL(device, error, copy_to_device, address + *at, staging->bytes,
                        (size_t)(*ended ? part + zeros : part), worker->stream));
    TRAWL_TRY(CUDA_CALL(device, error, event_record, worker->staged[turn], worker->stream));
    worker->staging_turn = turn ^ 1;
    *at += part;
    return TRAWL_OK;
}

static enum trawl_status upload(struct cuda_worker *worker, uint64_t address, const void *bytes,
                                uint64_t count, uint64_t zeros, struct trawl_error *error)
{
    bool ended = false;

    for (uint64_t at = 0; at < count;)
        TRAWL_TRY(
            upload_part(worker, address, (const uint8_t *)bytes, count, zeros, &at, &ended, error));
    if (ended || zeros == 0)
        return TRAWL_OK;
    return CUDA_CALL(worker->device, error, fill, address + count, 0, (size_t)zeros,
                     worker->stream);
}

enum trawl_status cuda_worker_upload(struct cuda_worker *worker, uint64_t address,
                                     const void *bytes, uint64_t count, struct trawl_error *error)
{
    return upload(worker, address, bytes, count, 0, error);
}

enum trawl_status cuda_worker_upload_text(struct cuda_worker *worker, uint64_t address,
                                          const void *bytes, uint64_t count,
                                          struct trawl_error *error)
{
    return upload(worker, address, bytes, count, SCAN_PADDING_BYTES, error);
}

enum trawl_status cuda_worker_start(struct cuda_worker *worker, struct trawl_error *error)
{
    TRAWL_TRY(
        CUDA_CALL(worker->device, error, stream_create, &worker->stream, CUDA_STREAM_NON_BLOCKING));
    for (uint32_t i = 0; i < 2; i++)
        TRAWL_TRY(CUDA_CALL(worker->device, error, event_create, &worker->staged[i],
                            CUDA_EVENT_NO_TIMING));
    TRAWL_TRY(CUDA_CALL(worker->device, error, event_create, &worker->done,
                        CUDA_EVENT_NO_TIMING | CUDA_EVENT_BLOCKING));
    return TRAWL_OK;
}

/* Frees the device memory of a plan's tables. Ignores errors, which no caller could handle. */
static void tables_release(struct cuda_device *device, struct cuda_tables *tables)
{
    cuda_memory_release(device, &tables->memory);
    cuda_memory_release(device, &tables->sets_memory);
    cuda_memory_release(device, &tables->entries_memory);
    cuda_memory_release(device, &tables->automaton_memory);
    tables->ready = false;
}

void cuda_worker_parts_release(struct cuda_worker *worker)
{
    for (uint32_t i = 0; worker->parts != NULL && i < PLAN_PARTS_MAX; i++)
        tables_release(worker->device, &worker->parts->part[i].tables);
}

/* Frees the device memory for answers. */
static void answering_release(struct cuda_device *device, struct cuda_answering *own)
{
    cuda_memory_release(device, &own->sums);
    cuda_memory_release(device, &own->gaps);
    cuda_memory_release(device, &own->vast);
    cuda_memory_release(device, &own->counts);
    cuda_memory_release(device, &own->literals);
    cuda_memory_release(device, &own->automaton);
    cuda_memory_release(device, &own->anchors);
    cuda_memory_release(device, &own->bits);
    cuda_memory_release(device, &own->values);
    cuda_memory_release(device, &own->block_counts);
    cuda_memory_release(device, &own->rewriting);
    cuda_pinned_release(device, &own->told);
    cuda_pinned_release(device, &own->by_pattern);
}

/* Frees what the worker has on the device. The worker may be half-started. */
void cuda_worker_end(struct cuda_worker *worker)
{
    struct cuda_device *device = worker->device;

    if (worker->stream != NULL)
        (void)device->driver->stream_wait(worker->stream);
    for (uint32_t i = 0; i < 2; i++) {
        if (worker->staged[i] != NULL)
            (void)device->driver->event_destroy(worker->staged[i]);
        cuda_pinned_release(device, &worker->staging[i]);
    }
    if (worker->done != NULL)
        (void)device->driver->event_destroy(worker->done);
    cuda_pinned_release(device, &worker->landing);
    cuda_pinned_release(device, &worker->answers);
    cuda_pinned_release(device, &worker->gathered.pieces);
    cuda_pinned_release(device, &worker->asked);
    tables_release(device, worker->tables);
    cuda_worker_parts_release(worker);
    cuda_memory_release(device, &worker->text);
    cuda_memory_release(device, &worker->sums);
    cuda_memory_release(device, &worker->offsets);
    cuda_memory_release(device, &worker->hits);
    cuda_memory_release(device, &worker->list);
    cuda_memory_release(device, &worker->lists[0]);
    cuda_memory_release(device, &worker->lists[1]);
    cuda_memory_release(device, &worker->digits);
    cuda_memory_release(device, &worker->bins);
    cuda_memory_release(device, &worker->bin_counts);
    cuda_memory_release(device, &worker->steps);
    if (worker->answering != NULL)
        answering_release(device, worker->answering);
    if (worker->stream != NULL)
        (void)device->driver->stream_destroy(worker->stream);
    worker->stream = NULL;
}

void cuda_worker_set_plan(struct cuda_worker *worker, const struct trawl_plan *plan)
{
    TRAWL_ASSERT(plan->length_min <= plan->length_max || plan->literal_count == 0);
    worker->plan = plan;
    worker->tables->ready = worker->tables->ready && worker->tables->plan_serial == plan->serial;
    worker->held.bytes = NULL;
    worker->tables->reach_bytes = UINT64_MAX;
    worker->chunks_left = 0;
}

void cuda_worker_failed(struct cuda_worker *worker)
{
    (void)worker->device->driver->stream_wait(worker->stream);
    worker->held.bytes = NULL;
    worker->tables->ready = false;
    for (uint32_t i = 0; worker->parts != NULL && i < PLAN_PARTS_MAX; i++)
        worker->parts->part[i].tables.ready = false;
    worker->sums_ready = false;
}

enum trawl_status cuda_wait_copies(struct cuda_worker *worker, uint64_t begin_ns,
                                   struct engine_result *result, struct trawl_error *error)
{
    TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    result->work.copy_ns += cuda_clock_ns() - begin_ns;
    return TRAWL_OK;
}
