/* bytes: searches a few bytes at once, in the calling thread, without cutting them into chunks. */
#ifndef TRAWL_RUNTIME_BYTES_H
#define TRAWL_RUNTIME_BYTES_H

#include "runtime/engines.h"
#include "runtime/runtime.h"
#include "runtime/search.h"

/* After a text that needed an ordinary search, this many calls under the same plan go to an
 * ordinary search at once: the next texts are probably like that text. */
#define BYTES_REFUSALS 15u

/* Searches a short text by the host's engine. Returns false if an ordinary search is needed. */
static inline bool bytes_search(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                const uint8_t *bytes, uint64_t count, struct engine_brief *found)
{
    uint32_t refusals;

    if (engine_for_host->brief == NULL)
        return false;
    refusals = atomic_load_explicit(&searcher->refusals, memory_order_relaxed);
    if (refusals > 0 &&
        atomic_load_explicit(&searcher->refused, memory_order_relaxed) == plan->serial) {
        atomic_store_explicit(&searcher->refusals, refusals - 1, memory_order_relaxed);
        return false;
    }
    if (engine_for_host->brief(searcher->runtime->host, plan, bytes, count, found))
        return true;
    if (found->is_long)
        return false;
    atomic_store_explicit(&searcher->refused, plan->serial, memory_order_relaxed);
    atomic_store_explicit(&searcher->refusals, BYTES_REFUSALS, memory_order_relaxed);
    return false;
}

/* Counts the occurrences in a text object without a worker, as trawl_count_bytes does, and notes
 * what trawl_searcher_stats tells of the call. Returns false if an ordinary search is needed. */
bool bytes_count(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                 const struct trawl_text *text, uint64_t *count);

#endif
