/* task_results: turns the hits of a chunk into matches, and delivers them to the sink. */
#include <string.h>

#include "base/checked.h"
#include "runtime/matches.h"
#include "runtime/task.h"

#define MATCHES_LATE 512u /* matches are made when delivered, this many at a time */

enum trawl_status task_make_matches(const struct search *search, struct task *task,
                                    struct trawl_error *error)
{
    uint64_t count = task->result.hits.count;
    bool late = search->converts_late;

    if (search->sink->want == WANT_FIRST)
        count = min_u64(count, 1);
    else if (late)
        count = min_u64(count, MATCHES_LATE);
    TRAWL_TRY(matches_reserve(search, task, count, error));
    if (!late)
        matches_convert(search, task, 0, count);
    return TRAWL_OK;
}

bool task_deliver(struct search *search, struct task *task, struct sink_chunk *view)
{
    struct sink *sink = search->sink;
    uint64_t at = 0;

    if (!search->converts_late)
        return sink->deliver(sink, view, &task->digest);
    while (at < view->hit_count) {
        matches_convert(search, task, at, min_u64(view->hit_count - at, MATCHES_LATE));
        at += task->match_count;
        view->matches = (struct trawl_match *)(void *)task->matches;
        view->match_count = task->match_count;
        if (!sink->deliver(sink, view, &task->digest))
            return false;
    }
    return true;
}

void task_view(const struct search *search, const struct task *task, struct sink_chunk *view)
{
    uint64_t done = task->result.done;

    TRAWL_ASSERT(task->from <= done && done <= task->chunk.owned);
    TRAWL_ASSERT(task->match_count <= task->match_room);
    TRAWL_ASSERT(task->match_count == 0 || !search->sink->line_numbers ||
                 task->line_numbers != NULL);
    memset(view, 0, sizeof *view);
    view->begin = task->chunk.begin + task->from;
    view->bytes = task->chunk.bytes == NULL ? NULL : task->chunk.bytes + task->from;
    view->owned = done - task->from;
    view->after = task->chunk.owned - done + task->chunk.after;
    view->last = task->chunk.last && done == task->chunk.owned;
    view->count = task->result.count;
    view->hits = task->result.hits.items;
    view->hit_count = task->result.hits.count;
    view->hits_base = task->from;
    view->hit_lengths = task->result.hits.lengths_valid ? task->result.hits.lengths : NULL;
    view->match_count = task->match_count;
    view->one_per_line = task->result.hits.one_per_line;
    if (search->sink->columns && task->matches != NULL) {
        view->begins = task->matches;
        view->ends = task->matches + task->match_room;
        view->patterns = task->matches + 2 * task->match_room;
    } else {
        view->matches = (struct trawl_match *)(void *)task->matches;
    }
    view->line_numbers = task->line_numbers;
}
