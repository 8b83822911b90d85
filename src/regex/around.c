/* around: the automaton that reads the characters beside a string (sequence.h). A state of the
 * automaton is a set of places in the sequence that may come next (the subset construction). */
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/sequence.h"
#include "regex/syntax/sets.h"

#define SYMBOLS 63u
/* limit for ranges of characters that the sequence treats alike; RE2 decides about those beyond */
#define CUTS_MAX 2048u
/* limit for the places of a sequence: its characters and edges, with each repetition written out */
#define PLACES_MAX 31u
/* limit for states: making a state's row takes some 30 steps for each symbol */
#define STATES_MAX 200u
#define WORD (1u << 31) /* bit of places.of_symbol: the character belongs to a word */
/* the search for a line end reads this many bytes while the automaton reads one */
#define BYTES_PER_FIND 16u

/* Characters that the sequence treats alike share a symbol, a column of the automaton's table
 * `rows`. END is a line's end, ELSE a character about which RE2 has to decide. LONG, only in
 * of_byte, is a byte of a character of several bytes. */
enum { END, ELSE, LONG = 255 };

/* States are numbered from AROUND_ASKS + 1 on: state AROUND_ASKS + 1 + i has rows[i]. */
struct around_automaton {
    uint32_t users; /* calls of around_make and around_share */
    /* The state in which reading begins: first[1] if the character on the other side of the place
     * where reading begins belongs to a word, else first[0]. */
    uint8_t first[2];
    /* the automaton reads backwards, from the last byte of a character to its first */
    bool backwards;
    /* under TRAWL_MULTILINE: at the text's end RE2 decides, and a line end is an ordinary byte */
    bool crosses;
    bool has_edges; /* the sequence has edges of words */
    /* The sequence has a repetition without limit, and ends with a character and the line's end. So
     * before the automaton reads, may_be_last tells whether the line's last byte fits. */
    bool checks_last;
    bool may_be_last[256];
    uint8_t line_ends[2];
    uint32_t state_count;
    uint64_t words; /* a bit for each symbol whose characters belong to words */
    uint8_t of_byte[256];
    /* Characters from U+0080 on: those from cuts[i].first up to cuts[i + 1].first have one symbol.
     * The last cut is behind all characters. */
    uint32_t cut_count;
    struct around_cut {
        uint32_t first;
        uint32_t symbol;
    } * cuts; /* behind `rows` */
    struct around_row {
        uint8_t next[SYMBOLS];
        uint64_t stays; /* a bit for each symbol after which the automaton stays in this state */
    } rows[];
};

/* The sequence with its repetitions written out, as places. A machine word stands for a set of
 * places: it has a bit for each place that may come next, and bit `count` if the whole sequence has
 * been read. */
struct places {
    const struct sequence *sequence;
    const struct around_options *options;
    uint32_t count;
    /* indexed by place: how many places from this one on may be left out together, as in (ab)? */
    uint8_t skips[PLACES_MAX];
    uint32_t endless;         /* set of the places that may be read again, as in a* */
    uint8_t item[PLACES_MAX]; /* indexed by place: number of the sequence's item */
    /* indexed by symbol: a bit for each item of the sequence that its characters may be, and WORD
     */
    uint32_t of_symbol[SYMBOLS];
    uint32_t symbol_count;
    struct around_cut cuts[CUTS_MAX];
    uint32_t sets[STATES_MAX]; /* the set of places of each state */
    /* indexed by state: whether the character read last belongs to a word; false if the sequence
     * has no edges of words */
    bool lasts[STATES_MAX];
    uint32_t state_count;
    struct around_row rows[STATES_MAX];
    struct around_automaton automaton; /* without rows */
};

/* Writes the sequence out as places. Returns false if there are too many. */
static bool write_out(struct places *places)
{
    for (uint32_t i = 0; i < places->sequence->count; i++) {
        const struct sequence_item *item = &places->sequence->items[i];
        const bool endless = item->most == SYNTAX_ENDLESS;
        const uint64_t copies = endless ? max_u64(item->least, 1) : item->most;

        if (copies > PLACES_MAX - places->count)
            return false;
        places->automaton.has_edges |= item->edge != 0 && item->edge < EDGE_BEGIN;
        for (uint32_t copy = 0; copy < copies; copy++, places->count++) {
            places->item[places->count] = (uint8_t)i;
            places->skips[places->count] = copy >= item->least ? 1 : item->skips;
            if (endless && copy + 1 == copies)
                places->endless |= 1u << places->count;
        }
    }
    return true;
}

