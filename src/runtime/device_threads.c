/* device_threads: the device workers, and the queue that they serve. An item of the queue is a
 * chunk, or a part of a text, to be searched on a device. A worker takes items until none is left
 * for its device, then sleeps until it is woken, for another item or to exit. */
#include "runtime/device_threads.h"

#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/memory.h"
#include "runtime/buffers.h"
#include "runtime/devices.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/threads.h"
#include "runtime/workers.h"
#include "runtime/schedule.def"

static uint32_t staging_workers(const struct devices *devices)
{
    return STAGING_PER_DEVICE * devices->device_count;
}

static void wake_worker(struct worker *worker)
{
    atomic_store(&worker->is_idle, false);
    (void)pthread_cond_signal(&worker->wake);
}

/* Returns an idle worker that may search a text on this device (ENGINE_DEVICES_MAX: on any), or
 * NULL. On one device, the first idle worker, which may still have the plan's tables; on any, the
 * one that has been idle longest, so that all devices get work. The caller holds the runtime's
 * lock. */
static struct worker *idle_for(struct devices *devices, uint32_t device)
{
    struct worker *found = NULL;
    uint32_t count = atomic_load(&devices->worker_count);

    if (device == ENGINE_DEVICES_MAX)
        count = (uint32_t)min_u64(count, staging_workers(devices));
    for (uint32_t i = 0; i < count; i++) {
        struct worker *worker = &devices->workers[i];

        if (!atomic_load(&worker->is_idle) ||
            !devices_may_serve(devices, worker->device_index, device))
            continue;
        if (found == NULL || worker->idle_as < found->idle_as)
            found = worker;
        if (device < ENGINE_DEVICES_MAX)
            break;
    }
    return found;
}

/* If the queue has another item for this device, claims and returns another idle worker; else
 * returns NULL. The caller holds the lock, but must release it before it wakes the worker, which
 * takes 6 us. */
static struct worker *next_for(struct devices *devices, uint32_t device)
{
    struct queue_item *item = device < ENGINE_DEVICES_MAX ? devices->first : NULL;
    struct worker *next = NULL;

    while (item != NULL && item->device != device)
        item = item->next;
    if (item != NULL)
        next = idle_for(devices, device);
    if (next != NULL)
        atomic_store(&next->is_idle, false);
    return next;
}

/* ---- The queue ---------------------------------------------------------------------------- */

/* Removes the item *link, which follows `before`, from the queue. */
static void unlink_item(struct devices *devices, struct queue_item **link,
                        struct queue_item *before)
{
    struct queue_item *item = *link;

    *link = item->next;
    if (devices->last == item)
        devices->last = before;
}

/* Takes the first item in the queue that the worker may search; if `job` is not NULL, the first of
 * this job. The caller holds the lock. */
static struct queue_item *take_item(struct devices *devices, const struct worker *worker,
                                    const struct job *job, bool may_stage)
{
    struct queue_item **link = &devices->first, *item, *before = NULL;

    while ((item = *link) != NULL &&
           ((job != NULL && item->job != job) ||
            (!may_stage && item->device == ENGINE_DEVICES_MAX) ||
            !devices_may_serve(devices, worker->device_index, item->device))) {
        before = item;
        link = &item->next;
    }
    if (item != NULL)
        unlink_item(devices, link, before);
    return item;
}

/* Serves the next item in the queue that the worker may search. Returns false if there was none.
 * Sets *served_loaded if the item's text is loaded. Called and left with the lock held. */
static bool serve_once(struct worker *worker, struct devices *devices, bool *served_loaded)
{
    struct trawl_runtime *runtime = devices->runtime;
    struct queue_item *item =
        take_item(devices, worker, NULL, worker < devices->workers + staging_workers(devices));
    struct worker *next;
    struct job *job;

    if (item == NULL)
        return false;
    job = item->job; /* job->inside counts the item, so the job cannot end */
    TRAWL_ASSERT(job->inside > 0);
    job->helpers++;
    *served_loaded |= item->is_loaded;
    next = next_for(devices, item->device);
    (void)pthread_mutex_unlock(&runtime->lock);
    if (next != NULL)
        (void)pthread_cond_signal(&next->wake);
    job->serve_item(item, worker);
    (void)pthread_mutex_lock(&runtime->lock);
    TRAWL_ASSERT(job->helpers > 0);
    job->helpers--;
    job_leave(job);
    return true;
}

/* Makes the worker idle until a thread wakes it. The caller holds the lock. */
static void wait_for_call(struct devices *devices, struct worker *worker, bool watches)
{
    struct trawl_runtime *runtime = devices->runtime;

    worker->idle_as = devices->became_idle++;
    atomic_store(&worker->is_idle, true);
    if (watches) { /* for up to WATCH_NS: another search may follow immediately */
        const uint64_t begin_ns = clock_now_ns();

        (void)pthread_mutex_unlock(&runtime->lock);
        while (atomic_load(&worker->is_idle) && clock_now_ns() - begin_ns < WATCH_NS)
            ;
        (void)pthread_mutex_lock(&runtime->lock);
    }
    while (atomic_load(&worker->is_idle))
        (void)pthread_cond_wait(&worker->wake, &runtime->lock);
}

