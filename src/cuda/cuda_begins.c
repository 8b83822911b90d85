/* cuda_begins: writes the start offsets of a loaded text's occurrences ("begins") to an array
 *
 * If the array is on the device that has the whole text, kernels write straight into the array.
 * Otherwise, they write lists of begins, which stay on the devices until the caller knows where in
 * the array each list belongs. The devices then copy them: straight to an array in device memory or
 * pinned memory; else in pieces to the worker's pinned memory, from which several threads copy them
 * to the array.
 */
#include "cuda/cuda_begins.h"

#include "base/checked.h"
#include "cuda/cuda_answer.h"
#include "cuda/residents.h"
#include "cuda/cuda_scan.h"

/* A list on a device has room for LISTS_ROOM × limits.begins_room begins or, after a list that
 * filled more than half of that, for LISTS_ROOM_MORE × limits.begins_room. */
#define LISTS_ROOM 4u
#define LISTS_ROOM_MORE 16u

/* Makes room for `wanted` begins, or for fewer if the device lacks memory. */
static enum trawl_status list_reserve(struct engine_worker *worker, uint64_t wanted,
                                      struct trawl_error *error)
{
    TRAWL_ASSERT(wanted > 0);
    for (;; wanted /= 2) {
        enum trawl_status status =
            cuda_memory_reserve(worker->device, &worker->list, wanted * sizeof(uint64_t), error);

        if (status != TRAWL_MEMORY || wanted / 2 < worker->limits.hits_room_min)
            return status;
    }
}

/* Returns true if the worker's device can copy directly to the array at `bytes`, because it is in
 * device memory (worker->to_device) or in pinned host memory. */
static bool is_direct(struct engine_worker *worker, const void *bytes, uint64_t count)
{
    const struct cuda_driver *driver = worker->device->driver;
    uint64_t address = (uint64_t)(uintptr_t)bytes, begin = 0;
    size_t pinned = 0;
    unsigned type = 0;

    worker->to_device = false;
    if (driver->pointer_attribute(&type, CUDA_POINTER_MEMORY_TYPE, address) != CUDA_CODE_OK)
        return false;
    worker->to_device = type == CUDA_MEMORY_OF_DEVICE;
    if (worker->to_device)
        return true;
    return type == CUDA_MEMORY_OF_HOST &&
           driver->pointer_attribute(&begin, CUDA_POINTER_RANGE_BEGIN, address) == CUDA_CODE_OK &&
           driver->pointer_attribute(&pinned, CUDA_POINTER_RANGE_BYTES, address) == CUDA_CODE_OK &&
           begin <= address && saturating_add(address, count) <= saturating_add(begin, pinned);
}

/* Sets *room to the unused end of the worker's list, after the words (begins) that are in it. Grows
 * an empty list first, if necessary. */
static enum trawl_status list_begin(struct engine_worker *worker, struct engine_words *words,
                                    struct cuda_hits_room *room, struct trawl_error *error)
{
    uint64_t had = worker->list.bytes / sizeof(uint64_t), wanted;

    if (worker->copies == NULL)
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_create, &worker->copies,
                            CUDA_STREAM_NON_BLOCKING));
    if (words->host != NULL)
        words->direct =
            is_direct(worker, words->host, saturating_multiply(words->host_room, sizeof(uint64_t)));
    if (words->at == 0) {
        wanted = worker->limits.begins_room *
                 (worker->list_end > had / 2 ? LISTS_ROOM_MORE : LISTS_ROOM);
        TRAWL_TRY(list_reserve(worker, max_u64(wanted, had), error));
    }
    TRAWL_ASSERT(words->at <= worker->list.bytes / sizeof(uint64_t));
    words->room = worker->list.bytes / sizeof(uint64_t) - words->at;
    room->address = worker->list.address + words->at * sizeof(uint64_t);
    room->count = words->room;
    return TRAWL_OK;
}

/* Chooses how many words are copied at a time (a piece), unless that was chosen for an earlier
 * list. Waits until the list has been written, because another stream, `copies`, will copy it. */
static enum trawl_status list_end(struct engine_worker *worker, struct engine_words *words,
                                  struct trawl_error *error)
{
    worker->list_end = words->at + words->count;
    if (words->piece == 0)
        words->piece = worker->piece_words =
            min_u64(max_u64(words->count / ENGINE_PIECES_MAX, worker->limits.begins_piece),
                    worker->limits.begins_piece_most);
    TRAWL_ASSERT(words->piece == worker->piece_words);
    return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
}

/* Lists the begins in [from, to) of the chunk, as far as they are searched in the same memory, and
 * moves *from past them. */
