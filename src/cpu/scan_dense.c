/* scan_dense: emits the occurrences of a set that the automaton finds (dense.h). This scan takes
 * over from other strategies where a text has many candidates, because the automaton's time does
 * not depend on them. An end of the automaton stands for a group of equal strings of the set.
 *
 * The text is searched in steps. The automaton reads a step's text from the end to the start, and
 * stores for each position the longest string that begins there. The scan then emits the
 * occurrences in ascending order. If the scan only counts, the automaton may compute the count
 * itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/worker.h"
#include "cpu/prices.def"

#define INSERTED_MAX 32u /* the longest list that is sorted by insertion */

/* The text that a step searches. If characters have variants with other bytes, the automaton reads
 * a copy of the text in which one representative replaces all variants (dense_fold_text). */
struct step {
    const uint8_t *text;
    uint64_t count;  /* readable bytes at `text` */
    uint64_t begins; /* the step finds the strings that begin at positions [0, begins) of text */
    uint64_t from;   /* position of text[0] in the chunk */
    uint64_t until;  /* position in the chunk after the last of [0, begins) */
    /* If the text was rewritten, byte i of text comes from byte from + origin[i] of the chunk. If
     * `origin` is NULL, it comes from byte from + i. */
    const uint32_t *origin;
};

static void lists_release(struct dense_worker *worker)
{
    memory_release(worker->list_at, worker->list_room, sizeof *worker->list_at);
    memory_release(worker->pool, worker->pool_room, sizeof *worker->pool);
    worker->list_at = worker->pool = NULL;
    worker->list_room = worker->pool_room = worker->pool_count = 0;
}

void dense_worker_end(struct dense_worker *worker)
{
    lists_release(worker);
    memory_release(worker->ends, worker->end_room, sizeof *worker->ends);
    memory_release(worker->folded, worker->folded_room, sizeof *worker->folded);
    memory_release(worker->origin, worker->origin_room, sizeof *worker->origin);
    memset(worker, 0, sizeof *worker);
}

static enum trawl_status worker_begin(struct dense_worker *worker, const struct trawl_plan *plan,
                                      struct trawl_error *error)
{
    if (worker->serial == plan->serial)
        return TRAWL_OK;
    worker->serial = 0;
    lists_release(worker);
    TRAWL_TRY(dense_want(plan, &worker->set, error));
    worker->serial = plan->serial;
    return TRAWL_OK;
}

static int compare_strings(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return (first > second) - (first < second);
}

static void list_fill(const struct plan_automaton *set, uint32_t end, uint32_t *strings)
{
    uint32_t count = set->ends[end].outputs, from = count;

    for (uint32_t at = end; at != PLAN_NONE; at = set->ends[at].shorter) {
        const struct plan_automaton_end *own = &set->ends[at];

        TRAWL_ASSERT(own->alike <= from && own->outputs <= count);
        from -= own->alike; /* shorter strings go first, as their numbers often come first, too */
        memcpy(strings + from, set->sorted + own->first, own->alike * sizeof *strings);
    }
    TRAWL_ASSERT(from == 0);
    if (count > INSERTED_MAX) {
        qsort(strings, count, sizeof *strings, compare_strings);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t string = strings[i], at = i;

        for (; at > 0 && strings[at - 1] > string; at--)
            strings[at] = strings[at - 1];
        strings[at] = string;
    }
}

/* Makes room for a list of `count` strings in worker->pool, which holds all lists. Drops all lists
 * if the pool would otherwise exceed both cpu_sizes.pool and its present size. Errors: MEMORY. */
static enum trawl_status pool_reserve(struct dense_worker *worker, uint64_t count,
                                      struct trawl_error *error)
{
    if (worker->list_at == NULL) {
        TRAWL_TRY(MEMORY_NEW(worker->list_at, worker->set->automaton.end_count, error));
        worker->list_room = worker->set->automaton.end_count;
        memset(worker->list_at, 0xff, worker->list_room * sizeof *worker->list_at);
    }
    if (worker->pool_count + count > max_u64(cpu_sizes.pool, worker->pool_room)) {
        memset(worker->list_at, 0xff, worker->list_room * sizeof *worker->list_at);
        worker->pool_count = 0;
    }
    return MEMORY_ROOM(worker->pool, worker->pool_room, worker->pool_count + count, error);
}

