/* task: takes a text's next chunk, prepares it, and searches it. Called by host workers, device
 * workers and the caller; job.c delivers the results. */
#ifndef TRAWL_RUNTIME_TASK_H
#define TRAWL_RUNTIME_TASK_H

#include "runtime/search.h"

enum task_taken { TASK_DONE, TASK_NOTHING, TASK_BUSY };

/* Takes a free task and the text's next chunk, prepares the chunk, and searches or queues it. From
 * a stream, takes only the chunk with index `only` (TEXT_ANY_CHUNK: any). Returns DONE if a chunk
 * was taken, or if the worker should immediately try again; NOTHING if there is no chunk for this
 * worker, no free task, or no memory for the chunk; BUSY if another thread is taking the next
 * chunk. */
enum task_taken task_work(struct search *search, struct worker *worker, uint64_t only);
/* Makes bytes [from, end) of a text in memory the task's chunk, and clears its result. `last`: the
 * text ends there. */
void task_set_text(struct task *task, const struct trawl_text *text, uint64_t from, uint64_t end,
                   bool last);
/* Searches a task from the devices' queue. Called as job.serve_item(). */
void task_on_device(struct queue_item *item, struct worker *worker);
/* Takes the first task of this search that the worker may search from the devices' queue, and
 * searches it. Returns NOTHING if there is none. */
enum task_taken task_work_queued(struct search *search, struct worker *worker);
/* Searches the task's chunk, starting at task->from. Then makes the digest: what the sink computes
 * from the hits before the delivery. */
void task_search(struct search *search, struct task *task, struct worker *worker, bool on_device);
/* Returns true if a device has left the chunk, from task->from on, to the host, and no thread has
 * searched it yet. */
bool task_is_left(const struct task *task);
/* Subtracts the part that was searched last from the counters: it will be searched again. */
void task_forget(struct search *search, struct task *task);
/* Turns the task's hits, or the first of them, into the matches that the sink wants. Unless it is
 * done `at_once`, task_deliver may do that instead. */
enum trawl_status task_make_matches(const struct trawl_plan *plan, const struct sink *sink,
                                    struct task *task, bool at_once, struct trawl_error *error);
/* Fills *view with the part [task->from, task->result.done) of the chunk and its results. */
void task_view(const struct sink *sink, const struct task *task, struct sink_chunk *view);
/* Delivers the part in *view to the sink. Returns false if the sink stops the search. */
bool task_deliver(const struct trawl_plan *plan, struct sink *sink, struct task *task,
                  struct sink_chunk *view);
/* Frees a task after its delivery; the next chunk in order is then due. */
void task_delivered(struct search *search, struct task *task);

/* Gives the task's buffer back once its bytes are no longer needed: a pinned one to the devices.
 * Any other is released if the runtime has a memory limit, and kept otherwise. */
void task_buffer_give(struct trawl_runtime *runtime, struct task *task);

/* ---- Chunks of a loaded text ---- */

/* Cuts as many chunks as may be ahead of the delivery, and queues each for the device that has it.
 * The caller must hold no lock. */
void resident_queue(struct search *search);

#endif
