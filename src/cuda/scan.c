/* scan: one range of begins: geometry, launch, and what comes back. */
#include <string.h>

#include "base/checked.h"
#include "cuda/lane.h"

#define TILES_PER_BLOCK_MIN 2u
#define FIRST_STEPS 2u
#define FLOOD_PARTS 16u /* one in so many units listed: the tile kernel takes all */
#define FLOOD_SCANS 15u /* and as many scans more */
#define FLOOD_STRIDE_MAX 512u
#define STREAM_ROW_WORDS 16u /* of bitmap, for a row of 512 bytes */
#define LOOK_NS 50000u       /* from then on the driver's wait is no part of the time that counts */
#define LOOKS_PER_TIME 64u
#define WARP_STEP_BYTES 256u
/* Groups of 128 samples that a ticket of a stream of samples stands for. One were more tickets than
 * a device hands out: 440 M/s [H200]. */
#define SAMPLED_STRIDE_FAR 256u
#define SAMPLED_STRIDE_PAIRS 128u
#define SAMPLED_TICKET_NEAR 16u
#define SAMPLED_TICKET_FAR 2u
#define STREAM_ALIGNMENT 128ull /* a cache line: a warp's loads touch no more than they need */

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

/* Groups of `samples` samples, and the tiles that one of them is where it floods. */
static void choose_group(const struct engine_lane *lane, uint64_t samples, struct scan_arguments *a)
{
    uint64_t begins = ((samples >> a->sample_pair) + 1) * a->stride + 15;
    uint32_t threads = lane->limits.threads;

    /* A tile that is settled by planes costs its size, however few of its begins are the group's.
     */
    a->group_samples = (uint32_t)samples;
    a->tile_words =
        (uint32_t)min_u64(lane->limits.tile_words_max / threads, begins / (32ull * threads) + 1) *
        threads;
    a->tile_count = (uint32_t)((a->sample_count + samples - 1) / samples);
    a->group_segments = (uint32_t)(begins / (32ull * a->tile_words) + 1);
}

/* The samples that stand for the begins. */
static void choose_samples(struct scan_arguments *a)
{
    uint64_t distance, sample;

    a->sample_base = a->begin - a->begin % a->stride;
    distance = a->limit - 1 - a->sample_base;
    a->sample_first = 0;
    while (a->sample_base + plan_sample_place(a->sample_first, a->stride, a->sample_pair) <
           a->begin)
        a->sample_first++;
    sample = distance / a->stride << a->sample_pair;
    while (plan_sample_place((uint32_t)sample, a->stride, a->sample_pair) < distance)
        sample++;
    TRAWL_ASSERT(sample < UINT32_MAX - 4 * SCAN_SAMPLE_STEP);
    a->sample_count = (uint32_t)sample + 1;
}

static void choose_groups(const struct engine_lane *lane, enum cuda_kernel kernel, uint32_t blocks,
                          struct scan_arguments *a)
{
    uint32_t warps = blocks * (lane->limits.threads / 32);

    choose_samples(a);
    if (kernel == CUDA_KERNEL_SAMPLED) {
        choose_group(lane,
                     min_u64(lane->limits.group_samples_max,
                             max_u64(lane->limits.threads,
                                     a->sample_count / (TILES_PER_BLOCK_MIN * (uint64_t)blocks))),
                     a);
        return;
    }
    choose_group(lane, SCAN_SAMPLE_STEP, a);
    a->listed_max = a->tile_count / FLOOD_PARTS + lane->limits.listed_min;
    a->ticket_groups = (uint32_t)max_u64(
        min_u64(a->stride < SAMPLED_STRIDE_FAR ? SAMPLED_TICKET_NEAR : SAMPLED_TICKET_FAR,
                a->tile_count / (TILES_PER_BLOCK_MIN * (uint64_t)warps)),
        1);
    /* As much as it takes if each sample of a full queue is an occurrence's. */
    if (a->verify_budget != 0)
        a->sample_budget =
            a->verify_budget + 2 * SCAN_SAMPLE_STEP * (a->pattern_bytes / WARP_STEP_BYTES + 8);
}

static bool is_stream(enum cuda_kernel kernel)
{
    return kernel == CUDA_KERNEL_STREAM || kernel == CUDA_KERNEL_FIRST_STREAM ||
           kernel == CUDA_KERNEL_STREAM_SAMPLED;
}

/* As many steps of all the block's warps as there may be, fewer where the range is short; for a
 * pattern that does not fit into a tile as many as there may be, since duels cost a pattern's
 * length per tile. */
