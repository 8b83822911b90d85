/* devices: the GPUs of a runtime: when they are opened, their workers, and the queue to them.
 *
 * Opening takes up to a third of a second, and closing waits for it. Unless the caller requested a
 * GPU, opening begins once a search has taken a second, in a thread of its own, while host workers
 * go on. A device that fails is lost for the rest of the runtime's life: its tasks go to the others
 * or to the CPU, and the note says why.
 */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/memory.h"
#include "runtime/search.h"

#define BUFFERS_PER_WORKER 4u /* being copied there, and searched */
/* Pinning takes longer than copying: a buffer's next chunk may be a little longer. */
#define PINNED_STEP (2u << 20)
#define HUNGER_MAX 8 /* of chunks in a row that tell the same: then claims change by one */
/* A device's first worker looks for its next chunk of a loaded text so long before it sleeps: to
 * wake the workers of several devices takes 25 to 200 us; a list of 16 GiB takes four of them
 * 1,200.
 */
#define WATCH_NS 1000000u

void devices_note(struct devices *devices, char *note, uint64_t note_bytes)
{
    (void)pthread_mutex_lock(&devices->runtime->lock);
    (void)snprintf(note, note_bytes, "%.*s", (int)note_bytes - 1, devices->note);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}

void devices_lose(struct devices *devices, uint32_t index, const char *why)
{
    uint32_t first = index == UINT32_MAX ? 0 : index;
    uint32_t end = index == UINT32_MAX ? ENGINE_DEVICES_MAX : index + 1;

    TRAWL_ASSERT(first < end && end <= ENGINE_DEVICES_MAX);
    (void)pthread_mutex_lock(&devices->runtime->lock);
    if (devices->note[0] == '\0')
        (void)snprintf(devices->note, sizeof devices->note, "%.*s", (int)sizeof devices->note - 1,
                       why);
    for (uint32_t i = first; i < end; i++) {
        if (!atomic_exchange(&devices->lost[i], true) && i < devices->device_count)
            atomic_fetch_add(&devices->lost_count, 1);
    }
    TRAWL_ASSERT(atomic_load(&devices->lost_count) <= devices->device_count);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}

bool devices_work(const struct devices *devices)
{
    return devices_are_ready(devices) && atomic_load(&devices->lost_count) < devices->device_count;
}

bool devices_are_ready(const struct devices *devices)
{
    return atomic_load(&devices->state) == DEVICES_READY;
}

/* The first that was not lost from `index` on, round; `index` itself if all were. */
static uint32_t working_from(const struct devices *devices, uint32_t index)
{
    for (uint32_t i = 0; i < devices->device_count; i++)
        if (!atomic_load(&devices->lost[(index + i) % devices->device_count]))
            return (index + i) % devices->device_count;
    return index;
}

