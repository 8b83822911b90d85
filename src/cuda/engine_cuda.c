/* engine_cuda: the engine's table for NVIDIA GPUs, whose functions enter and leave the device. */
#include "cuda/engine_cuda.h"

#include "base/checked.h"
#include "cuda/begins.h"
#include "cuda/chunk.h"
#include "cuda/counts.h"
#include "cuda/open.h"
#include "cuda/residents.h"
#include "cuda/scan.h"
#include "cuda/tables.h"

#define WORKERS_PER_DEVICE 3u

static void cuda_close(struct engine *engine)
{
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX; i++)
        if (engine->residents[i].bytes != NULL)
            engine_cuda_unload(engine, engine->residents[i].text);
    cuda_engine_close(engine);
}

static void cuda_properties(struct engine *engine, struct engine_properties *properties)
{
    properties->name = "cuda";
    properties->instruction_set = "";
    properties->device_count = engine->device_count;
    properties->workers_per_device = WORKERS_PER_DEVICE;
}

/* ---- Workers ------------------------------------------------------------------------------ */

/* For all devices, by one's context. */
static bool cuda_pin(struct engine *engine, uint32_t index, const void *bytes, uint64_t count)
{
    struct cuda_device *device = &engine->devices[index];
    void *memory = (void *)(uintptr_t)bytes;
    enum trawl_status status;
    bool pinned;

    (void)pthread_mutex_lock(&engine->lock);
    status = cuda_engine_want(engine, index, NULL);
    (void)pthread_mutex_unlock(&engine->lock);
    if (status != TRAWL_OK || cuda_device_enter(device, NULL) != TRAWL_OK)
        return false;
    /* Memory that may not be written has to be registered as such, on systems that look. */
    pinned = engine->driver.host_register(memory, (size_t)count, CUDA_HOST_REGISTER_MAPPED) ==
                 CUDA_CODE_OK ||
             engine->driver.host_register(memory, (size_t)count,
                                          CUDA_HOST_REGISTER_MAPPED |
                                              CUDA_HOST_REGISTER_READ_ONLY) == CUDA_CODE_OK;
    cuda_device_leave(device);
    return pinned;
}

static bool cuda_unpin(struct engine *engine, uint32_t index, const void *bytes)
{
    struct cuda_device *device = &engine->devices[index];
    bool is_open, done;

    (void)pthread_mutex_lock(&engine->lock);
    is_open = engine->device_is_open[index];
    (void)pthread_mutex_unlock(&engine->lock);
    if (!is_open || cuda_device_enter(device, NULL) != TRAWL_OK)
        return false;
    done = engine->driver.host_unregister((void *)(uintptr_t)bytes) == CUDA_CODE_OK;
    cuda_device_leave(device);
    return done;
}

/* The tables go over with the first scan: a thread may get no chunk of this search. Where they are
 * those of the last search they are there. */
static enum trawl_status cuda_worker_begin(struct engine_worker *worker,
                                           const struct trawl_plan *plan, struct trawl_error *error)
{
    cuda_worker_take(worker, plan);
    return plan->literal_count == 0 ? TRAWL_OK : cuda_tables_check(plan, error);
}

/* ---- Scan ------------------------------------------------------------------------------- */

/* By the plan's method; its tables go over before the first range. */
static enum trawl_status search_range(struct engine_worker *worker, void *context,
                                      const struct cuda_range *range, enum scan_want want,
                                      uint64_t hits_base, struct engine_result *result,
                                      uint64_t *done, struct trawl_error *error)
{
    (void)context;
    return cuda_scan_range(worker, range, want, hits_base, result, done, error);
}

static enum trawl_status prepare_tables(struct engine_worker *worker, enum scan_want want,
                                        struct cuda_way *way, struct trawl_error *error)
{
    if (!worker->tables.ready)
        TRAWL_TRY(cuda_tables_build(worker, error));
    way->range_bytes_max = cuda_launch_begins_max(worker, want);
    return TRAWL_OK;
}

static enum trawl_status cuda_scan(struct engine_worker *worker, const struct engine_chunk *chunk,
                                   uint64_t from, enum engine_want want,
                                   struct engine_result *result, struct trawl_error *error)
{
    struct cuda_way way = {.text_bytes_max = UINT64_MAX,
                           .range_bytes_max = CUDA_RANGE_BYTES_MAX,
                           .prepare = prepare_tables,
                           .search = search_range};

