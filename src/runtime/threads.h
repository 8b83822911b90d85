/* threads: lists the runtime's jobs, and starts and wakes the host threads that serve them */
#ifndef TRAWL_RUNTIME_THREADS_H
#define TRAWL_RUNTIME_THREADS_H

#include "runtime/runtime.h"

/* Lists the job unless it is listed, raises helpers_max to `helpers` if it is lower, and wakes or
 * starts a host worker if one is idle or not started. */
void job_share(struct job *job, uint32_t helpers);
/* Says that a listed job has work again, and wakes a host worker if one is idle. */
void job_wake(struct job *job);
/* Takes a job that is_known off the list, and waits until no thread is inside it. */
void job_recall(struct job *job);
/* Adds 1 to job->inside: a thread enters the job, or an item of the job enters the devices' queue.
 * job_leave subtracts 1. The caller holds the runtime's lock. */
void job_hold(struct job *job);
void job_leave(struct job *job);
/* Ends all host workers. From now on the runtime is closing, so that devices_stop can end the
 * workers of devices. */
void workers_stop(struct trawl_runtime *runtime);

#endif
