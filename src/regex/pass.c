/* pass: rules out expressions by what is around atoms, before lines are read (pass.h). */
#include "regex/pass.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "regex/prices.def"

/* Makes the worker's lazy automaton, if it has none. */
static enum trawl_status want_lazy(struct step *step, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;

    return worker->lazy != NULL ? TRAWL_OK
                                : lazy_make(worker->expressions, LAZY_ENDS, &worker->lazy, error);
}

enum trawl_status pass_lazily(struct step *step, uint32_t group, const struct lazy_line *line,
                              const uint32_t **found, uint32_t *count, bool *matches,
                              struct trawl_error *error)
{
    TRAWL_TRY(want_lazy(step, error));
    return lazy_find(step->worker->lazy, group, line, &step->spare, found, count, matches, error);
}

enum trawl_status pass_text(struct step *step, uint64_t from, const struct lazy_hit **hits,
                            uint64_t *count, bool *reads, struct trawl_error *error)
{
    TRAWL_TRY(want_lazy(step, error));
    return lazy_scan(step->worker->lazy, step->chunk->bytes + from, step->to - from, hits, count,
                     reads, error);
}

enum trawl_status pass_records(struct step *step, struct lazy_hit *records, uint32_t count,
                               bool *reads, struct trawl_error *error)
{
    TRAWL_TRY(want_lazy(step, error));
    return lazy_records(step->worker->lazy, step->chunk->bytes, records, count, reads, error);
}

/* Returns the offset of the next line that find_without_strings found; UINT64_MAX after the last.
 */
static uint64_t rest_line(const struct step *step)
{
    const struct regex_worker *worker = step->worker;

    return worker->rest_next < worker->rest_lines.hits.count
               ? step->from + worker->rest_lines.hits.items[worker->rest_next].offset
               : UINT64_MAX;
}

/* Returns true if the occurrence may be one of the anchor's strings: its case may be another. */
static bool may_be_string(const struct step *step, const struct anchor *anchor, uint64_t at,
                          struct atom atom)
{
    const struct trawl_pattern string =
        plan_pattern(step->worker->expressions->atoms, atom.pattern);

    return anchor->folds ||
           (string.bytes_count <= step->chunk->owned - at &&
            memcmp(step->chunk->bytes + at, string.bytes, string.bytes_count) == 0);
}

static struct around look_around(struct step *step, uint32_t index, uint64_t at, struct atom atom)
{
    const struct anchor *anchor = &step->worker->expressions->anchors[index];
    const struct engine_chunk *chunk = step->chunk;
    const struct trawl_plan *plan = step->worker->expressions->plan;
    /* the lazy automaton of the atom's group reads on from it otherwise */
    const uint32_t patience =
        step->want == WANT_LINES && step->worker->expressions->count >= GROUP_MIN ? BESIDE_ASKS : 0;
    uint64_t first = 0, last = chunk->owned, length;

    if (chunk->records != NULL && anchor->is_read) {
        if (at >= step->record_end) {
            step->record_begin = line_begin(step, at);
            step->record_end = line_after(step, at);
            last = step->record_end - step->record_begin;
            step->record_has_lines = bytes_find_either(chunk->bytes + step->record_begin, last,
                                                       plan->line_end, plan->line_end_also) < last;
        }
        if (step->record_has_lines)
            return (struct around){AROUND_ASKS, AROUND_ASKS};
        first = step->record_begin;
        last = step->record_end;
    }
    length = judge_atom_within(atom, last - at);
    return lazy_around(&step->worker->words.spans, index,
                       &(struct lazy_line){.bytes = chunk->bytes + first,
                                           .count = last - first,
                                           .from = at - first,
                                           .is_text = true},
                       length > 0 ? at + length - first : 0, patience, &step->spare);
}

static void set_line(const struct step *step, uint64_t at, struct line *line)
{
    line->at = at;
    line->after = line_after(step, at);
    line->end = content_of(step, at, line->after).end;
    step->worker->line++;
}

/* Adds to worker->passing the expressions of the lazy automaton's group that may match in the line.
 * With `at`, their matches begin there. */
static enum trawl_status pass_group(struct step *step, uint32_t group, uint64_t at,
                                    struct line *line, uint32_t *passing, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const uint64_t begin = line_begin(step, line->at);
    const struct lazy_line read = {.bytes = step->chunk->bytes + begin,
                                   .count = line->end - begin,
                                   .is_anchored = at != UINT64_MAX,
                                   .from = at != UINT64_MAX ? at - begin : 0,
                                   .any = step->want == WANT_LINES,
                                   .call = step->chunk->call};
    const uint32_t *found;
    uint32_t count;
    bool matches;

    program_note(&worker->lazily, read.count - read.from);
    TRAWL_TRY(pass_lazily(step, group, &read, &found, &count, &matches, error));
    for (uint32_t i = 0; i < count; i++)
        if (worker->known[found[i]] != worker->line) {
            worker->known[found[i]] = worker->line;
            worker->passing[(*passing)++] = found[i];
        }
    line->is_decided |= matches;
    return TRAWL_OK;
}

