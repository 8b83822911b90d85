/* wakes_test: checks that no device's worker sleeps while chunks of a loaded text wait for that
 * device, and that chunks are queued whenever there is room for their results.
 *
 * A single thread plays the caller, all workers and the queue. Whenever the caller releases the
 * search's lock, a worker may take a step, by chance. Whenever the caller would wait, a worker has
 * to take a step. A worker falls asleep when no chunk is queued for its device. If all workers
 * sleep while the caller waits, the library failed to queue a chunk.
 */
#include <stdlib.h>

#include "cuda/driver.h"
#include "cuda/limits.h"
#include "sim_host.h"
#include "runtime/device_threads.h"
#include "runtime/devices.h"
#include "runtime/job.h"
#include "runtime/task.h"
#include "runtime/search.h"
#include "runtime/workers.h"
#include "sim_driver.h"
#include "calls.h"

#define TEXT_BYTES 12000u
#define DEVICES_MAX 4u
#define AHEAD_MAX 12u

struct fixture {
    uint8_t bytes[TEXT_BYTES];
    uint64_t expected[TEXT_BYTES];
    uint64_t expected_count;
    struct trawl_plan *plan;
    struct trawl_text *text;
};

static struct fixture fixture;

static void fixture_open(struct test_random *random)
{
    for (uint64_t i = 0; i < TEXT_BYTES; i++)
        fixture.bytes[i] = (uint8_t)('a' + test_random_below(random, 5));
    for (uint64_t i = 0; i + 3 <= TEXT_BYTES; i++)
        if (memcmp(fixture.bytes + i, "abc", 3) == 0)
            fixture.expected[fixture.expected_count++] = i;
    fixture.plan = must_plan("abc");
    fixture.text = must_text(fixture.bytes, TEXT_BYTES);
}

static void fixture_close(void)
{
    trawl_text_close(fixture.text);
    trawl_plan_free(fixture.plan);
}

/* ---- The play ----------------------------------------------------------------------------- */

struct play {
    struct search *search; /* the search that is played; NULL: none, locks work as usual */
    struct test_random *random;
    struct worker workers[DEVICES_MAX]; /* a worker for each device */
    bool sleeps[DEVICES_MAX];
    struct queue_item *queue;
    uint32_t devices;
    bool inside; /* a worker's step is running */
    uint64_t steps, slept, lost;
};

/* The state of the calling thread's play. The runtime's own threads wait meanwhile, and do
 * nothing. */
static _Thread_local struct play play;

void __wrap_devices_push(struct devices *devices, struct queue_item *first);
void __wrap_devices_push(struct devices *devices, struct queue_item *first)
{
    struct queue_item **link = &play.queue;

    (void)devices;
    for (struct queue_item *item = first; item != NULL; item = item->next)
        atomic_store(&item->job->is_known, true);
    while (*link != NULL)
        link = &(*link)->next;
    *link = first;
    for (uint32_t i = 0; i < play.devices; i++)
        play.sleeps[i] = false;
}

struct queue_item *__wrap_devices_take(struct devices *devices, const struct worker *worker,
                                       struct job *job);
struct queue_item *__wrap_devices_take(struct devices *devices, const struct worker *worker,
                                       struct job *job)
{
    struct queue_item **link = &play.queue, *item;

    while ((item = *link) != NULL &&
           !devices_may_serve(devices, worker->device_index, item->device))
        link = &item->next;
    if (item == NULL)
        return NULL;
    TEST_CHECK(item->job == job);
    *link = item->next;
    return item;
}

/* Does what a worker's thread would do between one look at the queue and the next. */
static void worker_step(uint32_t i)
{
    play.inside = true;
    if (task_work_queued(play.search, &play.workers[i]) == TASK_DONE) {
        play.steps++;
    } else {
        play.sleeps[i] = true;
        play.slept++;
    }
    play.inside = false;
}

