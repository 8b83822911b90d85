/* pool_turns: a pool, its workers, and what they print in the order of their turns. */
#ifndef TRAWL_POOL_TURNS_H
#define TRAWL_POOL_TURNS_H

#include <pthread.h>
#include <stdatomic.h>

#include "trawl/gather.h"
#include "trawl/thread.h"
#include "trawl/walk.h"

#define POOL_BATCH_FILES GATHER_FILES_MAX

struct pool;
struct pool_result;
#define POOL_AHEAD_BATCHES 4096u /* that may be begun before those before are printed */

/* What standard error gets once `at` bytes of what was kept are printed. */
struct pool_message {
    size_t at;
    char *text;
};

/* Of what is kept, a separator of groups: only to be printed if lines were before. */
struct pool_mark {
    size_t begin, end; /* equal: there is none */
};

struct pool_worker {
    struct pool *pool;
    struct command_job *job; /* to search with: own_job, or the pool's if there is but one worker */
    struct command_job own_job;
    struct trawl_searcher *searcher; /* without threads; NULL: there is only the pool's */
    struct output *kept;             /* NULL until needed */
    struct pool_message *messages;
    size_t message_count, message_capacity;
    struct pool_mark mark;
    struct gather gather;
    uint64_t told_bytes; /* of job->searched_bytes, to progress */

    uint64_t sequence;                        /* of the batch */
    bool has_turn;                            /* always, if there is but one worker */
    struct walk_item items[POOL_BATCH_FILES]; /* with offsets in names for their names */
    size_t name_at[POOL_BATCH_FILES];
    size_t item_count;
    char *names;
    size_t names_used, names_capacity;

    struct thread thread;
    pthread_cond_t turned;
};

/* What is known of a batch; by its sequence, modulo POOL_AHEAD_BATCHES. */
struct batch_turn {
    bool searched;
    struct pool_result *result; /* NULL: there is nothing to tell */
    struct pool_worker *waiter; /* for its turn */
};

struct pool {
    struct command_job *job;
    struct command_job worker_job; /* what each worker's job begins as */
    struct pool_worker *workers;
    uint32_t worker_count; /* that were begun; grows under walk_lock */
    uint32_t workers_max;
    bool several_files; /* may come */
    bool takes_turns;   /* there may be several workers; else what follows walk is not used */
    unsigned batch_directories;
    struct trawl_searcher *shared;
    bool shared_is_ours;

    struct walk walk;
    bool walked;
    _Atomic uint64_t file_count, file_bytes;

    struct thread_lock walk_lock;
    uint64_t sequence_next;
    _Atomic uint64_t sequence_last; /* no batch beyond it is of interest */
    atomic_uint active;

    struct thread_lock lock;
    pthread_cond_t room;
    _Atomic uint64_t turn; /* the batch to be printed; what is not in a worker is its worker's */
    atomic_bool over;
    uint64_t room_wanted; /* the first batch that waits for room */
    uint64_t left_bytes;
    struct batch_turn *ahead; /* NULL until a second worker begins */
};

/* What the turns of several workers need, the first one's part too. */
void pool_open_turns(struct pool *pool);
void pool_close_turns(struct pool *pool);
/* The worker has taken files. */
void pool_begin_batch(struct pool_worker *worker);
/* Print the batch, or leave it to be printed. */
void pool_end_batch(struct pool_worker *worker);

/* Is the batch's next file still of interest? If so, its output is chosen. */
bool pool_may_search(struct pool_worker *worker);

/* Has it the turn by now? */
bool pool_has_turn(struct pool_worker *worker);
/* Wait for it. False: the search is over. */
bool pool_wait_turn(struct pool_worker *worker);

/* ---- For what prints ------------------------------------------------------------------------- */

/* A line for standard error, in its place. */
void pool_say(struct pool_worker *worker, const char *text);
/* Is a separator of groups to be printed here? True also if that is not known yet: then
 * pool_mark_separator is told what was printed of it. */
bool pool_wants_separator(struct pool_worker *worker, size_t separator_bytes);
void pool_mark_separator(struct pool_worker *worker, size_t begin);
/* What is kept was cut back. */
void pool_cut_back(struct pool_worker *worker);

#endif
