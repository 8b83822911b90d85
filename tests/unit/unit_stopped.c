/* unit_stopped: checks searches whose threads the operating system stops at bad moments, just
 * before they take a lock. A wrapper of pthread_mutex_lock imitates this by waiting. Where each
 * thread has its own core, such a stop hardly ever occurs in other tests. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "calls.h"

#define TEXT_BYTES 40000u
#define CHUNK_BYTES 1000u
#define PERIOD 10u /* a match begins every 10 bytes */
#define STOP_US 300u

static uint8_t bytes[TEXT_BYTES];
static char path[] = "/tmp/trawl-stopped-XXXXXX";

static _Atomic bool stops; /* true: each thread waits before one in four locks */
static _Atomic uint32_t stop_seed;

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (atomic_load(&stops) && (atomic_fetch_add(&stop_seed, 2654435769u) >> 16) % 4 == 0)
        (void)usleep(STOP_US);
    return __real_pthread_mutex_lock(mutex);
}

/* Searches with a memory limit that allows a single chunk. A thread that finds no memory must not
 * end the search if another thread has freed its chunk in the meantime. */
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
    room(plan);
    (void)unlink(path);
    return test_end();
}
