/* call: one call of a searcher at a time. */
#include "runtime/call.h"

#include "runtime/records.h"
#include "runtime/search.h"

enum trawl_status searcher_enter(struct trawl_searcher *searcher, struct trawl_error *error)
{
    int expected = CALL_NONE;

    if (!atomic_compare_exchange_strong(&searcher->call, &expected, CALL_INSIDE))
        return TRAWL_FAIL(error, BUSY, "the searcher is already inside a call");
    return TRAWL_OK;
}

void searcher_leave(struct trawl_searcher *searcher)
{
    atomic_store(&searcher->call, CALL_NONE);
}

bool searcher_is_cancelled(const struct trawl_searcher *searcher)
{
    return atomic_load(&searcher->call) == CALL_CANCELLED;
}

enum trawl_status search_enter(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_text *text, struct trawl_error *error)
{
    if (searcher == NULL || plan == NULL || text == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL ? "searcher"
                          : plan == NULL   ? "plan"
                                           : "text");
    if (plan->algorithm.for_records)
        return TRAWL_FAIL(error, ARGUMENT, "algorithm %s is for records, trawl_matrix alone",
                          plan->algorithm.name);
    return searcher_enter(searcher, error);
}
