/* scan: one range of begins: geometry, launch, and what comes back. */
#include <string.h>

#include "base/checked.h"
#include "cuda/worker.h"

#define TILES_PER_BLOCK_MIN 2u
#define FIRST_STEPS 3u
#define DENSE_PARTS 16u /* if one partition in this many is listed, the tile kernel takes all */
#define DENSE_SCANS 15u /* and as many scans more */
#define DENSE_STRIDE_MAX 512u
#define STREAM_ROW_WORDS 16u    /* of bitmap, for a row of 512 bytes */
#define LOOK_NS 2000000u        /* the driver's wait takes 3 to 5 us longer [H200] */
#define LOOK_NS_SIMULATED 1000u /* kernels run while the simulated driver waits */
#define LOOKS_PER_TIME 64u
#define WARP_STEP_BYTES 256u
#define SET_MARKS_MAX ((1ull << 32) - (1ull << 24)) /* positions from a begin on have 32 bits */
#define FAR_BEFORE_BYTES 256u
/* Groups of 128 samples per ticket of a stream of samples. The fewer, the nearer to each other are
 * those in flight: at strides 256, 384 and 512 one at a time is 1.17, 1.05 and 1.02 times as fast
 * as two, two at stride 192 1.07 times as fast as 16. But a device hands out no more than 440 M
 * tickets/s [H200]. */
#define SAMPLED_STRIDE_NEAR 192u
#define SAMPLED_STRIDE_FAR 256u
#define SAMPLED_STRIDE_PAIRS 128u
#define SAMPLED_TICKET_NEAR 16u
#define SAMPLED_TICKET_FAR 2u
#define HITS_AHEAD 512u
#define FEW_BYTES 256u          /* of text for each hit: then they are few */
#define STREAM_ALIGNMENT 128ull /* a cache line: a warp's loads touch no more than they need */

/* Smaller tiles than of so many words where the range is too short to give every block its share.
 */
static void choose_tiles(const struct engine_worker *worker, uint64_t places, uint32_t blocks,
                         uint32_t words_max, uint32_t alike_max, struct scan_arguments *a)
{
    uint32_t words = words_max - words_max % worker->limits.threads;

    while (words / 2 >= worker->limits.threads && words / 2 % worker->limits.threads == 0 &&
           (places / (32ull * words) < TILES_PER_BLOCK_MIN * (uint64_t)blocks ||
            32ull * words * alike_max > UINT32_MAX)) /* a tile's hits have 32 bits */
        words /= 2;
    a->tile_words = words;
    a->tile_count = (uint32_t)((places + 32ull * words - 1) / (32ull * words));
}

/* Groups of `samples` samples, and the tiles of one that is dense. */
static void choose_group(const struct engine_worker *worker, uint64_t samples,
                         struct scan_arguments *a)
{
    uint64_t begins = ((samples >> a->sample_pair) + 1) * a->stride + 15;
    uint32_t threads = worker->limits.threads;

