/* engine_regex: searches for regular expressions.
 *
 * An atom is a string that a match must contain. Another engine searches for the atoms like for any
 * strings, and automata or PCRE2 look for matches near them. A chunk consists of whole lines. A
 * worker searches it in steps of a few lines. Which of these ways is the fastest is found out by a
 * contest (choose.h):
 *
 * - atoms: the engine finds the atoms. Automata (lazy.h) rule out atoms that lie in no match.
 *   If the head of the plan's only expression is simple, they also find the matches around the
 *   other atoms.
 *   Where automata cannot decide, all ways through an expression are followed (groups.h). Of many
 *   expressions that share an atom, the lazy automaton (lazy.h) first rules out most. If some
 *   expressions have no atoms, another worker finds the lines in which one of these matches, in one
 *   of the other ways.
 * - automaton: the lazy automaton of all expressions reads the text, then the programs of those
 * that may match in a line that line.
 * - line by line: the programs read every line; PCRE2, or a reach (reach.h), if they decide.
 *
 * Where matches may cross lines, the whole text is a single line, and a single step. If there is
 * only one expression, and it has atoms, the text is divided into pieces instead (scan_piece).
 *
 * Where each match of the only expression has a run of rare characters (runs.h), they read only the
 * lines that have one.
 */
#include "regex/engine_regex.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cpu/sizes.h"
#include "match/line_automaton.h"
#include "regex/anchors.h"
#include "regex/choose.h"
#include "regex/judge.h"
#include "regex/pass.h"
#include "regex/prices.def"
#include "regex/step.h"

/* Frees what the worker has allocated for its plan. */
static void plan_end(struct refiner *refiner)
{
    struct regex_worker *worker = (struct regex_worker *)refiner;

    /* Do not use worker->expressions here: the plan may already have been freed, and its
     * expressions with it. */
    memory_release(worker->passing, worker->passing_capacity, sizeof *worker->passing);
    memory_release(worker->known, worker->passing_capacity, sizeof *worker->known);
    memory_release(worker->merge.items, worker->passing_capacity, sizeof *worker->merge.items);
    memory_release(worker->asked, worker->asked_capacity, sizeof *worker->asked);
    lazy_free(worker->lazy);
    worker->lazy = NULL;
    words_forget(&worker->words);
    worker->asked = NULL;
    worker->asked_capacity = 0;
    worker->merge = (struct merge){.items = NULL};
    worker->pause.search = 0;
    worker->passing = NULL;
    worker->known = NULL;
    worker->passing_capacity = 0;
    worker->expressions = NULL;
    worker->runs_rest = regex_runs_pause == UINT32_MAX ? UINT32_MAX : 0;
    worker->runs_pause = regex_runs_pause;
    worker->runs_steps = 0;
    worker->named = NULL;
    worker->has_seen = false;
    worker->atoms_max = TRIAL_ATOMS;
    worker->scans_left = 0;
}

static void worker_end(struct refiner *refiner)
{
    struct regex_worker *worker = (struct regex_worker *)refiner;

    words_release(&worker->words);
    hits_release(&worker->rest_lines.hits);
    if (worker->rest != NULL)
        refine_release(worker->rest);
}

static enum trawl_status plan_begin(struct refiner *refiner, const struct trawl_plan *plan,
                                    struct trawl_error *error)
{
    struct regex_worker *worker = (struct regex_worker *)refiner;
    const struct expressions *expressions;

    TRAWL_TRY(expressions_want(plan, &expressions, error));
    TRAWL_TRY(MEMORY_NEW(worker->passing, expressions->count, error));
    worker->passing_capacity = expressions->count;
    TRAWL_TRY(MEMORY_ZEROED(worker->known, expressions->count, error));
    TRAWL_TRY(MEMORY_NEW(worker->merge.items, expressions->count, error));
    worker->line = 0;
    worker->expressions = worker->words.spans.made = expressions;
    choose_begin(worker);
    refiner->step = regex_step_bytes * (refine_is_on_device(refiner) ? DEVICE_FIRST : 1);
    if (expressions->rest != NULL)
        TRAWL_TRY(refine_compile(refiner->layer, refiner->engine, ENGINE_HOST, expressions->rest,
                                 &worker->rest, error));
    return expressions->atoms == NULL ? TRAWL_OK
                                      : refine_prefilter_with(refiner, expressions->atoms, error);
}

