/* pool: several workers search the files of a walk and report in the walk's order.
 *
 * run.c calls pool_walk. Each worker has a job with its own totals and output, which pool_turns.c
 * adds to the caller's job when the turn of the worker's files comes. Only the thread that has the
 * turn writes to standard output.
 */
#include "trawl/run/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trawl/text/grow.h"
#include "trawl/run/input.h"
#include "trawl/run/pool_turns.h"
#include "trawl/job/searchers.h"
#include "trawl/run/conditions.h"
#include "trawl/text/sizes.h"
#include "trawl/text/message.h"

#define BATCH_NAME_BYTES SIZE_OR_SMALL(64u << 10, 64u)
#define NAMES_FIRST SIZE_OR_SMALL(1024u, 1u)
#define BATCH_BYTES \
    SIZE_OR_SMALL(UINT64_C(1) << 20, UINT64_C(1000)) /* bytes of text that a batch should have */
#define FILE_COST_BYTES 4096u /* the cost of opening a file, in bytes of text */
#define BATCH_FILES_FIRST SIZE_OR_SMALL(4u, 1u)
#define BATCH_DIRECTORIES_MAX 8u
#define OPEN_LEVELS_MAX SIZE_OR_SMALL(32u, 3u)
/* descriptors for everything that share_descriptors does not count */
#define DESCRIPTORS_SPARED 24u

/* ---- Batches --------------------------------------------------------------------------------- */

/* Copies a file's name for the worker's batch. False: no memory. */
static bool keep_name(struct pool_worker *worker, const char *name)
{
    size_t bytes = strlen(name) + 1, wanted = worker->names_used + bytes;

    if (!GROW(worker->names, worker->names_capacity, NAMES_FIRST, wanted))
        return false;
    memcpy(worker->names + worker->names_used, name, bytes);
    worker->names_used = wanted;
    return true;
}

static size_t batch_file_count(struct pool *pool)
{
    uint64_t count = atomic_load(&pool->file_count), files;

    files = BATCH_BYTES / (atomic_load(&pool->file_bytes) / count + FILE_COST_BYTES);
    return files < 1 ? 1 : files > POOL_BATCH_FILES ? POOL_BATCH_FILES : (size_t)files;
}

/* Takes the next files of the walk. False: no files are left. If workers take turns, called with
 * walk_lock. */
static bool take_files(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    size_t files_max = pool->source != NULL    ? 1
                       : pool->file_count == 0 ? BATCH_FILES_FIRST
                                               : batch_file_count(pool);
    const struct tree_directory *last = NULL;
    unsigned directory_count = 0;

    worker->item_count = worker->names_used = 0;
    while (worker->item_count < files_max && worker->names_used < BATCH_NAME_BYTES &&
           directory_count < pool->batch_directories) {
        struct walk_item *item = &worker->items[worker->item_count];
        size_t name_at = worker->names_used;

        pool->walked = pool->source != NULL ? !pool->source->next(pool->source, item)
                                            : !walk_next(&pool->walk, item);
        if (pool->walked)
            break;
        if (item->is_operand) {
            name_at = SIZE_MAX; /* operands' names last */
        } else if (!keep_name(worker, item->name)) {
            item->kind = WALK_ERROR;
            item->name = "";
            item->os_code = ENOMEM;
            item->directory = NULL;
            name_at = SIZE_MAX;
        }
        if (item->directory != NULL) {
            atomic_fetch_add_explicit(&item->directory->holder_count, 1, memory_order_relaxed);
            directory_count += item->directory != last;
            last = item->directory;
        }
        worker->name_at[worker->item_count++] = name_at;
    }
    worker->own_job.show_names = pool->job->show_names;
    return worker->item_count > 0;
}

static void *work(void *context);

/* Starts another worker if the limit allows. Called with walk_lock. */
static void begin_worker(struct pool *pool)
{
    struct pool_worker *worker;

    if (pool->worker_count == pool->workers_max)
        return;
    if (pool->ahead == NULL) {
        struct batch_turn *ahead = calloc(POOL_AHEAD_FILES, sizeof *ahead);

        thread_lock(&pool->lock);
        pool->ahead = ahead;
        thread_unlock(&pool->lock);
    }
    worker = &pool->workers[pool->worker_count];
    worker->pool = pool;
    if (pool->ahead == NULL || pthread_cond_init(&worker->turned, NULL) != 0) {
        pool->workers_max = pool->worker_count; /* the search continues with the workers that run */
    } else if (thread_start(&worker->thread, work, worker) != 0) {
        pthread_cond_destroy(&worker->turned);
        pool->workers_max = pool->worker_count;
    } else {
        pool->worker_count++;
    }
}

