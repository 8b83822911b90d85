/* settle: candidates become occurrences, in time linear in the text.
 *
 * Three rules keep verification from growing beyond the text (docs/design.md has the argument):
 *   runs      an occurrence of a literal with period p <= m / 2 is extended to the end of its run
 *             once; the run's other occurrences follow by arithmetic and nothing else in it can
 *             match (Fine and Wilf 1965);
 *   learning  the offset where the last candidate failed is compared first;
 *   budget    when the bytes compared exceed WORK_FACTOR times the chunk, the rest of the chunk is
 *             searched by two_way, which is linear by itself.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/lane.h"
#include "cpu/two_way.h"
#include "plan/analyse.h"

#define CANDIDATE_WORK 16u /* what a candidate costs beside its bytes */

void settle_emit(struct scan *scan, uint64_t x, uint32_t literal, uint64_t length)
{
    struct hits *hits = &scan->result->hits;

    if (plan_has_conditions(scan->plan) &&
        !plan_accepts(scan->plan, scan->chunk->bytes, x, x + length, scan->chunk->before,
                      scan->available))
        return;
    scan->result->count++;
    if (scan->want == ENGINE_WANT_COUNT)
        return;
    if (hits->count == hits->capacity) {
        scan->status = hits_reserve(hits, 1, scan->error);
        if (scan->status != TRAWL_OK) {
            scan->over = true;
            return;
        }
    }
    hits->items[hits->count].offset = (uint32_t)x;
    hits->items[hits->count++].literal = literal;
    if (scan->want == ENGINE_WANT_FIRST)
        scan->over = true;
}

/* How many of `count` bytes at text equal those `period` before them. */
static uint64_t run_extent(const struct scan *scan, const uint8_t *text, uint64_t period,
                           uint64_t count)
{
    bool fold = (scan->plan->flags & TRAWL_IGNORE_CASE) != 0;
    const uint8_t *before = text - period;
    uint64_t i = 0;

    while (i < count) {
        i += scan->lane->find->mismatch(text + i, before + i, count - i);
        if (!fold)
            break;
        while (i < count && fold_byte(text[i]) == fold_byte(before[i]) && text[i] != before[i])
            i++;
        if (i < count && text[i] != before[i])
            break;
    }
    return i;
}

/* The literal occurs at x and has a period: settle the whole run. */
static void settle_run(struct scan *scan, uint64_t x)
{
    uint64_t count = scan->plan->literals[0].bytes_count, period = scan->plan->period;
    uint64_t stop = scan->limit - 1 + count, end = x + count, last;

    TRAWL_ASSERT(stop <= scan->available && end <= stop);
    end += run_extent(scan, scan->chunk->bytes + end, period, stop - end);
    scan->work += end - x;
    scan->run_until = end == stop ? scan->limit : end - period + 1;
    last = min_u64(end - count, scan->limit - 1);
    if (scan->want == ENGINE_WANT_COUNT && !plan_has_conditions(scan->plan)) {
        scan->result->count += (last - x) / period + 1;
        return;
    }
    for (; x <= last && !scan->over; x += period)
        settle_emit(scan, x, 0, count);
}

void settle_one(struct scan *scan, uint64_t x)
{
    const uint8_t *text = scan->chunk->bytes + x, *bytes = plan_literal_bytes(scan->plan, 0);
    uint64_t count = scan->plan->literals[0].bytes_count, learned = scan->lane->learned, same;
    bool fold = (scan->plan->flags & TRAWL_IGNORE_CASE) != 0;

    if (x < scan->run_until || x >= scan->limit)
        return;
    scan->result->candidate_count++;
    scan->work += CANDIDATE_WORK;
    if (bytes[learned] != (fold ? fold_byte(text[learned]) : text[learned])) {
        scan->failed++;
        return;
    }
    same = fold ? plan_mismatch(scan->plan, bytes, text, count)
                : scan->lane->find->mismatch(bytes, text, count);
    scan->work += same;
    if (same < count) {
        scan->lane->learned = same;
        scan->failed++;
    } else if (scan->plan->period > 0) {
        settle_run(scan, x);
    } else {
        settle_emit(scan, x, 0, count);
    }
    if (scan->work > scan->work_max && !scan->over) {
        scan->at = max_u64(x + 1, scan->run_until);
        settle_linear(scan);
        scan->over = true;
    }
}

