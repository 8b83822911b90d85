/* pool_turns: keeps the output of workers until their turn.
 *
 * A worker whose turn has not come writes into memory. The worker with the turn prints directly,
 * then prints the kept output of batches that are done. Messages for standard error are kept with
 * the output, so that both come in the walk's order.
 */
#include "trawl/run/pool_turns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/text/grow.h"
#include "trawl/text/message.h"
#include "trawl/text/sizes.h"
#include "trawl/job/totals.h"
#include "trawl/options/settings.h"

/* Bytes of finished batches that may wait to be printed: in total for a pool of files, per worker
 * for another source. */
#define LEFT_BYTES_WORKER SIZE_OR_SMALL(UINT64_C(1) << 20, UINT64_C(1000))
#define LEFT_BYTES_MAX SIZE_OR_SMALL(UINT64_C(64) << 20, UINT64_C(3000))

/* The output of a batch that was searched before its turn. */
struct pool_result {
    struct pool_result *next; /* in the list of spares */
    uint8_t *bytes;
    size_t bytes_count, capacity;
    struct pool_message *messages;
    size_t message_count;
    struct pool_mark mark;
    struct command_job job; /* a copy of the worker's job, made after the batch was searched */
};

static void free_messages(struct pool_message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(messages[i].text);
}

/* Prints kept output, each message after the bytes that precede it. */
static void print_kept(struct pool *pool, const uint8_t *bytes, size_t bytes_count,
                       const struct pool_message *messages, size_t message_count)
{
    struct command_job *job = pool->job;
    size_t from = 0;

    for (size_t i = 0; i < message_count; i++) {
        if (messages[i].at > from) /* else `bytes` may be NULL */
            output_bytes(job->output, bytes + from, messages[i].at - from);
        from = messages[i].at;
        message_in_output(job->output, messages[i].text);
    }
    if (bytes_count > from)
        output_bytes(job->output, bytes + from, bytes_count - from);
    output_commit(job->output);
    if (job->settings->writes_lines || job->supply != NULL)
        output_flush(job->output);
}

/* Removes the separator at `mark` if no group was printed before it. Returns the number of bytes
 * removed. Called with the turn, when pool->job->groups is known. */
