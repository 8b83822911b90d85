/* progress: shows how far the search is, on standard error, in a thread of its own. */
#include "trawl/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trawl/clock.h"

#define QUIET_NS UINT64_C(2000000000)
#define STEP_NS UINT64_C(250000000)
#define STEP_PLAIN_NS UINT64_C(2000000000)
#define LINE_BYTES 200

#define FOUND_UNKNOWN UINT64_MAX

static struct {
    const char *name; /* the begin of each line; NULL: there is no display */
    uint64_t begin_ns;
    pthread_mutex_t mutex;                 /* guards `searcher`, text_bytes, and struct progress */
    const struct trawl_searcher *searcher; /* searches the current text; NULL: no text */
    uint64_t text_bytes;                   /* bytes of the current text; 0: unknown */
    _Atomic uint64_t text_found;           /* matches in the current text, or FOUND_UNKNOWN */
    _Atomic uint64_t done_bytes, done_found; /* bytes and matches in all other texts */
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

struct progress {
    pthread_t thread;
    pthread_cond_t wake;
    bool always, terminal, ended;
    bool shown; /* a line is shown on a terminal */
};

/* ---- What is counted --------------------------------------------------------------------------
 */

void progress_file(const struct trawl_searcher *searcher, const struct trawl_text *text)
{
    if (state.name == NULL)
        return;
    pthread_mutex_lock(&state.mutex);
    if (state.searcher != NULL) {
        atomic_fetch_add(&state.done_bytes, trawl_searcher_progress(state.searcher));
        atomic_fetch_add(&state.done_found, atomic_exchange(&state.text_found, 0));
    }
    state.searcher = text != NULL ? searcher : NULL;
    if (text != NULL) {
        atomic_store(&state.text_found, FOUND_UNKNOWN);
        if (!trawl_text_bytes(text, &state.text_bytes))
            state.text_bytes = 0;
    }
    pthread_mutex_unlock(&state.mutex);
}

void progress_found(uint64_t found)
{
    atomic_store_explicit(&state.text_found, found, memory_order_relaxed);
}

void progress_add(uint64_t bytes, uint64_t found)
{
    atomic_fetch_add(&state.done_bytes, bytes);
    atomic_fetch_add(&state.done_found, found);
}

/* ---- The display ------------------------------------------------------------------------------
 */

static void write_text(const char *text, size_t bytes_count)
{
    ssize_t ignored = write(STDERR_FILENO, text, bytes_count);

    (void)ignored; /* a failed write is no error of the search */
}

/* Prints the line. Called with the mutex. */
static void show(struct progress *progress, const char *what)
{
    uint64_t now = state.searcher != NULL ? trawl_searcher_progress(state.searcher) : 0;
    uint64_t all = atomic_load(&state.done_bytes) + now, of = state.text_bytes;
    uint64_t found = atomic_load(&state.text_found);
    double seconds = (double)(now_ns() - state.begin_ns) * 1e-9;
    double speed = (double)all * 1e-9 / (seconds > 1e-3 ? seconds : 1e-3);
    char line[LINE_BYTES];
    int used = snprintf(line, sizeof line, "%s%s%s%.3f GB, %.1f s, %.2f GB/s",
                        progress->terminal ? "\r" : "", state.name, what, (double)all * 1e-9,
                        seconds, speed);

    if (found != FOUND_UNKNOWN)
        used += snprintf(line + used, sizeof line - (size_t)used, ", %" PRIu64 " found",
                         atomic_load(&state.done_found) + found);
    if (state.searcher != NULL && of > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, ", %u %% of %.3f GB",
                         (unsigned)(100.0 * (double)now / (double)of), (double)of * 1e-9);
    if (state.searcher != NULL && of > now && all > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, ", %.0f s left",
                         (double)(of - now) * 1e-9 / speed);
    used += snprintf(line + used, sizeof line - (size_t)used, "%s",
                     progress->terminal ? "\33[K" : "\n");
    write_text(line, (size_t)used);
    progress->shown = progress->terminal;
}

/* The display's thread: shows the line every STEP_NS, on a file or pipe every STEP_PLAIN_NS. */
static void *display(void *context)
{
    struct progress *progress = context;
    uint64_t step, next;

    pthread_mutex_lock(&state.mutex); /* progress_end may run already */
    step = progress->terminal ? STEP_NS : STEP_PLAIN_NS;
    next = state.begin_ns + (progress->always ? step : QUIET_NS);
    while (!progress->ended) {
        struct timespec until = {(time_t)(next / SECOND_NS), (long)(next % SECOND_NS)};

        pthread_cond_timedwait(&progress->wake, &state.mutex, &until);
        if (progress->ended || now_ns() < next)
            continue;
        show(progress, "");
        next = now_ns() + step;
    }
    pthread_mutex_unlock(&state.mutex);
    return NULL;
}

struct progress *progress_begin(const char *name, bool always)
{
    struct progress *progress = calloc(1, sizeof *progress);
    pthread_condattr_t attributes;

    if (progress == NULL)
        return NULL;
    state.name = name;
    state.begin_ns = now_ns();
    progress->always = always;
    progress->terminal = isatty(STDERR_FILENO) != 0;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&progress->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&progress->thread, NULL, display, progress) == 0)
        return progress;
    state.name = NULL;
    pthread_cond_destroy(&progress->wake);
    free(progress);
    return NULL;
}

void progress_hide(struct progress *progress)
{
    if (progress == NULL)
        return;
    pthread_mutex_lock(&state.mutex);
    if (progress->shown)
        write_text("\r\33[K", 4);
    progress->shown = false;
    pthread_mutex_unlock(&state.mutex);
}

void progress_end(struct progress *progress)
{
    progress_hide(progress);
    pthread_mutex_lock(&state.mutex);
    if (progress->always) {
        progress->terminal = false;
        show(progress, "searched ");
    }
    progress->ended = true;
    pthread_cond_signal(&progress->wake);
    pthread_mutex_unlock(&state.mutex);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->wake);
    free(progress);
}
