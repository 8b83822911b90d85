/* threads: the runtime's host threads, and who wakes them. */
#ifndef TRAWL_RUNTIME_THREADS_H
#define TRAWL_RUNTIME_THREADS_H

#include "runtime/runtime.h"

/* List the job, or say again how many host workers it can use. */
void job_share(struct job *job, uint32_t helpers);
/* A listed job has something to do again. */
void job_wake(struct job *job);
/* Take the job off the list and wait until no worker is inside it. */
void job_end(struct job *job);
/* End all workers, of devices too. */
void workers_stop(struct trawl_runtime *runtime);

#endif
