/* beside_c: what a C program needs for the searches that beside_c.py times from Python. Each
 * function returns nanoseconds for all rounds, and 0 on failure. */
#include <stdlib.h>
#include <time.h>

#include "trawl.h"

struct bench {
    struct trawl_plan *plan;
    struct trawl_searcher *searcher;
};

static bool processor_time;

/* What counts: the time, or the processor time of all threads. */
void bench_clock(bool processor);
void bench_clock(bool processor)
{
    processor_time = processor;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct bench *bench_open(const void *pattern, uint64_t bytes, uint32_t threads);
struct bench *bench_open(const void *pattern, uint64_t bytes, uint32_t threads)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_pattern one = {pattern, bytes};
    struct bench *bench = (struct bench *)calloc(1, sizeof *bench);

    options.threads = threads;
    options.engine = TRAWL_ENGINE_CPU;
    if (bench == NULL || trawl_plan_build(&one, 1, NULL, &bench->plan, NULL) != TRAWL_OK ||
        trawl_searcher_open(&options, &bench->searcher, NULL) != TRAWL_OK)
        return NULL;
    return bench;
}

uint64_t bench_count(struct bench *bench, const void *text, uint64_t bytes, uint64_t rounds,
                     uint64_t *count);
uint64_t bench_count(struct bench *bench, const void *text, uint64_t bytes, uint64_t rounds,
                     uint64_t *count)
{
    uint64_t begin = now_ns();

    for (uint64_t i = 0; i < rounds; i++) {
        struct trawl_text *opened = NULL;

        if (trawl_text_from_memory(text, bytes, &opened, NULL) != TRAWL_OK ||
            trawl_count(bench->searcher, bench->plan, opened, count, NULL) != TRAWL_OK)
            return 0;
        trawl_text_close(opened);
    }
    return now_ns() - begin;
}

/* Into an array of the right size, which is allocated and freed as a caller would. */
uint64_t bench_begins(struct bench *bench, const void *text, uint64_t bytes, uint64_t room,
                      uint64_t *count);
uint64_t bench_begins(struct bench *bench, const void *text, uint64_t bytes, uint64_t room,
                      uint64_t *count)
{
    uint64_t begin = now_ns(), end;
    uint64_t *begins = (uint64_t *)malloc(room * sizeof *begins);
    struct trawl_text *opened = NULL;

    if (begins == NULL || trawl_text_from_memory(text, bytes, &opened, NULL) != TRAWL_OK ||
        trawl_begins_into(bench->searcher, bench->plan, opened, begins, room, count, NULL) !=
            TRAWL_OK)
        return 0;
    trawl_text_close(opened);
    end = now_ns();
    free(begins);
    return end - begin;
}
