/* judge: finds the matches of an expression in a line one after the other, under the plan's
 * conditions (such as whole words), and the groups of a match. */
#include "regex/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "regex/engine_regex.h"
#include "regex/lazy.h"
#include "regex/prices.def"

/* an automaton next to an atom may read this many bytes more than AROUND_BYTES */
#define SPARE_BYTES 64u
/* the text around the atom after this many is fetched: it was read when the atoms were found */
#define AHEAD 8u

uint64_t judge_again = AGAIN_BYTES;

enum trawl_status judge_undecided(uint64_t at, uint64_t count, struct trawl_error *error)
{
    char more[60] = "";

    if (count > 1)
        (void)snprintf(more, sizeof more, " (%" PRIu64 " lines in all)", count);
    return TRAWL_FAIL(error, LIMIT,
                      "the line at byte %" PRIu64 " takes more work than the limit for an "
                      "expression with look-around or backreferences%s",
                      at, more);
}

/* Returns the status for a result of words_match. Results below 0 are errors. */
static enum trawl_status status_of(int found, const struct judged *line, struct trawl_error *error)
{
    if (found >= 0)
        return TRAWL_OK;
    if (found == WORDS_CANCELLED)
        return TRAWL_STOPPED;
    if (found == PCRE2_OVER || found == PCRE2_LARGE)
        return judge_undecided(line->at, 1, error);
    return TRAWL_FAIL(error, MEMORY, "out of memory: a regular expression");
}

/* Like status_of, but returns TRAWL_OK if PCRE2 left the line undecided. */
static enum trawl_status status_or_open(int found, const struct judged *line,
                                        struct trawl_error *error)
{
    if (found != PCRE2_OVER && found != PCRE2_LARGE)
        return status_of(found, line, error);
    line->words->is_undecided = true;
    return TRAWL_OK;
}

enum trawl_status judge_may(const struct expressions *expressions, bool lines,
                            struct trawl_error *error)
{
    if (lines || !expressions->lines_alone)
        return TRAWL_OK;
    return TRAWL_FAIL(error, UNSUPPORTED,
                      "an expression with a backreference and with | or two repetitions selects "
                      "lines; which occurrence is the longest is unknown (see -P)");
}

uint64_t judge_after(const struct expressions *expressions, const struct judged *line,
                     const struct regex_span *span)
{
    const uint8_t line_end = expressions->plan->line_end;
    const uint64_t end = span->end;

    if (!line->each_empty || span->begin == UINT64_MAX)
        return end;
    if (!line->by_lines)
        return end + (span->begin == end);
    if ((end > span->begin && line->bytes[end - 1] == line_end) || end >= line->count)
        return end;
    return end + bytes_find_either(line->bytes + end, line->count - end, line_end, line_end) + 1;
}

/* Returns the index of the first hit (occurrence of an atom) at or after `from`. Searches upwards
 * from the last result, *near, because the next one is often close to it. */
static uint64_t first_from(const struct hits *hits, uint64_t from, uint64_t *near)
{
    uint64_t low = *near < hits->count && hits->items[*near].offset < from ? *near : 0;
    uint64_t high = low;

    for (uint64_t by = 1; high < hits->count && hits->items[high].offset < from; by *= 2)
        high = min_u64(high + by, hits->count);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (hits->items[middle].offset < from)
            low = middle + 1;
        else
            high = middle;
    }
    return *near = low;
}

/* Returns true if hit number `index` may lie in a match of the expression, which begins up to *head
 * bytes earlier. */
static bool may_hold(const struct expressions *expressions, uint32_t expression,
                     const struct judged *line, uint64_t index, uint64_t *head)
{
    const uint64_t at = line->atoms->items[index].offset - line->atoms_from;
    const struct atom atom =
        judge_atom(expressions, line->atoms, index, line->bytes - line->atoms_from,
                   line->count + line->atoms_from);
    const struct lazy_line text = {.bytes = line->bytes, .count = line->count, .from = at};
    bool may = false;

    for (uint32_t i = expressions->atom_first[atom.pattern];
         i < expressions->atom_first[atom.pattern + 1] && !may; i++) {
        const uint32_t anchor = expressions->atom_anchors[i];
        uint64_t spare = SPARE_BYTES;
        struct around around;

        if (expressions->anchors[anchor].expression != expression)
            continue;
        around = lazy_around(&line->words->spans, anchor, &text,
                             atom.length > 0 ? at + atom.length : 0, 0, &spare);
        *head = expressions->anchors[anchor].head_max;
        may = around.before != AROUND_FAILS && around.after != AROUND_FAILS;
    }
    return may;
}

