/* open: opens and closes the driver, the devices, and the workers that threads have on devices. */
#include "cuda/open.h"

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/cuda_worker.h"

static enum trawl_status find_devices(struct cuda_engine *engine, struct trawl_error *error)
{
    int count = 0, code = engine->driver.init(0);

    if (code == CUDA_CODE_NO_DEVICE)
        return TRAWL_FAIL(error, ENGINE, "the NVIDIA driver finds no device");
    TRAWL_TRY(cuda_check(&engine->driver, code, cuda_symbols.init, NULL, error));
    TRAWL_TRY(cuda_check(&engine->driver, engine->driver.device_count(&count),
                         cuda_symbols.device_count, NULL, error));
    if (count < 1)
        return TRAWL_FAIL(error, ENGINE, "the NVIDIA driver finds no device");
    engine->device_count = (uint32_t)min_u64((uint64_t)count, CUDA_DEVICES_MAX);
    return TRAWL_OK;
}

enum trawl_status cuda_engine_want(struct cuda_engine *engine, uint32_t index,
                                   struct trawl_error *error)
{
    if (engine->device_is_open[index])
        return TRAWL_OK;
    TRAWL_TRY(cuda_device_open(&engine->devices[index], &engine->driver, (int)index,
                               engine->memory_max, error));
    engine->device_is_open[index] = true;
    return TRAWL_OK;
}

void cuda_engine_close(struct cuda_engine *engine)
{
    for (uint32_t i = 0; i < engine->device_count; i++) {
        if (engine->idle[i] != NULL)
            cuda_worker_close(engine->idle[i]);
        if (engine->device_is_open[i])
            cuda_device_close(&engine->devices[i]);
    }
    cuda_driver_close(&engine->driver);
    (void)pthread_mutex_destroy(&engine->load_lock);
    (void)pthread_mutex_destroy(&engine->lock);
    memory_release(engine, 1, sizeof *engine);
}

enum trawl_status cuda_engine_open(const struct engine_options *options, struct engine **engine_out,
                                   struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    const void *bytes;
    struct cuda_engine *engine;

    TRAWL_TRY(MEMORY_ZEROED(engine, 1, error));
    engine->memory_max = options->device_memory_bytes;
    (void)pthread_mutex_init(&engine->load_lock, NULL);
    (void)pthread_mutex_init(&engine->lock, NULL);
    TRAWL_TRY_DONE(cuda_driver_open(&engine->driver, error));
    if (!engine->driver.simulated)
        TRAWL_TRY_DONE(cuda_image_find(&cuda_image_scan, &bytes, error));
    TRAWL_TRY_DONE(find_devices(engine, error));
    TRAWL_TRY_DONE(cuda_engine_want(engine, 0, error));
    *engine_out = (struct engine *)engine;
    engine = NULL;
done:
    if (engine != NULL)
        cuda_engine_close(engine);
    return status;
}

/* ---- Workers ------------------------------------------------------------------------------ */

void cuda_worker_close(struct cuda_worker *worker)
{
    if (worker->device != NULL && cuda_device_enter(worker->device, NULL) == TRAWL_OK) {
        cuda_worker_end(worker);
        cuda_device_leave(worker->device);
    }
    for (uint32_t i = 0; worker->parts != NULL && i < PLAN_PARTS_MAX; i++)
        hits_release(&worker->parts->part[i].found.hits);
    memory_release(worker->parts, 1, sizeof *worker->parts);
    memory_release(worker->answering, 1, sizeof *worker->answering);
    memory_release(worker, 1, sizeof *worker);
}

static enum trawl_status worker_open_on(struct cuda_engine *engine, uint32_t index,
                                        struct cuda_worker **worker_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct cuda_worker *worker;

    TRAWL_TRY(MEMORY_ZEROED(worker, 1, error));
    worker->engine = engine;
    worker->limits = cuda_limits_now();
    worker->device = &engine->devices[index];
    worker->device_index = index;
    worker->tables = &worker->whole;
    TRAWL_ASSERT(index < engine->device_count && engine->device_is_open[index]);
    TRAWL_TRY_DONE(cuda_device_enter(worker->device, error));
    status = cuda_worker_start(worker, error);
    cuda_device_leave(worker->device);
    if (status != TRAWL_OK)
        goto done;
    *worker_out = worker;
    worker = NULL;
done:
    if (worker != NULL)
        cuda_worker_close(worker);
    return status;
}

enum trawl_status cuda_worker_open(struct cuda_engine *engine, uint32_t index,
                                   struct cuda_worker **worker, struct trawl_error *error)
{
    const bool is_any = index == ENGINE_DEVICES_MAX;
    enum trawl_status status;

    (void)pthread_mutex_lock(&engine->lock);
    if (is_any)
        index = engine->workers_opened++ % engine->device_count;
    status = cuda_engine_want(engine, index, is_any ? NULL : error);
    if (is_any && status != TRAWL_OK)
        index = 0; /* which is open */
    (void)pthread_mutex_unlock(&engine->lock);
    return status != TRAWL_OK && !is_any ? status : worker_open_on(engine, index, worker, error);
}

enum trawl_status cuda_worker_lend(struct cuda_engine *engine, uint32_t index,
                                   struct cuda_worker **worker, struct trawl_error *error)
{
    enum trawl_status status;

    (void)pthread_mutex_lock(&engine->lock);
    *worker = engine->idle[index];
    engine->idle[index] = NULL;
    (void)pthread_mutex_unlock(&engine->lock);
    if (*worker == NULL)
        TRAWL_TRY(cuda_worker_open(engine, index, worker, error));
    (*worker)->limits = cuda_limits_now();
    status = cuda_device_enter((*worker)->device, error);
    if (status != TRAWL_OK)
        cuda_worker_close(*worker);
    return status;
}

void cuda_worker_return(struct cuda_worker *worker, bool works)
{
    struct cuda_engine *engine = worker->engine;
    struct cuda_worker **idle = &engine->idle[worker->device_index];

    cuda_device_leave(worker->device);
    (void)pthread_mutex_lock(&engine->lock);
    if (works && *idle == NULL) {
        *idle = worker;
        worker = NULL;
    }
    (void)pthread_mutex_unlock(&engine->lock);
    if (worker != NULL)
        cuda_worker_close(worker);
}
