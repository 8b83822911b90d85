/* thread: threads that begin on another core than the one that starts them, and stay there.
 *
 * Linux puts a new thread on its starter's core if it takes the others for busy, and a guest of KVM
 * takes a core for busy that sleeps (src/runtime/workers.c). Both then share one core for
 * milliseconds. The same happens to a thread that slept while another one held a lock, so one
 * thread at a time waits awake for a lock, for as long as it is usually held.
 */
#ifndef TRAWL_THREAD_H
#define TRAWL_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct thread {
    pthread_t id;
    bool is_moved;   /* kept off the starter's core until it runs */
    cpu_set_t cores; /* then: where it may run */
};

/* Start main(context), which calls thread_begins first; 0 or an errno. Join `thread->id`. */
int thread_start(struct thread *thread, void *(*main)(void *), void *context);
/* The calling thread, started as `thread`, may run on any core again. */
void thread_begins(const struct thread *thread);

struct thread_lock {
    pthread_mutex_t mutex;
    atomic_bool is_watched; /* by a thread that waits awake */
};

void thread_lock_open(struct thread_lock *lock);
void thread_lock_close(struct thread_lock *lock);
void thread_lock(struct thread_lock *lock);
void thread_unlock(struct thread_lock *lock);

#endif
