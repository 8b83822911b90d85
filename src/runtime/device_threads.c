/* device_threads: the workers of devices, and the queue of tasks to them. */
#include "runtime/device_threads.h"

#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/memory.h"
#include "runtime/buffers.h"
#include "runtime/devices.h"
#include "runtime/jobs.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/workers.h"

#define HUNGER_MAX 8 /* of chunks in a row that tell the same: then claims change by one */
/* A device's first worker looks for its next chunk of a loaded text so long before it sleeps: to
 * wake the workers of several devices takes 25 to 200 us; a list of 16 GiB takes four of them
 * 1,200.
 */
#define WATCH_NS 1000000u

/* Which of the wanted devices' chunks may it search, as bits? */
static uint32_t served_by(const struct devices *devices, const struct worker *worker,
                          uint32_t wanted)
{
    uint32_t served = 0;

    for (uint32_t i = 0; i < devices->device_count; i++)
        if ((wanted >> i & 1) != 0 && devices_may_serve(devices, worker->device_index, i))
            served |= 1u << i;
    return served;
}

/* Of loaded texts' jobs with chunks that this worker may search, the one that was listed first. A
 * worker of begins.c waits for those of other devices in its job; since none of them has begun a
 * job that was listed later while that one wanted it, no two wait for each other. With the
 * runtime's lock held. */
static struct job *resident_job(const struct devices *devices, const struct worker *worker)
{
    struct job *first = devices->runtime->jobs, *job = first, *found = NULL;

    while (job != NULL) {
        if (atomic_load(&job->for_devices) && atomic_load(&job->has_work) &&
            served_by(devices, worker, atomic_load(&job->devices_wanted)) != 0 &&
            (found == NULL || job->listed_as < found->listed_as))
            found = job;
        job = job->next == first ? NULL : job->next;
    }
    return found;
}

static void call(struct worker *worker)
{
    atomic_store(&worker->is_idle, false);
    (void)pthread_cond_signal(&worker->wake);
}

/* Each chunk goes to the first idle worker that may search it: its engine worker has tables for the
 * plan if it had the last such chunk, too. Where a device has more, that worker calls the next: to
 * wake one takes the caller 6 us. Busy workers look by themselves before they become idle. */
void devices_call(struct devices *devices, const struct job *job)
{
    uint32_t wanted = atomic_load(&job->devices_wanted);
    uint32_t count = atomic_load(&devices->worker_count), called = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct worker *worker = &devices->workers[i];
        uint32_t served;

        if (!atomic_load(&worker->is_idle))
            continue;
        served = served_by(devices, worker, wanted);
        if ((served & ~called) == 0)
            continue;
        called |= served;
        call(worker);
    }
}

/* The worker is about to serve the job: one more that can, and is to be woken when the lock is not
 * held; NULL: there is none. */
static struct worker *next_for(struct devices *devices, const struct job *job,
                               const struct worker *worker)
{
    uint32_t many = served_by(devices, worker, atomic_load(&job->devices_many));

    for (uint32_t i = 0; many != 0 && i < atomic_load(&devices->worker_count); i++) {
        struct worker *next = &devices->workers[i];

        if (!atomic_load(&next->is_idle) || served_by(devices, next, many) == 0)
            continue;
        atomic_store(&next->is_idle, false);
        return next;
    }
    return NULL;
}

void devices_call_all(struct devices *devices)
{
    for (uint32_t i = 0; i < atomic_load(&devices->worker_count); i++)
        if (atomic_load(&devices->workers[i].is_idle))
            call(&devices->workers[i]);
}

/* For a task in the queue: the worker that has been idle for the longest time, so that all devices
 * get some. */
static void call_one(struct devices *devices)
{
    struct worker *found = NULL;

    for (uint32_t i = 0; i < atomic_load(&devices->worker_count); i++) {
        struct worker *worker = &devices->workers[i];

        if (atomic_load(&worker->is_idle) && (found == NULL || worker->idle_as < found->idle_as))
            found = worker;
    }
    if (found != NULL)
        call(found);
}

static struct task *pop(struct devices *devices)
{
    struct task *task = devices->first;

    if (task == NULL)
        return NULL;
    devices->first = task->next;
    if (task->next == NULL)
        devices->last = NULL;
    TRAWL_ASSERT(devices->queued > 0);
    devices->queued--;
    devices_unclaim(devices);
    return task;
}

/* Serve one job that waits for devices; false: there was none. *served_loaded is set if it searches
 * a loaded text. Called and returns with the lock held. */