    /* A tile that planes search costs its size, however few of its begins are the group's.
     */
    a->group_samples = (uint32_t)samples;
    a->tile_words =
        (uint32_t)min_u64(worker->limits.tile_words_max / threads, begins / (32ull * threads) + 1) *
        threads;
    a->tile_count = (uint32_t)((a->sample_count + samples - 1) / samples);
    a->group_partitions = (uint32_t)(begins / (32ull * a->tile_words) + 1);
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

static uint32_t ticket_groups(const struct scan_arguments *a)
{
    if (a->stride < (a->sample_pair != 0 ? SAMPLED_STRIDE_FAR : SAMPLED_STRIDE_NEAR))
        return SAMPLED_TICKET_NEAR;
    return a->sample_pair != 0 || a->stride < SAMPLED_STRIDE_FAR ? SAMPLED_TICKET_FAR : 1;
}

static void choose_groups(const struct engine_worker *worker, enum cuda_kernel kernel,
                          uint32_t blocks, struct scan_arguments *a)
{
    uint32_t warps = blocks * (worker->limits.threads / 32);

    choose_samples(a);
    if (kernel != CUDA_KERNEL_STREAM_SAMPLED) {
        choose_group(worker,
                     min_u64(worker->limits.group_samples_max,
                             max_u64(worker->limits.threads,
                                     a->sample_count / (TILES_PER_BLOCK_MIN * (uint64_t)blocks))),
                     a);
        return;
    }
    choose_group(worker, SCAN_SAMPLE_STEP, a);
    a->listed_max = a->tile_count / DENSE_PARTS + worker->limits.listed_min;
    a->ticket_groups = (uint32_t)max_u64(
        min_u64(ticket_groups(a), a->tile_count / (TILES_PER_BLOCK_MIN * (uint64_t)warps)), 1);
    /* As much as it takes if each sample of a full queue is an occurrence's. */
    if (a->verify_budget != 0)
        a->sample_budget =
            a->verify_budget + 2 * SCAN_SAMPLE_STEP * (a->pattern_bytes / WARP_STEP_BYTES + 8);
}

static bool is_set_stream(enum cuda_kernel kernel)
{
    return kernel >= CUDA_KERNEL_SETS_FIRST;
}

static bool is_stream(enum cuda_kernel kernel)
{
    return kernel == CUDA_KERNEL_STREAM || kernel == CUDA_KERNEL_FIRST_STREAM ||
           kernel == CUDA_KERNEL_HITS_STREAM || kernel == CUDA_KERNEL_STREAM_SAMPLED ||
           is_set_stream(kernel);
}

/* As many steps of all the block's warps as there may be, fewer where the range is short; for a
 * pattern that does not fit into a tile as many as there may be, since duels cost a pattern's
 * length per tile. */
static void choose_stream_tiles(const struct engine_worker *worker, uint32_t blocks,
                                struct scan_arguments *a)
{
    uint32_t step_words = worker->limits.threads / 32 * STREAM_ROWS * STREAM_ROW_WORDS;
    uint32_t steps = (uint32_t)max_u64(worker->limits.tile_words_max / step_words, 1);
    uint64_t places;

    if (a->want == SCAN_FIRST) /* blocks look ahead by tiles: work after the first is wasted */
        steps = (uint32_t)min_u64(steps, FIRST_STEPS);

    a->position = (a->begin + a->shift) & ~(STREAM_ALIGNMENT - 1);
    places = a->limit + a->shift - a->position;
    while (steps > 1 && a->pattern_bytes <= 32ull * step_words * steps &&
           places / (32ull * step_words * steps) < TILES_PER_BLOCK_MIN * (uint64_t)blocks)
        steps /= 2;
    a->tile_words = steps * step_words;
    a->tile_count = (uint32_t)((places + 32ull * a->tile_words - 1) / (32ull * a->tile_words));
    a->listed_max = a->tile_count / DENSE_PARTS + worker->limits.listed_min;
}

/* The same, with one warp more, which verifies and writes for the others. */
static void choose_hits_tiles(const struct engine_worker *worker, struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    uint32_t warps, step_words, steps;

    warps = launch->threads / 32;
    launch->threads += 32;
    a->position = (a->begin + a->shift) & ~(STREAM_ALIGNMENT - 1);
    step_words = warps * STREAM_ROWS * STREAM_ROW_WORDS;
    steps =
        (uint32_t)max_u64(min_u64(worker->limits.tile_words_max / step_words, SCAN_HITS_STEPS), 1);
    a->tile_words = steps * step_words;
    a->tile_steps = steps;
    a->step_bytes = step_words * 32;
    a->whole_from = a->position < a->begin + a->shift;
    a->whole_upto = (uint32_t)((a->limit + a->shift - a->position) / (32ull * a->tile_words));
    a->tile_count = (uint32_t)((a->limit + a->shift - a->position + 32ull * a->tile_words - 1) /
                               (32ull * a->tile_words));
    a->verify_budget = (uint32_t)min_u64((uint64_t)a->verify_budget * warps, UINT32_MAX);
    a->listed_max = a->tile_count / DENSE_PARTS + worker->limits.listed_min;
}

static uint32_t blocks_for(const struct engine_worker *worker, enum cuda_kernel kernel)
{
    return worker->limits.blocks_max != 0 ? worker->limits.blocks_max
                                          : worker->device->resident[kernel];
}

/* How many samples are in flight: few enough to lie near each other in memory and to come soon,
 * as many as keep it busy. Of shapes from 64 to 512 threads to a multiprocessor these were the best
 * [H200]: 256 of single
 * samples, 384 of pairs, 512 at the short strides where hashes take longer than memory. */
static void shape_samples(const struct engine_worker *worker, const struct scan_arguments *a,
                          uint32_t *blocks, uint32_t *threads)
{
    uint32_t quarters = 4;

    if (a->sample_pair != 0 && a->stride >= SAMPLED_STRIDE_PAIRS)
        quarters = 3;
    *threads = (uint32_t)max_u64(*threads / 32 * quarters / 4 * 32, 32);
    if (worker->limits.blocks_max == 0 && a->sample_pair == 0)
        *blocks = worker->device->multiprocessors;
}

static enum cuda_kernel choose_kernel(const struct engine_worker *worker,
                                      const struct cuda_tables *tables, uint64_t begins,
                                      enum scan_want want)
{
    enum cuda_kernel kernel = tables->kernel;
    bool sampled = kernel == CUDA_KERNEL_SAMPLED;
    /* A stream has at least one whole step. */
    bool streams =
        tables->dense_left == 0 && begins >= STREAM_ALIGNMENT + STREAM_ROWS * STREAM_ROW_WORDS * 32;

