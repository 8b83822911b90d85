/* search: a search of a text for a plan, as a job that consists of chunks
 *
 * A search has a ring of tasks. A worker takes a free task and the text's next chunk, prepares the
 * chunk (reads it, or copies it to where a device can fetch it), and then searches it or queues it
 * for a device. Tasks become ready in any order. The caller takes them in text order, and works
 * like a worker until the next one is ready. The ring bounds memory: no task becomes free before
 * the caller has taken its results.
 *
 * The schedules (schedule.c):
 *   host      workers read and search; if devices are faster, workers queue some chunks to them
 *   staged    as host, but all chunks go to devices (TRAWL_ENGINE_CUDA)
 *   loaded    the text is on devices: the workers of each device search the chunks there
 *   caller    the caller alone uses a device: usually, waking other threads would take longer
 *
 * If a device leaves a chunk to the host (engine_result.is_left), because the host takes longer to
 * judge what the device finds than to search, all host workers search the text from there on. With
 * loaded and caller, where that chunk may be the whole text, the search becomes one of schedule
 * host, which cuts it anew (job.c). With staged, workers queue no more chunks. With host, only the
 * device's thread searches the chunk.
 */
#ifndef TRAWL_RUNTIME_SEARCH_H
#define TRAWL_RUNTIME_SEARCH_H

#include <semaphore.h>

#include "match/sink.h"
#include "runtime/runtime.h"

enum schedule { SCHEDULE_HOST, SCHEDULE_STAGED, SCHEDULE_LOADED, SCHEDULE_CALLER };

/* A chunk of a search, from when it is taken until it is delivered. */
struct task {
    /* first member: job.serve_item() casts its item to the task */
    struct queue_item item;
    struct task *next; /* next free task */
    struct text_buffer buffer;
    bool buffer_is_pinned;
    /* If the buffer has a copy for a device: the chunk's bytes in the caller's memory; else
     * NULL. */
    const uint8_t *staged_from;
    struct text_chunk chunk;
    struct engine_result result;
    uint64_t from; /* occurrences that start before this offset in the chunk have been delivered */
    /* match_count structs trawl_match; or three columns (begins, ends, patterns) of match_room
     * words each, of which match_count are set */
    uint64_t *matches;
    uint64_t *line_numbers; /* match_room numbers; NULL if the sink wants none */
    uint64_t match_room;
    /* number of hits in `result` that are counted in search->pending_hits, until the delivery */
    uint64_t pending_hits;
    uint64_t match_count;
    /* the counters to which the part that was searched last was added; NULL: none */
    struct work_done *counted;
    bool is_answered; /* the engine has computed the answer (sink.form) instead of hits */
    struct sink_digest digest;
    enum trawl_status status; /* outcome of reading and searching this chunk */
    struct trawl_error error;
};

/* What the host workers, or one device's workers, did for a search. */
struct work_done {
    _Atomic uint64_t chunks;
    _Atomic uint64_t bytes;
    _Atomic uint64_t search_ns; /* sum over the workers */
    _Atomic uint64_t ready_ns;  /* time to read and copy, summed over the workers */
    _Atomic uint32_t threads;   /* number of workers that took part */
    _Atomic uint64_t method_bytes[TRAWL_METHODS_COUNT];
};

/* What a call did, for trawl_searcher_stats. */
struct call_record {
    struct trawl_stats stats; /* the statistics that the other fields do not contain */
    struct algorithm_work algorithm;
    bool ended; /* false: the searcher has finished no call yet */
    /* 1 (the host) + the number of devices whose work is in the first entries of `device`; 0: the
     * call did not count its work */
    uint32_t kinds;
    struct work_done host;
    struct work_done device[ENGINE_DEVICES_MAX];
};

struct search {
    /* first member: job.serve() casts its job to the search */
    struct job job;
    struct trawl_searcher *searcher;
    struct sink *sink; /* borrowed from the caller */
    enum schedule schedule;
    bool is_split;       /* the text is loaded, and divided over several devices */
    bool host_searches;  /* host workers may search; false: they only prepare chunks */
    bool for_devices;    /* devices may search, if there are devices */
    bool answers;        /* devices compute the sink's answer, for chunks of a loaded text */
    uint64_t chunk_host; /* maximum number of bytes in a chunk for the host */
    /* a decoder's memory for a compressed text, as counted in runtime->memory_used */
    uint64_t window_bytes;
    uint64_t chunk_device; /* maximum number of bytes in a chunk for a device */
    /* Upper bound of chunk_device, which shrinks if chunks have many hits, and grows back. 0:
     * chunk_device does not change. */
    uint64_t chunk_max;
    uint64_t text_bytes;          /* UINT64_MAX: not known */
    uint64_t begin_ns;            /* 0 if job.is_brief */
    _Atomic uint64_t bytes_taken; /* bytes of the chunks taken so far, without overlaps */
    _Atomic uint64_t hits;        /* number of hits that the host has found */
    _Atomic uint32_t room_waits;  /* number of waits for memory since a chunk last got some */
    _Atomic bool device_refused;  /* devices cannot search this text for this plan */
    _Atomic bool stopping;        /* workers take no more chunks; set under the lock */

