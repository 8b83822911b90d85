/* cuda_begins: writes the start offsets of a loaded text's occurrences ("begins") to an array
 *
 * If the array is in the memory of the device that has the text, kernels write straight into it.
 * Otherwise they write lists of begins, each of which the device copies to the array.
 */
#include "cuda/cuda_begins.h"

#include "base/checked.h"
#include "cuda/cuda_answer.h"
#include "cuda/cuda_lists.h"
#include "cuda/residents.h"
#include "engine.h"

/* Where an array is: HERE, in the memory of the worker's device. */
enum place { PLACE_HERE, PLACE_DEVICE, PLACE_PINNED, PLACE_UNKNOWN };

static enum place place_of(const struct engine_worker *worker, const struct engine_words *words)
{
    const struct cuda_driver *driver = worker->device->driver;
    uint64_t address = (uint64_t)(uintptr_t)words->to, begin = 0;
    uint64_t end = saturating_add(address, saturating_multiply(words->room, sizeof(uint64_t)));
    unsigned type = 0;
    size_t bytes = 0;
    int ordinal = -1;

    if (driver->pointer_attribute(&type, CUDA_POINTER_MEMORY_TYPE, address) != CUDA_CODE_OK)
        return PLACE_UNKNOWN;
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
               : PLACE_UNKNOWN;
}

/* Makes room for a list of limits.begins_room begins, or for fewer if the device lacks memory. */
static enum trawl_status list_reserve(struct engine_worker *worker, struct trawl_error *error)
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
static enum trawl_status list_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
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

/* Copies the first `count` words of the list to the array, behind those that it has. */
static enum trawl_status copy_list(struct engine_worker *worker, const struct engine_words *words,
                                   enum place place, uint64_t count, struct trawl_error *error)
{
    uint64_t *to = words->to + words->count, from = worker->list.address;
    size_t bytes = (size_t)(count * sizeof(uint64_t));

    if (place == PLACE_DEVICE)
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_on_device, (uint64_t)(uintptr_t)to, from,
                            bytes, worker->stream));
    else
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, to, from, bytes, worker->stream));
    return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
}

/* Lists the chunk's begins, each list as long as fits. */
static enum trawl_status fill(struct engine_worker *worker, const struct engine_chunk *chunk,
                              const struct cuda_place *text, enum place place,
                              struct engine_words *words, struct trawl_error *error)
{
    uint64_t most = worker->list.bytes / sizeof(uint64_t), reach = chunk->owned, next;

    for (uint64_t from = 0; from < chunk->owned; from = next) {
        uint64_t left = words->room - min_u64(words->room, words->count), put;
        struct cuda_hits_room room = {.address = worker->list.address,
                                      .count = min_u64(left, most),
                                      .base = words->base + from};
        struct engine_result found = {.count = 0};

        if (engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        if (place == PLACE_HERE) {
            room.address = (uint64_t)(uintptr_t)(words->to + (words->room - left));
            room.count = left;
        }
        TRAWL_TRY(list_begins(worker, chunk, text, from, from + min_u64(reach, chunk->owned - from),
                              &room, &found, &next, error));
        put = min_u64(found.count, room.count);
        if (found.count > put && put < left) { /* the list is too short */
            if (next - from == 1)
                return TRAWL_FAIL(error, UNSUPPORTED, "too many occurrences begin at one place");
            reach = max_u64((next - from) / (found.count / put + 1), 1);
            next = from;
            continue;
        }
        if (place != PLACE_HERE && put > 0)
            TRAWL_TRY(copy_list(worker, words, place, put, error));
        reach = saturating_multiply(reach, 2);
        words->count += found.count;
        words->candidate_count += found.candidate_count;
    }
    return TRAWL_OK;
}

enum trawl_status cuda_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error)
{
    const enum place place = place_of(worker, words);
    struct cuda_place text;

    worker->may_leave = worker->leaves = false;
    if (place == PLACE_UNKNOWN)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot write to the array", worker->device->name);
    if (plan_needs_refining(worker->plan) && !cuda_answer_checks(worker->plan))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "a device alone cannot verify this plan's occurrences");
    if (!cuda_worker_resident(worker, chunk->bytes, chunk->owned + chunk->after,
                              worker->plan->need_after, &text))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not loaded on %s", worker->device->name);
    if (worker->plan->literal_count == 0)
        return TRAWL_OK;
    if (place != PLACE_HERE)
        TRAWL_TRY(list_reserve(worker, error));
    worker->searched = chunk->bytes;
    worker->searched_bytes = chunk->owned;
    TRAWL_TRY(cuda_tables_want(worker, error));
    TRAWL_TRY(fill(worker, chunk, &text, place, words, error));
    return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
}
