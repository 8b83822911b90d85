/* bytes: the public functions that count, or that search bytes without a text object. They search a
 * short text at once, in the calling thread; if the host's engine cannot do that for this text or
 * plan, they run an ordinary search. */
#include <inttypes.h>

#include "base/checked.h"
#include "runtime/job.h"
#include "runtime/schedule.h"

static enum trawl_status check(const struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const void *bytes, uint64_t bytes_count, struct trawl_error *error)
{
    if (searcher == NULL || plan == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", searcher == NULL ? "searcher" : "plan");
    if (bytes == NULL && bytes_count > 0)
        return TRAWL_FAIL(error, ARGUMENT, "bytes is NULL but bytes_count is %" PRIu64,
                          bytes_count);
    return TRAWL_OK;
}

/* Searches a short text. Returns false if an ordinary search is needed. The searcher is not marked
 * as inside a call, which would take two locked instructions, 12 ns: nothing here disturbs another
 * thread. Also returns false if trawl_searcher_cancel has cancelled this call, or if another
 * thread is inside a call; the ordinary search will then fail. */
static inline bool search_brief(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                const void *bytes, uint64_t bytes_count, struct engine_brief *found)
{
    return searcher->runtime->engine != TRAWL_ENGINE_CUDA &&
           atomic_load(&searcher->call.state) == ENGINE_CALL_NONE &&
           schedule_brief(searcher, plan, (const uint8_t *)bytes, bytes_count, found);
}

/* Searches a short text object, and records the call for trawl_searcher_stats. Returns false if an
 * ordinary search is needed, which also checks the arguments. */
static inline bool search_short(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                const struct trawl_text *text, struct engine_brief *found)
{
    if (searcher == NULL || plan == NULL || text == NULL || !schedule_is_brief(searcher, text))
        return false;
    found->to = text->bytes_count;
    if (!search_brief(searcher, plan, text->bytes, found->to, found))
        return false;
    searcher_record_brief(searcher, plan, found);
    return true;
}

static void first_of(const struct trawl_plan *plan, const struct engine_brief *found,
                     struct trawl_match *match, bool *is_found)
{
    *is_found = found->count > 0;
    if (*is_found)
        *match = (struct trawl_match){found->begin, found->begin + found->length,
                                      plan_literal_at(plan, found->literal).pattern, 0, 0};
}

static enum trawl_status count_text(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, uint64_t *count,
                                    struct trawl_error *error)
{
    enum trawl_status status;
    struct sink sink;

    sink_count(&sink);
    status = search_checked(searcher, plan, text, &sink, error);
    if (status == TRAWL_OK || status == TRAWL_READ || status == TRAWL_LIMIT)
        *count = sink.count;
    return status;
}

enum trawl_status trawl_count(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                              struct trawl_text *text, uint64_t *count, struct trawl_error *error)
{
    struct engine_brief found = {0};

    if (count == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "count is NULL");
    if (!search_short(searcher, plan, text, &found))
        return count_text(searcher, plan, text, count, error);
    *count = found.count;
    return TRAWL_OK;
}

static enum trawl_status first_text(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, struct trawl_match *match, bool *found,
                                    struct trawl_error *error)
{
    enum trawl_status status;
    struct sink sink;

    sink_first(&sink);
    status = search_checked(searcher, plan, text, &sink, error);
    /* the sink stopped the search; nobody cancelled the call */
    if (status != TRAWL_OK && !(status == TRAWL_STOPPED && sink.stopped))
        return status;
    *found = sink.found;
    if (sink.found)
        *match = sink.first;
    return TRAWL_OK;
}

enum trawl_status trawl_first(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                              struct trawl_text *text, struct trawl_match *match, bool *found,
                              struct trawl_error *error)
{
    struct engine_brief brief = {.is_first = true};

