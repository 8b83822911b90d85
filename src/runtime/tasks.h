/* tasks: which are free, which are taken, and what workers did. */
#ifndef TRAWL_RUNTIME_TASKS_H
#define TRAWL_RUNTIME_TASKS_H

#include "runtime/search.h"

/* A free task; NULL: there is none, or no more are to be taken. With the search's lock held. */
struct task *task_take(struct search *search);
/* Back among the free ones; `paused`: what keeps the worker from going on is not a lack of tasks.
 */
void task_put_back(struct search *search, struct task *task, bool ends, bool paused);
/* If the task's bytes are not needed again: give its buffer back to the devices, or to the budget.
 */
void task_buffer_give(struct trawl_runtime *runtime, struct task *task);
void task_release(struct trawl_runtime *runtime, struct task *task);
/* What an engine is told of a chunk of the search's text. */
struct engine_chunk task_chunk(const struct search *search, const struct text_chunk *chunk);

/* What the workers of that kind did; the worker does something for the search, on the host or on
 * its device; it did so much. */
struct work_done *task_work_of(struct search *search, const struct worker *worker, bool on_device);
void task_take_part(struct search *search, struct worker *worker, bool on_device);
void task_count_work(struct search *search, const struct worker *worker, bool on_device,
                     uint64_t bytes, uint64_t ns);

#endif
