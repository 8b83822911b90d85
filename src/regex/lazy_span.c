/* lazy_span: finds matches with lazy automata (lazy.h). One reads forwards, to where the first
 * match ends. That begins where the automaton was last idle, unless other matches have begun since.
 * Then another automaton reads backwards.
 */
#include <string.h>

#include "base/checked.h"
#include "regex/lazy_parts.h"
#include "regex/prices.def"

/* Sets *part to that of the expression. Returns false if it has none, which may be for a while. */
static bool find_part(struct lazy *lazy, uint32_t expression, uint32_t *part)
{
    if (lazy->made->memory.mib > 0)
        lazy_forget(lazy);
    if (lazy->groups[expression] == NOTHING && lazy_group(lazy, expression, NULL) != TRAWL_OK)
        return false;
    *part = lazy->groups[expression];
    return lazy->parts[*part].next == NOTHING && !lazy_passes(lazy, &lazy->parts[*part]);
}

/* What an automaton reads: from `at` to `to`, and what it finds. */
struct reading {
    uint64_t at, to, stop; /* up to `stop`, the call's cancel is not looked at */
    bool is_anchored;
    bool is_first;       /* the first end is enough */
    bool is_cut;         /* at `to`, which is not the text's end, matches may go on */
    uint64_t edge;       /* as in lazy_class */
    uint64_t idle;       /* the last place where no match had begun */
    uint64_t begin, end; /* of the match; end UINT64_MAX: there is none */
    bool is_sure;        /* it begins at `begin` */
    uint32_t expression; /* of several */
};

/* Reads on from the state, to the first byte that leads nowhere or has something to do. */
static inline uint32_t read_on(struct lazy *lazy, const struct lazy_line *line,
                               struct reading *reading, uint32_t state, const bool back,
                               const bool is_wide)
{
    const uint8_t *bytes = line->bytes;
    const uint16_t *class_of = line->is_text ? lazy->line_class_of : lazy->class_of;
    const uint32_t *next = lazy->next;
    uint64_t at = reading->at, idle = reading->idle, edge = reading->edge;

    while (back ? at > reading->stop : at < reading->stop) {
        uint32_t class = class_of[bytes[at - back]], to;
        uint64_t ahead = edge, after = at + 1;

        if (back && bytes[at - 1] >= 0x80)
            class = lazy_class_back(lazy, bytes, line->count, at, &after);
        else if (back)
            after = at - 1;
        else if (is_wide)
            class = lazy_class(lazy, class, bytes, line->count, at, &ahead);
        to = next[state + class];
        if (to - 1 >= STOP - 1) /* 0: not known */
            break;
        edge = ahead;
        at = after;
        if ((to & OFFSET) == state) /* as in \w+: no load waits for the last one */
            while ((back ? at > reading->stop : at < reading->stop) &&
                   (!(back || is_wide) || bytes[at - back] < 0x80) &&
                   next[state + class_of[bytes[at - back]]] == to)
                at += back ? UINT64_MAX : 1;
        idle = (to & IDLE) != 0 ? at : idle;
        state = to & OFFSET;
    }
    reading->at = at;
    reading->idle = idle;
    reading->edge = edge;
    return state;
}

/* Returns what comes before a match that is read from `at` on. Sets *edge as lazy_class wants it.
 */
static uint32_t before_of(const struct lazy *lazy, const struct lazy_line *line, uint64_t at,
                          uint64_t *edge)
{
    const bool back = lazy->nfa.backwards;

    *edge = 0;
    return line->is_text && at != (back ? line->count : 0) &&
                   lazy->line_class_of[line->bytes[back ? at : at - 1]] == lazy->class_count
               ? lazy_before(lazy)
               : lazy_before_at(lazy, line->bytes, line->count, at, edge);
}

/* Returns the class of what is at reading->at. Backwards, sets *after to where it begins. */
static uint32_t class_at(struct lazy *lazy, const struct lazy_line *line, struct reading *reading,
                         uint64_t *after)
{
    const bool back = lazy->nfa.backwards;
    const uint8_t byte = line->bytes[reading->at - back];
    const uint32_t class = line->is_text ? lazy->line_class_of[byte] : lazy->class_of[byte];

    if (back)
        return byte < 0x80 ? class
                           : lazy_class_back(lazy, line->bytes, line->count, reading->at, after);
    return lazy_class(lazy, class, line->bytes, line->count, reading->at, &reading->edge);
}

