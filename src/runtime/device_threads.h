/* device_threads: the workers of devices, and the queue of tasks to them. */
#ifndef TRAWL_RUNTIME_DEVICE_THREADS_H
#define TRAWL_RUNTIME_DEVICE_THREADS_H

#include "runtime/runtime.h"

/* Start them; false: none runs. */
bool devices_start(struct devices *devices);
/* A listed job has chunks that lie on devices: wake workers for them. With the runtime's lock held.
 */
void devices_call(struct devices *devices, const struct job *job);
/* Wake all of their workers. With the runtime's lock held. */
void devices_call_all(struct devices *devices);
/* Queue a task that was claimed, which holds its job from now on. */
void devices_push(struct devices *devices, struct task *task);
/* Drop what the job has in the queue: those tasks hold it no longer. */
void devices_drop(struct devices *devices, struct job *job);

#endif