/* Candidates inside a run that is settled are passed over, a word of them at once. */
static void settle_word(struct scan *scan, uint64_t place, uint64_t bits,
                        void (*settle)(struct scan *scan, uint64_t x))
{
    while (bits != 0 && !scan->over) {
        uint64_t x = place + (uint64_t)__builtin_ctzll(bits);

        if (x >= scan->run_until)
            settle(scan, x);
        else if (scan->run_until >= place + 64)
            return;
        bits &= bits - 1;
    }
}

void settle_tile(struct scan *scan, uint64_t word_count,
                 void (*settle)(struct scan *scan, uint64_t x))
{
    const struct find_tile *tile = &scan->lane->tile;
    uint64_t first = scan->at;

    if (tile->is_dense)
        for (uint64_t w = 0; w < word_count && !scan->over; w++)
            settle_word(scan, first + 64 * w, tile->mask[w], settle);
    else
        for (uint32_t i = 0; i < tile->hot_count && !scan->over; i++)
            settle_word(scan, first + 64ull * tile->hot[i], tile->mask[tile->hot[i]], settle);
}

static int compare_hits(const void *a, const void *b)
{
    const struct hit *first = (const struct hit *)a, *second = (const struct hit *)b;

    if (first->offset != second->offset)
        return first->offset < second->offset ? -1 : 1;
    return (first->literal > second->literal) - (first->literal < second->literal);
}

void settle_occurrence(struct scan *scan, uint32_t index, uint64_t x)
{
    const struct plan_literal *literal = &scan->plan->literals[index];
    uint64_t length = literal->bytes_count;

    scan->result->candidate_count++;
    if (literal->tail_count > 0)
        length =
            plan_literal_match(scan->plan, literal, scan->chunk->bytes + x, scan->available - x);
    if (length > 0)
        settle_emit(scan, x, index, length);
}

void settle_steps(struct scan *scan, uint64_t step_min, settle_search search)
{
    const struct trawl_plan *plan = scan->plan;
    struct hits *hits = &scan->result->hits;
    uint64_t step = max_u64(step_min, 2 * plan->length_max);

    while (scan->at < scan->limit && scan->status == TRAWL_OK && !scan_is_full(scan)) {
        uint64_t to = scan->limit - scan->at > step ? scan->at + step : scan->limit;
        uint64_t kept = hits->count;

        for (uint32_t i = 0; i < plan->literal_count && scan->status == TRAWL_OK; i++) {
            uint64_t count = plan->literals[i].bytes_count;

            if (count <= scan->available - scan->at)
                search(scan, i, min_u64(to, scan->available - count + 1));
        }
        if (hits->count > kept + 1 && plan->literal_count > 1)
            qsort(hits->items + kept, (size_t)(hits->count - kept), sizeof *hits->items,
                  compare_hits);
        scan->at = to;
        if (scan->want == ENGINE_WANT_FIRST && hits->count > 0)
            break;
    }
}

static void linear_literal(struct scan *scan, uint32_t index, uint64_t to)
{
    const uint8_t *bytes = plan_literal_bytes(scan->plan, index);
    uint64_t count = scan->plan->literals[index].bytes_count, critical, period, x;
    struct two_way search;

    analyse_period(bytes, count, &critical, &period);
    two_way_begin(&search, bytes, count, critical, period,
                  (scan->plan->flags & TRAWL_IGNORE_CASE) != 0, scan->at);
    while (scan->status == TRAWL_OK &&
           (x = two_way_next(&search, scan->chunk->bytes, to)) != UINT64_MAX)
        settle_occurrence(scan, index, x);
}

void settle_linear(struct scan *scan)
{
    settle_steps(scan, SETTLE_STEP, linear_literal);
}
