/* device_threads: the workers of devices, and the devices' queue of work. */
#ifndef TRAWL_RUNTIME_DEVICE_THREADS_H
#define TRAWL_RUNTIME_DEVICE_THREADS_H

#include "runtime/runtime.h"

/* Starts the workers of devices. Returns false if no worker runs. */
bool devices_start(struct devices *devices);
/* Ends the workers of devices, once the runtime is closing. */
void devices_stop(struct devices *devices);
/* Appends a chain of items to the queue. Workers take the items in the chain's order. Each item
 * counts as inside its job from now on: the job does not end before the item is done. */
void devices_push(struct devices *devices, struct queue_item *first);
/* Takes the job's first item that this worker, which is not a device's worker, may search. The item
 * no longer counts as inside the job. Returns NULL if the queue has no item for the worker. */
struct queue_item *devices_take(struct devices *devices, const struct worker *worker,
                                struct job *job);
/* Removes all items of the job from the queue. The items no longer count as inside the job. */
void devices_drop(struct devices *devices, struct job *job);

#endif
