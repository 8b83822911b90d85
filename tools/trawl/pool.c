/* pool: the files of a walk, searched by several workers, reported in the walk's order. */
#include "trawl/pool.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trawl/progress.h"
#include "trawl/searchers.h"

#define AHEAD_BATCHES 4096u                 /* that may be begun before those before are printed */
#define LEFT_BYTES_MAX (UINT64_C(64) << 20) /* that may be left to be printed, in all */
#define BATCH_NAME_BYTES (64u << 10)
#define BATCH_BYTES (UINT64_C(1) << 20) /* how much text a batch is to have */
#define FILE_COST_BYTES 4096u           /* what opening a file costs, as text */
#define BATCH_FILES_FIRST 4u
#define BATCH_DIRECTORIES_MAX 8u
#define OPEN_LEVELS_MAX 32u
#define DESCRIPTORS_SPARED 24u /* for all that is not counted */

/* A batch that was searched before it was its turn. */
struct result {
    uint8_t *bytes;
    size_t bytes_count;
    struct pool_message *messages;
    size_t message_count;
    struct pool_mark mark;
    enum groups groups;
    bool selected, error_seen, done;
    struct job_totals totals;
};

/* What is known of a batch; by its sequence, modulo AHEAD_BATCHES. */
struct place {
    bool searched;
    struct result *result;      /* NULL: there is nothing to tell */
    struct pool_worker *waiter; /* for its turn */
};

struct pool {
    struct job *job;
    struct job worker_job; /* what each worker's job begins as */
    struct pool_worker *workers;
    uint32_t worker_count; /* that were begun; grows under walk_lock */
    uint32_t workers_max;
    unsigned batch_directories;
    struct trawl_searcher *shared;
    bool shared_is_ours;

    struct thread_lock walk_lock;
    struct walk walk;
    bool walked;
    uint64_t sequence_next;
    _Atomic uint64_t sequence_last; /* no batch beyond it is of interest */
    _Atomic uint64_t file_count, file_bytes;
    atomic_uint active;

    struct thread_lock lock;
    pthread_cond_t room;
    _Atomic uint64_t turn; /* the batch to be printed; what is not in a worker is its worker's */
    atomic_bool over;
    uint64_t room_wanted; /* the first batch that waits for room */
    uint64_t left_bytes;
    struct place *places; /* NULL while there is one worker */
};

const struct walk *pool_walk(const struct pool_worker *worker)
{
    return &worker->pool->walk;
}

bool pool_is_shared(const struct pool_worker *worker)
{
    return atomic_load(&worker->pool->active) > 1;
}

/* ---- What was kept ----------------------------------------------------------------------------
 */

static void free_messages(struct pool_message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(messages[i].text);
}

/* Print bytes with the messages between them. */
static void print_kept(struct pool *pool, const uint8_t *bytes, size_t bytes_count,
                       const struct pool_message *messages, size_t message_count)
{
    struct job *job = pool->job;
    size_t from = 0;

    for (size_t i = 0; i < message_count; i++) {
        output_bytes(job->output, bytes + from, messages[i].at - from);
        from = messages[i].at;
        job_say(job, messages[i].text);
    }
    output_bytes(job->output, bytes + from, bytes_count - from);
    output_commit(job->output);
    if (job->settings->line_buffered)
        output_flush(job->output);
}

/* It is known by now whether the marked separator is to be printed: if not, take it out. Returns
 * how many bytes went. */
static size_t finish_mark(const struct pool *pool, struct pool_mark *mark, uint8_t *bytes,
                          size_t bytes_count, struct pool_message *messages, size_t message_count)
{
    size_t taken = mark->end - mark->begin;

    if (taken == 0 || pool->job->groups == GROUPS_PRINTED) {
        mark->begin = mark->end = 0;
        return 0;
    }
    memmove(bytes + mark->begin, bytes + mark->end, bytes_count - mark->end);
    for (size_t i = 0; i < message_count; i++)
        if (messages[i].at >= mark->end)
            messages[i].at -= taken;
    mark->begin = mark->end = 0;
    return taken;
}

