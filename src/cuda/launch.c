/* launch: chooses a launch's kernel and grid, starts the kernel, and reads its answer. A tile, or a
 * group of samples, is *dense* if it has too many candidates to compare them one by one. */
#include "cuda/launch.h"

#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_automaton.h"
#include "cuda/cuda_sets.h"

#define TILES_PER_BLOCK_MIN 2u
#define FIRST_STEPS 3u
/* if a stream kernel gives up more than tile_count / DENSE_PARTS + limits.listed_min tiles, the
 * tile kernel searches the whole range */
#define DENSE_PARTS 16u
#define STREAM_ROW_WORDS 16u /* words of the bitmap for a row of 512 bytes of text */
/* how long the host polls for an answer, because the driver notices the end of a kernel 3 to 5 us
 * late [H200] */
#define POLL_NS 2000000u
#define POLL_NS_SIMULATED 1000u /* simulated kernels run only while the driver waits */
#define LOOKS_PER_TIME 64u
#define WARP_STEP_BYTES 256u
#define BEFORE_BYTES_MIN 256u
/* A warp of stream_sampled takes tickets, each for one or more groups of 128 samples. With fewer
 * groups per ticket, the samples that all warps read at a time are nearer to each other: at strides
 * 256, 384 and 512, one group per ticket is 1.17, 1.05 and 1.02 times as fast as two; at stride
 * 192, two are 1.07 times as fast as 16. But a device can hand out at most 440 M tickets/s
 * [H200]. */
#define SAMPLED_STRIDE_NEAR 192u
#define SAMPLED_STRIDE_FAR 256u
#define SAMPLED_STRIDE_PAIRS 128u
#define SAMPLED_TICKET_NEAR 16u
#define SAMPLED_TICKET_FAR 2u
/* a cache line: a warp's aligned loads touch no more lines than necessary */
#define STREAM_ALIGNMENT 128ull

/* Chooses tiles of at most `words_max` words: smaller ones if the range is too short for
 * TILES_PER_BLOCK_MIN tiles per block, or if a tile's hits could not be counted in 32 bits. */
static void choose_tiles(const struct engine_worker *worker, uint64_t places, uint32_t blocks,
                         uint32_t words_max, uint32_t alike_max, struct scan_arguments *a)
{
    uint32_t words = words_max - words_max % worker->limits.threads;

    while (words / 2 >= worker->limits.threads && words / 2 % worker->limits.threads == 0 &&
           (places / (32ull * words) < TILES_PER_BLOCK_MIN * (uint64_t)blocks ||
            32ull * words * alike_max > UINT32_MAX)) /* a tile's hits are counted in 32 bits */
        words /= 2;
    a->tile_words = words;
    TRAWL_ASSERT(words > 0 && words % worker->limits.threads == 0);
    a->tile_count = (uint32_t)((places + 32ull * words - 1) / (32ull * words));
}

/* Chooses the first and the last sample, so that the samples cover all starts in the range. */
static void choose_samples(struct scan_arguments *a)
{
    uint64_t distance, sample;

    TRAWL_ASSERT(a->begin < a->limit && a->stride > 0);
    a->sample_base = a->begin - a->begin % a->stride;
    distance = a->limit - 1 - a->sample_base;
    a->sample_first = 0;
    while (a->sample_base + scan_sample_position(a->sample_first, a->stride, a->sample_pair) <
           a->begin)
        a->sample_first++;
    sample = distance / a->stride << a->sample_pair;
    while (scan_sample_position((uint32_t)sample, a->stride, a->sample_pair) < distance)
        sample++;
    TRAWL_ASSERT(sample < UINT32_MAX - 4 * SCAN_SAMPLE_STEP);
    a->sample_count = (uint32_t)sample + 1;
    TRAWL_ASSERT(a->sample_first < a->sample_count);
}

static uint32_t ticket_groups(const struct scan_arguments *a)
{
    if (a->stride < (a->sample_pair != 0 ? SAMPLED_STRIDE_FAR : SAMPLED_STRIDE_NEAR))
        return SAMPLED_TICKET_NEAR;
    return a->sample_pair != 0 || a->stride < SAMPLED_STRIDE_FAR ? SAMPLED_TICKET_FAR : 1;
}

/* Chooses the groups of samples, and the tiles into which a dense group is split. */
static void choose_groups(const struct engine_worker *worker, uint32_t blocks,
                          struct scan_arguments *a)
{
    uint64_t begins = ((SCAN_SAMPLE_STEP >> a->sample_pair) + 1ull) * a->stride + 15;
    uint32_t threads = worker->limits.threads, warps = blocks * (threads / 32);