/* Returns the index of the first range that ends at `code` or later. */
static uint32_t range_at(const struct code_range *ranges, uint32_t count, uint32_t code)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (code > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns true if the ranges hold `code`. Lowers *end to the last code point that follows it and of
 * which the same is true. */
static bool is_in(const struct code_range *ranges, uint32_t count, uint32_t code, uint32_t *end)
{
    const uint32_t at = range_at(ranges, count, code);
    const bool holds = at < count && ranges[at].first <= code;

    if (at < count)
        *end = (uint32_t)min_u64(*end, holds ? ranges[at].last : ranges[at].first - 1);
    return holds;
}

/* Returns a bit for each item of the sequence that the character may be, and WORD. Lowers *end to
 * the last code point that follows it and has the same bits. */
static uint32_t members_of(const struct places *places, uint32_t code, uint32_t *end)
{
    const struct around_words *words = places->options->words;
    uint32_t members = 0;

    for (uint32_t i = 0; i < places->sequence->count; i++) {
        const struct syntax_node *node = places->sequence->items[i].node;

        if (node != NULL && is_in(node->set, node->set_count, code, end))
            members |= 1u << i;
    }
    if (places->automaton.has_edges &&
        (code < 0x80 ? class_is_word_byte((char)code)
                     : words != NULL && is_in(words->ranges, words->count, code, end)))
        members |= WORD;
    return members;
}

static uint8_t symbol_of(struct places *places, uint32_t members)
{
    uint32_t i = ELSE + 1;

    while (i < places->symbol_count && places->of_symbol[i] != members)
        i++;
    if (i == SYMBOLS)
        return ELSE;
    if (i == places->symbol_count) {
        places->of_symbol[places->symbol_count++] = members;
        if ((members & WORD) != 0)
            places->automaton.words |= UINT64_C(1) << i;
    }
    return (uint8_t)i;
}

static void add_cut(struct places *places, uint32_t first, uint32_t symbol)
{
    struct around_automaton *made = &places->automaton;

    if (made->cut_count == 0 || places->cuts[made->cut_count - 1].symbol != symbol ||
        first > SETS_LAST)
        places->cuts[made->cut_count++] = (struct around_cut){first, symbol};
}

/* Gives the characters from U+0080 on their symbols. */
static void number_cuts(struct places *places)
{
    const struct around_words *words = places->options->words;
    const uint32_t end = places->automaton.has_edges && words != NULL ? words->end : SETS_LAST + 1;
    uint32_t code = 0x80;

    while (code < end && places->automaton.cut_count < CUTS_MAX - 2) {
        uint32_t last = end - 1;
        const uint32_t members = members_of(places, code, &last);

        add_cut(places, code, symbol_of(places, members));
        code = last + 1;
    }
    if (code <= SETS_LAST)
        add_cut(places, code, ELSE);
    add_cut(places, SETS_LAST + 1, ELSE);
}

/* Gives each character a symbol. ASCII characters, or bytes, come first. */
static void number_symbols(struct places *places)
{
    const struct around_options *options = places->options;
    struct around_automaton *made = &places->automaton;
    const bool bytes = options->options->bytes;
    uint32_t unused = 0;

    for (uint32_t byte = 0; byte < 256; byte++)
        made->of_byte[byte] =
            byte < 0x80 || bytes ? symbol_of(places, members_of(places, byte, &unused)) : LONG;
    if (!options->crosses)
        made->of_byte[options->line_ends[0]] = made->of_byte[options->line_ends[1]] = END;
    if (options->crlf)
        made->of_byte['\r'] = ELSE;
    if (!bytes)
        number_cuts(places);
}

/* Returns the set of the places that may come next if `place` is reached: `place`, and each later
 * place for which all places from `place` on may be left out. */
static uint32_t reach(const struct places *places, uint32_t place)
{
    uint32_t set = 1u << place;

    for (; place < places->count; place++)
        if ((set >> place & 1) != 0)
            set |= 1u << (place + places->skips[place]);
    return set;
}

/* Returns the number of the state with the set of places `set`, in which the character read last
 * belongs to a word if `last`. Adds the state if there is none yet. Returns AROUND_FAILS if no
 * place is left, AROUND_MATCHES if the whole sequence is read, and AROUND_ASKS if there are too
 * many states. */
static uint8_t state_of(struct places *places, uint32_t set, bool last)
{
    uint32_t i = 0;

    last &= places->automaton.has_edges;
    if (set == 0)
        return AROUND_FAILS;
    if ((set >> places->count & 1) != 0)
        return AROUND_MATCHES;
    while (i < places->state_count && (places->sets[i] != set || places->lasts[i] != last))
        i++;
    if (i == STATES_MAX)
        return AROUND_ASKS;
    if (i == places->state_count) {
        places->lasts[i] = last;
        places->sets[places->state_count++] = set;
    }
    return (uint8_t)(AROUND_ASKS + 1 + i);
}

/* Returns true if the edge stands between the character that was read last and the next symbol.
 * `last` says whether the character that was read last belongs to a word. */
static bool holds(const struct places *places, uint32_t edge, bool last, uint32_t symbol)
{
    const uint32_t next = places->automaton.words >> symbol & 1;

    if (edge >= EDGE_BEGIN)
        return symbol == END;
    return (edge >> (places->automaton.backwards ? next + 2 * last : last + 2 * next) & 1) != 0;
}

/* Returns the state that follows `state` after a character with this symbol. */
static uint8_t follow(struct places *places, uint32_t state, uint32_t symbol)
{
    uint32_t from = places->sets[state], set = 0;

    if (symbol == ELSE)
        return AROUND_ASKS;
    for (uint32_t place = 0; place < places->count; place++) {
        const uint8_t edge = places->sequence->items[places->item[place]].edge;

        if ((from >> place & 1) == 0)
            continue;
        if (edge != 0) {
            if (holds(places, edge, places->lasts[state], symbol))
                from |= reach(places, place + 1);
        } else if (symbol != END && (places->of_symbol[symbol] >> places->item[place] & 1) != 0) {
            set |= reach(places, place + 1);
            if ((places->endless >> place & 1) != 0)
                set |= reach(places, place);
        }
    }
    if ((from >> places->count & 1) != 0)
        return AROUND_MATCHES;
    return state_of(places, set, (places->automaton.words >> symbol & 1) != 0);
}

/* Fills the rows of all states. This adds states, whose rows are filled in turn. */
static void fill_rows(struct places *places)
{
    for (uint32_t last = 0; last < 2; last++)
        places->automaton.first[last] = state_of(places, reach(places, 0), last != 0);
    for (uint32_t state = 0; state < places->state_count; state++)
        for (uint32_t symbol = 0; symbol < places->symbol_count; symbol++) {
            const uint8_t next = follow(places, state, symbol);

            places->rows[state].next[symbol] = next;
            if (next == AROUND_ASKS + 1 + state)
                places->rows[state].stays |= UINT64_C(1) << symbol;
        }
}

/* Sets checks_last if the sequence allows the check. Then also notes with which bytes a line may
 * end if a match of the sequence ends with the line. */
static void note_last(struct places *places)
{
    const struct around_options *options = places->options;
    const struct sequence *sequence = places->sequence;
    const uint32_t last = sequence->count - 2;
    struct around_automaton *made = &places->automaton;
    uint32_t unused = 0;

    for (uint32_t i = 0; i < sequence->count; i++)
        if (sequence->items[i].skips > 0)
            return;
    if (sequence->count < 3 || options->backwards || options->crosses || options->crlf ||
        places->endless == 0 || sequence->items[last + 1].edge != EDGE_END ||
        sequence->items[last].edge != 0 || sequence->items[last].least == 0)
        return;
    made->checks_last = true;
    for (uint32_t byte = 0; byte < 256; byte++)
        made->may_be_last[byte] = made->of_byte[byte] == LONG || made->of_byte[byte] == ELSE ||
                                  (members_of(places, byte, &unused) >> last & 1) != 0;
}

/* Returns true if the sequence has an assertion about which the automaton cannot decide. */
static bool has_unknown_edge(const struct sequence *sequence, const struct around_options *options)
{
    bool has = false;

    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct sequence_item *item = &sequence->items[i];

        has |= item->edge != 0 && options->crosses;
        has |= item->edge >= EDGE_BEGIN &&
               (item->by_lines || item->edge != (options->backwards ? EDGE_BEGIN : EDGE_END));
    }
    return has ||
           ((options->line_ends[0] | options->line_ends[1]) >= 0x80 && !options->options->bytes);
}

