/* guard: limits of memory and time for a search that the server runs on behalf of a client. Files
 * such as ignore.c ask the guard before they allocate, and tree.c asks whether time is up. Counters
 * are atomic, because the threads of all searches share the server's guard. */
#include "trawl/text/guard.h"

#include <pthread.h>
#include <time.h>

#define LOOK_NS 50000000 /* how often a waiting search checks whether it is over */

/* Searches that wait leave this fraction of all memory to requests that do not. */
#define SPARED_SHARE 4u

/* A search that waits for memory; the list is sorted by deadline. */
struct waiter {
    struct waiter *next;
    const struct guard *guard;
    uint64_t bytes; /* how many bytes the search waits for */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static struct waiter *waiters;
static atomic_bool has_waiters;

/* Adds `bytes` to the guard's sum. False: the sum would exceed bytes_max. */
static bool add_bytes(struct guard *guard, uint64_t bytes)
{
    uint64_t before = atomic_load(&guard->bytes);

    do
        if (guard->bytes_max != 0 &&
            (before > guard->bytes_max || bytes > guard->bytes_max - before))
            return false;
    while (!atomic_compare_exchange_weak(&guard->bytes, &before, before + bytes));
    return true;
}

static bool refuse(struct guard *guard, enum guard_refusal refusal)
{
    int none = GUARD_NONE;

    (void)atomic_compare_exchange_strong(&guard->refusal, &none, (int)refusal);
    return false;
}

bool guard_take(struct guard *guard, uint64_t bytes)
{
    if (guard == NULL)
        return true;
    if (!add_bytes(guard, bytes))
        return refuse(guard, GUARD_OWN);
    if (guard->all == NULL || add_bytes(guard->all, bytes))
        return true;
    (void)atomic_fetch_sub(&guard->bytes, bytes);
    return refuse(guard, GUARD_ALL);
}

/* Returns true if waiting searches hold all the memory that is taken, so that none will be freed.
 */
static bool nobody_works(const struct guard *all)
{
    uint64_t held = 0;

    for (const struct waiter *waiter = waiters; waiter != NULL; waiter = waiter->next)
        held += waiter->guard->all == all ? atomic_load(&waiter->guard->bytes) : 0;
    return held >= atomic_load(&all->bytes);
}

/* Waits until `waiter` is first on the list and its memory is free. If no search runs and the first
 * cannot begin, the last on the list gives up. */
static bool wait_as(const struct waiter *waiter, struct guard *all)
{
    const uint64_t most = all->bytes_max - all->bytes_max / SPARED_SHARE;

    while (!guard_is_over(waiter->guard)) {
        const bool idle = nobody_works(all);
        struct timespec until;

        if (waiters == waiter && (idle || atomic_load(&all->bytes) + waiter->bytes <= most) &&
            add_bytes(all, waiter->bytes))
            return true;
        if (idle && waiter->next == NULL &&
            atomic_load(&all->bytes) + waiters->bytes > all->bytes_max)
            return false;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&given, &lock, &until);
    }
    return false;
}

bool guard_wait(struct guard *guard, uint64_t bytes)
{
    struct waiter waiter = {NULL, guard, bytes}, **link = &waiters;
    bool good;

    if (guard == NULL || guard->all == NULL || guard->all->bytes_max == 0 ||
        atomic_load(&guard->bytes) + bytes > guard->all->bytes_max || guard_left(guard) < bytes)
        return guard_take(guard, bytes);
    (void)pthread_mutex_lock(&lock);
    while (*link != NULL && (*link)->guard->deadline_ns <= guard->deadline_ns)
        link = &(*link)->next;
    waiter.next = *link;
    *link = &waiter;
    atomic_store(&has_waiters, true);
    good = wait_as(&waiter, guard->all);
    for (link = &waiters; *link != &waiter;)
        link = &(*link)->next;
    *link = waiter.next;
    atomic_store(&has_waiters, waiters != NULL);
    (void)pthread_cond_broadcast(&given); /* the next may be first now */
    (void)pthread_mutex_unlock(&lock);
    if (!good)
        return refuse(guard, GUARD_ALL);
    if (add_bytes(guard, bytes))
        return true;
    (void)atomic_fetch_sub(&guard->all->bytes, bytes);
    return refuse(guard, GUARD_OWN);
}

void guard_give(struct guard *guard, uint64_t bytes)
{
    if (guard == NULL)
        return;
    (void)atomic_fetch_sub(&guard->bytes, bytes);
    if (guard->all == NULL)
        return;
    (void)atomic_fetch_sub(&guard->all->bytes, bytes);
    if (bytes > 0 && atomic_load(&has_waiters)) {
        (void)pthread_mutex_lock(&lock);
        (void)pthread_cond_broadcast(&given);
        (void)pthread_mutex_unlock(&lock);
    }
}

uint64_t guard_left(const struct guard *guard)
{
    uint64_t bytes = atomic_load(&guard->bytes);

    return guard->bytes_max == 0      ? UINT64_MAX
           : bytes < guard->bytes_max ? guard->bytes_max - bytes
                                      : 0;
}

void guard_end(struct guard *guard)
{
    guard_give(guard, atomic_load(&guard->bytes));
}
