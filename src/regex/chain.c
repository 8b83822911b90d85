/* chain: makes the automaton that reads the characters beside a string (chain.h). A state of the
 * automaton is a set of places in the sequence that may come next (the subset construction). */
#include "regex/chain.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "regex/class_text.h"

/* limit for the places of a sequence: its characters and edges, with each repetition written out */
#define PLACES_MAX 31u
/* limit for states: making a state's row takes some 30 steps for each symbol */
#define STATES_MAX 200u
#define WORD (1u << 31)    /* bit of places.members: the character belongs to a word */
#define UNKNOWN (1u << 30) /* bit of places.members: only RE2 knows whether the character fits */
#define RANGES_MAX 1024u
#define PAGE_CODES 64u
/* no characters have these code points */
#define NO_CODES 0xd800u
#define NO_CODES_END 0xe000u
/* the search for a line end reads this many bytes while the automaton reads one */
#define BYTES_PER_FIND 16u

/* The sequence with its repetitions written out, as places. A machine word stands for a set of
 * places: it has a bit for each place that may come next, and bit `count` if the whole sequence has
 * been read. */
struct places {
    struct chain *chain;
    uint32_t count;
    /* indexed by place: how many places from this one on may be left out together, as in (ab)? */
    uint8_t skips[PLACES_MAX];
    uint32_t endless;              /* set of the places that may be read again, as in a* */
    uint8_t character[PLACES_MAX]; /* indexed by place: number of the sequence's character */
    /* indexed by place: the edge, as in split_character.edge; 0: a character */
    uint8_t edges[PLACES_MAX];
    uint32_t code_end; /* code points from here on are unknown to the chain */
    /* indexed by symbol: the value of `members` that all its code points share */
    uint32_t of_symbol[CHAIN_SYMBOLS];
    uint32_t symbol_count;
    uint32_t sets[STATES_MAX]; /* the set of places of each state */
    /* indexed by state: whether the character read last belongs to a word; false if the sequence
     * has no edges of words */
    bool lasts[STATES_MAX];
    struct chain_row rows[STATES_MAX];
    uint32_t state_count;
    uint32_t members_end; /* members from here on are 0 */
    /* indexed by code point: a bit for each of the sequence's characters that it may be */
    uint32_t members[CHAIN_CODES];
};

#define SCRATCH_BYTES (sizeof(struct places) + sizeof(struct chain))

/* Ranges of code points in which RE2 lists the characters of a class. The first range is
 * everything. If RE2 cannot list all characters, it lists those in the other ranges, and the chain
 * does not know characters outside these ranges: listing them would take RE2 longer than reading a
 * short text. If a text has few characters of three bytes, only the first two ranges are used. */
static const struct regex_range blocks[] = {{0, UINT32_MAX},  {0, 0x7ff},       {0x2000, 0x2fff},
                                            {0x3000, 0x9fff}, {0xac00, 0xd7ff}, {0xf000, 0xffff}};

static void set_bit(uint32_t first, uint32_t last, uint32_t bit, struct places *places)
{
    const uint32_t end = (uint32_t)min_u64((uint64_t)last + 1, places->code_end);

    for (uint32_t code = first; code < end; code++)
        places->members[code] |= bit;
    places->members_end = (uint32_t)max_u64(places->members_end, end);
}

/* Sets `bit` in places->members for each code point, or byte, for which the character of the
 * sequence may stand. Returns false if RE2 cannot list these. */
static bool ask(const struct expressions *made, const struct split_character *character,
                uint32_t bit, struct places *places)
{
    const uint32_t block_count = made->is_wide_text ? sizeof blocks / sizeof *blocks : 2;
    struct regex_range ranges[RANGES_MAX];
    struct regex_options options = made->options;

    options.fold = (character->node->flags & SYNTAX_FOLDS) != 0;
    options.dot_all = (character->node->flags & SYNTAX_DOT_ALL) != 0;
    for (uint32_t i = 0; i < block_count; i++) {
        const uint32_t count = made->ops->list(character->node, &options, blocks[i].first,
                                               blocks[i].last, ranges, RANGES_MAX);

        if (i > 0 && count == UINT32_MAX)
            return false;
        for (uint32_t k = 0; k < count && count != UINT32_MAX; k++)
            set_bit(ranges[k].first, ranges[k].last, bit, places);
        if (i == 0 && count != UINT32_MAX)
            return true;
        if (i > 1)
            set_bit(blocks[i - 1].last + 1, blocks[i].first - 1, UNKNOWN, places);
    }
    if (!made->is_wide_text)
        places->code_end = blocks[1].last + 1;
    return true;
}

