/* pieces: lists in a device's memory, which threads copy to the caller's array piece by piece
 *
 * One thread lets the device write a list. Meanwhile, others copy the last one:
 *
 *     device   list 0 ][ list 1 ][ list 0 ][ list 1 ]
 *     threads          [ copy 0 ][ copy 1 ][ copy 0 ][ copy 1 ]
 */
#ifndef TRAWL_MATCH_PIECES_H
#define TRAWL_MATCH_PIECES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define PIECES_LISTS 2u

/* Where the array is. A device cannot write to OTHER memory: a thread copies there what the device
 * has copied to pinned memory. */
enum pieces_target { PIECES_TO_DEVICE, PIECES_TO_PINNED, PIECES_TO_OTHER };

/* Words to copy. */
struct piece {
    uint64_t from; /* address in the device's memory */
    uint64_t *to;
    uint64_t count; /* 0: none */
    uint32_t list;
};

struct pieces {
    /* Asks for threads that copy pieces of a list of `count` words. May return before they do. */
    void (*share)(struct pieces *pieces, uint64_t count);

    pthread_mutex_t lock; /* guards what follows */
    uint32_t device;      /* whose lists these are */
    enum pieces_target target;
    struct piece rest[PIECES_LISTS]; /* of each list, what no thread has taken */
    uint64_t left[PIECES_LISTS];     /* how many of its words are not copied yet */
    uint64_t each[PIECES_LISTS];     /* how many words a thread takes at most */
    enum trawl_status status;        /* the first failure of a thread */
    struct trawl_error error;
};

void pieces_begin(struct pieces *pieces, void (*share)(struct pieces *pieces, uint64_t count));
void pieces_end(struct pieces *pieces);
/* Sets the device that makes the next lists, and the memory of the array. All earlier lists must
 * have been copied. */
void pieces_aim(struct pieces *pieces, uint32_t device, enum pieces_target target);
/* Returns true if a thread may take pieces, and whose they are. */
bool pieces_are_left(struct pieces *pieces, uint32_t *device, enum pieces_target *target);
/* Lets threads copy a list, in pieces of `each` words. The last list with this number must have
 * been copied.
 */
void pieces_put(struct pieces *pieces, const struct piece *list, uint64_t each);
/* Takes a piece of list number `list`, or for PIECES_LISTS, of the list of which less is left.
 * Returns false if there is none, if it is another device's, or if a thread has failed. */
bool pieces_take(struct pieces *pieces, uint32_t device, uint32_t list, struct piece *piece);
/* Notes that a thread has copied a piece, or has failed to. */
void pieces_done(struct pieces *pieces, const struct piece *piece, enum trawl_status status,
                 const struct trawl_error *error);
/* Sets *copied if all words of the list are in the array. Returns the first failure of a thread. */
enum trawl_status pieces_check_copied(struct pieces *pieces, uint32_t list, bool *copied,
                                      struct trawl_error *error);

#endif
