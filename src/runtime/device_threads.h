/* device_threads: the workers of devices, and the queue of work for them. */
#ifndef TRAWL_RUNTIME_DEVICE_THREADS_H
#define TRAWL_RUNTIME_DEVICE_THREADS_H

#include "runtime/runtime.h"

/* Start them; false: none runs. */
bool devices_start(struct devices *devices);
/* End them, once the runtime is closing. */
void devices_stop(struct devices *devices);
/* Queue a chain of items, which hold their job from now on. The workers take them in this order. */
void devices_push(struct devices *devices, struct queue_item *first);
/* Take the first item of the job's that this worker of another kind may search, too; it does not
 * hold the job any more. NULL: there is none. */
struct queue_item *devices_take(struct devices *devices, const struct worker *worker,
                                struct job *job);
/* Drop what the job has in the queue: those items hold it no longer. */
void devices_drop(struct devices *devices, struct job *job);

#endif
