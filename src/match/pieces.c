/* pieces: lists in a device's memory, which threads copy to the caller's array piece by piece. */
#include "match/pieces.h"

#include "base/checked.h"

void pieces_begin(struct pieces *pieces, void (*share)(struct pieces *pieces, uint64_t count))
{
    *pieces = (struct pieces){.share = share};
    (void)pthread_mutex_init(&pieces->lock, NULL);
}

void pieces_end(struct pieces *pieces)
{
    (void)pthread_mutex_destroy(&pieces->lock);
}

void pieces_aim(struct pieces *pieces, uint32_t device, enum pieces_target target)
{
    (void)pthread_mutex_lock(&pieces->lock);
    TRAWL_ASSERT(pieces->left[0] == 0 && pieces->left[1] == 0);
    pieces->device = device;
    pieces->target = target;
    (void)pthread_mutex_unlock(&pieces->lock);
}

bool pieces_are_left(struct pieces *pieces, uint32_t *device, enum pieces_target *target)
{
    bool left;

    (void)pthread_mutex_lock(&pieces->lock);
    left = pieces->status == TRAWL_OK && (pieces->rest[0].count > 0 || pieces->rest[1].count > 0);
    *device = pieces->device;
    *target = pieces->target;
    (void)pthread_mutex_unlock(&pieces->lock);
    return left;
}

void pieces_put(struct pieces *pieces, const struct piece *list, uint64_t each)
{
    (void)pthread_mutex_lock(&pieces->lock);
    TRAWL_ASSERT(list->list < PIECES_LISTS && pieces->left[list->list] == 0);
    pieces->rest[list->list] = *list;
    pieces->left[list->list] = list->count;
    pieces->each[list->list] = each;
    (void)pthread_mutex_unlock(&pieces->lock);
}

bool pieces_take(struct pieces *pieces, uint32_t device, uint32_t list, struct piece *piece)
{
    struct piece *rest = NULL;

    TRAWL_ASSERT(list <= PIECES_LISTS);
    (void)pthread_mutex_lock(&pieces->lock);
    for (uint32_t i = 0; i < PIECES_LISTS; i++)
        if ((list == i || list == PIECES_LISTS) && pieces->rest[i].count > 0 &&
            (rest == NULL || pieces->rest[i].count < rest->count))
            rest = &pieces->rest[i];
    if (device != pieces->device || pieces->status != TRAWL_OK)
        rest = NULL;
    if (rest != NULL) {
        *piece = *rest;
        piece->count = min_u64(rest->count, pieces->each[rest->list]);
        rest->from += piece->count * sizeof *rest->to;
        rest->to += piece->count;
        rest->count -= piece->count;
    }
    (void)pthread_mutex_unlock(&pieces->lock);
    return rest != NULL;
}

void pieces_done(struct pieces *pieces, const struct piece *piece, enum trawl_status status,
                 const struct trawl_error *error)
{
    (void)pthread_mutex_lock(&pieces->lock);
    TRAWL_ASSERT(piece->count <= pieces->left[piece->list]);
    pieces->left[piece->list] -= piece->count;
    if (status != TRAWL_OK && pieces->status == TRAWL_OK) {
        pieces->status = status;
        pieces->error = *error;
    }
    (void)pthread_mutex_unlock(&pieces->lock);
}

enum trawl_status pieces_check_copied(struct pieces *pieces, uint32_t list, bool *copied,
                                      struct trawl_error *error)
{
    enum trawl_status status;

    (void)pthread_mutex_lock(&pieces->lock);
    status = pieces->status;
    *copied = pieces->left[list] == 0;
    if (status != TRAWL_OK && error != NULL)
        *error = pieces->error;
    (void)pthread_mutex_unlock(&pieces->lock);
    return status;
}
