/* device_worker: opens and closes a thread's struct gallery_device, and runs its scans. */
#include "gallery/device_worker.h"

#include "base/memory.h"
#include "cuda/engine_cuda.h"

const struct gallery_limits gallery_limits_default = {
    .part_bytes = 256u << 10,
    .record_bytes = 64u << 10,
    .shift_begins = 512,
    .child_threads_max = 1024,
    .child_grids_max = 0,
    .child_begins_min = 1u << 20,
    .trie_states_max = 1u << 20,
};

static const struct gallery_limits *limits_replaced;
static struct gallery_limits limits_copy;

void gallery_limits_replace(const struct gallery_limits *limits)
{
    if (limits != NULL)
        limits_copy = *limits;
    limits_replaced = limits == NULL ? NULL : &limits_copy;
}

enum trawl_status gallery_device_open(struct engine *cuda, struct gallery_device **device,
                                      struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct engine_worker *worker = NULL;
    struct gallery_device *own;

    TRAWL_TRY(MEMORY_ZEROED(own, 1, error));
    own->limits = limits_replaced == NULL ? gallery_limits_default : *limits_replaced;
    status = engine_cuda.compile(cuda, ENGINE_DEVICES_MAX, NULL, &worker, error);
    own->worker = cuda_worker_of(worker);
    if (status == TRAWL_OK)
        *device = own;
    else
        memory_release(own, 1, sizeof *own);
    return status;
}

/* Frees the worker's memory and events on the device, whose context is current. */
static void release(struct gallery_device *own)
{
    struct cuda_device *device = own->worker->device;

    (void)device->driver->stream_wait(own->worker->stream);
    cuda_memory_release(device, &own->tables);
    cuda_memory_release(device, &own->folded);
    cuda_memory_release(device, &own->flags);
    cuda_memory_release(device, &own->result);
    cuda_memory_release(device, &own->offsets);
    if (own->begin != NULL)
        (void)device->driver->event_destroy(own->begin);
    if (own->shifted != NULL)
        (void)device->driver->event_destroy(own->shifted);
    if (own->end != NULL)
        (void)device->driver->event_destroy(own->end);
    gallery_records_end(own);
}

void gallery_device_close(struct gallery_device *own)
{
    if (cuda_device_enter(own->worker->device, NULL) == TRAWL_OK) {
        release(own);
        cuda_device_leave(own->worker->device);
    }
    gallery_records_free(own);
    engine_cuda.release((struct engine_worker *)own->worker);
    memory_release(own, 1, sizeof *own);
}

enum trawl_status gallery_device_begin(struct gallery_device *own, const struct trawl_plan *plan,
                                       struct trawl_error *error)
{
    own->plan = plan;
    own->choice = gallery_choice_of(plan);
    own->ready = false;
    own->child_begins = UINT64_MAX;
    cuda_worker_set_plan(own->worker, plan);
    if (plan->algorithm.for_records)
        return gallery_records_begin(own, error);
    return gallery_device_check(own, error);
}

enum trawl_status gallery_device_scan(struct gallery_device *own, const struct engine_chunk *chunk,
                                      uint64_t from, enum want want, struct engine_result *result,
                                      struct trawl_error *error)
{
    bool in_parts = own->choice.algorithm == GALLERY_WORD_CHUNKED;
    struct cuda_steps steps = {.text_bytes_max = in_parts ? own->limits.part_bytes : UINT64_MAX,
                               .range_bytes_max = CUDA_RANGE_BYTES_MAX,
                               .copies_timed = true,
                               .search = gallery_device_range,
                               .context = own};
    enum trawl_status status =
        cuda_scan_chunk(own->worker, chunk, from, want, &steps, result, error);

    own->ready &= status == TRAWL_OK;
    return status;
}
