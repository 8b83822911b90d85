/* thread: threads that begin on another core than the one that starts them. */
#include "trawl/thread.h"

#include <errno.h>

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

void thread_begins(const struct thread *thread)
{
    if (thread->is_moved)
        (void)sched_setaffinity(0, sizeof thread->cores, &thread->cores);
}
