/* verify: tests which candidates are occurrences, in time linear in the text.
 *
 * Three rules keep this time linear (docs/design.md has the argument):
 *   runs      if a literal occurs whose period is at most half its length, the scan finds once
 *             where the text stops repeating with this period. The other occurrences of this run
 *             follow by arithmetic, and nothing else in it can match (Fine and Wilf 1965);
 *   learning  the scan first compares the offset where the last candidate failed;
 *   budget    when the work (about the compared bytes) exceeds cpu_sizes.work_factor per byte of
 *             the chunk and per literal, two_way, whose time is linear, searches the rest. For
 *             sets, scan_dense.c sets a smaller budget, after which the automaton searches.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "cpu/worker.h"
#include "cpu/two_way.h"
#include "plan/analyse.h"
#include "cpu/prices.def"

/* Returns the record that contains position x. Looks first near the record of the last call,
 * because positions usually ascend. */
static uint64_t record_at(struct scan *scan, uint64_t x)
{
    const struct records *records = scan->chunk->records;
    uint64_t position = scan->chunk->begin + x;

    if (records_begin(records, scan->record) > position)
        scan->record = 0;
    scan->record = records_beyond(records, scan->record, position);
    TRAWL_ASSERT(scan->record < records->count);
    return scan->record;
}

uint64_t verify_record_end(struct scan *scan, uint64_t x, uint64_t length)
{
    uint64_t end = records_begin(scan->chunk->records, record_at(scan, x) + 1) - scan->chunk->begin;

    TRAWL_ASSERT(x < end && length > 0);
    return length <= end - x ? min_u64(end - 1, scan->chunk->owned) : UINT64_MAX;
}

void verify_record_ends(struct scan *scan, uint64_t begin, uint64_t words)
{
    const struct records *records = scan->chunk->records;
    uint64_t *mask = scan->worker->ends.mask, from = scan->chunk->begin + begin;

    TRAWL_ASSERT(words > 0 && words <= FIND_TILE_WORDS);
    memset(mask, 0, (size_t)words * sizeof *mask);
    for (uint64_t i = record_at(scan, begin); i < records->count; i++) {
        uint64_t position = records_begin(records, i + 1) - 1 - from;

        if (position >= 64 * words)
            break;
        mask[position / 64] |= 1ull << position % 64;
    }
}

/* Returns a second byte that ends lines: a NUL, unless the plan has another one. */
static uint8_t second_end(const struct trawl_plan *plan)
{
    return plan->line_end_also != plan->line_end ? plan->line_end_also : 0;
}

const uint64_t *verify_ends(struct scan *scan, uint64_t begin, uint64_t words)
{
    struct cpu_worker *worker = scan->worker;
    struct plan_probe probe = {0, scan->plan->line_end, 0, {0}};
    const uint8_t *text = scan->chunk->bytes + begin, also = second_end(scan->plan);

    TRAWL_ASSERT(words > 0 && words <= FIND_TILE_WORDS);
    TRAWL_ASSERT(begin + 64 * words <= scan->loadable);
    scan->has_nulls = false;
    if (scan->chunk->records != NULL) {
        verify_record_ends(scan, begin, words);
        return worker->ends.mask;
    }
    worker->find->every(text, words, &probe, 1, 1, &worker->ends);
    if (also == probe.value)
        return worker->ends.mask;
    probe.value = also;
    worker->find->every(text, words, &probe, 1, 1, &worker->ends_also);
    if (worker->ends_also.hot_count == 0)
        return worker->ends.mask;
    scan->has_nulls = also != scan->plan->line_end_also;
    for (uint64_t w = 0; w < words; w++)
        worker->ends.mask[w] |= worker->ends_also.mask[w];
    return worker->ends.mask;
}

