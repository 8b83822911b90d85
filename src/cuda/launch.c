/* launch: chooses a launch's kernel and grid, starts the kernel, and reads its answer. A tile, or a
 * group of samples, is *dense* if it has too many candidates to compare them one by one. */
#include "cuda/launch.h"

#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_automaton.h"
#include "cuda/cuda_choose.h"
#include "cuda/cuda_sets.h"
#include "cuda/prices.def"

#define TILES_PER_BLOCK_MIN 2u
#define STREAM_ROW_WORDS 16u    /* words of the bitmap for a row of 512 bytes of text */
#define POLL_NS_SIMULATED 1000u /* simulated kernels run only while the driver waits */
#define LOOKS_PER_TIME 64u
#define WARP_STEP_BYTES 256u
#define SPARE_AT 256u /* a multiple of 16 that is more than sizeof(struct scan_result) */
#define BEFORE_BYTES_MIN 256u
/* a cache line: a warp's aligned loads touch no more lines than necessary */
#define STREAM_ALIGNMENT 128ull

/* Chooses tiles of at most limits.tile_words_max words: smaller ones if the range is too short for
 * TILES_PER_BLOCK_MIN tiles per block. */
static void choose_tiles(const struct cuda_worker *worker, uint32_t blocks,
                         struct pattern_arguments *a)
{
    uint64_t places;
    uint32_t words_max = worker->limits.tile_words_max;
    uint32_t threads = worker->limits.threads; /* a tile has whole steps (tile_append_step) */
    uint32_t unit = threads * (threads % (STREAM_STEP_BYTES / 32) == 0 ? 1 : 2);
    uint32_t words = (uint32_t)max_u64(words_max - words_max % unit, unit);

    a->scan.position = (a->scan.begin + a->shift) & ~15ull;
    places = a->scan.limit + a->shift - a->scan.position;
    while (words / 2 % unit == 0 &&
           places / (32ull * words) < TILES_PER_BLOCK_MIN * (uint64_t)blocks)
        words /= 2;
    a->tile_words = words;
    TRAWL_ASSERT(words <= SCAN_TILE_WORDS_MAX && words % unit == 0);
    a->scan.tile_count = (uint32_t)((places + 32ull * words - 1) / (32ull * words));
}

/* Chooses the first and the last sample, so that the samples cover all starts in the range. */
static void choose_samples(struct pattern_arguments *a)
{
    uint64_t distance, sample;

    TRAWL_ASSERT(a->scan.begin < a->scan.limit && a->stride > 0);
    a->sample_base = a->scan.begin - a->scan.begin % a->stride;
    distance = a->scan.limit - 1 - a->sample_base;
    a->sample_first = 0;
    while (a->sample_base + scan_sample_position(a->sample_first, a->stride, a->sample_pair) <
           a->scan.begin)
        a->sample_first++;
    sample = distance / a->stride << a->sample_pair;
    while (scan_sample_position((uint32_t)sample, a->stride, a->sample_pair) < distance)
        sample++;
    TRAWL_ASSERT(sample < UINT32_MAX - 4 * SCAN_SAMPLE_STEP);
    a->sample_count = (uint32_t)sample + 1;
    TRAWL_ASSERT(a->sample_first < a->sample_count);
}

static uint32_t ticket_groups(const struct pattern_arguments *a)
{
    if (a->stride < (a->sample_pair != 0 ? SAMPLED_STRIDE_FAR : SAMPLED_STRIDE_NEAR))
        return SAMPLED_TICKET_NEAR;
    return a->sample_pair != 0 || a->stride < SAMPLED_STRIDE_FAR ? SAMPLED_TICKET_FAR : 1;
}

/* Chooses the groups of samples, and the tiles into which a dense group is split. */
static void choose_groups(const struct cuda_worker *worker, uint32_t blocks,
                          struct pattern_arguments *a)
{
    uint64_t begins = ((SCAN_SAMPLE_STEP >> a->sample_pair) + 1ull) * a->stride + 15;
    uint32_t threads = worker->limits.threads, warps = blocks * (threads / 32);

