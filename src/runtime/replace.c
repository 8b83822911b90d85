/* replace: trawl_replace, which replaces matches, window by window */
#include <inttypes.h>

#include "plan/plan.h"

struct replacing {
    const struct trawl_value *values;
    bool one;    /* values[0] replaces the matches of every pattern */
    uint64_t at; /* the text before this offset has been delivered */
    trawl_bytes_sink sink;
    void *context;
};

static int write_to_sink(const struct replacing *by, const void *bytes, uint64_t count)
{
    return count > 0 ? by->sink(by->context, bytes, count) : 0;
}

/* Writes a window with its matches replaced. A match may end after its window; the next window then
 * begins with the rest of the match, which is skipped. */
static int replace_window(void *context, const struct trawl_window *window)
{
    struct replacing *by = (struct replacing *)context;
    const uint64_t end = window->begin + window->bytes_count;
    int stopped = 0;

    for (uint64_t i = 0; i < window->match_count && stopped == 0; i++) {
        const struct trawl_match *match = &window->matches[i];
        const struct trawl_value *value = &by->values[by->one ? 0 : match->pattern_index];

        if (match->end == match->begin)
            continue; /* an empty match of a regular expression */
        TRAWL_ASSERT(match->begin >= by->at && match->begin >= window->begin);
        stopped =
            write_to_sink(by, window->bytes + (by->at - window->begin), match->begin - by->at);
        if (stopped == 0)
            stopped = write_to_sink(by, value->bytes, value->bytes_count);
        by->at = match->end;
    }
    if (stopped == 0 && by->at < end) {
        stopped = write_to_sink(by, window->bytes + (by->at - window->begin), end - by->at);
        by->at = end;
    }
    return stopped;
}

enum trawl_status trawl_replace(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                struct trawl_text *text, uint32_t flags,
                                const struct trawl_value *values, uint64_t values_count,
                                trawl_bytes_sink sink, void *context, struct trawl_error *error)
{
    struct replacing by = {values, values_count == 1, 0, sink, context};

    if (plan == NULL || sink == NULL || (values == NULL && values_count > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          plan == NULL   ? "plan"
                          : sink == NULL ? "sink"
                                         : "values");
    if (flags != TRAWL_SPANS && flags != TRAWL_SPANS_FIRST)
        return TRAWL_FAIL(error, ARGUMENT,
                          "flags 0x%x are neither TRAWL_SPANS nor TRAWL_SPANS_FIRST", flags);
    if (values_count != 1 && values_count != plan->pattern_count)
        return TRAWL_FAIL(error, ARGUMENT, "%" PRIu64 " values for %" PRIu64 " patterns",
                          values_count, plan->pattern_count);
    for (uint64_t i = 0; i < values_count; i++)
        if (values[i].bytes == NULL && values[i].bytes_count > 0)
            return TRAWL_FAIL(error, ARGUMENT, "values[%" PRIu64 "].bytes is NULL", i);
    return trawl_windows(searcher, plan, text, flags, replace_window, &by, error);
}
