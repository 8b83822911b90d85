/* at_once: short counts of a loaded text, begun on all devices by the calling thread. */
#include "runtime/at_once.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/engines.h"
#include "runtime/resident.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/task.h"
#include "runtime/tasks.h"
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

/* What was begun: chunk `index` by the worker of its device. */
struct begun {
    uint64_t index;
    struct worker *worker;
    struct engine_result result;
};

static bool begin_count(struct search *search, uint64_t index, struct begun *begun)
{
    uint32_t device = search->chunks[index].device;
    struct text_chunk chunk;
    struct engine_chunk scanned;
    struct engine_task task = {
        .chunk = &scanned, .want = WANT_COUNT, .at_once = true, .result = &begun->result};

    if (device == ENGINE_DEVICES_MAX || atomic_load(&search->job.runtime->devices.lost[device]))
        return false;
    *begun = (struct begun){.index = index, .worker = &search->searcher->devices[device]};
    resident_make_chunk(search, index, &chunk);
    scanned = task_chunk(search, &chunk);
    /* An engine worker with counts in flight is not exchanged, though its device may be lost
     * by now. */
    return (begun->worker->device_job == search->job.number ||
            worker_device_ready(begun->worker, &search->job, NULL) == TRAWL_OK) &&
           engine_for_devices->submit(begun->worker->device, &task, NULL) == TRAWL_OK &&
           !begun->result.is_left;
}

/* Wait for it. What a scan is to count stays with the chunks that are not taken. */
static void end_count(struct search *search, struct begun *begun, uint64_t *begin_ns)
{
    struct engine_task counted = {.at_once = true, .result = &begun->result};
    enum trawl_status status = engine_for_devices->poll(begun->worker->device, &counted, NULL);
    struct task *task = NULL;
    uint64_t now_ns;

    now_ns = clock_now_ns();
    if (status == TRAWL_OK && !begun->result.is_left) {
        (void)pthread_mutex_lock(&search->lock);
        task = resident_take_at(search, begun->index);
        (void)pthread_mutex_unlock(&search->lock);
    }
    if (task != NULL)
        task_counted(search, task, begun->worker, begun->result.count,
                     begun->result.candidate_count, now_ns - *begin_ns);
    *begin_ns = now_ns;
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

bool count_at_once(struct search *search)
{
    uint64_t end = resident_reach(search);
    uint64_t begin_ns = clock_now_ns();
    struct begun begun[ENGINE_COUNTS_MAX];
    uint32_t count = 0;

    if (!counts_at_once(search) || !open_workers(search->searcher))
        return false;
    TRAWL_ASSERT(!search->shared);
    for (uint64_t i = search->chunk_first; i < end && count < ENGINE_COUNTS_MAX; i++)
        if (!search->chunks[i].taken && begin_count(search, i, &begun[count]))
            count++;
    for (uint32_t i = 0; i < count; i++)
        end_count(search, &begun[i], &begin_ns);
    return search->chunk_first == search->chunk_count;
}