    /* guarded by the lock, like all tasks that no worker has taken: */
    /* list of the free tasks among the searcher's first tasks_used; all later tasks are free */
    struct task *free;
    uint32_t tasks_used;
    uint32_t tasks_max;     /* maximum number of tasks in use at a time */
    uint32_t taken;         /* number of tasks that are not free */
    uint64_t pending_hits;  /* number of hits in all tasks that wait for delivery */
    uint64_t index_deliver; /* index of the next chunk to deliver */
    /* Of a loaded text: the part in which the next chunk begins. Its last part.reach bytes are in
     * no chunk yet. */
    struct engine_text part;
    uint64_t unread; /* number of chunks of a loaded text that are queued, but not searched yet */
    bool rate_known; /* chunk_device has been adapted to the hits of a chunk */
    bool ended;      /* no chunk is left */
    enum trawl_status fault; /* why the search cannot go on, such as MEMORY for a chunk */
    /* Of a mapped file: rises and falls with the time that mapping saves (schedule_mapped). At 0,
     * the next map_pause bytes are read, up to map_from. */
    int64_t map_credit;
    uint64_t map_pause;
    uint64_t map_from;

    /* used only by the caller: */
    bool shared;          /* helpers were called, so other threads may be inside */
    uint32_t helpers;     /* how many helpers the caller has asked for */
    struct task *current; /* the task that is being delivered */
    bool last_delivered;
    uint64_t undecided_count, undecided_at; /* undecided lines so far (engine.h) */

    /* prepare() clears all fields above; those below are set separately: */
    pthread_mutex_t lock;    /* see search_lock */
    struct call_record done; /* done.device is valid only if for_devices is set */
    struct text_cursor cursor;
    struct text_lines lines;        /* how chunks are cut for a plan of regular expressions */
    struct trawl_error fault_error; /* the error that belongs to `fault`; under the lock */
};

struct trawl_searcher {
    struct forked_object forked;
    struct trawl_runtime *runtime;
    bool runtime_is_ours;
    uint64_t chunk_bytes; /* 0: the schedule chooses */
    enum trawl_map map;   /* may files be mapped? */
    struct worker caller; /* the calling thread as a worker */
    /* The last complete search: its plan's serial number, the length of its text, and the number of
     * occurrences. */
    struct {
        uint64_t serial, bytes, hits;
    } last_found;
    /* the array of the last TRAWL_BEGINS, if it is known to be in host memory; NULL: none */
    const uint64_t *array_last;
    uint8_t *room; /* stream.c: buffer for segments of streams; NULL until needed */
    uint64_t room_bytes;
    /* bytes reserved for decompressing ahead of the reader, and for the decoders' windows */
    uint64_t unpack_bytes;
    struct task *tasks; /* task_count entries, owned */
    /* Finished tasks, by the chunk's index (search_ring). Between searches, all entries are
     * NULL. */
    struct task **ring;
    uint32_t task_count;
    uint32_t tasks_few; /* maximum number of tasks in a search whose tasks keep text or hits until
                           the delivery */
    uint32_t tasks_touched; /* tasks [0, tasks_touched) have been in use */
    struct engine_call call;
    pthread_t thread; /* the thread that began the call */
    bool is_pulled;   /* the call is trawl_search_open */
    bool is_orphan;   /* this process is a child of fork(), and its parent began the call */
    /* Number of calls to trawl_searcher_cancel that may still wake the caller. searcher_leave waits
     * for them, so that none disturbs the next call. */
    _Atomic uint32_t cancelling;
    /* The caller is waiting for the semaphore `woken`, or about to. The thread that sets `sleeps`
     * to false posts it once. (A signal handler may post a semaphore, but not signal a
     * condition.) */
    _Atomic bool sleeps;
    sem_t woken;
    /* For schedule_brief: serial number of the plan for which the engine could not search the last
     * short text without a worker. The next `refusals` calls with this plan run an ordinary search
     * without trying. */
    _Atomic uint64_t refused;
    _Atomic uint32_t refusals;
    /* An eventfd that ends a wait for a stream's bytes; -1: not needed so far. */
    _Atomic int wake;
    /* how many bytes of the text have been searched and delivered; any thread may read it */
    _Atomic uint64_t progress;
    struct method_changes changes;      /* changes during the current call */
    struct method_changes last_changes; /* changes during the last finished call */
    struct call_record last; /* what the last finished call did, unless it is in `brief` */
    /* The last finished call, if it was trawl_count or trawl_first for a short text, without a
     * worker. Such a call does not mark the searcher as inside a call, and two threads may write
     * here at the same time. So the members are atomic. searcher_record clears them. */
    struct {
        _Atomic uint64_t bytes_after; /* the text's length + 1; 0: a later call is in `last` */
        _Atomic uint64_t count, candidates;
        _Atomic uint32_t method;
    } brief;
};

/* Wakes the caller if it sleeps. May be called in any thread, and in a signal handler. */
static inline void searcher_wake(struct trawl_searcher *searcher)
{
    if (atomic_load(&searcher->sleeps) && atomic_exchange(&searcher->sleeps, false))
        (void)sem_post(&searcher->woken);
}

/* Locks the search if other threads may know the job. Until they do, only the caller changes it,
 * and needs no lock. */
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

/* Returns the ring's entry for the chunk with this index. Avoids the division if possible, which
 * takes as long as a step of a search. */
static inline struct task **search_ring(const struct search *search, uint64_t index)
{
    uint32_t count = search->searcher->task_count;

    return &search->searcher->ring[index < count ? index : index % count];
}

#endif
