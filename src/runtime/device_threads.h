/* device_threads: the workers of devices, and the devices' queue of work. */
#ifndef TRAWL_RUNTIME_DEVICE_THREADS_H
#define TRAWL_RUNTIME_DEVICE_THREADS_H

#include "runtime/runtime.h"

/* Starts the workers of devices. Returns false if no worker runs. */
bool devices_start(struct devices *devices);
/* Ends the workers of devices, once the runtime is closing. */
void devices_stop(struct devices *devices);
/* Appends a chain of items to the queue. Workers take them in the chain's order. From now on, each
 * counts as inside its job, which does not end before the item is done. */
void devices_push(struct devices *devices, struct queue_item *first);
/* Takes from the queue the job's first item that this host worker may search; the item no longer
 * counts as inside the job. Returns NULL if there is none. */
struct queue_item *devices_take(struct devices *devices, const struct worker *worker,
                                struct job *job);
/* Removes all items of the job from the queue; they no longer count as inside the job. */
void devices_drop(struct devices *devices, struct job *job);

#endif
