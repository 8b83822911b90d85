/* at_once: the beginning of a search in a loaded text. */
#include "runtime/at_once.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/device_threads.h"
#include "runtime/engines.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/task.h"
#include "runtime/workers.h"

/* A device counts one literal in a GiB in the time that waking a thread takes, so the caller begins
 * the counts on all devices by itself. What takes longer is better left to a thread for each: it
 * can be cancelled between two chunks. */
static bool counts_at_once(const struct search *search)
{
    const struct trawl_plan *plan = search->job.plan;

    return search->sink->want == WANT_COUNT && search->sink->digest == NULL &&
           plan_counts_alone(plan) && plan->literal_count == 1 && !plan_has_algorithm(plan);
}

static bool open_workers(struct trawl_searcher *searcher)
{
    void *memory;

    if (searcher->devices != NULL)
        return true;
    if (memory_allocate_zeroed(ENGINE_DEVICES_MAX, sizeof *searcher->devices, &memory, NULL) !=
        TRAWL_OK)
        return false;
    searcher->devices = (struct worker *)memory;
    for (uint32_t i = 0; i < ENGINE_DEVICES_MAX; i++)
        searcher->devices[i] = (struct worker){.runtime = searcher->runtime, .device_index = i};
    return true;
}

/* Begin to count in the task's chunk; false: it is left to the queue. */
static bool begin_count(struct search *search, struct task *task)
{
    uint32_t device = task->item.device;
    struct worker *worker = &search->searcher->devices[device];
    struct engine_chunk chunk = task_chunk(search, &task->chunk);
    struct engine_task count = {
        .chunk = &chunk, .want = WANT_COUNT, .at_once = true, .result = &task->result};

    if (device == ENGINE_DEVICES_MAX || atomic_load(&search->job.runtime->devices.lost[device]))
        return false;
    engine_result_begin(&task->result, 0, true);
    /* An engine worker with counts in flight is not exchanged, though its device may be lost
     * by now. */
    return (worker->device_job == search->job.number ||
            worker_device_ready(worker, &search->job, NULL) == TRAWL_OK) &&
           engine_for_devices->submit(worker->device, &count, NULL) == TRAWL_OK &&
           !task->result.is_left;
}

/* Wait for it; false: a scan is to count. */
static bool end_count(struct search *search, struct task *task, uint64_t *begin_ns)
{
    struct worker *worker = &search->searcher->devices[task->item.device];
    struct engine_task count = {.at_once = true, .result = &task->result};
    enum trawl_status status = engine_for_devices->poll(worker->device, &count, NULL);
    uint64_t now_ns = clock_now_ns(), ns = now_ns - *begin_ns;

    *begin_ns = now_ns;
    if (status != TRAWL_OK || task->result.is_left)
        return false;
    task_counted(search, task, worker, ns);
    return true;
}

/* Take a task with the text's next chunk; NULL: there is none. */
static struct task *take(struct search *search)
{
    struct task *task;

    (void)pthread_mutex_lock(&search->lock);
    task = resident_next(search);
    (void)pthread_mutex_unlock(&search->lock);
    return task;
}

void resident_begin(struct search *search)
{
    struct devices *devices = &search->job.runtime->devices;
    struct task *begun[ENGINE_COUNTS_MAX], *task;
    uint64_t begin_ns = clock_now_ns();
    uint32_t count = 0;

    if (counts_at_once(search) && open_workers(search->searcher))
        while (count < ENGINE_COUNTS_MAX && (task = take(search)) != NULL) {
            if (begin_count(search, task))
                begun[count++] = task;
            else
                devices_push(devices, &task->item);
        }
    for (uint32_t i = 0; i < count; i++)
        if (!end_count(search, begun[i], &begin_ns))
            devices_push(devices, &begun[i]->item);
    resident_queue(search);
}