    if (tables->automaton == CUDA_AUTOMATON_READY &&
        (tables->dense_left > 0 || worker->limits.automaton_always))
        return want == SCAN_HITS ? CUDA_KERNEL_HITS_AUTOMATON : CUDA_KERNEL_AUTOMATON;
    if (tables->sets_ready && tables->dense_left == 0 && want != SCAN_HITS)
        return tables->sets_kernel;
    /* If everything is dense, and samples match almost everywhere, skip the samples. */
    if (want == SCAN_COUNT && sampled && tables->dense_left > 0 &&
        tables->arguments.stride <= DENSE_STRIDE_MAX)
        kernel = CUDA_KERNEL_EVERY;
    if (want != SCAN_COUNT && sampled &&
        tables->arguments.stride < worker->limits.sampled_hits_stride_min)
        kernel = CUDA_KERNEL_EVERY;
    if (streams && want == SCAN_COUNT)
        return tables->count_kernel;
    if (streams && want == SCAN_FIRST && tables->count_kernel == CUDA_KERNEL_STREAM)
        return CUDA_KERNEL_FIRST_STREAM;
    if (streams && want == SCAN_HITS && kernel == CUDA_KERNEL_EVERY && worker->limits.streams)
        return CUDA_KERNEL_HITS_STREAM;
    if (want == SCAN_HITS)
        return kernel == CUDA_KERNEL_EVERY     ? CUDA_KERNEL_HITS_EVERY
               : kernel == CUDA_KERNEL_SAMPLED ? CUDA_KERNEL_HITS_SAMPLED
                                               : CUDA_KERNEL_HITS_SET;
    return kernel;
}

uint64_t cuda_set_range_max(const struct engine_worker *worker, enum scan_want want)
{
    enum cuda_kernel kernel = choose_kernel(worker, &worker->tables, UINT64_MAX, want);

    return is_set_stream(kernel) && want == SCAN_COUNT
               ? worker->tables.sets.stride * CUDA_RANGE_BYTES_MAX
               : CUDA_RANGE_BYTES_MAX;
}

static bool is_automaton(enum cuda_kernel kernel)
{
    return kernel == CUDA_KERNEL_AUTOMATON || kernel == CUDA_KERNEL_HITS_AUTOMATON;
}

/* Does the kernel's sum of dense parts say whether the launch was abandoned? */
static bool gives_up(enum cuda_kernel kernel)
{
    return is_stream(kernel) || kernel == CUDA_KERNEL_SET || kernel == CUDA_KERNEL_HITS_SET;
}

/* By groups of samples, tile by tile where they are dense? */
static bool is_sampled(enum cuda_kernel kernel)
{
    return kernel == CUDA_KERNEL_SAMPLED || kernel == CUDA_KERNEL_HITS_SAMPLED;
}

/* What follows from the number of tiles. */
static void choose_grid(struct cuda_launch *launch, uint32_t blocks)
{
    struct scan_arguments *a = &launch->arguments;

    a->partition_count =
        (uint64_t)a->tile_count * (is_sampled(launch->kernel) ? a->group_partitions : 1);
    launch->blocks = (uint32_t)min_u64(min_u64(blocks, SCAN_BLOCKS_MAX), a->tile_count);
}

void cuda_launch_prepare(const struct engine_worker *worker, const struct cuda_tables *tables,
                         const struct cuda_range *range, uint64_t limit, enum scan_want want,
                         struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    /* Kernels look at what lies before a begin; before the text's there is nothing. */
    uint64_t far = range->begin >= FAR_BEFORE_BYTES ? worker->limits.far_bytes : 0;
    enum cuda_kernel kernel;
    uint32_t blocks;

    kernel = choose_kernel(worker, tables, limit - range->begin, want);
    blocks = blocks_for(worker, kernel);
    memset(&launch->found, 0, sizeof launch->found);
    launch->stream = worker->stream;
    launch->ahead_bytes = 0;
    launch->kernel = kernel;
    launch->threads = worker->limits.threads;
    launch->shared_bytes = 0;
    *a = tables->arguments;
    a->text = (const uint8_t *)(uintptr_t)(range->address - far);
    a->begin = far + range->begin;
    a->limit = far + limit;
    a->text_end = far + range->text_end;
    a->want = (uint32_t)want;
    if (tables->automaton == CUDA_AUTOMATON_NONE && !worker->may_leave)
        a->set_budget = UINT32_MAX;
    a->one = 1;
    a->is_dense = want != SCAN_FIRST && tables->dense_left > 0;
    a->position = (a->begin + a->shift) & ~15ull;
    if (kernel == CUDA_KERNEL_STREAM_SAMPLED)
        shape_samples(worker, a, &blocks, &launch->threads);
    if (is_sampled(kernel) || kernel == CUDA_KERNEL_STREAM_SAMPLED)
        choose_groups(worker, kernel, blocks, a);
    else if (is_set_stream(kernel))
        cuda_sets_prepare(worker, blocks, launch);
    else if (is_automaton(kernel))
        cuda_automaton_prepare(tables, blocks, launch);
    else if (kernel == CUDA_KERNEL_HITS_STREAM)
        choose_hits_tiles(worker, launch);
    else if (is_stream(kernel))
        choose_stream_tiles(worker, blocks, a);
    else
        choose_tiles(worker, a->limit + a->shift - a->position, blocks,
                     worker->limits.tile_words_max, tables->alike_max, a);
    choose_grid(launch, blocks);
}

/* Where hits_set looks at all positions, hits may be many. Of the smallest tiles there are, they
 * mostly wait in shared memory for those before them, and threads note them where the cache has
 * room: 7.6 G hits/s instead of 4.7 [H200]. */
static void choose_small_tiles(const struct engine_worker *worker, struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    uint32_t blocks = blocks_for(worker, launch->kernel);

    choose_tiles(worker, a->limit + a->shift - a->position, blocks, worker->limits.threads,
                 worker->tables.alike_max, a);
    choose_grid(launch, blocks);
}

enum trawl_status cuda_sums_reserve(struct engine_worker *worker, uint64_t count,
                                    struct trawl_error *error)
{
    uint64_t bytes = count * sizeof(struct scan_result);