/* Finds the first match of the expression that begins at or after `from`, where matches may cross
 * lines. The part of a match before an atom has a fixed number of line ends (split.c), usually
 * none. So no match begins before the line of the first atom that automata do not rule out, or that
 * many lines earlier: the search begins there. Otherwise all of that part is of expressions->near,
 * and the search begins behind the last other byte before the atom. If matches begin with atoms,
 * it instead tries the position of each atom, as long as failed tries take no longer than reading
 * the text. Results are those of words_match. */
static int match_near_atoms(const struct expressions *expressions, uint32_t expression,
                            const struct judged *line, uint64_t from, struct regex_span *span)
{
    const uint8_t line_end = expressions->plan->line_end;
    uint64_t *failed_ns = &line->words->failed_ns, *near = &line->words->near;
    const uint64_t last = line->atoms->count - 1;
    uint64_t begin, head, looks = 0;

    for (uint64_t i = first_from(line->atoms, from, near); i < line->atoms->count; i++) {
        uint64_t spare = SPARE_BYTES;

        __builtin_prefetch(line->bytes + line->atoms->items[min_u64(i + AHEAD, last)].offset);
        if (looks++ % JUDGE_LOOKS == 0 && engine_call_is_over(line->call))
            return WORDS_CANCELLED;
        if (expressions->has_near) {
            const struct lazy_line text = {.bytes = line->bytes,
                                           .count = line->count,
                                           .from = line->atoms->items[i].offset,
                                           .is_text = true};
            const int found = lazy_near(&line->words->spans, &text, from, &spare, span);

            if (found > 0)
                return found;
            if (found == 0)
                continue;
        }
        if (!may_hold(expressions, expression, line, i, &head))
            continue;
        begin = line->atoms->items[i].offset;
        if (expressions->has_no_heads && *failed_ns < FAILED_NS + begin / BYTES_PER_NS) {
            const uint64_t began_ns = clock_now_ns();
            const int found = words_match(expressions, expression, line, begin, line->count,
                                          REGEX_AT_FROM, span, 1);

            if (found != 0)
                return found;
            *failed_ns += clock_now_ns() - began_ns;
            continue;
        }
        if (expressions->near_lines == NEAR_BYTES) {
            while (begin > from && expressions->near[line->bytes[begin - 1]])
                begin--;
        } else {
            if (!expressions->has_no_heads)
                begin = judge_after_last(line->bytes, from, begin, line_end);
            for (uint32_t k = 0; k < expressions->near_lines && begin > from; k++)
                begin = judge_after_last(line->bytes, from, begin - 1, line_end);
        }
        return words_match(expressions, expression, line, begin, line->count, REGEX_ANYWHERE, span,
                           1);
    }
    return 0;
}

/* Like match_near_atoms, where matches do not cross lines: begins as far before an atom as a head
 * may reach, if automata do not rule the atom out. */
