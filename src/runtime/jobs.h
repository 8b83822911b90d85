/* jobs: the list of what the runtime's workers can help with. */
#ifndef TRAWL_RUNTIME_JOBS_H
#define TRAWL_RUNTIME_JOBS_H

#include "runtime/runtime.h"

void job_begin(struct job *job, struct trawl_runtime *runtime, const struct trawl_plan *plan,
               void (*serve)(struct job *job, struct worker *worker));

/* The others with the runtime's lock held. */

/* One more or one less who holds the job. */
void job_hold(struct job *job);
void job_leave(struct job *job);
/* On the list, and off it. */
void job_list(struct trawl_runtime *runtime, struct job *job);
void job_unlist(struct trawl_runtime *runtime, struct job *job);
/* A job that one more host worker can help; NULL: none. */
struct job *job_for_host(struct trawl_runtime *runtime);

#endif
