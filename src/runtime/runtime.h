/* runtime: threads, devices and memory for searches, shared by any number of searchers
 *
 * A runtime owns host workers, devices and device workers, and the buffers into which chunks of
 * text are read. Work comes as jobs: each call of a searcher is one. The call adds its job to the
 * runtime's list while workers can help, and removes it before it returns. Host workers serve the
 * listed jobs in turn; chunks for devices go through the devices' queue.
 *
 * Lock order: the runtime's, then a search's. No thread holds either while it reads or searches
 * text.
 *
 * To read on: search.h (a call as a ring of tasks), schedule.c (who searches), job.c (how a call
 * begins and ends), task.c (what happens to a chunk), threads.h and device_threads.h (workers).
 */
#ifndef TRAWL_RUNTIME_RUNTIME_H
#define TRAWL_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine.h"
#include "runtime/engines.h"
#include "text/text.h"
#include "trawl.h"

#define RUNTIME_THREADS_MAX 1024u

struct job;

/* A thread that searches: one of the runtime's, or a caller's. Its *engine workers* are the state
 * that engines keep for one thread. */
struct worker {
    struct trawl_runtime *runtime;
    /* for each kind of plan: [0] on the host, [1] on a device */
    struct prepared {
        struct engine_worker *worker; /* NULL until needed */
        uint64_t job; /* number of the job for which it was last prepared; 0: none */
        /* On the host, serial number of the plan for which a search with job.is_brief has prepared
         * it; 0 after any other search. These must not store their plan's number: a search of
         * records uses a copy of the caller's plan without conditions, which has the same
         * number. */
        uint64_t serial;
    } prepared[PLAN_KINDS][2];
    uint64_t part_job; /* number of the last job that this worker worked on */
    /* the device of this worker's engine workers; ENGINE_DEVICES_MAX: not chosen yet */
    uint32_t device_index;
    bool has_moved; /* to another device, since the layers that are apart were last prepared */
    struct text_buffer buffer; /* reused from chunk to chunk */
    pthread_t thread;

    /* Only for the runtime's threads; changed under the runtime's lock: */
    pthread_cond_t wake;
    _Atomic bool is_idle; /* waiting to be woken */
    /* only for host workers; guarded by the runtime's lock: */
    struct worker *next_idle;
    /* until it runs, the worker is kept off the core of the thread that woke it */
    bool is_moved;
    cpu_set_t cores; /* the cores on which it may run once is_moved is false again */
    /* only for device workers; guarded by the runtime's lock: */
    /* value of devices.became_idle when this worker became idle: the worker with the lowest value
     * has been idle longest */
    uint64_t idle_as;
};

/* Work for a device worker: an item of the devices' queue. */
struct queue_item {
    struct job *job;
    struct queue_item *next;
    /* the device that has the text; ENGINE_DEVICES_MAX: any device may search it */
    uint32_t device;
    bool is_loaded; /* the device has a copy of the text; false: the chunk is in a pinned buffer */
};

/* A call that workers can help with. */
struct job {
    struct trawl_runtime *runtime;
    uint64_t number; /* unique among the jobs of the runtime, starting at 1 */
    const struct trawl_plan *plan;
    const struct kind_facts *kind; /* the plan's */
    /* The caller searches the text as a single chunk, without reading the clock, which would take
     * as long as the search. */
    bool is_brief;
    /* Does all the work that this worker can do for the job now. Called without locks. */
    void (*serve)(struct job *job, struct worker *worker);
    /* Does the work of one of the job's items in the devices' queue. Called without locks. */
    void (*serve_item)(struct queue_item *item, struct worker *worker);
    _Atomic bool has_work;      /* a host worker may find work in the job */
    _Atomic uint32_t took_part; /* number of workers that have worked on the job */
    /* The job has been listed, or has had items in the devices' queue, so other threads than the
     * caller may be inside. */
    _Atomic bool is_known;

    /* guarded by the runtime's lock: */
    bool listed;
    struct job *next, *previous;
    _Atomic uint32_t
        inside;           /* number of workers in the job, plus its items in the devices' queue */
    uint32_t helpers;     /* number of the runtime's threads in the job */
    uint32_t helpers_max; /* maximum number of host workers in the job */
    bool waits_for_leave;
    pthread_cond_t left; /* signalled when a worker leaves */
};

/* Adds `more` to *sum, one of the job's counters. Until other threads know the job, only the caller
 * adds to them, and needs no locked instruction: one for each counter would take as long as the
 * search of a short text. */
#define JOB_ADD(job, sum, more)                                                              \
    (atomic_load(&(job)->is_known)                                                           \
         ? (void)atomic_fetch_add((sum), (more))                                             \
         : atomic_store_explicit((sum),                                                      \
                                 atomic_load_explicit((sum), memory_order_relaxed) + (more), \
                                 memory_order_relaxed))

enum devices_state { DEVICES_NOT_ASKED, DEVICES_OPENING, DEVICES_READY, DEVICES_ABSENT };

