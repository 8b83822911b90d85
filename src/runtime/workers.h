/* workers: prepares a worker's engine workers for a job. An *engine worker* is the state that an
 * engine keeps for one thread. A *layer* is an engine for one kind of plan, such as regular
 * expressions, built on the engines of the host and of devices. */
#ifndef TRAWL_RUNTIME_WORKERS_H
#define TRAWL_RUNTIME_WORKERS_H

#include "runtime/engines.h"
#include "runtime/runtime.h"

/* Counts the worker in job->took_part. Returns true the first time. */
bool worker_takes_part(struct worker *worker, struct job *job);
/* Prepares the worker's engine worker for the job, on its device or on the host. A worker whose
 * device is lost changes to another one. */
enum trawl_status worker_ready(struct worker *worker, struct job *job, bool on_device,
                               struct trawl_error *error);
/* Returns the engine that searches for the job, and stores the worker's engine worker for it. */
const struct engine_ops *worker_engine(struct worker *worker, const struct job *job, bool on_device,
                                       struct engine_worker **engine_worker);
/* Returns true if the worker's device is lost, but another one works. */
bool worker_is_stranded(const struct worker *worker);
void worker_change_device(struct worker *worker);
/* Changes to this device. */
void worker_go_to(struct worker *worker, uint32_t device);
/* Changes to the device that holds the text, if one does. */
void worker_follow(struct worker *worker, const struct trawl_text *text);
void worker_end(struct worker *worker);

#endif