/* If step->from is inside a line, an earlier scan has reported the line's first occurrences.
 * Searches the rest of that line. */
static enum trawl_status finish_line(struct step *step, const struct pause *pause,
                                     struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct engine_chunk *chunk = step->chunk;
    const uint64_t from = step->from;
    struct regex_line line = pause->line;
    struct judged judged;

    step->to = line_after(step, from);
    if (pause->search == 0 || pause->search != chunk->search || pause->bytes != chunk->bytes ||
        pause->from != from) {
        line = content_of(step, line_begin(step, from), step->to);
        if (line.begin == from) {
            step->to = from;
            return TRAWL_OK;
        }
        worker->near = NULL;
        judged = judged_of(step, line);
        TRAWL_TRY(merge_begin(&worker->merge, worker->expressions, &judged, NULL,
                              worker->expressions->count, error));
    }
    step->judged++;
    TRAWL_TRY(step_push_merged_hits(step, line, from, error));
    note_undecided(step, line, UINT64_MAX);
    choose_report(worker, chunk, step->to - from, NULL, 0, 0);
    return TRAWL_OK;
}

/* Searches a line: programs read it for each expression. With `asks`, the lazy automaton first
 * rules out expressions. */
static enum trawl_status by_line(struct step *step, struct regex_line line, bool asks,
                                 struct trawl_error *error)
{
    const struct lazy_line read = {.bytes = step->chunk->bytes + line.begin,
                                   .count = line.end - line.begin,
                                   .any = step->want == WANT_LINES,
                                   .call = step->chunk->call};
    const uint32_t *found = NULL;
    uint32_t count = step->worker->expressions->count;
    bool matches = false;

    if (asks)
        TRAWL_TRY(pass_lazily(step, LAZY_ALL, &read, &found, &count, &matches, error));
    if (matches)
        return step_push(step, line.begin, found[0], line.end - line.begin, error);
    return count > 0 ? step_judge(step, line, found, count, error) : TRAWL_OK;
}

/* Searches the lines from the one that begins at `from` on. */
static enum trawl_status by_lines(struct step *step, uint64_t from, bool asks,
                                  struct trawl_error *error)
{
    uint64_t looks = 0;

    for (uint64_t at = from, after = at; at < step->to && !step->is_paused; at = after) {
        after = line_after(step, at);
        if (looks++ % JUDGE_LOOKS == 0 && engine_call_is_over(step->chunk->call))
            return TRAWL_STOPPED;
        TRAWL_TRY(by_line(step, content_of(step, at, after), asks, error));
    }
    return TRAWL_OK;
}

/* The same for records with the lazy automaton, a few at a time if it can. */
static enum trawl_status by_records(struct step *step, struct trawl_error *error)
{
    const struct records *records = step->chunk->records;
    uint64_t begin = step->from, after = line_after(step, begin); /* looks the record up */
    uint64_t record = step->worker->record;
    bool reads = true;

    if (engine_call_is_over(step->chunk->call))
        return TRAWL_STOPPED;
    while (begin < step->to) {
        struct lazy_hit hits[LAZY_RECORDS];
        const uint64_t first = begin;
        uint32_t count = 0;

        for (; count < LAZY_RECORDS && begin < step->to; begin = after) {
            after = min_u64(records_begin(records, ++record) - step->chunk->begin, step->to);
            hits[count] = (struct lazy_hit){.begin = begin, .after = after};
            count += after > begin; /* an empty record is not searched here */
        }
        TRAWL_TRY(pass_records(step, hits, count, &reads, error));
        if (!reads)
            return by_lines(step, first, true, error);
        for (uint32_t i = 0; i < count; i++) {
            const struct regex_line line = {hits[i].begin, hits[i].after};

            if (hits[i].matches)
                TRAWL_TRY(step_push(step, line.begin, 0, line.end - line.begin, error));
            else if (hits[i].may)
                TRAWL_TRY(by_line(step, line, step->worker->expressions->count > 1, error));
        }
    }
    return TRAWL_OK;
}