    choose_samples(a);
    /* A tile has at most about as many starts as a group of samples: a dense tile is searched for
     * its whole length, with bit planes, even if few of its starts belong to the group. */
    a->tile_words =
        (uint32_t)min_u64(worker->limits.tile_words_max / threads, begins / (32ull * threads) + 1) *
        threads;
    a->tile_count = (a->sample_count + SCAN_SAMPLE_STEP - 1) / SCAN_SAMPLE_STEP;
    a->group_tiles = (uint32_t)(begins / (32ull * a->tile_words) + 1);
    TRAWL_ASSERT(32ull * a->tile_words * a->group_tiles >= begins);
    a->listed_max = a->tile_count / DENSE_PARTS + worker->limits.listed_min;
    a->ticket_groups = (uint32_t)max_u64(
        min_u64(ticket_groups(a), a->tile_count / (TILES_PER_BLOCK_MIN * (uint64_t)warps)), 1);
    /* sample_budget limits the work for the samples in a warp's queue; if they need more, their
     * groups are dense. It suffices even if every sample in a full queue belongs to an
     * occurrence. */
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
           kernel == CUDA_KERNEL_APPEND_STREAM || kernel == CUDA_KERNEL_STREAM_SAMPLED ||
           is_set_stream(kernel);
}

/* Chooses tiles that consist of as many steps of the block's warps as limits.tile_words_max allows,
 * or of fewer if the range is short. If the pattern does not fit into a tile, tiles stay as long as
 * possible, because searching a dense tile also costs the pattern's length. */
static void choose_stream_tiles(const struct engine_worker *worker, uint32_t blocks,
                                struct scan_arguments *a)
{
    uint32_t step_words = worker->limits.threads / 32 * STREAM_ROWS * STREAM_ROW_WORDS;
    uint32_t steps = (uint32_t)max_u64(worker->limits.tile_words_max / step_words, 1);
    uint64_t places;

    /* short tiles: what blocks search after the first occurrence is wasted */
    if (a->want == WANT_FIRST)
        steps = (uint32_t)min_u64(steps, FIRST_STEPS);

    a->position = (a->begin + a->shift) & ~(STREAM_ALIGNMENT - 1);
    places = a->limit + a->shift - a->position;
    while (steps > 1 && a->pattern_bytes <= 32ull * step_words * steps &&
           places / (32ull * step_words * steps) < TILES_PER_BLOCK_MIN * (uint64_t)blocks)
        steps /= 2;
    TRAWL_ASSERT(a->position <= a->begin + a->shift);
    a->tile_words = steps * step_words;
    a->tile_count = (uint32_t)((places + 32ull * a->tile_words - 1) / (32ull * a->tile_words));
    a->listed_max = a->tile_count / DENSE_PARTS + worker->limits.listed_min;
}

static uint32_t blocks_for(const struct engine_worker *worker, enum cuda_kernel kernel)
{
    return worker->limits.blocks_max != 0 ? worker->limits.blocks_max
                                          : worker->device->resident[kernel];
}

/* Chooses the grid of stream_sampled, which decides how many samples are in flight: few enough to
 * be near each other in memory and return soon, but enough to keep the memory busy. Of 64 to 512
 * threads per multiprocessor, the best were 256 for single samples, 384 for pairs, and 512 at short
 * strides, where hashing takes longer than reading [H200]. */
static void shape_samples(const struct engine_worker *worker, const struct scan_arguments *a,
                          uint32_t *blocks, uint32_t *threads)
{
    uint32_t quarters = 4;

    if (a->sample_pair != 0 && a->stride >= SAMPLED_STRIDE_PAIRS)
        quarters = 3;
    *threads = (uint32_t)max_u64(*threads / 32 * quarters / 4 * 32, 32);
    TRAWL_ASSERT(*threads % 32 == 0);
    if (worker->limits.blocks_max == 0 && a->sample_pair == 0)
        *blocks = worker->device->multiprocessors;
}

bool cuda_launch_filters(const struct engine_worker *worker, enum want want)
{
    const struct cuda_tables *tables = worker->tables;

    return tables->has_sets && want != WANT_HITS &&
           (tables->automaton != CUDA_AUTOMATON_READY ||
            (tables->dense_left == 0 && !worker->limits.automaton_always));
}