/* Takes the next files of the walk as the worker's batch. Returns false if no files are left. The
 * caller holds walk_lock. */
static bool take_walked(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;

    if (pool->walked || pool->over || pool->sequence_next > pool->sequence_last ||
        !take_files(worker))
        return false;
    worker->sequence = pool->sequence_next;
    pool->sequence_next += worker->item_count;
    if (!pool->walked && worker->sequence > 0)
        begin_worker(pool);
    return true;
}

/* Waits until another worker leaves files. False: all workers wait. Called with walk_lock. */
static bool wait_for_rest(struct pool *pool)
{
    if (atomic_fetch_sub(&pool->active, 1) == 1) {
        pool->all_wait = true;
        pthread_cond_broadcast(&pool->more);
    }
    while (pool->rests == NULL && !pool->all_wait)
        pthread_cond_wait(&pool->more, &pool->walk_lock.mutex);
    atomic_fetch_add(&pool->active, 1);
    return pool->rests != NULL;
}

/* Gives the worker its next batch, and waits until it is not too many files ahead of the turn.
 * False: no files are left. */
static bool next_in_turn(struct pool_worker *worker)
{
    const uint64_t max = POOL_AHEAD_FILES - POOL_BATCH_FILES;
    struct pool *pool = worker->pool;
    bool any;

    thread_lock(&pool->walk_lock);
    do
        any = pool_take_rest(worker) || take_walked(worker);
    while (!any && wait_for_rest(pool));
    thread_unlock(&pool->walk_lock);
    if (!any)
        return false;
    pool_begin_batch(worker);
    if (worker->sequence - atomic_load(&pool->turn) < max)
        return true;
    thread_lock(&pool->lock);
    while (worker->sequence - pool->turn >= max && !pool->over) {
        if (worker->sequence < pool->room_wanted)
            pool->room_wanted = worker->sequence;
        pthread_cond_wait(&pool->room, &pool->lock.mutex);
    }
    thread_unlock(&pool->lock);
    return true;
}

/* Searches the worker's batch. Once the outcome is decided, no later batch is started. */
static void search_batch(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    struct command_job *job = worker->job;
    uint64_t file_bytes = 0;

    for (size_t i = 0; i < worker->item_count; i++) {
        struct walk_item *item = &worker->items[i];
        uint64_t before = job->searched_bytes;

        worker->item_at = i;
        if (worker->name_at[i] != SIZE_MAX)
            item->name = worker->names + worker->name_at[i];
        if (pool->source != NULL)
            pool->source->search(pool->source, worker, item, !pool_wants_next_file(worker));
        else if (pool_wants_next_file(worker))
            pool_search(worker, item);
        if (i + 1 == worker->item_count && worker->gather.count > 0)
            gather_flush(worker);
        if (item->directory != NULL)
            tree_directory_drop(item->directory);
        before = job->searched_bytes - before;
        file_bytes += before < BATCH_BYTES ? before : BATCH_BYTES;
    }
    atomic_fetch_add(&pool->file_count, worker->item_count);
    atomic_fetch_add(&pool->file_bytes, file_bytes);
    if (pool->takes_turns && job->done) {
        uint64_t last = atomic_load(&pool->sequence_last);

        while (worker->sequence < last &&
               !atomic_compare_exchange_weak(&pool->sequence_last, &last, worker->sequence))
            ;
    }
}

/* Sets the job and opens the searcher of a worker. False: `message` says why. */
static bool open_worker(struct pool_worker *worker, char *message)
{
    struct pool *pool = worker->pool;

    worker->job = pool->job;
    worker->has_turn = !pool->takes_turns;
    if (pool->takes_turns) {
        worker->own_job = pool->worker_job;
        worker->own_job.worker = worker;
        worker->job = &worker->own_job;
    }
    if (pool->several_files && job_may_pass_over(worker->job))
        worker->gather.files_max = GATHER_FIRST;
    if (!pool->shared_is_ours) /* the searcher that the caller has opened searches everything */
        return true;
    if (!searchers_open(pool->job, true, &worker->searcher, message))
        return false;
    worker->job->searcher = worker->searcher;
    return true;
}

