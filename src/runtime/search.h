/* search: a text searched under a plan, as a job of chunks
 *
 * A search has a ring of tasks. A worker takes a free task and the text's next chunk, prepares the
 * chunk (reads it, or copies it to where a device can fetch it), and then searches it or queues it
 * to a device. Tasks become ready in any order. The caller takes them in text order, and works,
 * too, while the next one is not ready. The ring bounds memory: if a caller does not take results,
 * no task becomes free.
 *
 * The schedules (schedule.c):
 *   host      workers read and search; if devices are faster, workers queue some chunks to them
 *   staged    as host, but all chunks go to devices (TRAWL_ENGINE_CUDA)
 *   loaded    the text is on devices: the workers of each device search the chunks there
 *   caller    the caller alone uses a device: usually, waking other threads would take longer
 */
#ifndef TRAWL_RUNTIME_SEARCH_H
#define TRAWL_RUNTIME_SEARCH_H

#include <semaphore.h>

#include "match/sink.h"
#include "runtime/runtime.h"

enum schedule { SCHEDULE_HOST, SCHEDULE_STAGED, SCHEDULE_LOADED, SCHEDULE_CALLER };

/* a chunk of a search, from when it is taken until it is delivered */
struct task {
    /* first member: job.serve_item() gets a pointer to the item, and casts it to the task */
    struct queue_item item;
    struct task *next; /* next free task */
    struct text_buffer buffer;
    bool buffer_is_pinned;
    /* The chunk's bytes in the caller's memory, while the buffer holds a copy for a device; NULL:
     * it holds none. */
    const uint8_t *staged_from;
    struct text_chunk chunk;
    struct engine_result result;
    uint64_t from; /* occurrences that start below this offset in the chunk were delivered */
    /* match_count items of struct trawl_match; or three columns (begins, ends, patterns) of
     * match_room words each, of which match_count are set */
    uint64_t *matches;
    uint64_t *line_numbers; /* match_room numbers; may be NULL if the sink wants none */
    uint64_t match_room;
    /* hits in `result` while the task waits for delivery; search->pending_hits includes them */
    uint64_t pending_hits;
    uint64_t match_count;
    bool is_answered; /* the engine has made the answer (sink.form), and there are no hits */
    struct sink_digest digest;
    enum trawl_status status; /* outcome of reading and searching this chunk */
    struct trawl_error error;
};

/* the work of the host's workers, or of one device's workers, for a search */
struct work_done {
    _Atomic uint64_t chunks;
    _Atomic uint64_t bytes;
    _Atomic uint64_t search_ns; /* sum over the workers */
    _Atomic uint64_t ready_ns;  /* time for reading and copying, summed over the workers */
    _Atomic uint32_t threads;   /* workers that did something */
    _Atomic uint64_t method_bytes[TRAWL_METHODS_COUNT];
};

/* what a call did, for trawl_searcher_stats */
struct call_record {
    struct trawl_stats stats; /* the public statistics that the other fields do not contain */
    bool ended;               /* false: the searcher has finished no call yet */
    /* 0: the call did not count its work by kinds of workers. Otherwise `host` and the first kinds
     * - 1 entries of `device` are set. */
    uint32_t kinds;
    struct work_done host;
    struct work_done device[ENGINE_DEVICES_MAX];
};

struct search {
    /* first member: job.serve() gets a pointer to the job, and casts it to the search */
    struct job job;
    struct trawl_searcher *searcher;
    struct sink *sink; /* borrowed from the caller */
    enum schedule schedule;
    bool is_split;      /* the text is loaded, divided over several devices */
    bool host_searches; /* host workers may search; false: they only prepare chunks */
    bool for_devices;   /* devices may search, if there are devices */
    bool answers;       /* devices make the sink's answer, for chunks of a loaded text */
    /* task_deliver makes matches part by part just before delivering each, so that they stay in the
     * cache. False if the sink wants a chunk's matches at once, or if literals have tails
     * (characters after a literal that match in several ways): the length of a tail depends on the
     * text, which may be gone by then. */
    bool converts_late;
    uint64_t chunk_host; /* most bytes of a chunk for the host */
    /* memory of a compressed text's decoder, counted in runtime->memory_used */
    uint64_t window_bytes;
    uint64_t chunk_device; /* most bytes of a chunk for a device */
    /* Upper bound for chunk_device, which shrinks when chunks had many hits, and grows back up to
     * this. 0: chunk_device does not change. */
    uint64_t chunk_most;
    uint64_t text_bytes;          /* UINT64_MAX: not known */
    uint64_t begin_ns;            /* 0 if job.is_brief */
    _Atomic uint64_t bytes_taken; /* bytes of the chunks that were taken, without overlaps */
    _Atomic uint64_t hits;        /* hits that the host found */
    _Atomic uint32_t room_waits;  /* waits for memory since a chunk last got memory */
    _Atomic bool device_refused;  /* devices do not take this plan or text */
    _Atomic bool stopping;        /* workers take no further chunk; set under the lock */

