/* pieces: copies lists of begins from a device to the caller's array
 *     the device's list --copy--> pinned memory, in pieces --any thread--> the array
 *                       --copy--> the array, if it is pinned
 *
 * The driver copies a device's pieces in turn; each request takes 4 to 5 us [2 H200]. Any thread
 * with nothing else to do requests the next piece, waits for one, or copies a part of one to the
 * array: the thread that lists, while it waits for memory; the caller; and host workers, which poll
 * for pieces once they were woken. Words that different threads write lie in different cache lines:
 * 15 threads can poll a word at little cost, unless it was just written.
 */
#ifndef TRAWL_RUNTIME_PIECES_H
#define TRAWL_RUNTIME_PIECES_H

#include "runtime/runtime.h"

#define PIECE_PARTS 4u
#define PIECE_ORDERS 64u

/* words of a device's memory that belong in the array */
struct piece_order {
    uint64_t at;    /* the first word's index in the device's list */
    uint64_t to;    /* the first word's index in the caller's array */
    uint64_t count; /* number of words */
};

#define PIECES_LINE _Alignas(64)

/* Order i uses entry i % PIECE_ORDERS of `orders`; piece i uses entry i % ENGINE_PIECES_MAX of the
 * other arrays. All orders are for one device; the next device begins when they are settled, which
 * means that their words are in the caller's array. */
struct pieces {
    struct job *job; /* the call's job */
    uint64_t *array;
    struct engine_worker *worker; /* requests and waits for the pieces */
    uint64_t most;                /* limit on the words of a piece that threads copy */
    bool direct;                  /* the device copies to the array; false: threads do */
    struct piece_order orders[PIECE_ORDERS];
    struct piece_order pieces[ENGINE_PIECES_MAX];
    /* a piece's words in pinned memory, once copied; NULL: the copy failed */
    const uint64_t *words[ENGINE_PIECES_MAX];
    _Atomic bool last;                     /* no further order will come */
    _Atomic bool over;                     /* helpers are not needed any more */
    PIECES_LINE _Atomic uint64_t ordered;  /* number of orders so far */
    PIECES_LINE _Atomic uint64_t finished; /* number of orders whose pieces were all requested */
    uint64_t done; /* words requested so far of the first unfinished order */
    /* set while a thread requests a piece; also guards `done` */
    PIECES_LINE _Atomic bool bringing;
    PIECES_LINE _Atomic uint64_t brought; /* number of pieces requested */
    PIECES_LINE _Atomic bool waiting;     /* set while a thread waits for the next piece */
    PIECES_LINE _Atomic uint64_t there;   /* number of pieces that have arrived */
    PIECES_LINE _Atomic uint64_t taken;   /* parts that threads have begun to copy */
    PIECES_LINE _Atomic uint64_t put;     /* parts in the array */
    /* left[i]: how many parts of piece i are not in the array yet */
    PIECES_LINE _Atomic uint32_t left[ENGINE_PIECES_MAX];
    PIECES_LINE pthread_mutex_t lock;
    enum trawl_status status; /* the first failure; guarded by `lock` */
    struct trawl_error error;
};

/* Sets up *pieces, which is zeroed. */
void pieces_begin(struct pieces *pieces, struct job *job, uint64_t *array);
/* The work of a host worker: works on pieces until no part is left to take, or none has arrived for
 * a while. It then leaves the job while other threads still copy, so that fewer threads take the
 * runtime's lock at the end. */
void pieces_help(struct pieces *pieces);
/* Tells the helpers that all orders are settled, so that they have nothing left to do. */
void pieces_stop(struct pieces *pieces);
/* Releases *pieces after the job's end. */
void pieces_end(struct pieces *pieces);
/* Orders words from the device memory of `worker`. With `direct`, the device copies them to the
 * array; otherwise threads do, in pieces of at most `most` words. worker, most and direct must not
 * change until all orders are settled. At most PIECE_ORDERS orders may be unsettled, and only one
 * thread may order. */
void pieces_order(struct pieces *pieces, struct engine_worker *worker, uint64_t most, bool direct,
                  const struct piece_order *order);
/* Says that no further order will come. */
void pieces_last(struct pieces *pieces);
/* Requests a piece, waits for one, or copies a part of one to the array. Returns false if there is
 * nothing to do now, after a short pause. */
bool pieces_work(struct pieces *pieces);
/* Works until all ordered words are in the array. Returns the first failure, if there was one. */
enum trawl_status pieces_settle(struct pieces *pieces, struct trawl_error *error);

#endif
