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

static void put_match(const struct match_place *place, uint64_t i, struct trawl_match match)
{
    if (place->matches != NULL) {
        place->matches[i] = match;
    } else {
        place->columns[i] = match.begin;
        place->columns[place->room + i] = match.end;
        place->columns[2 * place->room + i] = match.pattern_index;
    }
}

/* As find_ops does, where a pattern is long: lengths follow from where patterns begin. */
static void convert_by_bounds(const struct find_hits *hits, const uint64_t *bounds,
                              const struct match_place *place)
{
    for (uint64_t i = 0; i < hits->count; i++) {
        uint64_t begin = hits->begin + hits->items[i].offset, pattern = hits->items[i].literal;

        put_match(
            place, i,
            (struct trawl_match){begin, begin + (bounds[pattern + 1] - bounds[pattern]), pattern});
    }
}

static void convert(const struct find_ops *find, const struct find_hits *hits,
                    const struct match_place *place)
{
    if (place->matches == NULL)
        find->columns(hits, place->columns, place->room);
    else if (place->streams)
        find->streamed(hits, place->matches);
    else
        find->matches(hits, place->matches);
}

bool matches_have_lengths(const struct trawl_plan *plan)
{
    return plan->literals == NULL && (plan->pattern_lengths != NULL ||
                                      (plan->pattern_count == 1 && plan->length_max <= UINT16_MAX));
}

void matches_of_hits(const struct find_ops *find, const struct trawl_plan *plan,
                     const struct hit *items, uint64_t count, uint64_t begin,
                     const struct match_place *place)
{
    struct find_hits hits = {items, count, begin, plan->pattern_lengths, false};
    uint16_t length;

    TRAWL_ASSERT(plan->literals == NULL && (place->matches != NULL || count <= place->room));
    if (!matches_have_lengths(plan)) {
        convert_by_bounds(&hits, plan->pattern_begin, place);
        return;
    }
    if (hits.lengths == NULL) {
        length = (uint16_t)plan->length_max;
        hits.lengths = &length;
    }
    convert(find, &hits, place);
}

static void convert_each(const struct search *search, const struct task *task, uint64_t from,
                         uint64_t count, const struct match_place *place)
{
    const struct trawl_plan *plan = search->job.plan;
    const struct hit *hits = task->result.hits.items + from;

    for (uint64_t i = 0; i < count; i++) {
        struct trawl_match match = match_of(plan, task, &hits[i]);

        if (count - i > HITS_AHEAD)
            plan_literal_fetch(plan, hits[i + HITS_AHEAD].literal);
        TRAWL_ASSERT(match.begin < match.end);
        TRAWL_ASSERT(match.end <= task->chunk.begin + task->chunk.owned + task->chunk.after);
        put_match(place, i, match);
    }
}

void matches_convert(const struct search *search, struct task *task, uint64_t from, uint64_t count,
                     const struct match_place *place)
{
    const struct trawl_plan *plan = search->job.plan;
    const struct find_ops *find = search->job.runtime->find;
    const struct hits_lent *lent = &task->result.lent;
    const struct hit *hits;
    struct match_place own = {NULL, false, task->matches, task->match_room};

    TRAWL_ASSERT((place != NULL || count <= task->match_room) &&
                 from + count <= task_hit_count(task));
    if (!search->sink->columns)
        own.matches = (struct trawl_match *)(void *)task->matches;
    if (place == NULL)
        place = &own;
    task->match_count = count;
    if (count == 0)
        return;
    if (lent->count > 0) {
        struct find_hits items = {lent->items + from, count, task->chunk.begin + lent->shift,
                                  lent->lengths + from, true};

        convert(find, &items, place);
        return;
    }
    hits = task->result.hits.items + from; /* NULL where there are none */
    TRAWL_ASSERT(hits[0].offset >= task->from && hits[count - 1].offset < task->chunk.owned);
    if (plan->literals == NULL && !task->result.hits.lengths_valid)
        matches_of_hits(find, plan, hits, count, task->chunk.begin, place);
    else
        convert_each(search, task, from, count, place);
}