    /* guarded by the lock, as are all tasks that no worker has taken: */
    /* free tasks among the searcher's first tasks_used; all later tasks are free, too */
    struct task *free;
    uint32_t tasks_used;
    uint32_t tasks_max;     /* most tasks in use at a time */
    uint32_t taken;         /* tasks that are not free */
    uint64_t pending_hits;  /* hits of all tasks that wait for delivery */
    uint64_t index_deliver; /* index of the next chunk to deliver */
    /* Of a loaded text: the part in which the next chunk begins. part.reach is how many of its
     * bytes are in no chunk yet. */
    struct engine_text part;
    uint64_t unread;         /* chunks of a loaded text that are queued and not searched yet */
    bool rate_known;         /* chunk_device follows the hits of a chunk that was searched */
    bool ended;              /* no chunk is left to take */
    enum trawl_status fault; /* why the search cannot go on: no memory for a chunk */

    /* only the caller uses these: */
    bool shared;          /* helpers were called, so other threads may be inside the search */
    uint32_t helpers;     /* number of helpers that the caller asked for */
    struct task *current; /* the task that is being delivered */
    bool last_delivered;
    uint64_t undecided_count, undecided_at; /* undecided lines of the delivered parts (engine.h) */

    /* prepare() clears all fields above; the others are set separately: */
    pthread_mutex_t lock;    /* see search_lock */
    struct call_record done; /* done.device is valid only if for_devices is set */
    struct text_cursor cursor;
    struct text_lines lines;        /* how chunks are cut for a plan of expressions */
    struct trawl_error fault_error; /* the error of search->fault; under the lock */
};

struct trawl_searcher {
    struct forked forked;
    struct trawl_runtime *runtime;
    bool runtime_is_ours;
    uint64_t chunk_bytes; /* 0: the schedule chooses */
    enum trawl_map map;   /* whether files are mapped */
    struct worker caller; /* the calling thread as a worker */
    /* The last complete search: its plan's serial number, its text's bytes and its occurrences. */
    struct {
        uint64_t serial, bytes, hits;
    } last_found;
    /* host array of the last trawl_begins_into, known to be readable; NULL: none */
    const uint64_t *array_last;
    uint8_t *room; /* stream.c: where segments of streams are copied; NULL until needed */
    uint64_t room_bytes;
    /* bytes reserved for what is decompressed ahead of the reader, and for the decoders' windows */
    uint64_t unpack_bytes;
    struct task *tasks; /* task_count entries, owned */
    /* Searched tasks by chunk index (search_ring). Between searches all entries are NULL. */
    struct task **ring;
    uint32_t task_count;
    uint32_t tasks_few;     /* most tasks if tasks hold text or hits until the delivery */
    uint32_t tasks_touched; /* tasks [0, tasks_touched) were in use at least once */
    struct engine_call call;
    pthread_t thread; /* the thread that began the call */
    bool is_pulled;   /* the call began with trawl_search_open or trawl_matrix_open */
    bool is_orphan;   /* this process is a child of fork(), and its parent began the call */
    /* Calls of trawl_searcher_cancel that may still wake the caller. searcher_leave waits for them,
     * so that a late one does not disturb the next call. */
    _Atomic uint32_t cancelling;
    /* The caller waits at the semaphore `woken`, or is about to. The thread that sets `sleeps` to
     * false posts it once. (A signal handler may post a semaphore, but not signal a condition.) */
    _Atomic bool sleeps;
    sem_t woken;
    /* bytes.c: `refused` is the serial number of the plan whose last short text needed an ordinary
     * search. The next `refusals` calls under it make an ordinary search at once. */
    _Atomic uint64_t refused;
    _Atomic uint32_t refusals;
    /* An eventfd that ends waiting for a stream's bytes; -1: no call has needed one yet. */
    _Atomic int wake;
    /* bytes of the text whose results were delivered; any thread may read it */
    _Atomic uint64_t progress;
    struct call_record last; /* what the last finished call did, unless `brief` says so */
    /* The last finished call, if it was a trawl_count or trawl_first in a short text without a
     * worker. Such a call does not mark the searcher as inside a call, so two threads may be here:
     * hence atomics, which searcher_keep clears. */
    struct {
        _Atomic uint64_t bytes_after; /* the text's bytes + 1; 0: another call came later */
        _Atomic uint64_t count, candidates;
        _Atomic uint32_t method;
    } brief;
};

/* Wakes the thread that uses the searcher, if it sleeps. May be called from any thread, even in a
 * signal handler. */
static inline void searcher_wake(struct trawl_searcher *searcher)
{
    if (atomic_load(&searcher->sleeps) && atomic_exchange(&searcher->sleeps, false))
        (void)sem_post(&searcher->woken);
}

/* Locks the search if other threads may know the job. Before that only the caller changes it, and
 * no lock is needed. */
static inline void search_lock(struct search *search)
{
    if (atomic_load(&search->job.is_known))
        (void)pthread_mutex_lock(&search->lock);
}

static inline void search_unlock(struct search *search)
{
    if (atomic_load(&search->job.is_known))
        (void)pthread_mutex_unlock(&search->lock);
}

/* Returns the ring's entry for the chunk with this index. Avoids the division where possible: it
 * takes as long as a step of a search. */
static inline struct task **search_ring(const struct search *search, uint64_t index)
{
    uint32_t count = search->searcher->task_count;

    return &search->searcher->ring[index < count ? index : index % count];
}

#endif
