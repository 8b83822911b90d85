/* search: one text searched under one plan, as a job of chunks.
 *
 * A search has a ring of tasks. A worker takes a free task and the text's next chunk, makes the
 * chunk ready (reads it, or copies it where a device can fetch it), and then searches it or queues
 * it to a device. Tasks become ready in any order; the caller takes them in the text's order, and
 * works too while the next one is not ready. The ring bounds memory: a caller that does not take
 * results leaves no task free.
 *
 * A search has one of these schedules (schedule.c):
 *   host      workers read and search; with devices that pay, they queue some chunks to these
 *   staged    the same, but all chunks go to devices (TRAWL_ENGINE_CUDA)
 *   loaded    the text lies on devices: each one's workers search the chunks that lie there
 *   caller    the caller does all of it on a device, where waking others takes longer
 */
#ifndef TRAWL_RUNTIME_SEARCH_H
#define TRAWL_RUNTIME_SEARCH_H

#include "match/sink.h"
#include "runtime/runtime.h"

enum schedule { SCHEDULE_HOST, SCHEDULE_STAGED, SCHEDULE_LOADED, SCHEDULE_CALLER };

/* One chunk of a search, from its taker to its delivery. */
struct task {
    struct queue_item item; /* first: a job's serve_item gets this */
    struct task *next;      /* of the free ones */
    struct text_buffer buffer;
    bool buffer_is_pinned;
    const uint8_t *staged_from; /* memory that was copied to the buffer; NULL: nothing was */
    struct text_chunk chunk;
    struct engine_result result;
    uint64_t from;          /* begins below this were delivered */
    uint64_t *matches;      /* match_count x struct trawl_match, or three columns of match_room */
    uint64_t *line_numbers; /* match_room, where requested */
    uint64_t match_room;
    uint64_t held_hits; /* as long as it waits for its delivery */
    uint64_t match_count;
    struct sink_digest digest;
    enum trawl_status status; /* of reading or searching this chunk */
    struct trawl_error error;
};

/* What the workers of one kind did for a search. */
struct work_done {
    _Atomic uint64_t chunks;
    _Atomic uint64_t bytes;
    _Atomic uint64_t search_ns; /* summed over its workers */
    _Atomic uint64_t ready_ns;  /* reading, copying */
    _Atomic uint32_t threads;   /* that did something */
    _Atomic uint64_t method_bytes[TRAWL_METHODS_COUNT];
};

/* What a call did; stats.c tells it. */
struct call_record {
    struct trawl_stats stats; /* those that nothing else here says */
    bool ended;               /* false: there was no call yet */
    bool in_memory;           /* the text was */
    uint32_t kinds;           /* of workers: the host's, and those of each device; 0: no text was
                                 searched in chunks */
    uint64_t deliver_ns;      /* in the sink */
    struct work_done host;
    struct work_done device[ENGINE_DEVICES_MAX];
};

struct search {
    struct job job; /* first: a job's serve gets this */
    struct trawl_searcher *searcher;
    struct sink *sink; /* the caller's */
    enum schedule schedule;
    bool is_split;      /* the text is loaded, over several devices */
    bool host_searches; /* host workers may search, not only make ready */
    bool for_devices;   /* devices may, if there are any */
    /* Deliver takes matches part by part: they are made when it does, and stay in the cache. Not
     * where an occurrence's length varies: the text may be gone by then. */
    bool converts_late;
    uint64_t chunk_host;   /* bytes of a chunk that the host searches, at most */
    uint64_t chunk_device; /* and a device */
    uint64_t chunk_most; /* which may become so large, by what others held; 0: it does not change */
    uint64_t text_bytes; /* UINT64_MAX: not known */
    bool is_brief;       /* one chunk by the caller; to read the clock would take as long */
    uint64_t begin_ns;   /* 0, where it is brief */
    _Atomic uint64_t bytes_taken; /* owned bytes of the chunks that were taken */
    _Atomic uint64_t hits;        /* on the host */
    _Atomic uint32_t room_waits;  /* in a row */
    _Atomic bool device_refused;  /* the plan is not for devices, or this text */
    _Atomic bool stopping;        /* take no more; set under the lock */

    /* Under the lock, as tasks that are not taken: */
    struct task *free; /* of the searcher's first tasks_used; the others are too */
    uint32_t tasks_used;
    uint32_t tasks_max;      /* in use at a time */
    uint32_t taken;          /* tasks not free */
    uint64_t held_hits;      /* of tasks that wait for their delivery */
    uint64_t index_deliver;  /* the next chunk to deliver */
    struct engine_text part; /* of a loaded text, what is left of it on one device */
    uint64_t unread;         /* of its chunks that are cut, those that are not searched */
    bool rate_known;         /* how large the chunks of a loaded text are to be */
    bool ended;              /* no chunk is left to take */
    enum trawl_status fault; /* there was no memory to go on with */

    /* The caller's: */
    bool is_named;        /* as the searcher's: who cancels it wakes the caller */
    bool shared;          /* others may be at work on it */
    uint32_t helpers;     /* that were requested */
    struct task *current; /* being delivered */
    bool last_delivered;

    /* What is not all zero at the begin: */
    pthread_mutex_t lock;    /* see search_lock */
    pthread_cond_t ready;    /* to the caller */
    struct call_record done; /* of devices: only where they may take part */
    struct text_cursor cursor;
    struct trawl_error fault_error; /* under the lock; of the fault */
};

enum searcher_call { CALL_NONE, CALL_INSIDE, CALL_CANCELLED };

struct trawl_searcher {
    struct trawl_runtime *runtime;
    bool runtime_is_ours;
    uint64_t chunk_bytes; /* 0: chosen */
    enum trawl_map map;   /* files */
    struct worker caller; /* the calling thread as a worker */
    uint64_t begins_last; /* that devices put into an array, in the last such call */
    struct task *tasks;   /* task_count, owned */
    struct task **ring;   /* tasks by index of their chunk; between searches all NULL */
    uint32_t task_count;
    uint32_t tasks_few;        /* of them, for searches whose tasks hold memory */
    uint32_t tasks_touched;    /* the first ones, which were in use at least once */
    _Atomic int call;          /* enum searcher_call */
    _Atomic uint64_t progress; /* bytes of the text that were searched; any thread may read it */
    pthread_mutex_t cancel_lock;
    struct search *search;   /* under way; under cancel_lock */
    struct call_record last; /* finished call */
};

/* Until others know the job its caller alone changes the search, and nobody takes the lock. */
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

/* The task of a chunk, until it is delivered. (A division takes as long as a step of a search.) */
static inline struct task **search_ring(const struct search *search, uint64_t index)
{
    uint32_t count = search->searcher->task_count;

    return &search->searcher->ring[index < count ? index : index % count];
}

/* ---- search.c ---- */

/* A call that is one search: search_enter, search_run, searcher_leave. */
enum trawl_status search_checked(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 struct trawl_text *text, struct sink *sink,
                                 struct trawl_error *error);

#endif
