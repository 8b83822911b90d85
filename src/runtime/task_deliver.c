/* task_deliver: makes a short text a chunk, turns a chunk's hits into matches, and delivers them to
 * the sink. */
#include <string.h>

#include "base/checked.h"
#include "runtime/matches.h"
#include "runtime/task.h"

#define MATCHES_LATE 512u /* matches are made when delivered, this many at a time */

/* Returns true if hits may be converted to matches a few at a time, just before they are delivered,
 * so that they stay in the cache. Not if the sink wants a chunk's matches immediately, or if
 * literals have tails (characters after the literal that match in several ways): a tail's length
 * depends on the text, which may be gone by then. */
static bool may_convert_late(const struct trawl_plan *plan, const struct sink *sink)
{
    return sink->in_parts && plan->element_count == 0;
}

void task_set_text(struct task *task, const struct trawl_text *text, uint64_t from, uint64_t end,
                   bool last)
{
    TRAWL_ASSERT(text->kind == TEXT_MEMORY && !task->buffer_is_pinned);
    task->chunk = (struct text_chunk){.begin = from, .owned = end - from, .last = last};
    task->chunk.bytes = text->bytes == NULL ? (const uint8_t *)"" : text->bytes + from;
    task->from = task->match_count = 0;
    task->staged_from = NULL;
    task->status = TRAWL_OK;
    engine_result_begin(&task->result, 0, false);
}

enum trawl_status task_make_matches(const struct trawl_plan *plan, const struct sink *sink,
                                    struct task *task, bool at_once, struct trawl_error *error)
{
    uint64_t count = task->result.hits.count;
    bool late = !at_once && may_convert_late(plan, sink);

    if (sink->want == WANT_FIRST)
        count = min_u64(count, 1);
    else if (late)
        count = min_u64(count, MATCHES_LATE);
    TRAWL_TRY(matches_reserve(sink, task, count, error));
    if (!late)
        matches_convert(plan, sink, task, 0, count);
    return TRAWL_OK;
}

bool task_deliver(const struct trawl_plan *plan, struct sink *sink, struct task *task,
                  struct sink_chunk *view)
{
    uint64_t at = 0;

    if (task->match_count > 0 || !may_convert_late(plan, sink))
        return sink->deliver(sink, view, &task->digest);
    while (at < view->hit_count) {
        matches_convert(plan, sink, task, at, min_u64(view->hit_count - at, MATCHES_LATE));
        at += task->match_count;
        view->matches = (struct trawl_match *)(void *)task->matches;
        view->match_count = task->match_count;
        if (!sink->deliver(sink, view, &task->digest))
            return false;
    }
    return true;
}

void task_view(const struct sink *sink, const struct task *task, struct sink_chunk *view)
{
    uint64_t done = task->result.done;

    TRAWL_ASSERT(task->from <= done && done <= task->chunk.owned);
    TRAWL_ASSERT(task->match_count <= task->match_room);
    TRAWL_ASSERT(task->match_count == 0 || !sink->line_numbers || task->line_numbers != NULL);
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
    if (sink->columns && task->matches != NULL) {
        view->begins = task->matches;
        view->ends = task->matches + task->match_room;
        view->patterns = task->matches + 2 * task->match_room;
        view->distances = (uint16_t *)(void *)(view->patterns + task->match_room);
        view->reversed = view->distances + task->match_room;
    } else {
        view->matches = (struct trawl_match *)(void *)task->matches;
    }
    view->line_numbers = task->line_numbers;
}