/* Adds to worker->passing the expressions without atoms, for the line at rest_line. */
static enum trawl_status pass_rest(struct step *step, struct line *line, uint32_t *passing,
                                   struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct expressions *expressions = worker->expressions;

    set_line(step, rest_line(step), line);
    line->has_rest = line->is_decided = true;
    worker->rest_next++;
    if (expressions->rest->pattern_count >= GROUP_MIN && step->want != WANT_LINES)
        return pass_group(step, LAZY_REST, UINT64_MAX, line, passing, error);
    for (uint64_t i = 0; i < expressions->rest->pattern_count; i++) {
        worker->known[expressions->rest_items[i]] = worker->line;
        worker->passing[(*passing)++] = expressions->rest_items[i];
    }
    return TRAWL_OK;
}

/* Like pass_atom, for an atom of many expressions: the lazy automaton reads on from the atom if
 * matches begin with it, and otherwise the line, once. */
static enum trawl_status pass_many(struct step *step, uint64_t at, struct atom atom,
                                   struct line *line, uint32_t *passing, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct expressions *expressions = worker->expressions;
    const uint64_t group = expressions->count > 1 ? atom.pattern : 0; /* all mean the only one */
    bool begins = true;

    if (worker->asked == NULL) {
        TRAWL_TRY(MEMORY_ZEROED(worker->asked, expressions->atom_count, error));
        worker->asked_capacity = expressions->atom_count;
    }
    if (line->after == UINT64_MAX)
        set_line(step, at, line);
    if (at >= line->end || worker->asked[group] == worker->line)
        return TRAWL_OK;
    for (uint32_t i = expressions->atom_first[atom.pattern];
         i < expressions->atom_first[atom.pattern + 1] && begins; i++)
        begins = expressions->anchors[expressions->atom_anchors[i]].leads;
    if (!begins || step->spare == 0)
        worker->asked[group] = worker->line;
    return pass_group(step, LAZY_ATOM + (uint32_t)group,
                      begins && step->spare > 0 ? at : UINT64_MAX, line, passing, error);
}

/* Adds to worker->passing the expressions that may match with this atom at `at`. Finds the line's
 * end, unless the bytes around the atom rule out all expressions. */
static enum trawl_status pass_atom(struct step *step, uint64_t at, struct atom atom,
                                   struct line *line, uint32_t *passing, struct trawl_error *error)
{
    struct regex_worker *worker = step->worker;
    const struct expressions *expressions = worker->expressions;
    const bool plain = !expressions->has_beyond &&
                       (expressions->plan->flags & (TRAWL_WHOLE_LINE | TRAWL_WHOLE_WORD)) == 0;
    const uint32_t begin = expressions->atom_first[atom.pattern];
    const uint32_t end = expressions->atom_first[atom.pattern + 1];
    bool may = !expressions->compares;

    for (uint32_t i = begin; i < end && !may; i++)
        may = may_be_string(step, &expressions->anchors[expressions->atom_anchors[i]], at, atom);
    if (!may)
        return TRAWL_OK;
    if (end - begin >= GROUP_MIN && expressions->count > 1)
        return pass_many(step, at, atom, line, passing, error);
    for (uint32_t i = begin; i < end; i++) {
        const struct anchor *anchor = &expressions->anchors[expressions->atom_anchors[i]];
        const struct around around = look_around(step, expressions->atom_anchors[i], at, atom);
        /* Automata check word boundaries, but not what PCRE2 requires beyond its filter
         * (pcre2.h). */
        const bool passes = around.before == AROUND_MATCHES && around.after == AROUND_MATCHES;
        const bool matches = passes && !expressions->has_beyond;
        bool is_within; /* the string ends inside the line or record */
        bool decides;

        if (expressions->compares && !may_be_string(step, anchor, at, atom))
            continue;
        if (around.before == AROUND_FAILS || around.after == AROUND_FAILS)
            continue;
        if (line->after == UINT64_MAX)
            set_line(step, at, line);
        if (at >= line->end)
            break; /* the string lies in a line end, and so in no match */
        is_within = judge_atom_within(atom, line->end - at) > 0;
        if (worker->known[anchor->expression] == worker->line)
            continue;
        decides = is_within && (matches || (plain && anchor->is_sure));
        if (!decides && step->want == WANT_LINES &&
            (expressions->count > 1 || !expressions->has_beyond))
            return pass_many(step, at, atom, line, passing, error);
        worker->known[anchor->expression] = worker->line;
        worker->passing[(*passing)++] = anchor->expression;
        line->is_decided |= decides;
    }
    return TRAWL_OK;
}

enum trawl_status pass_line(struct step *step, uint64_t ended, uint64_t *next, struct line *line,
                            uint32_t *passing, struct trawl_error *error)
{
    const struct expressions *expressions = step->worker->expressions;
    const struct hits *hits = &step->worker->refiner.found.hits;
    const bool any = step->want == WANT_LINES && !judges_whole(step);

    for (;; (*next)++) {
        const uint64_t at =
            *next < hits->count ? step->from + hits->items[*next].offset : UINT64_MAX;

        if (line->after == UINT64_MAX && rest_line(step) < ended && rest_line(step) <= at)
            TRAWL_TRY(pass_rest(step, line, passing, error));
        if (at >= min_u64(line->after, ended))
            return TRAWL_OK;
        if (*passing == expressions->count || (any && line->is_decided))
            continue; /* everything that this hit could tell about the line is known */
        TRAWL_TRY(pass_atom(step, at,
                            judge_atom(expressions, hits, *next, step->chunk->bytes + step->from,
                                       step->chunk->owned + step->chunk->after - step->from),
                            line, passing, error));
    }
}
