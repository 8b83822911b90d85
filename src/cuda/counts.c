/* counts: counts in chunks that lie on the device, begun without waiting for any.
 *
 * So one thread keeps several devices busy: it begins all of their counts, then ends them. A launch
 * that needs more than itself, and whatever fails, is left to a scan.
 */
#include "cuda/counts.h"

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/launch.h"
#include "cuda/residents.h"

struct cuda_counts {
    struct cuda_launch launches[ENGINE_COUNTS_MAX];
    bool ends[ENGINE_COUNTS_MAX]; /* it is the last of its chunk */
    uint32_t begun;
    uint32_t ended;
    uint64_t first_ns;     /* when the first began, by cuda_clock_ns, */
    uint64_t first_begins; /* in which so many begins are */
};

/* Before the first of them: what all of them need. */
static bool reserve(struct engine_worker *worker)
{
    void *memory;

    if (worker->counts == NULL) {
        if (memory_allocate(1, sizeof *worker->counts, &memory, NULL) != TRAWL_OK)
            return false;
        worker->counts = (struct cuda_counts *)memory;
        worker->counts->begun = worker->counts->ended = 0;
    }
    if (worker->counts->begun > 0)
        return worker->counts->begun < ENGINE_COUNTS_MAX && worker->tables.ready;
    return cuda_tables_want(worker, NULL) == TRAWL_OK &&
           cuda_sums_reserve(worker, ENGINE_COUNTS_MAX, NULL) == TRAWL_OK;
}

static bool submit(struct engine_worker *worker, const struct cuda_range *range, uint64_t limit)
{
    struct cuda_counts *counts = worker->counts;
    struct cuda_launch *launch = &counts->launches[counts->begun];

    TRAWL_ASSERT(range->begin < limit);
    cuda_launch_prepare(worker, &worker->tables, range, limit, WANT_COUNT, launch);
    /* They share the list of tiles: none is taken from it if a launch lists any. But it must not
     * move while one is running. */
    if (counts->begun > 0 && cuda_list_bytes(launch) > worker->offsets.bytes)
        return false;
    if (counts->begun == 0) {
        counts->first_ns = cuda_clock_ns();
        counts->first_begins = limit - range->begin;
    }
    if (cuda_list_reserve(worker, launch, NULL) != TRAWL_OK ||
        cuda_launch_submit(worker, launch, counts->begun, NULL) != TRAWL_OK)
        return false;
    counts->ends[counts->begun++] = limit == range->end;
    return true;
}

/* The chunk's begins, in as many launches of about the same size as they take. */
static bool submit_all(struct engine_worker *worker, struct cuda_range *range)
{
    struct cuda_counts *counts = worker->counts;
    uint64_t most = cuda_launch_begins_max(worker, WANT_COUNT), launches, part;
    uint32_t begun = counts->begun;

    range->end = cuda_range_limit(worker->plan, range);
    if (worker->tables.dense_left > 0 || range->end == range->begin)
        return false;
    launches = (range->end - range->begin - 1) / most + 1;
    if (launches > ENGINE_COUNTS_MAX - begun)
        return false;
    part = (range->end - range->begin - 1) / launches + 1;
    TRAWL_ASSERT(part > 0 && part <= most);
    for (; range->begin < range->end; range->begin += part)
        if (!submit(worker, range, min_u64(range->begin + part, range->end))) {
            counts->begun = begun; /* those of this chunk that run find nobody who asks */
            cuda_worker_failed(worker);
            return false;
        }
    return true;
}

bool cuda_count_begin(struct engine_worker *worker, const struct engine_chunk *chunk)
{
    uint64_t available = chunk->owned + chunk->after, at = 0;
    struct cuda_range range = {0, 0, 0, 0};

    if (plan_needs_refining(worker->plan) || worker->chunks_left > 0 ||
        worker->limits.kernels_timed ||
        !cuda_worker_resident(worker, chunk->bytes, available, &range.address, &at))
        return false;
    range.begin = at;
    range.end = at + chunk->owned;
    range.text_end = at + available;
    worker->may_leave = chunk->may_be_left;
    worker->searched = chunk->bytes;
    worker->searched_bytes = chunk->owned;
    return reserve(worker) && submit_all(worker, &range);
}

/* All of it; false: that is left to a scan. Only of a launch by itself is the list of tiles there.
 */
static bool end_launch(struct engine_worker *worker, struct cuda_launch *launch, uint32_t slot)
{
    const struct cuda_counts *counts = worker->counts;
    bool is_alone = counts->begun == 1;

    if (cuda_launch_wait(worker, launch, slot, NULL) != TRAWL_OK ||
        (is_alone && cuda_launch_rest(worker, launch, NULL) != TRAWL_OK)) {
        cuda_worker_failed(worker);
        return false;
    }
    if (!is_alone || launch->found.listed > launch->arguments.listed_max)
        return launch->found.listed == 0;
    cuda_tables_told(worker, counts->first_begins, cuda_clock_ns() - counts->first_ns);
    return true;
}

bool cuda_count_end(struct engine_worker *worker, uint64_t *count, uint64_t *candidate_count)
{
    struct cuda_counts *counts = worker->counts;
    bool counted = true, last = false;

    *count = *candidate_count = 0;
    while (!last) {
        struct cuda_launch *launch = &counts->launches[counts->ended];

        TRAWL_ASSERT(counts->ended < counts->begun);
        last = counts->ends[counts->ended];
        counted = end_launch(worker, launch, counts->ended++) && counted;
        *count += launch->found.count;
        *candidate_count += launch->found.candidates;
    }
    if (counts->ended == counts->begun)
        counts->begun = counts->ended = 0;
    return counted;
}

void cuda_counts_free(struct engine_worker *worker)
{
    memory_release(worker->counts, 1, sizeof *worker->counts);
}
