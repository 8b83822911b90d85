/* scan_dense: method set by its automaton, step by step.
 *
 * The automaton reads a step's text from its end and leaves a state for each begin. The scan then
 * goes through the states in order; each says which strings begin there, the longest first.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/worker.h"
#include "cpu/two_way.h"
#include "plan/analyse.h"

#define RUN_PLACES 512u /* the longest run of places that is taken at once */

/* A step's text as the automaton reads it. */
struct step {
    const uint8_t *text;
    uint64_t count;  /* readable bytes of it */
    uint64_t begins; /* those to search are [0, begins) */
    uint64_t from;   /* the chunk's position of text[0] */
    const uint32_t
        *origin;         /* byte i of text is byte origin[i] of the chunk's from `from`; NULL: i */
    struct hits found;   /* at one begin: length in `offset`, string in `literal` */
    uint64_t lengthy_at; /* of the worker's lengthy hits, the first that is not emitted */
    uint64_t added;      /* the place behind the last one that was added to the trace */
};

static uint64_t step_bytes(const struct scan *scan, const struct dense_set *set)
{
    uint64_t longest =
        set->fold != NULL || set->lengthy_count > 0 ? scan->plan->length_max : set->length_max;

    TRAWL_ASSERT(longest <= scan->plan->length_max);
    return max_u64(min_u64(DENSE_STEP, dense_nodes_max(set) / 2), longest);
}

static uint64_t chunk_place(const struct step *step, uint64_t place)
{
    TRAWL_ASSERT(place <= step->count);
    return step->from + (step->origin == NULL ? place : step->origin[place]);
}

/* The first position of the rewritten text that comes from byte `bytes` or later. */
static uint64_t folded_place(const uint32_t *origin, uint64_t count, uint64_t bytes)
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

static enum trawl_status step_fold(struct scan *scan, const struct dense_set *set,
                                   struct step *step)
{
    struct dense_worker *worker = &scan->worker->dense;
    void *folded = NULL, *origin = NULL;

    if (step->count + 1 > worker->folded_capacity) {
        enum trawl_status status =
            memory_allocate(step->count + 1, sizeof *worker->folded, &folded, scan->error);

        if (status == TRAWL_OK)
            status = memory_allocate(step->count + 1, sizeof *worker->origin, &origin, scan->error);
        if (status != TRAWL_OK) {
            memory_release(folded, step->count + 1, sizeof *worker->folded);
            return status;
        }
        memory_release(worker->folded, worker->folded_capacity, sizeof *worker->folded);
        memory_release(worker->origin, worker->folded_capacity, sizeof *worker->origin);
        worker->folded = (uint8_t *)folded;
        worker->origin = (uint32_t *)origin;
        worker->folded_capacity = step->count + 1;
    }
    TRAWL_ASSERT(step->count < worker->folded_capacity && step->begins <= step->count);
    step->count =
        dense_fold_text(set->fold, step->text, step->count, worker->folded, worker->origin);
    step->begins = folded_place(worker->origin, step->count, step->begins);
    TRAWL_ASSERT(step->begins <= step->count && step->count < worker->folded_capacity);
    step->text = worker->folded;
    step->origin = worker->origin;
    return TRAWL_OK;
}

static int compare_places(const void *a, const void *b)
{
    const struct hit *first = (const struct hit *)a, *second = (const struct hit *)b;

    return (first->offset > second->offset) - (first->offset < second->offset);
}

/* Where the strings that the automaton does not take begin, by themselves. */
static enum trawl_status find_lengthy(struct scan *scan, const struct dense_set *set,
                                      struct step *step)
{
    struct hits *hits = &scan->worker->dense.lengthy;
    bool fold = set->fold == NULL && (scan->plan->flags & TRAWL_IGNORE_CASE) != 0;

    TRAWL_ASSERT(set->lengthy_count + set->sorted_count == set->count);
    hits->count = 0;
    step->lengthy_at = 0;
    for (uint32_t i = 0; i < set->lengthy_count; i++) {
        const struct plan_literal *string = &set->strings[set->lengthy[i]];
        const uint8_t *bytes = set->bytes + string->bytes_begin;
        uint64_t critical, period, x;
        struct two_way search;

        if (string->bytes_count > step->count)
            continue;
        analyse_period(bytes, string->bytes_count, &critical, &period);
        two_way_begin(&search, bytes, string->bytes_count, critical, period, fold, 0);
        while ((x = two_way_next(&search, step->text,
                                 min_u64(step->begins, step->count - string->bytes_count + 1))) !=
               UINT64_MAX) {
            TRAWL_ASSERT(x < step->begins && x + string->bytes_count <= step->count);
            TRAWL_TRY(hits_reserve(hits, 1, scan->error));
            hits->items[hits->count].offset = (uint32_t)x;
            hits->items[hits->count++].literal = set->lengthy[i];
        }
    }
    if (hits->count > 1)
        qsort(hits->items, (size_t)hits->count, sizeof *hits->items, compare_places);
    return TRAWL_OK;
}

