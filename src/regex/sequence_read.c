/* sequence_read: reads texts with the automata of sequences (sequence.h). */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/sequence_automaton.h"
#include "regex/prices.def"

/* A text that an automaton reads from `at` to `stop`, forwards or backwards. */
struct reading {
    const uint8_t *bytes;
    uint64_t count;
    uint64_t at;
    uint64_t stop;
    uint64_t end; /* where the sequence may end; UINT64_MAX: not found yet */
};

/* Reads until the automaton decides, or until reading->stop is reached or passed, and returns the
 * state. With `longest`, finds where the match ends; otherwise, the first possible end is
 * enough. */
static inline uint32_t run(const struct around_automaton *made, uint32_t state,
                           struct reading *reading, bool back, bool longest)
{
    const uint8_t *bytes = reading->bytes;
    const uint64_t count = reading->count, stop = reading->stop, step = back ? UINT64_MAX : 1;
    uint64_t here = reading->at, end = reading->end;
    uint32_t near = 0;

    while (state > AROUND_ASKS) {
        const struct around_row *row = around_row(made, state);
        const uint64_t stays = row->stays, from = here;
        uint32_t symbol;

        if (row->matches > longest) {
            end = here;
            state = longest ? AROUND_FAILS : AROUND_MATCHES;
            break;
        }
        if (back ? here <= stop : here >= stop)
            break;
        symbol = made->of_byte[bytes[here - back]];
        if (symbol == LONG)
            symbol = read_one(made, bytes, &here, count, back, &near);
        else
            here += step;
        if ((stays >> (symbol & 63) & 1) != 0) {
            while ((back ? here > stop : here < stop) &&
                   (stays >> (made->of_byte[bytes[here - back]] & 63) & 1) != 0)
                here += step;
            continue;
        }
        state = row->next[symbol];
        if ((row->accepts >> symbol & 1) != 0) {
            end = from;
            state = longest ? state : AROUND_MATCHES;
        }
    }
    reading->at = here;
    reading->end = end;
    return state;
}

/* Continues from `state` with the character after reading->stop, which cannot be in a match. */
static uint32_t run_beyond(const struct around_automaton *made, uint32_t state,
                           struct reading *reading, bool back)
{
    uint64_t at = reading->at;
    uint32_t symbol, near = 0;

    if (state <= AROUND_ASKS)
        return state;
    symbol = read_one(made, reading->bytes, &at, reading->count, back, &near);
    if ((around_row(made, state)->accepts >> symbol & 1) != 0) {
        reading->end = reading->at;
        return AROUND_MATCHES;
    }
    return symbol == ELSE ? AROUND_ASKS : AROUND_FAILS;
}

/* Returns the state in which the automaton starts at `at`, which depends on the character on the
 * other side of `at`. */
static uint32_t first_state(const struct around_automaton *made, const uint8_t *bytes, uint64_t at,
                            uint64_t count)
{
    uint32_t symbol, near = 0;

    if (made == NULL)
        return AROUND_ASKS;
    if (!made->has_edges)
        return made->first[0];
    symbol = read_one(made, bytes, &at, count, !made->backwards, &near);
    return symbol == ELSE ? AROUND_ASKS : made->first[made->words >> symbol & 1];
}

/* Reads up to `max` more bytes on one side of a string. */
static uint32_t read_side(const struct around_automaton *made, uint32_t state,
                          struct reading *reading, uint64_t max, bool back)
{
    const uint64_t at = reading->at, text_end = back ? 0 : reading->count;

    if (state <= AROUND_ASKS)
        return state;
    reading->stop = back ? at - min_u64(at, max) : at + min_u64(reading->count - at, max);
    state = back ? run(made, state, reading, true, false) : run(made, state, reading, false, false);
    return reading->at == text_end ? run_beyond(made, state, reading, back) : state;
}

struct around around_read(const struct around_automaton *before,
                          const struct around_automaton *after, const uint8_t *bytes, uint64_t at,
                          uint64_t end, uint64_t count, uint64_t *spare)
{
    struct around around = {first_state(before, bytes, at, count),
                            first_state(after, bytes, end, count)};
    struct reading head = {bytes, count, at, 0, 0}, rest = {bytes, count, end, 0, 0};

    /* Read the sides alternately, because a mismatch on either side ends the reading. */
    for (uint64_t max = AROUND_BYTES; around.before != AROUND_FAILS && around.after != AROUND_FAILS;
         max = AROUND_BYTES + *spare) {
        around.after = read_side(after, around.after, &rest, max, false);
        if (around.after != AROUND_FAILS)
            around.before = read_side(before, around.before, &head, max, true);
        if (max > AROUND_BYTES || *spare == 0 ||
            (around.before <= AROUND_ASKS && around.after <= AROUND_ASKS))
            break;
    }
    *spare -= min_u64(*spare, at - head.at + (rest.at - end));
    if (around.before > AROUND_ASKS || (around.before == AROUND_MATCHES && before->is_cut))
        around.before = AROUND_ASKS;
    if (around.after > AROUND_ASKS || (around.after == AROUND_MATCHES && after->is_cut))
        around.after = AROUND_ASKS;
    return around;
}

/* Finds the end of the longest or preferred match or, backwards, its start. The automaton has read
 * up to reading->at. The end lies before `stop`, and at most `max` bytes may be read. Returns 1, 0
 * if there is no match, or -1 if it cannot decide. */
static inline int find_end(const struct around_automaton *made, uint32_t state,
                           struct reading *reading, uint64_t stop, uint64_t max, bool back)
{
    const uint64_t left = back ? reading->at - stop : stop - reading->at;
    const uint64_t taken = min_u64(left, max);

    reading->stop = back ? reading->at - taken : reading->at + taken;
    reading->end = UINT64_MAX;
    state = run(made, state, reading, back, true);
    if (state > AROUND_ASKS && reading->stop != stop)
        return -1;
    state = run_beyond(made, state, reading, back);
    return state == AROUND_ASKS ? -1 : reading->end != UINT64_MAX;
}

bool span_may_find(const struct sequence *head)
{
    uint32_t varying = 0;

    /* Let x{n,m} be the only item that varies. If one head begins before another one, and ends at a
     * later string, then the first head also matches up to the earlier string. */
    for (uint32_t i = 0; i < head->count; i++)
        varying += head->items[i].skips > 0 || head->items[i].min != head->items[i].max;
    return varying <= 1 && !head->skips && !head->alternates;
}

int span_find(const struct span_finder *spans, const uint8_t *bytes, uint64_t at, uint64_t from,
              uint64_t count, uint64_t *spare, struct regex_span *span)
{
    struct reading head = {bytes, count, at, from, at};
    int found = find_end(spans->head, first_state(spans->head, bytes, at, count), &head, from,
                         AROUND_BYTES + *spare, true);
    struct reading whole = {bytes, count, head.end, count, 0};

    *spare -= min_u64(*spare, at - head.at);
    if (found <= 0)
        return found;
    found = find_end(spans->whole, first_state(spans->whole, bytes, head.end, count), &whole, count,
                     AROUND_BYTES + *spare, false);
    *spare -= min_u64(*spare, whole.at - head.end);
    *span = (struct regex_span){head.end, whole.end};
    return found;
}