    choose_samples(a);
    /* A tile has at most about as many starts as a group of samples: a dense tile is searched for
     * its whole length, with bit planes, even if few of its starts belong to the group. */
    a->tile_words =
        (uint32_t)min_u64(worker->limits.tile_words_max / threads, begins / (32ull * threads) + 1) *
        threads;
    a->scan.tile_count = (a->sample_count + SCAN_SAMPLE_STEP - 1) / SCAN_SAMPLE_STEP;
    a->group_tiles = (uint32_t)(begins / (32ull * a->tile_words) + 1);
    TRAWL_ASSERT(32ull * a->tile_words * a->group_tiles >= begins);
    a->scan.listed_max = a->scan.tile_count / DENSE_PARTS + worker->limits.listed_min;
    a->ticket_groups = (uint32_t)max_u64(
        min_u64(ticket_groups(a), a->scan.tile_count / (TILES_PER_BLOCK_MIN * (uint64_t)warps)), 1);
    /* sample_budget limits the work for the samples in a warp's queue; if they need more, their
     * groups are dense. It suffices even if every sample in a full queue belongs to an
     * occurrence. */
    if (a->verify_budget != 0)
        a->sample_budget =
            a->verify_budget + 2 * SCAN_SAMPLE_STEP * (a->pattern_bytes / WARP_STEP_BYTES + 8);
}

static bool is_stream(enum cuda_kernel kernel)
{
    return kernel == CUDA_KERNEL_STREAM || kernel == CUDA_KERNEL_APPEND_STREAM ||
           kernel == CUDA_KERNEL_STREAM_SAMPLED || cuda_is_set(kernel);
}

/* Chooses tiles that consist of as many steps of the block's warps as limits.tile_words_max allows,
 * or of fewer if the range is short. If the pattern does not fit into a tile, tiles stay as long as
 * possible, because searching a dense tile also costs the pattern's length. */
static void choose_stream_tiles(const struct cuda_worker *worker, uint32_t blocks,
                                struct pattern_arguments *a)
{
    uint32_t step_words = worker->limits.threads / 32 * STREAM_ROWS * STREAM_ROW_WORDS;
    uint32_t steps = (uint32_t)max_u64(worker->limits.tile_words_max / step_words, 1);
    uint64_t places;

    a->scan.position = (a->scan.begin + a->shift) & ~(STREAM_ALIGNMENT - 1);
    places = a->scan.limit + a->shift - a->scan.position;
    while (steps > 1 && a->pattern_bytes <= 32ull * step_words * steps &&
           places / (32ull * step_words * steps) < TILES_PER_BLOCK_MIN * (uint64_t)blocks)
        steps /= 2;
    TRAWL_ASSERT(a->scan.position <= a->scan.begin + a->shift);
    a->tile_words = steps * step_words;
    a->scan.tile_count = (uint32_t)((places + 32ull * a->tile_words - 1) / (32ull * a->tile_words));
    a->scan.listed_max = a->scan.tile_count / DENSE_PARTS + worker->limits.listed_min;
}

static uint32_t blocks_for(const struct cuda_worker *worker, enum cuda_kernel kernel)
{
    return worker->limits.blocks_max != 0 ? worker->limits.blocks_max
                                          : worker->device->resident[kernel];
}

/* Chooses the grid of stream_sampled, which decides how many samples are in flight: few enough to
 * be near each other in memory and return soon, but enough to keep the memory busy. Of 64 to 512
 * threads per multiprocessor, the best were 256 for single samples, 384 for pairs, and 512 at short
 * strides, where hashing takes longer than reading [H200]. */