static int match_near(const struct expressions *expressions, uint32_t expression,
                      const struct judged *line, uint64_t from, struct regex_span *span)
{
    const struct reach *reach =
        expressions->items[expression].has_reach ? expression_reach(expressions, expression) : NULL;
    struct reach_window *window = words_window(line->words, expression);
    uint64_t *near = &line->words->near, looks = 0, head, begin;

    for (uint64_t i = first_from(line->atoms, from + line->atoms_from, near);
         i < line->atoms->count; i++) {
        const uint64_t at = line->atoms->items[i].offset - line->atoms_from;
        int found = -1;

        if (at >= line->count)
            break;
        if (looks++ % JUDGE_LOOKS == 0 && engine_call_is_over(line->call))
            return WORDS_CANCELLED;
        if (at < from || !may_hold(expressions, expression, line, i, &head))
            continue;
        begin = max_u64(from, at - min_u64(at, head));
        if (reach != NULL) { /* few matches are not worth the states that an automaton needs */
            program_note(&line->words->reach, line->count - begin);
            found = reach_match(reach, window, line->bytes, line->count, begin, at, line->count,
                                REGEX_ANYWHERE, span);
        }
        if (found < 0)
            return words_match(expressions, expression, line, begin, line->count, REGEX_ANYWHERE,
                               span, 1);
        if (found > 0)
            return found;
        from = max_u64(at + 1, window->next);
    }
    return 0;
}

/* Returns true if match_near finds the matches: near atoms, unless the line is short. */
static bool may_near(const struct expressions *expressions, uint32_t expression,
                     const struct judged *line)
{
    const struct expression *item = &expressions->items[expression];

    return line->atoms != NULL && item->has_atoms && item->beyond == NULL &&
           (item->has_reach || (!expressions_cross(expressions) && line->count >= NEAR_LINE));
}

enum trawl_status judge_line(const struct expressions *expressions, uint32_t expression,
                             const struct judged *line, bool *matches, struct trawl_error *error)
{
    const bool lines = (expressions->plan->flags & TRAWL_WHOLE_LINE) != 0;
    struct regex_span span;
    const int found = !lines && may_near(expressions, expression, line)
                          ? match_near(expressions, expression, line, 0, &span)
                          : words_match(expressions, expression, line, 0, line->count,
                                        lines ? REGEX_WHOLE : REGEX_ANYWHERE, NULL, 0);

    *matches = found > 0;
    return status_or_open(found, line, error);
}

enum trawl_status judge_next(const struct expressions *expressions, uint32_t expression,
                             const struct judged *line, struct regex_span *span, bool *found,
                             struct trawl_error *error)
{
    const struct pcre2 *pcre2 = expressions->items[expression].beyond;
    const uint64_t count = line->count;
    const bool takes_empty = line->takes_empty && span->end == 0;
    const bool is_near = may_near(expressions, expression, line);
    uint64_t from = judge_after(expressions, line, span);
    uint64_t empty = UINT64_MAX; /* start of the first empty match */
    int matched = 0;

    *found = false;
    if ((expressions->plan->flags & TRAWL_WHOLE_LINE) != 0) {
        if (from == 0 && count > 0)
            matched = words_match(expressions, expression, line, 0, count, REGEX_WHOLE, span, 1);
        /* because \K makes a match begin later, the match may be empty */
        if (matched > 0 && span->end == span->begin) {
            empty = span->begin;
            matched = 0;
        }
    } else {
        if (is_near || (line->atoms != NULL && expressions->items[expression].has_atoms &&
                        expressions_cross(expressions))) {
            matched = is_near ? match_near(expressions, expression, line, from, span)
                              : match_near_atoms(expressions, expression, line, from, span);
            from = count;
        }
        from = line->atoms_end > 0 && from >= line->atoms_end ? count
                                                              : max_u64(from, line->atoms_begin);
        while (from < count) {
            matched = engine_call_is_over(line->call)
                          ? WORDS_CANCELLED
                          : words_match(expressions, expression, line, from, count, REGEX_ANYWHERE,
                                        span, 1);
            if (matched <= 0 || span->end > span->begin || line->each_empty)
                break;
            empty = min_u64(empty, span->begin);
            matched = 0;
            /* with \G, the next match may begin inside a character, as in ripgrep */
            from = pcre2 != NULL && !pcre2->may_stop
                       ? span->begin + 1
                       : words_step(expressions, line->bytes, count, span->begin);
        }
    }
    if (matched == 0 && takes_empty && empty != UINT64_MAX) {
        *span = (struct regex_span){empty, empty};
        matched = 1;
    }
    *found = matched > 0;
    return status_or_open(matched, line, error);
}

