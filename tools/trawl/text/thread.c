/* thread: starts threads on a core other than the starter's, and has a lock that spins. */
#include "trawl/text/thread.h"

#include <errno.h>
#include <signal.h>

#include "trawl/text/command_clock.h"
#include "trawl/text/groups.h"

#define WATCH_NS 200000u /* 4 × how long a worker finding its files holds the lock */
#define SETS 8u          /* room for 8,192 cores, as many as Linux supports */
#define LOOKS 16u        /* attempts between two reads of the clock */

uint32_t thread_cores(void)
{
    static _Atomic uint64_t quota; /* read once: reading takes about 50 us */
    cpu_set_t sets[SETS];
    uint64_t count = 1, max = UINT64_MAX;

    if (sched_getaffinity(0, sizeof sets, sets) == 0)
        count = (uint64_t)CPU_COUNT_S(sizeof sets, sets);
    if (count > 1 && (max = atomic_load(&quota)) == 0) {
        max = groups_cores("");
        atomic_store(&quota, max);
    }
    return (uint32_t)(count < max ? count : max);
}

int thread_start(struct thread *thread, void *(*main)(void *), void *context)
{
    int core = sched_getcpu(), code = ENOMEM;
    pthread_attr_t attributes;
    cpu_set_t others;

    if (core >= 0 && core < CPU_SETSIZE &&
        sched_getaffinity(0, sizeof thread->cores, &thread->cores) == 0 &&
        pthread_attr_init(&attributes) == 0) {
        others = thread->cores;
        CPU_CLR((size_t)core, &others);
        thread->is_moved = CPU_COUNT(&others) > 0 &&
                           pthread_attr_setaffinity_np(&attributes, sizeof others, &others) == 0;
        if (thread->is_moved)
            code = pthread_create(&thread->id, &attributes, main, context);
        (void)pthread_attr_destroy(&attributes);
    }
    if (code == 0)
        return 0;
    thread->is_moved = false;
    return pthread_create(&thread->id, NULL, main, context);
}

int thread_start_blocking(pthread_t *thread, void *(*main)(void *), void *context)
{
    sigset_t all, old;
    int error;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(thread, NULL, main, context);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

void thread_begins(const struct thread *thread)
{
    if (thread->is_moved)
        (void)sched_setaffinity(0, sizeof thread->cores, &thread->cores);
}

void thread_lock_open(struct thread_lock *lock)
{
    (void)pthread_mutex_init(&lock->mutex, NULL);
    atomic_init(&lock->is_watched, false);
}

void thread_lock_close(struct thread_lock *lock)
{
    (void)pthread_mutex_destroy(&lock->mutex);
}

/* Pauses for a moment, so that the core's other hardware thread runs. */
static void pause_shortly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* Spins for the lock. True: it is taken. */
static bool spin_for_lock(struct thread_lock *lock)
{
    uint64_t end_ns = now_ns() + WATCH_NS;

    do
        for (unsigned i = 0; i < LOOKS; i++) {
            pause_shortly();
            if (pthread_mutex_trylock(&lock->mutex) == 0)
                return true;
        }
    while (now_ns() < end_ns);
    return false;
}

void thread_lock(struct thread_lock *lock)
{
    bool locked = pthread_mutex_trylock(&lock->mutex) == 0;

    if (!locked && !atomic_exchange(&lock->is_watched, true)) {
        locked = spin_for_lock(lock);
        atomic_store(&lock->is_watched, false);
    }
    if (!locked)
        (void)pthread_mutex_lock(&lock->mutex);
}

void thread_unlock(struct thread_lock *lock)
{
    (void)pthread_mutex_unlock(&lock->mutex);
}
