/* workers: what one worker has of the engines, made ready for a job. */
#ifndef TRAWL_RUNTIME_WORKERS_H
#define TRAWL_RUNTIME_WORKERS_H

#include "runtime/engines.h"
#include "runtime/runtime.h"

/* This worker does something for the job; true: for the first time. */
bool worker_takes_part(struct worker *worker, struct job *job);
/* Make the worker's engine worker ready for the job: that of its layer, if it has one; else on the
 * host, or on a device. A worker whose device is lost goes over to another. */
enum trawl_status worker_host_ready(struct worker *worker, struct job *job,
                                    struct trawl_error *error);
enum trawl_status worker_device_ready(struct worker *worker, struct job *job,
                                      struct trawl_error *error);
/* The engine and the engine worker that search for the job. */
const struct engine_ops *worker_engine(const struct worker *worker, const struct job *job,
                                       bool on_device, struct engine_worker **engine_worker);
/* Is the worker's device lost, and another not? */
bool worker_is_stranded(const struct worker *worker);
void worker_change_device(struct worker *worker);
/* Go over to this device, */
void worker_go_to(struct worker *worker, uint32_t device);
/* or to the device that a text of the caller's lies on, if it is such a text. */
void worker_follow(struct worker *worker, const struct trawl_text *text);
void worker_end(struct worker *worker);

#endif