static enum cuda_kernel choose_kernel(const struct engine_worker *worker,
                                      const struct cuda_tables *tables, uint64_t begins,
                                      enum want want)
{
    /* Stream kernels need a range of at least one whole step. */
    bool streams = tables->dense_left == 0 && worker->limits.streams &&
                   begins >= STREAM_ALIGNMENT + STREAM_ROWS * STREAM_ROW_WORDS * 32;

    if (tables->method == TRAWL_METHOD_SET && !cuda_launch_filters(worker, want))
        return want == WANT_HITS    ? CUDA_KERNEL_HITS_AUTOMATON
               : want == WANT_FIRST ? CUDA_KERNEL_FIRST_AUTOMATON
                                    : CUDA_KERNEL_COUNT_AUTOMATON;
    if (tables->method == TRAWL_METHOD_SET)
        return tables->sets_kernel;
    if (want == WANT_HITS)
        return CUDA_KERNEL_HITS_EVERY;
    if (!streams)
        return CUDA_KERNEL_EVERY;
    if (tables->count_kernel == CUDA_KERNEL_STREAM_SAMPLED)
        return CUDA_KERNEL_STREAM_SAMPLED;
    return want == WANT_FIRST ? CUDA_KERNEL_FIRST_STREAM : CUDA_KERNEL_STREAM;
}

enum cuda_kernel cuda_launch_kernel(const struct engine_worker *worker, enum want want)
{
    return choose_kernel(worker, worker->tables, UINT64_MAX, want);
}

uint64_t cuda_set_range_max(const struct engine_worker *worker, enum want want)
{
    enum cuda_kernel kernel = cuda_launch_kernel(worker, want);
    uint64_t most = worker->limits.launch_begins_max;

    return is_set_stream(kernel) && want == WANT_COUNT ? worker->tables->sets.stride * most : most;
}

/* Offsets in a range have 32 bits. When counting, stream_sampled and stream_set number samples
 * instead of starts, so their ranges may be longer. */
uint64_t cuda_launch_begins_max(const struct engine_worker *worker, enum want want)
{
    uint64_t most = min_u64(cuda_set_range_max(worker, want),
                            (1ull << (SCAN_SUM_BITS - 1)) / worker->tables->alike_max);

    if (want == WANT_COUNT && worker->tables->count_kernel == CUDA_KERNEL_STREAM_SAMPLED)
        /* a stride may have two samples, so a launch searches launch_begins_max / 2 strides */
        most = worker->tables->arguments.stride * max_u64(worker->limits.launch_begins_max / 2, 1);
    return most;
}

uint64_t cuda_range_limit(const struct trawl_plan *plan, const struct cuda_range *range)
{
    uint64_t least = plan->length_min;

    TRAWL_ASSERT(range->begin <= range->end && range->end <= range->text_end);
    if (range->text_end < least || range->text_end - least + 1 <= range->begin)
        return range->begin;
    return min_u64(range->end, range->text_end - least + 1);
}

static bool is_automaton(enum cuda_kernel kernel)
{
    return kernel == CUDA_KERNEL_FIRST_AUTOMATON || kernel == CUDA_KERNEL_COUNT_AUTOMATON ||
           kernel == CUDA_KERNEL_HITS_AUTOMATON;
}

/* Sets the numbers of partitions and blocks, which follow from the number of tiles. */
static void choose_grid(struct cuda_launch *launch, uint32_t blocks)
{
    struct scan_arguments *a = &launch->arguments;

    TRAWL_ASSERT(a->tile_count > 0 && blocks > 0);
    a->partition_count = a->tile_count;
    launch->blocks = (uint32_t)min_u64(min_u64(blocks, SCAN_BLOCKS_MAX), a->tile_count);
}

