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
           atomic_load(&devices->lost[worker->device_index]) && devices_are_usable(devices);
}

static void release(struct worker *worker, uint32_t kind, bool on_device)
{
    struct prepared *own = &worker->prepared[kind][on_device];

    if (own->worker != NULL)
        engine_kinds[kind].ops[on_device]->release(own->worker);
    *own = (struct prepared){NULL, 0, 0};
}

void worker_go_to(struct worker *worker, uint32_t device)
{
    if (worker->device_index == device)
        return;
    for (uint32_t i = 0; i < PLAN_KINDS; i++)
        if (!engine_kinds[i].is_apart)
            release(worker, i, true);
    worker->has_moved = true; /* a search of records may hold an engine worker that is apart */
    worker->device_index = device;
}

void worker_change_device(struct worker *worker)
{
    worker_go_to(worker, devices_choose(&worker->runtime->devices));
}

/* Returns the worker's engine worker for the job, on a device or on the host. If the kind is_apart,
 * sets *on_device by the runtime's engine. */
static struct prepared *prepared_of(struct worker *worker, const struct job *job, bool *on_device)
{
    if (job->kind->is_apart)
        *on_device = worker->runtime->engine == TRAWL_ENGINE_CUDA;
    return &worker->prepared[job->kind - engine_kinds][*on_device];
}

const struct engine_ops *worker_engine(struct worker *worker, const struct job *job, bool on_device,
                                       struct engine_worker **engine_worker)
{
    *engine_worker = prepared_of(worker, job, &on_device)->worker;
    return job->kind->ops[on_device];
}

/* Prepares an engine worker on the worker's device, or on another one, if that is lost. */
static enum trawl_status compile_there(struct worker *worker, const struct job *job,
                                       struct engine_worker **engine_worker,
                                       struct trawl_error *error)
{
    struct devices *devices = &worker->runtime->devices;
    struct trawl_error own;
    enum trawl_status status;

    for (;;) {
        if (worker->device_index == ENGINE_DEVICES_MAX || worker_is_stranded(worker))
            worker_change_device(worker);
        status = job->kind->ops[true]->compile(devices->engine, worker->device_index, job->plan,
                                               engine_worker, &own);
        if (status == TRAWL_DEVICE)
            devices_lose(devices, worker->device_index, own.message);
        if (status != TRAWL_DEVICE || !devices_are_usable(devices))
            break;
    }
    if (status != TRAWL_OK && error != NULL)
        *error = own;
    return status;
}

enum trawl_status worker_ready(struct worker *worker, struct job *job, bool on_device,
                               struct trawl_error *error)
{
    struct trawl_runtime *runtime = worker->runtime;
    const struct kind_facts *kind = job->kind;
    struct prepared *own;

    if (on_device && !devices_are_ready(&runtime->devices)) { /* a child of fork() has none */
        char failure[TRAWL_ERROR_MESSAGE_BYTES];

        devices_failure(&runtime->devices, failure, sizeof failure);
        return TRAWL_FAIL(error, DEVICE, "%s", failure);
    }
    own = prepared_of(worker, job, &on_device);
    if (job->is_brief && !on_device && own->serial == job->plan->serial)
        return TRAWL_OK;
    if (own->job == job->number && !(on_device && !kind->is_apart && worker_is_stranded(worker)))
        return TRAWL_OK;
    if (kind->is_apart && worker->has_moved) {
        release(worker, (uint32_t)(kind - engine_kinds), true);
        worker->has_moved = false;
    }
    own->job = own->serial = 0;
    TRAWL_TRY(
        on_device && !kind->is_apart
            ? compile_there(worker, job, &own->worker, error)
            : kind->ops[on_device]->compile(on_device ? runtime->devices.engine : runtime->host,
                                            on_device ? ENGINE_DEVICES_MAX : ENGINE_HOST, job->plan,
                                            &own->worker, error));
    own->job = job->number;
    own->serial = job->is_brief && !on_device ? job->plan->serial : 0;
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

void worker_end(struct worker *worker)
{
    for (uint32_t i = 0; i < 2 * PLAN_KINDS; i++)
        release(worker, i / 2, i % 2 != 0);
    if (worker->buffer.capacity > 0)
        runtime_buffer_release(worker->runtime, &worker->buffer);
}