/* The same with the lazy automaton, which reads the text at once if it can. If a list has too many
 * states for that, sets worker->divides, and leaves the step to atoms: making the states of ever
 * smaller parts takes longer than they save. */
static enum trawl_status by_automaton(struct step *step, uint64_t from, struct trawl_error *error)
{
    const struct expressions *expressions = step->worker->expressions;
    const struct contest *contest = &step->worker->contest;
    const struct lazy_hit *hits = NULL;
    uint64_t count = 0;
    const bool is_text = step->chunk->records == NULL && !judges_whole(step) &&
                         (expressions->plan->flags & TRAWL_CRLF) == 0;
    bool reads = is_text;

    if (step->chunk->records != NULL && step->want == WANT_LINES)
        return by_records(step, error);
    if (reads)
        TRAWL_TRY(pass_text(step, from, &hits, &count, &reads, error));
    step->worker->divides = is_text && !reads && expressions->count > 1 &&
                            contest->now == WAY_AUTOMATON && contest->first == WAY_ATOMS;
    if (step->worker->divides)
        return TRAWL_OK;
    if (!reads)
        return by_lines(step, from, !judges_whole(step), error);
    for (uint64_t i = 0; i < count && !step->is_paused; i++) {
        struct regex_line line = {from + hits[i].begin, from + hits[i].after};

        line = content_of(step, line.begin, line.end);
        if (i % JUDGE_LOOKS == 0 && engine_call_is_over(step->chunk->call))
            return TRAWL_STOPPED;
        if (hits[i].matches && step->want == WANT_LINES)
            TRAWL_TRY(step_push(step, line.begin, 0, line.end - line.begin, error));
        else
            TRAWL_TRY(by_line(step, line, expressions->count > 1, error));
    }
    return TRAWL_OK;
}

/* Finds the lines of the step in which an expression without atoms matches. If they are too many,
 * shortens the step to the lines that were read. */
static enum trawl_status find_without_strings(struct step *step, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    struct engine_chunk part;

    worker->rest_lines.hits.count = 0;
    worker->rest_next = 0;
    if (worker->expressions->rest == NULL)
        return TRAWL_OK;
    refine_part(step->chunk, step->from, step->to, 0, &part);
    part.records = step->chunk->records;
    TRAWL_TRY(
        engine_scan(&engine_regex, worker->rest, &part, 0, WANT_LINES, &worker->rest_lines, error));
    step->to = step->from + worker->rest_lines.done;
    return TRAWL_OK;
}

/* Finds the atoms in the step. If they are too many, shortens the step to the end of the line in
 * which the engine stopped, and sets *ended to the start of that line; otherwise sets *ended to
 * step->to. */
static enum trawl_status find_atoms(struct step *step, uint64_t *ended, struct trawl_error *error)
{
    struct refiner *refiner = &step->worker->refiner;
    const uint64_t after = step->worker->expressions->atoms->need_after;
    struct engine_chunk part;

    refine_part(step->chunk, step->from, step->to, after, &part);
    TRAWL_TRY(refine_prefilter(refiner, &part, 0, error));
    if (step_may_hand_over(step)) {
        const struct hits *hits = &refiner->found.hits;

        step->worker->found_ns = clock_now_ns();
        if (hits->count > step->worker->atoms_max)
            refiner->found.done = hits->items[step->worker->atoms_max].offset;
    }
    *ended = step->to;
    if (refiner->found.done < part.owned) {
        *ended = line_begin(step, step->from + refiner->found.done);
        step->to = line_after(step, step->from + refiner->found.done);
    }
    return TRAWL_OK;
}

/* Finds the matches of the only expression around the atoms that were found before `ended`.
 */
