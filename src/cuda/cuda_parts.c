/* cuda_parts: searches for a set in parts on a device (plan/parts.h)
 *
 * A *part* is a separate plan for those patterns of the set that have similar lengths, with its own
 * tables. The worker searches each range of the text for one part after the other, and uses the
 * part's plan and tables as its own meanwhile.
 */
#include "cuda/cuda_parts.h"

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/cuda_choose.h"
#include "cuda/cuda_scan.h"

static void turn_to(struct cuda_worker *worker, uint32_t part)
{
    worker->plan = worker->parts->of->part[part].plan;
    worker->tables = &worker->parts->part[part].tables;
}

static void turn_back(struct cuda_worker *worker, const struct trawl_plan *whole)
{
    worker->plan = whole;
    worker->tables = &worker->whole;
}

void cuda_parts_set_plan(struct cuda_worker *worker)
{
    const struct plan_parts *of;

    if (worker->parts != NULL)
        worker->parts->of = NULL;
    if ((worker->parts != NULL && worker->parts->refused == worker->plan->serial) ||
        plan_parts_want(worker->plan, PLAN_PARTS_DEVICE, &of, NULL) != TRAWL_OK || of == NULL)
        return;
    if (worker->parts == NULL && MEMORY_ZEROED(worker->parts, 1, NULL) != TRAWL_OK)
        return;
    for (uint32_t i = 0; i < of->count; i++) {
        struct cuda_tables *tables = &worker->parts->part[i].tables;

        tables->ready = tables->ready && tables->plan_serial == of->part[i].plan->serial;
        tables->reach_bytes = UINT64_MAX;
    }
    worker->parts->of = of;
}

bool cuda_parts_are_there(const struct cuda_worker *worker)
{
    return worker->parts != NULL && worker->parts->of != NULL;
}

enum trawl_status cuda_parts_build_tables(struct cuda_worker *worker, enum want want,
                                          struct cuda_steps *steps, struct trawl_error *error)
{
    const struct trawl_plan *whole = worker->plan;
    const struct plan_parts *of = worker->parts->of;
    enum trawl_status status = TRAWL_OK;

    steps->range_bytes_max = worker->limits.launch_begins_max;
    for (uint32_t i = 0; i < of->count && status == TRAWL_OK; i++) {
        turn_to(worker, i);
        status = cuda_tables_want(worker, error);
        if (status == TRAWL_OK)
            steps->range_bytes_max =
                min_u64(steps->range_bytes_max, cuda_choose_begins_max(worker, want));
    }
    turn_back(worker, whole);
    return status;
}

/* Searches the range for one part. Sets *end: all starts in the range below it have been
 * searched. */
static enum trawl_status search_part(struct cuda_worker *worker, uint32_t index,
                                     const struct cuda_range *range, enum want want,
                                     uint64_t hits_base, uint64_t *end, struct trawl_error *error)
{
    struct cuda_part *state = &worker->parts->part[index];
    const struct trawl_plan *whole = worker->plan;
    struct cuda_range rest = *range;
    enum trawl_status status;

    engine_result_begin(&state->found, 0, true);
    turn_to(worker, index);
    /* For a count, repeat until the whole range is searched. For hits, a single scan is enough: the
     * caller continues at *end. */
    do {
        status = cuda_scan_range(worker, NULL, &rest, want, hits_base + (rest.begin - range->begin),
                                 &state->found, end, error);
        rest.begin = *end;
    } while (status == TRAWL_OK && !worker->leaves && want == WANT_COUNT && *end < rest.end);
    turn_back(worker, whole);
    return status;
}

enum trawl_status cuda_parts_search(struct cuda_worker *worker, void *context,
                                    const struct cuda_range *range, enum want want,
                                    uint64_t hits_base, struct engine_result *result,
                                    uint64_t *done, struct trawl_error *error)
{
    const struct plan_parts *of = worker->parts->of;
    struct hits_part merged[PLAN_PARTS_MAX];
    struct cuda_range rest = *range;
    uint64_t before = result->hits.count;

    (void)context;
    for (uint32_t i = 0; i < of->count; i++) {
        struct engine_result *found = &worker->parts->part[i].found;

        TRAWL_TRY(search_part(worker, i, &rest, want, hits_base, done, error));
        if (worker->leaves)
            return TRAWL_OK;
        /* later parts need not search beyond the last start that this part has searched */
        if (want == WANT_HITS)
            rest.end = *done;
        result->candidate_count += found->candidate_count;
        if (want == WANT_COUNT)
            result->count += found->count;
        merged[i] = (struct hits_part){&found->hits, of->part[i].literals, 0};
    }
    *done = want == WANT_HITS ? rest.end : range->end;
    result->method = TRAWL_METHOD_SET;
    if (want == WANT_COUNT)
        return TRAWL_OK;
    TRAWL_TRY(
        hits_merge(&result->hits, merged, of->count, hits_base + (rest.end - range->begin), error));
    result->count += result->hits.count - before;
    return TRAWL_OK;
}

bool cuda_parts_refuse(struct cuda_worker *worker)
{
    bool held = worker->parts != NULL && worker->parts->of != NULL;

    for (uint32_t i = 0; worker->parts != NULL && i < PLAN_PARTS_MAX; i++)
        held = held || worker->parts->part[i].tables.memory.bytes > 0 ||
               worker->parts->part[i].tables.automaton_memory.bytes > 0;
    if (!held || cuda_device_enter(worker->device, NULL) != TRAWL_OK)
        return false;
    cuda_worker_parts_release(worker);
    cuda_device_leave(worker->device);
    worker->parts->of = NULL;
    worker->parts->refused = worker->plan->serial;
    return true;
}
