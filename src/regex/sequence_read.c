/* sequence_read: reads texts with the automata of sequences (sequence.h). */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/finder.h"
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

/* Reads up to `most` more bytes on one side of a string. */
static uint32_t read_side(const struct around_automaton *made, uint32_t state,
                          struct reading *reading, uint64_t most, bool back)
{
    const uint64_t at = reading->at, text_end = back ? 0 : reading->count;

    if (state <= AROUND_ASKS)
        return state;
    reading->stop = back ? at - min_u64(at, most) : at + min_u64(reading->count - at, most);
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
    for (uint64_t most = AROUND_BYTES;
         around.before != AROUND_FAILS && around.after != AROUND_FAILS;
         most = AROUND_BYTES + *spare) {
        around.after = read_side(after, around.after, &rest, most, false);
        if (around.after != AROUND_FAILS)
            around.before = read_side(before, around.before, &head, most, true);
        if (most > AROUND_BYTES || *spare == 0 ||
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
 * up to reading->at. The end lies before `stop`, and at most `most` bytes may be read. Returns 1, 0
 * if there is no match, or -1 if RE2 has to decide. */
static inline int find_end(const struct around_automaton *made, uint32_t state,
                           struct reading *reading, uint64_t stop, uint64_t most, bool back)
{
    const uint64_t left = back ? reading->at - stop : stop - reading->at;
    const uint64_t taken = min_u64(left, most);

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
        varying += head->items[i].skips > 0 || head->items[i].least != head->items[i].most;
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

/* The byte at `place`, counted from where a match might begin, does not fit. Returns the distance
 * to the next place where a match may begin: where this byte fits as an earlier one. */
static uint64_t skip_of(const struct finder *finder, uint64_t place, uint8_t byte)
{
    uint64_t earlier = finder->kinds[byte] != 0 ? place : 0;

    while (earlier > 0 && (finder->kinds[byte] >> finder->item_of[earlier - 1] & 1) == 0)
        earlier--;
    return place + 1 - earlier;
}

/* Returns true if a match may begin at `at`, judging by the byte there and the one before. */
static inline bool may_begin(const struct finder *finder, const uint8_t *text, uint64_t at)
{
    const struct around_automaton *made = finder->automaton;
    const uint8_t byte = text[at];
    uint32_t before;

    if (finder->starts[0][byte] == finder->starts[1][byte])
        return finder->starts[0][byte];
    before = at > 0 ? made->of_byte[text[at - 1]] : LONG;
    return finder->starts[before != LONG && (made->words >> before & 1) != 0][byte];
}

/* Looks at the bytes from *at, a byte that fits, back to `begin`. Moves *at to the first of those
 * that fit, and sets *seen to all of them, or-ed together. */
static inline void look_back(const struct finder *finder, const uint8_t *text, uint64_t begin,
                             uint64_t *at, uint8_t *seen)
{
    *seen = text[*at];
    while (*at > begin && (finder->kinds[text[*at]] >> finder->item_of[*at - begin] & 1) != 0)
        *seen |= text[--*at];
}

/* Returns the first place at or after `begin` that begins finder->run bytes of the first item;
 * UINT64_MAX if there is none. The bytes up to *clean have been looked at before, and fit. Looks
 * for a byte that does not from the end of where they would be, so most bytes are skipped. */
static uint64_t next_run(const struct finder *finder, const uint8_t *text, uint64_t begin,
                         uint64_t to, uint64_t *clean)
{
    while (begin <= to && to - begin >= finder->run) {
        uint64_t at = begin + finder->run;

        if (!finder->starts[2][text[begin]]) { /* it may be the last byte of a character */
            begin++;
            continue;
        }
        while (at > max_u64(*clean, begin) && finder->kinds[text[at - 1]] != 0)
            at--;
        if (at <= max_u64(*clean, begin)) {
            *clean = max_u64(*clean, begin + finder->run);
            return begin;
        }
        *clean = max_u64(*clean, begin + finder->run);
        begin = at;
    }
    return UINT64_MAX;
}

/* Returns the first place at or after `begin` where a match may begin; UINT64_MAX if there is none.
 * *clean is that of next_run. Sets *seen to the bytes there, or-ed together, if it has looked at
 * them. */
static uint64_t next_begin(const struct finder *finder, const uint8_t *text, uint64_t begin,
                           uint64_t to, uint64_t *clean, uint8_t *seen)
{
    const uint64_t least = finder->least;
    const uint8_t *found;

    if (finder->begins == AT_LINES && begin > 0 && text[begin - 1] != '\n') {
        found = begin < to ? memchr(text + begin, '\n', (size_t)(to - begin)) : NULL;
        return found != NULL ? (uint64_t)(found - text) + 1 : UINT64_MAX;
    }
    if (finder->begins != AT_ALL || finder->is_empty)
        return begin;
    if (finder->run > 0)
        return next_run(finder, text, begin, to, clean);
    if (finder->scans) {
        for (const uint64_t end = to - min_u64(to, least - 1); begin < end; begin++) {
            uint64_t at = begin + least - 1;

            if (!finder->starts[2][text[begin]])
                continue;
            look_back(finder, text, begin, &at, seen);
            if (at == begin && may_begin(finder, text, begin))
                return begin;
        }
        return UINT64_MAX;
    }
    while (begin < to && to - begin >= least) {
        uint64_t at = begin + least - 1;

        if (finder->kinds[text[at]] == 0) {
            begin += least;
            continue;
        }
        look_back(finder, text, begin, &at, seen);
        if (at == begin && may_begin(finder, text, begin))
            return begin;
        if (at == begin && *seen < 0x80 && finder->starts[0][text[at]])
            begin += finder->stride;
        else
            begin += skip_of(finder, at - begin, text[at]);
    }
    return UINT64_MAX;
}

/* Reads the items [first, end) of a sequence one after the other, each as often as its characters
 * occur. `items` points to item 0 in text order; backwards, the items precede it. Stores where item
 * i ends in ends[i + 1]. Returns 1, 0 if an item occurs too few times, or -1 if RE2 has to
 * decide. */
static inline int read_items(const struct around_automaton *made, const struct sequence_item *items,
                             uint32_t first, uint32_t end, bool back, struct reading *reading,
                             uint64_t *ends)
{
    const uint8_t *bytes = reading->bytes;
    const uint64_t stop = reading->stop;
    uint64_t at = reading->at;
    uint32_t near = 0;
    int found = 1;

    for (uint32_t i = first; i < end && found > 0; i++) {
        const struct sequence_item *item = back ? items - i : items + i;
        uint64_t left = item->edge != 0                ? 0
                        : item->most == SYNTAX_ENDLESS ? UINT64_MAX
                                                       : item->most;
        const uint64_t enough = left - min_u64(left, item->least);
        uint32_t further = item->jumps;

        while (left > 0 && (back ? at > stop : at < stop)) {
            uint64_t next = back ? at - 1 : at + 1;
            uint32_t symbol = made->of_byte[bytes[at - back]];

            if (symbol == LONG) {
                next = at;
                symbol = read_one(made, bytes, &next, reading->count, back, &near);
            }
            if ((made->members[symbol] >> i & 1) == 0) {
                found = symbol == ELSE ? -1 : found;
                break;
            }
            at = next;
            left--;
        }
        if (found > 0 && left > enough) {
            found = item->skips > 0; /* an item of another alternative */
            further = found > 0 ? item->skips - 1u : 0;
        }
        if (back ? at < stop : at > stop) /* inside a character */
            found = -1;
        for (uint32_t k = 0; k <= further && !back; k++)
            ends[i + 1 + k] = at;
        i += further;
    }
    reading->at = reading->end = at;
    return found;
}

/* Finds the end of the match that begins at match->at, with the results of find_end. */
static inline int read_match(const struct finder *finder, struct reading *match, uint64_t to,
                             uint64_t *ends)
{
    if (!finder->by_items)
        return find_end(finder->automaton,
                        first_state(finder->automaton, match->bytes, match->at, match->count),
                        match, to, UINT64_MAX, false);
    match->stop = to;
    return read_items(finder->automaton, finder->sequence.items, finder->first,
                      finder->sequence.count, false, match, ends);
}

/* Stores a match's groups. `ends` was filled by read_match. */
static __attribute__((noinline)) void put_groups(const struct finder *finder, struct reading *match,
                                                 uint64_t begin, uint64_t *ends,
                                                 struct regex_span *spans, uint32_t span_count)
{
    const struct sequence *sequence = &finder->sequence;

    if (!finder->by_items) {
        match->at = begin;
        match->stop = match->end;
        (void)read_items(finder->automaton, sequence->items, finder->first, sequence->count, false,
                         match, ends);
    }
    for (uint32_t i = 0; i <= finder->first; i++)
        ends[i] = begin;
    for (uint32_t i = 1; i < span_count; i++)
        spans[i] = i <= sequence->group_count
                       ? (struct regex_span){ends[sequence->groups[i - 1].first],
                                             ends[sequence->groups[i - 1].end]}
                       : (struct regex_span){UINT64_MAX, UINT64_MAX};
}

/* Stores a match and its groups. */
static inline int put_match(const struct finder *finder, struct reading *match, uint64_t begin,
                            uint64_t *ends, struct regex_span *spans, uint32_t span_count)
{
    if (span_count > 0)
        spans[0] = (struct regex_span){begin, match->end};
    if (span_count > 1)
        put_groups(finder, match, begin, ends, spans, span_count);
    return 1;
}

/* Returns the offset after the characters at `at` that the first item may be. */
static uint64_t after_run(const struct finder *finder, const uint8_t *text, uint64_t at,
                          uint64_t to)
{
    uint64_t next = at;
    uint32_t near = 0;

    while (
        next < to &&
        (finder->automaton->members[read_one(finder->automaton, text, &next, to, false, &near)] >>
             finder->first &
         1) != 0)
        at = next;
    return at;
}

/* Finds the first match by looking for finder->byte. Sets *begin to its start, and match->end to
 * its end. Returns 1, 0 if there is none, or -1 if RE2 has to decide. */
static int match_by_byte(const struct finder *finder, uint64_t from, uint64_t to,
                         struct reading *match, uint64_t *begin, uint64_t *ends)
{
    const struct sequence_item *head_items = finder->sequence.items + finder->head_end - 1;
    const uint8_t *text = match->bytes, *found;
    uint64_t at = from, waste = 0;

    while (at <= to) {
        struct reading head = {text, match->count, to, from, 0};
        int matches;

        found = memchr(text + at, finder->byte, (size_t)(to - at));
        if (found == NULL && (!finder->seeks_end || to < match->count))
            break;
        at = head.at = found != NULL ? (uint64_t)(found - text) : to;
        matches = finder->heads_by_items
                      ? read_items(finder->head, head_items, 0, finder->head_end - finder->first,
                                   true, &head, NULL)
                      : find_end(finder->head, first_state(finder->head, text, at, head.count),
                                 &head, from, UINT64_MAX, true);
        waste += at++ - head.at;
        if (matches > 0) {
            match->at = *begin = head.end;
            match->end = at - 1;
            matches = finder->seeks_end ? 1 : read_match(finder, match, to, ends);
            waste += match->at - *begin;
        }
        if (matches != 0)
            return matches;
        if (waste > WASTE_MAX && waste / WASTE_SHARE > at - from)
            return -1;
    }
    return 0;
}

int finder_match(const struct finder *finder, const uint8_t *text, uint64_t count, uint64_t from,
                 uint64_t to, enum regex_anchor anchor, struct regex_span *spans,
                 uint32_t span_count)
{
    const struct around_automaton *made = finder->automaton;
    const bool is_plain = made->is_one_pass && !finder->sequence.is_lazy;
    const uint64_t begin_from = from;
    uint64_t ends[SEQUENCE_MAX + 1], waste = 0, clean = 0;

    if ((from == to && !finder->is_empty && !finder->may_be_empty) ||
        (finder->begins == AT_TEXT && from > 0))
        return 0;
    if (span_count > 1 && (!is_plain || finder->sequence.skips || finder->sequence.merges))
        return -1;
    if (anchor != REGEX_ANYWHERE && finder->begins == AT_LINES && from > 0 &&
        text[from - 1] != '\n')
        return 0;
    if (anchor == REGEX_ANYWHERE && finder->seeks && (!finder->seeks_end || span_count <= 1)) {
        struct reading reading = {text, count, from, to, 0};
        uint64_t begin = from;
        const int found = match_by_byte(finder, from, to, &reading, &begin, ends);

        return found > 0 ? put_match(finder, &reading, begin, ends, spans, span_count) : found;
    }
    for (uint64_t begin = from;; begin++) {
        struct reading reading = {text, count, begin, to, 0};
        uint8_t seen = 0x80; /* not ASCII, or not looked at */
        int found;

        if (anchor == REGEX_ANYWHERE)
            reading.at = begin = next_begin(finder, text, begin, to, &clean, &seen);
        if (begin == UINT64_MAX)
            return 0;
        if (made->has_edges && begin > 0)
            seen |= text[begin - 1];
        if (finder->after > AROUND_ASKS && seen < 0x80 && (span_count <= 1 || !finder->by_items)) {
            reading.at += finder->least;
            found = find_end(made, finder->after, &reading, to, UINT64_MAX, false);
        } else {
            found = read_match(finder, &reading, to, ends);
        }
        if (found < 0)
            return -1;
        if (found > 0 && (anchor != REGEX_WHOLE || reading.end == to))
            return put_match(finder, &reading, begin, ends, spans, span_count);
        /* another match, less preferred than this one, may end at `to` */
        if (found > 0 && !is_plain)
            return -1;
        if (anchor != REGEX_ANYWHERE || finder->begins == AT_TEXT || begin >= to)
            return 0;
        waste += reading.at - begin;
        if (finder->is_greedy && finder->first + 1 < finder->sequence.count)
            reading.at = after_run(finder, text, begin, to);
        if (finder->is_greedy || (finder->by_items && reading.at - begin < finder->shortest &&
                                  (reading.at == to || made->of_byte[text[reading.at]] == END)))
            begin = max_u64(reading.at, begin + 1) - 1; /* the rest of the line is too short */
        else if (seen < 0x80)
            begin += finder->stride - 1;
        if (waste > WASTE_MAX && waste / WASTE_SHARE > begin - begin_from)
            return -1;
    }
}