/* Reads the text. Returns false if it cannot decide. */
static bool run(struct lazy *lazy, uint32_t index, const struct lazy_line *line,
                struct reading *reading)
{
    const bool back = lazy->nfa.backwards, is_wide = lazy->wide > 0;
    const uint64_t began = reading->at, last = back ? 0 : line->count;
    const uint32_t first = before_of(lazy, line, began, &reading->edge);
    struct part *part = &lazy->parts[index];
    uint32_t state, next = 0;
    bool is_end = false, reads = true;

    reading->end = UINT64_MAX;
    reading->idle = reading->stop = reading->at;
    state = part->flushes == lazy->flushes ? part->starts[reading->is_anchored][first] : 0;
    if (state == 0 &&
        lazy_start(lazy, index, reading->is_anchored, first, &state, NULL) != TRAWL_OK)
        return false;
    for (state *= lazy->stride; reads && !is_end; state = next & OFFSET) {
        uint32_t class = lazy->class_count;
        bool is_new = false;
        uint64_t after;

        if (back ? reading->at <= reading->stop : reading->at == reading->stop) {
            if (reading->at != began && engine_call_is_over(line->call))
                return false;
            reading->stop = back
                                ? reading->at - min_u64(reading->at - reading->to, LAZY_LOOK_BYTES)
                                : reading->at + min_u64(reading->to - reading->at, LAZY_LOOK_BYTES);
        }
        state = back      ? read_on(lazy, line, reading, state, true, true)
                : is_wide ? read_on(lazy, line, reading, state, false, true)
                          : read_on(lazy, line, reading, state, false, false);
        after = reading->at + (back ? UINT64_MAX : 1);
        if (reading->at != last)
            class = class_at(lazy, line, reading, &after);
        if (class > lazy->class_count) /* of a CR that may belong to the line's end */
            return false;
        is_end = back ? reading->at <= reading->to : reading->at == reading->to;
        reading->is_cut = is_end && reading->to != last;
        if (reading->is_cut)
            next = lazy_ends(lazy, state, class);
        else if ((is_new = (next = lazy->next[state + class]) == 0) &&
                 lazy_follow(lazy, index, state, class, &next, NULL) != TRAWL_OK)
            return false;
        reads = part->credit >= 0;
        if (reads && (next & MATCH) != 0) {
            reading->end = reading->at;
            reading->begin = reading->idle;
            reading->is_sure = (next & UNSURE) == 0;
            if (part->count > 1 && !is_new)
                (void)lazy_ends(lazy, state, class);
            reading->expression = part->count > 1 ? lazy->ended_by : lazy->rules[part->from];
        }
        reading->at = after;
        if ((next & IDLE) != 0)
            reading->idle = reading->at;
        is_end |= (next & OFFSET) == 0 || (reading->is_first && reading->end != UINT64_MAX);
    }
    if (part->credit < 0)
        (void)lazy_halve(lazy, index, NULL);
    else
        part->credit = min_i64(part->credit + READ_CREDIT +
                                   (int64_t)(back ? began - reading->at : reading->at - began),
                               lazy_credit(lazy, part->count));
    return reads;
}

/* Sets span->begin, before which no match begins, to where the one begins that ends at span->end.
 * Returns false if it is not found. */
static bool find_begin(struct lazy_spans *spans, uint32_t expression, const struct lazy_line *line,
                       struct regex_span *span)
{
    struct reading reading = {.at = span->end, .to = span->begin, .is_anchored = true};
    uint32_t part;

    if ((spans->backwards == NULL &&
         lazy_make(spans->made, LAZY_BACKWARDS, &spans->backwards, NULL) != TRAWL_OK) ||
        !find_part(spans->backwards, expression, &part) ||
        !run(spans->backwards, part, line, &reading) || reading.end == UINT64_MAX)
        return false;
    span->begin = reading.end;
    return true;
}

int lazy_span(struct lazy_spans *spans, uint32_t *expression, const struct lazy_line *line,
              uint64_t to, enum regex_anchor anchor, struct regex_span *span)
{
    const enum lazy_as as = spans->made->options.longest ? LAZY_LONGEST : LAZY_ORDERED;
    struct reading reading = {.at = line->from, .to = to, .is_anchored = anchor != REGEX_ANYWHERE};
    struct lazy *lazy;
    uint32_t part;

    if (spans->forwards == NULL && lazy_make(spans->made, as, &spans->forwards, NULL) != TRAWL_OK)
        return LAZY_ASKS;
    lazy = spans->forwards;
    if (!find_part(lazy, *expression, &part) || !run(lazy, part, line, &reading))
        return LAZY_ASKS;
    if (reading.end == UINT64_MAX)
        return 0;
    *span = (struct regex_span){reading.begin, reading.end};
    *expression = reading.expression;
    if (anchor == REGEX_WHOLE && reading.end < to) {
        /* another match, less preferred than this one, may end at `to` */
        span->end = to;
        return as == LAZY_LONGEST                           ? 0
               : find_begin(spans, *expression, line, span) ? span->begin == line->from
                                                            : LAZY_ASKS;
    }
    return reading.is_anchored || reading.is_sure || find_begin(spans, *expression, line, span)
               ? 1
               : LAZY_ENDED;
}