/* With the turn: print what was kept until now. */
static void print_own(struct pool_worker *worker)
{
    struct output *kept = worker->kept;
    size_t mark_end = worker->mark.end, taken;

    if (worker->job->groups == GROUPS_UNKNOWN)
        worker->job->groups = worker->pool->job->groups;
    if (kept == NULL)
        return;
    taken = finish_mark(worker->pool, &worker->mark, kept->bytes, kept->used, worker->messages,
                        worker->message_count);
    kept->used -= taken;
    if (kept->committed >= mark_end)
        kept->committed -= taken;
    print_kept(worker->pool, kept->bytes, kept->committed, worker->messages, worker->message_count);
    free_messages(worker->messages, worker->message_count);
    worker->message_count = 0;
    kept->used -= kept->committed;
    memmove(kept->bytes, kept->bytes + kept->committed, kept->used);
    kept->committed = 0;
}

/* ---- Turns ----------------------------------------------------------------------------------- */

static void take_turn(struct pool_worker *worker)
{
    worker->has_turn = true;
    if (worker->job != worker->pool->job)
        print_own(worker);
}

static bool has_turn(struct pool_worker *worker)
{
    if (!worker->has_turn && atomic_load(&worker->pool->turn) == worker->sequence)
        take_turn(worker);
    return worker->has_turn;
}

static bool wait_turn(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    struct place *place;

    if (has_turn(worker))
        return true;
    place = &pool->places[worker->sequence % AHEAD_BATCHES];
    thread_lock(&pool->lock);
    place->waiter = worker;
    while (pool->turn != worker->sequence && !pool->over)
        pthread_cond_wait(&worker->turned, &pool->lock.mutex);
    place->waiter = NULL;
    thread_unlock(&pool->lock);
    if (!pool->over && has_turn(worker))
        return true;
    worker->job->done = true;
    return false;
}

/* More would be kept than may be: from here on a file is printed as it is searched. */
static void kept_is_full(void *context)
{
    struct pool_worker *worker = context;
    struct output *kept = worker->kept;

    kept->full = NULL;
    if (wait_turn(worker)) {
        output_flush(worker->pool->job->output);
        kept->error = worker->pool->job->output->error;
        return;
    }
    kept->error = ECANCELED;
    kept->used = kept->committed = 0;
}

/* With the turn, between files: what comes goes straight to the output. */
static void print_directly(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;

    if (worker->job == pool->job)
        return;
    if (worker->kept != NULL) { /* it may have become full */
        output_commit(worker->kept);
        print_own(worker);
        if (worker->kept->error != 0 && pool->job->output->error == 0)
            pool->job->output->error = worker->kept->error;
        worker->kept->full = kept_is_full;
    }
    worker->job->output = pool->job->output;
}

bool pool_has_turn(struct pool_worker *worker)
{
    bool turn = has_turn(worker);

    if (turn)
        print_directly(worker);
    return turn;
}

bool pool_wait_turn(struct pool_worker *worker)
{
    bool turn = wait_turn(worker);

    if (turn)
        print_directly(worker);
    return turn;
}

/* Before a file: where to print it. */
static bool choose_output(struct pool_worker *worker)
{
    if (worker->job == worker->pool->job || pool_has_turn(worker))
        return true;
    if (worker->kept == NULL) {
        worker->kept = malloc(sizeof *worker->kept);
        if (worker->kept == NULL)
            return pool_wait_turn(worker);
        output_open(worker->kept, STDOUT_FILENO);
        worker->kept->full = kept_is_full;
        worker->kept->full_context = worker;
    }
    worker->job->output = worker->kept;
    return true;
}

/* With the lock: nothing more is wanted of anybody. */
static void end_all(struct pool *pool)
{
    pool->over = true;
    pthread_cond_broadcast(&pool->room);
    for (uint32_t i = 0; pool->places != NULL && i < AHEAD_BATCHES; i++)
        if (pool->places[i].waiter != NULL)
            pthread_cond_signal(&pool->places[i].waiter->turned);
}

static void add_to_job(struct pool *pool, const struct result *result)
{
    struct job *job = pool->job;

    if (result->groups == GROUPS_PRINTED)
        job->groups = GROUPS_PRINTED;
    job->selected |= result->selected;
    job->error_seen |= result->error_seen;
    job->done |= result->done;
    job_add_totals(&job->totals, &result->totals);
}

static void free_result(struct result *result)
{
    if (result == NULL)
        return;
    free_messages(result->messages, result->message_count);
    free(result->messages);
    free(result);
}

static void print_result(struct pool *pool, struct result *result)
{
    result->bytes_count -= finish_mark(pool, &result->mark, result->bytes, result->bytes_count,
                                       result->messages, result->message_count);
    print_kept(pool, result->bytes, result->bytes_count, result->messages, result->message_count);
    add_to_job(pool, result);
}

