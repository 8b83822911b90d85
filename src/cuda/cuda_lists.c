/* cuda_lists: lists of hits in a device's memory, and how they are sorted. */
#include "cuda/cuda_lists.h"

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/launch.h"
#include "cuda/prices.def"

/* Returns how many hits these positions have if they are as frequent as in the plan's last list. */
static uint64_t expected(const struct cuda_worker *worker, uint64_t positions)
{
    return (uint64_t)(max_double(worker->tables->list_share, 0) * (double)positions + 0.5);
}

uint64_t cuda_lists_words(const struct cuda_worker *worker, uint64_t positions)
{
    uint64_t hits = expected(worker, positions);
    uint64_t words = max_u64(positions / LISTS_POSITIONS, worker->limits.lists_min);

    words = max_u64(words, worker->lists[0].bytes / sizeof(uint64_t));
    return min_u64(max_u64(words, hits + hits / 4 + 1), worker->limits.lists_max);
}

uint64_t cuda_lists_reach(const struct cuda_worker *worker)
{
    double share = worker->tables->list_share, max = (double)worker->limits.lists_max * 3 / 4;

    return share * (double)CUDA_RANGE_BYTES_MAX <= max ? CUDA_RANGE_BYTES_MAX
                                                       : (uint64_t)max_double(max / share, 1);
}

enum trawl_status cuda_lists_reserve(struct cuda_worker *worker, uint64_t words,
                                     struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    for (uint32_t i = 0; i < 2 && status == TRAWL_OK; i++)
        status =
            cuda_memory_reserve(worker->device, &worker->lists[i], words * sizeof(uint64_t), error);
    if (status != TRAWL_OK) { /* one list alone is useless */
        cuda_memory_release(worker->device, &worker->lists[0]);
        return status;
    }
    return cuda_memory_reserve(worker->device, &worker->digits,
                               (uint64_t)SORT_BLOCKS_MAX * SORT_DIGITS * sizeof(uint32_t), error);
}

enum trawl_status cuda_lists_launch(struct cuda_worker *worker, enum cuda_kernel kernel,
                                    uint64_t threads, uint64_t blocks_max, void *arguments,
                                    struct trawl_error *error)
{
    uint64_t each = min_u64((threads + 31) / 32 * 32, LISTS_THREADS);
    uint64_t blocks = (threads + each - 1) / each;

    TRAWL_ASSERT(threads > 0);
    if (blocks_max > 0)
        blocks = min_u64(blocks, blocks_max);
    return cuda_worker_launch(worker, kernel, blocks, (uint32_t)each, 0, arguments, error);
}

/* Sorts list *which by one digit, or a short list completely, into the worker's other list, or into
 * `room` if that is not NULL. */
static enum trawl_status sort_turn(struct cuda_worker *worker, struct sort_arguments *a,
                                   uint32_t *which, const struct cuda_hits_room *room,
                                   struct trawl_error *error)
{
    uint64_t tiles = (a->count + SORT_TILE - 1) / SORT_TILE;
    uint64_t blocks = min_u64(tiles, SORT_BLOCKS_MAX);

    a->from = (const uint64_t *)(uintptr_t)worker->lists[*which].address;
    *which ^= 1;
    a->to = (uint64_t *)(uintptr_t)worker->lists[*which].address;
    a->base = 0;
    a->factor = 1ull << 32;
    a->capacity = worker->lists[*which].bytes / sizeof(uint64_t);
    if (room != NULL) {
        a->to = (uint64_t *)(uintptr_t)room->address;
        a->base = room->base;
        a->factor = room->literal;
        a->capacity = room->count;
    }
    if (a->count <= worker->limits.ranked_max)
        return cuda_lists_launch(worker, CUDA_KERNEL_SORT_RANK, a->count, 0, a, error);
    a->share = (tiles + blocks - 1) / blocks * SORT_TILE;
    a->counts = (uint32_t *)(uintptr_t)worker->digits.address;
    TRAWL_TRY(
        cuda_lists_launch(worker, CUDA_KERNEL_SORT_DIGITS, blocks * LISTS_THREADS, 0, a, error));
    return cuda_lists_launch(worker, CUDA_KERNEL_SORT_SCATTER, blocks * LISTS_THREADS, 0, a, error);
}