static bool comes_before(const struct occurrence *a, const struct occurrence *b)
{
    return a->span.begin != b->span.begin ? a->span.begin < b->span.begin
                                          : a->expression < b->expression;
}

/* Moves items[at] to its place among the later items, which are sorted. */
static void move_to_place(struct merge *merge, uint64_t at)
{
    const struct occurrence moved = merge->items[at];
    uint64_t low = at + 1, high = merge->count;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (comes_before(&merge->items[middle], &moved))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(merge->items + at, merge->items + at + 1, (size_t)(low - 1 - at) * sizeof moved);
    merge->items[low - 1] = moved;
}

/* Replaces items[at] with the same expression's next occurrence after items[at].span. Removes the
 * item if there is none. */
static enum trawl_status go_on(struct merge *merge, const struct expressions *expressions,
                               const struct judged *line, uint64_t at, struct trawl_error *error)
{
    struct occurrence *item = &merge->items[at];
    bool found;

    TRAWL_TRY(judge_next(expressions, item->expression, line, &item->span, &found, error));
    if (found)
        move_to_place(merge, at);
    else
        memmove(item, item + 1, (size_t)(--merge->count - at) * sizeof *item);
    return TRAWL_OK;
}

/* Returns true if matches of the expression may be barred: of the expressions that match at a
 * place, only the first counts, and an earlier one may match there without a byte. */
static bool may_be_barred(const struct expressions *expressions, const struct judged *line,
                          uint32_t expression)
{
    return line->spans == SPANS_FIRST && !line->takes_empty &&
           expression > expressions->first_empty &&
           (expressions->plan->flags & TRAWL_WHOLE_LINE) == 0;
}

/* Returns 1 if an expression before this one, which may match without a byte, matches at `at`. The
 * other results are those of words_match. */
static int is_barred(const struct expressions *expressions, const struct judged *line,
                     uint32_t expression, uint64_t at)
{
    int found = 0;

    for (uint32_t i = expressions->first_empty; i < expression && found == 0; i++)
        if (expressions->items[i].beyond == NULL && expressions->items[i].tree.root.may_be_empty)
            found = words_match(expressions, i, line, at, line->count, REGEX_AT_FROM, NULL, 0);
    return found;
}

/* An item is open if no occurrence of its expression begins before span.begin, and the next one has
 * not been searched for; span.end without this bit is the end of the last one. */
#define OPEN (UINT64_C(1) << 63)

/* Makes an item open, from `from` on. */
static void reopen(struct merge *merge, uint64_t at, uint64_t from)
{
    struct regex_span *span = &merge->items[at].span;

    *span = (struct regex_span){from, max_u64(span->end, from) | OPEN};
    move_to_place(merge, at);
}

/* Searches for the occurrences of open items, until that of the first item is known and not barred.
 * For the longest, also those of the items that may begin there. */
static enum trawl_status settle(struct merge *merge, const struct expressions *expressions,
                                const struct judged *line, struct trawl_error *error)
{
    struct occurrence *items = merge->items;
    uint64_t at = 0;

    while (at < merge->count && (at == 0 || (line->spans == SPANS_LONGEST &&
                                             items[at].span.begin == items[0].span.begin))) {
        struct regex_span *span = &items[at].span;
        uint64_t free = span->begin;
        int found = 1;

        if ((span->end & OPEN) != 0) {
            merge->again += (span->end & ~OPEN) - span->begin;
            *span = (struct regex_span){UINT64_MAX, span->begin};
            TRAWL_TRY(go_on(merge, expressions, line, at, error));
            continue;
        }
        while (may_be_barred(expressions, line, items[at].expression) && free < line->count &&
               (found = is_barred(expressions, line, items[at].expression, free)) > 0)
            free = words_step(expressions, line->bytes, line->count, free);
        TRAWL_TRY(status_of(found, line, error));
        if (free > span->begin) /* an earlier expression that matches there with a byte is first */
            reopen(merge, at, free);
        else
            at++;
    }
    return TRAWL_OK;
}

static int compare(const void *a, const void *b)
{
    return comes_before((const struct occurrence *)a, (const struct occurrence *)b) ? -1 : 1;
}