enum trawl_status around_make(const struct sequence *sequence, const struct around_options *options,
                              struct places **scratch, struct around_automaton **out,
                              struct trawl_error *error)
{
    struct places *places = *scratch;
    uint64_t rows_bytes, cuts_bytes;
    void *memory;

    *out = NULL;
    if (sequence == NULL || has_unknown_edge(sequence, options))
        return TRAWL_OK;
    if (places == NULL) {
        TRAWL_TRY(memory_allocate(1, sizeof *places, &memory, error));
        *scratch = places = (struct places *)memory;
    }
    memset(places, 0, sizeof *places);
    places->sequence = sequence;
    places->options = options;
    places->symbol_count = ELSE + 1;
    places->automaton.users = 1;
    places->automaton.backwards = options->backwards;
    places->automaton.crosses = options->crosses;
    memcpy(places->automaton.line_ends, options->line_ends, 2);
    if (!write_out(places))
        return TRAWL_OK;
    number_symbols(places);
    fill_rows(places);
    note_last(places);
    TRAWL_ASSERT(places->symbol_count <= SYMBOLS && places->automaton.cut_count <= CUTS_MAX);
    places->automaton.state_count = places->state_count;
    rows_bytes = places->state_count * sizeof places->rows[0];
    cuts_bytes = places->automaton.cut_count * sizeof places->cuts[0];
    TRAWL_TRY(memory_allocate(1, sizeof **out + rows_bytes + cuts_bytes, &memory, error));
    *out = (struct around_automaton *)memory;
    **out = places->automaton;
    (*out)->cuts = (struct around_cut *)(void *)((*out)->rows + places->state_count);
    memcpy((*out)->rows, places->rows, (size_t)rows_bytes);
    memcpy((*out)->cuts, places->cuts, (size_t)cuts_bytes);
    return TRAWL_OK;
}