/* Returns the first line end at or after x; chunk->owned if there is none. */
static uint64_t line_end_from(const struct scan *scan, uint64_t x)
{
    const uint8_t end = scan->plan->line_end, also = second_end(scan->plan);
    const uint8_t *text = scan->chunk->bytes;
    uint64_t owned = scan->chunk->owned, fast = min_u64(owned + FIND_LOAD_SLACK, scan->loadable);

    fast = scan->worker == NULL || fast < x + FIND_LOAD_SLACK ? x : fast - FIND_LOAD_SLACK;
    if (x < fast)
        x += scan->worker->find->either(text + x, fast - x, end, also);
    return x < fast ? x : x + bytes_find_either(text + x, owned - x, end, also);
}

bool verify_take_line(struct scan *scan, uint64_t x, uint64_t length)
{
    const struct trawl_plan *plan = scan->plan;
    bool two = plan->line_end_also != plan->line_end, records = scan->chunk->records != NULL;
    uint64_t end;

    if (x < scan->line_until)
        return false;
    end = records ? verify_record_end(scan, x, length) : line_end_from(scan, x);
    if (end == UINT64_MAX)
        return false;
    TRAWL_ASSERT(x <= end && end <= scan->chunk->owned);
    if (!records && !two && end < scan->chunk->owned && scan->chunk->bytes[end] != plan->line_end)
        /* the end is a NUL, after which the line continues for some callers */
        scan->result->hits.one_per_line = false;
    scan->line_until = end + 1;
    scan->run_until = max_u64(scan->run_until, scan->line_until);
    return true;
}

/* Keeps only the first hit of each line. The line at scan->at has no hit yet. Returns false if the
 * last line of the tile has a hit.
 *
 * An event is a hit or a line end. A 1 that is added to ~events where a line begins is carried
 * through its positions without an event and stops, as a 1, at its first event: sum & events has
 * each line's first event. A carry out of the word goes on in the next (begun). */
static bool thin_lines(struct find_tile *tile, const struct find_tile *ends, uint64_t words)
{
    bool begun = true;

    TRAWL_ASSERT(words > 0 && words <= FIND_TILE_WORDS);
    for (uint64_t w = 0; w < words; w++) {
        uint64_t events = tile->mask[w] | ends->mask[w], begins = ends->mask[w] << 1;
        uint64_t once = ~events + begins, sum = once + begun;

        begun = once < begins || sum < once || ends->mask[w] >> 63 != 0;
        tile->mask[w] &= sum & events;
    }
    return begun;
}

void verify_lines(struct scan *scan, uint64_t words, uint64_t positions, bool vectors)
{
    struct find_tile *tile = &scan->worker->tile;

    TRAWL_ASSERT(positions > 0 && scan->at + positions <= scan->limit && tile->is_dense);
    if (vectors && scan->worker->find->count_bits(tile, words) >= words / WORDS_PER_BIT) {
        (void)verify_ends(scan, scan->at, words);
        tile_cut(&scan->worker->ends, words, positions);
        if (scan->has_nulls)
            scan->result->hits.one_per_line = false;
        if (!thin_lines(tile, &scan->worker->ends, words) &&
            scan->at + positions < scan->chunk->owned)
            (void)verify_take_line(scan, scan->at + positions, 1);
        return;
    }
    for (uint64_t w = 0; w < words; w++)
        for (uint64_t bits = tile->mask[w]; bits != 0; bits &= bits - 1)
            if (!verify_take_line(scan, scan->at + 64 * w + (uint64_t)__builtin_ctzll(bits), 1))
                tile->mask[w] ^= bits & (~bits + 1);
}

/* In a search for spans (hits that do not overlap), returns true if the hit begins a new span. A
 * longer hit at the start of the last span replaces that span. */