void cuda_launch_prepare(const struct engine_worker *worker, const struct cuda_tables *tables,
                         const struct cuda_range *range, uint64_t limit, enum want want,
                         struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    /* With limits.before_bytes, which tests set, positions are numbered as if this many bytes
     * preceded the text. Starts near the beginning of the text keep their numbers, because kernels
     * read up to BEFORE_BYTES_MIN bytes before a start. */
    uint64_t before = range->begin >= BEFORE_BYTES_MIN ? worker->limits.before_bytes : 0;
    enum cuda_kernel kernel;
    uint32_t blocks;

    TRAWL_ASSERT(range->begin < limit && limit <= range->text_end);
    kernel = choose_kernel(worker, tables, limit - range->begin, want);
    TRAWL_ASSERT(!is_automaton(kernel) || tables->automaton == CUDA_AUTOMATON_READY);
    blocks = blocks_for(worker, kernel);
    memset(&launch->found, 0, sizeof launch->found);
    launch->ahead_bytes = 0;
    launch->kernel = kernel;
    launch->threads = worker->limits.threads;
    launch->shared_bytes = 0;
    *a = tables->arguments;
    a->text = (const uint8_t *)(uintptr_t)(range->address - before);
    a->begin = before + range->begin;
    a->limit = before + limit;
    a->text_end = before + range->text_end;
    a->want = (uint32_t)want;
    a->one = 1;
    a->is_dense = want != WANT_FIRST && tables->dense_left > 0;
    a->position = (a->begin + a->shift) & ~15ull;
    if (kernel == CUDA_KERNEL_STREAM_SAMPLED) {
        shape_samples(worker, a, &blocks, &launch->threads);
        choose_groups(worker, blocks, a);
    } else if (is_set_stream(kernel)) {
        cuda_sets_prepare(worker, blocks, launch);
    } else if (is_automaton(kernel)) {
        cuda_automaton_prepare(worker, tables, &blocks, launch);
    } else if (is_stream(kernel)) {
        choose_stream_tiles(worker, blocks, a);
    } else {
        choose_tiles(worker, a->limit + a->shift - a->position, blocks,
                     worker->limits.tile_words_max, tables->alike_max, a);
    }
    choose_grid(launch, blocks);
}

/* Allocates the launch's sums, which are zero between launches, and its answer. */
static enum trawl_status sums_reserve(struct engine_worker *worker, struct trawl_error *error)
{
    uint64_t bytes = sizeof(struct scan_result);

    if (worker->sums_ready)
        return TRAWL_OK;
    TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->sums, bytes, error));
    TRAWL_TRY(cuda_mapped_reserve(worker->device, &worker->answers, bytes, error));
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, worker->sums.address, 0,
                        (size_t)worker->sums.bytes, worker->stream));
    worker->sums_ready = true;
    return TRAWL_OK;
}

/* Allocates the list of tiles that a stream kernel gives up, with one more entry than this launch
 * has tiles, so that it suffices for later launches, too: at another offset of the text, as many
 * starts may need one more tile. */
static enum trawl_status list_reserve(struct engine_worker *worker,
                                      const struct cuda_launch *launch, struct trawl_error *error)
{
    bool lists = is_stream(launch->kernel) && !is_set_stream(launch->kernel) &&
                 launch->arguments.want != WANT_HITS;

    return cuda_memory_reserve(worker->device, &worker->offsets,
                               lists ? (launch->arguments.tile_count + 1ull) * sizeof(uint32_t) : 0,
                               error);
}

/* Allocates and zeros the words with which a launch puts its hits in order. */
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

bool cuda_launch_append(const struct engine_worker *worker, struct cuda_launch *launch)
{
    const struct scan_arguments *a = &launch->arguments;
    /* for such a pattern, the filter finds the occurrences itself */
    bool decides =
        a->is_exact != 0 && (a->pattern_bytes <= 4 || (a->gram_fold[0] | a->gram_fold[1]) == 0);

    if (launch->kernel == CUDA_KERNEL_STREAM && decides) {
        launch->kernel = CUDA_KERNEL_APPEND_STREAM;
        choose_grid(launch, blocks_for(worker, launch->kernel));
    }
    return is_stream(launch->kernel);
}

static enum trawl_status start(struct engine_worker *worker, struct cuda_launch *launch,
                               struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    struct scan_arguments *a = &launch->arguments;
    void *parameters[] = {a};

    TRAWL_ASSERT(launch->blocks > 0 && launch->blocks <= SCAN_BLOCKS_MAX);
    TRAWL_ASSERT(launch->threads > 0 && launch->threads % 32 == 0);
    a->result = (struct scan_result *)(uintptr_t)worker->sums.address;
    a->answer = (struct scan_result *)(void *)worker->answers.bytes;
    a->launch = ++worker->launches;
    if (is_stream(launch->kernel) && a->want != WANT_HITS)
        a->tile_list = (uint32_t *)(uintptr_t)worker->offsets.address;
    memset(a->answer, 0, sizeof *a->answer); /* nothing has arrived yet */
    return CUDA_CALL(device, error, launch, device->functions[launch->kernel], launch->blocks, 1, 1,
                     launch->threads, 1, 1, launch->shared_bytes, worker->stream, parameters, NULL);
}