    if (match == NULL || found == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", match == NULL ? "match" : "found");
    if (!search_short(searcher, plan, text, &brief))
        return first_text(searcher, plan, text, match, found, error);
    first_of(plan, &brief, match, found);
    return TRAWL_OK;
}

static __attribute__((noinline)) struct trawl_text *text_of(struct trawl_text *text,
                                                            const void *bytes, uint64_t count)
{
    *text = (struct trawl_text){
        .kind = TEXT_MEMORY, .bytes = (const uint8_t *)bytes, .bytes_count = count};
    return text;
}

struct listed_matches {
    struct trawl_match *matches;
    uint64_t room, count;
    bool is_full; /* the search was stopped */
};

static int list_window(void *context, const struct trawl_window *window)
{
    struct listed_matches *listed = (struct listed_matches *)context;

    for (uint64_t i = 0; i < window->match_count; i++, listed->count++)
        if (listed->room > 0) {
            if (listed->count == listed->room)
                return listed->is_full = true;
            listed->matches[listed->count] = window->matches[i];
        }
    return 0;
}

/* Lists by an ordinary search. */
static __attribute__((noinline)) enum trawl_status list_text(
    struct trawl_searcher *searcher, const struct trawl_plan *plan, const void *bytes,
    uint64_t bytes_count, uint32_t flags, struct trawl_match *matches, uint64_t matches_max,
    uint64_t *match_count, struct trawl_error *error)
{
    struct listed_matches listed = {matches, matches_max, 0, false};
    struct trawl_text text;
    enum trawl_status status;
    bool any;

    (void)text_of(&text, bytes, bytes_count);
    if (flags == 0 && matches_max == 0)
        return count_text(searcher, plan, &text, match_count, error);
    if (flags == 0 && matches_max == 1) {
        TRAWL_TRY(first_text(searcher, plan, &text, matches, &any, error));
        *match_count = any;
        return TRAWL_OK;
    }
    status = trawl_windows(searcher, plan, &text, flags, list_window, &listed, error);
    /* the sink stopped the search; nobody cancelled the call */
    if (status != TRAWL_OK && !(status == TRAWL_STOPPED && listed.is_full))
        return status;
    *match_count = listed.count;
    return TRAWL_OK;
}

/* Counts, without a list. 16 bytes take 28 ns, so this path is a function of its own, which saves
 * few registers. */
static __attribute__((noinline)) enum trawl_status count_bytes(
    struct trawl_searcher *searcher, const struct trawl_plan *plan, const void *bytes,
    uint64_t bytes_count, uint64_t *count, struct trawl_error *error)
{
    struct engine_brief found = {.to = bytes_count};

    TRAWL_TRY(check(searcher, plan, bytes, bytes_count, error));
    if (count == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "match_count is NULL");
    if (!search_brief(searcher, plan, bytes, bytes_count, &found))
        return list_text(searcher, plan, bytes, bytes_count, 0, NULL, 0, count, error);
    *count = found.count;
    return TRAWL_OK;
}

static __attribute__((noinline)) enum trawl_status first_bytes(
    struct trawl_searcher *searcher, const struct trawl_plan *plan, const void *bytes,
    uint64_t bytes_count, struct trawl_match *match, uint64_t *count, struct trawl_error *error)
{
    struct engine_brief found = {.to = bytes_count, .is_first = true};
    bool any;

    TRAWL_TRY(check(searcher, plan, bytes, bytes_count, error));
    if (match == NULL || count == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", count == NULL ? "match_count" : "matches");
    if (!search_brief(searcher, plan, bytes, bytes_count, &found))
        return list_text(searcher, plan, bytes, bytes_count, 0, match, 1, count, error);
    first_of(plan, &found, match, &any);
    *count = any;
    return TRAWL_OK;
}

static __attribute__((noinline)) enum trawl_status list_bytes(
    struct trawl_searcher *searcher, const struct trawl_plan *plan, const void *bytes,
    uint64_t bytes_count, uint32_t flags, struct trawl_match *matches, uint64_t matches_max,
    uint64_t *match_count, struct trawl_error *error)
{
    const uint32_t spans = TRAWL_SPANS | TRAWL_SPANS_FIRST;
    struct engine_brief found = {
        .to = bytes_count, .is_apart = flags != 0, .matches = matches, .room = matches_max};

    TRAWL_TRY(check(searcher, plan, bytes, bytes_count, error));
    if (match_count == NULL || (matches == NULL && matches_max > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          match_count == NULL ? "match_count" : "matches");
    if ((flags & ~spans) != 0 || flags == spans)
        return TRAWL_FAIL(error, ARGUMENT, "flags 0x%x are not for matches in bytes", flags);
    if ((flags != 0 && !plan_is_one_literal(plan)) ||
        !search_brief(searcher, plan, bytes, bytes_count, &found))
        return list_text(searcher, plan, bytes, bytes_count, flags, matches, matches_max,
                         match_count, error);
    *match_count = matches_max > 0 ? min_u64(found.count, matches_max) : found.count;
    return TRAWL_OK;
}

enum trawl_status trawl_list_bytes(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const void *bytes, uint64_t bytes_count, uint32_t flags,
                                   struct trawl_match *matches, uint64_t matches_max,
                                   uint64_t *match_count, struct trawl_error *error)
{
    if (flags == 0 && matches_max == 0)
        return count_bytes(searcher, plan, bytes, bytes_count, match_count, error);
    if (flags == 0 && matches_max == 1)
        return first_bytes(searcher, plan, bytes, bytes_count, matches, match_count, error);
    return list_bytes(searcher, plan, bytes, bytes_count, flags, matches, matches_max, match_count,
                      error);
}