    return cuda_scan_chunk(worker, chunk, from, want, &way, result, error);
}

static bool begin_count(struct engine_worker *worker, const struct engine_chunk *chunk)
{
    bool begun;

    if (cuda_device_enter(worker->device, NULL) != TRAWL_OK)
        return false;
    begun = cuda_count_begin(worker, chunk);
    cuda_device_leave(worker->device);
    return begun;
}

/* The end of what was begun, whether the device can be entered or not. */
static bool end_count(struct engine_worker *worker, uint64_t *count, uint64_t *candidate_count)
{
    bool entered = cuda_device_enter(worker->device, NULL) == TRAWL_OK;
    bool counted = cuda_count_end(worker, count, candidate_count);

    if (entered)
        cuda_device_leave(worker->device);
    return counted;
}

/* Texts are loaded on the first device, and there the array has to be; for a text of the caller's
 * it has to be on the same device as the text. */
static bool is_array_there(const struct engine_worker *worker, const struct engine_begins *begins)
{
    int ordinal = 0;
    bool fetched;

    if (begins->host != NULL || worker->device_index == 0)
        return true;
    return cuda_residents_lent(worker->engine, begins->bytes, &fetched) &&
           (worker->device->driver->pointer_attribute(&ordinal, CUDA_POINTER_DEVICE,
                                                      begins->address) != CUDA_CODE_OK ||
            (uint32_t)ordinal == worker->device_index);
}

static enum trawl_status cuda_fill_begins(struct engine_worker *worker,
                                          struct engine_begins *begins, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    if (is_array_there(worker, begins))
        status = cuda_begins(worker, begins, error);
    else
        status = TRAWL_FAIL(error, UNSUPPORTED, "%s has the text, and another device the array",
                            worker->device->name);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        cuda_worker_failed(worker);
    cuda_device_leave(worker->device);
    return status;
}

static enum trawl_status list(struct engine_worker *worker, struct engine_list *list,
                              struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    status = cuda_list(worker, list, error);
    /* The words are to be there before another stream copies them. */
    if (status == TRAWL_OK)
        status = CUDA_CALL(worker->device, error, stream_wait, worker->stream);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        cuda_worker_failed(worker);
    cuda_device_leave(worker->device);
    return status;
}

static enum trawl_status list_bring(struct engine_worker *worker, uint64_t at, uint64_t count,
                                    uint32_t piece, uint64_t *host, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    status = cuda_list_bring(worker, at, count, piece, host, error);
    cuda_device_leave(worker->device);
    return status;
}

static bool is_pinned(const struct engine_worker *worker, const void *bytes, uint64_t count)
{
    bool pinned;

    if (cuda_device_enter(worker->device, NULL) != TRAWL_OK)
        return false;
    pinned = cuda_is_pinned(worker, bytes, count);
    cuda_device_leave(worker->device);
    return pinned;
}

static enum trawl_status list_piece(const struct engine_worker *worker, uint32_t piece,
                                    const uint64_t **words, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    status = cuda_list_piece(worker, piece, words, error);
    cuda_device_leave(worker->device);
    return status;
}

static enum trawl_status list_wait(struct engine_worker *worker, struct trawl_error *error)
{
    bool entered = cuda_device_enter(worker->device, NULL) == TRAWL_OK;
    enum trawl_status status = TRAWL_OK;

    if (worker->copies != NULL)
        status = CUDA_CALL(worker->device, error, stream_wait, worker->copies);
    if (status != TRAWL_OK)
        cuda_worker_failed(worker);
    if (entered)
        cuda_device_leave(worker->device);
    return status;
}

const struct engine_ops engine_cuda = {
    .name = "cuda",
    .open = cuda_engine_open,
    .close = cuda_close,
    .properties = cuda_properties,
    .worker_open = cuda_worker_open,
    .worker_close = cuda_worker_close,
    .worker_open_on = cuda_worker_open_on,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .worker_begin = cuda_worker_begin,
    .scan = cuda_scan,
    .load = engine_cuda_load,
    .unload = engine_cuda_unload,
    .lend = cuda_residents_lend,
    .fetch = cuda_residents_fetch,
    .locate = cuda_residents_locate,
    .count_begin = begin_count,
    .count_end = end_count,
    .begins = cuda_fill_begins,
    .list = list,
    .list_bring = list_bring,
    .is_pinned = is_pinned,
    .list_piece = list_piece,
    .list_wait = list_wait,
};
