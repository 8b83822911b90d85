/* cuda_begins: writes the start offsets of a loaded text's occurrences ("begins") to an array
 *
 * If the array is in the memory of the device that has the text, kernels write straight into it.
 * Otherwise they write a list, which is copied to the array; if a device cannot write there,
 * through a pinned buffer with two halves, from which threads copy (one alone: 0.9 billion begins
 * per second [H200]).
 */
#include "cuda/cuda_answer.h"

#include <string.h>

#include "base/checked.h"
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

/* Makes room for a list of limits.begins_room begins, or for fewer if the device lacks
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

/* Lists the occurrences that begin at the chunk's starts [from, to), as far as they are searched in
 * the same memory, and sets *next to the start after these. */
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
        TRAWL_TRY(cuda_list_turn(worker, &range, limit, from, room, found, &range.end, error));
    *next = from + (range.end - range.begin);
    return TRAWL_OK;
}

/* Copies `count` words of the worker's list to an array that a device cannot write. While the
 * device copies one piece to the landing buffer, threads copy the piece before it from there. */
static enum trawl_status copy_by_landing(struct cuda_worker *worker, struct engine_words *words,
                                         uint64_t *to, uint64_t count, struct trawl_error *error)
{
    const uint64_t each = worker->limits.piece_words;
    uint64_t *landing, copied = 0, begun = 0;

    TRAWL_TRY(
        cuda_pinned_reserve(worker->device, &worker->landing, 2 * each * sizeof *to, 0, error));
    landing = (uint64_t *)(void *)worker->landing.bytes;
    for (uint32_t turn = 0; copied < count; turn ^= 1) {
        const uint64_t piece = min_u64(each, count - begun), last = begun - copied;

        if (piece > 0) {
            TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, landing + turn * each,
                                worker->list.address + begun * sizeof *to,
                                (size_t)(piece * sizeof *to), worker->stream));
            TRAWL_TRY(CUDA_CALL(worker->device, error, event_record, worker->staged[turn],
                                worker->stream));
            begun += piece;
        }
        if (last == 0)
            continue;
        TRAWL_TRY(CUDA_CALL(worker->device, error, event_wait, worker->staged[turn ^ 1]));
        words->copy(words, to + copied, landing + (turn ^ 1) * each, last);
        copied += last;
    }
    return TRAWL_OK;
}

/* Copies `count` words of the worker's list to the array. The next list may overwrite them: its
 * kernels wait in the same stream. */
static enum trawl_status copy_list(struct cuda_worker *worker, enum place place,
                                   struct engine_words *words, uint64_t *to, uint64_t count,
                                   struct trawl_error *error)
{
    const size_t bytes = (size_t)(count * sizeof *to);

    if (count == 0)
        return TRAWL_OK;
    if (place == PLACE_OTHER)
        return copy_by_landing(worker, words, to, count, error);
    if (place == PLACE_PINNED)
        return CUDA_CALL(worker->device, error, copy_to_host, to, worker->list.address, bytes,
                         worker->stream);
    return CUDA_CALL(worker->device, error, copy_on_device, (uint64_t)(uintptr_t)to,
                     worker->list.address, bytes, worker->stream);
}

/* Returns how many of the `left` starts the next list of `room` words should cover. */
static uint64_t choose_reach(const struct cuda_worker *worker, double share, uint64_t left,
                             uint64_t room)
{
    if (room == UINT64_MAX)
        return left;
    if (share < 0) /* a plan's first list, for which nobody knows how much room it needs */
        return min_u64(left, FIRST_TRIALS * worker->limits.tried_bytes);
    return share * (double)left <= 0.75 * (double)room
               ? left
               : max_u64((uint64_t)(0.75 * (double)room / share), 1);
}

/* Lists the chunk's begins in the array, or in the worker's list, which is then copied there. */
static enum trawl_status fill(struct cuda_worker *worker, const struct engine_chunk *chunk,
                              const struct cuda_place *text, enum place place,
                              struct engine_words *words, struct trawl_error *error)
{
    const uint64_t all = place == PLACE_HERE ? UINT64_MAX : worker->list.bytes / sizeof *words->to;
    uint64_t next, reach_max = UINT64_MAX;
    double share = worker->tables->list_share;

    for (uint64_t from = 0; from < chunk->owned; from = next) {
        uint64_t put = min_u64(words->room, words->count), left = chunk->owned - from;
        struct cuda_hits_room room = {.address = place == PLACE_HERE
                                                     ? (uint64_t)(uintptr_t)(words->to + put)
                                                     : worker->list.address,
                                      .count = min_u64(words->room - put, all),
                                      .base = words->base + from};
        uint64_t reach = min_u64(choose_reach(worker, share, left, all), reach_max);
        struct engine_result found = {.count = 0};

        if (engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        TRAWL_TRY(list_begins(worker, chunk, text, from, from + min_u64(reach, left), &room, &found,
                              &next, error));
        share = (double)found.count / (double)(next - from);
        if (found.count > all && room.count == all) { /* the list is too short */
            if (next - from == 1)
                return TRAWL_FAIL(error, UNSUPPORTED, "too many occurrences begin at one place");
            reach_max = (next - from) / 2;
            next = from;
            continue;
        }
        reach_max = saturating_multiply(reach_max, 2);
        if (place != PLACE_HERE)
            TRAWL_TRY(copy_list(worker, place, words, words->to + put,
                                min_u64(found.count, room.count), error));
        words->count += found.count;
        words->candidate_count += found.candidate_count;
    }
    return TRAWL_OK;
}

enum trawl_status cuda_begins(struct cuda_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error)
{
    const enum place place = place_of(worker, words);
    enum trawl_status status;
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
    if (place != PLACE_HERE)
        TRAWL_TRY(list_reserve(worker, error));
    TRAWL_TRY(cuda_tables_want(worker, error));
    status = fill(worker, chunk, &text, place, words, error);
    if (status == TRAWL_OK || status == TRAWL_UNSUPPORTED) /* the caller may use the array now */
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    return status;
}
