/* pieces: lists of hits on their way from devices into the caller's array.
 *
 *     a device's list --copy--> pinned memory, in pieces --any thread--> the array
 *                     --copy--> the array, if it is pinned
 *
 * The driver brings a device's pieces one after the other; to ask it for one takes 4 to 5 us [2
 * H200]. Threads with nothing else to do ask for the next piece, wait for one, or put a part of one
 * into the array: those that list, while they wait, the caller, and host workers, which look for
 * pieces from the call's begin on. What one thread writes lies in cache lines of its own: 15 others
 * that look at it are fast, but not at what was written just now.
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
    uint64_t base;  /* for pieces.put */
};

#define PIECES_LINE _Alignas(64)

/* Those of one device. Piece i has slot i % ENGINE_PIECES_MAX, order i place i % PIECE_ORDERS. */
struct device_pieces {
    struct engine_worker *worker; /* brings them */
    uint64_t most;                /* words of a piece */
    uint64_t *direct;             /* the array, which the device copies to; NULL: threads do */
    struct piece_order orders[PIECE_ORDERS];
    struct piece_order pieces[ENGINE_PIECES_MAX];
    const uint64_t *words[ENGINE_PIECES_MAX]; /* once it is there; NULL: it did not come */
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
    PIECES_LINE enum trawl_status status;                 /* the first fault, under the lock */
    struct trawl_error error;
};

struct pieces {
    struct job *job; /* the call's */
    _Atomic bool over;
    _Atomic uint32_t bringers; /* devices from which more may come */
    pthread_mutex_t lock;
    /* Put words into the array, from its `to` on; in any thread. Where there are `words` of it,
     * they are as they come. */
    void (*put)(void *context, uint64_t to, const uint64_t *words, uint64_t count, uint64_t base);
    void *context;
    uint64_t *words;
    uint64_t room; /* of them */
    struct device_pieces devices[ENGINE_DEVICES_MAX];
};

/* `pieces` is zeroed but for put, context, words and room; from so many devices. */
void pieces_begin(struct pieces *pieces, struct job *job, uint32_t devices);
/* What a host worker does for the job. To leave takes the runtime's lock: it does so while others
 * copy. */
void pieces_help(struct pieces *pieces, const struct worker *worker);
/* All is settled, or will be by those who list: helpers are not needed any more. */
void pieces_stop(struct pieces *pieces);
/* And none is left: after the job's end. */
void pieces_end(struct pieces *pieces);
/* Words that `worker` on that device has are to come, no more than `most` in a piece; `direct`: the
 * device copies to the array by itself. All three are always the same. By one thread for each
 * device, which settles them before more than PIECE_ORDERS were ordered. */
void pieces_order(struct pieces *pieces, uint32_t device, struct engine_worker *worker,
                  uint64_t most, bool direct, const struct piece_order *order);
/* No more comes from one of the devices. */
void pieces_last(struct pieces *pieces);
/* Bring a piece, wait for one, or put a part of one into the array, of this device if there is one;
 * false: there is nothing to do, and a moment has passed. */
bool pieces_work(struct pieces *pieces, uint32_t device);
/* Until all that was ordered of the device is in the array; or what kept a piece from it. */
enum trawl_status pieces_settle(struct pieces *pieces, uint32_t device, struct trawl_error *error);

#endif