/* Finds the first match of any expression at or after `from`, with a lazy automaton of all. Returns
 * LAZY_ASKS if it cannot. */
static int find_any(const struct expressions *expressions, const struct judged *line, uint64_t from,
                    struct regex_span *span, uint32_t *expression)
{
    const struct lazy_line read = {.bytes = line->bytes,
                                   .count = line->count,
                                   .from = max_u64(from, line->atoms_begin),
                                   .call = line->call};
    struct lazy_spans *spans = &line->words->spans;

    *expression = expressions->count;
    if (spans->made != expressions || expressions->has_beyond || read.from >= line->count ||
        expressions->first_empty < expressions->count || engine_call_is_over(line->call))
        return LAZY_ASKS;
    return lazy_span(spans, expression, &read, line->count, REGEX_ANYWHERE, span);
}

/* Finds the span after *last with the automaton of all expressions, if that is possible. The items
 * before merge->at end with the last span, and need not be searched for again. The expression that
 * matches becomes items[at]. The others begin anywhere after *last. */
static bool next_joined(struct merge *merge, const struct expressions *expressions,
                        const struct judged *line, const struct regex_span *last)
{
    const uint64_t from = judge_after(expressions, line, last);
    struct occurrence *items = merge->items;
    uint64_t count = merge->at, best = UINT64_MAX;
    struct regex_span span;
    uint32_t any;
    const int found = find_any(expressions, line, from, &span, &any);

    while (found > 0 && count < merge->count && items[count].span.begin <= span.begin)
        count++;
    for (uint64_t i = 0; i < count && found > 0; i++)
        best = items[i].expression == any ? i : best;
    if (found == 0)
        merge->count = merge->at = 0;
    if (found <= 0 || best == UINT64_MAX)
        return found == 0;
    for (uint64_t i = 0; i < count; i++)
        items[i].span = *last;
    items[best].expression = items[count - 1].expression;
    items[count - 1] = (struct occurrence){span, any};
    merge->at = count - 1;
    merge->end = span.end;
    return true;
}

/* Returns true if an automaton may find spans for all expressions. */
static bool may_join(const struct expressions *expressions, const struct judged *line)
{
    return line->spans != SPANS_ALL && expressions->count > 1 &&
           (line->spans == SPANS_LONGEST) == expressions->options.longest;
}

enum trawl_status merge_begin(struct merge *merge, const struct expressions *expressions,
                              const struct judged *line, const uint32_t *candidates, uint32_t count,
                              struct trawl_error *error)
{
    words_begin(line);
    for (uint32_t i = 0; i < count; i++)
        merge->items[i] = (struct occurrence){{0, 0}, candidates != NULL ? candidates[i] : i};
    merge->count = count;
    merge->at = 0;
    merge->joins = count >= JOINED_MIN && may_join(expressions, line);
    if (merge->joins && next_joined(merge, expressions, line, &(struct regex_span){0, 0}))
        return TRAWL_OK;
    merge->count = merge->at = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct occurrence first = {{UINT64_MAX, 0}, candidates != NULL ? candidates[i] : i};
        bool found;

        if ((expressions->items[first.expression].is_void && !line->each_empty &&
             !line->takes_empty) ||
            (first.expression > expressions->first_bar &&
             may_be_barred(expressions, line, first.expression)))
            continue;
        TRAWL_TRY(judge_next(expressions, first.expression, line, &first.span, &found, error));
        if (found)
            merge->items[merge->count++] = first;
    }
    if (merge->count > 1)
        qsort(merge->items, (size_t)merge->count, sizeof *merge->items, compare);
    return settle(merge, expressions, line, error);
}

/* Like merge_next, with line->spans. Occurrences that begin where the span begins come one after
 * the other, and the last of them ends the span. Then each search continues after the span, once it
 * may find what comes first, and reads again what belonged to a match that the span has prevented,
 * which may be most of the line. After much of that, an automaton of all expressions finds spans.
 */
