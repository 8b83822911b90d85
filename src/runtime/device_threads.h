/* device_threads: the device workers, and the queue that they serve.
 *
 * Copies, kernels and results should overlap, and no core should wait for a device. So each device
 * has up to eight threads, and the threads of all devices take tasks from one queue.
 *
 * - Reading. Host workers read chunks into free pinned buffers, and search themselves if none is
 *   free. On files, `auto` reaches 0.75 to 0.90 of the combined speed of 16 cores and an H200.
 * - Texts in memory are copied through pinned buffers, with stores that bypass the caches (38 to
 *   49 GB/s), if that takes less than 0.7 of the time of a search on the host.
 * - What devices leave. With TRAWL_ENGINE_CUDA, a search should never take longer than with
 *   TRAWL_ENGINE_CPU. A device leaves a loaded text to the host if a single thread would be slow
 *   to judge what it finds, or if it lacks memory for a set's automaton. From there on the host's
 *   threads search in chunks of their own (job.c).
 * - Failures. A device that has failed is not used again; others or the host repeat its work.
 * - Loaded texts. A text of 1 GiB or more is split among the devices, in stripes of up to about 8
 *   GiB with 1 MiB of overlap; a shorter one is copied to each. Records stay on one device, unless
 *   none has enough memory.
 * - Several devices. Each device's first thread, which has the plan's tables, polls the queue for
 *   a millisecond before sleeping: four H200s search for sets at 16 to 17 TB/s, instead of 4.7.
 * - Lists. Hits come back through pinned memory. Start offsets alone (TRAWL_BEGINS) are written by
 *   kernels straight into an array in the device's memory, and otherwise into lists, which are
 *   copied; if the array is not pinned, through a buffer that is.
 */
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