    if (worker->sums_ready && bytes <= worker->sums.bytes)
        return TRAWL_OK;
    worker->sums_ready = false;
    TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->sums, bytes, error));
    TRAWL_TRY(cuda_mapped_reserve(worker->device, &worker->answers, bytes, error));
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, worker->sums.address, 0,
                        (size_t)worker->sums.bytes, worker->stream));
    worker->sums_ready = true;
    return TRAWL_OK;
}

/* Tiles that a stream gives up. */
uint64_t cuda_list_bytes(const struct cuda_launch *launch)
{
    if (!is_stream(launch->kernel) || is_set_stream(launch->kernel) ||
        launch->arguments.want == SCAN_HITS)
        return 0;
    return launch->arguments.tile_count * sizeof(uint32_t);
}

/* For one tile more, which as many begins may touch elsewhere in the text. */
enum trawl_status cuda_list_reserve(struct engine_worker *worker, const struct cuda_launch *launch,
                                    struct trawl_error *error)
{
    uint64_t bytes = cuda_list_bytes(launch);

    return cuda_memory_reserve(worker->device, &worker->offsets,
                               bytes + (bytes > 0 ? sizeof(uint32_t) : 0), error);
}

/* The order's words, zeroed, for a launch that lists hits. */
static enum trawl_status order_begin(struct engine_worker *worker, struct cuda_launch *launch,
                                     struct trawl_error *error)
{
    uint64_t partitions = launch->arguments.partition_count;
    uint64_t bytes = (partitions + 2 * ((partitions >> worker->limits.partition_group_log2) + 1)) *
                     sizeof(uint64_t);

    TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->result, cuda_worker_room(worker, bytes),
                                  error));
    launch->arguments.order = (uint64_t *)(uintptr_t)worker->result.address;
    launch->arguments.partition_group_log2 = worker->limits.partition_group_log2;
    return CUDA_CALL(worker->device, error, fill, worker->result.address, 0, (size_t)bytes,
                     worker->stream);
}

static struct scan_result *answer_of(const struct engine_worker *worker, uint32_t slot)
{
    return (struct scan_result *)(void *)worker->answers.bytes + slot;
}

enum trawl_status cuda_launch_submit(struct engine_worker *worker, struct cuda_launch *launch,
                                     uint32_t slot, struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    struct scan_arguments *a = &launch->arguments;
    void *parameters[] = {a};

    a->result = (struct scan_result *)(uintptr_t)worker->sums.address + slot;
    a->answer = answer_of(worker, slot);
    a->launch = ++worker->launches;
    if (is_stream(launch->kernel) && a->want != SCAN_HITS)
        a->tile_list = (uint32_t *)(uintptr_t)worker->offsets.address;
    memset(a->answer, 0, sizeof *a->answer); /* nothing is there */
    if (worker->limits.kernels_timed)
        TRAWL_TRY(CUDA_CALL(device, error, event_record, worker->timed[0], worker->stream));
    TRAWL_TRY(CUDA_CALL(device, error, launch, device->functions[launch->kernel], launch->blocks, 1,
                        1, launch->threads, 1, 1, launch->shared_bytes, launch->stream, parameters,
                        NULL));
    if (worker->limits.kernels_timed)
        TRAWL_TRY(CUDA_CALL(device, error, event_record, worker->timed[1], worker->stream));
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
    found->listed += gives_up(launch->kernel) ? answer->dense_count & ~SCAN_THERE : 0;
    found->nearest = max_u64(found->nearest, answer->nearest);
}

enum trawl_status cuda_launch_wait(struct engine_worker *worker, struct cuda_launch *launch,
                                   uint32_t slot, struct trawl_error *error)
{
    const struct scan_result *answer = answer_of(worker, slot);
    bool there = false;
    uint64_t begin_ns, look_ns;

    if (worker->patient) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, event_record, worker->done, worker->stream));
        TRAWL_TRY(CUDA_CALL(worker->device, error, event_wait, worker->done));
        worker->patient = false;
    }
    look_ns = worker->device->driver->simulated ? LOOK_NS_SIMULATED : LOOK_NS;
    begin_ns = cuda_clock_ns();
    do {
        for (uint32_t i = 0; i < LOOKS_PER_TIME && !there; i++)
            there = is_answered(launch, answer);
    } while (!there && cuda_clock_ns() - begin_ns < look_ns);
    if (!there)
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, launch->stream));
    if (!is_answered(launch, answer))
        return TRAWL_FAIL(error, DEVICE, "%s: a kernel ended without an answer",
                          worker->device->name);
    add_answer(launch, answer);
    return TRAWL_OK;
}

