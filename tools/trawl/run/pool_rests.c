/* pool_rests: files that a worker of a pool leaves to other workers. */
#include "trawl/run/pool_rests.h"

#include <stdlib.h>
#include <string.h>

/* The rest of a batch, after a file that takes long. */
struct pool_rest {
    struct pool_rest *next; /* the list is in the walk's order */
    uint64_t sequence;
    struct walk_item items[POOL_BATCH_FILES];
    size_t name_at[POOL_BATCH_FILES];
    size_t item_count;
    char *names; /* the names of these files, as in pool_worker.names */
    size_t names_used;
};

/* Takes the files that the worker's batch has after the current file. NULL: none, or no memory. */
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
