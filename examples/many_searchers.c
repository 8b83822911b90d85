/* many_searchers: several threads search at the same time, with the same plan
 *
 * Shows what is shared and what is not. A plan is immutable, so any number of threads may use it. A
 * runtime holds the worker threads and devices that all searchers share. A searcher is for one
 * thread at a time; with a runtime it costs little, so each thread opens its own.
 *
 *     $ ./many_searchers
 *     text 0: 1
 *     text 1: 2
 *     text 2: 3
 *     text 3: 4
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <trawl.h>

#define THREADS 4

struct job {
    pthread_t thread;
    struct trawl_runtime *runtime;
    const struct trawl_plan *plan;
    const char *bytes;
    uint64_t count;
    enum trawl_status status;
    struct trawl_error error; /* each thread has its own error struct */
};

static void *search(void *argument)
{
    struct job *job = (struct job *)argument;
    const struct trawl_text_options memory = TRAWL_TEXT_MEMORY(job->bytes, strlen(job->bytes));
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;
    struct trawl_text *text = NULL;

    options.runtime = job->runtime;
    job->status = trawl_searcher_open(&options, &searcher, &job->error);
    if (job->status == TRAWL_OK)
        job->status = trawl_text_open(NULL, &memory, &text, &job->error);
    if (job->status == TRAWL_OK)
        job->status = trawl_count(searcher, job->plan, text, &job->count, &job->error);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    return NULL;
}

int main(void)
{
    const char *texts[THREADS] = {"fish", "fish fish", "fish, fish, fish", "fishfishfishfish"};
    const struct trawl_pattern pattern = {"fish", 4};
    struct job jobs[THREADS] = {0};
    struct trawl_plan *plan = NULL;
    struct trawl_runtime *runtime = NULL;
    struct trawl_error error = {.status = TRAWL_OK};
    int started = 0, failed = 0;

    if (trawl_plan_build(&pattern, 1, NULL, &plan, &error) == TRAWL_OK &&
        trawl_runtime_open(NULL, &runtime, &error) == TRAWL_OK)
        for (; started < THREADS; started++) {
            struct job *job = &jobs[started];

            *job = (struct job){.runtime = runtime, .plan = plan, .bytes = texts[started]};
            if (pthread_create(&job->thread, NULL, search, job) != 0)
                break;
        }
    else
        fprintf(stderr, "many_searchers: %s\n", error.message);
    for (int i = 0; i < started; i++) {
        if (pthread_join(jobs[i].thread, NULL) == 0 && jobs[i].status == TRAWL_OK)
            printf("text %d: %" PRIu64 "\n", i, jobs[i].count);
        else
            failed += fprintf(stderr, "text %d: %s\n", i, jobs[i].error.message);
    }
    (void)trawl_runtime_close(runtime, NULL); /* fails (BUSY) only while searchers are open */
    trawl_plan_free(plan);
    return started == THREADS && failed == 0 ? 0 : 2;
}