static enum trawl_status next_span(struct merge *merge, const struct expressions *expressions,
                                   const struct judged *line, struct trawl_error *error)
{
    const bool again = merge->again >= judge_again;
    struct regex_span now = merge->items[merge->at].span;

    if (merge->at == 0 || (line->spans == SPANS_LONGEST && now.end > merge->end))
        merge->end = now.end;
    if (++merge->at < merge->count && merge->items[merge->at].span.begin == now.begin &&
        (merge->items[merge->at].span.end & OPEN) == 0)
        return TRAWL_OK;
    while (merge->at < merge->count && merge->items[merge->at].span.begin < merge->end)
        merge->at++;
    now.end = merge->end;
    if (may_join(expressions, line) && (merge->joins || again) &&
        next_joined(merge, expressions, line, &now))
        return TRAWL_OK;
    while (merge->at > 0)
        reopen(merge, --merge->at, judge_after(expressions, line, &now));
    return settle(merge, expressions, line, error);
}

enum trawl_status merge_next(struct merge *merge, const struct expressions *expressions,
                             const struct judged *line, struct trawl_error *error)
{
    const struct regex_span *first = &merge->items[0].span;

    TRAWL_ASSERT(merge->at < merge->count);
    if (line->spans != SPANS_ALL && expressions->count > 1)
        return next_span(merge, expressions, line, error);
    /* unless each_empty is set, an empty match is its expression's only match in the line */
    if (first->end > first->begin || line->each_empty)
        return go_on(merge, expressions, line, 0, error);
    memmove(merge->items, merge->items + 1, (size_t)--merge->count * sizeof *merge->items);
    return TRAWL_OK;
}

static uint32_t groups_of(const struct expressions *expressions, uint64_t index)
{
    const struct pcre2 *pcre2 = expressions->items[index].beyond;

    return pcre2 != NULL ? pcre2->groups : program_groups(expressions->items[index].each);
}

struct trawl_line {
    const struct expressions *expressions;
    uint32_t expression;
    struct judged judged;
    struct words words;
    bool has_moved; /* words_begin has yet to be called */
    uint64_t looks; /* number of calls to trawl_line_match */
    int64_t ruled;  /* counts the short lines that rules_out has ruled out, less the others */
    uint64_t after; /* where the match of the last call to trawl_line_groups ends */
    uint64_t span_count;
    struct regex_span spans[]; /* the match and each group */
};

enum trawl_status regex_line_open(const struct trawl_plan *plan, uint64_t pattern_index,
                                  const void *line, uint64_t line_bytes,
                                  const struct engine_call *call, struct trawl_line **out,
                                  struct trawl_error *error)
{
    const struct expressions *expressions;
    struct trawl_line *made;
    uint64_t spans;
    void *memory;

    TRAWL_TRY(expressions_want(plan, &expressions, error));
    spans = (uint64_t)groups_of(expressions, pattern_index) + 1;
    TRAWL_TRY(
        memory_allocate_zeroed(1, sizeof *made + spans * sizeof *made->spans, &memory, error));
    made = (struct trawl_line *)memory;
    made->expressions = expressions;
    made->expression = (uint32_t)pattern_index;
    made->judged = (struct judged){.call = call, .words = &made->words};
    if (expressions->items[pattern_index].beyond == NULL)
        made->words.spans.made = expressions;
    made->span_count = spans;
    *out = made;
    return trawl_line_move(made, line, line_bytes, error);
}

