/* threads: the runtime's jobs, the host threads that serve them, and who wakes these. */
#ifndef TRAWL_RUNTIME_THREADS_H
#define TRAWL_RUNTIME_THREADS_H

#include "runtime/runtime.h"

/* List the job, or say again how many host workers it can use. */
void job_share(struct job *job, uint32_t helpers);
/* A listed job has something to do again. */
void job_wake(struct job *job);
/* Take a job that is_known off the list and wait until nobody is inside it. */
void job_recall(struct job *job);
/* One more or one less who holds the job. With the runtime's lock held. */
void job_hold(struct job *job);
void job_leave(struct job *job);
/* End all host workers; workers of devices are to end as well (devices_stop). */
void workers_stop(struct trawl_runtime *runtime);

#endif
