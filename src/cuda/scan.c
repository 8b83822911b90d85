/* scan: one range of begins: geometry, launch, and what comes back. */
#include <string.h>

#include "base/checked.h"
#include "cuda/lane.h"

#define TILES_PER_BLOCK_MIN 2u
#define STREAM_WAVES 4u
#define STREAM_ROW_WORDS 16u /* of bitmap, for a row of 512 bytes */
#define STREAM_ALIGNMENT                                                     \
    128ull /* a cache line: a warp's loads then touch no more than they need \
            */

/* One launch: what to run and how its segments lie. */
struct launch {
    enum cuda_kernel kernel;
    struct scan_arguments arguments;
    uint32_t blocks;
    uint32_t threads; /* per block */
    uint64_t segment_count;
};

/* Smaller tiles where the range is too short to give every block its share. */
static void choose_tiles(const struct engine_lane *lane, uint64_t places, uint32_t blocks,
                         struct scan_arguments *a)
{
    uint32_t words =
        lane->limits.tile_words_max - lane->limits.tile_words_max % lane->limits.threads;

    while (words / 2 >= lane->limits.threads && words / 2 % lane->limits.threads == 0 &&
           places / (32ull * words) < TILES_PER_BLOCK_MIN * (uint64_t)blocks)
        words /= 2;
    a->tile_words = words;
    a->tile_count = (uint32_t)((places + 32ull * words - 1) / (32ull * words));
}

static void choose_groups(const struct engine_lane *lane, uint32_t blocks, struct scan_arguments *a)
{
    uint64_t samples, group_begins;

    a->sample_begin = (a->begin + a->stride - 1) / a->stride;
    a->sample_end = (a->limit - 1 + a->stride - 1) / a->stride + 1;
    samples = a->sample_end - a->sample_begin;
    a->group_samples = (uint32_t)min_u64(
        lane->limits.group_samples_max,
        max_u64(lane->limits.threads, samples / (TILES_PER_BLOCK_MIN * (uint64_t)blocks)));
    a->tile_words =
        lane->limits.tile_words_max - lane->limits.tile_words_max % lane->limits.threads;
    a->tile_count = (uint32_t)((samples + a->group_samples - 1) / a->group_samples);
    group_begins = (uint64_t)a->group_samples * a->stride;
    a->group_segments = (uint32_t)((group_begins + 15) / (32ull * a->tile_words) + 1);
}

static bool is_stream(enum cuda_kernel kernel)
{
    return kernel >= CUDA_KERNEL_STREAM_EVERY_4;
}

/* Units are small, so that what all warps read at a time lies together; for a pattern that does not
 * fit into one they are tiles as large as they may be, since duels cost a pattern's length per
 * tile.
 */
static void choose_units(const struct engine_lane *lane, struct scan_arguments *a)
{
    const struct cuda_limits *limits = &lane->limits;
    uint32_t step_words = limits->stream_rows * STREAM_ROW_WORDS, words = limits->stream_unit_words;

    if (a->pattern_bytes > words * 32)
        words = limits->tile_words_max;
    a->tile_words = (uint32_t)max_u64(words - words % step_words, step_words);
    a->position = (a->begin + a->shift) & ~(STREAM_ALIGNMENT - 1);
    a->tile_count = (uint32_t)((a->limit + a->shift - a->position + 32ull * a->tile_words - 1) /
                               (32ull * a->tile_words));
}

/* Streams get several times the blocks that are resident: a block that comes late finds a
 * multiprocessor that is early. */
static uint32_t blocks_for(const struct engine_lane *lane, enum cuda_kernel kernel)
{
    uint32_t resident = lane->device->resident[kernel];

    if (lane->limits.blocks_max != 0)
        return lane->limits.blocks_max;
    if (lane->limits.multiprocessor_blocks == 0)
        return is_stream(kernel) ? STREAM_WAVES * resident : resident;
    return lane->limits.multiprocessor_blocks * lane->device->multiprocessors;
}

