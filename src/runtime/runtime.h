/* runtime: what a machine has for searching, shared by any number of searchers.
 *
 * A runtime owns worker threads, the devices and their worker threads, and the buffers that chunks
 * of text are read into. Work comes as jobs. A job is one call: it lists itself here while it can
 * use help, host workers serve the listed jobs in turn, and it leaves the list before the call
 * returns. Chunks that a device is to search travel through the devices' queue.
 *
 * Locks, in the order in which they may be held: runtime, then job. No thread holds either while it
 * reads or searches text.
 */
#ifndef TRAWL_RUNTIME_RUNTIME_H
#define TRAWL_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine.h"
#include "runtime/engines.h"
#include "text/text.h"
#include "trawl_devices.h"

#define RUNTIME_THREADS_MAX 1024u

struct job;

/* Who searches: a thread of the runtime's, or the thread that made a call. */
struct worker {
    struct trawl_runtime *runtime;
    struct engine_worker *host;                     /* of the CPU engine; NULL until needed */
    struct engine_worker *device;                   /* of a device; NULL until needed */
    struct engine_worker *layers[ENGINE_LAYERS][2]; /* of the other engines, on the host and on a
                                                       device; likewise */
    uint64_t host_job; /* number of the job each of them is ready for */
    uint64_t device_job;
    uint64_t layer_job[2];
    uint64_t part_job;         /* and of the last job that this worker did something for */
    uint32_t device_index;     /* of its engine worker there; ENGINE_DEVICES_MAX: none was chosen */
    struct text_buffer buffer; /* kept from chunk to chunk */
    pthread_t thread;

    /* Of a worker with a thread, set under the runtime's lock: */
    pthread_cond_t wake;
    _Atomic bool is_idle; /* waits to be woken */
    /* Of a host worker, under that lock: */
    struct worker *next_idle;
    bool is_moved;   /* woken or started, and kept off the waker's core until it runs */
    cpu_set_t cores; /* those it gets back then, or got last */
    /* Of a device's worker, likewise: */
    uint64_t idle_as; /* numbers those that became idle */
};

/* Work for a device's worker, in the devices' queue. */
struct queue_item {
    struct job *job;
    struct queue_item *next;
    uint32_t device; /* on which the text lies; ENGINE_DEVICES_MAX: any may search it */
    bool is_loaded;  /* the text is; else it lies in a pinned buffer */
};

/* One call. */
struct job {
    struct trawl_runtime *runtime;
    uint64_t number; /* no other job of the runtime has had it */
    const struct trawl_plan *plan;
    enum engine_layer layer; /* that searches; ENGINE_LAYERS: none, but host and devices */
    /* Do what this worker can do for the job now, and return. Called without locks. */
    void (*serve)(struct job *job, struct worker *worker);
    /* The same for an item of the job's that was in the devices' queue. */
    void (*serve_item)(struct queue_item *item, struct worker *worker);
    _Atomic bool has_work;      /* a host worker might find something to do */
    _Atomic uint32_t took_part; /* workers that did something for it */
    _Atomic bool is_known;      /* it was listed, or had items in the devices' queue: others than
                                   the caller may hold it */

    /* Under the runtime's lock: */
    bool listed;
    struct job *next, *previous;
    _Atomic uint32_t inside; /* workers that hold it, and items in the devices' queue */
    uint32_t helpers;        /* workers of the runtime's among them */
    uint32_t helpers_max;    /* host workers worth having */
    bool leaves_soon;        /* each worker that is inside when it ends */
    bool waits_for_leave;
    pthread_cond_t left; /* a worker left */
};

/* Add to a sum of the job's. Until it is known the caller alone does, and a locked instruction for
 * each would take as long as a brief text. */
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
    struct engine *engine; /* owned; written before DEVICES_READY is */
    struct engine_options options;
    uint32_t device_count;
    uint32_t workers_worth;  /* at work at a time, of all devices */
    uint32_t workers_max;    /* of their workers: at most the requested threads, but one for each
                              device;    none if one thread does everything */
    _Atomic bool has_texts;  /* some were loaded */
    _Atomic uint32_t chosen; /* how often a device was chosen */
    pthread_t opener;        /* opens the engine; valid while opener_runs */

    /* Under the runtime's lock: */
    bool opener_runs;
    char note[TRAWL_ERROR_MESSAGE_BYTES]; /* why there are none, or fewer */
    struct worker *workers;               /* workers_max; worker_count run */
    _Atomic uint32_t worker_count;
    pthread_cond_t decided;          /* the state is neither of the first two any more */
    struct queue_item *first, *last; /* to be searched */
    uint64_t became_idle;            /* workers, ever */
    _Atomic uint32_t lost_count;     /* devices that failed */
    _Atomic bool lost[ENGINE_DEVICES_MAX];
    struct text_buffer *pinned; /* buffers not in use; pinned_capacity */
    uint32_t pinned_free;       /* how many lie in `pinned` */
    uint32_t pinned_made;       /* those, and the ones in use; at most pinned_capacity */
    uint32_t pinned_capacity;
};

struct trawl_runtime {
    enum trawl_engine engine;                /* asked for */
    uint32_t threads_max;                    /* the calling one included */
    uint64_t memory_max;                     /* of buffers; 0: no limit */
    struct engine *host;                     /* owned */
    struct engine *layers[ENGINE_LAYERS][2]; /* owned, for the host and for devices; NULL: no plan
                                                for it yet; under the lock */
    struct devices devices;
    _Atomic uint64_t jobs_begun;    /* ever: numbers jobs */
    _Atomic uint64_t searched_ns;   /* of long texts, by the host */
    _Atomic uint64_t worked_ns;     /* by all workers, in searches that others could help with */
    _Atomic uint64_t cores_seen_ns; /* when it was last looked whether all cores are taken */
    _Atomic bool cores_taken;
    _Atomic uint64_t memory_used; /* of memory_max */
    _Atomic uint64_t stage_ns[2]; /* what making a MiB ready for a device took lately, of files and
                                     of texts in memory; 0: not known */
    _Atomic uint32_t searchers;   /* open ones */
    pthread_mutex_t entry; /* a searcher comes; or one loads a text, perhaps as the only one */

    pthread_mutex_t lock;
    struct job *jobs;              /* a ring; the next one to serve */
    struct worker *workers;        /* threads_max - 1, owned; the first worker_count run */
    uint32_t workers_wanted;       /* that should run by now */
    _Atomic uint32_t worker_count; /* running */
    struct worker *idle;           /* a list; the last to wait is first */
    bool closing;
};

/* ---- runtime.c ---- */

enum trawl_status runtime_open(const struct trawl_runtime_options *options,
                               struct trawl_runtime **runtime, struct trawl_error *error);
void runtime_close(struct trawl_runtime *runtime);

enum trawl_status runtime_load(struct trawl_runtime *runtime, struct trawl_text *text,
                               struct trawl_error *error);
void runtime_unload(struct trawl_runtime *runtime, const struct trawl_text *text);
/* Copy a text that lies on a device to the host, if that was not done: UNSUPPORTED, MEMORY, DEVICE.
 * From any thread. */
enum trawl_status runtime_fetch(struct trawl_runtime *runtime, struct trawl_text *text,
                                struct trawl_error *error);

#endif
