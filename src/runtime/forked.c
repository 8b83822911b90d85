/* forked: makes runtimes and searchers usable in a child of fork()
 *
 * In the child, only the thread that called fork() exists. The runtimes' other threads are gone,
 * and their memory leaks. A lock that one of them held would never be released, so the child
 * reinitialises all locks; a runtime restarts threads when a search can use them. CUDA does not
 * work in a child of a process that used it, so a runtime whose devices the parent had opened, or
 * was opening, has none in the child. A call that the forking thread was inside, or that was open
 * (trawl_search_open), cannot go on, and is marked as orphaned; a call that another thread was
 * inside counts as ended. */
#include "runtime/forked.h"
#include "runtime/pages.h"

#include <string.h>
#include <unistd.h>

#include "base/forks.h"

/* held only between forks_hold and forks_release, when no other thread can fork */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct forked_object *items;

static void adopt_devices(struct devices *devices)
{
    static const char why[] = "this process is a child of fork(), in which CUDA does not work";
    int state = atomic_load(&devices->state);

    (void)pthread_cond_init(&devices->decided, NULL);
    if (state != DEVICES_OPENING && state != DEVICES_READY)
        return;
    memcpy(devices->failure, why, sizeof why);
    atomic_store(&devices->state, DEVICES_ABSENT);
    atomic_store(&devices->has_texts, false);
    atomic_store(&devices->worker_count, 0);
    devices->engine = NULL;
    devices->opener_runs = false;
    devices->workers = NULL;
    devices->workers_max = 0;
    devices->first = devices->last = NULL;
    devices->pinned = NULL;
    devices->pinned_free = devices->pinned_made = devices->pinned_capacity = 0;
}

static void adopt_runtime(struct trawl_runtime *runtime)
{
    (void)pthread_mutex_init(&runtime->lock, NULL);
    (void)pthread_mutex_init(&runtime->entry, NULL);
    runtime_pages_adopt(runtime);
    atomic_store(&runtime->memory_used, 0); /* adopt_searcher adds the remaining buffers */
    if (runtime->threads_max > 1)
        memset(runtime->workers, 0, (runtime->threads_max - 1) * sizeof *runtime->workers);
    atomic_store(&runtime->worker_count, 0);
    atomic_store(&runtime->streams, 0); /* no search of the parent continues here */
    runtime->jobs = NULL;
    runtime->idle = NULL;
    runtime->workers_wanted = 0;
    adopt_devices(&runtime->devices);
}

static void adopt_searcher(struct trawl_searcher *searcher)
{
    struct worker *caller = &searcher->caller;
    bool is_inside = atomic_load(&searcher->call.state) != ENGINE_CALL_NONE;

    caller->device_index = ENGINE_DEVICES_MAX;
    for (uint32_t i = 0; i < PLAN_KINDS; i++)
        caller->prepared[i][1] = (struct prepared){NULL, 0, 0};
    (void)sem_init(&searcher->woken, 0, 0);
    atomic_store(&searcher->sleeps, false);
    atomic_store(&searcher->cancelling, 0);
    /* the descriptor is shared with the parent: a write would wake the parent's search */
    if (atomic_load(&searcher->wake) >= 0)
        (void)close(atomic_load(&searcher->wake));
    atomic_store(&searcher->wake, -1);
    /* another thread may have been changing the buffer during fork() */
    if (is_inside)
        memset(&caller->buffer, 0, sizeof caller->buffer);
    for (uint32_t i = 0; i < searcher->tasks_touched; i++) {
        struct task *task = &searcher->tasks[i];

        if (is_inside || task->buffer_is_pinned)
            memset(&task->buffer, 0, sizeof task->buffer);
        task->buffer_is_pinned = false;
        atomic_fetch_add(&searcher->runtime->memory_used, task->buffer.capacity);
    }
    atomic_fetch_add(&searcher->runtime->memory_used, caller->buffer.capacity);
    searcher->unpack_bytes = 0;
    memset(searcher->ring, 0, searcher->task_count * sizeof(struct task *));
    searcher->is_orphan =
        is_inside && (searcher->is_pulled || pthread_equal(searcher->thread, pthread_self()));
    if (!searcher->is_orphan)
        atomic_store(&searcher->call.state, ENGINE_CALL_NONE);
}

/* Makes all objects usable again. Called in the child before fork() returns. */
static void adopt(void)
{
    for (struct forked_object *item = items; item != NULL; item = item->next)
        if (!item->is_searcher)
            adopt_runtime((struct trawl_runtime *)item);
    for (struct forked_object *item = items; item != NULL; item = item->next)
        if (item->is_searcher)
            adopt_searcher((struct trawl_searcher *)item);
}

void forked_note(struct forked_object *item, bool is_searcher)
{
    forks_hold(adopt);
    (void)pthread_mutex_lock(&lock);
    *item = (struct forked_object){items, is_searcher};
    items = item;
    (void)pthread_mutex_unlock(&lock);
    forks_release();
}

void forked_forget(const struct forked_object *item)
{
    struct forked_object **link = &items;

    forks_hold(adopt);
    (void)pthread_mutex_lock(&lock);
    while (*link != NULL && *link != item)
        link = &(*link)->next;
    if (*link != NULL)
        *link = item->next;
    (void)pthread_mutex_unlock(&lock);
    forks_release();
}
