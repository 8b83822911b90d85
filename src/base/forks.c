/* forks: one lock that fork() takes alone, and that threads share while they hold other locks. */
#include "base/forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static void (*_Atomic adopts)(void);
/* How many times this thread holds the lock: a second rdlock could wait for a fork that waits for
 * the first. */
static _Thread_local unsigned int held;

static void before(void)
{
    (void)pthread_rwlock_wrlock(&gate);
}

static void in_parent(void)
{
    (void)pthread_rwlock_unlock(&gate);
}

static void in_child(void)
{
    void (*adopt)(void) = atomic_load(&adopts);

    (void)pthread_rwlock_init(&gate, NULL); /* threads that waited for the lock do not exist */
    if (adopt != NULL)
        adopt();
}

static void watch(void)
{
    /* Without memory for the handlers, a child may find a lock taken. */
    (void)pthread_atfork(before, in_parent, in_child);
}

void forks_hold(void (*adopt)(void))
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, watch);
    if (held++ == 0)
        (void)pthread_rwlock_rdlock(&gate);
    if (adopt != NULL)
        atomic_store(&adopts, adopt);
}

void forks_release(void)
{
    if (--held == 0)
        (void)pthread_rwlock_unlock(&gate);
}
