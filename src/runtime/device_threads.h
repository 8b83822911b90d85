/* device_threads: the device workers, and the queue that they serve. */
#ifndef TRAWL_RUNTIME_DEVICE_THREADS_H
#define TRAWL_RUNTIME_DEVICE_THREADS_H

#include "runtime/runtime.h"

/* Starts the device workers, unless they run. Returns false if none could be started. */
bool devices_start(struct devices *devices);
/* Ends the device workers, once the runtime is closing. */
void devices_stop(struct devices *devices);
/* Appends a chain of items to the queue, in the chain's order. From now on, each item counts as
 * inside its job, which cannot end before the item is done. */
void devices_push(struct devices *devices, struct queue_item *first);
/* Takes the job's first item that this worker may search from the queue; it no longer counts as
 * inside the job. Returns NULL if there is none. */
struct queue_item *devices_take(struct devices *devices, const struct worker *worker,
                                struct job *job);
/* Removes all items of the job from the queue; they no longer count as inside the job. */
void devices_drop(struct devices *devices, struct job *job);

#endif
