/* forks: a readers-writer lock. fork() is the writer; a thread that holds other locks is a
 * reader. */
#include "base/forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static void (*_Atomic adopts)(void);
/* Number of this thread's calls to forks_hold without forks_release. Only the first call takes the
 * lock: a second rdlock could wait for a fork() that waits until the thread releases the lock. */
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

    /* reset the lock: the threads that held or awaited it do not exist in the child */
    (void)pthread_rwlock_init(&gate, NULL);
    if (adopt != NULL)
        adopt();
}

static void watch(void)
{
    /* without memory for this, a child may find a lock that is never released */
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
