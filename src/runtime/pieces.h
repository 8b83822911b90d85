/* pieces: brings lists of begins from a device into the caller's array.
 *     the device's list --copy--> pinned memory, in pieces --any thread--> the array
 *                       --copy--> the array, if it is pinned
 *
 * The driver brings a device's pieces in turn; asking the driver for a piece takes 4 to 5 us [2
 * H200]. Any thread that has nothing else to do asks for the next piece, waits for a piece, or
 * copies a part of a piece into the array: the thread that lists, while it waits for memory; the
 * caller; and host workers, which poll for pieces once they were woken. Words that different
 * threads write lie in different cache lines: 15 threads read a word at little cost, unless it was
 * written just now.
 */
#ifndef TRAWL_RUNTIME_PIECES_H
#define TRAWL_RUNTIME_PIECES_H

#include "runtime/runtime.h"

#define PIECE_PARTS 4u
#define PIECE_ORDERS 64u

/* Words of a device's memory that belong into the array. */
struct piece_order {
    uint64_t at;    /* the first word's index in the device's list */
    uint64_t to;    /* the first word's index in the caller's array */
    uint64_t count; /* number of words */
};

#define PIECES_LINE _Alignas(64)

/* Order i uses entry i % PIECE_ORDERS of `orders`. Piece i uses entry i % ENGINE_PIECES_MAX of the
 * other arrays. All orders are of a single device. The next device begins when all orders are
 * settled, which means that their words are in the caller's array. */
struct pieces {
    struct job *job; /* the call's job */
    uint64_t *array;
    struct engine_worker *worker; /* the engine worker that brings the pieces */
    uint64_t most;                /* most words of a piece that threads copy */
    bool direct;                  /* the device copies into the array; false: threads copy */
    struct piece_order orders[PIECE_ORDERS];
    struct piece_order pieces[ENGINE_PIECES_MAX];
    /* a piece's words in pinned memory, once copied; NULL: the copy failed */
    const uint64_t *words[ENGINE_PIECES_MAX];
    _Atomic bool last;                     /* no further order will come */
    _Atomic bool over;                     /* helpers are not needed any more */
    PIECES_LINE _Atomic uint64_t ordered;  /* number of orders so far */
    PIECES_LINE _Atomic uint64_t finished; /* number of orders whose pieces were all asked for */
    uint64_t done; /* words that have been asked for, of the first order that is not finished */
    /* set while a thread asks for a piece; the flag also guards `done` */
    PIECES_LINE _Atomic bool bringing;
    PIECES_LINE _Atomic uint64_t brought; /* number of pieces that have been asked for */
    PIECES_LINE _Atomic bool waiting;     /* set while a thread waits for the next piece */
    PIECES_LINE _Atomic uint64_t there;   /* number of pieces that have come */
    PIECES_LINE _Atomic uint64_t taken;   /* parts that threads have begun to copy into the array */
    PIECES_LINE _Atomic uint64_t put;     /* parts in the array */
    /* left[i]: how many parts of piece i are not in the array yet */
    PIECES_LINE _Atomic uint32_t left[ENGINE_PIECES_MAX];
    PIECES_LINE pthread_mutex_t lock;
    enum trawl_status status; /* the first fault; guarded by `lock` */
    struct trawl_error error;
};

/* Sets up *pieces, which is zeroed. */
void pieces_begin(struct pieces *pieces, struct job *job, uint64_t *array);
/* The work of a host worker: works on pieces until no part is left to take, or no piece has come
 * for a while. The worker then leaves the job while other threads still copy, so that fewer threads
 * take the runtime's lock at the end. */
void pieces_help(struct pieces *pieces);
/* Tells the helpers that all orders are settled: the helpers have nothing left to do. */
void pieces_stop(struct pieces *pieces);
/* Releases *pieces after the job's end. */
void pieces_end(struct pieces *pieces);
/* Orders words that lie in the device memory of `worker`. With `direct`, the device copies into the
 * array by itself. Otherwise threads do, and `most` is the most words of a piece. worker, most and
 * direct must not change until all orders are settled. At most PIECE_ORDERS orders may be
 * unsettled. Only a single thread may order. */
void pieces_order(struct pieces *pieces, struct engine_worker *worker, uint64_t most, bool direct,
                  const struct piece_order *order);
/* Says that no further order will come. */
void pieces_last(struct pieces *pieces);
/* Asks for a piece, waits for a piece, or copies a part of a piece into the array. Returns false if
 * there is nothing to do now; a moment has passed then. */
bool pieces_work(struct pieces *pieces);
/* Works until all ordered words are in the array. Returns the first fault, if there was a fault. */
enum trawl_status pieces_settle(struct pieces *pieces, struct trawl_error *error);

#endif
