/* step: has lines read, and adds the occurrences to a step's result (step.h). */
#include "regex/step.h"

#include "cpu/sizes.h"
#include "regex/engine_regex.h"

enum trawl_status step_push(const struct step *step, uint64_t offset, uint32_t expression,
                            uint64_t length, struct trawl_error *error)
{
    struct hits *hits = &step->result->hits;

    TRAWL_ASSERT(offset < step->chunk->owned);
    step->result->count++;
    if (step->want == WANT_COUNT)
        return TRAWL_OK;
    if (hits->count == hits->capacity || hits->lengths == NULL)
        TRAWL_TRY(hits_reserve_lengths(hits, 1, error));
    hits->items[hits->count] = (struct hit){(uint32_t)offset, expression};
    hits->lengths[hits->count++] = length;
    return TRAWL_OK;
}

/* If some expression matches the line, pushes a hit of `length` bytes at the line's start. */
static enum trawl_status push_line(struct step *step, struct regex_line line,
                                   const uint32_t *candidates, uint32_t count, uint64_t length,
                                   struct trawl_error *error)
{
    const struct judged judged = judged_of(step, line);

    words_begin(&judged);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t expression = candidates != NULL ? candidates[i] : i;
        bool found;

        TRAWL_TRY(judge_line(step->worker->expressions, expression, &judged, &found, error));
        if (found)
            return step_push(step, line.begin, expression, length, error);
    }
    return TRAWL_OK;
}

enum trawl_status step_push_merged_hits(struct step *step, struct regex_line line, uint64_t from,
                                        struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct hits *hits = &step->result->hits;
    const struct judged judged = judged_of(step, line);
    struct merge *merge = &worker->merge;

    const bool firsts = one_suffices(step) && !judges_whole(step);
    uint64_t first = UINT64_MAX; /* start of the first occurrence that was pushed */

    while (merge->count > 0) {
        const struct occurrence next = merge->items[merge->at];
        const uint64_t begin = line.begin + next.span.begin;
        const uint64_t length = next.span.end - next.span.begin;
        const bool is_after =
            /* an empty match at the line's end is stored one byte earlier, in the same record */
            length == 0 && begin == line.end;
        const uint64_t at = begin - is_after;

        /* stop after all that begin first: the longest of them may come after the others */
        if (firsts && first != UINT64_MAX && begin != first)
            break;
        first = begin;
        if (hits->count >= cpu_sizes.hits && hits->items[hits->count - 1].offset < at) {
            worker->pause = (struct pause){step->chunk->search, step->chunk->bytes, at, line};
            step->to = at;
            step->is_paused = true;
            return TRAWL_OK;
        }
        if (at >= from)
            TRAWL_TRY(
                step_push(step, at, next.expression, is_after ? HITS_EMPTY_AFTER : length, error));
        if (step->want == WANT_FIRST || (firsts && step->want != WANT_SPANS))
            break;
        TRAWL_TRY(merge_next(merge, worker->expressions, &judged, error));
    }
    return TRAWL_OK;
}

/* Pushes the occurrences of the only expression in a line, which cannot be too many. */
static enum trawl_status push_spans(struct step *step, struct regex_line line,
                                    const struct judged *judged, struct trawl_error *error)
{
    struct regex_span span = {UINT64_MAX, 0};
    bool found = true;

    words_begin(judged);
    while (found) {
        TRAWL_TRY(judge_next(step->worker->expressions, 0, judged, &span, &found, error));
        if (found && line.begin + span.begin >= step->pushed)
            TRAWL_TRY(step_push(step, line.begin + span.begin, 0, span.end - span.begin, error));
        found = found && !one_suffices(step);
    }
    return TRAWL_OK;
}

/* Searches a line for the expressions in `candidates` (NULL: all), and pushes the hits. */
static enum trawl_status judge_all(struct step *step, struct regex_line line,
                                   const uint32_t *candidates, uint32_t count,
                                   struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct expressions *expressions = worker->expressions;
    const struct judged judged = judged_of(step, line);

    step->judged++;
    if (expressions->count == 1 && (step->want == WANT_SPANS || step->want == WANT_COUNT) &&
        step->chunk->records == NULL && !judges_whole(step) && !expressions->takes_empty &&
        step->result->hits.count + judged.count <= cpu_sizes.hits)
        return push_spans(step, line, &judged, error);
    worker->merge.count = 0;
    if (step->want == WANT_LINES && !judges_whole(step))
        return push_line(step, line, candidates, count, line.end - line.begin, error);
    TRAWL_TRY(merge_begin(&worker->merge, expressions, &judged, candidates, count, error));
    if (worker->merge.count == 0 && step->want == WANT_SPANS && expressions->takes_empty &&
        !judged.each_empty)
        return push_line(step, line, candidates, count, 0, error);
    return step_push_merged_hits(step, line, max_u64(line.begin, step->pushed), error);
}

enum trawl_status step_judge(struct step *step, struct regex_line line, const uint32_t *candidates,
                             uint32_t count, struct trawl_error *error)
{
    const uint64_t pushed = step->result->count;

    TRAWL_TRY(judge_all(step, line, candidates, count, error));
    note_undecided(step, line, pushed);
    return TRAWL_OK;
}