/* A batch was printed. Print those after it that were left, and wake who waits. */
static void pass_turn(struct pool *pool)
{
    struct place *place;

    thread_lock(&pool->lock);
    for (;;) {
        struct result *result;

        if (pool->job->done || pool->job->output->error != 0)
            end_all(pool);
        pool->turn++;
        place = pool->places == NULL ? NULL : &pool->places[pool->turn % AHEAD_BATCHES];
        if (place == NULL || !place->searched || pool->over)
            break;
        result = place->result;
        place->searched = false;
        place->result = NULL;
        if (result == NULL)
            continue;
        pool->left_bytes -= result->bytes_count;
        thread_unlock(&pool->lock);
        print_result(pool, result);
        free_result(result);
        thread_lock(&pool->lock);
    }
    if (place != NULL && place->waiter != NULL)
        pthread_cond_signal(&place->waiter->turned);
    if (pool->room_wanted != UINT64_MAX && pool->room_wanted - pool->turn <= AHEAD_BATCHES / 2) {
        pool->room_wanted = UINT64_MAX;
        pthread_cond_broadcast(&pool->room);
    }
    thread_unlock(&pool->lock);
}

static struct result own_result(const struct pool_worker *worker)
{
    const struct job *job = worker->job;
    struct result result;

    memset(&result, 0, sizeof result);
    result.groups = job->groups;
    result.selected = job->selected;
    result.error_seen = job->error_seen;
    result.done = job->done;
    result.totals = job->totals;
    return result;
}

static bool tells_nothing(const struct pool_worker *worker)
{
    const struct job *job = worker->job;

    return (worker->kept == NULL || worker->kept->used == 0) && worker->message_count == 0 &&
           job->groups != GROUPS_PRINTED && !job->selected && !job->error_seen && !job->done &&
           !job->settings->stats;
}

/* Leave a searched batch to the worker whose turn it is. False: that is this one, or there is no
 * room. */
static bool leave(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    size_t bytes_count = worker->kept != NULL ? worker->kept->used : 0;
    struct place *place = &pool->places[worker->sequence % AHEAD_BATCHES];
    struct result *result = NULL;
    bool left;

    if (!tells_nothing(worker)) {
        result = malloc(sizeof *result + bytes_count);
        if (result == NULL)
            return false;
        *result = own_result(worker);
        result->bytes = (uint8_t *)(result + 1);
        result->bytes_count = bytes_count;
        result->messages = worker->messages;
        result->message_count = worker->message_count;
        result->mark = worker->mark;
        if (bytes_count > 0)
            memcpy(result->bytes, worker->kept->bytes, bytes_count);
    }
    thread_lock(&pool->lock);
    left = pool->turn != worker->sequence && pool->left_bytes + bytes_count <= LEFT_BYTES_MAX;
    if (left) {
        place->result = result;
        place->searched = true;
        pool->left_bytes += bytes_count;
    }
    thread_unlock(&pool->lock);
    if (!left) {
        free(result);
        return false;
    }
    if (result != NULL) {
        worker->messages = NULL;
        worker->message_count = worker->message_capacity = 0;
    }
    return true;
}

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
    if (pool->places == NULL) {
        struct place *places = calloc(AHEAD_BATCHES, sizeof *places);

        thread_lock(&pool->lock);
        pool->places = places;
        thread_unlock(&pool->lock);
    }
    worker = &pool->workers[pool->worker_count];
    worker->pool = pool;
    if (pool->places == NULL || pthread_cond_init(&worker->turned, NULL) != 0) {
        pool->workers_max = pool->worker_count; /* the search goes on with those there are */
    } else if (thread_start(&worker->thread, work, worker) != 0) {
        pthread_cond_destroy(&worker->turned);
        pool->workers_max = pool->worker_count;
    } else {
        pool->worker_count++;
    }
}