static void choose_stream_tiles(const struct engine_lane *lane, uint32_t blocks,
                                struct scan_arguments *a)
{
    uint32_t step_words = lane->limits.threads / 32 * STREAM_ROWS * STREAM_ROW_WORDS;
    uint32_t steps = (uint32_t)max_u64(lane->limits.tile_words_max / step_words, 1);
    uint64_t places;

    if (a->want == SCAN_FIRST) /* blocks look ahead by tiles: what is behind the first is in vain */
        steps = (uint32_t)min_u64(steps, FIRST_STEPS);

    a->position = (a->begin + a->shift) & ~(STREAM_ALIGNMENT - 1);
    places = a->limit + a->shift - a->position;
    while (steps > 1 && a->pattern_bytes <= 32ull * step_words * steps &&
           places / (32ull * step_words * steps) < TILES_PER_BLOCK_MIN * (uint64_t)blocks)
        steps /= 2;
    a->tile_words = steps * step_words;
    a->tile_count = (uint32_t)((places + 32ull * a->tile_words - 1) / (32ull * a->tile_words));
    a->listed_max = a->tile_count / FLOOD_PARTS + lane->limits.listed_min;
}

static uint32_t blocks_for(const struct engine_lane *lane, enum cuda_kernel kernel)
{
    return lane->limits.blocks_max != 0 ? lane->limits.blocks_max : lane->device->resident[kernel];
}

/* How many samples are on their way: few enough to lie near each other in memory and to come soon,
 * as many as keep it busy. Of shapes from 64 to 512 threads to a multiprocessor these were the best
 * [H200]: 64 over the bus (2.9 x the copy's speed at stride 256, 512 threads 2.6), 256 of single
 * samples, 384 of pairs, 512 at the short strides where hashes take longer than memory. */
static void shape_samples(const struct engine_lane *lane, const struct cuda_range *range,
                          const struct scan_arguments *a, uint32_t *blocks, uint32_t *threads)
{
    uint32_t quarters = 4;

    if (range->in_place)
        quarters = 1;
    else if (a->sample_pair != 0 && a->stride >= SAMPLED_STRIDE_PAIRS)
        quarters = 3;
    *threads = (uint32_t)max_u64(*threads / 32 * quarters / 4 * 32, 32);
    if (lane->limits.blocks_max == 0 && (range->in_place || a->sample_pair == 0))
        *blocks = lane->device->multiprocessors;
}

void cuda_launch_prepare(const struct engine_lane *lane, const struct cuda_tables *tables,
                         const struct cuda_range *range, uint64_t limit, enum scan_want want,
                         struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    enum cuda_kernel kernel = tables->kernel;
    uint32_t blocks;

    /* A stream has at least one whole step. */
    if ((want == SCAN_COUNT ||
         (want == SCAN_FIRST && tables->count_kernel == CUDA_KERNEL_STREAM)) &&
        tables->floods_left == 0 &&
        limit - range->begin >= STREAM_ALIGNMENT + STREAM_ROWS * STREAM_ROW_WORDS * 32)
        kernel = want == SCAN_COUNT ? tables->count_kernel : CUDA_KERNEL_FIRST_STREAM;
    /* Where all floods, and there are samples almost everywhere, they are not looked at. */
    if (want == SCAN_COUNT && tables->floods_left > 0 && kernel == CUDA_KERNEL_SAMPLED &&
        tables->arguments.stride <= FLOOD_STRIDE_MAX)
        kernel = CUDA_KERNEL_EVERY;
    if (want != SCAN_COUNT && kernel == CUDA_KERNEL_SAMPLED &&
        tables->arguments.stride < lane->limits.sampled_hits_stride_min)
        kernel = CUDA_KERNEL_EVERY;
    blocks = blocks_for(lane, kernel);
    memset(&launch->found, 0, sizeof launch->found);
    launch->kernel = kernel;
    launch->threads = lane->limits.threads;
    *a = tables->arguments;
    a->text = (const uint8_t *)(uintptr_t)range->address;
    a->begin = range->begin;
    a->limit = limit;
    a->text_end = range->text_end;
    a->want = (uint32_t)want;
    a->flooded = want == SCAN_COUNT && tables->floods_left > 0;
    a->position = (a->begin + a->shift) & ~15ull;
    if (kernel == CUDA_KERNEL_STREAM_SAMPLED)
        shape_samples(lane, range, a, &blocks, &launch->threads);
    if (kernel == CUDA_KERNEL_SAMPLED || kernel == CUDA_KERNEL_STREAM_SAMPLED) {
        choose_groups(lane, kernel, blocks, a);
        launch->segment_count =
            want == SCAN_COUNT ? 0 : (uint64_t)a->tile_count * a->group_segments;
    } else if (is_stream(kernel)) {
        choose_stream_tiles(lane, blocks, a);
        launch->segment_count = 0;
    } else {
        choose_tiles(lane, a->limit + a->shift - a->position, blocks, a);
        launch->segment_count = a->tile_count;
    }
    launch->blocks = (uint32_t)min_u64(min_u64(blocks, SCAN_BLOCKS_MAX), a->tile_count);
}

