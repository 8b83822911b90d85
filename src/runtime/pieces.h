/* pieces: copies lists of start offsets from a device to the caller's array
 *     the device's list --copy--> pinned memory, in pieces --any thread--> the array
 *                       --copy--> the array, if it is pinned
 *
 * The driver copies a device's pieces in turn; each request takes 4 to 5 us [2 H200]. Threads
 * without other work request the next piece, wait for one, or copy a part of one to the array: the
 * thread that makes the lists, while it waits for memory; the caller; and host workers, which poll
 * for pieces once they are woken. Words that different threads write are in different cache lines:
 * it costs little if 15 threads poll a word, unless it was just written.
 */
#ifndef TRAWL_RUNTIME_PIECES_H
#define TRAWL_RUNTIME_PIECES_H

#include "runtime/runtime.h"

#define PIECE_PARTS 4u
#define PIECE_ORDERS 64u

/* A list in a device's memory, to be copied to the array; or a piece of it. */
struct piece_order {
    uint64_t at;    /* index of the first word in the device's memory */
    uint64_t to;    /* index of the first word in the caller's array */
    uint64_t count; /* number of words */
};

#define PIECES_LINE _Alignas(64)

/* Order i uses entry i % PIECE_ORDERS of `orders`; piece i uses entry i % ENGINE_PIECES_MAX of the
 * other arrays. An order is *settled* once its words are in the caller's array. Orders are for one
 * device at a time; the next device begins when they are settled. */
struct pieces {
    struct job *job; /* the call's job */
    uint64_t *array;
    struct engine_worker *worker; /* its functions request and await the pieces */
    uint64_t most;                /* maximum number of words in a piece that threads copy */
    bool direct; /* the device copies to the array; false: threads copy from pinned memory */
    struct piece_order orders[PIECE_ORDERS];
    struct piece_order pieces[ENGINE_PIECES_MAX];
    /* where a piece has arrived in pinned memory; NULL: the copy failed */
    const uint64_t *words[ENGINE_PIECES_MAX];
    _Atomic bool last;                     /* no further order will come */
    _Atomic bool over;                     /* helpers are no longer needed */
    PIECES_LINE _Atomic uint64_t ordered;  /* number of orders so far */
    PIECES_LINE _Atomic uint64_t finished; /* number of orders whose pieces were all requested */
    uint64_t done; /* how many words of the first unfinished order were requested */
    /* a thread is requesting a piece; guards `done` */
    PIECES_LINE _Atomic bool bringing;
    PIECES_LINE _Atomic uint64_t brought; /* number of pieces requested */
    PIECES_LINE _Atomic bool waiting;     /* a thread is waiting for the next piece */
    PIECES_LINE _Atomic uint64_t there;   /* number of pieces that have arrived */
    PIECES_LINE _Atomic uint64_t taken;   /* number of parts that threads have begun to copy */
    PIECES_LINE _Atomic uint64_t put;     /* number of parts in the array */
    /* left[i]: how many parts of piece i are not in the array yet */
    PIECES_LINE _Atomic uint32_t left[ENGINE_PIECES_MAX];
    PIECES_LINE pthread_mutex_t lock;
    enum trawl_status status; /* the first failure; guarded by `lock` */
    struct trawl_error error;
};

/* Sets up *pieces, which is zeroed. */
void pieces_begin(struct pieces *pieces, struct job *job, uint64_t *array);
/* What a host worker does: works on pieces until no part is left to take, or none has arrived for a
 * while. Then it leaves the job, even if other threads still copy, so that not all threads need the
 * runtime's lock at the end. */
void pieces_help(struct pieces *pieces);
/* Tells the helpers that all orders are settled, so they can leave. */
void pieces_stop(struct pieces *pieces);
/* Releases *pieces after the job's end. */
void pieces_end(struct pieces *pieces);
/* Orders a list in the device memory of `worker` to be copied: with `direct`, by the device to the
 * array; otherwise by threads, in pieces of at most `most` words. worker, most and direct must not
 * change until all orders are settled. At most PIECE_ORDERS orders may be unsettled, and only one
 * thread may order. */
void pieces_order(struct pieces *pieces, struct engine_worker *worker, uint64_t most, bool direct,
                  const struct piece_order *order);
/* Called after the last order. */
void pieces_last(struct pieces *pieces);
/* Requests a piece, waits for one, or copies a part of one to the array. If there is nothing to do
 * now, pauses for a moment and returns false. */
bool pieces_work(struct pieces *pieces);
/* Works until all ordered words are in the array. Returns the first failure, if there was one. */
enum trawl_status pieces_settle(struct pieces *pieces, struct trawl_error *error);

#endif
