/* progress: shows how far the search is.
 *
 * The counters are atomic variables, so that both the handler of SIGUSR1 and the display's thread
 * can print a line. The line is composed without printf, which a handler must not call.
 */
#include "trawl/progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trawl/clock.h"

#define QUIET_NS UINT64_C(2000000000)
#define STEP_NS UINT64_C(250000000)
#define STEP_PLAIN_NS UINT64_C(2000000000)
#define LINE_BYTES 200
#define MEGABYTE UINT64_C(1000000)

#define FOUND_UNKNOWN UINT64_MAX

static struct {
    const char *name; /* the begin of each line */
    pthread_t thread; /* the thread that called progress_open, and closes searchers */
    uint64_t begin_ns;
    _Atomic(const struct trawl_searcher *) searcher; /* searches the current text */
    _Atomic uint64_t text_bytes;                     /* bytes of the current text; 0: unknown */
    _Atomic uint64_t text_found;             /* matches in the current text, or FOUND_UNKNOWN */
    _Atomic uint64_t done_bytes, done_found; /* bytes and matches in all other texts */
    atomic_bool shown;                       /* a line is shown on a terminal */
} state;

struct progress {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool always, terminal, ended;
};

struct line {
    char text[LINE_BYTES];
    size_t used;
};

uint64_t progress_elapsed_ns(void)
{
    return now_ns() - state.begin_ns;
}

/* ---- The line, made of what a handler may call ------------------------------------------------
 */

static void add_text(struct line *line, const char *text)
{
    while (*text != '\0' && line->used < sizeof line->text)
        line->text[line->used++] = *text++;
}

static void add_number(struct line *line, uint64_t number)
{
    char digits[24], *at = digits + sizeof digits - 1;

    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    add_text(line, at);
}

/* Adds thousandths / 1000 with `places` ≤ 3 decimal places. */
static void add_fraction(struct line *line, uint64_t thousandths, int places, const char *unit)
{
    char digits[5] = {'.', (char)('0' + thousandths / 100 % 10),
                      (char)('0' + thousandths / 10 % 10), (char)('0' + thousandths % 10), '\0'};

    digits[1 + places] = '\0';
    add_number(line, thousandths / 1000);
    add_text(line, digits);
    add_text(line, unit);
}

static void make_line(struct line *line, const char *begin, const char *what, const char *end)
{
    const struct trawl_searcher *searcher = atomic_load(&state.searcher);
    uint64_t now = searcher != NULL ? trawl_searcher_progress(searcher) : 0;
    uint64_t all = atomic_load(&state.done_bytes) + now, of = atomic_load(&state.text_bytes);
    uint64_t found = atomic_load(&state.text_found);
    uint64_t milliseconds = progress_elapsed_ns() / 1000000;
    uint64_t speed = milliseconds > 0 ? all / 1000 / milliseconds : 0; /* MB/s */

    line->used = 0;
    add_text(line, begin);
    add_text(line, state.name);
    add_text(line, what);
    add_fraction(line, all / MEGABYTE, 3, " GB, ");
    add_fraction(line, milliseconds, 1, " s, ");
    add_fraction(line, speed, 2, " GB/s");
    if (found != FOUND_UNKNOWN) {
        add_text(line, ", ");
        add_number(line, atomic_load(&state.done_found) + found);
        add_text(line, " found");
    }
    if (searcher != NULL && of > 0) {
        add_text(line, ", ");
        add_number(line, (uint64_t)(100.0 * (double)now / (double)of));
        add_text(line, " % of ");
        add_fraction(line, of / MEGABYTE, 3, " GB");
        if (speed > 0 && of > now) {
            add_text(line, ", ");
            add_number(line, (of - now) / MEGABYTE / speed);
            add_text(line, " s left");
        }
    }
    add_text(line, end);
}

static void write_text(const char *text, size_t bytes_count)
{
    ssize_t ignored = write(STDERR_FILENO, text, bytes_count);

    (void)ignored; /* a failed write is no error of the search */
}

/* Prints the line on the thread that closes searchers, so that no searcher is closed meanwhile. */
static void at_signal(int signal)
{
    int error = errno;
    struct line line;

    if (pthread_equal(pthread_self(), state.thread)) {
        make_line(&line, "", "", "\n");
        write_text(line.text, line.used);
    } else {
        (void)pthread_kill(state.thread, signal);
    }
    errno = error;
}

void progress_open(const char *name)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    state.name = name;
    state.thread = pthread_self();
    state.begin_ns = now_ns();
    action.sa_handler = at_signal;
    action.sa_flags = SA_RESTART;
    (void)sigaction(SIGUSR1, &action, NULL);
}

/* ---- What is counted --------------------------------------------------------------------------
 */

void progress_file(const struct trawl_searcher *searcher, const struct trawl_text *text)
{
    const struct trawl_searcher *last;
    uint64_t text_bytes = 0;

    if (state.name == NULL) /* without a display there may be several jobs */
        return;
    last = atomic_exchange(&state.searcher, NULL);

    if (last != NULL) {
        atomic_fetch_add(&state.done_bytes, trawl_searcher_progress(last));
        atomic_fetch_add(&state.done_found, atomic_exchange(&state.text_found, 0));
    }
    if (text == NULL)
        return;
    atomic_store(&state.text_found, FOUND_UNKNOWN);
    atomic_store(&state.text_bytes, trawl_text_bytes(text, &text_bytes) ? text_bytes : 0);
    atomic_store(&state.searcher, searcher);
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

/* Prints the line. Called with the mutex. */
static void show(struct progress *progress, const char *what)
{
    struct line line;

    make_line(&line, progress->terminal ? "\r" : "", what, progress->terminal ? "\33[K" : "\n");
    write_text(line.text, line.used);
    atomic_store(&state.shown, progress->terminal);
}

static void *display(void *context)
{
    struct progress *progress = context;
    uint64_t step, next;

    pthread_mutex_lock(&progress->mutex); /* progress_end may run already */
    step = progress->terminal ? STEP_NS : STEP_PLAIN_NS;
    next = state.begin_ns + (progress->always ? step : QUIET_NS);
    while (!progress->ended) {
        struct timespec until = {(time_t)(next / SECOND_NS), (long)(next % SECOND_NS)};

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

void progress_clear(void)
{
    if (atomic_exchange(&state.shown, false))
        write_text("\r\33[K", 4);
}

void progress_hide(struct progress *progress)
{
    if (progress == NULL)
        return;
    pthread_mutex_lock(&progress->mutex);
    progress_clear();
    pthread_mutex_unlock(&progress->mutex);
}

void progress_end(struct progress *progress)
{
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