static bool take_span(struct scan *scan, uint64_t x, uint32_t literal, uint64_t length)
{
    struct hits *hits = &scan->result->hits;
    uint64_t end = x + length;
    bool again = hits->count > 0 && x == scan->span_begin;
    bool taken = !again && !(scan->span_is_sure && x < scan->span_end);

    TRAWL_ASSERT(length > 0 && end <= scan->available);
    TRAWL_ASSERT(hits->count == 0 || x >= scan->span_begin);
    if (again && end > scan->span_end) {
        hits->items[hits->count - 1].literal = literal;
        if (scan->keeps_lengths)
            hits->lengths[hits->count - 1] = length;
        scan->span_end = end;
    } else if (taken) {
        scan->span_is_sure |= x >= scan->span_reach;
        scan->span_begin = x;
        scan->span_end = end;
    }
    scan->span_reach = max_u64(scan->span_reach, end);
    /* until span_is_sure is set, keep overlapping hits, because any of them may be a span */
    if (scan->span_is_sure)
        scan->run_until = max_u64(scan->run_until, scan->span_end);
    return taken;
}

void verify_emit(struct scan *scan, uint64_t x, uint32_t literal, uint64_t length)
{
    struct hits *hits = &scan->result->hits;

    TRAWL_ASSERT(x < scan->limit && x + length <= scan->available);
    TRAWL_ASSERT(literal < scan->plan->literal_count);
    if (plan_has_conditions(scan->plan) &&
        !plan_accepts(scan->plan, scan->chunk->bytes, x, x + length, scan->chunk->before,
                      scan->available))
        return;
    if ((scan->want == WANT_LINES && !verify_take_line(scan, x, length)) ||
        (scan->want == WANT_SPANS && !take_span(scan, x, literal, length)))
        return;
    scan->result->count++;
    if (scan->want == WANT_COUNT)
        return;
    if (hits->count == hits->capacity || scan->keeps_lengths) {
        scan_reserve(scan, 1);
        if (scan->over)
            return;
    }
    if (scan->keeps_lengths)
        hits->lengths[hits->count] = length;
    hits->items[hits->count].offset = (uint32_t)x;
    hits->items[hits->count++].literal = literal;
    if (scan->want == WANT_FIRST)
        scan->over = true;
}

/* Compares each of the `count` bytes at `text` with the byte that is `period` bytes before it.
 * Returns how many are equal before the first that differs. */
static uint64_t run_extent(const struct scan *scan, const uint8_t *text, uint64_t period,
                           uint64_t count)
{
    bool fold = (scan->plan->flags & TRAWL_IGNORE_CASE) != 0;
    const uint8_t *before = text - period;
    uint64_t i = 0;

    TRAWL_ASSERT(period > 0 && text >= scan->chunk->bytes + period);
    TRAWL_ASSERT(text + count <= scan->chunk->bytes + scan->available);
    while (i < count) {
        i += scan->worker->find->mismatch(text + i, before + i, count - i);
        if (!fold)
            break;
        while (i < count && fold_byte(text[i]) == fold_byte(before[i]) && text[i] != before[i])
            i++;
        if (i < count && text[i] != before[i])
            break;
    }
    TRAWL_ASSERT(i <= count);
    return i;
}

/* Emits all occurrences of a run, of which the first is at x: since the literal has a period, each
 * further occurrence follows one period later. */
static void verify_run(struct scan *scan, uint64_t x)
{
    uint64_t count = plan_literal_at(scan->plan, 0).bytes_count, period = scan->plan->period;
    uint64_t stop = scan->limit - 1 + count, end = x + count, last;
    const uint32_t both = TRAWL_IGNORE_CASE | TRAWL_WHOLE_LINE;

    TRAWL_ASSERT(stop <= scan->available && end <= stop);
    end += run_extent(scan, scan->chunk->bytes + end, period, stop - end);
    scan->work += end - x;
    scan->run_until = end == stop ? scan->limit : end - period + 1;
    last = min_u64(end - count, scan->limit - 1);
    if (scan->want == WANT_COUNT && !plan_has_conditions(scan->plan)) {
        scan->result->count += (last - x) / period + 1;
        return;
    }
    TRAWL_ASSERT(last >= x && last < scan->limit);
    TRAWL_ASSERT(scan->run_until > last);
    /* The byte before each later occurrence of the run is the same, except for its case, which only
     * matters if a letter ends lines. If that byte rules out an occurrence, only the first of the
     * run can be accepted. */
    if ((scan->plan->flags & both) != both &&
        !plan_may_follow(scan->plan, scan->chunk->bytes[x + period - 1]))
        last = x;
    for (; x <= last && !scan->over; x += period)
        verify_emit(scan, x, 0, count);
}

