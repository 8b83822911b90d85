/* pieces: lists of begins on their way from devices into the caller's array.
 *
 *     a device's list --copy--> pinned memory, in pieces --any thread--> the array
 *
 * The driver brings a device's pieces one after the other; to ask it for one takes 4 to 5 us [2
 * H200]. Threads with nothing else to do copy the next part of one: those that list, the
 * caller, and host workers, which look for pieces from the call's begin on.
 */
#ifndef TRAWL_RUNTIME_PIECES_H
#define TRAWL_RUNTIME_PIECES_H

#include "runtime/runtime.h"

#define PIECE_PARTS 4u

/* Those of one device. Piece i has slot i % ENGINE_PIECES_MAX. */
struct device_pieces {
    const struct engine_worker *worker;       /* brings them */
    uint64_t *to[ENGINE_PIECES_MAX];          /* where its words belong, */
    uint64_t count[ENGINE_PIECES_MAX];        /* so many */
    _Atomic uint32_t left[ENGINE_PIECES_MAX]; /* parts that are not copied */
    _Atomic uint64_t brought;                 /* pieces, or being brought */
    _Atomic uint64_t taken;                   /* parts, by threads that copy */
    _Atomic uint64_t copied;                  /* parts */
    enum trawl_status status;                 /* the first fault, under the lock */
    struct trawl_error error;
};

struct pieces {
    struct job job; /* first: a job's serve gets this; the host workers' */
    bool has_job;
    _Atomic bool over;
    _Atomic uint32_t bringers; /* devices from which more may come */
    pthread_mutex_t lock;
    struct device_pieces devices[ENGINE_DEVICES_MAX];
};

/* `pieces` is zeroed; from so many devices, with host workers to help, or without. Then call so
 * many. */
void pieces_begin(struct pieces *pieces, struct trawl_runtime *runtime, uint32_t devices,
                  bool helped);
void pieces_call(struct pieces *pieces, uint32_t helpers);
/* All is settled, or will be by those who bring it: helpers are not needed any more. */
void pieces_stop(struct pieces *pieces);
/* And none is left. */
void pieces_end(struct pieces *pieces);
/* Begin to bring `count` words, which `worker` on that device has from `at` on, no more than
 * `most` in a piece. By one thread for each device. */
enum trawl_status pieces_bring(struct pieces *pieces, uint32_t device, struct engine_worker *worker,
                               uint64_t at, uint64_t count, uint64_t most, uint64_t *to,
                               struct trawl_error *error);
/* No more comes from one of the devices. */
void pieces_last(struct pieces *pieces);
/* Copy a part, of this device if there is one; false: there is none of any device. */
bool pieces_copy(struct pieces *pieces, uint32_t device);
/* Until all that was brought from the device is in the array; or what kept a piece from it. */
enum trawl_status pieces_settle(struct pieces *pieces, uint32_t device, struct trawl_error *error);

#endif