struct around_automaton *around_share(struct around_automaton *automaton)
{
    if (automaton != NULL)
        automaton->users++;
    return automaton;
}

void around_free(struct around_automaton *automaton)
{
    if (automaton != NULL && --automaton->users == 0)
        memory_release(automaton, 1,
                       sizeof *automaton + automaton->state_count * sizeof automaton->rows[0] +
                           automaton->cut_count * sizeof automaton->cuts[0]);
}

void around_release(struct places *scratch)
{
    memory_release(scratch, 1, sizeof *scratch);
}

/* Returns the symbol of the character that begins at *at, and moves *at behind the character. With
 * `back`, reads the character that ends at *at, and moves *at to the begin of the character. *near
 * is the cut of a character that was read before. */
static inline uint32_t read_one(const struct around_automaton *made, const uint8_t *bytes,
                                uint64_t *at, uint64_t count, bool back, uint32_t *near)
{
    const uint64_t left = back ? *at : count - *at;
    uint32_t symbol, low = 0, high = made->cut_count - 1, code;
    uint64_t taken = 1;

    if (left == 0)
        return made->crosses ? ELSE : END;
    symbol = made->of_byte[bytes[*at - back]];
    if (symbol == LONG && back) {
        while (taken < 4 && taken < left && (bytes[*at - taken] & 0xc0) == 0x80)
            taken++;
        if (plan_utf8_decode(bytes + *at - taken, taken, &code) != taken)
            taken = 0;
    } else if (symbol == LONG) {
        taken = plan_utf8_decode(bytes + *at, left, &code);
    }
    if (taken == 0) {
        taken = 1;
        symbol = ELSE;
    } else if (symbol == LONG) {
        if (code < made->cuts[*near].first || code >= made->cuts[*near + 1].first) {
            while (high - low > 1) { /* cuts[low].first <= code < cuts[high].first */
                const uint32_t middle = (low + high) / 2;

                if (code < made->cuts[middle].first)
                    high = middle;
                else
                    low = middle;
            }
            *near = low;
        }
        symbol = made->cuts[*near].symbol;
    }
    *at += back ? -taken : taken;
    return symbol;
}