static void shape_samples(const struct cuda_worker *worker, const struct pattern_arguments *a,
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

uint64_t cuda_range_limit(const struct trawl_plan *plan, const struct cuda_range *range)
{
    uint64_t min = plan->length_min;

    TRAWL_ASSERT(range->begin <= range->end && range->end <= range->text_end);
    if (range->text_end < min || range->text_end - min + 1 <= range->begin)
        return range->begin;
    return min_u64(range->end, range->text_end - min + 1);
}

void cuda_launch_prepare(const struct cuda_worker *worker, const struct cuda_range *range,
                         uint64_t limit, enum want want, struct cuda_launch *launch)
{
    const struct cuda_tables *tables = worker->tables;
    struct scan_arguments *a = &launch->arguments.scan;
    struct pattern_arguments *pattern = &launch->arguments.pattern;
    /* With limits.before_bytes, which tests set, positions are numbered as if this many bytes
     * preceded the text. Starts near the beginning of the text keep their numbers, because kernels
     * read up to BEFORE_BYTES_MIN bytes before a start. */
    uint64_t before = range->begin >= BEFORE_BYTES_MIN ? worker->limits.before_bytes : 0;
    enum cuda_kernel kernel;
    uint32_t blocks;

    TRAWL_ASSERT(range->begin < limit && limit <= range->text_end);
    kernel = cuda_choose_kernel(worker, limit - range->begin, want);
    TRAWL_ASSERT(!cuda_is_automaton(kernel) || tables->automaton == CUDA_AUTOMATON_READY);
    blocks = blocks_for(worker, kernel);
    memset(&launch->found, 0, sizeof launch->found);
    launch->kernel = kernel;
    launch->threads = worker->limits.threads;
    launch->shared_bytes = 0;
    if (cuda_is_set(kernel))
        launch->arguments.set = tables->set;
    else if (cuda_is_automaton(kernel))
        launch->arguments.automaton = tables->of_automaton;
    else
        *pattern = tables->pattern;
    a->text = (const uint8_t *)(uintptr_t)(range->address - before);
    a->begin = before + range->begin;
    a->limit = before + limit;
    a->text_end = before + range->text_end;
    a->position = a->begin & ~15ull;
    if (kernel == CUDA_KERNEL_STREAM_SAMPLED) {
        shape_samples(worker, pattern, &blocks, &launch->threads);
        choose_groups(worker, blocks, pattern);
    } else if (cuda_is_set(kernel)) {
        cuda_sets_prepare(worker, blocks, launch);
    } else if (cuda_is_automaton(kernel)) {
        cuda_automaton_prepare(worker, tables, &blocks, launch);
    } else if (is_stream(kernel)) {
        if (kernel == CUDA_KERNEL_APPEND_STREAM && !cuda_choose_decides(pattern)) {
            pattern->shift = 0; /* it compares all bytes at once */
            pattern->is_exact = 1;
            pattern->gram_kind = SCAN_GRAM_MASKED;
        }
        choose_stream_tiles(worker, blocks, pattern);
    } else {
        TRAWL_ASSERT(pattern->plane.probe_bits != 0);
        choose_tiles(worker, blocks, pattern);
    }
    TRAWL_ASSERT(a->tile_count > 0 && blocks > 0);
    launch->blocks = (uint32_t)min_u64(min_u64(blocks, SCAN_BLOCKS_MAX), a->tile_count);
}

/* Allocates the launch's sums, which are zero between launches, with the bytes of
 * scan_arguments.spare behind them, and its answer. */
static enum trawl_status sums_reserve(struct cuda_worker *worker, struct trawl_error *error)
{
    uint64_t bytes = SPARE_AT + STREAM_STEP_BYTES + 8;

    if (worker->sums_ready)
        return TRAWL_OK;
    TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->sums, bytes, error));
    TRAWL_TRY(cuda_pinned_reserve(worker->device, &worker->answers, sizeof(struct scan_result),
                                  CUDA_HOST_MAPPED, error));
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, worker->sums.address, 0,
                        (size_t)worker->sums.bytes, worker->stream));
    worker->sums_ready = true;
    return TRAWL_OK;
}

