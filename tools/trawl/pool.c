/* pool: the files of a walk, searched by several workers, reported in the walk's order. */
#include "trawl/pool.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trawl/input.h"
#include "trawl/pool_turns.h"
#include "trawl/searchers.h"

#define BATCH_NAME_BYTES (64u << 10)
#define BATCH_BYTES (UINT64_C(1) << 20) /* how much text a batch is to have */
#define FILE_COST_BYTES 4096u           /* what opening a file costs, as text */
#define BATCH_FILES_FIRST 4u
#define BATCH_DIRECTORIES_MAX 8u
#define OPEN_LEVELS_MAX 32u
#define DESCRIPTORS_SPARED 24u /* for all that is not counted */

/* ---- Batches --------------------------------------------------------------------------------- */

static bool keep_name(struct pool_worker *worker, const char *name)
{
    size_t bytes = strlen(name) + 1, wanted = worker->names_used + bytes;

    if (wanted > worker->names_capacity) {
        size_t capacity = wanted * 2;
        char *names = realloc(worker->names, capacity);

        if (names == NULL)
            return false;
        worker->names = names;
        worker->names_capacity = capacity;
    }
    memcpy(worker->names + worker->names_used, name, bytes);
    worker->names_used = wanted;
    return true;
}

static size_t batch_files(struct pool *pool)
{
    uint64_t count = atomic_load(&pool->file_count), files;

    if (count == 0)
        return BATCH_FILES_FIRST;
    files = BATCH_BYTES / (atomic_load(&pool->file_bytes) / count + FILE_COST_BYTES);
    return files < 1 ? 1 : files > POOL_BATCH_FILES ? POOL_BATCH_FILES : (size_t)files;
}

/* Take the next files of the walk. With walk_lock. */
static void take_files(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    size_t files_max = batch_files(pool);
    const struct tree_directory *last = NULL;
    unsigned directory_count = 0;

    worker->item_count = worker->names_used = 0;
    while (worker->item_count < files_max && worker->names_used < BATCH_NAME_BYTES &&
           directory_count < pool->batch_directories) {
        struct walk_item *item = &worker->items[worker->item_count];
        size_t name_at = worker->names_used;

        pool->walked = !walk_next(&pool->walk, item);
        if (pool->walked)
            break;
        if (!keep_name(worker, item->name)) {
            item->kind = WALK_ERROR;
            item->os_code = ENOMEM;
            item->directory = NULL;
            name_at = SIZE_MAX;
        }
        if (item->directory != NULL) {
            tree_directory_hold(item->directory);
            directory_count += item->directory != last;
            last = item->directory;
        }
        worker->name_at[worker->item_count++] = name_at;
    }
    worker->own_job.show_names = pool->job->show_names;
}

static void *work(void *context);

/* One more worker, if there may be one. With walk_lock. */
static void begin_worker(struct pool *pool)
{
    struct pool_worker *worker;

    if (pool->worker_count == pool->workers_max)
        return;
    if (pool->ahead == NULL) {
        struct batch_turn *ahead = calloc(POOL_AHEAD_BATCHES, sizeof *ahead);

        thread_lock(&pool->lock);
        pool->ahead = ahead;
        thread_unlock(&pool->lock);
    }
    worker = &pool->workers[pool->worker_count];
    worker->pool = pool;
    if (pool->ahead == NULL || pthread_cond_init(&worker->turned, NULL) != 0) {
        pool->workers_max = pool->worker_count; /* the search goes on with those there are */
    } else if (thread_start(&worker->thread, work, worker) != 0) {
        pthread_cond_destroy(&worker->turned);
        pool->workers_max = pool->worker_count;
    } else {
        pool->worker_count++;
    }
}

/* The next batch of this worker. False: there is none. */
static bool next_batch(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    bool any = false;

    thread_lock(&pool->walk_lock);
    if (!pool->walked && !pool->over && pool->sequence_next <= pool->sequence_last) {
        take_files(worker);
        any = worker->item_count > 0;
        if (any)
            worker->sequence = pool->sequence_next++;
        if (any && !pool->walked && worker->sequence > 0)
            begin_worker(pool);
    }
    thread_unlock(&pool->walk_lock);
    if (!any)
        return false;
    pool_begin_batch(worker);
    if (worker->sequence - atomic_load(&pool->turn) < POOL_AHEAD_BATCHES)
        return true;
    thread_lock(&pool->lock);
    while (worker->sequence - pool->turn >= POOL_AHEAD_BATCHES && !pool->over) {
        if (worker->sequence < pool->room_wanted)
            pool->room_wanted = worker->sequence;
        pthread_cond_wait(&pool->room, &pool->lock.mutex);
    }
    thread_unlock(&pool->lock);
    return true;
}

static void search_batch(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    struct command_job *job = worker->job;
    uint64_t file_bytes = 0;

    for (size_t i = 0; i < worker->item_count; i++) {
        struct walk_item *item = &worker->items[i];
        uint64_t before = worker->searched_bytes;

        item->name = worker->name_at[i] == SIZE_MAX ? "" : worker->names + worker->name_at[i];
        if (pool_may_search(worker))
            pool_search(worker, item);
        if (i + 1 == worker->item_count)
            gather_flush(worker);
        tree_directory_drop(item->directory);
        before = worker->searched_bytes - before;
        file_bytes += before < BATCH_BYTES ? before : BATCH_BYTES;
    }
    atomic_fetch_add(&pool->file_count, worker->item_count);
    atomic_fetch_add(&pool->file_bytes, file_bytes);
    pool_tell_progress(worker);
    if (job->done) {
        uint64_t last = atomic_load(&pool->sequence_last);

        while (worker->sequence < last &&
               !atomic_compare_exchange_weak(&pool->sequence_last, &last, worker->sequence))
            ;
    }
}

