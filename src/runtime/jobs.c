/* jobs: the list of what the runtime's workers can help with. */
#include "runtime/jobs.h"

#include <string.h>

#include "runtime/runtime.h"

void job_begin(struct job *job, struct trawl_runtime *runtime, const struct trawl_plan *plan,
               void (*serve)(struct job *job, struct worker *worker))
{
    memset(job, 0, sizeof *job);
    job->runtime = runtime;
    job->number = atomic_fetch_add(&runtime->jobs_begun, 1) + 1;
    job->plan = plan;
    job->serve = serve;
    atomic_store(&job->has_work, true);
    (void)pthread_cond_init(&job->left, NULL);
}

void job_hold(struct job *job)
{
    atomic_fetch_add(&job->inside, 1);
}

void job_leave(struct job *job)
{
    TRAWL_ASSERT(atomic_load(&job->inside) > 0);
    atomic_fetch_sub(&job->inside, 1);
    if (job->waits_for_leave)
        (void)pthread_cond_signal(&job->left);
}

void job_list(struct trawl_runtime *runtime, struct job *job)
{
    struct job *first = runtime->jobs;

    job->listed = true;
    job->next = first == NULL ? job : first;
    job->previous = first == NULL ? job : first->previous;
    job->next->previous = job;
    job->previous->next = job;
    if (first == NULL)
        runtime->jobs = job;
}

void job_unlist(struct trawl_runtime *runtime, struct job *job)
{
    if (!job->listed)
        return;
    job->listed = false;
    job->next->previous = job->previous;
    job->previous->next = job->next;
    if (runtime->jobs == job)
        runtime->jobs = job->next == job ? NULL : job->next;
}

struct job *job_for_host(struct trawl_runtime *runtime)
{
    struct job *first = runtime->jobs, *job = first;

    while (job != NULL) {
        if (atomic_load(&job->has_work) && job->helpers < job->helpers_max)
            return job;
        job = job->next == first ? NULL : job->next;
    }
    return NULL;
}