static enum trawl_status by_spans(struct step *step, uint64_t ended, struct trawl_error *error)
{
    const struct expressions *expressions = step->worker->expressions;
    const struct hits *hits = &step->worker->refiner.found.hits;
    const struct engine_chunk *chunk = step->chunk;

    step->pushed = step->from;
    for (uint64_t i = 0; i < hits->count && !step->is_paused; i++) {
        const uint64_t at = step->from + hits->items[i].offset;
        struct regex_span span;
        int found;

        if (at >= ended)
            break;
        if (at < step->pushed)
            continue;
        if (expressions->are_spans) {
            span.begin = at;
            span.end = at + judge_atom(expressions, hits, i, chunk->bytes + step->from,
                                       chunk->owned - step->from)
                                .length;
            found = 1;
        } else {
            found = lazy_near(
                &step->worker->words.spans,
                &(struct lazy_line){
                    .bytes = chunk->bytes, .count = chunk->owned, .from = at, .is_text = true},
                step->pushed, &step->spare, &span);
        }
        if (found > 0) {
            TRAWL_TRY(step_push(step, span.begin, 0, span.end - span.begin, error));
            step->pushed = chunk->firsts ? line_after(step, at) : span.end;
        } else if (found < 0) {
            const uint64_t after = line_after(step, at);

            TRAWL_TRY(
                step_judge(step, content_of(step, line_begin(step, at), after), NULL, 1, error));
            step->pushed = after;
        }
        if (step->want == WANT_FIRST && step->result->count > 0)
            break;
    }
    return TRAWL_OK;
}

static enum trawl_status by_anchors(struct step *step, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct expressions *expressions = worker->expressions;
    const bool any = step->want == WANT_LINES && !judges_whole(step);
    const struct hits *hits = &worker->refiner.found.hits;
    uint64_t ended, i = 0;

    TRAWL_TRY(find_without_strings(step, error));
    if (worker->rest_lines.undecided_count > 0) /* an expression with atoms may match these lines */
        return by_automaton(step, step->from, error);
    TRAWL_TRY(find_atoms(step, &ended, error));
    worker->near = hits;
    worker->near_from = step->from;
    if (judges_whole(step)) {
        if (ended < step->to || expressions->has_beyond)
            worker->near = NULL;
        return step_judge(step, (struct regex_line){0, step->to}, NULL, expressions->count, error);
    }
    if (expressions_cross(expressions)) /* in records, whose atoms match_near_atoms would confuse */
        worker->near = NULL;
    if ((expressions->has_near || expressions->are_spans) && step->chunk->records == NULL &&
        step->want != WANT_LINES) {
        TRAWL_TRY(by_spans(step, ended, error));
        if (ended == step->to || step->is_paused)
            return TRAWL_OK;
        worker->near = NULL; /* not all atoms of the last line are known */
        return step_judge(step, content_of(step, ended, step->to), NULL, 1, error);
    }
    for (;;) {
        struct line line = {.after = UINT64_MAX};
        uint32_t passing = 0;

        TRAWL_TRY(pass_line(step, ended, &i, &line, &passing, error));
        if (line.after == UINT64_MAX)
            break;
        step->atoms_begin = step->atoms_end = 0;
        if (!expressions->has_beyond && !line.has_rest) {
            step->atoms_begin = expressions->has_no_heads ? line.at : 0;
            step->atoms_end = step->from + hits->items[i - 1].offset + 1;
        }
        if (any && line.is_decided)
            TRAWL_TRY(step_push(step, line.at, worker->passing[0], line.end - line.at, error));
        else if (passing > 0)
            TRAWL_TRY(step_judge(step, (struct regex_line){line_begin(step, line.at), line.end},
                                 worker->passing, passing, error));
        if (step->is_paused)
            return TRAWL_OK;
        step->decided = line.after;
    }
    step->atoms_begin = step->atoms_end = 0;
    worker->near = NULL;
    if (ended < step->to)
        return step_judge(step, content_of(step, ended, step->to), NULL, expressions->count, error);
    return TRAWL_OK;
}

