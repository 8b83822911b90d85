/* many: counts of many plans and texts in one submission.
 *
 * A batch of queries is packed into a staging buffer: each plan's tables, and each text that is not
 * on the device already, once if consecutive queries share it. One copy takes the batch to the
 * device; one launch per query follows, each with its own sums and answer; the host waits for the
 * last. Queries that do not fit a batch, or need more than a kernel, are left to scans.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/worker.h"

#define QUERIES_MAX 256u    /* of a batch: the answers are small, the launches' arguments are not */
#define LITERALS_MAX 65535u /* times a text's begins: a count has 48 bits */
#define TEXT_ALIGNMENT 256u

struct cuda_many {
    struct cuda_launch launches[QUERIES_MAX];
    struct engine_query *queries[QUERIES_MAX]; /* whose each is */
};

/* A batch while it is being packed. */
struct batch {
    struct engine_worker *worker;
    const struct cuda_pinned *staging;
    uint64_t used;
    uint32_t launch_count;
    struct cuda_tables tables; /* of the plan that was packed last */
    const uint8_t *bytes;      /* the text that was found or packed last, NULL: none */
    uint64_t bytes_count;
    struct cuda_range range;
};

/* Is a launch all that it takes? */
static bool is_for_launch(const struct trawl_plan *plan, const struct engine_query *query)
{
    return plan_counts_alone(plan) && query->bytes_count < UINT32_MAX &&
           plan->literal_count <= LITERALS_MAX && cuda_tables_check(plan, NULL) == TRAWL_OK;
}

static void batch_clear(struct batch *batch)
{
    batch->used = 0;
    batch->tables.plan_serial = 0;
    batch->bytes = NULL;
}

/* false: no room. */
static bool pack_plan(struct batch *batch, const struct trawl_plan *plan)
{
    uint64_t room = batch->staging->count - batch->used, bytes;

    if (batch->tables.plan_serial == plan->serial)
        return true;
    bytes = cuda_tables_put(batch->worker, plan, batch->worker->packed.address + batch->used,
                            batch->staging->bytes + batch->used, room, &batch->tables);
    if (bytes <= room)
        batch->used += bytes;
    else
        batch->tables.plan_serial = 0;
    return bytes <= room;
}

/* false: no room. */
static bool pack_text(struct batch *batch, const uint8_t *bytes, uint64_t count)
{
    uint64_t room = batch->staging->count - batch->used, at = 0;
    uint64_t whole = (count + SCAN_PADDING_BYTES + TEXT_ALIGNMENT - 1) & ~(TEXT_ALIGNMENT - 1ull);
    struct cuda_range *range = &batch->range;

    if (batch->bytes == bytes && batch->bytes_count == count)
        return true;
    if (!cuda_worker_resident(batch->worker, bytes, count, &range->address, &at)) {
        if (whole > room)
            return false;
        memcpy(batch->staging->bytes + batch->used, bytes, (size_t)count);
        memset(batch->staging->bytes + batch->used + count, 0, (size_t)(whole - count));
        range->address = batch->worker->packed.address + batch->used;
        batch->used += whole;
    }
    range->begin = at;
    range->end = range->text_end = at + count;
    batch->bytes = bytes;
    batch->bytes_count = count;
    return true;
}

/* Queries from the first on until the buffer is full; *taken: those that are packed, answered or
 * left. */
static enum trawl_status pack(struct batch *batch, struct engine_query *queries,
                              uint64_t query_count, uint64_t *taken, struct trawl_error *error)
{
    struct engine_worker *worker = batch->worker;

    for (*taken = 0; *taken < query_count && batch->launch_count < QUERIES_MAX; (*taken)++) {
        struct engine_query *query = &queries[*taken];
        struct cuda_launch *launch = &worker->many->launches[batch->launch_count];
        uint64_t limit;

        if (query->done)
            continue;
        if (query->plan->literal_count == 0 || query->bytes_count < query->plan->length_min) {
            query->done = query->on_device = true;
            continue;
        }
        if (!is_for_launch(query->plan, query))
            continue;
        if (!pack_plan(batch, query->plan) || !pack_text(batch, query->bytes, query->bytes_count)) {
            if (batch->launch_count > 0)
                return TRAWL_OK; /* into the next batch */
            batch_clear(batch);  /* by itself, and does not fit */
            continue;
        }
        limit = cuda_range_limit(query->plan, &batch->range);
        cuda_launch_prepare(worker, &batch->tables, &batch->range, limit, SCAN_COUNT, launch);
        TRAWL_TRY(cuda_list_reserve(worker, launch, error));
        worker->many->queries[batch->launch_count++] = query;
    }
    return TRAWL_OK;
}

static enum trawl_status submit(struct batch *batch, uint32_t turn, struct trawl_error *error)
{
    struct engine_worker *worker = batch->worker;
    const struct cuda_device *device = worker->device;

    if (batch->used > 0) {
        TRAWL_TRY(CUDA_CALL(device, error, copy_to_device, worker->packed.address,
                            batch->staging->bytes, (size_t)batch->used, worker->stream));
        TRAWL_TRY(CUDA_CALL(device, error, event_record, worker->staged[turn], worker->stream));
    }
    for (uint32_t i = 0; i < batch->launch_count; i++)
        TRAWL_TRY(cuda_launch_submit(worker, &worker->many->launches[i], i, error));
    return TRAWL_OK;
}

/* A stream's launch that gave tiles up is left to a scan. */
static enum trawl_status collect(struct batch *batch, struct trawl_error *error)
{
    struct engine_worker *worker = batch->worker;

    for (uint32_t i = 0; i < batch->launch_count; i++) {
        struct cuda_launch *launch = &worker->many->launches[i];
        struct engine_query *query = worker->many->queries[i];

        TRAWL_TRY(cuda_launch_wait(worker, launch, i, error));
        query->done = query->on_device = launch->found.listed == 0;
        query->count = launch->found.count;
        query->candidate_count = launch->found.candidates;
    }
    return TRAWL_OK;
}

static enum trawl_status reserve(struct engine_worker *worker, uint32_t turn,
                                 struct trawl_error *error)
{
    void *memory;

    if (worker->many == NULL) {
        TRAWL_TRY(memory_allocate(1, sizeof *worker->many, &memory, error));
        worker->many = (struct cuda_many *)memory;
    }
    /* The buffer's last copy has left it. */
    TRAWL_TRY(CUDA_CALL(worker->device, error, event_wait, worker->staged[turn]));
    TRAWL_TRY(cuda_pinned_reserve(worker->device, &worker->staging[turn],
                                  worker->limits.staging_bytes, error));
    TRAWL_TRY(
        cuda_memory_reserve(worker->device, &worker->packed, worker->staging[turn].count, error));
    return cuda_sums_reserve(worker, QUERIES_MAX, error);
}

enum trawl_status cuda_many(struct engine_worker *worker, struct engine_query *queries,
                            uint64_t query_count, struct trawl_error *error)
{
    uint64_t taken;

    for (uint32_t turn = 0; query_count > 0; turn ^= 1) {
        struct batch batch = {.worker = worker, .staging = &worker->staging[turn]};

        TRAWL_TRY(reserve(worker, turn, error));
        TRAWL_TRY(pack(&batch, queries, query_count, &taken, error));
        TRAWL_TRY(submit(&batch, turn, error));
        TRAWL_TRY(collect(&batch, error));
        queries += taken;
        query_count -= taken;
    }
    return TRAWL_OK;
}

void cuda_many_free(struct engine_worker *worker)
{
    memory_release(worker->many, 1, sizeof *worker->many);
}
