/* worker: a stream and its two staging buffers. */
#include "cuda/worker.h"

#include <string.h>

#include "base/checked.h"

const struct cuda_limits cuda_limits_default = {
    .text_bytes_max = 256u << 20,
    .sampled_hits_stride_min = 128, /* scan_sampled at 64: 0.7 of the read speed [H200] */
    .resident_room_left = 1ull << 30,
    .split_bytes_min = 1ull << 30,
    .stripe_bytes = 8ull << 30,
    .split_overlap = 1u << 20,
    .launch_begins_max = UINT64_MAX,
    .staging_bytes = 4u << 20,
    .room_step_bytes = 64u << 10,
    .hits_room_min = 1u << 16,
    .hits_max = ENGINE_HITS_MAX,
    .begins_room = 8u << 20,
    .begins_aligned = 1u << 16,
    .begins_piece = 1u << 16,
    .begins_piece_most = 1u << 18,
    .threads = SCAN_THREADS_MAX,
    .tile_words_max = SCAN_TILE_WORDS_MAX,
    .blocks_max = 0,
    .partition_group_log2 = SCAN_PARTITION_GROUP_LOG2_MAX,
    .group_samples_max = 2048,
    .dense_always = false,
    .planes = true,
    .plane_steps_max = 512,
    .streams = true,
    .sets = true,
    .sets_way = CUDA_SETS_WAYS,
    .sets_stride = 0,
    .sets_gram = 0,
    .sets_choices = 0,
    .sets_bits = 0,
    .sets_filter_words = 0,
    .sets_filter_words_max = 1u << 20,
    .sets_table_words_max = UINT32_MAX,
    .sets_entries_max = 1u << 28,
    .sets_counted_min = 1u << 17,
    .automaton = true,
    .automaton_always = false,
    .automaton_words_max = 1ull << 28,
    .listed_min = 16,
    .kernels_timed = false,
};

static const struct cuda_limits *limits_replaced;
static struct cuda_limits limits_copy;

void cuda_limits_replace(const struct cuda_limits *limits)
{
    if (limits != NULL)
        limits_copy = *limits;
    limits_replaced = limits == NULL ? NULL : &limits_copy;
}

struct cuda_limits cuda_limits_now(void)
{
    return limits_replaced == NULL ? cuda_limits_default : *limits_replaced;
}

uint64_t cuda_worker_room(const struct engine_worker *worker, uint64_t bytes)
{
    uint64_t step = worker->limits.room_step_bytes;

    return (bytes + step - 1) / step * step;
}

/* Fill the next buffer with the bytes from `at` on, as many as fit, and zeros after the last where
 * those fit too; copy it. Buffers are filled in turn from call to call, so that filling never waits
 * for the copy that was started last. */
static enum trawl_status upload_part(struct engine_worker *worker, uint64_t address,
                                     const uint8_t *bytes, uint64_t count, uint64_t zeros,
                                     uint64_t *at, bool *ended, struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    uint32_t turn = worker->staging_turn;
    struct cuda_pinned *staging = &worker->staging[turn];
    uint64_t room = min_u64(worker->limits.staging_bytes, cuda_worker_room(worker, count + zeros));
    uint64_t part;

    /* The buffer's last copy, of this call or of one before, has left it. */
    TRAWL_TRY(CUDA_CALL(device, error, event_wait, worker->staged[turn]));
    TRAWL_TRY(cuda_pinned_reserve(device, staging, room, error));
    part = min_u64(staging->count, count - *at);
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

static enum trawl_status upload(struct engine_worker *worker, uint64_t address, const void *bytes,
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

enum trawl_status cuda_worker_upload(struct engine_worker *worker, uint64_t address,
                                     const void *bytes, uint64_t count, struct trawl_error *error)
{
    return upload(worker, address, bytes, count, 0, error);
}

enum trawl_status cuda_worker_upload_text(struct engine_worker *worker, uint64_t address,
                                          const void *bytes, uint64_t count,
                                          struct trawl_error *error)
{
    return upload(worker, address, bytes, count, SCAN_PADDING_BYTES, error);
}

enum trawl_status cuda_worker_start(struct engine_worker *worker, struct trawl_error *error)
{
    TRAWL_TRY(
        CUDA_CALL(worker->device, error, stream_create, &worker->stream, CUDA_STREAM_NON_BLOCKING));
    for (uint32_t i = 0; i < 2; i++)
        TRAWL_TRY(CUDA_CALL(worker->device, error, event_create, &worker->staged[i],
                            CUDA_EVENT_NO_TIMING));
    for (uint32_t i = 0; i < 2 && worker->limits.kernels_timed; i++)
        TRAWL_TRY(CUDA_CALL(worker->device, error, event_create, &worker->timed[i], 0));
    TRAWL_TRY(CUDA_CALL(worker->device, error, event_create, &worker->done,
                        CUDA_EVENT_NO_TIMING | CUDA_EVENT_BLOCKING));
    return TRAWL_OK;
}

/* Accepts a half-started worker. What fails here has failed before: there is no caller to report
 * to.
 */
void cuda_worker_end(struct engine_worker *worker)
{
    struct cuda_device *device = worker->device;

    if (worker->stream != NULL)
        (void)device->driver->stream_wait(worker->stream);
    for (uint32_t i = 0; i < 2; i++) {
        if (worker->staged[i] != NULL)
            (void)device->driver->event_destroy(worker->staged[i]);
        if (worker->timed[i] != NULL)
            (void)device->driver->event_destroy(worker->timed[i]);
        cuda_pinned_release(device, &worker->staging[i]);
    }
    if (worker->done != NULL)
        (void)device->driver->event_destroy(worker->done);
    cuda_pinned_release(device, &worker->landing);
    cuda_pinned_release(device, &worker->answers);
    cuda_begins_end(worker);
    cuda_counts_end(worker);
    cuda_memory_release(device, &worker->tables.memory);
    cuda_memory_release(device, &worker->tables.sets_memory);
    cuda_memory_release(device, &worker->tables.entries_memory);
    cuda_memory_release(device, &worker->tables.automaton_memory);
    cuda_memory_release(device, &worker->marks);
    cuda_memory_release(device, &worker->text);
    cuda_memory_release(device, &worker->sums);
    cuda_memory_release(device, &worker->result);
    cuda_memory_release(device, &worker->offsets);
    cuda_memory_release(device, &worker->hits);
    if (worker->stream != NULL)
        (void)device->driver->stream_destroy(worker->stream);
    worker->stream = NULL;
}