/* Writes the sequence out as places. Returns false if there are too many places, or if RE2 cannot
 * list a character's code points. */
static bool write_out(const struct expressions *made, const struct split_sequence *sequence,
                      struct places *places)
{
    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct split_character *character = &sequence->items[i];
        const bool endless = character->most == SPLIT_ENDLESS;
        const uint32_t least = character->least;
        const uint64_t copies = endless ? (least > 0 ? least : 1) : character->most;

        if (copies > PLACES_MAX - places->count ||
            (character->edge == 0 && !ask(made, character, 1u << i, places)))
            return false;
        places->chain->has_edges |= character->edge != 0 && character->edge != SPLIT_LINE_EDGE;
        for (uint32_t copy = 0; copy < copies; copy++, places->count++) {
            places->character[places->count] = (uint8_t)i;
            places->edges[places->count] = character->edge;
            places->skips[places->count] = copy >= least ? 1 : character->skips;
            if (endless && copy + 1 == copies)
                places->endless |= 1u << places->count;
        }
    }
    return true;
}

/* Sets WORD for the code points that belong to words. Beyond ASCII, sets WORD only if the
 * expression has a program for copies of lines with marks (words.h), because other programs do not
 * know words beyond ASCII. */
static void mark_words(const struct expressions *made, uint32_t expression, struct places *places)
{
    const bool is_wide = made->marked != NULL && made->marked[expression] != NULL;
    const uint32_t codes = expressions_word_codes(made);

    for (uint32_t code = 0; code < 0x80; code++)
        if (class_is_word_byte((char)code))
            places->members[code] |= WORD;
    places->members_end = (uint32_t)max_u64(places->members_end, is_wide ? codes : 0x80);
    if (codes < places->code_end && !made->options.bytes)
        places->code_end = codes;
    if (!made->is_wide_text)
        set_bit(EXPRESSIONS_RARE, EXPRESSIONS_RARE_END - 1, UNKNOWN, places);
    for (uint32_t code = 0x80; is_wide && code < codes; code++)
        if ((places->members[code] & UNKNOWN) == 0 &&
            (made->word_codes[code / 64] >> code % 64 & 1) != 0)
            places->members[code] |= WORD;
}

static uint8_t symbol_of(struct places *places, uint32_t members)
{
    uint32_t i = CHAIN_ELSE + 1;

    while (i < places->symbol_count && places->of_symbol[i] != members)
        i++;
    if ((members & UNKNOWN) != 0 || i == CHAIN_SYMBOLS)
        return CHAIN_ELSE;
    if (i == places->symbol_count) {
        places->of_symbol[places->symbol_count++] = members;
        if ((members & WORD) != 0)
            places->chain->words |= UINT64_C(1) << i;
    }
    return (uint8_t)i;
}

/* Gives each code point a symbol: code points with the same members share one. ASCII characters, or
 * bytes, come first. */