/* Sets *list to the numbers of the strings at set->ends[end], and of their prefixes that are in the
 * set, in ascending order. Makes the list if it is missing. It stays valid until the next call.
 * Errors: MEMORY. */
static enum trawl_status list_of(struct dense_worker *worker, uint32_t end, const uint32_t **list,
                                 struct trawl_error *error)
{
    const struct plan_automaton *set = &worker->set->automaton;
    const struct plan_automaton_end *own = &set->ends[end];

    TRAWL_ASSERT(end < set->end_count);
    if (own->shorter == PLAN_NONE) {
        *list = set->sorted + own->first;
        return TRAWL_OK;
    }
    if (worker->list_at == NULL || worker->list_at[end] == PLAN_NONE) {
        TRAWL_TRY(pool_reserve(worker, own->outputs, error));
        list_fill(set, end, worker->pool + worker->pool_count);
        worker->list_at[end] = (uint32_t)worker->pool_count;
        worker->pool_count += own->outputs;
    }
    *list = worker->pool + worker->list_at[end];
    return TRAWL_OK;
}

static uint64_t chunk_position(const struct step *step, uint64_t position)
{
    TRAWL_ASSERT(position <= step->count);
    return step->from + (step->origin == NULL ? position : step->origin[position]);
}

/* Returns the first position of the rewritten text that comes from offset `bytes` or later in the
 * original text. */
static uint64_t folded_position(const uint32_t *origin, uint64_t count, uint64_t bytes)
{
    uint64_t lo = 0, hi = count;

    TRAWL_ASSERT(origin[count] >= bytes);
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;

        if (origin[middle] < bytes)
            lo = middle + 1;
        else
            hi = middle;
    }
    TRAWL_ASSERT(lo == count || origin[lo] >= bytes);
    return lo;
}

/* Prepares a step from scan->at to at most `to`. Rewrites the text if the set has variants of
 * characters. `sums` means that the step only counts, so no ends are stored. Errors: MEMORY. */
static enum trawl_status step_begin(struct scan *scan, uint64_t to, bool sums, struct step *step)
{
    struct dense_worker *worker = &scan->worker->dense;
    const struct dense_set *set = worker->set;
    uint64_t max = max_u64(cpu_sizes.dense_step, STEP_LENGTHS * scan->plan->length_max);

    step->from = scan->at;
    step->begins = min_u64(to - step->from, max);
    step->until = step->from + step->begins;
    step->text = scan->chunk->bytes + step->from;
    step->count = min_u64(scan->available - step->from, step->begins + scan->plan->length_max - 1);
    step->origin = NULL;
    TRAWL_ASSERT(step->begins > 0 && step->begins <= step->count);
    /* step->begins may lie inside a character. All rewritten bytes of that character still count as
     * starts, so more than step->begins ends may be stored, at most step->count. */
    if (!sums)
        TRAWL_TRY(MEMORY_ROOM(worker->ends, worker->end_room, step->count, scan->error));
    if (set->fold == NULL)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_ROOM(worker->folded, worker->folded_room, step->count + 1, scan->error));
    TRAWL_TRY(MEMORY_ROOM(worker->origin, worker->origin_room, step->count + 1, scan->error));
    step->count =
        dense_fold_text(set->fold, step->text, step->count, worker->folded, worker->origin);
    step->begins = folded_position(worker->origin, step->count, step->begins);
    TRAWL_ASSERT(step->begins <= step->count && step->count < worker->origin_room);
    step->text = worker->folded;
    step->origin = worker->origin;
    return TRAWL_OK;
}

/* Returns true if each string that the automaton finds is an occurrence, with no comparison. */
static bool ends_tell(const struct scan *scan)
{
    const struct dense_set *set = scan->worker->dense.set;

    return !plan_has_conditions(scan->plan) &&
           (set->fold == NULL || dense_fold_is_exact(set->fold));
}

/* Finds the first literal of the pattern, beginning with *literal, that occurs at x. Sets *literal
 * to it, and returns the length of the occurrence; 0 if there is none. */
