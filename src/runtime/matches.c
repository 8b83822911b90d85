/* matches: hits of a task become matches, in structs or in columns. */
#include "base/checked.h"
#include "base/memory.h"
#include "cpu/find.h"
#include "runtime/search.h"

#define MATCH_WORDS (sizeof(struct trawl_match) / sizeof(uint64_t))
#define ROOM_WORDS 8u  /* columns begin with a cache line, which stores then seldom cross */
#define HITS_AHEAD 16u /* a hit's literal is prefetched */

void matches_release(struct task *task)
{
    memory_release(task->matches, task->match_room * MATCH_WORDS, sizeof(uint64_t));
    memory_release(task->line_numbers, task->match_room, sizeof(uint64_t));
    task->matches = task->line_numbers = NULL;
    task->match_room = 0;
}

enum trawl_status matches_reserve(const struct search *search, struct task *task, uint64_t count,
                                  struct trawl_error *error)
{
    void *memory;

    if (count > task->match_room) {
        matches_release(task);
        count = saturating_add(count, ROOM_WORDS - 1) / ROOM_WORDS * ROOM_WORDS;
        TRAWL_TRY(memory_allocate(saturating_multiply(count, MATCH_WORDS), sizeof(uint64_t),
                                  &memory, error));
        task->matches = (uint64_t *)memory;
        task->match_room = count;
    }
    if (!search->sink->line_numbers || task->line_numbers != NULL || task->match_room == 0)
        return TRAWL_OK;
    TRAWL_TRY(memory_allocate(task->match_room, sizeof(uint64_t), &memory, error));
    task->line_numbers = (uint64_t *)memory;
    return TRAWL_OK;
}

static struct trawl_match match_of(const struct trawl_plan *plan, const struct task *task,
                                   const struct hit *hit)
{
    const struct plan_literal literal = plan_literal_at(plan, hit->literal);
    uint64_t length = literal.bytes_count, begin = task->chunk.begin + hit->offset;
    const struct hits *hits = &task->result.hits;

    TRAWL_ASSERT(hit >= hits->items && hit < hits->items + hits->count);
    TRAWL_ASSERT(hit->offset >= task->from && hit->offset < task->chunk.owned);
    if (hits->lengths_valid)
        length = hits->lengths[hit - hits->items];
    else if (literal.tail_count > 0)
        length = plan_literal_match(plan, &literal, task->chunk.bytes + hit->offset,
                                    task->chunk.owned + task->chunk.after - hit->offset);
    return (struct trawl_match){begin, begin + length, literal.pattern};
}

/* As find_ops does, where patterns are many or one is long: lengths follow from where they begin.
 */
static void convert_by_bounds(const struct find_hits *hits, const uint64_t *bounds,
                              struct trawl_match *matches, uint64_t *columns, uint64_t room)
{
    for (uint64_t i = 0; i < hits->count; i++)
        __builtin_prefetch(&bounds[hits->items[i].literal]);
    for (uint64_t i = 0; i < hits->count; i++) {
        uint64_t begin = hits->begin + hits->items[i].offset, pattern = hits->items[i].literal;
        uint64_t end = begin + (bounds[pattern + 1] - bounds[pattern]);

        if (matches != NULL) {
            matches[i] = (struct trawl_match){begin, end, pattern};
        } else {
            columns[i] = begin;
            columns[room + i] = end;
            columns[2 * room + i] = pattern;
        }
    }
}

static void convert(const struct find_ops *find, const struct find_hits *hits,
                    struct trawl_match *matches, uint64_t *columns, uint64_t room)
{
    if (matches != NULL)
        find->matches(hits, matches);
    else
        find->columns(hits, columns, room);
}

void matches_of_hits(const struct find_ops *find, const struct trawl_plan *plan,
                     const struct hit *items, uint64_t count, uint64_t begin,
                     struct trawl_match *matches, uint64_t *columns, uint64_t room)
{
    struct find_hits hits = {items, count, begin, plan->pattern_lengths, false};
    uint16_t length;

    TRAWL_ASSERT(plan->literals == NULL && (matches != NULL || count <= room));
    if (plan->pattern_count == 1 && plan->length_max <= UINT16_MAX) {
        length = (uint16_t)plan->length_max;
        hits.lengths = &length;
    }
    if (hits.lengths != NULL)
        convert(find, &hits, matches, columns, room);
    else
        convert_by_bounds(&hits, plan->pattern_begin, matches, columns, room);
}

static void convert_each(const struct search *search, struct task *task, uint64_t from,
                         uint64_t count)
{
    const struct trawl_plan *plan = search->job.plan;
    struct trawl_match *matches = (struct trawl_match *)(void *)task->matches;
    const struct hit *hits = task->result.hits.items + from;

    for (uint64_t i = 0; i < count; i++) {
        struct trawl_match match = match_of(plan, task, &hits[i]);

        if (count - i > HITS_AHEAD)
            plan_literal_fetch(plan, hits[i + HITS_AHEAD].literal);
        TRAWL_ASSERT(match.begin < match.end);
        TRAWL_ASSERT(match.end <= task->chunk.begin + task->chunk.owned + task->chunk.after);
        if (search->sink->columns) {
            task->matches[i] = match.begin;
            task->matches[task->match_room + i] = match.end;
            task->matches[2 * task->match_room + i] = match.pattern_index;
        } else {
            matches[i] = match;
        }
    }
}

void matches_convert(const struct search *search, struct task *task, uint64_t from, uint64_t count)
{
    const struct trawl_plan *plan = search->job.plan;
    const struct find_ops *find = search->job.runtime->find;
    const struct hits_lent *lent = &task->result.lent;
    struct trawl_match *matches =
        search->sink->columns ? NULL : (struct trawl_match *)(void *)task->matches;
    const struct hit *hits = task->result.hits.items + from;

    TRAWL_ASSERT(count <= task->match_room && from + count <= task_hit_count(task));
    task->match_count = count;
    if (count == 0)
        return;
    if (lent->count > 0) {
        struct find_hits items = {lent->items + from, count, task->chunk.begin + lent->shift,
                                  lent->lengths + from, true};

        convert(find, &items, matches, task->matches, task->match_room);
        return;
    }
    TRAWL_ASSERT(hits[0].offset >= task->from && hits[count - 1].offset < task->chunk.owned);
    if (plan->literals == NULL && !task->result.hits.lengths_valid)
        matches_of_hits(find, plan, hits, count, task->chunk.begin, matches, task->matches,
                        task->match_room);
    else
        convert_each(search, task, from, count);
}