/* Allocates the list of tiles that a stream kernel gives up, with one more entry than this launch
 * has tiles, so that it suffices for later launches, too: at another offset of the text, as many
 * starts may need one more tile. */
static enum trawl_status list_reserve(struct cuda_worker *worker, const struct cuda_launch *launch,
                                      struct trawl_error *error)
{
    bool lists = is_stream(launch->kernel) && !cuda_is_set(launch->kernel);

    return cuda_memory_reserve(
        worker->device, &worker->offsets,
        lists ? (launch->arguments.scan.tile_count + 1ull) * sizeof(uint32_t) : 0, error);
}

static enum trawl_status start(struct cuda_worker *worker, struct cuda_launch *launch,
                               struct trawl_error *error)
{
    struct scan_arguments *a = &launch->arguments.scan;
    struct pattern_arguments *pattern = &launch->arguments.pattern;

    TRAWL_ASSERT(launch->blocks <= SCAN_BLOCKS_MAX);
    a->result = (struct scan_result *)(uintptr_t)worker->sums.address;
    a->answer = (struct scan_result *)(void *)worker->answers.bytes;
    if (is_stream(launch->kernel) && !cuda_is_set(launch->kernel)) {
        pattern->tile_list = (uint32_t *)(uintptr_t)worker->offsets.address;
        pattern->spare = (const uint8_t *)(uintptr_t)(worker->sums.address + SPARE_AT);
    }
    memset(a->answer, 0, sizeof *a->answer); /* nothing has arrived yet */
    return cuda_worker_launch(worker, launch->kernel, launch->blocks, launch->threads,
                              launch->shared_bytes, a, error);
}

/* Returns true if the kernel's answer has arrived, word by word, each with the bit SCAN_THERE. */
static bool is_answered(const void *context)
{
    const struct cuda_launch *launch = (const struct cuda_launch *)context;
    const struct scan_result *answer = launch->arguments.scan.answer;
    const uint64_t *words = (const uint64_t *)(const void *)answer;
    bool there = true;

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
}

enum trawl_status cuda_launch_wait(struct cuda_worker *worker,
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
static enum trawl_status launch_kernel(struct cuda_worker *worker, struct cuda_launch *launch,
                                       struct trawl_error *error)
{
    TRAWL_TRY(start(worker, launch, error));
    cuda_choose_meanwhile(worker);
    TRAWL_TRY(cuda_launch_wait(worker, is_answered, launch, error));
    add_answer(launch, launch->arguments.scan.answer);
    return TRAWL_OK;
}

enum trawl_status cuda_launch_run(struct cuda_worker *worker, struct cuda_launch *launch,
                                  struct trawl_error *error)
{
    struct scan_arguments *a = &launch->arguments.scan;
    const struct pattern_arguments *pattern = &launch->arguments.pattern;

    TRAWL_TRY(sums_reserve(worker, error));
    TRAWL_TRY(list_reserve(worker, launch, error));
    TRAWL_TRY(launch_kernel(worker, launch, error));
    if (launch->found.listed == 0 || launch->found.listed > a->listed_max)
        return TRAWL_OK;
    TRAWL_ASSERT(launch->found.listed <= a->tile_count && !cuda_is_set(launch->kernel));
    launch->kernel = CUDA_KERNEL_PLANES;
    launch->shared_bytes = 0;
    launch->threads = worker->limits.threads;
    if (pattern->tile_words % launch->threads != 0)
        launch->threads = 32;
    a->tile_count = (uint32_t)(launch->found.listed * max_u64(pattern->group_tiles, 1));
    launch->blocks = (uint32_t)min_u64(blocks_for(worker, launch->kernel), a->tile_count);
    return launch_kernel(worker, launch, error);
}