/* If atoms have been slow, chooses the strings again by the chunk's text. */
static enum trawl_status rechoose_strings(const struct step *step, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct trawl_plan *plan = worker->expressions->plan;
    const struct expressions_seen seen = {worker->expressions, step->chunk->bytes,
                                          min_u64(step->chunk->owned, SEEN_BYTES)};
    const void *object;

    if (worker->has_seen || refine_is_on_device(&worker->refiner) ||
        (double)worker->contest.spent < ATOMS_NS * (double)worker->contest.searched + SEEN_NS ||
        worker->refiner.found.hits.count < (step->to - step->from) / 1024 ||
        worker->expressions->count > 1 || judges_whole(step) || step->is_paused ||
        step->to == step->chunk->owned)
        return TRAWL_OK;
    worker->has_seen = true;
    worker->stepped_ns = 0; /* the next step is not slower for this */
    TRAWL_TRY(attachment_want(&plan->attached[PLAN_SEEN], &seen, anchors_make_seen,
                              anchors_free_seen, &object, error));
    words_forget(&worker->words); /* its automata read beside other strings */
    worker->expressions = worker->words.spans.made = (const struct expressions *)object;
    TRAWL_ASSERT(worker->expressions->atoms != NULL); /* as before: the scores alone are others */
    return refine_prefilter_with(&worker->refiner, worker->expressions->atoms, error);
}

static enum trawl_status read_lines(struct step *step, struct trawl_error *error)
{
    return step->worker->contest.now == WAY_AUTOMATON ? by_automaton(step, step->from, error)
                                                      : by_lines(step, step->from, false, error);
}

/* Reads the lines of the step in which the only expression's runs are. */
static enum trawl_status by_runs(struct step *step, const struct runs *runs, struct runs_cost *cost,
                                 struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct find_ops *find = find_of(worker->refiner.engine);
    const uint64_t from = step->from, to = step->to;
    struct runs_found found;
    uint64_t next;

    found.begin = found.end = 0;
    next = runs_next(runs, find, step->chunk, from, to, &found);
    for (uint64_t at = from; next < to; step->decided = at) {
        step->from = line_begin(step, next);
        do {
            at = line_after(step, next);
            next = runs_next(runs, find, step->chunk, at, to, &found);
        } while (next < to && next - at < RUNS_GAP);
        step->to = at;
        cost->bytes += at - step->from;
        cost->calls++;
        TRAWL_TRY(read_lines(step, error));
        if (step->is_paused || (step->want == WANT_FIRST && step->result->count > 0))
            break;
        step->to = to;
    }
    step->from = from;
    return TRAWL_OK;
}

/* Searches a step in the way whose turn it is. */
static enum trawl_status search_step(struct step *step, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const bool by_atoms = worker->contest.now == WAY_ATOMS;
    const struct runs *runs = by_atoms ? NULL : choose_runs(step);
    struct runs_cost cost = {0, 0};
    /* A device's worker also waits. The last step's end is this one's begin, as it takes some
     * percent of the time of reading a step to ask how long the thread has worked. */
    uint64_t (*const read_clock)(void) =
        refine_is_on_device(&worker->refiner) ? clock_now_ns : clock_worked_ns;
    const bool counts = step->to - step->from >= regex_step_bytes / SHORT_SHARE ||
                        worker->contest.open != 0 || worker->untimed++ % SHORT_STEPS == 0;
    uint64_t began_ns = !counts ? 0 : worker->stepped_ns > 0 ? worker->stepped_ns : read_clock();

    worker->near = NULL;
    TRAWL_TRY(by_atoms       ? by_anchors(step, error)
              : runs != NULL ? by_runs(step, runs, &cost, error)
                             : read_lines(step, error));
    if (worker->divides)
        TRAWL_TRY(by_anchors(step, error));
    if (by_atoms &&
        step_may_hand_over(step)) { /* count only the host's time, since atoms were found */
        began_ns = worker->found_ns;
        if (worker->refiner.found.hits.count > worker->atoms_max)
            worker->atoms_max *= 2;
    }
    worker->stepped_ns = counts ? read_clock() : 0;
    choose_report(worker, step->chunk, step->to - step->from, runs, cost.bytes,
                  worker->stepped_ns - min_u64(began_ns, worker->stepped_ns));
    if (!by_atoms && counts)
        choose_count_runs(step, runs != NULL ? &cost : NULL,
                          worker->stepped_ns - min_u64(began_ns, worker->stepped_ns));
    choose_next(step, began_ns, worker->stepped_ns, counts);
    worker->divides = false;
    if (choose_host(step, worker->stepped_ns - min_u64(began_ns, worker->stepped_ns)))
        worker->scans_left = CONTEST_PAUSE;
    return by_atoms ? rechoose_strings(step, error) : TRAWL_OK;
}

