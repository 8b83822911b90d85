/* cuda_bins: chooses the bins of a list */
#include "cuda/cuda_bins.h"

#include "base/checked.h"
#include "cuda/cuda_lists.h"

/* a bin has at most 2^16 positions, and at least those of a step of stream.h */
#define SHIFT_MAX 16u
#define SHIFT_MIN 11u
#define SHARE_FIRST (1.0 / 512)
#define WIDE_SLOTS (1u << 27) /* slots of all bins, at most, if each is wider than expected */
#define HITS_EACH 24.0 /* hits expected in a bin, at most, unless it is as short as possible */

static bool leaves_runs(const struct cuda_launch *launch)
{
    return launch->kernel == CUDA_KERNEL_APPEND_STREAM;
}

static uint64_t bins_of(const struct cuda_launch *launch)
{
    const struct scan_arguments *a = &launch->arguments;

    return leaves_runs(launch) ? (uint64_t)a->tile_count * (a->tile_words * 32 / BINS_STEP_BYTES)
                               : ((a->limit - 1 - a->begin) >> a->bin_shift) + 1;
}

double cuda_bins_share(const struct engine_worker *worker)
{
    return worker->tables->list_share < 0 ? SHARE_FIRST : worker->tables->list_share;
}

/* Chooses bins that will probably have few hits each, and more room than these need. */
static void choose_bins(const struct engine_worker *worker, struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    double share = cuda_bins_share(worker), hits, root = 1;

    a->bin_shift = SHIFT_MAX;
    while (a->bin_shift > SHIFT_MIN && share * (double)(1u << a->bin_shift) > HITS_EACH)
        a->bin_shift--;
    hits = share * (double)(1u << a->bin_shift);
    while (root * root < hits)
        root++;
    a->capacity = ((uint64_t)(hits + 6 * root) + 47) / 16 * 16;
    if (worker->tables->wide_bins) /* as many bytes as the bin's text */
        a->capacity = max_u64(a->capacity, min_u64((1u << a->bin_shift) / sizeof(uint64_t),
                                                   WIDE_SLOTS / bins_of(launch)));
    a->capacity = min_u64(a->capacity, BINS_SLOTS_MAX);
}

enum trawl_status cuda_bins_begin(struct engine_worker *worker, struct cuda_launch *launch,
                                  struct trawl_error *error)
{
    struct scan_arguments *a = &launch->arguments;
    uint64_t bins;

    if (leaves_runs(launch))
        a->capacity = BINS_RUN_BYTES / sizeof(uint64_t);
    else
        choose_bins(worker, launch);
    bins = bins_of(launch);
    TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->bins,
                                  bins * a->capacity * sizeof(uint64_t), error));
    TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->bin_counts,
                                  (bins / 2 + 2 + BINS_BLOCKS_MAX) * sizeof(uint64_t), error));
    a->hits = (uint64_t *)(uintptr_t)worker->bins.address;
    a->bin_counts = (uint32_t *)(uintptr_t)(worker->bin_counts.address + sizeof(uint64_t));
    if (leaves_runs(launch)) /* each step's count is written */
        return TRAWL_OK;
    return CUDA_CALL(worker->device, error, fill, worker->bin_counts.address, 0,
                     (size_t)((bins / 2 + 2) * sizeof(uint64_t)), worker->stream);
}

enum trawl_status cuda_bins_take(struct engine_worker *worker, const struct cuda_launch *launch,
                                 const struct cuda_hits_room *room, bool *fits,
                                 struct trawl_error *error)
{
    const struct scan_arguments *s = &launch->arguments;
    uint64_t bins = bins_of(launch), blocks = min_u64((bins + 7) / 8, BINS_BLOCKS_MAX);
    uint64_t *told = &((struct scan_result *)(void *)worker->answers.bytes)->listed;
    bool runs = leaves_runs(launch);
    struct bins_arguments a = {
        .slots = s->hits,
        .counts = s->bin_counts,
        .bins = bins,
        .share = (bins + blocks - 1) / blocks,
        .slots_each = runs ? UINT32_MAX : (uint32_t)s->capacity,
        .sums = (uint32_t *)(uintptr_t)(worker->bin_counts.address + (bins / 2 + 2) * 8),
        .full = (uint64_t *)(uintptr_t)worker->bin_counts.address,
        .told = told,
        .to = (uint64_t *)(uintptr_t)room->address,
        .base = room->base,
        .factor = room->literal,
        .capacity = room->count};

    *fits = runs || launch->found.count <= bins * s->capacity; /* else, counts may have wrapped */
    if (!*fits)
        return TRAWL_OK;
    if (room->address == 0) {
        TRAWL_TRY(cuda_lists_reserve(worker, room->count, error));
        a.to = (uint64_t *)(uintptr_t)worker->lists[0].address;
        a.base = 0;
        a.factor = 1ull << 32;
    }
    if (runs) /* offsets count from the first step, in which hits before the range's begin end */
        a.base += s->position - s->shift - s->begin;
    if (bins > BINS_FEW)
        TRAWL_TRY(
            cuda_lists_launch(worker, CUDA_KERNEL_BINS_SUM, blocks * LISTS_THREADS, 0, &a, error));
    TRAWL_TRY(cuda_lists_launch(worker, runs ? CUDA_KERNEL_BINS_GATHER : CUDA_KERNEL_BINS_SORT,
                                blocks * LISTS_THREADS, 0, &a, error));
    if (room->ahead > 0) {
        worker->landing_busy = true;
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, worker->landing.bytes,
                            room->address, (size_t)(room->ahead * sizeof(uint64_t)),
                            worker->stream));
    }
    TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    *fits = runs || __atomic_load_n(told, __ATOMIC_ACQUIRE) == 0;
    return TRAWL_OK;
}
