/* pieces: lists of begins on their way from a device into the caller's array.
 *
 *     the device's list --copy--> pinned memory, in pieces --any thread--> the array
 *                       --copy--> the array, if it is pinned
 *
 * The driver brings a device's pieces one after the other; to ask it for one takes 4 to 5 us [2
 * H200]. Threads with nothing else to do ask for the next piece, wait for one, or put a part of one
 * into the array: the thread that lists, while it waits, the caller, and host workers, which look
 * for pieces from the call's begin on. What one thread writes lies in cache lines of its own: 15
 * others that look at it are fast, but not at what was written just now.
 */
#ifndef TRAWL_RUNTIME_PIECES_H
#define TRAWL_RUNTIME_PIECES_H

#include "runtime/runtime.h"

#define PIECE_PARTS 4u
#define PIECE_ORDERS 64u

/* Words of a device's memory that belong into the array. */
struct piece_order {
    uint64_t at;    /* the first one in that memory, */
    uint64_t to;    /* and in the array */
    uint64_t count; /* of them */
};

#define PIECES_LINE _Alignas(64)

/* Piece i has slot i % ENGINE_PIECES_MAX, order i place i % PIECE_ORDERS. One device's at a time:
 * the next device begins when all of them are settled. */
struct pieces {
    struct job *job; /* the call's */
    uint64_t *array;
    struct engine_worker *worker; /* brings the pieces */
    uint64_t most;                /* words of a piece */
    bool direct;                  /* the device copies to the array; else threads do */
    struct piece_order orders[PIECE_ORDERS];
    struct piece_order pieces[ENGINE_PIECES_MAX];
    const uint64_t *words[ENGINE_PIECES_MAX]; /* once it is there; NULL: it did not come */
    _Atomic bool last;                        /* no order comes any more */
    _Atomic bool over;                        /* helpers are not needed */
    PIECES_LINE _Atomic uint64_t ordered;
    PIECES_LINE _Atomic uint64_t finished; /* orders of which nothing is left to bring */
    uint64_t done;                         /* words of the next, */
    PIECES_LINE _Atomic bool bringing;     /* for the thread that holds this */
    PIECES_LINE _Atomic uint64_t brought;  /* pieces, or being brought */
    PIECES_LINE _Atomic bool waiting;      /* for the next of them to be */
    PIECES_LINE _Atomic uint64_t there;
    PIECES_LINE _Atomic uint64_t taken; /* parts, by threads that put them into the array */
    PIECES_LINE _Atomic uint64_t put;   /* parts */
    PIECES_LINE _Atomic uint32_t left[ENGINE_PIECES_MAX]; /* parts that are not in the array */
    PIECES_LINE pthread_mutex_t lock;
    enum trawl_status status; /* the first fault, under the lock */
    struct trawl_error error;
};

/* `pieces` is zeroed. */
void pieces_begin(struct pieces *pieces, struct job *job, uint64_t *array);
/* What a host worker does for the job. To leave takes the runtime's lock: it does so while others
 * copy. */
void pieces_help(struct pieces *pieces);
/* All is settled: helpers are not needed any more. */
void pieces_stop(struct pieces *pieces);
/* And none is left: after the job's end. */
void pieces_end(struct pieces *pieces);
/* Words that `worker` has are to come, no more than `most` in a piece; `direct`: the device copies
 * to the array by itself. All three stay the same until the orders are settled, which has to be
 * before more than PIECE_ORDERS were ordered. By one thread. */
void pieces_order(struct pieces *pieces, struct engine_worker *worker, uint64_t most, bool direct,
                  const struct piece_order *order);
/* No more is ordered. */
void pieces_last(struct pieces *pieces);
/* Bring a piece, wait for one, or put a part of one into the array; false: there is nothing to do,
 * and a moment has passed. */
bool pieces_work(struct pieces *pieces);
/* Until all that was ordered is in the array; or what kept a piece from it. */
enum trawl_status pieces_settle(struct pieces *pieces, struct trawl_error *error);

#endif
