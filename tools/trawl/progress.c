/* progress: how far the search is. */
#include "trawl/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define QUIET_NS UINT64_C(2000000000)
#define STEP_NS UINT64_C(250000000)
#define STEP_PLAIN_NS UINT64_C(2000000000)
#define LINE_BYTES 160

struct progress {
    const struct trawl_searcher *searcher;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool always, terminal, ended, searching, shown;
    bool total_known;
    uint64_t total_bytes;       /* of the current text */
    uint64_t done_bytes_before; /* of other texts */
    uint64_t begin_ns;
};

static uint64_t now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void write_line(const char *line, int bytes_count)
{
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)bytes_count);

    (void)ignored; /* a display that cannot be written is no error */
}

/* With the mutex held. */
static void show(struct progress *progress, const char *what)
{
    uint64_t done = progress->searching ? trawl_searcher_progress(progress->searcher) : 0;
    uint64_t all = progress->done_bytes_before + done;
    double seconds = (double)(now_ns() - progress->begin_ns) * 1e-9;
    double speed = seconds > 0 ? (double)all * 1e-9 / seconds : 0;
    char line[LINE_BYTES];
    int used = snprintf(line, sizeof line, "%strawl: %s%.3f GB, %.1f s, %.2f GB/s",
                        progress->terminal ? "\r" : "", what, (double)all * 1e-9, seconds, speed);

    if (progress->searching && progress->total_known && progress->total_bytes > 0) {
        double left = (double)progress->total_bytes - (double)done;

        used += snprintf(line + used, sizeof line - (size_t)used, ", %.0f %% of %.3f GB",
                         100.0 * (double)done / (double)progress->total_bytes,
                         (double)progress->total_bytes * 1e-9);
        if (speed > 0 && left > 0)
            used += snprintf(line + used, sizeof line - (size_t)used, ", %.0f s left",
                             left * 1e-9 / speed);
    }
    used += snprintf(line + used, sizeof line - (size_t)used, "%s",
                     progress->terminal ? "\33[K" : "\n");
    write_line(line, used);
    progress->shown = progress->terminal;
}

static void *display(void *context)
{
    struct progress *progress = context;
    uint64_t step, next;

    pthread_mutex_lock(&progress->mutex); /* progress_end may be at work already */
    step = progress->terminal ? STEP_NS : STEP_PLAIN_NS;
    next = progress->begin_ns + (progress->always ? step : QUIET_NS);
    while (!progress->ended) {
        struct timespec until = {(time_t)(next / UINT64_C(1000000000)),
                                 (long)(next % UINT64_C(1000000000))};

        pthread_cond_timedwait(&progress->wake, &progress->mutex, &until);
        if (progress->ended || now_ns() < next)
            continue;
        show(progress, "");
        next = now_ns() + step;
    }
    pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

struct progress *progress_begin(bool always)
{
    struct progress *progress = calloc(1, sizeof *progress);
    pthread_condattr_t attributes;

    if (progress == NULL)
        return NULL;
    progress->always = always;
    progress->terminal = isatty(STDERR_FILENO) != 0;
    progress->begin_ns = now_ns();
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&progress->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&progress->thread, NULL, display, progress) == 0)
        return progress;
    pthread_cond_destroy(&progress->wake);
    pthread_mutex_destroy(&progress->mutex);
    free(progress);
    return NULL;
}

void progress_file(struct progress *progress, const struct trawl_searcher *searcher,
                   const struct trawl_text *text)
{
    if (progress == NULL)
        return;
    pthread_mutex_lock(&progress->mutex);
    progress->searcher = searcher;
    if (progress->searching)
        progress->done_bytes_before += trawl_searcher_progress(progress->searcher);
    progress->searching = text != NULL;
    progress->total_known = text != NULL && trawl_text_bytes(text, &progress->total_bytes);
    pthread_mutex_unlock(&progress->mutex);
}

void progress_add(struct progress *progress, uint64_t bytes)
{
    if (progress == NULL)
        return;
    pthread_mutex_lock(&progress->mutex);
    progress->done_bytes_before += bytes;
    pthread_mutex_unlock(&progress->mutex);
}

void progress_hide(struct progress *progress)
{
    if (progress == NULL)
        return;
    pthread_mutex_lock(&progress->mutex);
    if (progress->shown)
        write_line("\r\33[K", 4);
    progress->shown = false;
    pthread_mutex_unlock(&progress->mutex);
}

void progress_end(struct progress *progress)
{
    if (progress == NULL)
        return;
    progress_hide(progress);
    pthread_mutex_lock(&progress->mutex);
    if (progress->always) {
        progress->terminal = false;
        show(progress, "searched ");
    }
    progress->ended = true;
    pthread_cond_signal(&progress->wake);
    pthread_mutex_unlock(&progress->mutex);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->wake);
    pthread_mutex_destroy(&progress->mutex);
    free(progress);
}