/* One of the literals of a string's pattern. */
static uint32_t literal_of(const struct dense_set *set, uint32_t string)
{
    TRAWL_ASSERT(string < set->count);
    return set->fold != NULL ? set->strings[string].pattern : string;
}

/* Note a string that begins at the position, if what comes after its end is right. */
static enum trawl_status note(struct scan *scan, const struct dense_set *set, struct step *step,
                              uint64_t place, uint32_t string)
{
    uint64_t x = chunk_place(step, place), length = set->strings[string].bytes_count;
    uint32_t literal = string;

    if (set->fold != NULL) {
        literal = literal_of(set, string);
        length = chunk_place(step, place + length) - x;
        if (!dense_fold_is_exact(set->fold)) {
            uint32_t pattern = plan_literal_at(scan->plan, literal).pattern;

            for (length = 0; length == 0 && literal < scan->plan->literal_count; literal++) {
                struct plan_literal variant = plan_literal_at(scan->plan, literal);

                if (variant.pattern != pattern)
                    break;
                length = plan_literal_match(scan->plan, &variant, scan->chunk->bytes + x,
                                            scan->available - x);
            }
            if (length == 0)
                return TRAWL_OK;
            literal--;
        }
    }
    TRAWL_ASSERT(length > 0 && length <= scan->available - x);
    TRAWL_ASSERT(literal < scan->plan->literal_count);
    if (plan_has_conditions(scan->plan) &&
        !plan_accepts_end(scan->plan, scan->chunk->bytes, x + length, scan->available))
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve(&step->found, 1, scan->error));
    step->found.items[step->found.count].offset = (uint32_t)length;
    step->found.items[step->found.count++].literal = literal;
    return TRAWL_OK;
}

/* Does a lengthy string begin at the position? Those before it are passed over. */
static bool lengthy_begins(struct step *step, const struct hits *lengthy, uint64_t place)
{
    TRAWL_ASSERT(step->lengthy_at <= lengthy->count);
    TRAWL_ASSERT(step->lengthy_at == 0 || lengthy->items[step->lengthy_at - 1].offset <= place);
    while (step->lengthy_at < lengthy->count && lengthy->items[step->lengthy_at].offset < place)
        step->lengthy_at++;
    return step->lengthy_at < lengthy->count && lengthy->items[step->lengthy_at].offset == place;
}

/* What begins at the position, the longest first; where one is enough, that one alone. */
static enum trawl_status collect(struct scan *scan, const struct dense_set *set, struct step *step,
                                 uint64_t place, uint32_t state)
{
    const struct hits *lengthy = &scan->worker->dense.lengthy;
    bool one = scan->want == ENGINE_WANT_SPANS || scan->want == ENGINE_WANT_LINES;

    step->found.count = 0;
    for (; lengthy_begins(step, lengthy, place); step->lengthy_at++)
        TRAWL_TRY(note(scan, set, step, place, lengthy->items[step->lengthy_at].literal));
    if (one && step->found.count > 0)
        return TRAWL_OK; /* verify_emit keeps the longest of them */
    TRAWL_ASSERT(state < scan->worker->dense.node_count);
    for (uint32_t at = scan->worker->dense.nodes[state].longest, next; at != PLAN_NONE; at = next) {
        next = set->nested[at].shorter;
        TRAWL_ASSERT(at < set->sorted_count && (next == PLAN_NONE || next < at));
        for (uint32_t i = 0; i < set->nested[at].alike; i++) {
            TRAWL_TRY(note(scan, set, step, place, set->nested[at + i].string));
            if (one && step->found.count > 0)
                return TRAWL_OK;
        }
    }
    return TRAWL_OK;
}

static int compare_literals(const void *a, const void *b)
{
    const struct hit *first = (const struct hit *)a, *second = (const struct hit *)b;

    return (first->literal > second->literal) - (first->literal < second->literal);
}

