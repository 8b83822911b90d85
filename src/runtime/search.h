/* search: one text searched under one plan, as a job of chunks.
 *
 * A search has a ring of tasks. A worker takes a free task and the text's next chunk, makes the
 * chunk ready (reads it, or copies it where a device can fetch it), and then searches it or queues
 * it to a device. Tasks become ready in any order; the caller takes them in the text's order, and
 * works too while the next one is not ready. The ring bounds memory: a caller that does not take
 * results leaves no task free.
 *
 * Roads. A text takes one of these to its workers:
 *   host      workers read and search; with devices that pay, they queue some chunks to these
 *   staged    the same, but all chunks go to devices (TRAWL_ENGINE_CUDA)
 *   resident  the text is loaded: each device's workers take the chunks that lie there
 *   alone     the caller does all of it on a device, where waking others takes longer
 */
#ifndef TRAWL_RUNTIME_SEARCH_H
#define TRAWL_RUNTIME_SEARCH_H

#include "match/sink.h"
#include "runtime/runtime.h"

enum road { ROAD_HOST, ROAD_STAGED, ROAD_RESIDENT, ROAD_ALONE };

/* One chunk of a search, from its taker to its delivery. */
struct task {
    struct job *job;
    struct task *next; /* of the free ones, or in the devices' queue */
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
};

struct search {
    struct job job; /* first: a job's serve gets this */
    struct trawl_searcher *searcher;
    struct sink *sink; /* the caller's */
    struct text_cursor cursor;
    enum road road;
    bool host_searches;    /* host workers may search, not only make ready */
    uint64_t chunk_host;   /* bytes of a chunk that the host searches, at most */
    uint64_t chunk_device; /* and a device */
    uint64_t chunk_most; /* which may become so large, by what others held; 0: it does not change */
    uint64_t text_bytes; /* UINT64_MAX: not known */
    uint64_t begin_ns;
    _Atomic uint64_t bytes_taken; /* owned bytes of the chunks that were taken */
    _Atomic uint64_t hits;        /* on the host */
    _Atomic uint32_t room_waits;  /* in a row */
    _Atomic bool device_refused;  /* the plan is not for devices */
    struct work_done host;
    struct work_done device[ENGINE_DEVICES_MAX];

    pthread_mutex_t lock; /* of what follows, and of tasks that are not taken */
    pthread_cond_t ready; /* to the caller */
    struct task *free;    /* of the searcher's first tasks_used; the others are too */
    uint32_t tasks_used;
    uint32_t tasks_max;            /* in use at a time */
    uint32_t taken;                /* tasks not free */
    uint64_t held_hits;            /* of tasks that wait for their delivery */
    uint64_t index_deliver;        /* the next chunk to deliver */
    struct resident_chunk *chunks; /* of a loaded text: chunk_count of chunk_room */
    uint64_t chunk_count;
    uint64_t chunk_room;     /* what `chunks` has memory for */
    uint64_t chunk_first;    /* those before it are taken, */
    uint64_t chunk_after;    /* and none from here on */
    bool ended;              /* no chunk is left to take */
    bool stopping;           /* take no more */
    enum trawl_status fault; /* there was no memory to go on with */
    struct trawl_error fault_error;

    /* The caller's: */
    bool shared;          /* others may be at work on it */
    uint32_t helpers;     /* that were requested */
    struct task *current; /* being delivered */
    bool last_delivered;
    uint64_t deliver_ns; /* in the sink */
    struct trawl_stats stats;
};

struct rows_block;

/* Blocks for rows of records x patterns (rows.c). */
struct row_store {
    struct rows_block *blocks; /* count, owned */
    uint32_t count;
    uint64_t block_bytes;          /* memory of each */
    enum trawl_matrix_shape shape; /* of what is in them */
};

enum searcher_call { CALL_NONE, CALL_INSIDE, CALL_CANCELLED };

struct trawl_searcher {
    struct trawl_runtime *runtime;
    bool runtime_is_ours;
    uint64_t chunk_bytes;   /* 0: chosen */
    enum trawl_map map;     /* files */
    struct worker caller;   /* the calling thread as a worker */
    struct worker *devices; /* ENGINE_DEVICES_MAX engine workers to count on all; NULL: not yet */
    struct row_store rows;  /* kept from call to call */
    uint64_t begins_last;   /* that devices put into an array, in the last such call */
    struct task *tasks;     /* task_count, owned */
    struct task **ring;     /* tasks by index of their chunk; between searches all NULL */
    uint32_t task_count;
    uint32_t tasks_few;        /* of them, for searches whose tasks hold memory */
    uint32_t tasks_touched;    /* the first ones, which were in use at least once */
    _Atomic int call;          /* enum searcher_call */
    _Atomic uint64_t progress; /* bytes of the text that were searched; any thread may read it */
    pthread_mutex_t cancel_lock;
    struct search *search; /* under way; under cancel_lock */
    struct trawl_stats stats;
    struct trawl_worker_stats workers[1 + ENGINE_DEVICES_MAX];
    uint32_t workers_count;
};

