/* cuda_begins: writes the start offsets of a loaded text's occurrences ("begins") to an array
 *
 * If the array is in the memory of the device that has the text, kernels write straight into it.
 * Otherwise they write lists of begins, and while they write one, threads copy the last to the
 * array, piece by piece (match/pieces.h).
 */
#include "cuda/cuda_begins.h"

#include <sched.h>
#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_answer.h"
#include "cuda/cuda_lists.h"
#include "cuda/residents.h"
#include "engine.h"
#include "cuda/prices.def"

/* Where an array is: HERE, in the memory of the worker's device. */
enum place { PLACE_HERE, PLACE_DEVICE, PLACE_PINNED, PLACE_OTHER };

static enum place place_of(const struct cuda_worker *worker, const struct engine_words *words)
{
    const struct cuda_driver *driver = worker->device->driver;
    uint64_t address = (uint64_t)(uintptr_t)words->to, begin = 0;
    uint64_t end = saturating_add(address, saturating_multiply(words->room, sizeof(uint64_t)));
    unsigned type = 0;
    size_t bytes = 0;
    int ordinal = -1;

    if (driver->pointer_attribute(&type, CUDA_POINTER_MEMORY_TYPE, address) != CUDA_CODE_OK)
        return PLACE_OTHER;
    if (type == CUDA_MEMORY_OF_DEVICE)
        return driver->pointer_attribute(&ordinal, CUDA_POINTER_DEVICE, address) == CUDA_CODE_OK &&
                       ordinal == worker->device->ordinal
                   ? PLACE_HERE
                   : PLACE_DEVICE;
    return type == CUDA_MEMORY_OF_HOST &&
                   driver->pointer_attribute(&begin, CUDA_POINTER_RANGE_BEGIN, address) ==
                       CUDA_CODE_OK &&
                   driver->pointer_attribute(&bytes, CUDA_POINTER_RANGE_BYTES, address) ==
                       CUDA_CODE_OK &&
                   begin <= address && end <= saturating_add(begin, bytes)
               ? PLACE_PINNED
               : PLACE_OTHER;
}

/* Makes room for lists of limits.begins_room begins in total, or for fewer if the device lacks
 * memory. */
static enum trawl_status list_reserve(struct cuda_worker *worker, struct trawl_error *error)
{
    for (uint64_t wanted = worker->limits.begins_room;; wanted /= 2) {
        enum trawl_status status =
            cuda_memory_reserve(worker->device, &worker->list, wanted * sizeof(uint64_t), error);

        if (status != TRAWL_MEMORY || wanted / 2 < worker->limits.hits_room_min)
            return status;
    }
}

/* Lists the begins of the chunk's starts [from, to), as far as they are searched in the same
 * memory, and sets *next to the start after these. */
static enum trawl_status list_begins(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                     const struct cuda_place *place, uint64_t from, uint64_t to,
                                     struct cuda_hits_room *room, struct engine_result *found,
                                     uint64_t *next, struct trawl_error *error)
{
    struct cuda_range range;
    uint64_t limit;

    cuda_place_range(place, from, to, chunk->owned + chunk->after, &range);
    limit = cuda_range_limit(worker->plan, &range);
    if (limit > range.begin && (plan_has_conditions(worker->plan) || cuda_plan_finds(worker->plan)))
        TRAWL_TRY(
            cuda_answer_begins(worker, chunk, &range, limit, from, room, found, &range.end, error));
    else if (limit > range.begin)
        TRAWL_TRY(cuda_list_hits(worker, &range, limit, room, &found->count,
                                 &found->candidate_count, error));
    *next = from + (range.end - range.begin);
    return TRAWL_OK;
}

/* ---- Copies --------------------------------------------------------------------------------- */

static uint64_t *landing_of(const struct cuda_worker *worker, uint32_t turn)
{
    return (uint64_t *)(void *)worker->landing.bytes + turn * worker->limits.piece_words;
}

/* Starts to copy the piece to the array, or to half `turn` of the landing buffer. */
static enum trawl_status start_piece(struct cuda_worker *worker, enum pieces_target target,
                                     const struct piece *piece, uint32_t turn,
                                     struct trawl_error *error)
{
    uint64_t *to = target == PIECES_TO_OTHER ? landing_of(worker, turn) : piece->to;
    size_t bytes = (size_t)(piece->count * sizeof *to);