/* Runs a search that needs only the other engine, because the atoms are what is wanted
 * (expressions_are_atoms). */
static enum trawl_status scan_atoms(struct regex_worker *worker, struct engine_task *task,
                                    struct trawl_error *error)
{
    const struct expressions *expressions = worker->expressions;
    const uint64_t began_ns = clock_now_ns();
    struct hits *hits = &task->result->hits;

    TRAWL_TRY(worker->refiner.ops->submit(worker->refiner.prefilter, task, error));
    choose_report(worker, task->chunk, task->result->done - task->from, NULL, 0,
                  clock_now_ns() - began_ns);
    if (hits->count == 0)
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve_lengths(hits, 0, error));
    for (uint64_t i = 0; i < hits->count; i++) {
        const struct atom atom = judge_atom(expressions, hits, i, task->chunk->bytes,
                                            task->chunk->owned + task->chunk->after);
        const uint32_t anchor = expressions->atom_anchors[expressions->atom_first[atom.pattern]];

        hits->lengths[i] = atom.length;
        hits->items[i].literal = expressions->anchors[anchor].expression;
    }
    hits->lengths_valid = true;
    return TRAWL_OK;
}

/* Returns true if a text that is a single line can be searched in pieces: the matches of the only
 * expression lie around atoms, and only where the last one ended has to be known. */
static bool may_divide(const struct regex_worker *worker, const struct engine_task *task)
{
    const struct expressions *expressions = worker->expressions;

    return expressions_cross(expressions) && task->chunk->records == NULL &&
           expressions->count == 1 && worker->contest.now == WAY_ATOMS &&
           (expressions->near_lines == 0 || expressions->near_lines == NEAR_BYTES) &&
           !expressions->has_words && !expressions->has_beyond && !expressions->items[0].has_reach;
}

/* Searches a piece of such a text, so that its atoms, matches and lines are read while the caches
 * have them. The piece ends with a line (piece_end), or where the next match is searched for. */
static enum trawl_status scan_piece(struct step *step, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct expressions *expressions = worker->expressions;
    struct hits *atoms = &worker->refiner.found.hits, *hits = &step->result->hits;
    const uint64_t failed_ns = step->from > 0 ? worker->words.failed_ns : 0;
    struct regex_span span = {UINT64_MAX, step->from};
    const uint8_t *bytes = step->chunk->bytes;
    struct engine_chunk part;
    struct judged judged;
    uint64_t after = step->from, done = step->to;
    bool found = true;

    worker->near = NULL;
    worker->near_from = 0;
    if (step->to == step->chunk->owned || !expressions->near[bytes[step->to - 1]]) {
        worker->near = atoms;
        refine_part(step->chunk, step->from, step->to, expressions->atoms->need_after, &part);
        TRAWL_TRY(refine_prefilter(&worker->refiner, &part, 0, error));
        for (uint64_t i = 0; i < atoms->count; i++)
            atoms->items[i].offset += (uint32_t)step->from;
        done = step->from + worker->refiner.found.done;
    }
    if (done < step->to) { /* a line with so many atoms is read without them */
        for (step->to = done; step->to > step->from && expressions->near[bytes[step->to - 1]];)
            step->to--;
        worker->near = step->to > step->from ? atoms : NULL;
        step->to = step->to > step->from ? step->to : done;
    }
    judged = judged_of(step, (struct regex_line){0, step->chunk->owned});
    words_begin(&judged);
    worker->words.failed_ns = failed_ns; /* the limit is that of the whole text */
    step->judged++;
    while (span.begin == UINT64_MAX || span.begin < step->to) {
        TRAWL_TRY(judge_next(expressions, 0, &judged, &span, &found, error));
        if (!found && worker->near == NULL) /* nor is there a match after the piece */
            after = step->chunk->owned;
        if (!found)
            break;
        TRAWL_TRY(step_push(step, span.begin, 0, span.end - span.begin, error));
        after = judge_after(expressions, &judged, &span);
        if (step->want == WANT_FIRST || hits->count >= cpu_sizes.hits)
            step->to = span.begin;
    }
    step->to = max_u64(step->to, min_u64(after, step->chunk->owned)); /* past a last line: + 1 */
    return TRAWL_OK;
}