/* Makes the automata. Returns false if there is not enough memory. */
static bool make_both(struct lazy_spans *spans)
{
    const enum lazy_as as = spans->made->options.longest ? LAZY_LONGEST : LAZY_ORDERED;

    return (spans->forwards != NULL ||
            lazy_make(spans->made, as, &spans->forwards, NULL) == TRAWL_OK) &&
           (spans->backwards != NULL ||
            lazy_make(spans->made, LAZY_BACKWARDS, &spans->backwards, NULL) == TRAWL_OK);
}

/* A part that is read from `from` on, beside a string. */
struct side {
    struct lazy *lazy;
    uint32_t index;    /* of the part; NOTHING: there is none, which may be for a while */
    uint64_t from, at; /* it was read from `from` to `at` */
    uint32_t state;    /* there; NOTHING: `run` has to read from `from` on */
    uint64_t end;      /* the last end of a match so far; UINT64_MAX: none */
};

static inline struct side begin_side(struct lazy *lazy, uint32_t index,
                                     const struct lazy_line *text, uint64_t from)
{
    struct side side = {lazy, index, from, from, NOTHING, UINT64_MAX};
    uint32_t before = LINE_BEFORE_OTHER;
    const struct part *part;
    uint64_t edge;

    if (index == NOTHING || lazy->parts[index].flushes != lazy->flushes)
        return side;
    part = &lazy->parts[index];
    if (lazy->nfa.has_edges)
        before = before_of(lazy, text, from, &edge);
    if (part->starts[true][before] > 0)
        side.state = part->starts[true][before] * lazy->stride;
    return side;
}

/* The same beside the strings of an anchor. */
static inline struct side begin_beside(struct lazy *lazy, uint32_t anchor,
                                       const struct lazy_line *text, uint64_t from)
{
    uint32_t index = lazy->besides[anchor];

    if (index == NOTHING && lazy_beside(lazy, anchor, NULL) == TRAWL_OK)
        index = lazy->besides[anchor];
    if (index != NOTHING &&
        (lazy_passes(lazy, &lazy->parts[index]) || lazy->parts[index].border == NO_PLACE))
        index = NOTHING;
    return begin_side(lazy, index, text, from);
}

/* Reads on with known transitions, up to `stop`. With `is_first`, the first end is enough. Returns
 * true if no more has to be read. */
static inline bool peek(struct side *side, const struct lazy_line *text, uint64_t stop,
                        const bool is_first, const bool back)
{
    struct lazy *lazy = side->lazy;
    const uint16_t *class_of = !text->is_text ? lazy->class_of
                               : back         ? lazy->line_class_of
                                              : lazy->ascii_class_of;
    const uint8_t *bytes = text->bytes;
    const uint32_t *next = lazy->next;
    uint64_t at = side->at;
    uint32_t state = side->state, to = 0;

    if (!text->is_text && !back && lazy->wide > 0)
        side->state = state = NOTHING;
    if (state == NOTHING)
        return false;
    while (back ? at > stop : at < stop) {
        uint32_t class = class_of[bytes[at - back]];
        uint64_t after = at + (back ? UINT64_MAX : 1);

        if (back && bytes[at - 1] >= 0x80)
            class = lazy_class_back(lazy, bytes, text->count, at, &after);
        to = next[state + class];
        if (to - 1 >= STOP - 1) { /* 0: not known */
            side->end = (to & MATCH) != 0 ? at : side->end;
            if ((to & OFFSET) == 0 || is_first)
                break;
        }
        at = after;
        if (to == state) /* as in read_on */
            while ((back ? at > stop && bytes[at - 1] < 0x80 : at < stop) &&
                   next[state + class_of[bytes[at - back]]] == to)
                at += back ? UINT64_MAX : 1;
        state = to & OFFSET;
        to = 1;
    }
    if (to == 1 && at == (back ? 0 : text->count)) {
        to = next[state + lazy->class_count];
        side->end = (to & MATCH) != 0 ? at : side->end;
    }
    side->at = at;
    side->state = to == 0 ? NOTHING : state;
    if (to < STOP)
        return false;
    lazy->parts[side->index].credit += READ_CREDIT;
    return true;
}

/* Reads from side->from to `to`, making states. Returns false if it cannot decide, as where matches
 * may go on after `to`, unless `may_be_cut`. */