    if (target == PIECES_TO_DEVICE)
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_on_device, (uint64_t)(uintptr_t)to,
                            piece->from, bytes, worker->stream));
    else
        TRAWL_TRY(
            CUDA_CALL(worker->device, error, copy_to_host, to, piece->from, bytes, worker->stream));
    return CUDA_CALL(worker->device, error, event_record, worker->staged[turn], worker->stream);
}

static enum trawl_status end_piece(struct cuda_worker *worker, enum pieces_target target,
                                   const struct piece *piece, uint32_t turn,
                                   struct trawl_error *error)
{
    TRAWL_TRY(CUDA_CALL(worker->device, error, event_wait, worker->staged[turn]));
    if (target == PIECES_TO_OTHER)
        memcpy(piece->to, landing_of(worker, turn), (size_t)(piece->count * sizeof *piece->to));
    return TRAWL_OK;
}

/* Copies pieces of a list (pieces_take) until none is left. While the device copies one piece to
 * the landing buffer, this thread copies the piece before it from there. */
static enum trawl_status copy_pieces(struct cuda_worker *worker, struct pieces *pieces,
                                     uint32_t list, struct trawl_error *error)
{
    struct piece taken[2] = {{.count = 0}};
    enum trawl_status status = TRAWL_OK, ended;
    enum pieces_target target;
    struct trawl_error own;
    uint32_t device;
    bool more = pieces_are_left(pieces, &device, &target) && device == worker->device_index;

    if (more && target == PIECES_TO_OTHER)
        TRAWL_TRY(cuda_pinned_reserve(worker->device, &worker->landing,
                                      2 * worker->limits.piece_words * sizeof(uint64_t), error));
    for (uint32_t turn = 0; more; turn ^= 1) {
        struct piece *now = &taken[turn], *last = &taken[turn ^ 1];

        more = status == TRAWL_OK && pieces_take(pieces, device, list, now);
        if (more)
            status = start_piece(worker, target, now, turn, &own);
        if (more && status != TRAWL_OK)
            pieces_done(pieces, now, status, &own);
        more &= status == TRAWL_OK;
        if (last->count > 0) {
            ended = end_piece(worker, target, last, turn ^ 1, &own);
            pieces_done(pieces, last, ended, &own);
            status = status == TRAWL_OK ? ended : status;
        }
        last->count = 0;
    }
    if (status != TRAWL_OK && error != NULL)
        *error = own;
    return status;
}

enum trawl_status cuda_begins_copy(struct cuda_worker *worker, struct pieces *pieces,
                                   struct trawl_error *error)
{
    return copy_pieces(worker, pieces, PIECES_LISTS, error);
}

/* Helps to copy a list, and waits until it is in the array. */
static enum trawl_status finish_list(struct cuda_worker *worker, struct pieces *pieces,
                                     uint32_t list, struct trawl_error *error)
{
    bool copied;

    for (;;) {
        TRAWL_TRY(pieces_check_copied(pieces, list, &copied, error));
        if (copied)
            return TRAWL_OK;
        TRAWL_TRY(copy_pieces(worker, pieces, list, error));
        (void)sched_yield();
    }
}

/* ---- Lists ---------------------------------------------------------------------------------- */

/* Returns how many of the `left` starts the next list should cover: all, if it has few words;
 * otherwise so many that threads can copy one list while the device makes the next. */
static uint64_t choose_reach(const struct cuda_worker *worker, double share, uint64_t left,
                             uint64_t room)
{
    double words = share * (double)left, most;

    if (share < 0) /* a plan's first list, for which nobody knows how much room it needs */
        return min_u64(left, FIRST_TRIALS * worker->limits.tried_bytes);
    most = min_double(max_double(words / LISTS_LEAST, LIST_WORDS_LEAST), 0.75 * (double)room);
    return words <= most ? left : max_u64((uint64_t)(most / share), 1);
}

/* Returns how many words of a list a thread should copy at a time: few enough that even one thread
 * copies while the device does, but enough to be worth the driver's three calls. */
static uint64_t choose_piece(const struct cuda_worker *worker, uint64_t count)
{
    return min_u64(max_u64(count / 4, PIECE_WORDS_LEAST), worker->limits.piece_words);
}