static void launch_prepare(const struct engine_lane *lane, const struct cuda_range *range,
                           uint64_t limit, enum scan_want want, struct launch *launch)
{
    enum cuda_kernel kernel = want == SCAN_COUNT ? lane->tables.count_kernel : lane->tables.kernel;
    struct scan_arguments *a = &launch->arguments;
    uint32_t blocks = blocks_for(lane, kernel);

    launch->kernel = kernel;
    launch->threads = lane->limits.threads;
    *a = lane->tables.arguments;
    a->text = (const uint8_t *)(uintptr_t)range->address;
    a->begin = range->begin;
    a->limit = limit;
    a->text_end = range->text_end;
    a->want = (uint32_t)want;
    a->position = (a->begin + a->shift) & ~15ull;
    if (kernel == CUDA_KERNEL_SAMPLED) {
        choose_groups(lane, blocks, a);
        launch->segment_count = (uint64_t)a->tile_count * a->group_segments;
    } else if (is_stream(kernel)) {
        choose_units(lane, a);
        launch->segment_count = 0;
    } else {
        choose_tiles(lane, a->limit + a->shift - a->position, blocks, a);
        launch->segment_count = a->tile_count;
    }
    launch->blocks =
        (uint32_t)min_u64(blocks, is_stream(kernel) ? (a->tile_count + launch->threads / 32 - 1) /
                                                          (launch->threads / 32)
                                                    : a->tile_count);
}

/* The lowest begin of tile or group `unit`. */
static uint64_t unit_begin(const struct engine_lane *lane, const struct scan_arguments *a,
                           uint64_t unit)
{
    if (unit == 0)
        return a->begin;
    if (lane->tables.kernel == CUDA_KERNEL_SAMPLED)
        return (a->sample_begin + unit * a->group_samples - 1) * a->stride + 1;
    return a->position + unit * a->tile_words * 32ull - a->shift;
}

static enum trawl_status reserve(struct engine_lane *lane, const struct launch *launch,
                                 enum scan_want want, struct trawl_error *error)
{
    uint64_t bytes = sizeof(struct scan_result);

    if (want == SCAN_HITS) {
        uint64_t room = max_u64(lane->hits_room, lane->limits.hits_room_min);

        bytes += launch->segment_count * sizeof(struct scan_segment);
        TRAWL_TRY(
            cuda_memory_reserve(lane->device, &lane->offsets, room * sizeof(uint32_t), error));
        if (lane->tables.kernel == CUDA_KERNEL_SET)
            TRAWL_TRY(
                cuda_memory_reserve(lane->device, &lane->literals, room * sizeof(uint32_t), error));
        lane->hits_room = room;
    }
    /* Tiles that a stream gives up: only patterns of more than a lane's bytes flood. */
    if (is_stream(launch->kernel))
        TRAWL_TRY(cuda_memory_reserve(lane->device, &lane->offsets,
                                      launch->arguments.tile_count * sizeof(uint32_t), error));
    bytes = cuda_lane_room(lane, bytes);
    TRAWL_TRY(cuda_memory_reserve(lane->device, &lane->result, bytes, error));
    return cuda_pinned_reserve(lane->device, &lane->landing, bytes, error);
}

/* Run the kernel and wait for it; the result's first `bytes` are then in the landing buffer. */
static enum trawl_status launch_kernel(struct engine_lane *lane, struct launch *launch,
                                       uint64_t bytes, struct trawl_error *error)
{
    const struct cuda_device *device = lane->device;
    void *parameters[] = {&launch->arguments};
    float milliseconds = 0;

    if (lane->limits.kernels_timed)
        TRAWL_TRY(CUDA_CALL(device, error, event_record, lane->timed[0], lane->stream));
    TRAWL_TRY(CUDA_CALL(device, error, launch, device->functions[launch->kernel], launch->blocks, 1,
                        1, launch->threads, 1, 1, 0, lane->stream, parameters, NULL));
    if (lane->limits.kernels_timed)
        TRAWL_TRY(CUDA_CALL(device, error, event_record, lane->timed[1], lane->stream));
    TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, lane->landing.bytes, lane->result.address,
                        (size_t)bytes, lane->stream));
    TRAWL_TRY(CUDA_CALL(device, error, stream_wait, lane->stream));
    if (!lane->limits.kernels_timed)
        return TRAWL_OK;
    TRAWL_TRY(
        CUDA_CALL(device, error, event_elapsed, &milliseconds, lane->timed[0], lane->timed[1]));
    lane->kernel_ns += (uint64_t)((double)milliseconds * 1e6);
    return TRAWL_OK;
}

