/* begins: where the occurrences in a loaded text begin, as one array.
 *
 * The kernel writes them into device memory by itself, in one launch. Into host memory they come
 * part by part of the text, each copied while the next part is searched. Of a text that is split
 * over devices, the caller keeps each device's lists there until it knows where in the array they
 * belong; then they come in pieces through pinned memory, from where several threads copy them.
 */
#include "cuda/begins.h"

#include "base/checked.h"
#include "cuda/residents.h"
#include "cuda/scan.h"

#define REACH_BYTES_FIRST (1ull << 30) /* of text, before anything is known of it */
#define LISTS_ROOM 4u                  /* times begins_room, of the lists that are kept, */
#define LISTS_ROOM_MORE 16u            /* or so many times, once that was not enough */
#define LINE_BYTES 64u

static enum trawl_status begins_start(struct engine_worker *worker, struct trawl_error *error)
{
    if (worker->copies == NULL)
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_create, &worker->copies,
                            CUDA_STREAM_NON_BLOCKING));
    for (uint32_t i = 0; i < 2; i++)
        if (worker->copied[i] == NULL)
            TRAWL_TRY(CUDA_CALL(worker->device, error, event_create, &worker->copied[i],
                                CUDA_EVENT_NO_TIMING));
    return TRAWL_OK;
}

void cuda_begins_end(struct engine_worker *worker)
{
    const struct cuda_driver *driver = worker->device->driver;

    if (worker->copies != NULL)
        (void)driver->stream_wait(worker->copies);
    for (uint32_t i = 0; i < 2; i++) {
        if (worker->copied[i] != NULL)
            (void)driver->event_destroy(worker->copied[i]);
        worker->copied[i] = NULL;
        cuda_memory_release(worker->device, &worker->lists[i]);
    }
    for (uint32_t i = 0; i < ENGINE_PIECES_MAX; i++) {
        if (worker->brought[i] != NULL)
            (void)driver->event_destroy(worker->brought[i]);
        worker->brought[i] = NULL;
    }
    cuda_pinned_release(worker->device, &worker->pieces);
    if (worker->copies != NULL)
        (void)driver->stream_destroy(worker->copies);
    worker->copies = NULL;
}

/* Room for `wanted` begins, or where that is not to be had for fewer; *room: for how many. */
static enum trawl_status list_reserve(struct engine_worker *worker, uint32_t turn, uint64_t wanted,
                                      uint64_t *room, struct trawl_error *error)
{
    TRAWL_ASSERT(wanted > 0);
    for (;; wanted /= 2) {
        enum trawl_status status = cuda_memory_reserve(worker->device, &worker->lists[turn],
                                                       wanted * sizeof(uint64_t), error);

        *room = wanted;
        if (status != TRAWL_MEMORY || wanted / 2 < worker->limits.hits_room_min)
            return status;
    }
}

/* Text that is likely to hold half of what there is room for. */
static uint64_t next_reach(uint64_t reach, uint64_t found, uint64_t room)
{
    if (found == 0)
        return saturating_multiply(reach, 2);
    return max_u64(saturating_multiply(reach / (found + 1) + 1, room / 2 + 1), 1);
}

/* To pageable memory the driver copies 1.25 times as fast where the copy begins a cache line (4 MB:
 * 334 us instead of 420 [H200]). */
static enum trawl_status copy_begins(const struct engine_worker *worker, uint64_t *host,
                                     uint64_t address, uint64_t count, struct trawl_error *error)
{
    uint64_t head = (LINE_BYTES - (uintptr_t)host % LINE_BYTES) % LINE_BYTES / sizeof *host;

    if (head > 0 && head < count && count >= worker->limits.begins_aligned) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, host, address,
                            (size_t)(head * sizeof *host), worker->copies));
        host += head;
        address += head * sizeof *host;
        count -= head;
    }
    return CUDA_CALL(worker->device, error, copy_to_host, host, address,
                     (size_t)(count * sizeof *host), worker->copies);
}

static enum trawl_status to_host(struct engine_worker *worker, struct cuda_range *range,
                                 uint64_t limit, struct engine_words *words,
                                 struct trawl_error *error)
{
    uint64_t reach = REACH_BYTES_FIRST, wanted = worker->limits.begins_room, text = range->begin;
    uint32_t turn = 0;