static void number_symbols(const struct expressions *made, struct places *places)
{
    const struct trawl_plan *plan = made->plan;
    struct chain *chain = places->chain;
    const uint32_t *members = places->members;
    uint32_t page_count = 1;

    memset(chain->pages[0], CHAIN_ELSE, PAGE_CODES);
    for (uint32_t byte = 0; byte < 256; byte++)
        chain->of_byte[byte] =
            byte < 0x80 || made->options.bytes ? symbol_of(places, members[byte]) : CHAIN_LONG;
    if (!chain->multi)
        chain->of_byte[plan->line_end] = chain->of_byte[plan->line_end_also] = CHAIN_END;
    if ((plan->flags & TRAWL_CRLF) != 0)
        chain->of_byte['\r'] = CHAIN_ELSE; /* RE2 reads a CR, which may belong to a line end */
    for (uint32_t page = 2; page < places->code_end / PAGE_CODES && !made->options.bytes; page++) {
        const uint32_t *here = members + page * PAGE_CODES;
        uint8_t *to = chain->pages[page_count];
        uint32_t same = 0;
        const bool is_gap = page >= NO_CODES / PAGE_CODES && page < NO_CODES_END / PAGE_CODES;

        chain->page_of[page] = is_gap ? 0 : chain->page_of[page - 1]; /* page 0: RE2 decides */
        if (is_gap || (page > 2 && page != NO_CODES_END / PAGE_CODES &&
                       ((page - 1) * PAGE_CODES >= places->members_end ||
                        memcmp(here, here - PAGE_CODES, PAGE_CODES * sizeof *here) == 0)))
            continue;
        for (uint32_t i = 0; i < PAGE_CODES; i++)
            to[i] = symbol_of(places, here[i]);
        while (memcmp(chain->pages[same], to, PAGE_CODES) != 0)
            same++;
        page_count += same == page_count && page_count < CHAIN_PAGES;
        chain->page_of[page] = (uint8_t)(same < CHAIN_PAGES ? same : 0);
    }
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
 * belongs to a word if `last`. Adds the state if there is none yet. Returns CHAIN_FAILS if no place
 * is left, CHAIN_MATCHES if the whole sequence is read, and CHAIN_ASKS if there are too many
 * states. */
static uint8_t state_of(struct places *places, uint32_t set, bool last)
{
    uint32_t i = 0;

    last &= places->chain->has_edges;
    if (set == 0)
        return CHAIN_FAILS;
    if ((set >> places->count & 1) != 0)
        return CHAIN_MATCHES;
    while (i < places->state_count && (places->sets[i] != set || places->lasts[i] != last))
        i++;
    if (i == STATES_MAX)
        return CHAIN_ASKS;
    if (i == places->state_count) {
        places->lasts[i] = last;
        places->sets[places->state_count++] = set;
    }
    return (uint8_t)(CHAIN_ASKS + 1 + i);
}

/* Returns true if the edge stands between the character that was read last and the next symbol.
 * `last` says whether the character that was read last belongs to a word. */
static bool holds(const struct places *places, uint32_t edge, bool last, uint32_t symbol)
{
    const uint32_t next = places->chain->words >> symbol & 1;

    if (edge == SPLIT_LINE_EDGE)
        return symbol == CHAIN_END;
    return (edge >> (places->chain->backwards ? next + 2 * last : last + 2 * next) & 1) != 0;
}

/* Returns the state that follows `state` after a character with this symbol. */
static uint8_t follow(struct places *places, uint32_t state, uint32_t symbol)
{
    uint32_t from = places->sets[state], set = 0;

    if (symbol == CHAIN_ELSE)
        return CHAIN_ASKS;
    for (uint32_t place = 0; place < places->count; place++) {
        if ((from >> place & 1) == 0)
            continue;
        if (places->edges[place] != 0) {
            if (holds(places, places->edges[place], places->lasts[state], symbol))
                from |= reach(places, place + 1);
        } else if (symbol != CHAIN_END &&
                   (places->of_symbol[symbol] >> places->character[place] & 1) != 0) {
            set |= reach(places, place + 1);
            if ((places->endless >> place & 1) != 0)
                set |= reach(places, place);
        }
    }
    if ((from >> places->count & 1) != 0)
        return CHAIN_MATCHES;
    return state_of(places, set, (places->chain->words >> symbol & 1) != 0);
}

/* Fills the rows of all states. This adds states, whose rows are filled in turn. */
static void fill_rows(struct places *places)
{
    for (uint32_t last = 0; last < 2; last++)
        places->chain->first[last] = state_of(places, reach(places, 0), last != 0);
    for (uint32_t state = 0; state < places->state_count; state++)
        for (uint32_t symbol = 0; symbol < places->symbol_count; symbol++) {
            const uint8_t next = follow(places, state, symbol);

            places->rows[state].next[symbol] = next;
            if (next == CHAIN_ASKS + 1 + state)
                places->rows[state].stays |= UINT64_C(1) << symbol;
        }
}

/* Sets chain->checks_last if the sequence allows the check. Then also notes with which bytes a line
 * may end if a match of the sequence ends with the line. */
static void note_last(const struct expressions *made, const struct split_sequence *sequence,
                      const struct places *places)
{
    const struct trawl_plan *plan = made->plan;
    const uint32_t last = sequence->count - 2;
    struct chain *chain = places->chain;

    for (uint32_t i = 0; i < sequence->count; i++)
        if (sequence->items[i].skips > 0)
            return;
    if (sequence->count < 3 || chain->backwards || chain->multi ||
        (plan->flags & TRAWL_CRLF) != 0 || places->endless == 0 ||
        sequence->items[last + 1].edge != SPLIT_LINE_EDGE || sequence->items[last].edge != 0 ||
        sequence->items[last].least == 0)
        return;
    chain->checks_last = true;
    chain->line_ends[0] = plan->line_end;
    chain->line_ends[1] = plan->line_end_also;
    for (uint32_t byte = 0; byte < 256; byte++)
        chain->may_be_last[byte] = chain->of_byte[byte] == CHAIN_LONG ||
                                   chain->of_byte[byte] == CHAIN_ELSE ||
                                   (places->members[byte] >> last & 1) != 0;
}

/* Returns true if the sequence has an edge about which the chain cannot decide. */
static bool has_unknown_edge(const struct expressions *made, uint32_t expression,
                             const struct split_sequence *sequence)
{
    const bool is_beyond = made->beyond != NULL && made->beyond[expression] != NULL;
    bool has = false;

    for (uint32_t i = 0; i < sequence->count; i++)
        has |=
            sequence->items[i].edge != 0 &&
            (expressions_cross(made) || (is_beyond && sequence->items[i].edge != SPLIT_LINE_EDGE));
    return has ||
           ((made->plan->line_end | made->plan->line_end_also) >= 0x80 && !made->options.bytes);
}

/* Makes *scratch, or clears it. Most sequences set few of the members, and clearing all of them
 * took 40 % of the time of making a chain. */
static enum trawl_status take_scratch(struct places **scratch, struct trawl_error *error)
{
    struct places *places = *scratch;
    void *memory;

    if (places == NULL) {
        TRAWL_TRY(memory_allocate_zeroed(1, SCRATCH_BYTES, &memory, error));
        *scratch = (struct places *)memory;
        return TRAWL_OK;
    }
    memset(places->members, 0, places->members_end * sizeof places->members[0]);
    memset(places, 0, offsetof(struct places, members));
    memset(places + 1, 0, sizeof(struct chain));
    return TRAWL_OK;
}

void chain_release(struct places *scratch)
{
    memory_release(scratch, 1, SCRATCH_BYTES);
}

enum trawl_status chain_make(const struct expressions *made, uint32_t expression,
                             const struct split_sequence *sequence, bool backwards,
                             struct places **scratch, struct chain **out, struct trawl_error *error)
{
    struct places *places;
    struct chain *chain;
    uint64_t rows_bytes;
    void *memory;

    *out = NULL;
    if (sequence == NULL || has_unknown_edge(made, expression, sequence))
        return TRAWL_OK;
    TRAWL_TRY(take_scratch(scratch, error));
    places = *scratch;
    chain = places->chain = (struct chain *)(places + 1);
    chain->backwards = backwards;
    chain->multi = expressions_cross(made);
    places->symbol_count = CHAIN_ELSE + 1;
    places->code_end = CHAIN_CODES;
    if (!write_out(made, sequence, places))
        return TRAWL_OK;
    if (chain->has_edges)
        mark_words(made, expression, places);
    number_symbols(made, places);
    fill_rows(places);
    note_last(made, sequence, places);
    chain->state_count = places->state_count;
    rows_bytes = places->state_count * sizeof places->rows[0];
    TRAWL_TRY(memory_allocate(1, sizeof *chain + rows_bytes, &memory, error));
    *out = (struct chain *)memory;
    **out = *chain;
    memcpy((*out)->rows, places->rows, (size_t)rows_bytes);
    return TRAWL_OK;
}

void chain_free(struct chain *chain)
{
    if (chain != NULL)
        memory_release(chain, 1, sizeof *chain + chain->state_count * sizeof chain->rows[0]);
}

static bool is_more(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Returns the symbol of the character at `at`, which has `count` bytes: two or three. */
static inline uint32_t long_symbol(const struct chain *chain, const uint8_t *at, uint32_t count)
{
    const uint32_t page = count == 2 ? at[0] & 0x1fu : (at[0] & 0xfu) << 6 | (at[1] & 0x3fu);

    if ((at[0] & (count == 2 ? 0xe0 : 0xf0)) != (count == 2 ? 0xc0 : 0xe0) ||
        !is_more(at[count - 1]) || (count == 3 && (!is_more(at[1]) || page < 0x800 / PAGE_CODES)))
        return CHAIN_ELSE; /* an invalid character, or a longer encoding than the character needs */
    return chain->pages[chain->page_of[page]][at[count - 1] % PAGE_CODES];
}

/* Returns the symbol of the character that begins at *at, and moves *at behind the character. With
 * `back`, reads the character that ends at *at, and moves *at to the begin of the character. */
static inline uint32_t read_one(const struct chain *chain, const uint8_t *bytes, uint64_t *at,
                                uint64_t count, bool back)
{
    const uint64_t left = back ? *at : count - *at;
    const uint8_t *here = bytes + *at - back;
    uint32_t symbol, taken;

    if (left == 0)
        return chain->multi ? CHAIN_ELSE : CHAIN_END;
    symbol = chain->of_byte[*here];
    taken = symbol != CHAIN_LONG                                     ? 1
            : (back ? left > 1 && is_more(here[-1]) : *here >= 0xe0) ? 3
                                                                     : 2;
    if (taken > left) {
        taken = 1;
        symbol = CHAIN_ELSE;
    } else if (taken > 1) {
        here -= back ? taken - 1 : 0;
        symbol = taken == 2 ? long_symbol(chain, here, 2) : long_symbol(chain, here, 3);
    }
    *at += back ? -(uint64_t)taken : taken;
    return symbol;
}

/* Reads characters from *at on, or backwards, until the automaton decides or about `most` bytes are
 * read. Returns the state. */
static inline uint32_t run(const struct chain *chain, uint32_t state, const uint8_t *bytes,
                           uint64_t *at, uint64_t count, uint64_t most, bool back)
{
    const uint64_t left = back ? *at : count - *at;
    const uint64_t stop = back ? *at - min_u64(left, most) : *at + min_u64(left, most);
    uint64_t here = *at;

    while (state > CHAIN_ASKS && (back ? here > stop : here < stop)) {
        const struct chain_row *row = &chain->rows[state - CHAIN_ASKS - 1];
        uint32_t symbol;

        do {
            symbol = chain->of_byte[bytes[here - back]];
            if (symbol != CHAIN_LONG)
                here += back ? UINT64_MAX : 1;
            else
                symbol = read_one(chain, bytes, &here, count, back);
        } while ((row->stays >> symbol & 1) != 0 && (back ? here > stop : here < stop));
        state = row->next[symbol];
    }
    if (state > CHAIN_ASKS && here == (back ? 0 : count))
        state = chain->rows[state - CHAIN_ASKS - 1].next[chain->multi ? CHAIN_ELSE : CHAIN_END];
    *at = here;
    return state;
}

/* Returns the chain's first state, which depends on the character on the other side of the place
 * where reading begins. */
static uint32_t begin(const struct chain *chain, const uint8_t *bytes, uint64_t at, uint64_t count)
{
    uint32_t symbol;

    if (chain == NULL)
        return CHAIN_ASKS;
    if (!chain->has_edges)
        return chain->first[0];
    symbol = read_one(chain, bytes, &at, count, !chain->backwards);
    return symbol == CHAIN_ELSE ? CHAIN_ASKS : chain->first[chain->words >> symbol & 1];
}

/* Looks for the line's end in the next CHAIN_BYTES + *spare bytes. Returns false if the end is
 * there and no match of the sequence can end with the byte before it. *spare is the number of bytes
 * that chains may still read; subtracts from it the bytes that the automaton could have read
 * meanwhile. */
static bool may_end(const struct chain *chain, const uint8_t *bytes, uint64_t end, uint64_t count,
                    uint64_t *spare)
{
    const uint64_t most = min_u64(count - end, CHAIN_BYTES + *spare);
    const uint64_t found =
        bytes_find_either(bytes + end, most, chain->line_ends[0], chain->line_ends[1]);

    *spare -= min_u64(*spare, found / BYTES_PER_FIND);
    return found == 0 || (found == most && most < count - end) ||
           chain->may_be_last[bytes[end + found - 1]];
}

struct around chain_read(const struct chain *before, const struct chain *after,
                         const uint8_t *bytes, uint64_t at, uint64_t end, uint64_t count,
                         uint64_t *spare)
{
    struct around around = {begin(before, bytes, at, count), begin(after, bytes, end, count)};
    const uint64_t first = at, last = end;

    if (after != NULL && after->checks_last && !may_end(after, bytes, end, count, spare))
        around.after = CHAIN_FAILS;
    /* Both sides are read in turns, because a mismatch on either side ends the reading. */
    for (uint64_t most = CHAIN_BYTES; around.before != CHAIN_FAILS && around.after != CHAIN_FAILS;
         most = CHAIN_BYTES + *spare) {
        around.after = run(after, around.after, bytes, &end, count, most, false);
        if (around.after != CHAIN_FAILS)
            around.before = run(before, around.before, bytes, &at, count, most, true);
        if (most > CHAIN_BYTES || *spare == 0 ||
            (around.before <= CHAIN_ASKS && around.after <= CHAIN_ASKS))
            break;
    }
    *spare -= min_u64(*spare, first - at + (end - last));
    around.before = around.before < CHAIN_ASKS ? around.before : CHAIN_ASKS;
    around.after = around.after < CHAIN_ASKS ? around.after : CHAIN_ASKS;
    return around;
}
