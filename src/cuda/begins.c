/* begins: where the occurrences in a loaded text begin, as one array.
 *
 * The kernel writes them into device memory by itself, in one launch. Into host memory they come
 * part by part of the text, each copied while the next part is searched. Of a text that is split
 * over devices, the caller keeps each device's lists there until it knows where in the array they
 * belong.
 */
#include "base/checked.h"
#include "cuda/engine_cuda.h"
#include "cuda/lane.h"

#define WINDOW_BYTES_FIRST (1ull << 30) /* of text, before anything is known of it */
#define LISTS_ROOM 4u                   /* times begins_room, of the lists that are kept */

static enum trawl_status begins_start(struct engine_lane *lane, struct trawl_error *error)
{
    if (lane->copies == NULL)
        TRAWL_TRY(
            CUDA_CALL(lane->device, error, stream_create, &lane->copies, CUDA_STREAM_NON_BLOCKING));
    for (uint32_t i = 0; i < 2; i++)
        if (lane->copied[i] == NULL)
            TRAWL_TRY(CUDA_CALL(lane->device, error, event_create, &lane->copied[i],
                                CUDA_EVENT_NO_TIMING));
    return TRAWL_OK;
}

void cuda_begins_end(struct engine_lane *lane)
{
    const struct cuda_driver *driver = lane->device->driver;

    if (lane->copies != NULL)
        (void)driver->stream_wait(lane->copies);
    for (uint32_t i = 0; i < 2; i++) {
        if (lane->copied[i] != NULL)
            (void)driver->event_destroy(lane->copied[i]);
        lane->copied[i] = NULL;
        cuda_memory_release(lane->device, &lane->lists[i]);
    }
    if (lane->copies != NULL)
        (void)driver->stream_destroy(lane->copies);
    lane->copies = NULL;
}

/* Room for `wanted` begins, or where that is not to be had for fewer; *room: for how many. */
static enum trawl_status list_reserve(struct engine_lane *lane, uint32_t turn, uint64_t wanted,
                                      uint64_t *room, struct trawl_error *error)
{
    for (;; wanted /= 2) {
        enum trawl_status status =
            cuda_memory_reserve(lane->device, &lane->lists[turn], wanted * sizeof(uint64_t), error);

        *room = wanted;
        if (status != TRAWL_MEMORY || wanted / 2 < lane->limits.hits_room_min)
            return status;
    }
}

/* Text that is likely to hold half of what there is room for. */
static uint64_t next_window(uint64_t window, uint64_t found, uint64_t room)
{
    if (found == 0)
        return saturating_multiply(window, 2);
    return max_u64(saturating_multiply(window / (found + 1) + 1, room / 2 + 1), 1);
}

static enum trawl_status to_host(struct engine_lane *lane, struct cuda_range *range, uint64_t limit,
                                 struct engine_begins *begins, struct trawl_error *error)
{
    uint64_t window = WINDOW_BYTES_FIRST, wanted = lane->limits.begins_room, text = range->begin;
    uint32_t turn = 0;

    TRAWL_TRY(begins_start(lane, error));
    while (range->begin < limit) {
        uint64_t left = begins->room - min_u64(begins->room, begins->count), found;
        uint64_t end = left == 0 ? limit : min_u64(limit, saturating_add(range->begin, window));
        struct cuda_hits_room room = {0, 0, range->begin - text, 0, 0};

        TRAWL_TRY(CUDA_CALL(lane->device, error, event_wait, lane->copied[turn]));
        if (left > 0)
            TRAWL_TRY(list_reserve(lane, turn, wanted, &room.count, error));
        room.address = lane->lists[turn].address;
        TRAWL_TRY(cuda_list_hits(lane, range, end, &room, &found, &begins->candidate_count, error));
        if (found > room.count && left > 0) { /* once more, with less text or more room */
            if (end - range->begin == 1)
                wanted = found;
            window = min_u64(next_window(end - range->begin, found, room.count),
                             (end - range->begin + 1) / 2);
            continue;
        }
        left = min_u64(left, found);
        TRAWL_TRY(CUDA_CALL(lane->device, error, stream_wait, lane->stream));
        if (left > 0)
            TRAWL_TRY(CUDA_CALL(lane->device, error, copy_to_host, begins->host + begins->count,
                                room.address, (size_t)(left * sizeof(uint64_t)), lane->copies));
        TRAWL_TRY(CUDA_CALL(lane->device, error, event_record, lane->copied[turn], lane->copies));
        begins->count += found;
        window = next_window(end - range->begin, found, room.count);
        range->begin = end;
        turn ^= 1;
    }
    return CUDA_CALL(lane->device, error, stream_wait, lane->copies);
}