enum trawl_status cuda_lists_sort(struct cuda_worker *worker, uint32_t *which, uint64_t count,
                                  uint32_t low_bits, uint32_t high_bits,
                                  const struct cuda_hits_room *room, struct trawl_error *error)
{
    struct sort_arguments a = {.count = count};

    TRAWL_ASSERT(count > 0 && count <= UINT32_MAX && low_bits <= 32 && high_bits <= 32);
    if (count <= worker->limits.ranked_max)
        return sort_turn(worker, &a, which, room, error);
    for (a.shift = 32; a.shift < 32 + high_bits; a.shift += SORT_DIGIT_BITS)
        TRAWL_TRY(sort_turn(worker, &a, which, NULL, error));
    for (a.shift = 0; a.shift + SORT_DIGIT_BITS < low_bits; a.shift += SORT_DIGIT_BITS)
        TRAWL_TRY(sort_turn(worker, &a, which, NULL, error));
    return sort_turn(worker, &a, which, room, error);
}

/* ---- Answers of a list ----------------------------------------------------------------------- */

enum trawl_status cuda_lists_answering(struct cuda_worker *worker, struct trawl_error *error)
{
    return worker->answering != NULL ? TRAWL_OK : MEMORY_ZEROED(worker->answering, 1, error);
}

enum trawl_status cuda_lists_sums(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_answering *own;

    TRAWL_TRY(cuda_lists_answering(worker, error));
    own = worker->answering;
    if (own->sums_ready)
        return TRAWL_OK;
    TRAWL_TRY(
        cuda_memory_reserve(worker->device, &own->sums, ANSWER_SUMS * sizeof(uint64_t), error));
    TRAWL_TRY(cuda_pinned_reserve(worker->device, &own->told, (ANSWER_SUMS + 2) * sizeof(uint64_t),
                                  CUDA_HOST_MAPPED, error));
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, own->sums.address, 0,
                        ANSWER_SUMS * sizeof(uint64_t), worker->stream));
    own->sums_ready = true;
    return TRAWL_OK;
}

static bool result_arrived(const void *context)
{
    const struct answer_arguments *a = (const struct answer_arguments *)context;

    return __atomic_load_n(&a->told[ANSWER_DONE], __ATOMIC_ACQUIRE) == a->launch;
}

enum trawl_status cuda_lists_run(struct cuda_worker *worker, enum cuda_kernel kernel,
                                 uint64_t threads, uint64_t blocks_max, struct answer_arguments *a,
                                 const uint64_t **sums, struct trawl_error *error)
{
    a->sums = (uint64_t *)(uintptr_t)worker->answering->sums.address;
    a->told = (uint64_t *)(void *)worker->answering->told.bytes;
    a->launch = ++worker->launches;
    TRAWL_TRY(cuda_lists_launch(worker, kernel, threads, blocks_max, a, error));
    *sums = a->told;
    return cuda_launch_wait(worker, result_arrived, a, error);
}

enum trawl_status cuda_lists_check(const struct cuda_worker *worker, const uint64_t *sums,
                                   struct trawl_error *error)
{
    if (sums[ANSWER_FAULT] == 0)
        return TRAWL_OK;
    return TRAWL_FAIL(error, UNSUPPORTED,
                      "%s leaves expressions to the host: a line or record is too long",
                      worker->device->name);
}

enum trawl_status cuda_lists_filter(struct cuda_worker *worker, enum cuda_kernel kernel,
                                    struct answer_arguments *a, bool lists, uint32_t *which,
                                    uint64_t *count, struct trawl_error *error)
{
    const uint64_t *sums;

    if (*count == 0)
        return TRAWL_OK;
    a->hits = (const uint64_t *)(uintptr_t)worker->lists[*which].address;
    a->count = *count;
    *which ^= 1;
    a->kept = lists ? (uint64_t *)(uintptr_t)worker->lists[*which].address : NULL;
    TRAWL_TRY(cuda_lists_run(worker, kernel, *count, 0, a, &sums, error));
    TRAWL_ASSERT(sums[ANSWER_KEPT] <= *count);
    *count = sums[ANSWER_KEPT];
    return cuda_lists_check(worker, sums, error);
}

enum trawl_status cuda_lists_decide(struct cuda_worker *worker, struct answer_arguments *a,
                                    uint32_t *which, uint64_t *count, struct trawl_error *error)
{
    const struct line_reader *reader = worker->plan->line_reader;

    if (reader == NULL || reader->finds || reader->reads_all)
        return TRAWL_OK;
    return cuda_lists_filter(
        worker, reader->first != NULL ? CUDA_KERNEL_ANSWER_AROUND : CUDA_KERNEL_ANSWER_DECIDE, a,
        true, which, count, error);
}