/* Lists the chunk's begins straight into the array. */
static enum trawl_status fill_here(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                   const struct cuda_place *text, struct engine_words *words,
                                   struct trawl_error *error)
{
    uint64_t next;

    for (uint64_t from = 0; from < chunk->owned; from = next) {
        uint64_t put = min_u64(words->room, words->count);
        struct cuda_hits_room room = {.address = (uint64_t)(uintptr_t)(words->to + put),
                                      .count = words->room - put,
                                      .base = words->base + from};
        struct engine_result found = {.count = 0};

        if (engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        TRAWL_TRY(
            list_begins(worker, chunk, text, from, chunk->owned, &room, &found, &next, error));
        words->count += found.count;
        words->candidate_count += found.candidate_count;
    }
    return TRAWL_OK;
}

/* Lists the chunk's begins in the two halves of the worker's list by turns, which threads copy to
 * the array. */
static enum trawl_status fill_by_lists(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                       const struct cuda_place *text, struct engine_words *words,
                                       struct trawl_error *error)
{
    const uint64_t half = worker->list.bytes / sizeof(uint64_t) / PIECES_LISTS;
    uint64_t next, reach_max = UINT64_MAX;
    double share = worker->tables->list_share;
    uint32_t turn = 0;

    for (uint64_t from = 0; from < chunk->owned; from = next) {
        uint64_t put = min_u64(words->room, words->count), left = chunk->owned - from;
        struct cuda_hits_room room = {.address =
                                          worker->list.address + turn * half * sizeof(uint64_t),
                                      .count = min_u64(words->room - put, half),
                                      .base = words->base + from};
        uint64_t reach = min_u64(choose_reach(worker, share, left, half), reach_max);
        struct engine_result found = {.count = 0};

        if (engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        TRAWL_TRY(finish_list(worker, words->pieces, turn, error));
        TRAWL_TRY(list_begins(worker, chunk, text, from, from + min_u64(reach, left), &room, &found,
                              &next, error));
        share = (double)found.count / (double)(next - from);
        if (found.count > half && room.count == half) { /* the list is too short */
            if (next - from == 1)
                return TRAWL_FAIL(error, UNSUPPORTED, "too many occurrences begin at one place");
            reach_max = (next - from) / 2;
            next = from;
            continue;
        }
        reach_max = saturating_multiply(reach_max, 2);
        if (min_u64(found.count, room.count) > 0) {
            const struct piece list = {.from = room.address,
                                       .to = words->to + put,
                                       .count = min_u64(found.count, room.count),
                                       .list = turn};

            TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
            pieces_put(words->pieces, &list, choose_piece(worker, list.count));
            words->pieces->share(words->pieces, list.count);
            turn ^= 1;
        }
        words->count += found.count;
        words->candidate_count += found.candidate_count;
    }
    for (uint32_t i = 0; i < PIECES_LISTS; i++)
        TRAWL_TRY(finish_list(worker, words->pieces, turn ^ i, error));
    return TRAWL_OK;
}

enum trawl_status cuda_begins(struct cuda_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error)
{
    const enum place place = place_of(worker, words);
    struct cuda_place text;

    worker->may_leave = worker->leaves = false;
    if (place == PLACE_OTHER && !words->copies_anywhere)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot write to the array", worker->device->name);
    if (plan_needs_refining(worker->plan) && !cuda_answer_checks(worker->plan))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "a device alone cannot verify this plan's occurrences");
    if (!cuda_worker_resident(worker, chunk->bytes, chunk->owned + chunk->after,
                              worker->plan->need_after, &text))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not loaded on %s", worker->device->name);
    if (worker->plan->literal_count == 0)
        return TRAWL_OK;
    worker->chunk = chunk;
    if (place == PLACE_HERE) {
        TRAWL_TRY(cuda_tables_want(worker, error));
        TRAWL_TRY(fill_here(worker, chunk, &text, words, error));
        return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
    }
    pieces_aim(words->pieces, worker->device_index,
               place == PLACE_DEVICE   ? PIECES_TO_DEVICE
               : place == PLACE_PINNED ? PIECES_TO_PINNED
                                       : PIECES_TO_OTHER);
    TRAWL_TRY(list_reserve(worker, error));
    TRAWL_TRY(cuda_tables_want(worker, error));
    return fill_by_lists(worker, chunk, &text, words, error);
}