static const struct scan_result *landed_result(const struct engine_lane *lane)
{
    return (const struct scan_result *)(const void *)lane->landing.bytes;
}

/* The tiles that a stream gave up, by the method's tile kernel, which adds to the same result. */
static enum trawl_status launch_listed(struct engine_lane *lane, struct launch *launch,
                                       struct trawl_error *error)
{
    struct scan_arguments *a = &launch->arguments;
    uint64_t listed = landed_result(lane)->listed;

    if (!is_stream(launch->kernel) || listed == 0)
        return TRAWL_OK;
    TRAWL_ASSERT(listed <= a->tile_count);
    launch->kernel = lane->tables.kernel;
    launch->blocks = (uint32_t)min_u64(blocks_for(lane, launch->kernel), listed);
    if (a->tile_words % launch->threads != 0)
        launch->threads = 32;
    a->tile_count = (uint32_t)listed;
    TRAWL_TRY(CUDA_CALL(lane->device, error, fill,
                        lane->result.address + offsetof(struct scan_result, ticket), 0,
                        sizeof(uint64_t), lane->stream));
    return launch_kernel(lane, launch, sizeof(struct scan_result), error);
}

/* Run the kernel and wait for it; result and segments are then in the landing buffer. */
static enum trawl_status launch_run(struct engine_lane *lane, struct launch *launch,
                                    struct trawl_error *error)
{
    const struct cuda_device *device = lane->device;
    struct scan_arguments *a = &launch->arguments;
    uint64_t bytes = sizeof(struct scan_result);

    TRAWL_TRY(reserve(lane, launch, (enum scan_want)a->want, error));
    if (a->want == SCAN_HITS)
        bytes += launch->segment_count * sizeof(struct scan_segment);
    a->result = (struct scan_result *)(uintptr_t)lane->result.address;
    a->segments =
        (struct scan_segment *)(uintptr_t)(lane->result.address + sizeof(struct scan_result));
    a->offsets = (uint32_t *)(uintptr_t)lane->offsets.address;
    a->literals = (uint32_t *)(uintptr_t)lane->literals.address;
    a->capacity = lane->hits_room;
    a->tile_list = is_stream(launch->kernel) ? a->offsets : NULL;
    TRAWL_TRY(CUDA_CALL(device, error, fill, lane->result.address, 0, (size_t)bytes, lane->stream));
    TRAWL_TRY(CUDA_CALL(device, error, fill,
                        lane->result.address + offsetof(struct scan_result, first), 0xff,
                        sizeof(uint64_t), lane->stream));
    TRAWL_TRY(launch_kernel(lane, launch, bytes, error));
    return launch_listed(lane, launch, error);
}

/* More hits than room, or than a scan may hold: how far can the next launch go, and what room does
 * it need? The true counts of all tiles are there. */
static void choose_cut(struct engine_lane *lane, const struct launch *launch, uint64_t *limit)
{
    const struct scan_arguments *a = &launch->arguments;
    const struct scan_segment *segments =
        (const struct scan_segment *)(const void *)(landed_result(lane) + 1);
    uint64_t per_unit = launch->segment_count / a->tile_count, held = 0;

    for (uint64_t unit = 0; unit < a->tile_count; unit++) {
        uint64_t own = 0;

        for (uint64_t s = unit * per_unit; s < (unit + 1) * per_unit; s++)
            own += segments[s].count;
        if (held > 0 && held + own > lane->limits.hits_max) {
            *limit = unit_begin(lane, a, unit);
            break;
        }
        held += own;
    }
    lane->hits_room = max_u64(lane->hits_room, held);
}

/* Bring the hits over and append them, segment by segment. */
static enum trawl_status gather(struct engine_lane *lane, const struct launch *launch,
                                uint64_t hits_base, struct engine_result *result,
                                struct trawl_error *error)
{
    const struct cuda_device *device = lane->device;
    uint64_t total = landed_result(lane)->cursor, bytes = total * sizeof(uint32_t);
    uint64_t head =
        sizeof(struct scan_result) + launch->segment_count * sizeof(struct scan_segment);
    bool is_set = lane->tables.kernel == CUDA_KERNEL_SET;
    const struct scan_segment *segments;
    const uint32_t *offsets, *literals;

