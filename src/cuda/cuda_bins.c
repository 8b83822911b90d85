/* cuda_bins: chooses the bins of a list */
#include "cuda/cuda_bins.h"

#include "base/checked.h"
#include "cuda/cuda_lists.h"
#include "cuda/prices.def"

/* a bin has 2^8 to 2^16 positions: shorter ones would take more memory than the text */
#define SHIFT_MAX 16u
#define SHIFT_MIN 8u
#define SLOTS_MIN 32u
#define NOT_REPORTED 2u /* the kernel will write 0, or 1 if some bin was full */

/* Returns true if the kernel leaves hits in order, step by step (tile_append_step). */
static bool leaves_runs(const struct cuda_launch *launch)
{
    return launch->kernel == CUDA_KERNEL_APPEND_STREAM ||
           launch->kernel == CUDA_KERNEL_APPEND_PLANES;
}

static uint64_t bins_of(const struct cuda_launch *launch)
{
    const struct scan_arguments *a = &launch->arguments.scan;

    if (leaves_runs(launch))
        return (uint64_t)a->tile_count *
               (launch->arguments.pattern.tile_words * 32 / STREAM_STEP_BYTES);
    if (cuda_is_automaton(launch->kernel))
        return (uint64_t)a->tile_count * launch->threads; /* the parts of all threads */
    return ((a->limit - 1 - a->begin) >> a->bin_shift) + 1;
}

double cuda_bins_share(const struct cuda_worker *worker)
{
    return worker->tables->list_share < 0 ? 1.0 / LISTS_POSITIONS : worker->tables->list_share;
}

/* Chooses bins that will probably have few hits each, and more room than these need. */
static void choose_bins(const struct cuda_worker *worker, struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments.scan;
    double share = cuda_bins_share(worker), hits, root = 1;

    a->bin_shift = SHIFT_MAX;
    while (a->bin_shift > SHIFT_MIN && share * (double)(1u << a->bin_shift) > HITS_EACH)
        a->bin_shift--;
    hits = share * (double)(1u << a->bin_shift);
    while (root * root < hits)
        root++;
    a->capacity = max_u64(((uint64_t)(hits + 6 * root) + 31) / 16 * 16, SLOTS_MIN);
    if (worker->tables->wide_bins) /* as many bytes as the bin's text */
        a->capacity = max_u64(a->capacity, min_u64((1u << a->bin_shift) / sizeof(uint64_t),
                                                   WIDE_SLOTS / bins_of(launch)));
    a->capacity = min_u64(a->capacity, BINS_SLOTS_MAX);
}

enum trawl_status cuda_bins_begin(struct cuda_worker *worker, const struct cuda_hits_room *room,
                                  struct cuda_launch *launch, struct trawl_error *error)
{
    struct scan_arguments *a = &launch->arguments.scan;
    bool counts = cuda_is_automaton(launch->kernel), marks = false;
    uint64_t bins;

    if (counts && room->address != 0 && room->literal == 0 && !worker->tables->is_nested) {
        launch->kernel = CUDA_KERNEL_MARK_AUTOMATON;
        marks = true;
    }
    if (counts) /* words for a part's marks, or for where its hits end */
        a->capacity = marks ? launch->arguments.automaton.automaton.part_bytes / 64 : 1;
    else if (leaves_runs(launch))
        a->capacity = BINS_RUN_BYTES / sizeof(uint64_t);
    else
        choose_bins(worker, launch);
    bins = bins_of(launch);
    TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->bins,
                                  bins * a->capacity * sizeof(uint64_t), error));
    TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->bin_counts,
                                  (bins / 2 + 2 + BINS_BLOCKS_MAX) * sizeof(uint64_t), error));
    a->hits = counts && !marks ? NULL : (uint64_t *)(uintptr_t)worker->bins.address;
    a->bin_counts = (uint32_t *)(uintptr_t)(worker->bin_counts.address + sizeof(uint64_t));
    if (counts || leaves_runs(launch)) /* each count is written */
        return TRAWL_OK;
    return CUDA_CALL(worker->device, error, fill, worker->bin_counts.address, 0,
                     (size_t)((bins / 2 + 2) * sizeof(uint64_t)), worker->stream);
}

static bool result_arrived(const void *context)
{
    return __atomic_load_n((const uint64_t *)context, __ATOMIC_ACQUIRE) != NOT_REPORTED;
}