/* Lets one of the workers that are awake take a step. Returns false if all workers sleep. */
static bool some_step(void)
{
    uint32_t first = (uint32_t)test_random_below(play.random, play.devices);

    for (uint32_t i = 0; i < play.devices; i++)
        if (!play.sleeps[(first + i) % play.devices]) {
            worker_step((first + i) % play.devices);
            return true;
        }
    return false;
}

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int code = __real_pthread_mutex_unlock(mutex);

    if (play.search != NULL && !play.inside && mutex == &play.search->lock)
        for (uint64_t n = test_random_below(play.random, 3); n > 0; n--)
            (void)some_step();
    return code;
}

int __real_sem_wait(sem_t *semaphore);
int __wrap_sem_wait(sem_t *semaphore);
int __wrap_sem_wait(sem_t *semaphore)
{
    while (play.search != NULL && !play.inside && semaphore == &play.search->searcher->woken &&
           atomic_load(&play.search->searcher->sleeps))
        if (!some_step()) {
            play.lost++;
            play.search->stopping = true;
            searcher_wake(play.search->searcher);
        }
    return __real_sem_wait(semaphore);
}

/* ---- Searches ----------------------------------------------------------------------------- */

struct found {
    uint64_t count, wrong;
};

static int take(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct found *found = (struct found *)context;

    for (uint64_t i = 0; i < match_count; i++, found->count++)
        found->wrong += found->count >= fixture.expected_count ||
                        matches[i].begin != fixture.expected[found->count];
    return 0;
}

/* Plays a search in which up to `ahead` chunks may be begun before the first of them is delivered,
 * and checks the answer. */
static void played(struct trawl_searcher *searcher, bool lists, uint32_t ahead)
{
    struct found found = {0, 0};
    struct search search;
    struct sink_chunk view;
    struct sink sink;
    bool more = true;

    if (lists)
        sink_positions(&sink, take, &found);
    else
        sink_count(&sink);
    if (!TEST_CHECK(search_begin(&search, searcher, fixture.plan, fixture.text, &sink, NULL) ==
                    TRAWL_OK))
        return;
    TEST_CHECK(search.schedule == SCHEDULE_LOADED && ahead <= search.tasks_max);
    search.tasks_max = ahead;
    memset(play.sleeps, 0, sizeof play.sleeps);
    play.search = &search;
    while (more &&
           TEST_CHECK(search_step(&search, &view, &more, NULL) == TRAWL_OK && play.lost == 0))
        if (more)
            TEST_CHECK(task_deliver(search.job.plan, search.sink, search.current, &view));
    play.search = NULL;
    play.queue = NULL;
    search_end(&search);
    TEST_CHECK_U64(lists ? found.count : sink.count, fixture.expected_count);
    TEST_CHECK_U64(found.wrong, 0);
}

static void plays(struct test_random *random, uint32_t devices, uint64_t chunk_bytes)
{
    struct host host;

    host_devices(devices);
    host_open(&host, TRAWL_ENGINE_CUDA, 2, chunk_bytes);
    MUST(trawl_text_load(host.searcher, fixture.text, NULL));
    play = (struct play){.random = random, .devices = devices};
    for (uint32_t i = 0; i < devices; i++)
        play.workers[i] = (struct worker){.runtime = host.runtime, .device_index = i};
    for (uint32_t i = 0; i < 4 && test_failures < 5; i++)
        played(host.searcher, i % 2 == 0, 1 + (uint32_t)test_random_below(random, AHEAD_MAX));
    for (uint32_t i = 0; i < devices; i++)
        worker_end(&play.workers[i]);
    TEST_CHECK(play.steps > 0 && play.slept > 0);
    host_close(&host);
}

int main(void)
{
    struct test_random random;
    struct cuda_limits limits = cuda_limits_default;

    test_begin("sim wakes");
    random = test_random_begin("wakes");
    cuda_driver_replace(sim_driver_table());
    limits.split_bytes_min = 1000;
    limits.stripe_bytes = 800;
    limits.split_overlap = 100;
    cuda_limits_replace(&limits);
    fixture_open(&random);
    for (uint64_t i = 0; i < test_amount(6, 300) && test_failures < 5; i++)
        plays(&random, 2 + (uint32_t)(i % (DEVICES_MAX - 1)),
              200 + 100 * test_random_below(&random, 4));
    fixture_close();
    return test_end();
}