static uint64_t variant_at(const struct scan *scan, uint64_t x, uint32_t *literal)
{
    uint64_t length = 0, pattern = plan_literal_at(scan->plan, *literal).pattern;

    for (uint32_t i = *literal; length == 0 && i < scan->plan->literal_count; i++) {
        struct plan_literal variant = plan_literal_at(scan->plan, i);

        if (variant.pattern != pattern)
            break;
        *literal = i;
        length =
            plan_literal_match(scan->plan, &variant, scan->chunk->bytes + x, scan->available - x);
    }
    return length;
}

/* Emits the string at the position, if the text has one of its variants there and the plan's
 * conditions are met. */
static void emit_string(struct scan *scan, const struct step *step, uint64_t position,
                        uint32_t string)
{
    const struct dense_set *set = scan->worker->dense.set;
    struct plan_literal own = set->automaton.strings != NULL ? set->automaton.strings[string]
                                                             : plan_literal_at(scan->plan, string);
    uint64_t x = chunk_position(step, position), length = own.bytes_count;
    uint32_t literal = string;

    TRAWL_ASSERT(string < set->automaton.count && position + length <= step->count);
    if (set->fold != NULL) {
        literal = own.pattern;
        length = chunk_position(step, position + length) - x;
        if (!dense_fold_is_exact(set->fold))
            length = variant_at(scan, x, &literal);
    }
    if (length > 0)
        verify_emit(scan, x, literal, length);
}

/* Tries the strings at the position, from the longest to the shortest, until one is accepted. */
static void emit_longest(struct scan *scan, const struct step *step, uint64_t position,
                         uint32_t end)
{
    const struct plan_automaton *set = &scan->worker->dense.set->automaton;
    uint64_t count = scan->result->count;

    for (; end != PLAN_NONE; end = set->ends[end].shorter)
        for (uint32_t i = 0; i < set->ends[end].alike; i++) {
            emit_string(scan, step, position, set->sorted[set->ends[end].first + i]);
            if (scan->over || scan->result->count > count)
                return;
        }
}

/* Appends a hit for each string of the list, without further checks. */
static void take_list(struct scan *scan, const struct step *step, uint64_t position,
                      const uint32_t *list, uint32_t count)
{
    const struct dense_set *set = scan->worker->dense.set;
    struct hits *hits = &scan->result->hits;
    uint32_t x = (uint32_t)chunk_position(step, position);
    struct hit *to;

    if (count > hits->capacity - hits->count || scan->keeps_lengths) {
        scan_reserve(scan, count);
        if (scan->over)
            return;
    }
    to = hits->items + hits->count;
    for (uint32_t i = 0; i < count && set->fold == NULL; i++)
        to[i] = (struct hit){x, list[i]};
    for (uint32_t i = 0; i < count && set->fold != NULL; i++) {
        const struct plan_literal *string = &set->own_strings[list[i]];

        to[i] = (struct hit){x, string->pattern};
        hits->lengths[hits->count + i] =
            chunk_position(step, position + string->bytes_count) - chunk_position(step, position);
    }
    hits->count += count;
    scan->result->count += count;
}

/* Emits the strings that begin at the position. */
static void emit_position(struct scan *scan, const struct step *step, uint64_t position,
                          uint32_t end, bool tell)
{
    struct dense_worker *worker = &scan->worker->dense;
    uint32_t count = worker->set->automaton.ends[end].outputs;
    const uint32_t *list;

    scan->result->candidate_count++;
    if (scan->want >= WANT_LINES) {
        emit_longest(scan, step, position, end);
        return;
    }
    scan->status = list_of(worker, end, &list, scan->error);
    scan->over = scan->status != TRAWL_OK;
    if (scan->over)
        return;
    if (tell && scan->want == WANT_HITS) {
        TRAWL_ASSERT(scan->keeps_lengths == (step->origin != NULL));
        take_list(scan, step, position, list, count);
        return;
    }
    for (uint32_t i = 0; i < count && !scan->over; i++)
        emit_string(scan, step, position, list[i]);
}

