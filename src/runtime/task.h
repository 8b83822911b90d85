/* task: one chunk's way from the cursor to its results. */
#ifndef TRAWL_RUNTIME_TASK_H
#define TRAWL_RUNTIME_TASK_H

#include "runtime/search.h"

enum task_taken { TASK_DONE, TASK_NOTHING, TASK_BUSY };

/* Take the text's next chunk into a task, make it ready, search or queue it. `only`: as in
 * text_cursor_next. NOTHING: there is none to take, or no room for it. */
enum task_taken task_work(struct search *search, struct worker *worker, uint64_t only);
/* A text in memory, whole, is to be the task's chunk. */
void task_brief(struct search *search, struct task *task);
/* A worker searches a task from the devices' queue. */
void task_on_device(struct queue_item *item, struct worker *worker);
/* The same for the first of this search's; NOTHING: there is none for this worker. */
enum task_taken task_work_queued(struct search *search, struct worker *worker);
/* Search and digest what a task's chunk still has beyond task->from. */
void task_search(struct search *search, struct task *task, struct worker *worker, bool on_device);
/* The part [from, done) of a task's chunk as the sink sees it. */
void task_view(const struct search *search, const struct task *task, struct sink_chunk *view);
/* Hand that part to the sink; false: stop. */
bool task_deliver(struct search *search, struct task *task, struct sink_chunk *view);
/* The next chunk in order was delivered: its task is free again. */
void task_delivered(struct search *search, struct task *task);

/* If the task's bytes are not needed again: give its buffer back to the devices, or to the budget.
 */
void task_buffer_give(struct trawl_runtime *runtime, struct task *task);
void task_release(struct trawl_runtime *runtime, struct task *task);

/* ---- Chunks of a loaded text ---- */

/* Cut the next chunks, as many as may be ahead of the delivery, and queue them for the devices that
 * hold them. Without locks. */
void resident_queue(struct search *search);

#endif