static bool serve_once(struct worker *worker, struct devices *devices, bool *served_loaded)
{
    struct trawl_runtime *runtime = devices->runtime;
    struct task *task = pop(devices);
    struct job *job = task == NULL ? resident_job(devices, worker) : NULL;
    struct worker *next;

    if (task == NULL && job == NULL)
        return false;
    if (job == NULL) { /* the task holds its job */
        job = task->job;
        TRAWL_ASSERT(job->inside > 0);
        job->helpers++;
        (void)pthread_mutex_unlock(&runtime->lock);
        job->search_queued(task, worker);
    } else {
        job_hold(job);
        job->helpers++;
        *served_loaded = true;
        next = next_for(devices, job, worker);
        (void)pthread_mutex_unlock(&runtime->lock);
        if (next != NULL)
            (void)pthread_cond_signal(&next->wake);
        job->serve(job, worker);
    }
    (void)pthread_mutex_lock(&runtime->lock);
    TRAWL_ASSERT(job->helpers > 0);
    job->helpers--;
    job_leave(job);
    return true;
}

/* The caller's next search may come at once. */
static void watch(const struct worker *worker)
{
    uint64_t begin_ns = clock_now_ns();

    while (atomic_load(&worker->is_idle) && clock_now_ns() - begin_ns < WATCH_NS)
        ;
}

/* Wait until called. With the lock held. */
static void wait_for_call(struct devices *devices, struct worker *worker, bool watches)
{
    struct trawl_runtime *runtime = devices->runtime;

    devices->waiting++;
    worker->idle_as = devices->became_idle++;
    atomic_store(&worker->is_idle, true);
    if (watches) {
        (void)pthread_mutex_unlock(&runtime->lock);
        watch(worker);
        (void)pthread_mutex_lock(&runtime->lock);
    }
    while (atomic_load(&worker->is_idle))
        (void)pthread_cond_wait(&worker->wake, &runtime->lock);
    TRAWL_ASSERT(devices->waiting > 0);
    devices->waiting--;
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

/* Room for the workers and for the buffers that go to them. */
static bool workers_room(struct devices *devices)
{
    void *memory;

    if (devices->workers != NULL)
        return true;
    if (buffers_open(devices) != TRAWL_OK ||
        memory_allocate_zeroed(devices->workers_max, sizeof *devices->workers, &memory, NULL) !=
            TRAWL_OK)
        return false;
    devices->workers = (struct worker *)memory;
    return true;
}

bool devices_start(struct devices *devices)
{
    bool runs;

    if (atomic_load(&devices->worker_count) > 0)
        return true;
    (void)pthread_mutex_lock(&devices->runtime->lock);
    TRAWL_ASSERT(devices->workers_max == 0 || devices->device_count > 0);
    runs = devices->worker_count > 0;
    if (!runs && devices->workers_max > 0 && workers_room(devices))
        while (devices->worker_count < devices->workers_max) {
            struct worker *worker = &devices->workers[devices->worker_count];

            worker->runtime = devices->runtime;
            worker->device_index = atomic_load(&devices->worker_count) % devices->device_count;
            if (fault_hit(FAULT_THREAD) || pthread_cond_init(&worker->wake, NULL) != 0)
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

/* A chunk is ready. One thread of a device keeps the bus busy: if more than half of all wait for
 * chunks, devices could do with more; if each has a chunk to go on with, with fewer. Without the
 * workers that are about to wake. With the lock held. */
static void see_hunger(struct devices *devices)
{
    uint32_t workers = atomic_load(&devices->worker_count);
    uint32_t more = atomic_load(&devices->claims_more);

    TRAWL_ASSERT(devices->waiting <= workers);
    TRAWL_ASSERT(devices->hunger > -HUNGER_MAX && devices->hunger < HUNGER_MAX);
    if (2 * devices->waiting > workers + 2 * devices->queued)
        devices->hunger++;
    else if (devices->queued >= workers)
        devices->hunger--;
    else
        devices->hunger -= (devices->hunger > 0) - (devices->hunger < 0);
    if (devices->hunger >= HUNGER_MAX)
        more += more < devices->runtime->threads_max;
    else if (devices->hunger <= -HUNGER_MAX)
        more -= more > 0;
    else
        return;
    TRAWL_ASSERT(more <= devices->runtime->threads_max);
    devices->hunger = 0;
    atomic_store(&devices->claims_more, more);
}

void devices_push(struct devices *devices, struct task *task)
{
    (void)pthread_mutex_lock(&devices->runtime->lock);
    TRAWL_ASSERT(atomic_load(&devices->claimed) > 0);
    see_hunger(devices);
    job_hold(task->job);
    task->next = NULL;
    if (devices->last != NULL)
        devices->last->next = task;
    else
        devices->first = task;
    devices->last = task;
    devices->queued++;
    call_one(devices);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}

void devices_drop(struct devices *devices, struct job *job)
{
    struct task **link = &devices->first, *task;

    (void)pthread_mutex_lock(&devices->runtime->lock);
    devices->last = NULL;
    while ((task = *link) != NULL) {
        if (task->job != job) {
            devices->last = task;
            link = &task->next;
            continue;
        }
        *link = task->next;
        devices->queued--;
        devices_unclaim(devices);
        job_leave(job);
    }
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}
