/* matches: hits of a task become matches, in structs or in columns. */
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/checked.h"
#include "base/memory.h"
#include "runtime/search.h"

#define MATCH_WORDS (sizeof(struct trawl_match) / sizeof(uint64_t))
#define HITS_AHEAD 16u     /* a hit's literal is prefetched, */
#define FETCHED_MIN 65536u /* where there are so many */

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

/* The bytes of a pattern as it was given. */
static inline __attribute__((always_inline)) uint64_t length_of(const uint16_t *lengths,
                                                                const uint64_t *bounds,
                                                                uint64_t pattern)
{
    return lengths != NULL ? lengths[pattern] : bounds[pattern + 1] - bounds[pattern];
}

#if defined(__SSE2__)
/* As convert_with to columns, two hits at a time; returns how many. */
static inline __attribute__((always_inline)) uint64_t convert_pairs(
    const struct hit *hits, uint64_t count, uint64_t chunk_begin, const uint16_t *lengths,
    const uint64_t *bounds, uint64_t *columns, uint64_t room)
{
    const __m128i base = _mm_set1_epi64x((int64_t)chunk_begin);
    const __m128i offsets = _mm_set1_epi64x(UINT32_MAX);
    uint64_t i = 0;

    for (; i + 2 <= count; i += 2) {
        __m128i two = _mm_loadu_si128((const __m128i *)(const void *)(hits + i));
        __m128i begins = _mm_add_epi64(base, _mm_and_si128(two, offsets));
        __m128i ends = _mm_add_epi64(
            begins, _mm_set_epi64x((int64_t)length_of(lengths, bounds, hits[i + 1].literal),
                                   (int64_t)length_of(lengths, bounds, hits[i].literal)));

        _mm_storeu_si128((__m128i *)(void *)(columns + i), begins);
        _mm_storeu_si128((__m128i *)(void *)(columns + room + i), ends);
        _mm_storeu_si128((__m128i *)(void *)(columns + 2 * room + i), _mm_srli_epi64(two, 32));
    }
    return i;
}
#endif

static inline __attribute__((always_inline)) void convert_with(
    const struct hit *hits, uint64_t count, uint64_t chunk_begin, const uint16_t *lengths,
    const uint64_t *bounds, struct trawl_match *matches, uint64_t *columns, uint64_t room)
{
    uint64_t i = 0;

#if defined(__SSE2__)
    if (matches == NULL)
        i = convert_pairs(hits, count, chunk_begin, lengths, bounds, columns, room);
#endif
    for (; i < count; i++) {
        uint64_t begin = chunk_begin + hits[i].offset, pattern = hits[i].literal;
        uint64_t end = begin + length_of(lengths, bounds, pattern);

        if (matches != NULL) {
            matches[i] = (struct trawl_match){begin, end, pattern};
        } else {
            columns[i] = begin;
            columns[room + i] = end;
            columns[2 * room + i] = pattern;
        }
    }
}

void matches_of_hits(const struct trawl_plan *plan, const struct hit *hits, uint64_t count,
                     uint64_t begin, struct trawl_match *matches, uint64_t *columns, uint64_t room)
{
    TRAWL_ASSERT(plan->literals == NULL && (matches != NULL || count <= room));
    for (uint64_t i = 0; i < count && plan->pattern_count > FETCHED_MIN; i++)
        plan_literal_fetch(plan, hits[i].literal);
    if (plan->pattern_lengths != NULL)
        convert_with(hits, count, begin, plan->pattern_lengths, NULL, matches, columns, room);
    else
        convert_with(hits, count, begin, NULL, plan->pattern_begin, matches, columns, room);
}

void matches_convert(const struct search *search, struct task *task, uint64_t from, uint64_t count)
{
    const struct trawl_plan *plan = search->job.plan;
    bool columns = search->sink->columns;
    struct trawl_match *matches = (struct trawl_match *)(void *)task->matches;
    const struct hit *hits;

    TRAWL_ASSERT(count <= task->match_room && from + count <= task->result.hits.count);
    task->match_count = count;
    if (count == 0)
        return;
    hits = task->result.hits.items + from;
    TRAWL_ASSERT(hits[0].offset >= task->from && hits[count - 1].offset < task->chunk.owned);
    if (plan->literals == NULL && !task->result.hits.lengths_valid) {
        matches_of_hits(plan, hits, count, task->chunk.begin, columns ? NULL : matches,
                        task->matches, task->match_room);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct trawl_match match = match_of(plan, task, &hits[i]);

        if (count - i > HITS_AHEAD)
            plan_literal_fetch(plan, hits[i + HITS_AHEAD].literal);
        TRAWL_ASSERT(match.begin < match.end);
        TRAWL_ASSERT(match.end <= task->chunk.begin + task->chunk.owned + task->chunk.after);
        if (columns) {
            task->matches[i] = match.begin;
            task->matches[task->match_room + i] = match.end;
            task->matches[2 * task->match_room + i] = match.pattern_index;
        } else {
            matches[i] = match;
        }
    }
}