static size_t finish_mark(const struct pool *pool, struct pool_mark *mark, uint8_t *bytes,
                          size_t bytes_count, struct pool_message *messages, size_t message_count)
{
    size_t taken = mark->end - mark->begin;

    if (taken == 0 || pool->job->groups == GROUPS_PRINTED || pool->job->groups == GROUPS_BEFORE) {
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

/* Prints what the worker kept. Called with the turn. */
static void print_kept_of_worker(struct pool_worker *worker)
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

/* Returns the entry of pool->ahead for the worker's batch. The caller holds the lock. */
static struct batch_turn *turn_of_batch(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;

    if (pool->ahead_end <= worker->sequence)
        pool->ahead_end = worker->sequence + 1;
    return &pool->ahead[worker->sequence % POOL_AHEAD_FILES];
}

static bool has_turn(struct pool_worker *worker)
{
    if (!worker->has_turn && atomic_load(&worker->pool->turn) == worker->sequence) {
        worker->has_turn = true;
        if (worker->job != worker->pool->job)
            print_kept_of_worker(worker);
    }
    return worker->has_turn;
}

/* Waits until the worker's batch has the turn. False: the search is over. */
static bool wait_turn(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    struct batch_turn *entry;

    if (has_turn(worker))
        return true;
    thread_lock(&pool->lock);
    entry = turn_of_batch(worker);
    entry->waiter = worker;
    while (pool->turn != worker->sequence && !pool->over)
        pthread_cond_wait(&worker->turned, &pool->lock.mutex);
    entry->waiter = NULL;
    thread_unlock(&pool->lock);
    if (!pool->over && has_turn(worker))
        return true;
    worker->job->done = true;
    return false;
}

/* Waits for the turn when the kept output reaches its limit. From then on, the file's output goes
 * directly to the pool's, or nowhere if the search is over. */
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

/* Prints what the worker kept, and lets the worker's next files print to the pool's output. Called
 * with the turn, between files. Returns true. */
static bool print_directly(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;

    if (worker->job == pool->job)
        return true;
    if (worker->kept != NULL) { /* the kept output may have reached its limit */
        output_commit(worker->kept);
        print_kept_of_worker(worker);
        worker->kept->full = kept_is_full;
    }
    worker->job->output = pool->job->output;
    return true;
}

bool pool_has_turn(struct pool_worker *worker)
{
    return has_turn(worker) && print_directly(worker);
}

bool pool_wait_turn(struct pool_worker *worker)
{
    return wait_turn(worker) && print_directly(worker);
}

bool pool_wants_next_file(struct pool_worker *worker)
{
    if (worker->job->done || worker->pool->over || worker->sequence > worker->pool->sequence_last)
        return false;
    if (worker->job == worker->pool->job || pool_has_turn(worker))
        return worker->pool->job->output->error == 0;
    if (worker->kept == NULL) {
        worker->kept = malloc(sizeof *worker->kept);
        if (worker->kept == NULL)
            return pool_wait_turn(worker);
        output_open(worker->kept, -1);
        worker->kept->through = worker->pool->job->output;
        worker->kept->full = kept_is_full;
        worker->kept->full_context = worker;
    }
    worker->job->output = worker->kept;
    return true;
}

/* Ends the search for all workers. The caller holds pool->lock. */
static void end_all(struct pool *pool)
{
    pool->over = true;
    pthread_cond_broadcast(&pool->room);
    for (uint64_t i = pool->turn; i < pool->ahead_end; i++) {
        const struct batch_turn *entry = &pool->ahead[i % POOL_AHEAD_FILES];

        if (entry->waiter != NULL)
            pthread_cond_signal(&entry->waiter->turned);
    }
}

static void add_to_job(struct command_job *job, const struct command_job *more)
{
    if (more->groups == GROUPS_PRINTED)
        job->groups = GROUPS_PRINTED;
    job->selected |= more->selected;
    job->error_seen |= more->error_seen;
    job->done |= more->done;
    job->truncated |= more->truncated;
    totals_add(&job->totals, &more->totals);
}

static void free_result(struct pool_result *result)
{
    free_messages(result->messages, result->message_count);
    free(result->messages);
    free(result->bytes);
    free(result);
}

/* Returns a result whose memory can be reused, or a new one. NULL: no memory. */
static struct pool_result *take_result(struct pool *pool)
{
    struct pool_result *result;

    thread_lock(&pool->lock);
    result = pool->spares;
    if (result != NULL)
        pool->spares = result->next;
    thread_unlock(&pool->lock);
    return result != NULL ? result : calloc(1, sizeof *result);
}

/* Keeps the memory of a result that is not needed any more. Called with the lock. */
static void give_result(struct pool *pool, struct pool_result *result)
{
    result->message_count = 0;
    result->next = pool->spares;
    pool->spares = result;
}

/* Copies output that fits into the first buffer. False: no memory. */
static bool copy_small(struct pool_result *result, const struct output *kept)
{
    if (kept == NULL || kept->bytes != kept->initial)
        return true;
    if (result->capacity < kept->used) {
        free(result->bytes);
        result->bytes = malloc(kept->used);
        result->capacity = result->bytes != NULL ? kept->used : 0;
    }
    if (kept->used > 0 && result->bytes != NULL)
        memcpy(result->bytes, kept->bytes, kept->used);
    return kept->used == 0 || result->bytes != NULL;
}

/* Swaps the buffers of result and output, if the output's is allocated. */
static void swap_buffers(struct pool_result *result, struct output *kept)
{
    uint8_t *const bytes = result->bytes;
    const size_t capacity = result->capacity;

    if (kept == NULL || kept->bytes == kept->initial)
        return;
    result->bytes = kept->bytes;
    result->capacity = kept->capacity;
    kept->bytes = capacity > OUTPUT_BYTES ? bytes : kept->initial;
    kept->capacity = capacity > OUTPUT_BYTES ? capacity : OUTPUT_BYTES;
    if (kept->bytes == kept->initial)
        free(bytes);
}

static void print_result(struct pool *pool, struct pool_result *result)
{
    result->bytes_count -= finish_mark(pool, &result->mark, result->bytes, result->bytes_count,
                                       result->messages, result->message_count);
    print_kept(pool, result->bytes, result->bytes_count, result->messages, result->message_count);
    add_to_job(pool->job, &result->job);
}

/* Passes the turn on after printing a batch of `file_count` files. Prints the finished batches that
 * follow, and wakes the worker that waits. If the search is over, no worker gets the turn: one with
 * a later batch may still be searching, and would print. */
static void pass_turn(struct pool *pool, size_t file_count)
{
    struct batch_turn *entry = NULL;

    thread_lock(&pool->lock);
    for (;;) {
        struct pool_result *result;

        if (pool->job->done || pool->job->output->error != 0)
            end_all(pool);
        if (pool->over)
            break;
        pool->turn += file_count;
        entry = pool->ahead == NULL ? NULL : &pool->ahead[pool->turn % POOL_AHEAD_FILES];
        if (entry == NULL || !entry->searched)
            break;
        result = entry->result;
        file_count = entry->file_count;
        entry->searched = false;
        entry->result = NULL;
        if (result == NULL)
            continue;
        pool->left_bytes -= result->bytes_count;
        thread_unlock(&pool->lock);
        print_result(pool, result);
        free_messages(result->messages, result->message_count);
        free(result->messages);
        thread_lock(&pool->lock);
        give_result(pool, result);
    }
    if (entry != NULL && entry->waiter != NULL)
        pthread_cond_signal(&entry->waiter->turned);
    if (pool->room_wanted != UINT64_MAX && pool->room_wanted - pool->turn <= POOL_AHEAD_FILES / 2) {
        pool->room_wanted = UINT64_MAX;
        pthread_cond_broadcast(&pool->room);
    }
    thread_unlock(&pool->lock);
}

static bool has_nothing_to_write(const struct pool_worker *worker)
{
    const struct command_job *job = worker->job;

    return (worker->kept == NULL || worker->kept->used == 0) && worker->message_count == 0 &&
           job->groups != GROUPS_PRINTED && !job->selected && !job->error_seen && !job->done &&
           !job->settings->stats && !job->settings->json;
}

/* Leaves a finished batch to the worker that has the turn. False: this worker has the turn, the
 * batches that wait would exceed LEFT_BYTES_MAX, or memory runs out. */
static bool leave_batch(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    size_t bytes_count = worker->kept != NULL ? worker->kept->used : 0;
    struct pool_result *result = NULL;
    const uint64_t max =
        pool->source != NULL ? pool->workers_max * LEFT_BYTES_WORKER : LEFT_BYTES_MAX;
    bool left;

    if (!has_nothing_to_write(worker)) {
        result = take_result(pool);
        if (result == NULL || !copy_small(result, worker->kept)) {
            free(result);
            return false;
        }
        result->job = *worker->job;
        result->bytes_count = bytes_count;
        result->messages = worker->messages;
        result->message_count = worker->message_count;
        result->mark = worker->mark;
    }
    thread_lock(&pool->lock);
    left = pool->turn != worker->sequence && pool->left_bytes + bytes_count <= max;
    if (left) {
        struct batch_turn *entry = turn_of_batch(worker);

        entry->file_count = worker->item_count;
        entry->result = result;
        entry->searched = true;
        if (result == NULL && worker->job->totals.sums.file_count > 0)
            pool->job->has_searched = true;
        pool->left_bytes += bytes_count;
        if (result != NULL)
            swap_buffers(result, worker->kept);
    } else if (result != NULL) {
        give_result(pool, result);
    }
    thread_unlock(&pool->lock);
    if (!left)
        return false;
    if (result != NULL) {
        worker->messages = NULL;
        worker->message_count = worker->message_capacity = 0;
    }
    return true;
}

void pool_begin_batch(struct pool_worker *worker)
{
    struct command_job *job = &worker->own_job;

    worker->has_turn = false;
    worker->mark.begin = worker->mark.end = 0;
    job->groups = GROUPS_UNKNOWN;
    job->selected = job->error_seen = job->truncated = job->done = false;
    memset(&job->totals, 0, sizeof job->totals);
    if (worker->kept != NULL) {
        worker->kept->used = worker->kept->committed = 0;
        worker->kept->full = kept_is_full;
    }
}

void pool_end_batch(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;

    if (pool->over || (!pool_has_turn(worker) && (leave_batch(worker) || !pool_wait_turn(worker))))
        return;
    if (worker->job != pool->job)
        add_to_job(pool->job, worker->job);
    if (pool->job->supply != NULL)
        output_flush(pool->job->output);
    pass_turn(pool, worker->item_count);
}

uint64_t pool_total_left(struct command_job *job)
{
    uint64_t left = job->settings->max_total - job->totals.sums.selected_count;

    if (job->worker == NULL || job->worker->job == job->worker->pool->job)
        return left;
    return wait_turn(job->worker) ? left - job->worker->pool->job->totals.sums.selected_count : 0;
}

void pool_say(struct pool_worker *worker, const char *text)
{
    char *copy = NULL;

    if (!worker->has_turn &&
        GROW(worker->messages, worker->message_capacity, 4, worker->message_count + 1))
        copy = strdup(text);
    if (copy != NULL) {
        output_commit(worker->kept);
        worker->messages[worker->message_count].at = worker->kept->used;
        worker->messages[worker->message_count++].text = copy;
    } else if (wait_turn(worker)) {
        if (worker->job->output == worker->kept) {
            output_commit(worker->kept);
            print_kept_of_worker(worker);
        }
        message_in_output(worker->pool->job->output, text);
    }
}

bool pool_wants_separator(struct pool_worker *worker, size_t separator_bytes)
{
    if (worker->job->groups == GROUPS_UNKNOWN &&
        (has_turn(worker) || separator_bytes > OUTPUT_BYTES / 4))
        (void)wait_turn(worker);
    if (worker->job->groups == GROUPS_UNKNOWN)
        output_need(worker->job->output, separator_bytes);
    /* output_need may have waited for the turn, so that `groups` is known now */
    return worker->job->groups != GROUPS_NONE;
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

void pool_open_turns(struct pool *pool)
{
    pool->room_wanted = UINT64_MAX;
    atomic_init(&pool->sequence_last, UINT64_MAX);
    thread_lock_open(&pool->walk_lock);
    thread_lock_open(&pool->lock);
    pthread_cond_init(&pool->room, NULL);
    pthread_cond_init(&pool->more, NULL);
    pthread_cond_init(&pool->workers[0].turned, NULL);
}

void pool_close_turns(struct pool *pool)
{
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        struct pool_worker *worker = &pool->workers[i];

        pthread_cond_destroy(&worker->turned);
        free_messages(worker->messages, worker->message_count);
        free(worker->messages);
        if (worker->kept != NULL)
            output_close(worker->kept);
        free(worker->kept);
    }
    for (uint64_t i = pool->turn; i < pool->ahead_end; i++)
        if (pool->ahead[i % POOL_AHEAD_FILES].result != NULL)
            free_result(pool->ahead[i % POOL_AHEAD_FILES].result);
    while (pool->spares != NULL) {
        struct pool_result *next = pool->spares->next;

        pool->spares->messages = NULL;
        free_result(pool->spares);
        pool->spares = next;
    }
    free(pool->ahead);
    pthread_cond_destroy(&pool->room);
    pthread_cond_destroy(&pool->more);
    thread_lock_close(&pool->walk_lock);
    thread_lock_close(&pool->lock);
}

/* The rest of a batch, after a file whose search is slow. */
struct pool_rest {
    struct pool_rest *next; /* the list is in the walk's order */
    uint64_t sequence;
    struct walk_item items[SIZE_ROOM(GATHER_FILES_SIZES)];
    size_t name_at[SIZE_ROOM(GATHER_FILES_SIZES)];
    size_t item_count;
    char *names; /* the names of these files, as in pool_worker.names */
    size_t names_used;
};

/* Splits off the files that follow the current one in the worker's batch. NULL if there are none,
 * or no memory. */
static struct pool_rest *cut_rest(struct pool_worker *worker)
{
    size_t first = worker->item_at + 1, count = worker->item_count - first;
    struct pool_rest *rest = count == 0 ? NULL : malloc(sizeof *rest);

    if (rest == NULL)
        return NULL;
    rest->names = malloc(worker->names_used + 1);
    if (rest->names == NULL) {
        free(rest);
        return NULL;
    }
    rest->sequence = worker->sequence + first;
    rest->item_count = count;
    memcpy(rest->items, worker->items + first, count * sizeof *rest->items);
    memcpy(rest->name_at, worker->name_at + first, count * sizeof *rest->name_at);
    rest->names_used = worker->names_used;
    if (worker->names_used > 0)
        memcpy(rest->names, worker->names, worker->names_used);
    worker->item_count = first;
    return rest;
}

bool pool_take_rest(struct pool_worker *worker)
{
    struct pool_rest *rest = worker->pool->rests;

    if (rest == NULL)
        return false;
    worker->pool->rests = rest->next;
    worker->sequence = rest->sequence;
    worker->item_count = rest->item_count;
    memcpy(worker->items, rest->items, rest->item_count * sizeof *rest->items);
    memcpy(worker->name_at, rest->name_at, rest->item_count * sizeof *rest->name_at);
    free(worker->names);
    worker->names = rest->names;
    worker->names_used = rest->names_used;
    worker->names_capacity = rest->names_used + 1;
    worker->own_job.show_names = worker->pool->job->show_names;
    free(rest);
    return true;
}

void pool_leave_rest(struct pool_worker *worker)
{
    struct pool *pool = worker->pool;
    struct pool_rest *rest, **link = &pool->rests;

    if (!pool->takes_turns)
        return;
    rest = cut_rest(worker);
    thread_lock(&pool->walk_lock);
    if (rest != NULL) {
        while (*link != NULL && (*link)->sequence < rest->sequence)
            link = &(*link)->next;
        rest->next = *link;
        *link = rest;
        pthread_cond_signal(&pool->more);
    }
    if (rest != NULL || !pool->walked)
        pool->begin_worker(pool);
    thread_unlock(&pool->walk_lock);
}