    TRAWL_TRY(begins_start(worker, error));
    while (range->begin < limit) {
        uint64_t left = words->room - min_u64(words->room, words->count), found;
        uint64_t end = left == 0 ? limit : min_u64(limit, saturating_add(range->begin, reach));
        struct cuda_hits_room room = {0, 0, range->begin - text, 0, 0};

        TRAWL_TRY(CUDA_CALL(worker->device, error, event_wait, worker->copied[turn]));
        if (left > 0)
            TRAWL_TRY(list_reserve(worker, turn, wanted, &room.count, error));
        room.address = worker->lists[turn].address;
        TRAWL_TRY(
            cuda_list_hits(worker, range, end, &room, &found, &words->candidate_count, error));
        if (found > room.count && left > 0) { /* once more, with less text or more room */
            if (end - range->begin == 1)
                wanted = found;
            reach = min_u64(next_reach(end - range->begin, found, room.count),
                            (end - range->begin + 1) / 2);
            continue;
        }
        TRAWL_ASSERT(left == 0 || found <= room.count);
        left = min_u64(left, found);
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
        if (left > 0)
            TRAWL_TRY(copy_begins(worker, words->host + words->count, room.address, left, error));
        TRAWL_TRY(
            CUDA_CALL(worker->device, error, event_record, worker->copied[turn], worker->copies));
        words->count += found;
        reach = next_reach(end - range->begin, found, room.count);
        range->begin = end;
        turn ^= 1;
    }
    return CUDA_CALL(worker->device, error, stream_wait, worker->copies);
}

/* To write to another device's memory would end this one's context. */
static enum trawl_status check_array(const struct engine_worker *worker, uint64_t address,
                                     struct trawl_error *error)
{
    int device = -1;

    if (worker->device->driver->pointer_attribute(&device, CUDA_POINTER_DEVICE, address) ==
            CUDA_CODE_OK &&
        device >= 0 && (uint32_t)device != worker->device_index)
        return TRAWL_FAIL(error, UNSUPPORTED, "the array lies on device %d, not on %s", device,
                          worker->device->name);
    return TRAWL_OK;
}

enum trawl_status cuda_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error)
{
    struct cuda_range range = {0, 0, 0, 0};
    uint64_t limit;

    words->count = words->candidate_count = 0;
    worker->may_leave = worker->leaves = false;
    if (plan_needs_refining(worker->plan))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "a device alone cannot verify this plan's occurrences");
    if (!cuda_worker_resident(worker, chunk->bytes, chunk->owned, &range.address, &range.begin))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not loaded on %s", worker->device->name);
    if (words->address != 0)
        TRAWL_TRY(check_array(worker, words->address, error));
    range.end = range.text_end = range.begin + chunk->owned;
    if (worker->plan->literal_count == 0 ||
        (limit = cuda_range_limit(worker->plan, &range)) == range.begin)
        return TRAWL_OK;
    worker->searched = chunk->bytes;
    worker->searched_bytes = chunk->owned;
    TRAWL_TRY(cuda_tables_want(worker, error));
    if (words->host != NULL)
        return to_host(worker, &range, limit, words, error);
    return cuda_list_hits(
        worker, &range, limit,
        &(struct cuda_hits_room){words->address, words->room, 0, words->literal, 0}, &words->count,
        &words->candidate_count, error);
}

/* Does the device copy to this memory of the host's by itself? */
static bool is_pinned(const struct engine_worker *worker, const void *bytes, uint64_t count)
{
    const struct cuda_driver *driver = worker->device->driver;
    uint64_t address = (uint64_t)(uintptr_t)bytes, begin = 0;
    size_t pinned = 0;
    unsigned type = 0;

    return driver->pointer_attribute(&type, CUDA_POINTER_MEMORY_TYPE, address) == CUDA_CODE_OK &&
           type == CUDA_MEMORY_OF_HOST &&
           driver->pointer_attribute(&begin, CUDA_POINTER_RANGE_BEGIN, address) == CUDA_CODE_OK &&
           driver->pointer_attribute(&pinned, CUDA_POINTER_RANGE_BYTES, address) == CUDA_CODE_OK &&
           begin <= address && saturating_add(address, count) <= saturating_add(begin, pinned);
}