/* The lowest begin of tile or group `unit`. */
static uint64_t unit_begin(const struct cuda_launch *launch, uint64_t unit)
{
    const struct scan_arguments *a = &launch->arguments;

    if (unit == 0)
        return a->begin;
    if (launch->kernel == CUDA_KERNEL_SAMPLED)
        return a->sample_base + 1 +
               plan_sample_place((uint32_t)unit * a->group_samples - 1, a->stride, a->sample_pair);
    return a->position + unit * a->tile_words * 32ull - a->shift;
}

enum trawl_status cuda_sums_reserve(struct engine_lane *lane, uint64_t count,
                                    struct trawl_error *error)
{
    uint64_t bytes = count * sizeof(struct scan_result);

    if (lane->sums_ready && bytes <= lane->sums.bytes)
        return TRAWL_OK;
    lane->sums_ready = false;
    TRAWL_TRY(cuda_memory_reserve(lane->device, &lane->sums, bytes, error));
    TRAWL_TRY(cuda_mapped_reserve(lane->device, &lane->answers, bytes, error));
    TRAWL_TRY(CUDA_CALL(lane->device, error, fill, lane->sums.address, 0, (size_t)lane->sums.bytes,
                        lane->stream));
    lane->sums_ready = true;
    return TRAWL_OK;
}

enum trawl_status cuda_list_reserve(struct engine_lane *lane, const struct cuda_launch *launch,
                                    struct trawl_error *error)
{
    /* Tiles that a stream gives up. */
    if (!is_stream(launch->kernel))
        return TRAWL_OK;
    return cuda_memory_reserve(lane->device, &lane->offsets,
                               launch->arguments.tile_count * sizeof(uint32_t), error);
}

static enum trawl_status reserve_hits(struct engine_lane *lane, const struct cuda_launch *launch,
                                      struct trawl_error *error)
{
    uint64_t room = max_u64(lane->hits_room, lane->limits.hits_room_min);
    uint64_t bytes = cuda_lane_room(lane, launch->segment_count * sizeof(struct scan_segment));

    TRAWL_TRY(cuda_memory_reserve(lane->device, &lane->offsets, room * sizeof(uint32_t), error));
    if (lane->tables.kernel == CUDA_KERNEL_SET)
        TRAWL_TRY(
            cuda_memory_reserve(lane->device, &lane->literals, room * sizeof(uint32_t), error));
    lane->hits_room = room;
    TRAWL_TRY(cuda_memory_reserve(lane->device, &lane->result, bytes, error));
    return cuda_pinned_reserve(lane->device, &lane->landing, bytes, error);
}

static struct scan_result *answer_of(const struct engine_lane *lane, uint32_t slot)
{
    return (struct scan_result *)(void *)lane->answers.bytes + slot;
}

enum trawl_status cuda_launch_submit(struct engine_lane *lane, struct cuda_launch *launch,
                                     uint32_t slot, struct trawl_error *error)
{
    const struct cuda_device *device = lane->device;
    struct scan_arguments *a = &launch->arguments;
    void *parameters[] = {a};

    a->result = (struct scan_result *)(uintptr_t)lane->sums.address + slot;
    a->answer = answer_of(lane, slot);
    a->launch = ++lane->launches;
    a->segments = (struct scan_segment *)(uintptr_t)lane->result.address;
    a->offsets = (uint32_t *)(uintptr_t)lane->offsets.address;
    a->literals = (uint32_t *)(uintptr_t)lane->literals.address;
    a->capacity = lane->hits_room;
    if (is_stream(launch->kernel))
        a->tile_list = a->offsets;
    memset(a->answer, 0, sizeof *a->answer); /* nothing is there */
    if (lane->limits.kernels_timed)
        TRAWL_TRY(CUDA_CALL(device, error, event_record, lane->timed[0], lane->stream));
    TRAWL_TRY(CUDA_CALL(device, error, launch, device->functions[launch->kernel], launch->blocks, 1,
                        1, launch->threads, 1, 1, 0, lane->stream, parameters, NULL));
    if (lane->limits.kernels_timed)
        TRAWL_TRY(CUDA_CALL(device, error, event_record, lane->timed[1], lane->stream));
    return TRAWL_OK;
}

