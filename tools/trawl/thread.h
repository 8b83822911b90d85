/* thread: threads that begin on another core than the one that starts them.
 *
 * Linux puts a new thread on its starter's core if it takes the others for busy, and a guest of KVM
 * takes a core for busy that sleeps (src/runtime/workers.c). Both then share one core for
 * milliseconds.
 */
#ifndef TRAWL_THREAD_H
#define TRAWL_THREAD_H

#include <pthread.h>
#include <sched.h>
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

#endif