/* Reads characters from *at on, or backwards, until the automaton decides or about `most` bytes are
 * read. Returns the state. */
static inline uint32_t run(const struct around_automaton *made, uint32_t state,
                           const uint8_t *bytes, uint64_t *at, uint64_t count, uint64_t most,
                           bool back)
{
    const uint64_t left = back ? *at : count - *at;
    const uint64_t stop = back ? *at - min_u64(left, most) : *at + min_u64(left, most);
    uint64_t here = *at;
    uint32_t near = 0;

    while (state > AROUND_ASKS && (back ? here > stop : here < stop)) {
        const struct around_row *row = &made->rows[state - AROUND_ASKS - 1];
        uint32_t symbol;

        do {
            symbol = made->of_byte[bytes[here - back]];
            if (symbol != LONG)
                here += back ? UINT64_MAX : 1;
            else
                symbol = read_one(made, bytes, &here, count, back, &near);
        } while ((row->stays >> symbol & 1) != 0 && (back ? here > stop : here < stop));
        state = row->next[symbol];
    }
    if (state > AROUND_ASKS && here == (back ? 0 : count))
        state = made->rows[state - AROUND_ASKS - 1].next[made->crosses ? ELSE : END];
    *at = here;
    return state;
}

/* Returns the made's first state, which depends on the character on the other side of the place
 * where reading begins. */
static uint32_t begin(const struct around_automaton *made, const uint8_t *bytes, uint64_t at,
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

/* Looks for the line's end in the next AROUND_BYTES + *spare bytes. Returns false if the end is
 * there and no match of the sequence can end with the byte before it. *spare is the number of bytes
 * that automata may still read; subtracts from it the bytes that the automaton could have read
 * meanwhile. */
static bool may_end(const struct around_automaton *made, const uint8_t *bytes, uint64_t end,
                    uint64_t count, uint64_t *spare)
{
    const uint64_t most = min_u64(count - end, AROUND_BYTES + *spare);
    const uint64_t found =
        bytes_find_either(bytes + end, most, made->line_ends[0], made->line_ends[1]);

    *spare -= min_u64(*spare, found / BYTES_PER_FIND);
    return found == 0 || (found == most && most < count - end) ||
           made->may_be_last[bytes[end + found - 1]];
}

struct around around_read(const struct around_automaton *before,
                          const struct around_automaton *after, const uint8_t *bytes, uint64_t at,
                          uint64_t end, uint64_t count, uint64_t *spare)
{
    struct around around = {begin(before, bytes, at, count), begin(after, bytes, end, count)};
    const uint64_t first = at, last = end;

    if (after != NULL && after->checks_last && !may_end(after, bytes, end, count, spare))
        around.after = AROUND_FAILS;
    /* Both sides are read in turns, because a mismatch on either side ends the reading. */
    for (uint64_t most = AROUND_BYTES;
         around.before != AROUND_FAILS && around.after != AROUND_FAILS;
         most = AROUND_BYTES + *spare) {
        around.after = run(after, around.after, bytes, &end, count, most, false);
        if (around.after != AROUND_FAILS)
            around.before = run(before, around.before, bytes, &at, count, most, true);
        if (most > AROUND_BYTES || *spare == 0 ||
            (around.before <= AROUND_ASKS && around.after <= AROUND_ASKS))
            break;
    }
    *spare -= min_u64(*spare, first - at + (end - last));
    around.before = around.before < AROUND_ASKS ? around.before : AROUND_ASKS;
    around.after = around.after < AROUND_ASKS ? around.after : AROUND_ASKS;
    return around;
}
