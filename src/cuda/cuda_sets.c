/* cuda_sets: starts the kernels that build the tables of stream_set, whose form cuda_choose.c has
 * chosen */
#include "cuda/cuda_sets.h"

#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"
#include "cuda/prices.def"

#define TILE_STEPS 16u
#define TILE_BYTES_MAX (1u << 18)
/* maximum blocks per multiprocessor for the kernel that fills the tables */
#define FILL_BLOCKS 8u

/* Returns about -log2(x), for 0 < x <= 1. */
static float rarity_of(double x)
{
    float bits = 0, part = 0.5f;

    TRAWL_ASSERT(x > 0);
    while (x < 0.5) {
        x *= 2;
        bits++;
    }
    for (uint32_t i = 0; i < 6; i++) {
        x *= x;
        if (x < 0.5) {
            bits += part;
            x *= 2;
        }
        part /= 2;
    }
    return bits;
}

void cuda_sets_rarity(const struct trawl_plan *plan, const struct scan_sets *sets, uint32_t *rarity)
{
    struct byte_rates rates;

    analyse_rates(NULL, 0, plan_literal_bytes(plan, 0), plan_literal_at(plan, 0).bytes_count,
                  sets->fold != 0, &rates);
    for (uint32_t b = 0; b < 256; b++)
        rarity[b] = (uint32_t)(rarity_of(rates.rate[b] + 1e-9) * (1u << SCAN_SETS_RARITY));
}

/* Returns the factor for the k-th word of a gram in its hash. If the gram ends within the word, the
 * factor shifts the bytes after the gram out of the product. */
static uint32_t gram_factor(uint32_t k, uint32_t gram_bytes)
{
    static const uint32_t factors[4] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu};
    uint32_t bytes = gram_bytes > 4 * k ? gram_bytes - 4 * k : 0;

    TRAWL_ASSERT(k < 4 && gram_bytes <= ANALYSE_GRAM_MAX);
    return bytes == 0 ? 0 : bytes >= 4 ? factors[k] : factors[k] << 8 * (4 - bytes);
}

void cuda_sets_derive(const struct cuda_worker *worker, const struct trawl_plan *plan,
                      struct scan_sets *sets)
{
    sets->literal_count = plan->literal_count;
    while (1u << sets->stride_log2 < sets->stride)
        sets->stride_log2++;
    TRAWL_ASSERT(1u << sets->stride_log2 == sets->stride);
    sets->words = cuda_sets_gram_words(sets->gram_bytes);
    sets->beside_shift =
        sets->stride + sets->choices > 4 ? 16 : 24; /* 2 bytes on each side of the gram, or 1 */
    /* of two words, the second has the gram's last 4 bytes */
    for (uint32_t k = 0; k < sets->words; k++)
        sets->factors[k] = gram_factor(k, sets->words == 2 ? 8 : sets->gram_bytes);
    sets->fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 ? 0x20202020u : 0;
    sets->bit_shifts[0] = SCAN_SETS_SHIFT;
    sets->offset_max = SCAN_SETS_RUN_MAX + sets->stride - 1;
    sets->items_max = worker->limits.sets_items_max;
    sets->shared_bytes =
        sets->filter_words * 4 + (sets->table_words == 0
                                      ? SCAN_SETS_THREADS / 32 * SCAN_SETS_RARE_WARP_BYTES
                                      : SCAN_SETS_DENSE_THREADS / 32 * SCAN_SETS_WARP_BYTES);
    TRAWL_ASSERT(sets->shared_bytes + CUDA_STATIC_SHARED_BYTES <= worker->device->shared_max);
}

/* Returns *at, the address of an array of `bytes` bytes, and moves *at to the next array. */
static uint64_t layout_take(uint64_t *at, uint64_t bytes)
{
    uint64_t address = *at;

    *at += (bytes + 255) & ~255ull;
    return address;
}

/* Lays out all tables except the lists' entries, starting at `address`. Returns their total
 * size. */
static uint64_t lay_out(uint64_t address, struct scan_sets *sets)
{
    uint64_t at = address;

    sets->filter = (uint32_t *)(uintptr_t)layout_take(&at, sets->filter_words * 4ull);
    sets->table = (uint64_t *)(uintptr_t)layout_take(&at, sets->table_words * 8ull);
    sets->taken = (uint64_t *)(uintptr_t)layout_take(&at, 8);
    sets->heads = (uint64_t *)(uintptr_t)layout_take(&at, sets->head_count * 16ull);
    return at - address;
}