/* Run the kernel and wait for it; what it found is added to launch->found. */
static enum trawl_status launch_kernel(struct engine_worker *worker, struct cuda_launch *launch,
                                       struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    float milliseconds = 0;

    TRAWL_TRY(cuda_launch_submit(worker, launch, 0, error));
    if (launch->ahead_bytes > 0) {
        worker->landing_busy = true;
        TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, worker->landing.bytes,
                            (uint64_t)(uintptr_t)launch->arguments.hits,
                            (size_t)launch->ahead_bytes, worker->stream));
    }
    if (worker->limits.kernels_timed)
        TRAWL_TRY(CUDA_CALL(device, error, stream_wait, worker->stream));
    TRAWL_TRY(cuda_launch_wait(worker, launch, 0, error));
    if (!worker->limits.kernels_timed)
        return TRAWL_OK;
    TRAWL_TRY(
        CUDA_CALL(device, error, event_elapsed, &milliseconds, worker->timed[0], worker->timed[1]));
    worker->kernel_ns += (uint64_t)((double)milliseconds * 1e6);
    return TRAWL_OK;
}

/* Run the kernel, and over tiles that a stream gave up the method's tile kernel. */
static enum trawl_status launch_run(struct engine_worker *worker, struct cuda_launch *launch,
                                    struct trawl_error *error)
{
    struct scan_arguments *a = &launch->arguments;

    TRAWL_TRY(cuda_sums_reserve(worker, 1, error));
    TRAWL_TRY(cuda_list_reserve(worker, launch, error));
    if (a->want == SCAN_HITS)
        TRAWL_TRY(order_begin(worker, launch, error));
    TRAWL_TRY(launch_kernel(worker, launch, error));
    if (launch->found.listed == 0 || launch->found.listed > a->listed_max || a->want == SCAN_HITS)
        return TRAWL_OK;
    TRAWL_ASSERT(launch->found.listed <= a->tile_count);
    launch->kernel = worker->tables.kernel;
    launch->shared_bytes = 0;
    launch->blocks = (uint32_t)min_u64(blocks_for(worker, launch->kernel), launch->found.listed);
    launch->threads = worker->limits.threads;
    if (a->tile_words % launch->threads != 0)
        launch->threads = 32;
    a->tile_count = (uint32_t)launch->found.listed;
    return launch_kernel(worker, launch, error);
}

/* The last scan was abandoned. */
static enum trawl_status note_dense(struct engine_worker *worker, struct trawl_error *error)
{
    worker->tables.dense_left = DENSE_SCANS;
    TRAWL_TRY(cuda_automaton_want(worker, error));
    worker->leaves = worker->may_leave && worker->tables.kernel == CUDA_KERNEL_SET &&
                     worker->tables.automaton == CUDA_AUTOMATON_NONE;
    return TRAWL_OK;
}

/* Mark the begins in the range that have occurrences of the set, for hits_set; *marked: how many
 * there are. false: it is to look by itself. */
static enum trawl_status mark_set(struct engine_worker *worker, const struct cuda_range *range,
                                  uint64_t limit, bool *marked, uint64_t *found,
                                  uint64_t *candidates, struct trawl_error *error)
{
    uint64_t words = (limit - (range->begin & ~15ull)) / 32 + 1 + SCAN_TILE_WORDS_MAX;
    struct cuda_launch launch;
    enum trawl_status status;

    *marked = false;
    if (!worker->tables.sets_ready || worker->tables.dense_left > 0 ||
        limit - range->begin > SET_MARKS_MAX)
        return TRAWL_OK;
    status = cuda_memory_reserve(worker->device, &worker->marks, words * sizeof(uint32_t), error);
    if (status == TRAWL_MEMORY)
        return TRAWL_OK;
    TRAWL_TRY(status);
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, worker->marks.address, 0,
                        (size_t)(words * sizeof(uint32_t)), worker->stream));
    cuda_launch_prepare(worker, &worker->tables, range, limit, SCAN_COUNT, &launch);
    launch.arguments.marks = (uint32_t *)(uintptr_t)worker->marks.address;
    TRAWL_TRY(launch_run(worker, &launch, error));
    *candidates += launch.found.candidates;
    *found = launch.found.count;
    *marked = launch.found.listed <= launch.arguments.listed_max;
    if (!*marked)
        TRAWL_TRY(note_dense(worker, error));
    return TRAWL_OK;
}