/* By literal. Nested strings often come as a list in the order of their lengths. */
static void sort_found(struct hits *found)
{
    struct hit *items = found->items;
    bool descends = true;

    for (uint64_t i = 1; i < found->count && descends; i++)
        descends = items[i - 1].literal > items[i].literal;
    if (descends)
        for (uint64_t i = 0; i < found->count / 2; i++) {
            struct hit other = items[i];

            items[i] = items[found->count - 1 - i];
            items[found->count - 1 - i] = other;
        }
    else
        qsort(items, (size_t)found->count, sizeof *items, compare_literals);
}

/* Emit what begins at the position. */
static void emit_dense_place(struct scan *scan, const struct dense_set *set, struct step *step,
                             uint64_t place, uint32_t state)
{
    uint64_t x = chunk_place(step, place);

    TRAWL_ASSERT(x >= step->from && x < scan->limit);
    if (plan_has_conditions(scan->plan) &&
        !plan_accepts_begin(scan->plan, scan->chunk->bytes, x, scan->chunk->before))
        return;
    scan->result->candidate_count++;
    scan->status = collect(scan, set, step, place, state);
    scan->over = scan->status != TRAWL_OK;
    if (step->found.count > 1 && scan->want != ENGINE_WANT_COUNT)
        sort_found(&step->found);
    for (uint64_t i = 0; i < step->found.count && !scan->over; i++)
        verify_emit(scan, x, step->found.items[i].literal, step->found.items[i].offset);
}

/* Is what a state names an occurrence, without a look at the text? */
static bool states_tell(const struct scan *scan, const struct dense_set *set)
{
    return !plan_has_conditions(scan->plan) &&
           (set->fold == NULL || dense_fold_is_exact(set->fold));
}

/* Are the states' lists the hits? */
static bool lists_are_hits(const struct scan *scan, const struct dense_set *set)
{
    return scan->want == ENGINE_WANT_HITS && scan->worker->dense.lengthy.count == 0 &&
           scan->keeps_lengths == (set->fold != NULL) && states_tell(scan, set);
}

static enum trawl_status reserve_hits(struct scan *scan, uint64_t more)
{
    struct hits *hits = &scan->result->hits;

    return scan->keeps_lengths ? hits_reserve_lengths(hits, more, scan->error)
                               : hits_reserve(hits, more, scan->error);
}

/* Where offsets count from while hits come from lists; unfold_hits has to follow if text was
 * rewritten. */
static uint64_t hits_base(const struct step *step)
{
    return step->origin == NULL ? step->from : 0;
}

/* Hits of the rewritten text, from the one at `from` on, to those of the chunk, with lengths. */
static void unfold_hits(struct scan *scan, const struct dense_set *set, const struct step *step,
                        uint64_t from)
{
    const struct plan_literal *strings = set->strings;
    struct hits *hits = &scan->result->hits;

    TRAWL_ASSERT(step->origin != NULL && set->fold != NULL && from <= hits->count);
    TRAWL_ASSERT(from == hits->count || hits->lengths != NULL);
    for (uint64_t i = from; i < hits->count; i++) {
        uint64_t place = hits->items[i].offset;
        const struct plan_literal *string = &strings[hits->items[i].literal];
        uint32_t x = step->origin[place];

        TRAWL_ASSERT(place + string->bytes_count <= step->count);
        hits->lengths[i] = step->origin[place + string->bytes_count] - x;
        hits->items[i] = (struct hit){(uint32_t)step->from + x, string->pattern};
    }
}

/* Hits from the lists of places [*place, until); *place is that of a state that has none then, or
 * `until`. */
static enum trawl_status take_lists(struct scan *scan, uint64_t from, uint64_t *place,
                                    uint64_t until)
{
    struct dense_worker *worker = &scan->worker->dense;
    struct hits *hits = &scan->result->hits;
    uint32_t at = (uint32_t)*place;
    bool there = true;

    TRAWL_ASSERT(until - *place <= DENSE_PLACES);
    TRAWL_TRY(reserve_hits(scan, DENSE_PLACES * DENSE_LIST_MAX + DENSE_LIST_SLACK));
    while (at < until && there) {
        struct dense_lists lists = {worker->lists, worker->pool, worker->class_bits};
        uint64_t taken = scan->worker->find->lists(&lists, worker->states, &at, (uint32_t)until,
                                                   (uint32_t)from, hits->items + hits->count);

        hits->count += taken;
        scan->result->count += taken;
        TRAWL_ASSERT(hits->count + DENSE_LIST_SLACK <= hits->capacity);
        if (at < until)
            TRAWL_TRY(dense_make_list(worker, worker->states[at] >> worker->class_bits, &there,
                                      scan->error));
    }
    *place = at;
    return TRAWL_OK;
}

