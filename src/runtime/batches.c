/* batches: trawl_search_open and the calls with which the caller pulls results, batch by batch. All
 * functions here run in the caller's thread; job.c searches. */
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "runtime/job.h"
#include "runtime/search.h"

struct trawl_search {
    struct search search;
    struct sink sink;
    uint64_t line_ends; /* line ends in all batches so far */
    bool ended;         /* the last batch, or a failure, was returned */
};

enum trawl_status trawl_search_open(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, uint32_t flags,
                                    struct trawl_search **search_out, struct trawl_error *error)
{
    const uint32_t spans = TRAWL_SPANS | TRAWL_SPANS_FIRST;
    const struct trawl_plan *lines = NULL;
    struct trawl_search *search;
    enum trawl_status status;

    if (search_out == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "search is NULL");
    if ((flags & ~(spans | TRAWL_LINE_ENDS)) != 0 || (flags & spans) == spans)
        return TRAWL_FAIL(error, ARGUMENT, "flags 0x%x are not for batches", flags);
    TRAWL_TRY(search_enter(searcher, plan, text, error));
    status = MEMORY_ZEROED(search, 1, error);
    if (status == TRAWL_OK) {
        sink_batches(&search->sink, flags);
        if (search->sink.spans == SPANS_ALL && search->sink.digest == NULL)
            status = search_line_plan(searcher, plan, text, true, &lines, error);
        search->sink.by_engine = lines != NULL;
        search->sink.hits_max = HITS_LISTED_MAX;
        if (status == TRAWL_OK)
            status = search_begin(&search->search, searcher, lines != NULL ? lines : plan, text,
                                  &search->sink, error);
        searcher->is_pulled = status == TRAWL_OK;
        if (status == TRAWL_OK)
            *search_out = search;
        else
            memory_release(search, 1, sizeof *search);
    }
    if (status != TRAWL_OK)
        searcher_leave(searcher);
    return status;
}

static void fill_batch(struct trawl_search *search, struct sink_chunk *view,
                       struct trawl_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    if (search->search.job.plan->kind != PLAN_KIND_ERRORS) /* these columns are not set */
        view->distances = view->reversed = NULL;
    view->match_count = sink_keep_spans(&search->sink, view);
    batch->text_begin = view->begin;
    batch->text_end = view->begin + view->owned;
    batch->match_count = view->match_count;
    batch->last = view->last;
    batch->begins = view->begins;
    batch->ends = view->ends;
    batch->pattern_indices = view->patterns;
    batch->distances = view->distances;
    batch->reversed = view->reversed;
    if (!search->sink.line_numbers)
        return;
    TRAWL_ASSERT(view->match_count == 0 || view->begins[0] >= view->begin);
    TRAWL_ASSERT(view->match_count == 0 ||
                 view->begins[view->match_count - 1] < view->begin + view->owned);
    for (uint64_t i = 0; i < view->match_count; i++)
        view->line_numbers[i] += search->line_ends;
    batch->line_numbers = view->line_numbers;
    search->line_ends += search->search.current->digest.line_end_count;
}

enum trawl_status trawl_search_next(struct trawl_search *search, struct trawl_batch *batch,
                                    struct trawl_error *error)
{
    struct trawl_batch filled;
    enum trawl_status status;
    struct sink_chunk view;
    bool more;

    if (search == NULL || batch == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", search == NULL ? "search" : "batch");
    TRAWL_TRY(options_check(batch, sizeof filled, "batch", error));
    if (search->ended)
        return TRAWL_FAIL(error, ARGUMENT, "the search has ended");
    status = search_step(&search->search, &view, &more, error);
    if (status == TRAWL_OK && !more) { /* an empty batch marks the end of the text */
        memset(&view, 0, sizeof view);
        view.begin = search->search.done.stats.text_bytes;
        view.last = true;
    }
    if (status == TRAWL_OK && more) /* if lines were undecided, the next call fails */
        view.last &= search_decided(&search->search, NULL) == TRAWL_OK;
    search->ended = status != TRAWL_OK || view.last;
    TRAWL_TRY(status);
    if (more)
        fill_batch(search, &view, &filled);
    else
        filled =
            (struct trawl_batch){.text_begin = view.begin, .text_end = view.begin, .last = true};
    return options_report(batch, &filled, sizeof filled, "batch", error);
}

void trawl_search_close(struct trawl_search *search)
{
    struct trawl_searcher *searcher;

    if (search == NULL)
        return;
    searcher = search->search.searcher;
    search_end(&search->search);
    memory_release(search, 1, sizeof *search);
    searcher_leave(searcher);
}