/* Returns where a piece ends that is to end at `at`, or up to `more` bytes later. If a match may
 * have its last byte before an atom, it is read without atoms. */
static uint64_t piece_end(const struct expressions *made, const struct engine_chunk *chunk,
                          uint64_t at, uint64_t more)
{
    const uint64_t max = at + min_u64(more, chunk->owned - at);

    if (made->near_lines == 0)
        at += bytes_find_either(chunk->bytes + at, chunk->owned - at, made->plan->line_end,
                                made->plan->line_end);
    while (made->near_lines == NEAR_BYTES && at < max && made->near[chunk->bytes[at]])
        at++;
    return at + (at < chunk->owned);
}

/* Searches one piece of the task's chunk. The next task goes on after it. */
static enum trawl_status scan_pieces(struct regex_worker *worker, const struct engine_task *task,
                                     struct trawl_error *error)
{
    const struct engine_chunk *chunk = task->chunk;
    struct engine_result *result = task->result;
    const uint64_t from = task->from, began_ns = clock_now_ns();
    struct step step = {worker, chunk, task->want, from, from, result, .decided = 0};

    result->on_device = refine_is_on_device(&worker->refiner);
    result->hits.lengths_valid = true;
    worker->pause.search = 0;
    step.to = from + min_u64(worker->refiner.step, chunk->owned - from);
    step.to = piece_end(worker->expressions, chunk, step.to, step.to - from);
    TRAWL_TRY(scan_piece(&step, error));
    result->candidate_count += step.judged;
    result->done = step.to;
    choose_report(worker, chunk, step.to - from, NULL, 0, clock_now_ns() - began_ns);
    result->hits.one_per_line = task->want == WANT_LINES;
    return TRAWL_OK;
}

/* Searches the lines from `from` to the end of the line with offset *to. If the last scan ended
 * inside a line, finishes that line instead. */
static enum trawl_status decide(struct refiner *refiner, const struct engine_task *task,
                                uint64_t from, uint64_t *to, struct trawl_error *error)
{
    struct regex_worker *worker = (struct regex_worker *)refiner;
    struct engine_result *result = task->result;
    struct step step = {worker, task->chunk, task->want, from, from, result, .decided = 0};

    if (task->chunk->may_be_left && worker->scans_left > 0) { /* since the last step */
        result->is_left = true;
        return TRAWL_OK;
    }
    if (from == task->from) {
        const struct pause pause = worker->pause;

        if (from == 0)
            worker->near = NULL;
        worker->record = 0; /* this task may have fewer records than the last one */
        worker->stepped_ns = 0;
        worker->pause.search = 0;
        if (from > 0)
            TRAWL_TRY(finish_line(&step, &pause, error));
    }
    if (step.to == from) { /* no line to finish */
        if (worker->contest.open != 0)
            *to = min_u64(*to, from + contest_piece(&worker->contest));
        step.decided = from;
        step.to = *to < task->chunk->owned ? line_after(&step, *to) : *to;
        step.spare = SPARE_READS * (step.to - from);
        TRAWL_TRY(search_step(&step, error));
    }
    result->candidate_count += step.judged;
    /* if matches cross lines, each of several expressions has its own hits in a line */
    result->hits.one_per_line = task->want == WANT_LINES && task->chunk->records == NULL &&
                                (worker->expressions->count == 1 || !judges_whole(&step));
    *to = step.to;
    return TRAWL_OK;
}