uint32_t devices_choose(struct devices *devices)
{
    return working_from(devices, atomic_fetch_add(&devices->chosen, 1) % devices->device_count);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static enum trawl_status open_engine(struct devices *devices, struct trawl_error *error)
{
    struct engine_properties properties;

    TRAWL_TRY(engine_for_devices->open(&devices->options, &devices->engine, error));
    engine_for_devices->properties(devices->engine, &properties);
    devices->device_count = properties.device_count;
    TRAWL_ASSERT(properties.device_count > 0 && properties.device_count <= ENGINE_DEVICES_MAX);
    devices->workers_worth = properties.device_count * properties.workers_per_device;
    devices->workers_max =
        (uint32_t)min_u64(devices->workers_worth, devices->runtime->threads_max - 1);
    if (devices->workers_max > 0)
        devices->workers_max = (uint32_t)max_u64(devices->workers_max, devices->device_count);
    TRAWL_ASSERT(devices->workers_max <= devices->workers_worth);
    return TRAWL_OK;
}

static void decide(struct devices *devices, enum devices_state state)
{
    (void)pthread_mutex_lock(&devices->runtime->lock);
    atomic_store(&devices->state, (int)state);
    (void)pthread_cond_broadcast(&devices->decided);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
}

static enum trawl_status open_now(struct devices *devices, struct trawl_error *error)
{
    enum trawl_status status = open_engine(devices, error);

    if (status != TRAWL_OK)
        devices_lose(devices, UINT32_MAX, error->message);
    decide(devices, status == TRAWL_OK ? DEVICES_READY : DEVICES_ABSENT);
    return status;
}

static void *opener_main(void *argument)
{
    struct trawl_error error; /* the note says it */

    (void)open_now((struct devices *)argument, &error);
    return NULL;
}

static void opener_join(struct devices *devices)
{
    bool runs;

    (void)pthread_mutex_lock(&devices->runtime->lock);
    runs = devices->opener_runs;
    devices->opener_runs = false;
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    if (runs)
        (void)pthread_join(devices->opener, NULL);
}

static bool claim_opening(struct devices *devices)
{
    int expected = DEVICES_NOT_ASKED;

    return atomic_compare_exchange_strong(&devices->state, &expected, DEVICES_OPENING);
}

enum trawl_status devices_open(struct devices *devices, struct trawl_error *error)
{
    struct trawl_error own;
    enum trawl_status status;

    if (claim_opening(devices)) {
        status = open_now(devices, &own);
        if (status != TRAWL_OK && error != NULL)
            *error = own;
        return status;
    }
    (void)pthread_mutex_lock(&devices->runtime->lock);
    while (atomic_load(&devices->state) == DEVICES_OPENING)
        (void)pthread_cond_wait(&devices->decided, &devices->runtime->lock);
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    return TRAWL_OK;
}

void devices_ask(struct devices *devices)
{
    bool runs;

    if (!claim_opening(devices))
        return;
    (void)pthread_mutex_lock(&devices->runtime->lock);
    runs = !fault_hit(FAULT_THREAD) &&
           pthread_create(&devices->opener, NULL, opener_main, devices) == 0;
    devices->opener_runs = runs;
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    if (runs)
        return;
    devices_lose(devices, UINT32_MAX, "no thread to open the GPU with");
    decide(devices, DEVICES_ABSENT);
}

void devices_close(struct devices *devices)
{
    opener_join(devices);
    while (devices_buffer_shed(devices))
        ;
    memory_release(devices->pinned, devices->pinned_capacity, sizeof *devices->pinned);
    memory_release(devices->workers, devices->workers_max, sizeof *devices->workers);
    if (devices->engine != NULL)
        engine_for_devices->close(devices->engine);
    devices->engine = NULL;
}

/* ---- Workers ------------------------------------------------------------------------------ */

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
        task_on_device(task, worker);
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
    TRAWL_ASSERT(devices->workers_max > 0);
    TRAWL_ASSERT(devices->pinned_free == 0 && devices->pinned_made == 0);
    devices->pinned_capacity =
        devices->workers_max * BUFFERS_PER_WORKER + devices->runtime->threads_max;
    if (memory_allocate_zeroed(devices->pinned_capacity, sizeof *devices->pinned, &memory, NULL) !=
        TRAWL_OK)
        return false;
    devices->pinned = (struct text_buffer *)memory;
    if (memory_allocate_zeroed(devices->workers_max, sizeof *devices->workers, &memory, NULL) !=
        TRAWL_OK) {
        memory_release(devices->pinned, devices->pinned_capacity, sizeof *devices->pinned);
        devices->pinned = NULL;
        return false;
    }
    devices->workers = (struct worker *)memory;
    return true;
}