void verify_one(struct scan *scan, uint64_t x)
{
    const uint8_t *text = scan->chunk->bytes + x, *bytes = plan_literal_bytes(scan->plan, 0);
    uint64_t count = plan_literal_at(scan->plan, 0).bytes_count, learned = scan->worker->learned,
             same;
    bool fold = (scan->plan->flags & TRAWL_IGNORE_CASE) != 0;

    if (x < scan->run_until || x >= scan->limit)
        return;
    TRAWL_ASSERT(learned < count);
    TRAWL_ASSERT(x + count <= scan->available);
    scan->result->candidate_count++;
    scan->work += CANDIDATE_WORK;
    if (bytes[learned] != (fold ? fold_byte(text[learned]) : text[learned])) {
        scan->failed++;
        return;
    }
    same = verify_mismatch(scan, 0, x, count);
    scan->work += same;
    TRAWL_ASSERT(same <= count);
    if (same < count) {
        scan->worker->learned = same;
        scan->failed++;
    } else if (scan->plan->period > 0) {
        verify_run(scan, x);
    } else {
        verify_emit(scan, x, 0, count);
    }
    if (scan->work > scan->work_max && !scan->over)
        scan_leave(scan, x + 1);
}

/* Verifies the candidates in a word of the mask. Skips those below run_until, which have already
 * been decided. */
static void verify_word(struct scan *scan, uint64_t position, uint64_t bits,
                        void (*verify)(struct scan *scan, uint64_t x))
{
    TRAWL_ASSERT(position <= scan->limit);
    while (bits != 0 && !scan->over) {
        uint64_t x = position + (uint64_t)__builtin_ctzll(bits);

        if (x < scan->run_until) {
            if (scan->run_until >= position + 64)
                return;
            bits &= UINT64_MAX << (scan->run_until - position);
            continue;
        }
        TRAWL_ASSERT(x < scan->limit);
        verify(scan, x);
        bits &= bits - 1;
    }
}

void verify_tile(struct scan *scan, uint64_t word_count,
                 void (*verify)(struct scan *scan, uint64_t x))
{
    const struct find_tile *tile = &scan->worker->tile;
    uint64_t first = scan->at;

    for (uint64_t i = 0; i < tile_words(tile, word_count) && !scan->over; i++)
        verify_word(scan, first + 64 * tile_word(tile, i), tile->mask[tile_word(tile, i)], verify);
}

void verify_bits(struct scan *scan, uint64_t words, uint64_t found, const uint32_t *literals)
{
    const struct find_tile *tile = &scan->worker->tile;
    const uint8_t *text = scan->chunk->bytes;
    struct hits *hits = &scan->result->hits;

    TRAWL_ASSERT(found <= 64 * words);
    TRAWL_ASSERT(scan->at + 64 * words <= UINT32_MAX);
    hits->one_per_line = hits->one_per_line && scan->want == WANT_LINES;
    if (scan->want != WANT_COUNT) {
        scan->status = hits_reserve(hits, found, scan->error);
        scan->over = scan->status != TRAWL_OK;
        if (scan->over)
            return;
        for (uint64_t i = 0; i < tile_words(tile, words); i++) {
            uint64_t begin = scan->at + 64 * tile_word(tile, i);

            for (uint64_t bits = tile->mask[tile_word(tile, i)]; bits != 0; bits &= bits - 1) {
                uint32_t x = (uint32_t)(begin + (uint64_t)__builtin_ctzll(bits));

                hits->items[hits->count++] =
                    (struct hit){x, literals == NULL ? 0 : literals[text[x]]};
            }
        }
        TRAWL_ASSERT(hits->count <= hits->capacity);
    }
    scan->result->count += found;
    scan->over = scan->want == WANT_FIRST && found > 0;
}