/* Returns true if the kernel's answer has arrived. A count arrives word by word, each with the bit
 * SCAN_THERE. */
static bool is_answered(const void *context)
{
    const struct cuda_launch *launch = (const struct cuda_launch *)context;
    const struct scan_result *answer = launch->arguments.answer;
    const uint64_t *words = (const uint64_t *)(const void *)answer;
    bool there = true;

    if (launch->arguments.want != WANT_COUNT)
        return __atomic_load_n(&answer->blocks, __ATOMIC_ACQUIRE) == launch->arguments.launch;
    for (uint32_t i = 0; i < SCAN_SUMS; i++)
        there = there && (__atomic_load_n(&words[i], __ATOMIC_ACQUIRE) & SCAN_THERE) != 0;
    return there;
}

static void add_answer(struct cuda_launch *launch, const struct scan_result *answer)
{
    struct scan_result *found = &launch->found;

    TRAWL_ASSERT((answer->count & ~SCAN_THERE) >> SCAN_SUM_BITS == 0);
    found->count += answer->count & ~SCAN_THERE;
    found->candidates += answer->candidates & ~SCAN_THERE;
    found->listed += is_stream(launch->kernel) ? answer->dense_count & ~SCAN_THERE : 0;
    found->nearest = max_u64(found->nearest, answer->nearest);
}

enum trawl_status cuda_launch_wait(struct engine_worker *worker,
                                   bool (*is_there)(const void *context), const void *context,
                                   struct trawl_error *error)
{
    bool there = false;
    uint64_t begin_ns, poll_ns;

    if (worker->patient) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, event_record, worker->done, worker->stream));
        TRAWL_TRY(CUDA_CALL(worker->device, error, event_wait, worker->done));
        worker->patient = false;
    }
    poll_ns = worker->device->driver->simulated ? POLL_NS_SIMULATED : POLL_NS;
    begin_ns = cuda_clock_ns();
    do {
        for (uint32_t i = 0; i < LOOKS_PER_TIME && !there; i++)
            there = is_there(context);
    } while (!there && cuda_clock_ns() - begin_ns < poll_ns);
    if (!there)
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    if (!is_there(context))
        return TRAWL_FAIL(error, DEVICE, "%s: a kernel ended without an answer",
                          worker->device->name);
    return TRAWL_OK;
}

/* Runs the kernel, waits for its answer, and adds that to launch->found. */
static enum trawl_status launch_kernel(struct engine_worker *worker, struct cuda_launch *launch,
                                       struct trawl_error *error)
{
    TRAWL_TRY(start(worker, launch, error));
    if (launch->ahead_bytes > 0) {
        TRAWL_ASSERT(launch->ahead_bytes <= worker->landing.count);
        worker->landing_busy = true;
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, worker->landing.bytes,
                            (uint64_t)(uintptr_t)launch->arguments.hits,
                            (size_t)launch->ahead_bytes, worker->stream));
    }
    TRAWL_TRY(cuda_launch_wait(worker, is_answered, launch, error));
    add_answer(launch, launch->arguments.answer);
    return TRAWL_OK;
}

enum trawl_status cuda_launch_run(struct engine_worker *worker, struct cuda_launch *launch,
                                  struct trawl_error *error)
{
    struct scan_arguments *a = &launch->arguments;

    TRAWL_TRY(sums_reserve(worker, error));
    TRAWL_TRY(list_reserve(worker, launch, error));
    if (a->want == WANT_HITS)
        TRAWL_TRY(order_begin(worker, launch, error));
    TRAWL_TRY(launch_kernel(worker, launch, error));
    if (launch->found.listed == 0 || launch->found.listed > a->listed_max || a->want == WANT_HITS)
        return TRAWL_OK;
    TRAWL_ASSERT(launch->found.listed <= a->tile_count && !is_set_stream(launch->kernel));
    launch->kernel = CUDA_KERNEL_EVERY;
    launch->shared_bytes = 0;
    launch->threads = worker->limits.threads;
    if (a->tile_words % launch->threads != 0)
        launch->threads = 32;
    a->tile_count = (uint32_t)(launch->found.listed * max_u64(a->group_tiles, 1));
    launch->blocks = (uint32_t)min_u64(blocks_for(worker, launch->kernel), a->tile_count);
    return launch_kernel(worker, launch, error);
}