static const struct layer layer = {.worker_bytes = sizeof(struct regex_worker),
                                   .begin = plan_begin,
                                   .end = plan_end,
                                   .close = worker_end,
                                   .step = decide};

static enum trawl_status engine_compile(struct engine *engine, uint32_t device,
                                        const struct trawl_plan *plan,
                                        struct engine_worker **worker, struct trawl_error *error)
{
    return refine_compile(&layer, engine, device, plan, worker, error);
}

static enum trawl_status engine_submit(struct engine_worker *own, struct engine_task *task,
                                       struct trawl_error *error)
{
    struct regex_worker *worker = (struct regex_worker *)own;

    if (task->output != ENGINE_OUTPUT_RESULT)
        return TRAWL_FAIL(error, UNSUPPORTED, "the host decides about expressions");
    if (task->want == WANT_NOTHING) { /* the caller only checks whether a device should search */
        task->result->is_left = worker->expressions->atoms == NULL ||
                                worker->expressions->rest != NULL || worker->scans_left > 0;
        worker->scans_left -= worker->scans_left > 0;
        return TRAWL_OK;
    }
    if (task->chunk->may_be_left && worker->scans_left > 0) {
        worker->scans_left--;
        task->result->is_left = true;
        return TRAWL_OK;
    }
    TRAWL_TRY(judge_may(worker->expressions,
                        task->want == WANT_LINES && task->chunk->records == NULL, error));
    return expressions_are_atoms(worker->expressions, task) ? scan_atoms(worker, task, error)
           : may_divide(worker, task)                       ? scan_pieces(worker, task, error)
                                      : refine_scan(&worker->refiner, task, error);
}

static void close_kept(void *line)
{
    trawl_line_close((struct trawl_line *)line);
}

enum trawl_status regex_prepare(const struct trawl_plan *plan, bool *stays_within, uint8_t *pcre,
                                struct trawl_error *error)
{
    const struct expressions *expressions;

    plan->attached[PLAN_LINE].release = close_kept;
    TRAWL_TRY(expressions_want(plan, &expressions, error));
    *stays_within = expressions_cross(expressions) && !expressions->crosses;
    *pcre = 0;
    for (uint32_t i = 0; i < expressions->count; i++)
        if (expressions->items[i].beyond != NULL && *pcre < 2)
            *pcre = expressions->items[i].beyond->may_be_empty ? 2 : 1;
    return TRAWL_OK;
}

const struct trawl_plan *regex_strings(const struct trawl_plan *plan)
{
    const struct line_reader *reader = plan->line_reader;
    const struct expressions *expressions;

    if (reader != NULL) /* automata may read the lines without a string, for other expressions */
        return reader->reads_all || (reader->first != NULL && reader->read_count > 0) ? NULL : plan;
    if ((plan->flags & TRAWL_MULTILINE) != 0 ||
        expressions_want(plan, &expressions, NULL) != TRAWL_OK || expressions->rest != NULL)
        return NULL;
    return expressions->atoms;
}

static enum trawl_status explain(const struct trawl_plan *plan, char *lines, uint64_t lines_bytes,
                                 struct trawl_error *error)
{
    const struct expressions *expressions;

    TRAWL_TRY(expressions_want(plan, &expressions, error));
    choose_explain(expressions, lines, lines_bytes);
    return TRAWL_OK;
}

const struct engine_ops engine_regex = {.compile = engine_compile,
                                        .release = refine_release,
                                        .submit = engine_submit,
                                        .brief = regex_brief,
                                        .explain = explain};
