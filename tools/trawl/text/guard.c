/* guard: limits of memory and time for a search that the server runs on behalf of a client. Files
 * such as ignore.c ask the guard before they allocate, and tree.c asks whether time is up. Counters
 * are atomic, because the threads of all searches share the server's guard. */
#include "trawl/text/guard.h"

#include <pthread.h>
#include <time.h>

#define LOOK_NS 50000000 /* how often a waiting search checks whether it is over */

/* Searches that wait leave this fraction of all memory to requests that do not. */
#define SPARED_SHARE 4u

/* A search that waits for memory or its turn; the lists are sorted by deadline. */
struct waiter {
    struct waiter *next;
    const struct guard *guard;
    uint64_t bytes; /* how many bytes the search waits for */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given; /* made by init_given_condition */
static pthread_once_t is_made = PTHREAD_ONCE_INIT;
static struct waiter *waiters, *entering;
static struct guard *running;
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

void guard_refuse(struct guard *guard, enum guard_refusal refusal)
{
    int none = GUARD_NONE;

    if (guard != NULL)
        (void)atomic_compare_exchange_strong(&guard->refusal, &none, (int)refusal);
}

static bool refuse(struct guard *guard, enum guard_refusal refusal)
{
    guard_refuse(guard, refusal);
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

static void init_given_condition(void)
{
    (void)now_condition(&given);
}

static void list_waiter(struct waiter **list, struct waiter *waiter)
{
    (void)pthread_once(&is_made, init_given_condition);
    while (*list != NULL && (*list)->guard->deadline_ns <= waiter->guard->deadline_ns)
        list = &(*list)->next;
    waiter->next = *list;
    *list = waiter;
}

/* Takes the waiter off the list; the next one may be first now. */
static void unlist_waiter(struct waiter **list, const struct waiter *waiter)
{
    while (*list != waiter)
        list = &(*list)->next;
    *list = waiter->next;
    (void)pthread_cond_broadcast(&given);
}

/* Waits for a broadcast, at most LOOK_NS. */
static void look_later(void)
{
    const uint64_t at = now_ns() + LOOK_NS;
    const struct timespec until = {(time_t)(at / SECOND_NS), (long)(at % SECOND_NS)};

    (void)pthread_cond_timedwait(&given, &lock, &until);
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
    const uint64_t max = all->bytes_max - all->bytes_max / SPARED_SHARE;

    while (!guard_is_over(waiter->guard)) {
        const bool idle = nobody_works(all);

        if (waiters == waiter && (idle || atomic_load(&all->bytes) + waiter->bytes <= max) &&
            add_bytes(all, waiter->bytes))
            return true;
        if (idle && waiter->next == NULL &&
            atomic_load(&all->bytes) + waiters->bytes > all->bytes_max)
            return false;
        look_later();
    }
    return false;
}

bool guard_wait(struct guard *guard, uint64_t bytes)
{
    struct waiter waiter = {NULL, guard, bytes};
    bool good;

    if (guard == NULL || guard->all == NULL || guard->all->bytes_max == 0 ||
        atomic_load(&guard->bytes) + bytes > guard->all->bytes_max || guard_left(guard) < bytes)
        return guard_take(guard, bytes);
    (void)pthread_mutex_lock(&lock);
    list_waiter(&waiters, &waiter);
    atomic_store(&has_waiters, true);
    good = wait_as(&waiter, guard->all);
    unlist_waiter(&waiters, &waiter);
    atomic_store(&has_waiters, waiters != NULL);
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

/* Returns true if a search may begin beside those that run. */
static bool has_core(const struct guard *all)
{
    const uint64_t now = now_ns();
    uint32_t count = 0;

    for (const struct guard *guard = running; guard != NULL; guard = guard->next_running)
        count += guard->all == all && now - guard->run_ns < GUARD_RUN_NS;
    return all->thread_count == 0 || count < all->thread_count;
}

bool guard_admit(struct guard *guard)
{
    struct waiter waiter = {NULL, guard, 0};

    (void)pthread_mutex_lock(&lock);
    list_waiter(&entering, &waiter);
    while (!guard_is_over(guard) && (entering != &waiter || !has_core(guard->all)))
        look_later();
    if (!guard_is_over(guard)) {
        guard->run_ns = now_ns();
        guard->next_running = running;
        running = guard;
    }
    unlist_waiter(&entering, &waiter);
    (void)pthread_mutex_unlock(&lock);
    return guard->run_ns != 0;
}

void guard_leave(struct guard *guard)
{
    struct guard **link = &running;

    if (guard->run_ns == 0)
        return;
    (void)pthread_mutex_lock(&lock);
    while (*link != guard)
        link = &(*link)->next_running;
    *link = guard->next_running;
    guard->run_ns = 0;
    (void)pthread_cond_broadcast(&given); /* made by guard_admit */
    (void)pthread_mutex_unlock(&lock);
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