static enum trawl_status list_hits(struct engine_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, const struct cuda_hits_room *room,
                                   uint64_t *total, uint64_t *candidates, struct trawl_error *error)
{
    struct cuda_launch launch;
    bool in_vain, marked;

    TRAWL_TRY(mark_set(worker, range, limit, &marked, total, candidates, error));
    if (worker->leaves || (marked && *total == 0))
        return TRAWL_OK;
    do {
        cuda_launch_prepare(worker, &worker->tables, range, limit, SCAN_HITS, &launch);
        launch.arguments.hits = (uint64_t *)(uintptr_t)room->address;
        launch.arguments.hits_base = room->base;
        launch.arguments.hits_literal = room->literal;
        launch.arguments.capacity = room->count;
        launch.ahead_bytes = room->ahead * sizeof(uint64_t);
        launch.arguments.marks = marked ? (uint32_t *)(uintptr_t)worker->marks.address : NULL;
        if (launch.kernel == CUDA_KERNEL_HITS_SET && !marked)
            choose_small_tiles(worker, &launch);
        TRAWL_TRY(launch_run(worker, &launch, error));
        *candidates += launch.found.candidates;
        worker->tables.dense_left -= worker->tables.dense_left > 0;
        in_vain = launch.found.listed > launch.arguments.listed_max;
        if (in_vain)
            TRAWL_TRY(note_dense(worker, error));
    } while (in_vain && !worker->leaves);
    *total = launch.found.count;
    return TRAWL_OK;
}

/* Two kernels that list many hits at a time take 30 times as long as one after the other: 340
 * instead of 7 ms for 28 million in 256 MiB [H200]. Of few hits, they take no longer. */
enum trawl_status cuda_list_hits(struct engine_worker *worker, const struct cuda_range *range,
                                 uint64_t limit, const struct cuda_hits_room *room, uint64_t *total,
                                 uint64_t *candidates, struct trawl_error *error)
{
    bool alone = !worker->lists_few;
    enum trawl_status status;

    if (alone)
        (void)pthread_mutex_lock(&worker->device->list_lock);
    status = list_hits(worker, range, limit, room, total, candidates, error);
    if (alone)
        (void)pthread_mutex_unlock(&worker->device->list_lock);
    worker->lists_few = status == TRAWL_OK && *total <= (limit - range->begin) / FEW_BYTES;
    return status;
}

/* Room in the landing buffer, which is released if it is too small. */
static enum trawl_status landing_reserve(struct engine_worker *worker, uint64_t bytes,
                                         struct trawl_error *error)
{
    if (bytes > worker->landing.count && worker->landing_busy) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
        worker->landing_busy = false;
    }
    return cuda_pinned_reserve(worker->device, &worker->landing, cuda_worker_room(worker, bytes),
                               error);
}

/* Append `count` hits. The first `ahead` are being copied already; the others are copied here. */
static enum trawl_status bring_hits(struct engine_worker *worker, uint64_t count, uint64_t ahead,
                                    struct engine_result *result, struct trawl_error *error)
{
    uint64_t bytes = count * sizeof(struct hit);

    if (count == 0)
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve(&result->hits, count, error));
    if (count > ahead) {
        TRAWL_TRY(landing_reserve(worker, bytes, error));
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, worker->landing.bytes,
                            worker->hits.address, (size_t)bytes, worker->stream));
    }
    TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    worker->landing_busy = false;
    memcpy(result->hits.items + result->hits.count, worker->landing.bytes, (size_t)bytes);
    result->hits.count += count;
    return TRAWL_OK;
}

/* There were more hits than the last `count` in result->hits, the room for them: how far do these
 * go? Of a set, those of the last begin may not be all that there are: they are dropped. Returns
 * the begins that are done, counted from hits_base on; 0: they are all of one begin. */
static uint64_t cut_hits(const struct engine_worker *worker, uint64_t count, uint64_t hits_base,
                         struct engine_result *result)
{
    const struct hit *hits = result->hits.items + (result->hits.count - count);
    uint64_t last = hits[count - 1].offset, kept = count;