static void begin_batch(struct pool_worker *worker)
{
    struct job *job = &worker->own_job;

    worker->has_turn = false;
    worker->mark.begin = worker->mark.end = 0;
    worker->searched_bytes = worker->searched_found = worker->told_bytes = 0;
    job->groups = GROUPS_UNKNOWN;
    job->selected = job->error_seen = job->done = false;
    memset(&job->totals, 0, sizeof job->totals);
    if (worker->kept != NULL) {
        worker->kept->used = worker->kept->committed = 0;
        worker->kept->full = kept_is_full;
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
    begin_batch(worker);
    if (worker->sequence - atomic_load(&pool->turn) < AHEAD_BATCHES)
        return true;
    thread_lock(&pool->lock);
    while (worker->sequence - pool->turn >= AHEAD_BATCHES && !pool->over) {
        if (worker->sequence < pool->room_wanted)
            pool->room_wanted = worker->sequence;
        pthread_cond_wait(&pool->room, &pool->lock.mutex);
    }
    thread_unlock(&pool->lock);
    return true;
}

bool pool_may_search(struct pool_worker *worker)
{
    return !worker->job->done && !worker->pool->over &&
           worker->sequence <= worker->pool->sequence_last && choose_output(worker);
}

static void search_batch(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    struct job *job = worker->job;
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

/* Print the batch, or leave it to be printed. */
static void end_batch(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;

    if (pool->over || (!pool_has_turn(worker) && (leave(worker) || !pool_wait_turn(worker))))
        return;
    if (worker->job != pool->job) {
        struct result result = own_result(worker);

        add_to_job(pool, &result);
    }
    pass_turn(pool);
}

static bool open_worker(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    char message[TYPED_ERROR_BYTES];

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
        end_batch(worker);
    }
    atomic_fetch_sub(&worker->pool->active, 1);
    return NULL;
}

/* ---- What files say -------------------------------------------------------------------------- */

void pool_say(struct pool_worker *worker, const char *text)
{
    struct pool_message *messages = worker->messages;
    size_t capacity = worker->message_capacity;
    char *copy = NULL;

    if (!worker->has_turn && worker->message_count == capacity) {
        capacity = capacity == 0 ? 4 : 2 * capacity;
        messages = realloc(messages, capacity * sizeof *messages);
        if (messages != NULL) {
            worker->messages = messages;
            worker->message_capacity = capacity;
        }
    }
    if (!worker->has_turn && messages != NULL)
        copy = strdup(text);
    if (copy != NULL) {
        output_commit(worker->kept);
        messages[worker->message_count].at = worker->kept->used;
        messages[worker->message_count].text = copy;
        worker->message_count++;
    } else if (wait_turn(worker)) {
        if (worker->job->output == worker->kept) {
            output_commit(worker->kept);
            print_own(worker);
        }
        job_say(worker->pool->job, text);
    }
}

bool pool_wants_separator(struct pool_worker *worker, size_t separator_bytes)
{
    if (worker->job->groups == GROUPS_UNKNOWN &&
        (has_turn(worker) || separator_bytes > OUTPUT_BYTES / 4))
        (void)wait_turn(worker);
    if (worker->job->groups == GROUPS_UNKNOWN)
        output_need(worker->job->output, separator_bytes);
    return worker->job->groups != GROUPS_NONE; /* making room may have decided it */
}

void pool_mark_separator(struct pool_worker *worker, size_t begin)
{
    if (worker->job->groups != GROUPS_UNKNOWN)
        return;
    worker->mark.begin = begin;
    worker->mark.end = worker->kept->used;
}

void pool_cut_back(struct pool_worker *worker)
{
    if (worker->kept != NULL && worker->mark.end > worker->kept->used)
        worker->mark.begin = worker->mark.end = 0;
}

struct trawl_searcher *pool_shared_searcher(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    char message[TYPED_ERROR_BYTES];

    if (pool->shared != NULL)
        return pool->shared;
    if (pool->workers_max == 1 && pool->job->settings->threads == 1 && worker->searcher != NULL)
        return worker->searcher;
    if (searchers_open(pool->job, &pool->shared, message))
        return pool->shared;
    pool->shared = NULL;
    job_message(worker->job, "%s", message);
    worker->job->error_seen = worker->job->done = true;
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
    free_messages(worker->messages, worker->message_count);
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
    for (uint32_t i = 0; pool->places != NULL && i < AHEAD_BATCHES; i++)
        free_result(pool->places[i].result);
    if (pool->shared_is_ours)
        trawl_searcher_close(pool->shared);
    walk_close(&pool->walk);
    pthread_cond_destroy(&pool->room);
    thread_lock_close(&pool->walk_lock);
    thread_lock_close(&pool->lock);
    free(pool->places);
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

bool job_walk(struct job *job, const struct exclude *exclude, const struct typed_item *operands,
              size_t operand_count, char *message)
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
    walk_open(&pool.walk, job, exclude, operands, operand_count, open_levels);
    good = open_first(&pool, message);
    if (good) {
        atomic_fetch_add(&pool.active, 1);
        while (next_batch(&pool.workers[0])) {
            search_batch(&pool.workers[0]);
            end_batch(&pool.workers[0]);
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
