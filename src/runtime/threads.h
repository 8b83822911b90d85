/* threads: the runtime's list of jobs, and the host threads that serve them */
#ifndef TRAWL_RUNTIME_THREADS_H
#define TRAWL_RUNTIME_THREADS_H

#include "runtime/runtime.h"

/* Lists the job, if it is not listed; raises helpers_max to at least `helpers`; and wakes an idle
 * host worker, or starts one. */
void job_publish(struct job *job, uint32_t helpers);
/* Called when a listed job has work again: wakes an idle host worker, if there is one. */
void job_wake(struct job *job);
/* Removes a job that is_known from the list, and waits until no thread is inside it. */
void job_recall(struct job *job);
/* job_hold increments job->inside, for a thread that enters the job, or an item that enters the
 * devices' queue; job_leave decrements it. The caller holds the runtime's lock. */
void job_hold(struct job *job);
void job_leave(struct job *job);
/* Ends all host workers, and marks the runtime as closing, so that devices_stop can end the device
 * workers. */
void workers_stop(struct trawl_runtime *runtime);

#endif
