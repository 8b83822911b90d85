/* scan_parts: searches a chunk for each part of a plan's patterns in turn, and adds up the counts
 * or merges the hits. plan/parts.h says when a plan is divided into parts. */
#include "base/checked.h"
#include "base/memory.h"
#include "cpu/worker.h"

/* Makes a worker for each part of the plan. Returns false if the plan has no parts, or if memory
 * cannot be allocated. */
static bool parts_make(struct cpu_worker *worker, enum plan_attachment which, struct cpu_parts **to)
{
    const struct plan_parts *of;

    if (plan_parts_want(worker->plan, which, &of, NULL) != TRAWL_OK || of == NULL)
        return false;
    if (*to == NULL && MEMORY_ZEROED(*to, 1, NULL) != TRAWL_OK)
        return false;
    for (uint32_t i = 0; i < of->count; i++)
        if (worker->ops->compile(worker->engine, 0, of->part[i].plan, &(*to)->workers[i], NULL) !=
            TRAWL_OK)
            return false;
    (*to)->of = of;
    worker->makes++;
    return true;
}

/* Searches the positions [scan->at, scan->limit) for each part. */
static enum trawl_status parts_search(struct scan *scan, struct cpu_parts *parts)
{
    struct engine_result *result = scan->result;
    struct hits_part merged[PLAN_PARTS_MAX];
    struct engine_chunk chunk = *scan->chunk;
    uint64_t end = scan->limit, before = result->hits.count;

    /* A part knows only its own occurrences, and the longest one at a position may belong to
     * another part. So the parts list all hits instead of spans, and the sink chooses the spans.
     * Several parts may have a hit in the same line, so one_per_line becomes false below. */
    if (scan->want == WANT_SPANS)
        scan->want = WANT_HITS;
    for (uint32_t i = 0; i < parts->of->count; i++) {
        struct engine_result *found = &parts->found[i];

        /* A part whose result is full stops early. Later parts then search only up to that
         * position. */
        chunk.after += chunk.owned - end;
        chunk.readable += chunk.owned - end;
        chunk.owned = end;
        TRAWL_TRY(engine_scan(scan->worker->ops, parts->workers[i], &chunk, scan->at, scan->want,
                              found, scan->error));
        TRAWL_ASSERT(found->done == end || scan->want != WANT_COUNT);
        end = found->done;
        result->candidate_count += found->candidate_count;
        if (scan->want == WANT_COUNT)
            result->count += found->count;
        merged[i] = (struct hits_part){&found->hits, parts->of->part[i].literals, 0};
    }
    scan->at = end;
    result->hits.one_per_line = false;
    if (scan->want == WANT_COUNT)
        return TRAWL_OK;
    TRAWL_TRY(hits_merge(&result->hits, merged, parts->of->count, end, scan->error));
    result->count += result->hits.count - before;
    return TRAWL_OK;
}

bool scan_parts(struct scan *scan, uint32_t kind)
{
    struct cpu_parts **parts = &scan->worker->parts[kind];

    if ((*parts == NULL || (*parts)->of == NULL) &&
        !parts_make(scan->worker, (enum plan_attachment)(PLAN_ALONE + kind), parts))
        return false;
    scan->at = max_u64(scan->at, scan->run_until);
    if (scan->at < scan->limit)
        scan->status = parts_search(scan, *parts);
    scan->over = scan->status != TRAWL_OK;
    return true;
}

void parts_release(struct cpu_worker *worker, struct cpu_parts *parts)
{
    for (uint32_t i = 0; i < PLAN_PARTS_MAX; i++) {
        hits_release(&parts->found[i].hits);
        if (parts->workers[i] != NULL)
            worker->ops->release(parts->workers[i]);
    }
    memory_release(parts, 1, sizeof *parts);
}