/* The first worker_count of them have a worker each: worker i begins with device i. */
bool devices_may_serve(const struct devices *devices, uint32_t own, uint32_t other)
{
    return other == ENGINE_DEVICES_MAX || other == own || atomic_load(&devices->lost[other]) ||
           other >= atomic_load(&devices->worker_count);
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

/* ---- The queue ---------------------------------------------------------------------------- */

bool devices_claim(struct devices *devices, uint32_t most)
{
    uint32_t claimed = atomic_load(&devices->claimed);

    do
        if (claimed >= most)
            return false;
    while (!atomic_compare_exchange_weak(&devices->claimed, &claimed, claimed + 1));
    return true;
}

void devices_unclaim(struct devices *devices)
{
    uint32_t before = atomic_fetch_sub(&devices->claimed, 1);

    TRAWL_ASSERT(before > 0);
    (void)before;
}

uint32_t devices_claims_more(const struct devices *devices, uint32_t most)
{
    return (uint32_t)min_u64(atomic_load(&devices->claims_more), most);
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

uint32_t devices_working(const struct devices *devices)
{
    return working_from(devices, 0);
}

bool devices_pin(struct devices *devices, uint32_t index, const uint8_t *bytes, uint64_t count)
{
    struct engine_text text = {
        .bytes = bytes, .bytes_count = count, .how = ENGINE_HOLD_PINNED, .device = index};

    return !atomic_load(&devices->lost[index]) &&
           engine_for_devices->hold(devices->engine, &text, NULL) == TRAWL_OK;
}

bool devices_unpin(struct devices *devices, uint32_t index, const uint8_t *bytes)
{
    struct engine_text text = {.bytes = bytes, .how = ENGINE_HOLD_PINNED};
    bool done = false;

    for (uint32_t i = 0; i < devices->device_count && !done; i++) {
        text.device = (index + i) % devices->device_count;
        done = engine_for_devices->drop(devices->engine, &text);
    }
    return done;
}

bool devices_buffer_take(struct devices *devices, uint64_t bytes, struct text_buffer *buffer)
{
    struct trawl_runtime *runtime = devices->runtime;
    bool taken = false, makes = false;

    if (runtime->memory_max == 0)
        bytes = saturating_add(bytes, PINNED_STEP - 1) / PINNED_STEP * PINNED_STEP;
    (void)pthread_mutex_lock(&runtime->lock);
    if (devices->pinned_free > 0) {
        TRAWL_ASSERT(devices->pinned_free <= devices->pinned_made);
        *buffer = devices->pinned[--devices->pinned_free];
        taken = true;
    } else if (devices->pinned_made < devices->pinned_capacity) {
        devices->pinned_made++;
        makes = true;
    }
    TRAWL_ASSERT(devices->pinned_made <= devices->pinned_capacity);
    (void)pthread_mutex_unlock(&runtime->lock);
    if (taken && buffer->capacity >= bytes)
        return true;
    if (!taken && !makes)
        return false;
    if (taken)
        (void)devices_unpin(devices, devices_working(devices), buffer->bytes);
    else
        memset(buffer, 0, sizeof *buffer);
    if (runtime_buffer_reserve(runtime, buffer, bytes, NULL) == TRAWL_OK &&
        devices_pin(devices, devices_working(devices), buffer->bytes, buffer->capacity))
        return true;
    runtime_buffer_release(runtime, buffer);
    (void)pthread_mutex_lock(&runtime->lock);
    TRAWL_ASSERT(devices->pinned_made > devices->pinned_free);
    devices->pinned_made--;
    (void)pthread_mutex_unlock(&runtime->lock);
    return false;
}

bool devices_buffer_shed(struct devices *devices)
{
    struct text_buffer buffer = {.capacity = 0};

    (void)pthread_mutex_lock(&devices->runtime->lock);
    if (devices->pinned_free > 0) {
        TRAWL_ASSERT(devices->pinned_free <= devices->pinned_made);
        buffer = devices->pinned[--devices->pinned_free];
        TRAWL_ASSERT(buffer.capacity > 0);
        devices->pinned_made--;
    }
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    if (buffer.capacity == 0)
        return false;
    (void)devices_unpin(devices, devices_working(devices), buffer.bytes);
    runtime_buffer_release(devices->runtime, &buffer);
    return true;
}

void devices_buffer_give(struct devices *devices, struct text_buffer *buffer)
{
    (void)pthread_mutex_lock(&devices->runtime->lock);
    TRAWL_ASSERT(buffer->capacity > 0 && devices->pinned_free < devices->pinned_made);
    devices->pinned[devices->pinned_free++] = *buffer;
    (void)pthread_mutex_unlock(&devices->runtime->lock);
    memset(buffer, 0, sizeof *buffer);
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

bool devices_locate(const struct devices *devices, const struct trawl_plan *plan,
                    const uint8_t *bytes, uint64_t bytes_count, struct engine_text *found)
{
    *found = (struct engine_text){
        .bytes = bytes, .bytes_count = bytes_count, .how = ENGINE_HOLD_LOOK, .plan = plan};
    return atomic_load(&devices->has_texts) &&
           engine_for_devices->hold(devices->engine, found, NULL) == TRAWL_OK;
}

bool devices_hold(const struct devices *devices, const uint8_t *bytes, uint64_t bytes_count)
{
    struct engine_text found;

    return devices_work(devices) && devices_locate(devices, NULL, bytes, bytes_count, &found) &&
           found.held == bytes_count;
}