enum trawl_status cuda_begins(struct engine_lane *lane, struct engine_begins *begins,
                              struct trawl_error *error)
{
    struct cuda_range range = {0, 0, 0, 0, false};
    uint64_t limit;

    begins->count = begins->candidate_count = 0;
    lane->may_leave = lane->leaves = false;
    if (cuda_needs_refining(lane->plan))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "a device alone cannot verify this plan's occurrences");
    if (!cuda_lane_resident(lane, begins->bytes, begins->bytes_count, &range.address, &range.begin))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is not loaded on %s", lane->device->name);
    range.end = range.text_end = range.begin + begins->bytes_count;
    if (lane->plan->literal_count == 0 ||
        (limit = cuda_range_limit(lane->plan, &range)) == range.begin)
        return TRAWL_OK;
    if (!lane->tables.ready)
        TRAWL_TRY(cuda_tables_build(lane, error));
    if (begins->host != NULL)
        return to_host(lane, &range, limit, begins, error);
    return cuda_list_hits(lane, &range, limit,
                          &(struct cuda_hits_room){begins->address, begins->room, 0, 0, 0},
                          &begins->count, &begins->candidate_count, error);
}

enum trawl_status cuda_list(struct engine_lane *lane, struct engine_list *list,
                            struct trawl_error *error)
{
    struct cuda_range range = {0, 0, 0, 0, false};
    struct cuda_hits_room room;
    uint64_t limit, words = 0;

    list->count = list->room = list->candidate_count = 0;
    lane->may_leave = lane->leaves = false;
    if (cuda_needs_refining(lane->plan) ||
        !cuda_lane_resident(lane, list->bytes, list->owned + list->after, &range.address,
                            &range.begin))
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot list this by itself", lane->device->name);
    TRAWL_TRY(begins_start(lane, error));
    if (list->at == 0)
        TRAWL_TRY(list_reserve(lane, 0, LISTS_ROOM * lane->limits.begins_room, &words, error));
    list->room = lane->lists[0].bytes / sizeof(uint64_t) - list->at;
    range.end = range.begin + list->owned;
    range.text_end = range.end + list->after;
    limit = cuda_range_limit(lane->plan, &range);
    if (lane->plan->literal_count == 0 || limit == range.begin)
        return TRAWL_OK;
    if (!lane->tables.ready)
        TRAWL_TRY(cuda_tables_build(lane, error));
    room = (struct cuda_hits_room){lane->lists[0].address + list->at * sizeof(uint64_t), list->room,
                                   list->base, 0, 0};
    return cuda_list_hits(lane, &range, limit, &room, &list->count, &list->candidate_count, error);
}

enum trawl_status cuda_list_copy(struct engine_lane *lane, uint64_t at, uint64_t count,
                                 uint64_t *host, struct trawl_error *error)
{
    TRAWL_ASSERT(at + count <= lane->lists[0].bytes / sizeof(uint64_t));
    return CUDA_CALL(lane->device, error, copy_to_host, host,
                     lane->lists[0].address + at * sizeof(uint64_t),
                     (size_t)(count * sizeof(uint64_t)), lane->copies);
}
