/* tasks: which are free, which are taken, and what workers did. */
#include "runtime/tasks.h"

#include "base/checked.h"
#include "runtime/buffers.h"
#include "runtime/matches.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/workers.h"

struct engine_chunk task_chunk(const struct search *search, const struct text_chunk *chunk)
{
    return (struct engine_chunk){.bytes = chunk->bytes,
                                 .begin = chunk->begin,
                                 .owned = chunk->owned,
                                 .before = chunk->before,
                                 .after = chunk->after,
                                 .readable = chunk->readable,
                                 .may_be_left = !plan_has_algorithm(search->job.plan)};
}

struct work_done *task_work_of(struct search *search, const struct worker *worker, bool on_device)
{
    uint32_t device = worker->device_index < ENGINE_DEVICES_MAX ? worker->device_index : 0;

    return on_device ? &search->device[device] : &search->host;
}

void task_take_part(struct search *search, struct worker *worker, bool on_device)
{
    if (worker_takes_part(worker, &search->job))
        atomic_fetch_add(&task_work_of(search, worker, on_device)->threads, 1);
}

void task_count_work(struct search *search, const struct worker *worker, bool on_device,
                     uint64_t bytes, uint64_t ns)
{
    struct work_done *done = task_work_of(search, worker, on_device);

    atomic_fetch_add(&done->chunks, 1);
    atomic_fetch_add(&done->bytes, bytes);
    atomic_fetch_add(&done->search_ns, ns);
}

struct task *task_take(struct search *search)
{
    struct task *task = search->free;

    TRAWL_ASSERT(search->tasks_used <= search->tasks_max &&
                 search->tasks_max <= search->searcher->task_count);
    if (search->ended || search->stopping ||
        (task == NULL && search->tasks_used == search->tasks_max)) {
        atomic_store(&search->job.has_work, false);
        return NULL;
    }
    if (task != NULL)
        search->free = task->next;
    else
        task = &search->searcher->tasks[search->tasks_used++];
    search->taken++;
    TRAWL_ASSERT(search->taken <= search->tasks_used);
    task->item = (struct queue_item){.job = &search->job, .device = ENGINE_DEVICES_MAX};
    task->from = 0;
    task->status = TRAWL_OK;
    task->held_hits = 0;
    task->staged_from = NULL;
    task->buffer_is_pinned = false;
    return task;
}

void task_put_back(struct search *search, struct task *task, bool ends, bool paused)
{
    (void)pthread_mutex_lock(&search->lock);
    task->next = search->free;
    search->free = task;
    TRAWL_ASSERT(search->taken > 0);
    search->taken--;
    search->ended |= ends;
    if (ends || paused)
        atomic_store(&search->job.has_work, false);
    (void)pthread_cond_signal(&search->ready);
    (void)pthread_mutex_unlock(&search->lock);
}

void task_buffer_give(struct trawl_runtime *runtime, struct task *task)
{
    if (task->buffer_is_pinned)
        devices_buffer_give(&runtime->devices, &task->buffer);
    else if (runtime->memory_max > 0) /* what is kept idle would be others' */
        runtime_buffer_release(runtime, &task->buffer);
    task->buffer_is_pinned = false;
}

void task_release(struct trawl_runtime *runtime, struct task *task)
{
    runtime_buffer_release(runtime, &task->buffer);
    hits_release(&task->result.hits);
    cells_clear(&task->digest.cells);
    pattern_counts_release(&task->digest.pattern_counts);
    matches_release(task);
}