int verify_compare_hits(const void *a, const void *b)
{
    const struct hit *first = (const struct hit *)a, *second = (const struct hit *)b;

    if (first->offset != second->offset)
        return first->offset < second->offset ? -1 : 1;
    return (first->literal > second->literal) - (first->literal < second->literal);
}

uint64_t verify_mismatch(const struct scan *scan, uint32_t literal, uint64_t x, uint64_t count)
{
    const uint8_t *bytes = plan_literal_bytes(scan->plan, literal), *text = scan->chunk->bytes + x;

    TRAWL_ASSERT(count <= plan_literal_at(scan->plan, literal).bytes_count);
    TRAWL_ASSERT(x + count <= scan->available);
    return (scan->plan->flags & TRAWL_IGNORE_CASE) != 0
               ? plan_mismatch(scan->plan, bytes, text, count)
               : scan->worker->find->mismatch(bytes, text, count);
}

void verify_occurrence(struct scan *scan, uint32_t index, uint64_t x)
{
    const struct plan_literal literal = plan_literal_at(scan->plan, index);
    uint64_t length = literal.bytes_count;

    TRAWL_ASSERT(index < scan->plan->literal_count);
    TRAWL_ASSERT(x < scan->available && length <= scan->available - x);
    scan->result->candidate_count++;
    if (literal.tail_count > 0)
        length =
            plan_literal_match(scan->plan, &literal, scan->chunk->bytes + x, scan->available - x);
    TRAWL_ASSERT(length <= scan->available - x && length <= scan->plan->length_max);
    if (length > 0)
        verify_emit(scan, x, index, length);
}

void verify_steps(struct scan *scan, uint64_t step_min, verify_search search)
{
    const struct trawl_plan *plan = scan->plan;
    struct hits *hits = &scan->result->hits;
    uint64_t step = max_u64(step_min, 2 * plan->length_max);

    if (scan->want >= WANT_LINES && plan->literal_count > 1)
        /* The search goes literal by literal, not in text order, so lines and spans can only be
         * chosen after the hits are sorted. */
        scan->want = WANT_HITS;
    hits->one_per_line = hits->one_per_line && scan->want == WANT_LINES;
    while (scan->at < scan->limit && scan->status == TRAWL_OK && !scan_is_full(scan)) {
        uint64_t to = scan->limit - scan->at > step ? scan->at + step : scan->limit;
        uint64_t kept = hits->count;

        TRAWL_ASSERT(scan->at < to && to <= scan->limit);
        for (uint32_t i = 0; i < plan->literal_count && scan->status == TRAWL_OK; i++) {
            uint64_t count = plan_literal_at(plan, i).bytes_count;

            if (count <= scan->available - scan->at)
                search(scan, i, min_u64(to, scan->available - count + 1));
        }
        if (hits->count > kept + 1 && plan->literal_count > 1)
            qsort(hits->items + kept, (size_t)(hits->count - kept), sizeof *hits->items,
                  verify_compare_hits);
        TRAWL_ASSERT(hits->count >= kept);
        scan->at = to;
        if (scan->want == WANT_FIRST && hits->count > 0)
            break;
    }
}

static void linear_literal(struct scan *scan, uint32_t index, uint64_t to)
{
    const uint8_t *bytes = plan_literal_bytes(scan->plan, index);
    uint64_t count = plan_literal_at(scan->plan, index).bytes_count, critical, period, x;
    struct two_way search;

    TRAWL_ASSERT(index < scan->plan->literal_count && scan->at <= to);
    analyse_period(bytes, count, &critical, &period);
    two_way_begin(&search, bytes, count, critical, period,
                  (scan->plan->flags & TRAWL_IGNORE_CASE) != 0, scan->at);
    while (scan->status == TRAWL_OK &&
           (x = two_way_next(&search, scan->chunk->bytes, to)) != UINT64_MAX) {
        TRAWL_ASSERT(x >= scan->at && x < to);
        verify_occurrence(scan, index, x);
    }
}

void verify_linear(struct scan *scan)
{
    verify_steps(scan, cpu_sizes.verify_step, linear_literal);
}