/* Takes and searches batches until no files are left or the search is over. */
static void search_batches(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;

    atomic_fetch_add(&pool->active, 1);
    while (pool->takes_turns ? next_in_turn(worker)
                             : !pool->walked && !worker->job->done &&
                                   worker->job->output->error == 0 && take_files(worker)) {
        search_batch(worker);
        if (pool->takes_turns)
            pool_end_batch(worker);
        else if (worker->job->supply != NULL) /* a client waits for the output */
            output_flush(worker->job->output);
    }
    atomic_fetch_sub(&pool->active, 1);
}

static void *work(void *context)
{
    struct pool_worker *worker = context;
    char message[SETTINGS_ERROR_BYTES];

    thread_begins(&worker->thread);
    if (open_worker(worker, message)) /* without a searcher, leave the files to other workers */
        search_batches(worker);
    return NULL;
}

/* ---- The pool -------------------------------------------------------------------------------- */

/* Divides the file descriptors: sets how many workers there may be, and in how many directories the
 * files of a batch may be. Returns how many directories the walk may keep open. If only operands
 * are searched, there are at most as many workers as operands. */
static unsigned share_descriptors(struct pool *pool, size_t operand_count)
{
    bool one_worker = (!pool->several_files && pool->source == NULL) || pool->job->searcher != NULL;
    struct rlimit limit;
    uint64_t rest = 1024, each;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536)
        rest = limit.rlim_cur;
    rest = rest > DESCRIPTORS_SPARED + 8 ? rest - DESCRIPTORS_SPARED : 8;
    pool->workers_max = one_worker ? 1 : searchers_threads(pool->job->settings);
    if (!walk_recurses(pool->job->settings) && pool->workers_max > operand_count &&
        pool->source == NULL)
        pool->workers_max = operand_count > 1 ? (uint32_t)operand_count : 1;
    if (pool->workers_max > rest / 4)
        pool->workers_max = (uint32_t)(rest / 4);
    each = rest / 2 / pool->workers_max - 1; /* - 1 for the file itself */
    pool->batch_directories = each < BATCH_DIRECTORIES_MAX ? (unsigned)each : BATCH_DIRECTORIES_MAX;
    return rest / 4 < OPEN_LEVELS_MAX ? (unsigned)(rest / 4) : OPEN_LEVELS_MAX;
}

static void pool_close(struct pool *pool)
{
    const struct supply *supply = pool->job->supply;

    if (supply != NULL)
        (void)supply->watch(supply->context, NULL);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        if (pool->workers[i].job != NULL)
            conditions_leave(pool->workers[i].job);
        trawl_searcher_close(pool->workers[i].searcher);
        trawl_searcher_close(pool->workers[i].team);
        free(pool->workers[i].gather.bytes);
        free(pool->workers[i].names);
    }
    if (pool->takes_turns)
        pool_close_turns(pool);
    if (pool->shared_is_ours)
        trawl_searcher_close(pool->shared);
    if (pool->runtime != NULL) {
        (void)trawl_runtime_close(pool->runtime, NULL);
        pool->job->runtime = NULL;
    }
    walk_close(&pool->walk);
    free(pool->workers);
}

bool pool_walk(struct command_job *job, const struct value_item *operands, size_t operand_count,
               struct pool_source *source, char *message)
{
    struct pool pool;
    unsigned open_levels;
    bool good;

    memset(&pool, 0, sizeof pool);
    pool.job = job;
    pool.shared = job->searcher;
    pool.shared_is_ours = job->searcher == NULL;
    pool.source = source;
    pool.several_files = source == NULL && (operand_count > 1 || walk_recurses(job->settings));
    open_levels = share_descriptors(&pool, operand_count);
    pool.takes_turns = pool.workers_max > 1;
    pool.begin_worker = begin_worker;
    pool.workers = calloc(pool.workers_max, sizeof *pool.workers);
    if (pool.workers == NULL)
        return message_exhausted(message);
    pool.worker_count = 1;
    pool.workers[0].pool = &pool;
    pool.worker_job = *job;
    memset(&pool.worker_job.totals, 0, sizeof pool.worker_job.totals);
    if (pool.takes_turns)
        pool_open_turns(&pool);
    walk_open(&pool.walk, job, operands, operand_count, open_levels);
    good = open_worker(&pool.workers[0], message);
    if (good)
        search_batches(&pool.workers[0]);
    for (uint32_t i = 1; i < pool.worker_count; i++) /* a worker may have started another worker */
        pthread_join(pool.workers[i].thread.id, NULL);
    if (pool.worker_count > job->totals.worker_count)
        job->totals.worker_count = pool.worker_count;
    job->searcher = pool.shared_is_ours ? NULL : pool.shared;
    pool_close(&pool);
    return good;
}