/* Is the answer there? That to a count comes word by word. */
static bool is_answered(const struct cuda_launch *launch, const struct scan_result *answer)
{
    const uint64_t *words = (const uint64_t *)(const void *)answer;
    bool there = true;

    if (launch->arguments.want != SCAN_COUNT)
        return __atomic_load_n(&answer->blocks, __ATOMIC_ACQUIRE) == launch->arguments.launch;
    for (uint32_t i = 0; i < SCAN_SUMS; i++)
        there = there && (__atomic_load_n(&words[i], __ATOMIC_ACQUIRE) & SCAN_THERE) != 0;
    return there;
}

static void add_answer(struct cuda_launch *launch, const struct scan_result *answer)
{
    struct scan_result *found = &launch->found;

    found->count += answer->count & ~SCAN_THERE;
    found->candidates += answer->candidates & ~SCAN_THERE;
    found->listed += is_stream(launch->kernel) ? answer->floods & ~SCAN_THERE : 0;
    found->cursor += answer->cursor;
    found->nearest = max_u64(found->nearest, answer->nearest);
}

enum trawl_status cuda_launch_wait(struct engine_lane *lane, struct cuda_launch *launch,
                                   uint32_t slot, struct trawl_error *error)
{
    const struct scan_result *answer = answer_of(lane, slot);
    uint64_t begin_ns = cuda_gallery_now_ns();
    bool there = false;

    do {
        for (uint32_t i = 0; i < LOOKS_PER_TIME && !there; i++)
            there = is_answered(launch, answer);
    } while (!there && cuda_gallery_now_ns() - begin_ns < LOOK_NS);
    if (!there)
        TRAWL_TRY(CUDA_CALL(lane->device, error, stream_wait, lane->stream));
    if (!is_answered(launch, answer))
        return TRAWL_FAIL(error, DEVICE, "%s: a kernel ended without an answer",
                          lane->device->name);
    add_answer(launch, answer);
    return TRAWL_OK;
}

/* Run the kernel and wait for it; what it found is added to launch->found, and segments, if there
 * are any, are in the landing buffer. */
static enum trawl_status launch_kernel(struct engine_lane *lane, struct cuda_launch *launch,
                                       struct trawl_error *error)
{
    const struct cuda_device *device = lane->device;
    float milliseconds = 0;

    TRAWL_TRY(cuda_launch_submit(lane, launch, 0, error));
    if (launch->arguments.want == SCAN_HITS)
        TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, lane->landing.bytes, lane->result.address,
                            (size_t)(launch->segment_count * sizeof(struct scan_segment)),
                            lane->stream));
    if (lane->limits.kernels_timed || launch->arguments.want == SCAN_HITS)
        TRAWL_TRY(CUDA_CALL(device, error, stream_wait, lane->stream));
    TRAWL_TRY(cuda_launch_wait(lane, launch, 0, error));
    if (!lane->limits.kernels_timed)
        return TRAWL_OK;
    TRAWL_TRY(
        CUDA_CALL(device, error, event_elapsed, &milliseconds, lane->timed[0], lane->timed[1]));
    lane->kernel_ns += (uint64_t)((double)milliseconds * 1e6);
    return TRAWL_OK;
}

/* Run the kernel, and over tiles that a stream gave up the method's tile kernel. */
static enum trawl_status launch_run(struct engine_lane *lane, struct cuda_launch *launch,
                                    struct trawl_error *error)
{
    struct scan_arguments *a = &launch->arguments;

    TRAWL_TRY(cuda_sums_reserve(lane, 1, error));
    TRAWL_TRY(cuda_list_reserve(lane, launch, error));
    if (a->want == SCAN_HITS) {
        TRAWL_TRY(reserve_hits(lane, launch, error));
        TRAWL_TRY(CUDA_CALL(lane->device, error, fill, lane->result.address, 0,
                            (size_t)(launch->segment_count * sizeof(struct scan_segment)),
                            lane->stream));
    }
    TRAWL_TRY(launch_kernel(lane, launch, error));
    if (launch->found.listed == 0 || launch->found.listed > a->listed_max)
        return TRAWL_OK;
    TRAWL_ASSERT(launch->found.listed <= a->tile_count);
    launch->kernel = lane->tables.kernel;
    launch->blocks = (uint32_t)min_u64(blocks_for(lane, launch->kernel), launch->found.listed);
    launch->threads = lane->limits.threads;
    if (a->tile_words % launch->threads != 0)
        launch->threads = 32;
    a->tile_count = (uint32_t)launch->found.listed;
    return launch_kernel(lane, launch, error);
}

