/* unit_stopped: imitates an operating system that stops a thread just before the thread takes a
 * lock: a wrapper of pthread_mutex_lock waits. Where each thread has a core, other tests hardly
 * ever see such a stop. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "calls.h"

#define TEXT_BYTES 40000u
#define CHUNK_BYTES 1000u
#define PERIOD 10u /* bytes from match to match */
#define STOP_US 300u

static uint8_t bytes[TEXT_BYTES];
static char path[] = "/tmp/trawl-stopped-XXXXXX";

static _Atomic bool stops; /* each thread waits before one in four locks */
static _Atomic uint32_t stop_seed;

static _Thread_local bool cancels;       /* this thread cancels the call */
static _Atomic bool has_come, may_go_on; /* that thread has reached its lock; it may go on */

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (atomic_load(&stops) && (atomic_fetch_add(&stop_seed, 2654435769u) >> 16) % 4 == 0)
        (void)usleep(STOP_US);
    if (cancels) {
        atomic_store(&has_come, true);
        while (!atomic_load(&may_go_on))
            (void)sched_yield();
    }
    return __real_pthread_mutex_lock(mutex);
}

/* ---- A cancel that comes late -------------------------------------------------------------- */

/* A call, and the thread that cancels the call. The thread stops inside trawl_searcher_cancel until
 * the first call has ended and a second call has begun. The cancel must not end the second call,
 * which has a whole answer. */
struct call {
    struct trawl_searcher *searcher;
    pthread_t thread;
    bool is_first, has_met;
    uint64_t count;
};

static void *cancel(void *context)
{
    cancels = true;
    trawl_searcher_cancel((struct trawl_searcher *)context);
    return NULL;
}

/* A sink. The first call's first matches start the cancelling thread; the second call's first
 * matches let that thread go on. */
static int take(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct call *call = (struct call *)context;

    (void)matches;
    call->count += match_count;
    if (call->has_met)
        return 0;
    call->has_met = true;
    if (call->is_first) {
        if (pthread_create(&call->thread, NULL, cancel, call->searcher) != 0)
            exit(1);
        while (!atomic_load(&has_come))
            (void)sched_yield();
    } else {
        atomic_store(&may_go_on, true);
        (void)pthread_join(call->thread, NULL);
    }
    return 0;
}

static void late_cancel(struct trawl_plan *plan, uint32_t threads)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, threads, 0);
    AUTO_SEARCHER searcher = must_searcher_of(runtime, CHUNK_BYTES);
    AUTO_TEXT text = must_text(bytes, TEXT_BYTES);
    struct call call = {.searcher = searcher};

    atomic_store(&has_come, false);
    atomic_store(&may_go_on, false);
    for (uint32_t i = 0; i < 2; i++) {
        enum trawl_status status;

        call.is_first = i == 0;
        call.has_met = false;
        call.count = 0;
        status = trawl_positions(searcher, plan, text, take, &call, NULL);
        TEST_CHECK(status == TRAWL_STOPPED ||
                   (status == TRAWL_OK && call.count == TEXT_BYTES / PERIOD));
    }
}

/* ---- Memory that was given back ------------------------------------------------------------- */
/* Searches with a memory limit that allows a single chunk. A thread that finds no memory must not
 * end the search if another thread has given its memory back meanwhile. */
static void room(struct trawl_plan *plan)
{
    AUTO_RUNTIME runtime = must_runtime(TRAWL_ENGINE_CPU, 4, 2 * CHUNK_BYTES);
    AUTO_SEARCHER searcher = must_searcher_of(runtime, CHUNK_BYTES);
    AUTO_TEXT text = must_file(path);

    atomic_store(&stops, true);
    for (uint64_t i = 0; i < test_amount(200, 2000) && test_failures == 0; i++) {
        uint64_t count = 0;

        TEST_CHECK(trawl_count(searcher, plan, text, &count, NULL) == TRAWL_OK &&
                   count == TEXT_BYTES / PERIOD);
    }
    atomic_store(&stops, false);
}

int main(void)
{
    AUTO_PLAN plan = must_plan("x");
    int file = mkstemp(path);

    test_begin("stopped");
    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        bytes[i] = i % PERIOD == 0 ? 'x' : '.';
    if (file < 0 || write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes || close(file) != 0)
        exit(1);
    late_cancel(plan, 1);
    late_cancel(plan, 3);
    room(plan);
    (void)unlink(path);
    return test_end();
}
