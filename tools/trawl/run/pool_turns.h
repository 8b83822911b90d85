/* pool_turns: a pool of workers that search files and print in turn. */
#ifndef TRAWL_POOL_TURNS_H
#define TRAWL_POOL_TURNS_H

#include <pthread.h>
#include <stdatomic.h>

#include "trawl/run/gather.h"
#include "trawl/text/sizes.h"
#include "trawl/text/thread.h"
#include "trawl/job/command_job.h"
#include "trawl/job/walk.h"

#define POOL_BATCH_FILES GATHER_FILES_MAX

struct pool;
struct pool_result;
struct pool_rest;
/* At most this many files are taken by workers before earlier files are printed. */
#define POOL_AHEAD_FILES SIZE_OR_SMALL(65536u, 24u)

/* A message for standard error, to be printed after the first `at` bytes of the kept output. */
struct pool_message {
    size_t at; /* offset in the kept output */
    char *text;
};

/* A separator of groups in the kept output, to be printed only if a line was printed before. */
struct pool_mark {
    size_t begin, end; /* begin == end: no separator */
};

struct pool_worker {
    struct pool *pool;
    /* the job to search with: own_job, or with a single worker the pool's job */
    struct command_job *job;
    struct command_job own_job;
    /* starts no threads; NULL: the pool's shared searcher searches all files */
    struct trawl_searcher *searcher;
    /* searches compressed files with the threads of the pool's runtime; NULL until needed */
    struct trawl_searcher *team;
    struct output *kept; /* output that waits for the turn; NULL until needed */
    struct pool_message *messages;
    size_t message_count, message_capacity;
    struct pool_mark mark; /* the separator in the kept output */
    struct gather gather;  /* small files that wait to be searched together */

    uint64_t sequence; /* number of the batch's first file in the walk's order */
    bool has_turn;     /* always true with a single worker */
    /* items[i].name is names + name_at[i], or the name of an operand if name_at[i] == SIZE_MAX */
    struct walk_item items[SIZE_ROOM(GATHER_FILES_SIZES)];
    size_t name_at[SIZE_ROOM(GATHER_FILES_SIZES)];
    size_t item_count; /* number of files in the batch */
    size_t item_at;    /* index of the current file */
    char *names;       /* the names of the batch's files */
    size_t names_used, names_capacity;

    struct thread thread;
    pthread_cond_t turned; /* signalled when the worker has the turn */
};

/* The state of a batch, at index sequence % POOL_AHEAD_FILES. */
struct batch_turn {
    size_t file_count;          /* if `searched`: number of files in the batch */
    bool searched;              /* the batch was searched and waits to be printed */
    struct pool_result *result; /* NULL: nothing to print */
    struct pool_worker *waiter; /* the batch's worker while it waits for its turn; else NULL */
};

/* What workers search instead of the walk's files, such as parts of a file. */
struct pool_source {
    /* Finds the next item, as walk_next does. Called with walk_lock. */
    bool (*next)(struct pool_source *source, struct walk_item *item);
    /* Searches an item. Called for every item; if `is_over`, the search has ended, and only what
     * the item holds is given back. */
    void (*search)(struct pool_source *source, struct pool_worker *worker,
                   const struct walk_item *item, bool is_over);
};

struct pool {
    struct command_job *job;
    struct command_job worker_job; /* the initial job of each worker */
    struct pool_worker *workers;
    uint32_t worker_count; /* workers that were started; grows under walk_lock */
    uint32_t workers_max;  /* limit for worker_count */
    bool several_files;    /* more than a single file may come */
    /* There may be several workers, which take turns; otherwise there is one, which prints
     * immediately, without locks. */
    bool takes_turns;
    unsigned batch_directories;    /* maximum number of directories with files of a batch */
    struct trawl_searcher *shared; /* a searcher with all threads, for large files */
    bool shared_is_ours;
    /* the threads of each worker's `team` and of `shared`; NULL: not open, or the caller's */
    struct trawl_runtime *runtime;

    struct walk walk;
    struct pool_source *source; /* gives the items instead of the walk; NULL: the walk does */
    bool walked;                /* the walk has ended */
    /* number of files in all searched batches, and the sum of their bytes, to which each file adds
     * at most BATCH_BYTES */
    _Atomic uint64_t file_count, file_bytes;

    struct thread_lock walk_lock; /* guards `walk`, and members "under walk_lock" */
    uint64_t sequence_next;  /* number, in the walk's order, of the next file; under walk_lock */
    struct pool_rest *rests; /* files that workers left to others; under walk_lock */
    pthread_cond_t more;     /* signalled when files were left, or all workers wait */
    bool all_wait;           /* no worker will leave files any more; under walk_lock */
    _Atomic uint64_t sequence_last; /* sequence number of the last batch that is needed */
    void (*begin_worker)(
        struct pool *pool); /* starts a worker if there may be more; with walk_lock */
    atomic_uint active;     /* workers that are taking or searching batches */

    struct thread_lock lock; /* guards the members below */
    pthread_cond_t room;     /* signalled when a waiting batch may begin */
    /* sequence number of the batch that is being printed; only the worker that prints may use
     * `job` */
    _Atomic uint64_t turn;
    atomic_bool over;           /* the search is over: workers stop */
    uint64_t room_wanted;       /* the first batch that waits for `room`; UINT64_MAX: none */
    struct pool_result *spares; /* printed results, whose memory is reused */
    uint64_t left_bytes;        /* memory of the finished batches that wait to be printed */
    struct batch_turn *ahead;   /* NULL until a second worker starts */
    uint64_t ahead_end;         /* batches from this number on have not used their entries of
                                   `ahead` */
};

/* Prepares the turns, and makes the first worker ready to take its turn. */
void pool_open_turns(struct pool *pool);
void pool_close_turns(struct pool *pool);
/* Resets a worker that has taken the files of a batch. */
void pool_begin_batch(struct pool_worker *worker);
/* Prints the batch, or leaves it to the worker that has the turn. */
void pool_end_batch(struct pool_worker *worker);
/* Returns true if the next file of the batch must still be searched: the search is not over, and no
 * write has failed. Then job->output is set for the file. */
bool pool_wants_next_file(struct pool_worker *worker);

/* Leaves the batch's files after the current file, whose search is slow, to other workers. Wakes a
 * worker that waits for files, and starts another worker if the limit allows. */
void pool_leave_rest(struct pool_worker *worker);
/* Gives the worker the first batch, in the walk's order, that another worker left, so that the turn
 * never belongs to files without a worker. False: no files were left. Called with walk_lock. */
bool pool_take_rest(struct pool_worker *worker);

bool pool_has_turn(struct pool_worker *worker);
/* Waits for the turn. False: the search is over. */
bool pool_wait_turn(struct pool_worker *worker);

#endif