enum trawl_status trawl_line_move(struct trawl_line *opened, const void *line, uint64_t line_bytes,
                                  struct trawl_error *error)
{
    if (opened == NULL || (line == NULL && line_bytes > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", opened == NULL ? "opened" : "line");
    opened->judged.bytes = line != NULL ? (const uint8_t *)line : (const uint8_t *)"";
    opened->judged.count = line_bytes;
    opened->after = 0;
    opened->has_moved = true;
    return TRAWL_OK;
}

void trawl_line_close(struct trawl_line *line)
{
    if (line == NULL)
        return;
    words_release(&line->words);
    memory_release(line, 1, sizeof *line + line->span_count * sizeof *line->spans);
}

/* Stores the match and the groups of line->spans. Groups without a span are stored as UINT64_MAX.
 */
static enum trawl_status put_groups(const struct trawl_line *line, int found,
                                    struct trawl_range *groups, uint64_t groups_max,
                                    struct trawl_error *error)
{
    for (uint64_t i = 0; i < groups_max; i++)
        groups[i] = found > 0 && i < line->span_count && line->spans[i].begin != UINT64_MAX
                        ? (struct trawl_range){line->spans[i].begin, line->spans[i].end}
                        : (struct trawl_range){UINT64_MAX, UINT64_MAX};
    return status_of(found, &line->judged, error);
}

/* Returns true if lazy automata show that a short line has no match, before PCRE2 searches it. They
 * are asked from call number RULES_AFTER on, and no more once they have ruled out too few lines. */
static bool rules_out(struct trawl_line *line)
{
    const struct lazy_line read = {
        .bytes = line->judged.bytes, .count = line->judged.count, .call = line->judged.call};
    struct lazy_spans *spans = &line->words.spans;
    struct regex_span span;
    uint32_t expression = 0;
    bool rules;

    if (line->looks < RULES_AFTER || line->expressions->count > 1 ||
        expressions_cross(line->expressions) || read.count > RULED_BYTES ||
        line->expressions->items[0].beyond == NULL || line->ruled < -(int64_t)RULES_AFTER)
        return false;
    spans->made = line->expressions;
    rules = lazy_span(spans, &expression, &read, read.count, REGEX_ANYWHERE, &span) == 0;
    line->ruled += rules ? 1 : -1;
    return rules;
}

enum trawl_status trawl_line_match(struct trawl_line *line, uint64_t from,
                                   struct trawl_range *groups, uint64_t groups_max,
                                   struct trawl_error *error)
{
    const struct expressions *expressions;
    bool lines;
    int found = 0;

    if (line == NULL || groups == NULL || groups_max == 0)
        return TRAWL_FAIL(error, ARGUMENT, "%s", line == NULL ? "line is NULL" : "no groups");
    expressions = line->expressions;
    lines = (expressions->plan->flags & TRAWL_WHOLE_LINE) != 0 &&
            expressions->items[line->expression].beyond == NULL;
    if (line->looks++ % JUDGE_LOOKS == 0 && engine_call_is_over(line->judged.call))
        found = WORDS_CANCELLED;
    else if (from <= line->judged.count && (!lines || from == 0) &&
             (from > 0 || !rules_out(line))) {
        if (line->has_moved)
            words_begin(&line->judged);
        line->has_moved = false;
        found = words_match(expressions, line->expression, &line->judged, from, line->judged.count,
                            lines ? REGEX_WHOLE : REGEX_ANYWHERE, line->spans,
                            (uint32_t)min_u64(groups_max, line->span_count));
    }
    return put_groups(line, found, groups, groups_max, error);
}

/* Takes the line that the plan keeps open, for another text, or opens one. */
static enum trawl_status take_kept(const struct trawl_plan *plan, const uint8_t *text,
                                   uint64_t count, struct trawl_line **line)
{
    *line = (struct trawl_line *)atomic_exchange(&plan->attached[PLAN_LINE].object, NULL);
    return *line == NULL ? regex_line_open(plan, 0, text, count, NULL, line, NULL)
                         : trawl_line_move(*line, text, count, NULL);
}

/* Another thread may have put back its own. */
static void put_kept(const struct trawl_plan *plan, struct trawl_line *line)
{
    trawl_line_close((struct trawl_line *)atomic_exchange(&plan->attached[PLAN_LINE].object, line));
}

bool judge_brief(const struct trawl_plan *plan, const uint8_t *text, uint64_t count,
                 struct engine_brief *found)
{
    struct trawl_line *line = NULL;
    struct trawl_range match = {0, 0};
    enum trawl_status status = take_kept(plan, text, count, &line);

    while (status == TRAWL_OK) {
        status = trawl_line_match(line, match.end, &match, 1, NULL);
        if (status != TRAWL_OK || match.begin == UINT64_MAX || match.begin == match.end)
            break;
        engine_brief_put(found, match.begin, match.end, 0, 0);
        if (found->is_first)
            break;
    }
    put_kept(plan, line);
    return status == TRAWL_OK && (match.begin == UINT64_MAX || match.begin < match.end);
}

bool judge_near(const struct trawl_plan *plan, const uint8_t *text, uint64_t count,
                const struct engine_brief *strings, struct engine_brief *found)
{
    struct lazy_line read = {.bytes = text, .count = count, .is_text = true};
    uint64_t end = 0, spare = SPARE_READS * count;
    struct trawl_line *line = NULL;
    int matched = take_kept(plan, text, count, &line) == TRAWL_OK ? 0 : -1;

    for (uint64_t i = 0; i < strings->count && (matched == 0 || (matched > 0 && !found->is_first));
         i++) {
        struct regex_span span;

        read.from = strings->matches[i].begin;
        if (read.from < end)
            continue;
        matched = lazy_near(&line->words.spans, &read, end, &spare, &span);
        if (matched > 0)
            engine_brief_put(found, span.begin, end = span.end, 0, 0);
    }
    put_kept(plan, line);
    return matched >= 0;
}

/* Finds the groups of PCRE2's match [begin, end). If a search from `begin` could find another match
 * or none, lists the line's matches until this one is found, and searches from `begin` only if it
 * is not. */
static enum trawl_status groups_beyond(struct trawl_line *line, uint64_t begin, uint64_t end,
                                       struct trawl_range *groups, uint64_t groups_max,
                                       struct trawl_error *error)
{
    const bool lists = line->expressions->items[line->expression].beyond->remembers;
    uint64_t from = !lists ? begin : line->after <= begin ? line->after : 0;

    do {
        TRAWL_TRY(trawl_line_match(line, from, groups, groups_max, error));
        from = groups[0].end + (groups[0].begin == groups[0].end);
    } while (groups[0].begin < begin);
    if (lists && groups[0].begin > begin)
        TRAWL_TRY(trawl_line_match(line, begin, groups, groups_max, error));
    line->after = end + (begin == end);
    return groups[0].begin == begin && groups[0].end == end
               ? TRAWL_OK
               : put_groups(line, 0, groups, groups_max, error);
}

enum trawl_status trawl_line_groups(struct trawl_line *line, struct trawl_range match,
                                    struct trawl_range *groups, uint64_t groups_max,
                                    struct trawl_error *error)
{
    const uint64_t begin = match.begin, end = match.end;
    const struct expressions *expressions;
    int found = 0;

    if (line == NULL || groups == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", line == NULL ? "line" : "groups");
    expressions = line->expressions;
    if (begin > end || end > line->judged.count)
        return TRAWL_FAIL(error, ARGUMENT, "the match does not lie in the line");
    if (groups_max == 0)
        return TRAWL_OK;
    if (expressions->items[line->expression].beyond != NULL)
        return groups_beyond(line, begin, end, groups, groups_max, error);
    if (begin == end && !expressions->items[line->expression].tree.root.may_be_empty)
        return put_groups(line, 0, groups, groups_max, error);
    if (!expressions->items[line->expression].has_words ||
        !at_character_middle(expressions, line->judged.bytes, line->judged.count, begin))
        found = words_groups(expressions, line->expression, &line->judged, begin, end, line->spans,
                             (uint32_t)min_u64(groups_max, line->span_count));
    return put_groups(line, found, groups, groups_max, error);
}

uint64_t regex_group(const struct trawl_plan *plan, uint64_t pattern_index, const char *name,
                     uint64_t name_bytes)
{
    const struct expressions *expressions;

    if (expressions_want(plan, &expressions, NULL) != TRAWL_OK)
        return UINT64_MAX;
    if (name_bytes == 0)
        return groups_of(expressions, pattern_index);
    if (expressions->items[pattern_index].beyond != NULL)
        name_bytes = pcre2_group(expressions->items[pattern_index].beyond, name, name_bytes);
    else
        name_bytes = program_group(expressions->items[pattern_index].each, name, name_bytes);
    return name_bytes > 0 ? name_bytes : UINT64_MAX;
}