/* Emits the strings that begin in the step. */
static void emit_positions(struct scan *scan, const struct step *step)
{
    const struct dense_worker *worker = &scan->worker->dense;
    bool tell = ends_tell(scan);

    for (uint64_t position = 0; position < step->begins && !scan->over; position++) {
        uint32_t end = worker->ends[position];
        uint64_t x;

        if (end == PLAN_NONE)
            continue;
        x = chunk_position(step, position);
        if (x < scan->run_until) {
            if (step->origin == NULL)
                position = min_u64(scan->run_until - step->from, step->begins) - 1;
            continue;
        }
        if (plan_has_conditions(scan->plan) &&
            !plan_accepts_begin(scan->plan, scan->chunk->bytes, x, scan->chunk->before))
            continue;
        emit_position(scan, step, position, end, tell);
        if (scan_is_full(scan)) {
            scan->at = x + 1;
            scan->over = true;
        }
    }
}

bool scan_dense(struct scan *scan, uint64_t from, uint64_t to)
{
    struct dense_worker *worker = &scan->worker->dense;
    struct step step;
    bool counts, sums;

    TRAWL_ASSERT(from < to && to <= scan->limit);
    scan->worker->makes += worker->serial != scan->plan->serial;
    scan->status = worker_begin(worker, scan->plan, scan->error);
    scan->over = scan->status != TRAWL_OK;
    if (scan->over || worker->set->unfit)
        return scan->over;
    counts = scan->want == WANT_COUNT && ends_tell(scan);
    sums = counts && worker->set->automaton.rows != NULL;
    scan->at = from;
    while (!scan->over && scan->at < to) {
        scan->status = step_begin(scan, to, sums, &step);
        scan->over = scan->status != TRAWL_OK;
        if (scan->over)
            break;
        if (step.begins > 0) {
            uint64_t begun = dense_read(&worker->set->automaton, step.text, step.begins, step.count,
                                        sums ? NULL : worker->ends);

            scan->result->count += sums ? begun : 0;
            worker->read_bytes += step.begins;
        }
        for (uint64_t position = 0; counts && !sums && position < step.begins; position++)
            if (worker->ends[position] != PLAN_NONE)
                scan->result->count += worker->set->automaton.ends[worker->ends[position]].outputs;
        if (!counts)
            emit_positions(scan, &step);
        if (!scan->over)
            scan->at = max_u64(step.until, scan->run_until);
    }
    return true;
}

/* ---- Dense text, where candidates take longer than the automaton ---- */

void dense_allow(struct scan *scan, uint64_t positions)
{
    TRAWL_ASSERT(positions <= scan->chunk->owned + 64);
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    /* count the work for the previous positions, which dense_leaves has not counted */
    if (scan->worker->dense_waits)
        scan->worker->dense_work += scan->work - scan->work_begin;
    scan->worker->dense_waits = false;
    scan->worker->dense_searched += positions;
    scan->work_begin = scan->work;
    if (scan->work_max != UINT64_MAX)
        scan->work_max = scan->work + positions * scan->worker->work_per_byte;
}

bool dense_leaves(struct scan *scan, uint64_t x)
{
    struct cpu_worker *worker = scan->worker;
    const struct plan_set_facts of = plan_set_facts_of(scan->plan);
    /* a unit of a scan's work counts as a nanosecond here */
    uint64_t enough = (uint64_t)plan_set_price(STRATEGY_AUTOMATON, &of).once_ns *
                      (plan_has_conditions(scan->plan) ? BUILD_TIMES : 1);
    double per_byte;

    if (max_u64(x, scan->run_until) >= scan->limit)
        return false;
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    worker->dense_work += scan->work - scan->work_begin;
    scan->work_begin = scan->work;
    per_byte = (double)worker->dense_work / (double)max_u64(worker->dense_searched, 1);
    if (per_byte * (double)(scan->loadable - x) > BUILD_TIMES * (double)enough)
        enough /= BUILD_TIMES;
    if (worker->dense_work < enough && !dense_is_there(scan->plan)) {
        scan->work_max = scan->work + enough - worker->dense_work;
        worker->dense_waits = true;
        return false;
    }
    worker->dense_bytes =
        min_u64(max_u64(2 * worker->dense_bytes, cpu_sizes.dense_bytes), PLAN_FIRST_BYTES);
    worker->dense_left = max_u64(worker->dense_bytes, 4 * scan->plan->length_max);
    scan_leave(scan, x);
    return true;
}