/* Lets write_automaton write the hits that count_automaton has counted. */
static enum trawl_status launch_write_hits(struct cuda_worker *worker,
                                           const struct cuda_launch *launch,
                                           const struct bins_arguments *to,
                                           struct trawl_error *error)
{
    struct cuda_launch again = *launch;

    again.kernel = CUDA_KERNEL_WRITE_AUTOMATON;
    again.arguments.automaton.part_ends = (const uint64_t *)(uintptr_t)worker->bins.address;
    again.arguments.automaton.hits_base = to->base;
    again.arguments.automaton.hits_literal = to->factor;
    again.arguments.scan.hits = to->to;
    again.arguments.scan.capacity = to->capacity;
    return cuda_launch_run(worker, &again, error);
}

/* Starts the kernels that move the launch's hits to a->to. */
static enum trawl_status move(struct cuda_worker *worker, const struct cuda_launch *launch,
                              struct bins_arguments *a, uint64_t threads, struct trawl_error *error)
{
    struct bins_arguments ends = *a;

    if (a->bins > BINS_FEW)
        TRAWL_TRY(cuda_lists_launch(worker, CUDA_KERNEL_BINS_SUM, threads, 0, a, error));
    if (leaves_runs(launch))
        return cuda_lists_launch(worker, CUDA_KERNEL_BINS_GATHER, threads, 0, a, error);
    if (launch->kernel == CUDA_KERNEL_MARK_AUTOMATON)
        return cuda_lists_launch(worker, CUDA_KERNEL_BINS_MARKS, threads, 0, a, error);
    if (!cuda_is_automaton(launch->kernel))
        return cuda_lists_launch(worker, CUDA_KERNEL_BINS_SORT, threads, 0, a, error);
    ends.to = (uint64_t *)(uintptr_t)worker->bins.address;
    TRAWL_TRY(cuda_lists_launch(worker, CUDA_KERNEL_BINS_ENDS, threads, 0, &ends, error));
    return launch_write_hits(worker, launch, a, error);
}

enum trawl_status cuda_bins_take(struct cuda_worker *worker, const struct cuda_launch *launch,
                                 const struct cuda_hits_room *room, bool *fits,
                                 struct trawl_error *error)
{
    const struct scan_arguments *s = &launch->arguments.scan;
    uint64_t bins = bins_of(launch);
    uint64_t each = cuda_is_automaton(launch->kernel) ? LISTS_THREADS : 8; /* bins of a block */
    uint64_t blocks = min_u64((bins + each - 1) / each, BINS_BLOCKS_MAX);
    uint64_t *told = &((struct scan_result *)(void *)worker->answers.bytes)->listed;
    bool sorts = !leaves_runs(launch) && !cuda_is_automaton(launch->kernel);
    struct bins_arguments a = {
        .slots = s->hits,
        .counts = s->bin_counts,
        .bins = bins,
        .share = ((bins + blocks - 1) / blocks + 31) & ~31ull, /* marks of 32 bins lie together */
        .slots_each = sorts ? (uint32_t)s->capacity : UINT32_MAX,
        .sums = (uint32_t *)(uintptr_t)(worker->bin_counts.address + (bins / 2 + 2) * 8),
        .full = (uint64_t *)(uintptr_t)worker->bin_counts.address,
        .told = told,
        .to = (uint64_t *)(uintptr_t)room->address,
        .base = room->base,
        .factor = room->literal,
        .capacity = room->count};

    *fits = !sorts || launch->found.count <= bins * s->capacity; /* else, counts may have wrapped */
    if (!*fits)
        return TRAWL_OK;
    if (room->address == 0) {
        TRAWL_TRY(cuda_lists_reserve(worker, room->count, error));
        a.to = (uint64_t *)(uintptr_t)worker->lists[0].address;
        a.base = 0;
        a.factor = 1ull << 32;
    }
    if (leaves_runs(launch)) /* offsets count from the first step */
        a.base += s->position - launch->arguments.pattern.shift - s->begin;
    if (launch->kernel == CUDA_KERNEL_MARK_AUTOMATON) {
        a.base += s->position - s->begin;
        a.slots_each = (uint32_t)s->capacity * 64;
    }
    *told = NOT_REPORTED;
    TRAWL_TRY(move(worker, launch, &a, blocks * LISTS_THREADS, error));
    if (!sorts)
        return TRAWL_OK;
    TRAWL_TRY(cuda_launch_wait(worker, result_arrived, told, error));
    *fits = *told == 0;
    return TRAWL_OK;
}