static void *device_worker_main(void *argument)
{
    struct worker *worker = (struct worker *)argument;
    struct trawl_runtime *runtime = worker->runtime;
    struct devices *devices = &runtime->devices;
    bool is_first, served_loaded = false;

    (void)pthread_mutex_lock(&runtime->lock);
    is_first = devices->device_count > 1 && worker < devices->workers + devices->device_count;
    while (!runtime->closing) {
        TRAWL_ASSERT(worker->device_index < devices->device_count);
        if (worker_is_stranded(worker)) {
            (void)pthread_mutex_unlock(&runtime->lock);
            worker_change_device(worker);
            (void)pthread_mutex_lock(&runtime->lock);
        } else if (!serve_once(worker, devices, &served_loaded)) {
            wait_for_call(devices, worker, is_first && served_loaded);
            served_loaded = false;
        }
    }
    (void)pthread_mutex_unlock(&runtime->lock);
    worker_end(worker);
    return NULL;
}

bool devices_start(struct devices *devices)
{
    bool runs;

    if (atomic_load(&devices->worker_count) > 0)
        return true;
    (void)pthread_mutex_lock(&devices->runtime->lock);
    TRAWL_ASSERT(devices->workers_max == 0 || devices->device_count > 0);
    runs = devices->worker_count > 0;
    if (!runs && devices->workers_max > 0 &&
        (devices->workers != NULL ||
         (buffers_open(devices) == TRAWL_OK &&
          MEMORY_ZEROED(devices->workers, devices->workers_max, NULL) == TRAWL_OK)))
        while (devices->worker_count < devices->workers_max) {
            struct worker *worker = &devices->workers[devices->worker_count];

            worker->runtime = devices->runtime;
            worker->device_index = atomic_load(&devices->worker_count) % devices->device_count;
            if (fault_hit() || pthread_cond_init(&worker->wake, NULL) != 0)
                break;
            if (pthread_create(&worker->thread, NULL, device_worker_main, worker) != 0) {
                (void)pthread_cond_destroy(&worker->wake);
                break;
            }
            devices->worker_count++;
        }
    TRAWL_ASSERT(devices->worker_count <= devices->workers_max);
    runs = devices->worker_count > 0;
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    return runs;
}

void devices_stop(struct devices *devices)
{
    (void)pthread_mutex_lock(&devices->runtime->lock);
    TRAWL_ASSERT(devices->runtime->closing && devices->first == NULL);
    for (uint32_t i = 0; i < devices->worker_count; i++)
        wake_worker(&devices->workers[i]);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    for (uint32_t i = 0; i < devices->worker_count; i++)
        (void)pthread_join(devices->workers[i].thread, NULL);
    /* only now, because workers may signal each other until the last one has ended */
    for (uint32_t i = 0; i < devices->worker_count; i++)
        (void)pthread_cond_destroy(&devices->workers[i].wake);
    atomic_store(&devices->worker_count, 0);
    memory_release(devices->workers, devices->workers_max, sizeof *devices->workers);
    devices->workers = NULL;
}

void devices_push(struct devices *devices, struct queue_item *first)
{
    struct queue_item *next;
    uint32_t called = 0; /* bit i: a worker of device i was woken, or none was idle */

    (void)pthread_mutex_lock(&devices->runtime->lock);
    for (struct queue_item *item = first; item != NULL; item = next) {
        uint32_t bit = item->device < ENGINE_DEVICES_MAX ? 1u << item->device : 0;
        struct worker *worker;

        next = item->next;
        atomic_store(&item->job->is_known, true);
        job_hold(item->job);
        item->next = NULL;
        if (devices->last != NULL)
            devices->last->next = item;
        else
            devices->first = item;
        devices->last = item;
        worker = (called & bit) != 0 ? NULL : idle_for(devices, item->device);
        called |= bit;
        if (worker != NULL)
            wake_worker(worker);
    }
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}

struct queue_item *devices_take(struct devices *devices, const struct worker *worker,
                                struct job *job)
{
    struct queue_item *item;

    (void)pthread_mutex_lock(&devices->runtime->lock);
    item = take_item(devices, worker, job, true);
    if (item != NULL)
        job_leave(job);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    return item;
}

void devices_drop(struct devices *devices, struct job *job)
{
    struct queue_item **link = &devices->first, *item, *before = NULL;

    (void)pthread_mutex_lock(&devices->runtime->lock);
    while ((item = *link) != NULL) {
        if (item->job == job) {
            unlink_item(devices, link, before);
            job_leave(job);
            continue;
        }
        before = item;
        link = &item->next;
    }
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}
