/* workers: prepares a worker's engine workers (the state that engines keep for one thread) for a
 * job. Called in the worker's own thread, or in the thread that closes the searcher. */
#include "runtime/workers.h"

#include "runtime/buffers.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/runtime.h"

bool worker_takes_part(struct worker *worker, struct job *job)
{
    if (worker->part_job == job->number)
        return false;
    worker->part_job = job->number;
    JOB_ADD(job, &job->took_part, 1);
    return true;
}

bool worker_is_stranded(const struct worker *worker)
{
    const struct devices *devices = &worker->runtime->devices;

    return worker->device_index < ENGINE_DEVICES_MAX &&
           atomic_load(&devices->lost[worker->device_index]) && devices_work(devices);
}

/* Releases the layers of the kinds that are apart, or the others. */
static void layers_release(struct worker *worker, bool on_device, bool are_apart)
{
    for (uint32_t i = 0; i < PLAN_KINDS; i++) {
        if (worker->layers[i][on_device] == NULL || engine_kinds[i].is_apart != are_apart)
            continue;
        engine_kinds[i].layer->release(worker->layers[i][on_device]);
        worker->layers[i][on_device] = NULL;
    }
    worker->layer_job[on_device] = 0;
}

void worker_go_to(struct worker *worker, uint32_t device)
{
    if (worker->device_index == device)
        return;
    layers_release(worker, true, false);
    worker->has_moved = true; /* a search of records may hold a layer that is apart */
    if (worker->device != NULL)
        engine_for_devices->release(worker->device);
    worker->device = NULL;
    worker->device_job = 0;
    worker->device_index = device;
}

void worker_change_device(struct worker *worker)
{
    worker_go_to(worker, devices_choose(&worker->runtime->devices));
}

/* Returns the worker's engine worker for the job's layer, on a device or on the host. If the kind
 * is_apart, sets *on_device by the runtime's engine. */
static struct engine_worker **layer_worker(struct worker *worker, const struct job *job,
                                           bool *on_device)
{
    if (job->kind->is_apart)
        *on_device = worker->runtime->engine == TRAWL_ENGINE_CUDA;
    return &worker->layers[job->kind - engine_kinds][*on_device];
}

static enum trawl_status layer_ready(struct worker *worker, struct job *job, bool on_device,
                                     struct trawl_error *error)
{
    const struct trawl_runtime *runtime = worker->runtime;
    const bool is_apart = job->kind->is_apart;
    struct engine_worker **engine_worker;

    if (on_device && !is_apart &&
        (worker->device_index == ENGINE_DEVICES_MAX || worker_is_stranded(worker)))
        worker_change_device(worker);
    engine_worker = layer_worker(worker, job, &on_device);
    if (worker->layer_job[on_device] == job->number)
        return TRAWL_OK;
    if (is_apart && worker->has_moved) {
        layers_release(worker, true, true);
        worker->has_moved = false;
    }
    worker->layer_job[on_device] = 0;
    TRAWL_TRY(job->kind->layer->compile(on_device ? runtime->devices.engine : runtime->host,
                                        !on_device ? ENGINE_HOST
                                        : is_apart ? ENGINE_DEVICES_MAX
                                                   : worker->device_index,
                                        job->plan, engine_worker, error));
    worker->layer_job[on_device] = job->number;
    return TRAWL_OK;
}

const struct engine_ops *worker_engine(struct worker *worker, const struct job *job, bool on_device,
                                       struct engine_worker **engine_worker)
{
    if (job->kind->layer != NULL) {
        *engine_worker = *layer_worker(worker, job, &on_device);
        return job->kind->layer;
    }
    *engine_worker = on_device ? worker->device : worker->host;
    return on_device ? engine_for_devices : engine_for_host;
}

enum trawl_status worker_host_ready(struct worker *worker, struct job *job,
                                    struct trawl_error *error)
{
    if (job->kind->layer != NULL)
        return layer_ready(worker, job, false, error);
    if (worker->host_job == job->number ||
        (job->is_brief && worker->host_serial == job->plan->serial))
        return TRAWL_OK;
    worker->host_job = worker->host_serial = 0;
    TRAWL_TRY(engine_for_host->compile(worker->runtime->host, 0, job->plan, &worker->host, error));
    worker->host_job = job->number;
    worker->host_serial = job->is_brief ? job->plan->serial : 0;
    return TRAWL_OK;
}

void worker_follow(struct worker *worker, const struct trawl_text *text)
{
    struct devices *devices = &worker->runtime->devices;
    struct engine_text found;

    if (devices_are_ready(devices) && text->device_address != 0 &&
        devices_locate(devices, NULL, text->bytes, text->bytes_count, &found))
        worker_go_to(worker, found.device);
}

/* Opens an engine worker on the worker's device. If that fails with DEVICE, marks the device as
 * lost, and tries the next one. */
static enum trawl_status device_worker_want(struct worker *worker, struct trawl_error *error)
{
    struct devices *devices = &worker->runtime->devices;
    struct trawl_error own;
    enum trawl_status status = TRAWL_OK;

    if (worker->device_index == ENGINE_DEVICES_MAX)
        worker->device_index = devices_choose(devices);
    for (;;) {
        if (worker_is_stranded(worker))
            worker_change_device(worker);
        if (worker->device != NULL)
            return TRAWL_OK;
        status = engine_for_devices->compile(devices->engine, worker->device_index, NULL,
                                             &worker->device, &own);
        if (status == TRAWL_DEVICE)
            devices_lose(devices, worker->device_index, own.message);
        if (status != TRAWL_DEVICE || !devices_work(devices))
            break;
    }
    if (status != TRAWL_OK && error != NULL)
        *error = own;
    return status;
}

enum trawl_status worker_device_ready(struct worker *worker, struct job *job,
                                      struct trawl_error *error)
{
    struct devices *devices = &worker->runtime->devices;
    char failure[TRAWL_ERROR_MESSAGE_BYTES];

    if (!devices_are_ready(devices)) { /* a child of fork() has no devices */
        devices_failure(devices, failure, sizeof failure);
        return TRAWL_FAIL(error, DEVICE, "%s", failure);
    }
    if (job->kind->layer != NULL)
        return layer_ready(worker, job, true, error);
    if (worker->device_job == job->number && !worker_is_stranded(worker))
        return TRAWL_OK;
    TRAWL_TRY(device_worker_want(worker, error));
    worker->device_job = 0;
    TRAWL_TRY(engine_for_devices->compile(devices->engine, worker->device_index, job->plan,
                                          &worker->device, error));
    worker->device_job = job->number;
    return TRAWL_OK;
}

void worker_end(struct worker *worker)
{
    if (worker->host != NULL)
        engine_for_host->release(worker->host);
    for (uint32_t i = 0; i < 4; i++)
        layers_release(worker, i % 2 != 0, i / 2 != 0);
    if (worker->device != NULL)
        engine_for_devices->release(worker->device);
    worker->host = worker->device = NULL;
    if (worker->buffer.capacity > 0)
        runtime_buffer_release(worker->runtime, &worker->buffer);
}