static enum trawl_status launch_maker(struct cuda_worker *worker, enum cuda_kernel kernel,
                                      struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    struct set_arguments *arguments = &worker->tables->set;
    uint64_t entries = (uint64_t)arguments->sets.literal_count * arguments->sets.stride;
    uint32_t blocks = (uint32_t)min_u64((entries + SCAN_THREADS_MAX - 1) / SCAN_THREADS_MAX,
                                        (uint64_t)device->multiprocessors * FILL_BLOCKS);
    void *parameters[] = {arguments};

    TRAWL_ASSERT(blocks > 0);
    return CUDA_CALL(device, error, launch, device->functions[kernel], blocks, 1, 1,
                     worker->limits.threads, 1, 1, 0, worker->stream, parameters, NULL);
}

/* Reserves memory for the entries in the lists of the set's grams, except for each list's first
 * entry, which is in its head. A small set gets room for as many entries as are possible. A large
 * one usually has far fewer, so the function waits for the number that the kernel set_room
 * computes. */
static enum trawl_status reserve_entries(struct cuda_worker *worker, struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    struct cuda_memory *memory = &worker->tables->entries_memory;
    struct scan_sets *sets = &worker->tables->set.sets;
    uint64_t *entries = &worker->tables->entries;

    *entries = (uint64_t)sets->literal_count * sets->stride;
    if (*entries > worker->limits.sets_counted_min) {
        TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, entries, (uint64_t)(uintptr_t)sets->taken,
                            sizeof *entries, worker->stream));
        TRAWL_TRY(CUDA_CALL(device, error, stream_wait, worker->stream));
    }
    TRAWL_ASSERT(*entries <= (uint64_t)sets->literal_count * sets->stride);
    TRAWL_TRY(cuda_memory_reserve(
        worker->device, memory, cuda_worker_room(worker, *entries * sizeof *sets->entries), error));
    sets->entries = (uint64_t *)(uintptr_t)memory->address;
    return TRAWL_OK;
}

/* Starts the kernels that build the tables of stream_set. In the worker's stream, they run after
 * the copies of the plan's other tables. If the device lacks memory, sets has_sets to false, so
 * that another kernel searches instead. */
enum trawl_status cuda_sets_build(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    struct scan_sets *sets = &tables->set.sets;
    uint64_t bytes = lay_out(0, sets), zeros;
    enum trawl_status status;

    tables->has_sets = false;
    status = cuda_memory_reserve(worker->device, &tables->sets_memory,
                                 cuda_worker_room(worker, bytes), error);
    if (status == TRAWL_MEMORY)
        return TRAWL_OK;
    TRAWL_TRY(status);
    zeros = lay_out(tables->sets_memory.address, sets);
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, tables->sets_memory.address, 0, (size_t)zeros,
                        worker->stream));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_RUNS, error));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_COUNT, error));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_ROOM, error));
    status = reserve_entries(worker, error);
    if (status == TRAWL_MEMORY)
        return TRAWL_OK;
    TRAWL_TRY(status);
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_FILL, error));
    tables->has_sets = tables->sets_there = true;
    return TRAWL_OK;
}

/* Chooses the threads, the tiles and the budget of a launch. */
void cuda_sets_prepare(const struct cuda_worker *worker, uint32_t blocks,
                       struct cuda_launch *launch)
{
    struct set_arguments *a = &launch->arguments.set;
    bool rare = launch->kernel < CUDA_KERNEL_SETS_DENSE;
    uint32_t rows = rare ? SCAN_SETS_ROWS : SCAN_SETS_DENSE_ROWS, steps = TILE_STEPS;
    uint64_t step_bytes = rows * 32ull * max_u64(a->sets.stride, 16), places, end, warps;

    launch->threads = worker->limits.threads != SCAN_THREADS_MAX ? worker->limits.threads
                      : rare                                     ? SCAN_SETS_THREADS
                                                                 : SCAN_SETS_DENSE_THREADS;
    launch->shared_bytes = a->sets.shared_bytes;
    a->scan.position = a->scan.begin & ~(uint64_t)(max_u64(128, a->sets.stride) - 1);
    end = min_u64(a->scan.limit + a->sets.offset_max, a->scan.text_end);
    TRAWL_ASSERT(a->scan.position <= a->scan.begin && a->scan.begin < end);
    places = end - a->scan.position;
    warps = (uint64_t)launch->threads / 32 * blocks;
    while (steps > 1 &&
           (step_bytes * steps > TILE_BYTES_MAX || places / (step_bytes * steps) < 2 * warps))
        steps /= 2;
    a->tile_steps = steps;
    a->tile_bytes = step_bytes * steps;
    a->scan.tile_count = (uint32_t)((places + a->tile_bytes - 1) / a->tile_bytes);
    TRAWL_ASSERT(a->scan.tile_count * a->tile_bytes >= places);
    a->sets.budget = worker->limits.dense_always ? 0
                     : worker->tables->automaton == CUDA_AUTOMATON_NONE && !worker->may_leave
                         ? UINT32_MAX
                         : (uint32_t)(COST_PER_BYTE * step_bytes) << worker->tables->budget_log2;
    a->scan.listed_max = 0;
}