static bool open_worker(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    char message[SETTINGS_ERROR_BYTES];

    worker->own_job = pool->worker_job;
    worker->own_job.worker = worker;
    worker->job = &worker->own_job;
    gather_begin(&worker->gather, worker->job);
    return searchers_open_single(pool->job, &worker->searcher, message);
}

static void *work(void *context)
{
    struct pool_worker *worker = context;

    thread_begins(&worker->thread);
    if (!open_worker(worker))
        return NULL; /* the others do its part */
    atomic_fetch_add(&worker->pool->active, 1);
    while (next_batch(worker)) {
        search_batch(worker);
        pool_end_batch(worker);
    }
    atomic_fetch_sub(&worker->pool->active, 1);
    return NULL;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static uint32_t cores_available(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 1)
        return 1;
    return (uint32_t)CPU_COUNT(&set);
}

/* How many workers, and how many directories each may hold open: as descriptors suffice. Returns
 * how many the walk may. */
static unsigned share_descriptors(struct pool *pool)
{
    const struct settings *settings = pool->job->settings;
    struct rlimit limit;
    uint64_t rest = 1024, each;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536)
        rest = limit.rlim_cur;
    rest = rest > DESCRIPTORS_SPARED + 8 ? rest - DESCRIPTORS_SPARED : 8;
    pool->workers_max = settings->threads > 0 ? (uint32_t)settings->threads : cores_available();
    if (pool->job->searcher != NULL)
        pool->workers_max = 1;
    if (pool->workers_max > rest / 4)
        pool->workers_max = (uint32_t)(rest / 4);
    each = rest / 2 / pool->workers_max - 1; /* and the file itself */
    pool->batch_directories = each < BATCH_DIRECTORIES_MAX ? (unsigned)each : BATCH_DIRECTORIES_MAX;
    return rest / 4 < OPEN_LEVELS_MAX ? (unsigned)(rest / 4) : OPEN_LEVELS_MAX;
}

static void close_worker(struct pool_worker *worker)
{
    pthread_cond_destroy(&worker->turned);
    trawl_searcher_close(worker->searcher);
    pool_free_messages(worker->messages, worker->message_count);
    free(worker->messages);
    if (worker->kept != NULL)
        output_close(worker->kept);
    free(worker->kept);
    gather_end(&worker->gather);
    free(worker->names);
}

static void pool_close(struct pool *pool)
{
    for (uint32_t i = 0; i < pool->worker_count; i++)
        close_worker(&pool->workers[i]);
    for (uint32_t i = 0; pool->ahead != NULL && i < POOL_AHEAD_BATCHES; i++)
        pool_free_result(pool->ahead[i].result);
    if (pool->shared_is_ours)
        trawl_searcher_close(pool->shared);
    walk_close(&pool->walk);
    pthread_cond_destroy(&pool->room);
    thread_lock_close(&pool->walk_lock);
    thread_lock_close(&pool->lock);
    free(pool->ahead);
    free(pool->workers);
}

static bool open_first(struct pool *pool, char *message)
{
    struct pool_worker *first = &pool->workers[0];

    first->pool = pool;
    if (pthread_cond_init(&first->turned, NULL) == 0)
        pool->worker_count = 1;
    pool->worker_job = *pool->job;
    memset(&pool->worker_job.totals, 0, sizeof pool->worker_job.totals);
    first->own_job = pool->worker_job;
    first->own_job.worker = first;
    first->job = pool->workers_max == 1 ? pool->job : &first->own_job;
    gather_begin(&first->gather, first->job);
    pool->shared_is_ours = pool->job->searcher == NULL;
    pool->shared = pool->job->searcher;
    return pool->shared != NULL || searchers_open_single(pool->job, &first->searcher, message);
}

bool job_walk(struct command_job *job, const struct value_item *operands, size_t operand_count,
              char *message)
{
    struct pool pool;
    unsigned open_levels;
    bool good;

    memset(&pool, 0, sizeof pool);
    pool.job = job;
    pool.room_wanted = UINT64_MAX;
    atomic_init(&pool.sequence_last, UINT64_MAX);
    open_levels = share_descriptors(&pool);
    pool.workers = calloc(pool.workers_max, sizeof *pool.workers);
    if (pool.workers == NULL) {
        strcpy(message, "memory exhausted");
        return false;
    }
    thread_lock_open(&pool.walk_lock);
    thread_lock_open(&pool.lock);
    pthread_cond_init(&pool.room, NULL);
    walk_open(&pool.walk, job, operands, operand_count, open_levels);
    good = open_first(&pool, message);
    if (good) {
        atomic_fetch_add(&pool.active, 1);
        while (next_batch(&pool.workers[0])) {
            search_batch(&pool.workers[0]);
            pool_end_batch(&pool.workers[0]);
        }
        atomic_fetch_sub(&pool.active, 1);
        for (uint32_t i = 1; i < pool.worker_count; i++) /* a worker may have begun another one */
            pthread_join(pool.workers[i].thread.id, NULL);
    }
    job->totals.worker_count = pool.worker_count;
    job->searcher = pool.shared_is_ours ? NULL : pool.shared;
    pool_close(&pool);
    return good;
}
