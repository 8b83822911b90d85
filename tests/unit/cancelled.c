/* cancelled: a cancel that comes late. It is meant for the call that the searcher is inside when it
 * takes effect; the next call, which nobody cancelled, has a whole answer. The suite had met that
 * only where the machine stopped a thread between two instructions. Here the cancelling thread
 * stops before it takes its lock, until another call has begun. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "calls.h"

#define TEXT_BYTES 40000u
#define CHUNK_BYTES 1000u
#define PERIOD 10u /* bytes from match to match */

static _Thread_local bool cancels;       /* this thread does */
static _Atomic bool has_come, may_go_on; /* to its lock, and beyond */

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (cancels) {
        atomic_store(&has_come, true);
        while (!atomic_load(&may_go_on))
            (void)sched_yield();
    }
    return __real_pthread_mutex_lock(mutex);
}

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

/* With the first matches of the first call the cancel begins; with those of the second it ends. */
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

static void late(struct trawl_plan *plan, const void *bytes, uint32_t threads)
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

int main(void)
{
    static char bytes[TEXT_BYTES];

    test_begin("cancelled");
    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        bytes[i] = i % PERIOD == 0 ? 'x' : '.';
    {
        AUTO_PLAN plan = must_plan("x");

        late(plan, bytes, 1);
        late(plan, bytes, 3);
    }
    return test_end();
}
