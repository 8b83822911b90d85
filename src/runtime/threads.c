/* threads: the runtime's host threads, and the jobs that they serve
 *
 * A job is listed while it can use help. A worker serves a job until there is no more work for it,
 * then the next job on the list. Waking is a chain: the caller wakes one worker, which wakes or
 * starts another if one is needed, and so on.
 *
 * A woken or new worker starts on another core than its waker's, if possible. Linux puts a woken
 * thread on the waker's core if all other cores look busy, as sleeping cores do to a KVM guest
 * [Linux 6.18: available_idle_cpu, vcpu_is_preempted]. The two threads would then share a core for
 * milliseconds, longer than many searches last: after a pause, a search of 16 MiB for 1,000 words
 * took 4.7 ms with two threads, and 5.0 ms with one; now two take 3.0 ms [2 cores, AMD EPYC]. So
 * the waker removes its core from those on which the worker may run, and the worker adds it again
 * once it runs.
 */
#include "runtime/threads.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/checked.h"
#include "base/fault.h"
#include "runtime/runtime.h"
#include "runtime/workers.h"

/* ---- Jobs --------------------------------------------------------------------------------- */

void job_hold(struct job *job)
{
    atomic_fetch_add(&job->inside, 1);
}

void job_leave(struct job *job)
{
    TRAWL_ASSERT(atomic_load(&job->inside) > 0);
    atomic_fetch_sub(&job->inside, 1);
    if (job->waits_for_leave)
        (void)pthread_cond_signal(&job->left);
}

/* Appends the job to the ring of listed jobs; job_unlist removes it. The caller holds the runtime's
 * lock. */
static void job_list(struct trawl_runtime *runtime, struct job *job)
{
    struct job *first = runtime->jobs;

    job->listed = true;
    atomic_store(&job->is_known, true);
    job->next = first == NULL ? job : first;
    job->previous = first == NULL ? job : first->previous;
    job->next->previous = job;
    job->previous->next = job;
    if (first == NULL)
        runtime->jobs = job;
}

static void job_unlist(struct trawl_runtime *runtime, struct job *job)
{
    if (!job->listed)
        return;
    job->listed = false;
    job->next->previous = job->previous;
    job->previous->next = job->next;
    if (runtime->jobs == job)
        runtime->jobs = job->next == job ? NULL : job->next;
}

/* Returns a listed job that can use another host worker, or NULL. The caller holds the runtime's
 * lock. */
static struct job *job_for_host(struct trawl_runtime *runtime)
{
    struct job *first = runtime->jobs, *job = first;

    while (job != NULL) {
        if (atomic_load(&job->has_work) && job->helpers < job->helpers_max)
            return job;
        job = job->next == first ? NULL : job->next;
    }
    return NULL;
}

/* ---- Threads ------------------------------------------------------------------------------ */

/* Stores the set of cores on which the calling thread may run in *cores, and that set without its
 * current core in *others. Returns false if *others is empty, or if the machine has more cores than
 * a cpu_set_t has room for. */
static bool other_cores(cpu_set_t *cores, cpu_set_t *others)
{
    int core = sched_getcpu();

    if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof *cores, cores) != 0)
        return false;
    *others = *cores;
    CPU_CLR((size_t)core, others);
    return CPU_COUNT(others) > 0;
}

/* Keeps an idle worker off the calling thread's core. The caller holds the runtime's lock. */
static void begin_elsewhere(struct worker *worker)
{
    cpu_set_t cores, others, theirs, common;

    if (!other_cores(&cores, &others) ||
        pthread_getaffinity_np(worker->thread, sizeof theirs, &theirs) != 0)
        return;
    /* If other code has chosen the worker's cores, leave them alone. If end_elsewhere has set them
     * last, the worker gets the caller's present cores, which may have become more in a
     * container. */
    CPU_AND(&common, &cores, &theirs);
    if (!CPU_EQUAL(&theirs, &common) ||
        (!CPU_EQUAL(&theirs, &cores) && !CPU_EQUAL(&theirs, &worker->cores)))
        return;
    worker->cores = cores;
    worker->is_moved = pthread_setaffinity_np(worker->thread, sizeof others, &others) == 0;
}

/* Lets the calling worker run on its waker's core again. */
static void end_elsewhere(struct worker *worker)
{
    if (worker->is_moved)
        (void)sched_setaffinity(0, sizeof worker->cores, &worker->cores);
    worker->is_moved = false;
}

static int start_elsewhere(struct worker *worker, void *(*main)(void *))
{
    cpu_set_t others;
    pthread_attr_t attributes;
    int code = ENOMEM;

    if (other_cores(&worker->cores, &others) && pthread_attr_init(&attributes) == 0) {
        worker->is_moved = true;
        if (pthread_attr_setaffinity_np(&attributes, sizeof others, &others) == 0)
            code = pthread_create(&worker->thread, &attributes, main, worker);
        (void)pthread_attr_destroy(&attributes);
    }
    if (code == 0)
        return 0;
    worker->is_moved = false;
    return pthread_create(&worker->thread, NULL, main, worker);
}

