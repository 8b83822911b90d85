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
    const uint16_t *class_of = lazy->class_of;
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
        idle = (to & IDLE) != 0 ? at : idle;
        state = to & OFFSET;
    }
    reading->at = at;
    reading->idle = idle;
    reading->edge = edge;
    return state;
}

/* Reads the text. Returns false if it cannot decide. */
static bool run(struct lazy *lazy, uint32_t index, const struct lazy_line *line,
                struct reading *reading)
{
    const bool back = lazy->nfa.backwards, is_wide = lazy->wide > 0;
    const uint64_t began = reading->at, last = back ? 0 : line->count;
    const uint32_t first = lazy_before_at(lazy, line->bytes, line->count, began, &reading->edge);
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
        if (reading->at != last) {
            class = lazy->class_of[line->bytes[reading->at - back]];
            if (!back)
                class =
                    lazy_class(lazy, class, line->bytes, line->count, reading->at, &reading->edge);
            else if (line->bytes[reading->at - 1] >= 0x80)
                class = lazy_class_back(lazy, line->bytes, line->count, reading->at, &after);
        }
        is_end = back ? reading->at <= reading->to : reading->at == reading->to;
        if (is_end && reading->to != last)
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
        is_end |= (next & OFFSET) == 0;
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

void lazy_spans_free(struct lazy_spans *spans)
{
    lazy_free(spans->forwards);
    lazy_free(spans->backwards);
    *spans = (struct lazy_spans){.made = NULL};
}