/* How many of the states, at most `most`, are the same? */
static uint64_t same_states(const uint32_t *states, const uint32_t *others, uint64_t most)
{
    uint64_t count = 0;

    for (; count + 8 <= most; count += 8) {
        uint32_t differ = 0;

        for (uint32_t i = 0; i < 8; i++)
            differ |= states[count + i] ^ others[count + i];
        if (differ != 0)
            break;
    }
    while (count < most && states[count] == others[count])
        count++;
    return count;
}

/* Hits from the trace, for runs of places that it has in this order; what it has not is put there.
 * *place is that of a state that cannot be, or where runs no longer pay, or `until`. */
static enum trawl_status take_runs(struct scan *scan, struct step *step, uint64_t *place,
                                   uint64_t until)
{
    struct dense_worker *worker = &scan->worker->dense;
    struct hits *hits = &scan->result->hits;
    bool there;

    TRAWL_ASSERT(*place < until && until <= step->begins);
    for (uint64_t count; *place < until && dense_runs_pay(worker); *place += count) {
        const uint32_t *states = worker->states + *place;
        uint32_t at = worker->traced[*states >> worker->class_bits], begin, found, shift;
        const struct hit *traced;
        struct hit *next;

        worker->runs++;
        if (at == PLAN_NONE) {
            if (scan->chunk->may_change) /* the byte need not be the one that was read */
                return TRAWL_OK;
            TRAWL_TRY(dense_trace_add(worker, *states, step->text[*place], step->added == *place,
                                      &there, scan->error));
            if (!there)
                return TRAWL_OK;
            at = worker->trace.count - 1;
            step->added = *place + 1;
            worker->runs--;
        }
        count = same_states(states, worker->trace.states + at,
                            min_u64(until - *place, worker->trace.count - at));
        TRAWL_ASSERT(count > 0);
        begin = dense_trace_begin(&worker->trace, at);
        found = worker->trace.hits_end[at + count - 1] - begin;
        shift = (uint32_t)(hits_base(step) + *place) - at; /* may wrap */
        TRAWL_TRY(reserve_hits(scan, found));
        traced = worker->trace.hits + begin;
        next = hits->items + hits->count;
        for (uint32_t i = 0; i < found; i++)
            next[i] = (struct hit){traced[i].offset + shift, traced[i].literal};
        hits->count += found;
        scan->result->count += found;
        worker->run_places += count;
    }
    return TRAWL_OK;
}

/* The hits of many places, from the trace or from their lists; *place is where another way is to go
 * on. */
static void verify_lists(struct scan *scan, const struct dense_set *set, struct step *step,
                         uint64_t *place)
{
    struct dense_worker *worker = &scan->worker->dense;
    uint64_t from, until, had;
    bool all;

    TRAWL_ASSERT(*place < step->begins && step->begins <= scan->worker->dense.state_capacity);
    TRAWL_ASSERT((step->origin == NULL) == (set->fold == NULL));
    do {
        from = until = *place;
        had = scan->result->hits.count;
        if (dense_runs_pay(worker)) {
            until = min_u64(from + RUN_PLACES, step->begins);
            scan->status = take_runs(scan, step, place, until);
        }
        all = *place == until;
        if (scan->status == TRAWL_OK && (until == from || !all)) {
            until = min_u64(*place + DENSE_PLACES, step->begins);
            scan->status = take_lists(scan, hits_base(step), place, until);
            all = *place == until;
        }
        if (step->origin != NULL)
            unfold_hits(scan, set, step, had);
        scan->over = scan->status != TRAWL_OK || scan_is_full(scan);
    } while (!scan->over && all && until < step->begins);
    if (!scan->over)
        return;
    while (step->origin != NULL && *place > 0 && *place < step->begins &&
           step->origin[*place] == step->origin[*place - 1])
        ++*place; /* within a character, where nothing begins */
    scan->at = chunk_place(step, *place);
}