/* Makes the worker idle until a thread wakes it. The caller holds the runtime's lock. */
static void wait_for_work(struct trawl_runtime *runtime, struct worker *worker)
{
    worker->next_idle = runtime->idle;
    runtime->idle = worker;
    worker->is_idle = true;
    while (worker->is_idle)
        (void)pthread_cond_wait(&worker->wake, &runtime->lock);
    end_elsewhere(worker);
}

/* Wakes the worker that became idle last, if any. The caller holds the runtime's lock. */
static void wake_idle(struct trawl_runtime *runtime)
{
    struct worker *worker = runtime->idle;

    runtime->idle = worker->next_idle;
    worker->is_idle = false;
    begin_elsewhere(worker);
    (void)pthread_cond_signal(&worker->wake);
}

static void wake_one(struct trawl_runtime *runtime);

static void *worker_main(void *argument)
{
    struct worker *worker = (struct worker *)argument;
    struct trawl_runtime *runtime = worker->runtime;

    (void)pthread_mutex_lock(&runtime->lock);
    end_elsewhere(worker);
    while (!runtime->closing) {
        struct job *job = job_for_host(runtime);

        TRAWL_ASSERT(!worker->is_idle);
        if (job == NULL) {
            wait_for_work(runtime, worker);
            continue;
        }
        job_hold(job);
        job->helpers++;
        runtime->jobs = job->next; /* the other jobs come next */
        if (job_for_host(runtime) != NULL)
            wake_one(runtime);
        (void)pthread_mutex_unlock(&runtime->lock);
        job->serve(job, worker);
        (void)pthread_mutex_lock(&runtime->lock);
        TRAWL_ASSERT(job->helpers > 0);
        job->helpers--;
        job_leave(job);
    }
    (void)pthread_mutex_unlock(&runtime->lock);
    worker_end(worker);
    return NULL;
}

/* Wakes an idle worker, or starts one if the listed jobs can use more threads than run. Threads
 * stay until the runtime closes; if one cannot be started, searches continue without it. The caller
 * holds the runtime's lock. */
static void wake_one(struct trawl_runtime *runtime)
{
    uint32_t count = atomic_load(&runtime->worker_count);
    struct worker *worker = &runtime->workers[count];

    if (runtime->idle != NULL) {
        wake_idle(runtime);
        return;
    }
    if (count >= runtime->workers_wanted || runtime->closing)
        return;
    TRAWL_ASSERT(count + 1 < runtime->threads_max);
    worker->runtime = runtime;
    worker->device_index = ENGINE_DEVICES_MAX;
    if (fault_hit() || pthread_cond_init(&worker->wake, NULL) != 0)
        return;
    if (start_elsewhere(worker, worker_main) == 0)
        atomic_store(&runtime->worker_count, count + 1);
    else
        (void)pthread_cond_destroy(&worker->wake);
}

void job_publish(struct job *job, uint32_t helpers)
{
    struct trawl_runtime *runtime = job->runtime;

    (void)pthread_mutex_lock(&runtime->lock);
    if (!job->listed)
        job_list(runtime, job);
    job->helpers_max = (uint32_t)max_u64(job->helpers_max, helpers);
    runtime->workers_wanted = (uint32_t)max_u64(
        runtime->workers_wanted, min_u64(job->helpers_max, runtime->threads_max - 1));
    wake_one(runtime);
    (void)pthread_mutex_unlock(&runtime->lock);
}

void job_wake(struct job *job)
{
    struct trawl_runtime *runtime = job->runtime;

    (void)pthread_mutex_lock(&runtime->lock);
    atomic_store(&job->has_work, true);
    if (job->listed && runtime->idle != NULL)
        wake_idle(runtime);
    (void)pthread_mutex_unlock(&runtime->lock);
}

void job_recall(struct job *job)
{
    struct trawl_runtime *runtime = job->runtime;

    (void)pthread_mutex_lock(&runtime->lock);
    atomic_store(&job->has_work, false);
    job_unlist(runtime, job);
    job->waits_for_leave = true;
    while (atomic_load(&job->inside) > 0)
        (void)pthread_cond_wait(&job->left, &runtime->lock);
    (void)pthread_mutex_unlock(&runtime->lock);
    (void)pthread_cond_destroy(&job->left);
}

void workers_stop(struct trawl_runtime *runtime)
{
    (void)pthread_mutex_lock(&runtime->lock);
    runtime->closing = true;
    while (runtime->idle != NULL)
        wake_idle(runtime);
    (void)pthread_mutex_unlock(&runtime->lock);
    for (uint32_t i = 0; i < runtime->worker_count; i++) {
        (void)pthread_join(runtime->workers[i].thread, NULL);
        (void)pthread_cond_destroy(&runtime->workers[i].wake);
    }
    atomic_store(&runtime->worker_count, 0);
}