/* ---- job.c: the loop of one call ---- */

/* Begin a search; on success search_end is to follow. */
enum trawl_status search_begin(struct search *search, struct trawl_searcher *searcher,
                               const struct trawl_plan *plan, struct trawl_text *text,
                               struct sink *sink, struct trawl_error *error);
/* The next part of the text's results in order, until the next call. *more false: the text's end.
 * STOPPED: cancelled. A fault is returned after the results before it. */
enum trawl_status search_step(struct search *search, struct sink_chunk *view, bool *more,
                              struct trawl_error *error);
void search_end(struct search *search);
/* The searcher's call was cancelled: call back threads that wait for it. From any thread. */
void search_interrupt(struct search *search);
/* Begin, deliver all to the sink, end. STOPPED if the sink stopped it. */
enum trawl_status search_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, struct sink *sink, struct trawl_error *error);

/* ---- road.c: who gets which chunk ---- */

/* Choose road and chunks. */
enum trawl_status road_choose(struct search *search, struct trawl_text *text,
                              struct trawl_error *error);
/* Bytes of the next chunk for the host or for a device. */
uint64_t road_chunk_bytes(const struct search *search, bool for_device);
/* Should the next chunk of a text go to a device rather than be searched here? Then it is claimed.
 */
bool road_wants_device(struct search *search);
/* Is the text one that devices may pay for? */
bool road_is_long(const struct search *search);
/* Copy a text that lies on a device to the host, unless the device does all of the search. */
enum trawl_status road_fetch(struct search *search, struct trawl_text *text,
                             struct trawl_error *error);
/* The search is over: what the next one of the runtime can know from it. */
void road_remember(const struct search *search);
/* For tests: open devices after so much searching. Not thread-safe. */
void road_open_after(uint64_t ns);
/* Are hits found faster than the caller would take them from another thread? Then it does better
 * alone, while what it finds is in its caches. */
bool road_is_alone(const struct search *search);
/* How many helpers are worth waking now; 0: none. */
uint32_t road_helpers(const struct search *search);

/* ---- task.c: one chunk ---- */

enum task_taken { TASK_DONE, TASK_NOTHING, TASK_BUSY };

/* Take the text's next chunk into a task, make it ready, search or queue it. `only`: as in
 * text_cursor_next. NOTHING: there is none to take, or no room for it. */
enum task_taken task_work(struct search *search, struct worker *worker, uint64_t only);
/* The same for a worker on a device and a chunk of a loaded text. */
enum task_taken task_work_resident(struct search *search, struct worker *worker);
/* A free task; NULL: there is none, or no more are to be taken. With the search's lock held. */
struct task *task_take(struct search *search);
/* A device's worker searches a task from the queue. */
void task_on_device(struct task *task, struct worker *worker);
/* Search and digest what a task's chunk still has beyond task->from. */
void task_search(struct search *search, struct task *task, struct worker *worker, bool on_device);
/* The part [from, done) of a task's chunk as the sink sees it. */
struct sink_chunk task_view(const struct search *search, const struct task *task);
/* Hand that part to the sink; false: stop. */
bool task_deliver(struct search *search, struct task *task, struct sink_chunk *view);
/* What an engine is told of a chunk of the search's text. */
struct engine_chunk task_chunk(const struct search *search, const struct text_chunk *chunk);
/* The task's chunk was counted on the worker's device, for which the caller waited so long. */
void task_counted(struct search *search, struct task *task, struct worker *worker, uint64_t count,
                  uint64_t candidate_count, uint64_t ns);
/* The next chunk in order was delivered: its task is free again. */
void task_delivered(struct search *search, struct task *task);
/* If the task's bytes are not needed again: give its buffer back to the devices, or to the budget.
 */
void task_buffer_give(struct trawl_runtime *runtime, struct task *task);
void task_release(struct trawl_runtime *runtime, struct task *task);

/* ---- matches.c: hits become matches ---- */

/* Of a plan whose literals are its patterns as they were given, as structs. Offsets count from the
 * text's byte `begin`. */