/* All states are known: go through them. */
static void emit_places(struct scan *scan, const struct dense_set *set, struct step *step)
{
    const struct dense_worker *worker = &scan->worker->dense;
    bool by_lists = lists_are_hits(scan, set);

    TRAWL_ASSERT(step->begins <= worker->state_capacity);
    for (uint64_t place = 0; place < step->begins; place++) {
        uint32_t state;

        if (by_lists)
            verify_lists(scan, set, step, &place);
        if (scan->over || place == step->begins)
            return;
        state = worker->states[place] >> worker->class_bits;
        TRAWL_ASSERT(state < worker->node_count);
        if (worker->lists[state].count == 0 && !lengthy_begins(step, &worker->lengthy, place))
            continue;
        if (chunk_place(step, place) < scan->run_until) {
            if (step->origin == NULL)
                place = min_u64(scan->run_until - step->from, step->begins) - 1;
            continue;
        }
        emit_dense_place(scan, set, step, place, state);
        if (scan->over)
            return;
        if (scan_is_full(scan)) {
            scan->at = chunk_place(step, place) + 1;
            scan->over = true;
            return;
        }
    }
}

static enum trawl_status states_reserve(struct dense_worker *worker, uint64_t count,
                                        struct trawl_error *error)
{
    void *memory;

    if (count <= worker->state_capacity)
        return TRAWL_OK;
    TRAWL_TRY(memory_allocate(count, sizeof *worker->states, &memory, error));
    memory_release(worker->states, worker->state_capacity, sizeof *worker->states);
    worker->states = (uint32_t *)memory;
    worker->state_capacity = count;
    return TRAWL_OK;
}

/* Search the step's begins, unless worker->refused says that this cannot be done. */
static enum trawl_status search_dense_step(struct scan *scan, const struct dense_set *set,
                                           struct step *step)
{
    struct dense_worker *worker = &scan->worker->dense;
    bool counts = scan->want == ENGINE_WANT_COUNT && states_tell(scan, set);
    uint64_t count, outputs;

    worker->runs_paid = dense_runs_pay(worker);
    worker->runs = worker->run_places = 0;
    if (set->fold != NULL)
        TRAWL_TRY(step_fold(scan, set, step));
    TRAWL_TRY(find_lengthy(scan, set, step));
    count = min_u64(step->count, step->begins + max_u64(set->length_max, 1) - 1);
    TRAWL_ASSERT(step->begins <= count);
    TRAWL_ASSERT(step->origin != NULL || step->from + count <= scan->available);
    if (!counts)
        TRAWL_TRY(states_reserve(worker, step->begins, scan->error));
    TRAWL_TRY(dense_read(worker, step->text, step->begins, count, counts ? NULL : worker->states,
                         counts ? &outputs : NULL, scan->error));
    if (worker->refused)
        return TRAWL_OK;
    if (counts)
        scan->result->count += outputs + worker->lengthy.count;
    else
        emit_places(scan, set, step);
    return scan->status;
}

/* The step from scan->at on. */
static void step_begin(const struct scan *scan, uint64_t to, uint64_t bytes, struct step *step)
{
    step->added = UINT64_MAX;
    step->from = scan->at;
    step->begins = min_u64(to - step->from, bytes);
    step->text = scan->chunk->bytes + step->from;
    step->count = min_u64(scan->available - step->from, step->begins + scan->plan->length_max - 1);
    step->origin = NULL;
    TRAWL_ASSERT(step->begins <= step->count);
    TRAWL_ASSERT(step->from + step->count <= scan->available);
}

bool scan_dense(struct scan *scan, uint64_t from, uint64_t to)
{
    struct dense_worker *worker = &scan->worker->dense;
    const struct dense_set *set = NULL;
    struct step step;
    uint64_t bytes;

    TRAWL_ASSERT(from < to && to <= scan->limit);
    memset(&step, 0, sizeof step);
    if (worker->serial == scan->plan->serial && worker->refused)
        return false;
    scan->status = dense_want(scan->plan, &set, scan->error);
    if (scan->status == TRAWL_OK)
        scan->status = dense_worker_begin(worker, scan->plan, set, scan->error);
    scan->over = scan->status != TRAWL_OK;
    if (scan->over || worker->refused)
        return scan->over;
    scan->at = from;
    bytes = step_bytes(scan, set);
    while (!scan->over && scan->at < to) {
        step_begin(scan, to, bytes, &step);
        from = min_u64(chunk_place(&step, step.begins), to);
        scan->status = search_dense_step(scan, set, &step);
        if (scan->status == TRAWL_OK && worker->refused)
            break;
        scan->over = scan->over || scan->status != TRAWL_OK;
        if (!scan->over)
            scan->at = max_u64(from, scan->run_until);
    }
    hits_release(&step.found);
    return scan->over || !worker->refused || scan->at >= to;
}