    if (total == 0)
        return TRAWL_OK;
    TRAWL_ASSERT(total <= lane->hits_room);
    TRAWL_TRY(hits_reserve(&result->hits, total, error));
    /* Growing forgets what landed: bring all of it again. */
    TRAWL_TRY(cuda_pinned_reserve(device, &lane->landing,
                                  cuda_lane_room(lane, head + (is_set ? 2 : 1) * bytes), error));
    TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, lane->landing.bytes, lane->result.address,
                        (size_t)head, lane->stream));
    TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, lane->landing.bytes + head,
                        lane->offsets.address, (size_t)bytes, lane->stream));
    if (is_set)
        TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, lane->landing.bytes + head + bytes,
                            lane->literals.address, (size_t)bytes, lane->stream));
    TRAWL_TRY(CUDA_CALL(device, error, stream_wait, lane->stream));
    segments = (const struct scan_segment *)(const void *)(landed_result(lane) + 1);
    offsets = (const uint32_t *)(const void *)(lane->landing.bytes + head);
    literals = offsets + total;
    for (uint64_t s = 0; s < launch->segment_count; s++) {
        for (uint64_t i = segments[s].slot; i < segments[s].slot + segments[s].count; i++) {
            struct hit *hit = &result->hits.items[result->hits.count++];

            hit->offset = (uint32_t)(hits_base + offsets[i]);
            hit->literal = is_set ? literals[i] : 0;
        }
    }
    return TRAWL_OK;
}

/* As many begins at a time as will hold hits_max hits, by what was met before. */
static enum trawl_status scan_hits(struct engine_lane *lane, const struct cuda_range *range,
                                   uint64_t limit, uint64_t hits_base, struct engine_result *result,
                                   uint64_t *stopped, struct trawl_error *error)
{
    uint64_t asked = limit;
    struct launch launch;

    limit = min_u64(limit, saturating_add(range->begin, lane->window_bytes));
    for (;;) {
        uint64_t cursor;

        launch_prepare(lane, range, limit, SCAN_HITS, &launch);
        TRAWL_TRY(launch_run(lane, &launch, error));
        cursor = landed_result(lane)->cursor;
        result->candidate_count += landed_result(lane)->candidates;
        if (cursor <= lane->hits_room)
            break;
        choose_cut(lane, &launch, &limit);
    }
    if (limit < asked && landed_result(lane)->cursor >= lane->limits.hits_max / 4)
        lane->window_bytes = limit - range->begin;
    else if (limit < asked)
        lane->window_bytes = saturating_add(lane->window_bytes, limit - range->begin);
    result->count += landed_result(lane)->cursor;
    *stopped = limit;
    return gather(lane, &launch, hits_base, result, error);
}

static enum trawl_status scan_first(struct engine_lane *lane, uint64_t hits_base,
                                    struct engine_result *result, struct trawl_error *error)
{
    uint64_t first = landed_result(lane)->first;

    if (first == UINT64_MAX)
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve(&result->hits, 1, error));
    result->hits.items[result->hits.count].offset = (uint32_t)(hits_base + (first >> 32));
    result->hits.items[result->hits.count++].literal = (uint32_t)first;
    result->count++;
    return TRAWL_OK;
}

enum trawl_status cuda_scan_range(struct engine_lane *lane, const struct cuda_range *range,
                                  enum scan_want want, uint64_t hits_base,
                                  struct engine_result *result, uint64_t *done,
                                  struct trawl_error *error)
{
    uint64_t least = lane->plan->length_min, limit, stopped;
    struct launch launch;

    *done = range->end;
    if (range->text_end < least || range->text_end - least + 1 <= range->begin)
        return TRAWL_OK;
    limit = min_u64(range->end, range->text_end - least + 1);
    if (want == SCAN_HITS) {
        TRAWL_TRY(scan_hits(lane, range, limit, hits_base, result, &stopped, error));
        if (stopped < limit)
            *done = stopped;
        return TRAWL_OK;
    }
    launch_prepare(lane, range, limit, want, &launch);
    TRAWL_TRY(launch_run(lane, &launch, error));
    result->candidate_count += landed_result(lane)->candidates;
    if (want == SCAN_FIRST)
        return scan_first(lane, hits_base, result, error);
    result->count += landed_result(lane)->count;
    return TRAWL_OK;
}