/* More hits than room, or than a scan may hold: how far can the next launch go, and what room does
 * it need? The true counts of all tiles are there. */
static void choose_cut(struct engine_lane *lane, const struct cuda_launch *launch, uint64_t *limit)
{
    const struct scan_arguments *a = &launch->arguments;
    const struct scan_segment *segments =
        (const struct scan_segment *)(const void *)lane->landing.bytes;
    uint64_t per_unit = launch->segment_count / a->tile_count, held = 0;

    for (uint64_t unit = 0; unit < a->tile_count; unit++) {
        uint64_t own = 0;

        for (uint64_t s = unit * per_unit; s < (unit + 1) * per_unit; s++)
            own += segments[s].count;
        if (held > 0 && held + own > lane->limits.hits_max) {
            *limit = unit_begin(launch, unit);
            break;
        }
        held += own;
    }
    lane->hits_room = max_u64(lane->hits_room, held);
}

/* Bring the hits over and append them, segment by segment. */
static enum trawl_status gather(struct engine_lane *lane, const struct cuda_launch *launch,
                                uint64_t hits_base, struct engine_result *result,
                                struct trawl_error *error)
{
    const struct cuda_device *device = lane->device;
    uint64_t total = launch->found.cursor, bytes = total * sizeof(uint32_t);
    uint64_t head = launch->segment_count * sizeof(struct scan_segment);
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
    segments = (const struct scan_segment *)(const void *)lane->landing.bytes;
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
    struct cuda_launch launch;

    limit = min_u64(limit, saturating_add(range->begin, lane->window_bytes));
    for (;;) {
        uint64_t cursor;

        cuda_launch_prepare(lane, &lane->tables, range, limit, SCAN_HITS, &launch);
        TRAWL_TRY(launch_run(lane, &launch, error));
        cursor = launch.found.cursor;
        result->candidate_count += launch.found.candidates;
        if (cursor <= lane->hits_room)
            break;
        choose_cut(lane, &launch, &limit);
    }
    if (limit < asked && launch.found.cursor >= lane->limits.hits_max / 4)
        lane->window_bytes = limit - range->begin;
    else if (limit < asked)
        lane->window_bytes = saturating_add(lane->window_bytes, limit - range->begin);
    result->count += launch.found.cursor;
    *stopped = limit;
    return gather(lane, &launch, hits_base, result, error);
}

static enum trawl_status scan_first(uint64_t nearest, uint64_t hits_base,
                                    struct engine_result *result, struct trawl_error *error)
{
    uint64_t first = SCAN_NONE - nearest;

    if (nearest == 0)
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve(&result->hits, 1, error));
    result->hits.items[result->hits.count].offset = (uint32_t)(hits_base + (first >> 32));
    result->hits.items[result->hits.count++].literal = (uint32_t)first;
    result->count++;
    return TRAWL_OK;
}

uint64_t cuda_range_limit(const struct trawl_plan *plan, const struct cuda_range *range)
{
    uint64_t least = plan->length_min;

    if (range->text_end < least || range->text_end - least + 1 <= range->begin)
        return range->begin;
    return min_u64(range->end, range->text_end - least + 1);
}

enum trawl_status cuda_scan_range(struct engine_lane *lane, const struct cuda_range *range,
                                  enum scan_want want, uint64_t hits_base,
                                  struct engine_result *result, uint64_t *done,
                                  struct trawl_error *error)
{
    uint64_t limit = cuda_range_limit(lane->plan, range), stopped;
    struct cuda_launch launch;

    *done = range->end;
    if (limit == range->begin)
        return TRAWL_OK;
    if (want == SCAN_HITS) {
        TRAWL_TRY(scan_hits(lane, range, limit, hits_base, result, &stopped, error));
        if (stopped < limit)
            *done = stopped;
        return TRAWL_OK;
    }
    cuda_launch_prepare(lane, &lane->tables, range, limit, want, &launch);
    TRAWL_TRY(launch_run(lane, &launch, error));
    lane->tables.floods_left -= lane->tables.floods_left > 0;
    if (launch.found.listed > launch.arguments.listed_max) {
        lane->tables.floods_left = FLOOD_SCANS;
        cuda_launch_prepare(lane, &lane->tables, range, limit, want, &launch);
        TRAWL_TRY(launch_run(lane, &launch, error));
    }
    result->candidate_count += launch.found.candidates;
    if (want == SCAN_FIRST)
        return scan_first(launch.found.nearest, hits_base, result, error);
    result->count += launch.found.count;
    return TRAWL_OK;
}
