/* thread: starts threads on a core other than the starter's, and has a lock that spins.
 *
 * Linux starts a thread on its starter's core if all other cores seem busy, and in a KVM guest a
 * sleeping core seems busy (src/runtime/threads.c). Then both threads share a core for
 * milliseconds. The same happens to a thread that slept while another thread held a lock. So one
 * thread at a time spins for a lock, for a few times as long as a worker holds it.
 */
#ifndef TRAWL_THREAD_H
#define TRAWL_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct thread {
    pthread_t id;    /* for pthread_join */
    bool is_moved;   /* kept off the starter's core until it runs */
    cpu_set_t cores; /* if is_moved: the cores on which the thread may run */
};

/* Returns how many cores the process may keep busy, at least 1: those on which it may run, or fewer
 * by the quotas of its control groups. */
uint32_t thread_cores(void);
/* Starts main(context), which must call thread_begins first. Returns 0 or an errno. Join
 * `thread->id`. */
int thread_start(struct thread *thread, void *(*main)(void *), void *context);
/* Starts a thread that blocks all signals, so that writing into a pipe without a reader is an
 * error, not SIGPIPE, and no signal interrupts a call. Returns 0 or an errno. */
int thread_start_blocking(pthread_t *thread, void *(*main)(void *), void *context);
/* Lets the calling thread, which was started as `thread`, run on any core again. */
void thread_begins(const struct thread *thread);

struct thread_lock {
    pthread_mutex_t mutex;
    atomic_bool is_watched; /* a thread is spinning */
};

void thread_lock_open(struct thread_lock *lock);
void thread_lock_close(struct thread_lock *lock);
void thread_lock(struct thread_lock *lock);
void thread_unlock(struct thread_lock *lock);

#endif