static bool run_side(struct side *side, const struct lazy_line *text, uint64_t to, bool is_first,
                     bool may_be_cut)
{
    struct reading reading = {
        .at = side->from, .to = to, .is_anchored = true, .is_first = is_first};
    struct lazy *lazy = side->lazy;

    if (side->index == NOTHING)
        return false;
    lazy_forget(lazy);
    lazy->parts[side->index].credit =
        min_i64(lazy->parts[side->index].credit, lazy_credit(lazy, 1));
    if (!run(lazy, side->index, text, &reading))
        return false;
    side->at = reading.at;
    side->end = reading.end;
    return may_be_cut || !reading.is_cut || (is_first && reading.end != UINT64_MAX);
}

/* Reads up to `max` bytes from side->from on, of which some may have been read. */
static inline uint32_t look(struct side *side, const struct lazy_line *text, uint64_t max,
                            const bool back)
{
    const uint64_t from = side->from;
    const uint64_t stop =
        back ? from - min_u64(from, max) : from + min_u64(text->count - from, max);

    if (side->index != NOTHING && side->lazy->parts[side->index].holds)
        return AROUND_MATCHES;
    if (!peek(side, text, stop, true, back) &&
        (side->state != NOTHING || !run_side(side, text, stop, true, false)))
        return AROUND_ASKS;
    return side->end != UINT64_MAX ? AROUND_MATCHES : AROUND_FAILS;
}

struct around lazy_around(struct lazy_spans *spans, uint32_t anchor, const struct lazy_line *text,
                          uint64_t end, uint32_t patience, uint64_t *spare)
{
    const struct anchor *anchors = spans->made->anchors, *of = &anchors[anchor];
    struct around around = {AROUND_ASKS, AROUND_ASKS};
    struct side before, after;
    uint64_t max = AROUND_BYTES;

    if (!of->is_read || !make_both(spans))
        return around;
    anchor = of->alike;
    if (spans->forwards->asks[anchor] < patience && !anchors[anchor].is_shared) {
        spans->forwards->asks[anchor]++;
        return around;
    }
    before = begin_beside(spans->backwards, anchor, text, text->from);
    after = begin_beside(spans->forwards, anchor, text, of->goes_on ? text->from : end);
    /* alternately, because a mismatch on either side ends the reading */
    for (bool more = true; more;) {
        if (end > 0 && around.after == AROUND_ASKS)
            around.after = look(&after, text, max, false);
        if (around.after != AROUND_FAILS && around.before == AROUND_ASKS)
            around.before = look(&before, text, max, true);
        more = max == AROUND_BYTES && *spare > 0 && around.before != AROUND_FAILS &&
               around.after != AROUND_FAILS &&
               (around.before == AROUND_ASKS || around.after == AROUND_ASKS);
        max += *spare;
    }
    *spare -=
        min_u64(*spare, before.from - min_u64(before.from, before.at) + after.at - after.from);
    /* where there are several borders, the sides may match beside different ones */
    if (around.before == AROUND_MATCHES && spans->backwards->borders[anchor].times > 1)
        around.before = AROUND_ASKS;
    return around;
}

int lazy_near(struct lazy_spans *spans, const struct lazy_line *text, uint64_t from,
              uint64_t *spare, struct regex_span *span)
{
    const uint64_t at = text->from;
    uint64_t to = max_u64(from, at - min_u64(at, AROUND_BYTES + *spare));
    struct side before, whole;
    uint32_t part;

    if (!make_both(spans))
        return LAZY_ASKS;
    before = begin_beside(spans->backwards, 0, text, at);
    if (!peek(&before, text, to, false, true) && !run_side(&before, text, to, false, to == from))
        return LAZY_ASKS;
    *spare -= min_u64(*spare, at - min_u64(at, before.at));
    if (before.end == UINT64_MAX)
        return 0;
    if (!find_part(spans->forwards, 0, &part))
        return LAZY_ASKS;
    to = min_u64(text->count, at + AROUND_BYTES + *spare);
    whole = begin_side(spans->forwards, part, text, before.end);
    if (!peek(&whole, text, to, false, false) && !run_side(&whole, text, to, false, false))
        return LAZY_ASKS;
    *spare -= min_u64(*spare, whole.at - before.end);
    if (whole.end == UINT64_MAX)
        return 0;
    *span = (struct regex_span){before.end, whole.end};
    return 1;
}

void lazy_spans_free(struct lazy_spans *spans)
{
    lazy_free(spans->forwards);
    lazy_free(spans->backwards);
    *spans = (struct lazy_spans){.made = NULL};
}