void matches_of_hits(const struct trawl_plan *plan, const struct hit *hits, uint64_t count,
                     uint64_t begin, struct trawl_match *matches);
/* Room for so many; what there were are gone. Errors: MEMORY. */
enum trawl_status matches_reserve(const struct search *search, struct task *task, uint64_t count,
                                  struct trawl_error *error);
void matches_release(struct task *task);
/* Make matches of `count` hits from `from` on: offsets become positions in the text, literals
 * become patterns. */
void matches_convert(const struct search *search, struct task *task, uint64_t from, uint64_t count);

/* ---- resident.c: the chunks of a loaded text ---- */

/* Bytes of chunks where hits are listed. The rarer they are, the more pays: in chunks of 256 MiB it
 * is 1.08 times as fast as in 128, and more than twice as fast as in 32 [H200]. Where they may be
 * frequent the first chunks are small, and tell how large the others are to be. */
struct resident_sizes {
    uint64_t first;
    uint64_t least, most; /* of the others */
    uint64_t shared; /* shorter texts, with hits that may be frequent, are the caller's alone */
    uint64_t hits;   /* of a chunk: a device lists them in the time that two launches take, and
                        what becomes of them stays in a core's cache */
};
extern const struct resident_sizes resident_sizes_default;
/* Those in use; tests change them. Not thread-safe. */
extern struct resident_sizes resident_sizes;

/* List them. Errors: MEMORY. */
enum trawl_status resident_open(struct search *search, struct trawl_error *error);
void resident_close(struct search *search);
/* Count on all devices from the calling thread, before the search is shared. true: that was all of
 * the text. */
bool resident_count(struct search *search);
/* Take the first chunk that the worker may search; NULL: none now. With the search's lock held. */
struct task *resident_take(struct search *search, const struct worker *worker);
/* Note which devices' chunks may be taken now; true: a device that had none has some, and its
 * workers are to be woken. Only a delivery lets chunks be taken. So it notes that under one lock
 * with what it changed: a worker that came in between would note it and wake nobody. With the
 * search's lock held, or before it is shared. */
bool resident_note(struct search *search);
/* A chunk's hits are known: those that nobody has taken are cut anew where they should be larger or
 * smaller. true: workers are to be woken. With the search's lock held. */
bool resident_learn(struct search *search, const struct task *task);

/* ---- search.c ---- */

/* Mark the searcher as inside a call: BUSY if it is inside one. And as outside again. */
enum trawl_status searcher_enter(struct trawl_searcher *searcher, struct trawl_error *error);
void searcher_leave(struct trawl_searcher *searcher);
/* Was the call that the searcher is inside cancelled? */
bool searcher_is_cancelled(const struct trawl_searcher *searcher);
/* searcher_enter, after the checks that all searches share. */
enum trawl_status search_enter(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_text *text, struct trawl_error *error);
/* A call that is one search: search_enter, search_run, searcher_leave. */
enum trawl_status search_checked(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 struct trawl_text *text, struct sink *sink,
                                 struct trawl_error *error);

/* ---- begins.c ---- */

/* Fill the array by the one device that holds the text, or by all over which it is split; with
 * `matches`, that array, for which begins says all but its address. Not OK: they cannot do it, and
 * a search is to; STOPPED: cancelled. */
enum trawl_status begins_by_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, struct engine_words *begins,
                                   struct trawl_error *error);
enum trawl_status begins_by_devices(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, struct engine_words *begins,
                                    struct trawl_match *matches, struct trawl_error *error);

/* For tests: host workers help to copy so many begins, or more; 0: as usual. */
void begins_help_from(uint64_t begins);

/* ---- pattern_counts.c ---- */

void pattern_counts_release(struct pattern_counts *counts);

/* ---- runtime.c ---- */

enum trawl_status runtime_load(struct trawl_runtime *runtime, struct trawl_text *text,
                               struct trawl_error *error);
void runtime_unload(struct trawl_runtime *runtime, const struct trawl_text *text);
/* Copy a text that lies on a device to the host, if that was not done: UNSUPPORTED, MEMORY, DEVICE.
 * From any thread. */
enum trawl_status runtime_fetch(struct trawl_runtime *runtime, struct trawl_text *text,
                                struct trawl_error *error);

/* ---- rows.c ---- */

void rows_release(struct row_store *store);

/* ---- stats.c ---- */

/* Keep what a call did as the searcher's statistics. */
void stats_finish(struct trawl_searcher *searcher, struct trawl_stats *stats, uint64_t begin_ns);
/* And what the workers of each kind did. */
void stats_workers(struct search *search);

#endif
