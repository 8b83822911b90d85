/* pool: the files of a walk, searched by several workers, reported in the walk's order.
 *
 * Each worker takes the next few files of the walk (a batch), searches them one after the other
 * with its own searcher, which starts no threads, and keeps what is to be printed. Batches are
 * printed in order: the worker whose turn it is prints at once; the others leave their batches to
 * the worker that has the turn when these are next. A worker waits for its turn only if it has more
 * to keep than it may, or comes to a file that is not searched ahead: anything but a regular file,
 * and large files, which a shared searcher with all threads searches.
 */
#ifndef TRAWL_POOL_H
#define TRAWL_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "trawl/gather.h"
#include "trawl/thread.h"
#include "trawl/walk.h"

#define POOL_BATCH_FILES GATHER_FILES_MAX

struct pool;

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
    struct job *job; /* to search with: own_job, or the pool's if there is but one worker */
    struct job own_job;
    struct trawl_searcher *searcher; /* without threads; NULL: there is only the pool's */
    struct output *kept;             /* NULL until needed */
    struct pool_message *messages;
    size_t message_count, message_capacity;
    struct pool_mark mark;
    struct gather gather;
    uint64_t searched_bytes; /* of the batch, by its own searcher */
    uint64_t searched_found; /* since progress was told */
    uint64_t told_bytes;     /* of searched_bytes, to progress */

    uint64_t sequence; /* of the batch */
    bool has_turn;
    struct walk_item items[POOL_BATCH_FILES]; /* with offsets in names for their names */
    size_t name_at[POOL_BATCH_FILES];
    size_t item_count;
    char *names;
    size_t names_used, names_capacity;

    struct thread thread;
    pthread_cond_t turned;
};

/* Search what the operands name. Opens searchers if job->searcher is NULL, else takes that one for
 * everything, in one thread. False: message[TYPED_ERROR_BYTES] says why nothing was searched. */
bool job_walk(struct job *job, const struct exclude *exclude, const struct typed_item *operands,
              size_t operand_count, char *message);

/* ---- For a worker's own part, input.c -------------------------------------------------------- */

/* Search one item. */
void pool_search(struct pool_worker *worker, const struct walk_item *item);
/* Let the display know what was searched. */
void pool_tell_progress(struct pool_worker *worker);
/* Search one file by the worker alone. */
void pool_search_single(struct pool_worker *worker, const struct job_file *file);

/* Is the batch's next file still of interest? If so, its output is chosen. */
bool pool_may_search(struct pool_worker *worker);

/* Has it the turn by now? */
bool pool_has_turn(struct pool_worker *worker);
/* Wait for it. False: the search is over. */
bool pool_wait_turn(struct pool_worker *worker);
/* With the turn: the searcher with all threads. NULL: said why, and the search is over. */
struct trawl_searcher *pool_shared_searcher(struct pool_worker *worker);
/* Are others at work? */
bool pool_is_shared(const struct pool_worker *worker);
const struct walk *pool_walk(const struct pool_worker *worker);

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