    if (worker->tables.kernel != CUDA_KERNEL_SET)
        return last + 1 - hits_base;
    while (kept > 0 && hits[kept - 1].offset == last)
        kept--;
    result->hits.count -= count - kept;
    return kept == 0 ? 0 : last - hits_base;
}

/* As many begins at a time as will hold half of what there is room for, as densely as the last ones
 * held them. */
static enum trawl_status scan_hits(struct engine_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, uint64_t hits_base, struct engine_result *result,
                                   uint64_t *stopped, struct trawl_error *error)
{
    uint64_t held = result->hits.count, total;

    limit = min_u64(limit, saturating_add(range->begin, worker->reach_bytes));
    for (;;) {
        struct cuda_hits_room room;

        worker->hits_room = max_u64(worker->hits_room, worker->limits.hits_room_min);
        TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->hits,
                                      worker->hits_room * sizeof(struct hit), error));
        room = (struct cuda_hits_room){worker->hits.address, worker->hits_room, hits_base,
                                       1ull << 32, min_u64(worker->hits_room, HITS_AHEAD)};
        TRAWL_TRY(landing_reserve(worker, room.ahead * sizeof(struct hit), error));
        TRAWL_TRY(
            cuda_list_hits(worker, range, limit, &room, &total, &result->candidate_count, error));
        *stopped = limit;
        if (worker->leaves)
            return TRAWL_OK;
        TRAWL_TRY(bring_hits(worker, min_u64(total, room.count), room.ahead, result, error));
        if (total > room.count)
            *stopped = range->begin + cut_hits(worker, room.count, hits_base, result);
        if (*stopped > range->begin)
            break;
        worker->hits_room *= 2; /* for all hits of one begin, whatever hits_max says */
    }
    worker->hits_room =
        max_u64(worker->hits_room, min_u64(saturating_multiply(total, 2), worker->limits.hits_max));
    worker->reach_bytes =
        saturating_multiply((limit - range->begin) / (total + 1) + 1, worker->hits_room / 2 + 1);
    result->count += result->hits.count - held;
    return TRAWL_OK;
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

/* After a dense part a set's other kernels take over, in the middle of a range that may be too
 * large for them. */
static void cut_set_range(const struct engine_worker *worker, const struct cuda_range *range,
                          enum scan_want want, uint64_t *limit, uint64_t *done)
{
    uint64_t most = cuda_set_range_max(worker, want);

    if (!worker->tables.sets_ready || *limit - range->begin <= most)
        return;
    *limit = range->begin + most;
    *done = *limit;
}

enum trawl_status cuda_scan_range(struct engine_worker *worker, const struct cuda_range *range,
                                  enum scan_want want, uint64_t hits_base,
                                  struct engine_result *result, uint64_t *done,
                                  struct trawl_error *error)
{
    uint64_t limit = cuda_range_limit(worker->plan, range), stopped;
    struct cuda_launch launch;

    *done = range->end;
    if (limit == range->begin)
        return TRAWL_OK;
    if (want == SCAN_HITS) {
        TRAWL_TRY(scan_hits(worker, range, limit, hits_base, result, &stopped, error));
        if (stopped < limit)
            *done = stopped;
        return TRAWL_OK;
    }
    cut_set_range(worker, range, want, &limit, done);
    cuda_launch_prepare(worker, &worker->tables, range, limit, want, &launch);
    TRAWL_TRY(launch_run(worker, &launch, error));
    worker->tables.dense_left -= worker->tables.dense_left > 0;
    while (launch.found.listed > launch.arguments.listed_max) {
        TRAWL_TRY(note_dense(worker, error));
        if (worker->leaves)
            return TRAWL_OK;
        cut_set_range(worker, range, want, &limit, done);
        cuda_launch_prepare(worker, &worker->tables, range, limit, want, &launch);
        TRAWL_TRY(launch_run(worker, &launch, error));
    }
    result->candidate_count += launch.found.candidates;
    if (want == SCAN_FIRST)
        return scan_first(launch.found.nearest, hits_base, result, error);
    result->count += launch.found.count;
    return TRAWL_OK;
}