static enum trawl_status list_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
                                     const struct cuda_place *place, uint64_t *from,
                                     struct engine_words *words, struct cuda_hits_room *room,
                                     struct trawl_error *error)
{
    struct engine_result found = {.count = 0};
    struct cuda_range range;
    uint64_t limit, put;

    cuda_place_range(place, *from, chunk->owned, chunk->owned + chunk->after, &range);
    limit = cuda_range_limit(worker->plan, &range);
    if (limit > range.begin && plan_has_conditions(worker->plan))
        TRAWL_TRY(cuda_answer_begins(worker, chunk, &range, limit, *from, room, &found, &range.end,
                                     error));
    else if (limit > range.begin)
        TRAWL_TRY(cuda_list_hits(worker, &range, limit, room, &found.count, &found.candidate_count,
                                 error));
    put = min_u64(found.count, room->count);
    room->address += put * sizeof(uint64_t);
    room->count -= put;
    room->base += range.end - range.begin;
    words->count += found.count;
    words->candidate_count += found.candidate_count;
    *from += range.end - range.begin;
    return TRAWL_OK;
}

enum trawl_status cuda_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error)
{
    struct cuda_hits_room room = {
        .address = words->address, .count = words->room, .base = words->base};
    struct cuda_place place;

    words->count = words->candidate_count = 0;
    worker->may_leave = worker->leaves = false;
    if (plan_needs_refining(worker->plan) && !cuda_answer_checks(worker->plan))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "a device alone cannot verify this plan's occurrences");
    if (!cuda_worker_resident(worker, chunk->bytes, chunk->owned + chunk->after,
                              worker->plan->need_after, &place))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not loaded on %s", worker->device->name);
    if (words->address == 0)
        TRAWL_TRY(list_begin(worker, words, &room, error));
    if (worker->plan->literal_count == 0)
        return TRAWL_OK;
    worker->searched = chunk->bytes;
    worker->searched_bytes = chunk->owned;
    TRAWL_TRY(cuda_tables_want(worker, error));
    for (uint64_t from = 0; from < chunk->owned;)
        TRAWL_TRY(list_begins(worker, chunk, &place, &from, words, &room, error));
    return words->address == 0 && words->count > 0 ? list_end(worker, words, error) : TRAWL_OK;
}

static uint64_t *piece_words(const struct engine_worker *worker, uint32_t piece)
{
    TRAWL_ASSERT((piece + 1ull) * worker->piece_words * sizeof(uint64_t) <= worker->pieces.count);
    return (uint64_t *)(void *)worker->pieces.bytes + piece * worker->piece_words;
}

static enum trawl_status copy_begin(struct engine_worker *worker, const struct engine_copy *copy,
                                    struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    uint64_t *host = copy->host, from = worker->list.address + copy->at * sizeof(uint64_t);
    size_t bytes = (size_t)(copy->count * sizeof(uint64_t));

    TRAWL_ASSERT(host != NULL || copy->count <= worker->piece_words);
    TRAWL_ASSERT(copy->at + copy->count <= worker->list.bytes / sizeof(uint64_t));
    /* reserve memory for all pieces now: if it grew later, earlier pieces would be lost */
    if (host == NULL) {
        TRAWL_TRY(cuda_pinned_reserve(device, &worker->pieces,
                                      ENGINE_PIECES_MAX * worker->piece_words * sizeof(uint64_t),
                                      error));
        host = piece_words(worker, copy->slot);
    }
    if (worker->brought[copy->slot] == NULL)
        TRAWL_TRY(CUDA_CALL(device, error, event_create, &worker->brought[copy->slot],
                            CUDA_EVENT_NO_TIMING));
    if (copy->host != NULL && worker->to_device)
        TRAWL_TRY(CUDA_CALL(device, error, copy_on_device, (uint64_t)(uintptr_t)host, from, bytes,
                            worker->copies));
    else
        TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, host, from, bytes, worker->copies));
    return CUDA_CALL(device, error, event_record, worker->brought[copy->slot], worker->copies);
}

enum trawl_status cuda_bring(struct engine_worker *worker, struct engine_copy *copy, bool wait,
                             struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_ASSERT(copy->slot < ENGINE_PIECES_MAX);
    TRAWL_TRY(cuda_device_enter(worker->device, error));
    if (wait) {
        TRAWL_ASSERT(worker->brought[copy->slot] != NULL);
        copy->copied = worker->pieces.bytes == NULL ? NULL : piece_words(worker, copy->slot);
        status = CUDA_CALL(worker->device, error, event_wait, worker->brought[copy->slot]);
    } else {
        status = copy_begin(worker, copy, error);
    }
    if (status != TRAWL_OK && worker->copies != NULL)
        (void)worker->device->driver->stream_wait(worker->copies);
    cuda_device_leave(worker->device);
    return status;
}
