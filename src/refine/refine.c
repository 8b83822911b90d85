/* refine: common code of approximate search and regular expressions: a worker, the engine that
 * proposes candidates to it, and the steps of a scan (refine.h). */
#include "refine/refine.h"

#include "base/memory.h"
#include "cpu/sizes.h"
#include "cuda/engine_cuda.h"

enum trawl_status refine_compile(const struct layer *layer, struct engine *engine, uint32_t device,
                                 const struct trawl_plan *plan, struct engine_worker **worker,
                                 struct trawl_error *error)
{
    struct refiner *refiner = (struct refiner *)*worker;
    void *memory;

    if (refiner == NULL) {
        TRAWL_TRY(memory_allocate_zeroed(1, layer->worker_bytes, &memory, error));
        refiner = (struct refiner *)memory;
        refiner->layer = layer;
        refiner->engine = engine;
        refiner->ops = device == ENGINE_HOST ? &engine_cpu : &engine_cuda;
        refiner->device = device;
        *worker = (struct engine_worker *)refiner;
    }
    if (refine_is_on_device(refiner) && refiner->prefilter == NULL)
        TRAWL_TRY(refine_prefilter_with(refiner, NULL, error));
    if (plan == NULL || plan->literal_count == 0 || plan->serial == refiner->serial)
        return TRAWL_OK;
    layer->end(refiner);
    refiner->serial = 0;
    TRAWL_TRY(layer->begin(refiner, plan, error));
    TRAWL_ASSERT(refiner->step > 0);
    refiner->serial = plan->serial;
    return TRAWL_OK;
}

void refine_release(struct engine_worker *worker)
{
    struct refiner *refiner = (struct refiner *)worker;

    refiner->layer->end(refiner);
    if (refiner->layer->close != NULL)
        refiner->layer->close(refiner);
    if (refiner->prefilter != NULL)
        refiner->ops->release(refiner->prefilter);
    hits_release(&refiner->found.hits);
    memory_release(refiner, 1, refiner->layer->worker_bytes);
}

enum trawl_status refine_prefilter_with(struct refiner *refiner, const struct trawl_plan *strings,
                                        struct trawl_error *error)
{
    return refiner->ops->compile(refiner->engine, refiner->device, strings, &refiner->prefilter,
                                 error);
}

void refine_part(const struct engine_chunk *chunk, uint64_t from, uint64_t end, uint64_t after,
                 struct engine_chunk *part)
{
    const uint64_t available = chunk->owned + chunk->after;

    TRAWL_ASSERT(from < end && end <= available);
    *part = *chunk;
    part->bytes = chunk->bytes + from;
    part->begin = chunk->begin + from;
    part->owned = end - from;
    part->before = chunk->before + from;
    part->after = min_u64(available - end, after);
    part->readable = chunk->owned + chunk->readable - end;
    part->may_be_left = false;
    part->records = NULL;
}

enum trawl_status refine_prefilter(struct refiner *refiner, const struct engine_chunk *part,
                                   uint64_t from, struct trawl_error *error)
{
    TRAWL_TRY(engine_scan(refiner->ops, refiner->prefilter, part, from, WANT_HITS, &refiner->found,
                          error));
    TRAWL_ASSERT(refiner->found.done > from && refiner->found.done <= part->owned);
    return TRAWL_OK;
}

enum trawl_status refine_scan(struct refiner *refiner, const struct engine_task *task,
                              struct trawl_error *error)
{
    const struct engine_chunk *chunk = task->chunk;
    struct engine_result *result = task->result;
    struct hits *hits = &result->hits;
    /* what a filter has left is searched with one launch, however far apart it is */
    const bool is_gathered = chunk->kept.items != NULL;

    result->on_device = refine_is_on_device(refiner);
    hits->lengths_valid = true;
    for (uint64_t at = task->from, to; at < chunk->owned; at = to) {
        to = is_gathered ? chunk->owned : at + min_u64(refiner->step, chunk->owned - at);
        if (engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        TRAWL_TRY(refiner->layer->step(refiner, task, at, &to, error));
        if (result->is_left) {
            TRAWL_ASSERT(refine_is_on_device(refiner));
            break;
        }
        TRAWL_ASSERT(to > at && to <= chunk->owned);
        TRAWL_ASSERT(hits->lengths_valid && (task->want != WANT_COUNT || hits->count == 0));
        TRAWL_ASSERT(hits->count == 0 || hits->items[hits->count - 1].offset < to);
        result->done = to;
        if (hits->count >= cpu_sizes.hits || (task->want == WANT_FIRST && hits->count > 0))
            break;
    }
    return TRAWL_OK;
}
