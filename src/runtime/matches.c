/* matches: turns a task's hits into matches, as structs or as columns. */
#include "runtime/matches.h"

#include "base/checked.h"
#include "base/memory.h"
#include "runtime/runtime.h"
#include "runtime/search.h"

/* a struct, or an entry of each column: begin, end, pattern, and distance and strand */
#define MATCH_WORDS 4u
/* match_room is a multiple of this, so each column of 64 bits starts at a cache line,
 * and few stores cross a line */
#define ROOM_WORDS 8u
#define HITS_AHEAD 16u /* prefetch the literals of this many hits ahead */

void matches_release(struct task *task)
{
    memory_release(task->matches, task->match_room * MATCH_WORDS, sizeof(uint64_t));
    memory_release(task->line_numbers, task->match_room, sizeof(uint64_t));
    task->matches = task->line_numbers = NULL;
    task->match_room = 0;
}

enum trawl_status matches_reserve(const struct sink *sink, struct task *task, uint64_t count,
                                  struct trawl_error *error)
{
    if (count > task->match_room) {
        matches_release(task);
        count = saturating_add(count, ROOM_WORDS - 1) / ROOM_WORDS * ROOM_WORDS;
        TRAWL_TRY(MEMORY_NEW(task->matches, saturating_multiply(count, MATCH_WORDS), error));
        task->match_room = count;
    }
    if (!sink->line_numbers || task->line_numbers != NULL || task->match_room == 0)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(task->line_numbers, task->match_room, error));
    return TRAWL_OK;
}

struct trawl_match matches_one(const struct trawl_plan *plan, const struct task *task,
                               const struct hit *hit)
{
    const struct plan_literal literal = plan_literal_at(plan, hit->literal);
    uint64_t length = literal.bytes_count, begin = task->chunk.begin + hit->offset;
    uint32_t distance = 0;
    const struct hits *hits = &task->result.hits;

    TRAWL_ASSERT(hit >= hits->items && hit < hits->items + hits->count);
    TRAWL_ASSERT(hit->offset >= task->from && hit->offset < task->chunk.owned);
    if (hits->lengths_valid) {
        length = hits_length(hits->lengths[hit - hits->items]);
        distance = hits_distance(hits->lengths[hit - hits->items]);
    } else if (literal.tail_count > 0) {
        length = plan_literal_match(plan, &literal, task->chunk.bytes + hit->offset,
                                    task->chunk.owned + task->chunk.after - hit->offset);
    }
    TRAWL_ASSERT((length > 0 || kind_of(plan)->by_lines) &&
                 begin + length <= task->chunk.begin + task->chunk.owned + task->chunk.after);
    return (struct trawl_match){begin, begin + length, literal.pattern, (uint16_t)distance,
                                (uint16_t)literal.reversed};
}

void matches_of_hits(const struct trawl_plan *plan, const struct hit *hits, uint64_t count,
                     uint64_t begin, struct trawl_match *matches)
{
    const uint64_t *bounds = plan->pattern_begin;

    TRAWL_ASSERT(plan->literals == NULL);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = begin + hits[i].offset;
        uint32_t pattern = hits[i].literal;

        matches[i] =
            (struct trawl_match){at, at + (bounds[pattern + 1] - bounds[pattern]), pattern, 0, 0};
    }
}

void matches_convert(const struct trawl_plan *plan, const struct sink *sink, struct task *task,
                     uint64_t from, uint64_t count)
{
    struct trawl_match *matches = (struct trawl_match *)(void *)task->matches;
    const bool with_errors = plan->kind == PLAN_KIND_ERRORS;
    uint16_t *distances;
    const struct hit *hits;

    TRAWL_ASSERT(count <= task->match_room && from + count <= task->result.hits.count);
    task->match_count = count;
    if (count == 0) /* task->matches may be NULL */
        return;
    distances = (uint16_t *)(void *)(task->matches + 3 * task->match_room);
    if (plan->found != NULL)
        plan = plan->found;
    hits = task->result.hits.items + from;
    TRAWL_ASSERT(hits[0].offset >= task->from && hits[count - 1].offset < task->chunk.owned);
    if (!sink->columns && plan->literals == NULL && !task->result.hits.lengths_valid) {
        matches_of_hits(plan, hits, count, task->chunk.begin, matches);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct trawl_match match = matches_one(plan, task, &hits[i]);

        if (count - i > HITS_AHEAD)
            plan_literal_fetch(plan, hits[i + HITS_AHEAD].literal);
        if (sink->columns) {
            task->matches[i] = match.begin;
            task->matches[task->match_room + i] = match.end;
            task->matches[2 * task->match_room + i] = match.pattern_index;
            if (with_errors) {
                distances[i] = match.distance;
                distances[task->match_room + i] = match.reversed;
            }
        } else {
            matches[i] = match;
        }
    }
}