enum trawl_status cuda_list(struct engine_worker *worker, const struct engine_chunk *chunk,
                            struct engine_words *words, struct trawl_error *error)
{
    struct cuda_range range = {0, 0, 0, 0};
    struct cuda_hits_room room;
    uint64_t limit, wanted, had;

    words->count = words->room = words->candidate_count = 0;
    worker->may_leave = worker->leaves = false;
    if (plan_needs_refining(worker->plan) ||
        !cuda_worker_resident(worker, chunk->bytes, chunk->owned + chunk->after, &range.address,
                              &range.begin))
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot list this by itself",
                          worker->device->name);
    TRAWL_TRY(begins_start(worker, error));
    if (words->host != NULL)
        words->direct =
            is_pinned(worker, words->host, saturating_multiply(words->host_room, sizeof(uint64_t)));
    if (words->at == 0) {
        had = worker->lists[0].bytes / sizeof(uint64_t);
        wanted = worker->limits.begins_room *
                 (worker->lists_end > had / 2 ? LISTS_ROOM_MORE : LISTS_ROOM);
        TRAWL_TRY(list_reserve(worker, 0, max_u64(wanted, had), &wanted, error));
    }
    TRAWL_ASSERT(words->at <= worker->lists[0].bytes / sizeof(uint64_t));
    words->room = worker->lists[0].bytes / sizeof(uint64_t) - words->at;
    range.end = range.begin + chunk->owned;
    range.text_end = range.end + chunk->after;
    limit = cuda_range_limit(worker->plan, &range);
    if (worker->plan->literal_count == 0 || limit == range.begin)
        return TRAWL_OK;
    worker->searched = chunk->bytes;
    worker->searched_bytes = chunk->owned;
    TRAWL_TRY(cuda_tables_want(worker, error));
    room = (struct cuda_hits_room){worker->lists[0].address + words->at * sizeof(uint64_t),
                                   words->room, words->base, words->literal, 0};
    TRAWL_TRY(cuda_list_hits(worker, &range, limit, &room, &words->count, &words->candidate_count,
                             error));
    worker->lists_end = words->at + words->count;
    if (words->piece == 0)
        words->piece = worker->piece_words =
            min_u64(max_u64(words->count / ENGINE_PIECES_MAX, worker->limits.begins_piece),
                    worker->limits.begins_piece_most);
    TRAWL_ASSERT(words->piece == worker->piece_words);
    return TRAWL_OK;
}

static uint64_t *piece_words(const struct engine_worker *worker, uint32_t piece)
{
    TRAWL_ASSERT((piece + 1ull) * worker->piece_words * sizeof(uint64_t) <= worker->pieces.count);
    return (uint64_t *)(void *)worker->pieces.bytes + piece * worker->piece_words;
}

enum trawl_status cuda_list_copy(struct engine_worker *worker, struct engine_words *words,
                                 struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    uint64_t *host = words->host;

    TRAWL_ASSERT(words->slot < ENGINE_PIECES_MAX);
    TRAWL_ASSERT(host != NULL || words->count <= worker->piece_words);
    TRAWL_ASSERT(words->at + words->count <= worker->lists[0].bytes / sizeof(uint64_t));
    if (host == NULL) { /* all of it with the first piece: later, others are in it */
        TRAWL_TRY(cuda_pinned_reserve(device, &worker->pieces,
                                      ENGINE_PIECES_MAX * worker->piece_words * sizeof(uint64_t),
                                      error));
        host = piece_words(worker, words->slot);
    }
    if (worker->brought[words->slot] == NULL)
        TRAWL_TRY(CUDA_CALL(device, error, event_create, &worker->brought[words->slot],
                            CUDA_EVENT_NO_TIMING));
    TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, host,
                        worker->lists[0].address + words->at * sizeof(uint64_t),
                        (size_t)(words->count * sizeof(uint64_t)), worker->copies));
    return CUDA_CALL(device, error, event_record, worker->brought[words->slot], worker->copies);
}

enum trawl_status cuda_list_copied(const struct engine_worker *worker, struct engine_words *words,
                                   struct trawl_error *error)
{
    TRAWL_ASSERT(words->slot < ENGINE_PIECES_MAX && worker->brought[words->slot] != NULL);
    words->copied = worker->pieces.bytes == NULL ? NULL : piece_words(worker, words->slot);
    return CUDA_CALL(worker->device, error, event_wait, worker->brought[words->slot]);
}
