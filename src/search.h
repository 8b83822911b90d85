/* search: a searcher, its threads, and one call's queue of pieces.
 *
 * A call is a job: a cursor that hands out pieces, slots that carry a piece from its taker to its
 * delivery, and a sink. Threads take a free slot, fill it with the next piece, search and digest it
 * and mark it ready; the calling thread does the same, and delivers ready slots in the text's order
 * whenever the next one is there. Slots bound the memory in flight: a slow sink leaves none free.
 */
#ifndef TRAWL_SEARCH_H
#define TRAWL_SEARCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine.h"
#include "match/sink.h"
#include "text/text.h"

#define SEARCH_THREADS_MAX 1024u

/* ---- engine.c: the only list of engines ---- */

/* The engine for what was asked. */
enum trawl_status engine_choose(enum trawl_engine asked, const struct engine_ops **ops,
                                struct trawl_error *error);
/* The engine for plans with an algorithm, and its algorithms; NULL: this build has none. */
const struct engine_ops *engine_for_algorithms(void);
const struct plan_algorithms *engine_algorithms(void);

/* ---- The searcher ---- */

enum slot_state { SLOT_FREE, SLOT_TAKEN, SLOT_READY };

struct search_slot {
    enum slot_state state;
    struct text_buffer buffer;
    struct text_piece piece;
    struct engine_result result;
    uint64_t from; /* begins below this were delivered */
    struct trawl_match *matches;
    uint64_t matches_capacity;
    uint64_t match_count;
    struct sink_digest digest;
    enum trawl_status status; /* of reading or searching this piece */
    struct trawl_error error;
};

struct search_thread {
    struct trawl_searcher *searcher;
    struct engine_lane *lane; /* opened by the thread at its first job */
    struct engine_lane *algorithm_lane;
    pthread_t handle;
    bool took_part;
};

struct search_many; /* search_many.c: one call's queries */

struct search_job {
    struct search_many *many; /* the job of many counts; NULL: one search, as below */
    const struct trawl_plan *plan;
    struct sink *sink;
    struct text_cursor cursor;
    uint64_t index_deliver; /* the next piece to deliver */
    uint64_t taken;         /* slots not free */
    bool ended;             /* no piece is left to take */
    bool stopping;          /* take no more: the sink stopped, or a fault was delivered */
    bool last_delivered;
    const char *note; /* an engine's result's (engine.h); NULL: none */
    struct trawl_stats stats;
};

struct trawl_searcher {
    enum trawl_engine engine_asked;
    uint64_t chunk_bytes; /* 0: chosen */
    const struct engine_ops *ops;
    struct engine *engine;
    struct engine *algorithm_engine; /* NULL: no plan with an algorithm yet */
    struct engine_properties properties;

    struct search_thread caller;
    struct search_thread *threads; /* threads_capacity; the first thread_count run */
    uint32_t thread_count;
    uint32_t threads_capacity;
    struct search_slot *slots;
    uint32_t slot_count;

    pthread_mutex_t lock;
    pthread_cond_t work;  /* to threads: a job began, a slot came free, or the end */
    pthread_cond_t ready; /* to the caller: a slot is ready, or a thread left the job */
    struct search_job *job;
    uint64_t job_number;     /* threads join a job once */
    uint32_t threads_inside; /* threads at work on the job */
    bool closing;

    atomic_bool busy;
    _Atomic uint64_t progress;
    struct trawl_stats stats;
    const char *note; /* the last search's, as in its job */
};

/* Run one search: the plan over the text into the sink. STOPPED if the sink stopped it. */
enum trawl_status search_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, struct sink *sink, struct trawl_error *error);

/* Count many. counts[i] is filled on success. */
enum trawl_status search_many_run(struct trawl_searcher *searcher,
                                  const struct trawl_query *queries, uint64_t query_count,
                                  uint64_t *counts, struct trawl_error *error);
/* A helper's part in it. */
void search_many_help(struct search_thread *thread, struct search_many *many);

/* Fill the array by the engine's own way, if it has one for this. */
enum trawl_status search_begins_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct engine_begins *begins, struct trawl_error *error);

/* Begin a job that helpers may join, and end it: when it returns, none is inside. With the lock
 * held. */
void search_job_open(struct trawl_searcher *searcher, struct search_job *job);
void search_job_close(struct trawl_searcher *searcher);

/* The table of the engine that runs the plan, and the thread's lane of it. */
static inline const struct engine_ops *search_ops(const struct trawl_searcher *searcher,
                                                  const struct trawl_plan *plan)
{
    return plan_has_algorithm(plan) ? engine_for_algorithms() : searcher->ops;
}
static inline struct engine_lane *search_lane(const struct search_thread *thread,
                                              const struct trawl_plan *plan)
{
    return plan_has_algorithm(plan) ? thread->algorithm_lane : thread->lane;
}
/* Open that engine where it is not: by the caller, before helpers join. */
enum trawl_status search_engine_want(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                     struct trawl_error *error);
/* Open the thread's lane of the searcher's own engine where it is not. */
enum trawl_status search_lane_want(struct search_thread *thread, struct trawl_error *error);
/* Open the thread's lane for the plan where it is not, and begin the plan. */
enum trawl_status search_lane_begin(struct search_thread *thread, const struct trawl_plan *plan,
                                    struct trawl_error *error);
void search_lanes_close(struct search_thread *thread);
/* A call begins: nobody has taken part yet. With the lock held. */
void search_threads_rest(struct trawl_searcher *searcher);
/* Who took part, for the searcher's statistics. */
void search_stats_finish(struct trawl_searcher *searcher, struct search_job *job,
                         uint64_t begin_ns);

/* Take, read, search and digest one piece into a slot, as text_cursor_next says. */
void search_fill(struct search_thread *thread, struct search_job *job, struct search_slot *slot,
                 uint64_t only, enum text_taken *taken);
/* Search and digest what a slot's piece still has beyond slot->from. */
void search_slot_scan(struct search_thread *thread, struct search_job *job,
                      struct search_slot *slot);
/* Hand a ready slot to the sink, to its end; false: stop. */
bool search_deliver(struct search_thread *thread, struct search_job *job, struct search_slot *slot);
void search_slot_release(struct search_slot *slot);

/* Bring the helpers up, before the first job that can use them. Fewer start where starting fails.
 */
void search_threads_start(struct trawl_searcher *searcher);
void search_threads_end(struct trawl_searcher *searcher);

#endif