struct devices {
    struct trawl_runtime *runtime;
    _Atomic int state;     /* enum devices_state */
    struct engine *engine; /* owned; written before the state becomes DEVICES_READY */
    struct engine_options options;
    uint32_t device_count;
    /* number of devices times the workers per device that the engine recommends */
    uint32_t workers_worth;
    /* workers to start: min(workers_worth, threads_max - 1), but at least device_count; 0 if
     * threads_max is 1 */
    uint32_t workers_max;
    _Atomic bool has_texts;  /* some text has been loaded onto devices */
    _Atomic uint32_t chosen; /* number of calls to devices_choose, which returns devices in turn */
    pthread_t opener;        /* the thread that opens the engine; valid while opener_runs */

    /* guarded by the runtime's lock: */
    bool opener_runs;
    /* why opening first failed or a device was first lost; empty: no failure */
    char failure[TRAWL_ERROR_MESSAGE_BYTES];
    /* workers_max entries; the first worker_count run */
    struct worker *workers;
    _Atomic uint32_t worker_count;
    pthread_cond_t decided;          /* signalled when the state becomes READY or ABSENT */
    struct queue_item *first, *last; /* the queue of work for devices */
    uint64_t became_idle;            /* how often a device worker has become idle */
    _Atomic uint32_t lost_count;     /* number of devices that failed */
    _Atomic bool lost[ENGINE_DEVICES_MAX];
    /* stack of idle pinned buffers, pinned_capacity entries */
    struct text_buffer *pinned;
    uint32_t pinned_free; /* number of idle buffers, in `pinned` */
    uint32_t pinned_made; /* number of buffers, idle or in use; at most pinned_capacity */
    uint32_t pinned_capacity;
};

/* An entry of the list in forked.c: the first member of a runtime, and of a searcher. */
struct forked_object {
    struct forked_object *next;
    bool is_searcher;
};

struct trawl_runtime {
    struct forked_object forked;
    enum trawl_engine engine; /* the engine that the caller asked for */
    uint32_t threads_max;     /* maximum number of searching threads, including the caller's */
    uint64_t memory_max;      /* limit of memory_used; 0: no limit */
    struct engine *host;      /* engine of the host; owned */
    struct devices devices;
    _Atomic uint64_t jobs_begun;    /* number of jobs so far */
    _Atomic uint64_t searched_ns;   /* wall time of the host's searches of long texts */
    _Atomic uint64_t worked_ns;     /* host workers' time in searches of at least SHARE_NS */
    _Atomic uint64_t cores_seen_ns; /* when cores_taken was measured; 0: never */
    _Atomic bool cores_taken;       /* more threads were runnable than there are cores */
    _Atomic uint64_t memory_used; /* bytes in all buffers, plus reserved bytes (runtime_reserve) */
    /* time to stage a MiB for a device, from earlier searches of [0] files, [1] texts in memory; 0:
     * not known */
    _Atomic uint64_t stage_ns[2];
    _Atomic uint32_t searchers; /* open searchers */
    _Atomic uint32_t streams;   /* number of searches of streams now */
    /* Held while a searcher is added, and while a text is copied to devices or back to the host:
     * loading copies a text anew only if there is one searcher, so no second one may be added
     * meanwhile. */
    pthread_mutex_t entry;

    _Atomic bool has_pages; /* the list `pages` is not empty */

    pthread_mutex_t lock;
    struct runtime_pages *pages; /* the filters of loaded texts (pages.c); owned */
    struct job *jobs;            /* ring of listed jobs, at the one to serve next */
    struct worker *workers;      /* owned: threads_max - 1 entries; the first worker_count run */
    uint32_t workers_wanted; /* maximum number of host workers that any job has asked for so far */
    _Atomic uint32_t worker_count; /* number of host workers that run */
    struct worker *idle;           /* stack of idle host workers */
    bool closing;
};

/* ---- runtime.c ---- */

enum trawl_status runtime_open(const struct trawl_searcher_options *options,
                               struct trawl_runtime **runtime, struct trawl_error *error);
void runtime_close(struct trawl_runtime *runtime);

/* Loads a text onto the devices, if there are any; with is_whole, onto one of them if that has
 * room. */
enum trawl_status runtime_load(struct trawl_runtime *runtime, struct trawl_text *text,
                               bool is_whole, struct trawl_error *error);
void runtime_unload(struct trawl_runtime *runtime, const struct trawl_text *text);
/* Finds out whether the caller's memory is device memory. With engine AUTO, a device that fails is
 * no error: the host continues without it. */
enum trawl_status runtime_find_memory(const struct trawl_runtime *runtime, const void *bytes,
                                      bool *on_device, uint32_t *device, struct trawl_error *error);
/* Copies a text from a device to the host, unless the host can already read it. Any thread may call
 * this. Errors: UNSUPPORTED, MEMORY, DEVICE. */
enum trawl_status runtime_fetch(struct trawl_runtime *runtime, struct trawl_text *text,
                                struct trawl_error *error);

#endif
