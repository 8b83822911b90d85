/* sequence_make: builds the automaton of a sequence (sequence_automaton.h). */
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/sequence_automaton.h"
#include "regex/syntax/sets.h"

/* limit for the ranges of characters that behave alike; it cannot decide about characters
 * after the last range */
#define CUTS_MAX 2048u
/* limit for the places of a sequence: its characters and assertions, with all repetitions written
 * out */
#define PLACES_MAX 62u
/* limit for states: making a state's row takes about 30 steps per symbol */
#define STATES_MAX 200u
#define WORD (UINT64_C(1) << 63) /* bit of `members`: the character belongs to a word */

/* Places that may come next, the preferred ones first. Place `places.count` means that the whole
 * sequence has been read. */
struct next_places {
    uint8_t count;
    uint8_t items[PLACES_MAX + 1];
    uint64_t set; /* a bit for each place */
};

/* The sequence with its repetitions written out, as places. */
struct places {
    const struct sequence *sequence;
    const struct around_options *options;
    uint32_t count;
    /* for each place: how many places, beginning with it, are optional together, as in (ab)? */
    uint8_t skips[PLACES_MAX];
    uint8_t jumps[PLACES_MAX]; /* for each place: how many places after it are skipped */
    uint64_t endless;          /* a bit for each place that may be read again, as in a* */
    uint8_t item[PLACES_MAX];  /* for each place: number of the sequence's item */
    uint32_t
        ranges[SEQUENCE_MAX]; /* for each item: the first of its ranges that has not been passed */
    uint32_t word_range;
    uint32_t symbol_count;
    struct around_cut cuts[CUTS_MAX];
    struct next_places lists[STATES_MAX];
    /* for each state: the last character that was read belongs to a word; false if the sequence has
     * no word boundaries */
    bool lasts[STATES_MAX];
    uint32_t state_count;
    struct around_row rows[STATES_MAX];
    struct around_automaton automaton; /* the automaton, without its rows */
};

/* Writes the sequence out as places. Returns false if these are too many. */
static bool write_out(struct places *places)
{
    for (uint32_t i = places->options->first; i < places->sequence->count; i++) {
        const struct sequence_item *item = &places->sequence->items[i];
        const bool endless = item->max == SYNTAX_ENDLESS;
        const uint64_t min = item->min;
        const uint64_t copies = endless ? max_u64(min, 1) : item->max;

        if (copies > PLACES_MAX - places->count)
            return false;
        places->automaton.has_edges |= item->edge != 0 && item->edge < EDGE_BEGIN;
        for (uint64_t copy = 0; copy < copies; copy++, places->count++) {
            places->item[places->count] = (uint8_t)i;
            places->skips[places->count] = copy >= min ? (uint8_t)(copies - copy) : item->skips;
            places->jumps[places->count] = item->jumps;
            if (endless && copy + 1 == copies)
                places->endless |= UINT64_C(1) << places->count;
        }
    }
    return true;
}

/* Returns true if the ranges contain `code`. Lowers *end to the last code point up to which the
 * result is the same. Codes must ascend from call to call: *at is the first range that ends at or
 * after the last code. */
static bool is_in(const struct code_range *ranges, uint32_t count, uint32_t *at, uint32_t code,
                  uint32_t *end)
{
    bool holds;

    while (*at < count && ranges[*at].last < code)
        ++*at;
    holds = *at < count && ranges[*at].first <= code;
    if (*at < count)
        *end = (uint32_t)min_u64(*end, holds ? ranges[*at].last : ranges[*at].first - 1);
    return holds;
}

/* Returns a bit for each item of the sequence that the character may be, and WORD if it belongs to
 * a word. Lowers *end to the last code point up to which the result is the same. */
static uint64_t members_of(struct places *places, uint32_t code, uint32_t *end)
{
    const struct around_words *words = places->options->words;
    uint64_t members = 0;

    for (uint32_t i = places->options->first; i < places->sequence->count; i++) {
        const struct syntax_node *node = places->sequence->items[i].node;

        if (node != NULL && is_in(node->set, node->set_count, &places->ranges[i], code, end))
            members |= UINT64_C(1) << i;
    }
    if (places->automaton.has_edges &&
        (code < 0x80
             ? class_is_word_byte((char)code)
             : words != NULL && is_in(words->ranges, words->count, &places->word_range, code, end)))
        members |= WORD;
    return members;
}

static uint8_t symbol_of(struct places *places, uint64_t members)
{
    uint32_t i = ELSE + 1;

    while (i < places->symbol_count && places->automaton.members[i] != members)
        i++;
    if (i == SYMBOLS)
        return ELSE;
    if (i == places->symbol_count) {
        places->automaton.members[places->symbol_count++] = members;
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

/* Assigns symbols to the non-ASCII characters. */
static void number_cuts(struct places *places)
{
    const struct around_words *words = places->options->words;
    const uint32_t end = places->automaton.has_edges && words != NULL ? words->end : SETS_LAST + 1;
    uint32_t code = 0x80;

    while (code < end && places->automaton.cut_count < CUTS_MAX - 2) {
        uint32_t last = end - 1;
        const uint64_t members = members_of(places, code, &last);

        add_cut(places, code, symbol_of(places, members));
        for (uint32_t two = code; two <= last && two < 0x800; two++)
            places->automaton.of_two[two] =
                (uint8_t)places->cuts[places->automaton.cut_count - 1].symbol;
        code = last + 1;
    }
    if (code <= SETS_LAST)
        add_cut(places, code, ELSE);
    for (; code < 0x800; code++)
        places->automaton.of_two[code] = ELSE;
    add_cut(places, SETS_LAST + 1, ELSE);
}

/* Assigns a symbol to each character. ASCII characters, or bytes, come first. */
static void number_symbols(struct places *places)
{
    const struct around_options *options = places->options;
    struct around_automaton *made = &places->automaton;
    const bool bytes = options->bytes;
    uint32_t unused = 0;

    for (uint32_t byte = 0; byte < 256; byte++)
        made->of_byte[byte] =
            byte < 0x80 || bytes ? symbol_of(places, members_of(places, byte, &unused)) : LONG;
    if (options->has_lines)
        made->of_byte[options->line_ends[0]] = made->of_byte[options->line_ends[1]] = END;
    if (options->crlf)
        made->of_byte['\r'] = ELSE;
    if (!bytes)
        number_cuts(places);
    made->unknown = made->has_edges ? ELSE : symbol_of(places, 0);
}

/* Adds `place` to the list and, if it is optional, the place after what it skips, in order of
 * preference. Adds nothing once the list has the end of the sequence, which a match then
 * prefers. */
static void reach(const struct places *places, struct next_places *list, uint32_t place)
{
    const bool longest = places->options->longest;
    bool skips, is_lazy;

    if ((list->set >> place & 1) != 0 || (!longest && (list->set >> places->count & 1) != 0))
        return;
    skips = place < places->count && places->skips[place] > 0;
    is_lazy = skips && places->sequence->items[places->item[place]].is_lazy;
    list->set |= UINT64_C(1) << place;
    if (is_lazy)
        reach(places, list, place + places->skips[place]);
    if (!is_lazy || longest || (list->set >> places->count & 1) == 0)
        list->items[list->count++] = (uint8_t)place;
    if (skips && !is_lazy)
        reach(places, list, place + places->skips[place]);
}

/* Returns the number of the state with this list of places, in which the last character that was
 * read belongs to a word if `last`. Adds the state if it is new. Returns AROUND_FAILS if no place
 * is left, and AROUND_ASKS if there are too many states. */
static uint8_t state_of(struct places *places, struct next_places *list, bool last)
{
    uint32_t i = 0;

    last &= places->automaton.has_edges;
    if (list->count == 0)
        return AROUND_FAILS;
    if (places->options->longest) /* the order does not matter */
        for (uint32_t place = list->count = 0; place <= places->count; place++)
            if ((list->set >> place & 1) != 0)
                list->items[list->count++] = (uint8_t)place;
    while (i < places->state_count &&
           (places->lists[i].count != list->count || places->lasts[i] != last ||
            memcmp(places->lists[i].items, list->items, list->count) != 0))
        i++;
    if (i == STATES_MAX)
        return AROUND_ASKS;
    if (i == places->state_count) {
        places->lasts[i] = last;
        places->rows[i].matches = (list->set >> places->count & 1) == 0 ? 0
                                  : list->items[0] == places->count     ? 2
                                                                        : 1;
        places->lists[places->state_count++] = *list;
    }
    return (uint8_t)(AROUND_ASKS + 1 + i);
}

/* Returns true if the word boundary is between the last character, which belongs to a word if
 * `last`, and the next symbol. */
static bool edge_holds(const struct places *places, uint32_t edge, bool last, uint32_t symbol)
{
    const uint32_t next = places->automaton.words >> symbol & 1;

    if (edge >= EDGE_BEGIN)
        return symbol == END;
    return (edge >> (places->automaton.backwards ? next + 2 * last : last + 2 * next) & 1) != 0;
}

/* What comes after a state and a character. */
struct follow {
    struct places *places;
    uint32_t state;
    uint32_t symbol;
    uint64_t visited;        /* a bit for each place that has been visited */
    struct next_places next; /* the places after the character */
    bool accepts;            /* the whole sequence may have been read before the character */
    bool is_over;            /* it may, and no other place is preferred to that */
};

static void visit_place(struct follow *follow, uint32_t place)
{
    struct places *places = follow->places;
    const bool is_end = place == places->count;
    const uint32_t item = is_end ? 0 : places->item[place];
    const struct sequence_item *what = &places->sequence->items[item];
    struct next_places beyond = {.count = 0};

    if (follow->is_over || (follow->visited >> place & 1) != 0)
        return;
    follow->visited |= UINT64_C(1) << place;
    if (is_end) {
        follow->accepts = true;
        follow->is_over = !places->options->longest;
    } else if (what->edge != 0) {
        if (edge_holds(places, what->edge, places->lasts[follow->state], follow->symbol))
            reach(places, &beyond, place + 1);
        for (uint32_t i = 0; i < beyond.count; i++)
            visit_place(follow, beyond.items[i]);
    } else if (follow->symbol != END &&
               (places->automaton.members[follow->symbol] >> item & 1) != 0) {
        if (what->is_lazy)
            reach(places, &follow->next, place + 1);
        if ((places->endless >> place & 1) != 0)
            reach(places, &follow->next, place);
        reach(places, &follow->next, place + 1 + places->jumps[place]);
    }
}

/* Returns the state that follows `state` after a character with this symbol. Also records, in the
 * row of `state`, whether the whole sequence may have been read before this character. */
static uint8_t next_state(struct places *places, uint32_t state, uint32_t symbol)
{
    struct follow follow = {.places = places, .state = state, .symbol = symbol};
    const struct next_places list = places->lists[state];

    if (symbol == ELSE) {
        follow.accepts = list.items[0] == places->count;
    } else {
        for (uint32_t i = 0; i < list.count; i++)
            visit_place(&follow, list.items[i]);
    }
    if (follow.accepts)
        places->rows[state].accepts |= UINT64_C(1) << symbol;
    if (symbol == ELSE && (!follow.accepts || list.count > 1))
        return AROUND_ASKS;
    return state_of(places, &follow.next, (places->automaton.words >> symbol & 1) != 0);
}

/* Fills the rows of all states, including states that are added meanwhile. */
static void fill_rows(struct places *places)
{
    for (uint32_t last = 0; last < 2; last++) {
        struct next_places list = {.count = 0};

        reach(places, &list, 0);
        places->automaton.first[last] = state_of(places, &list, last != 0);
    }
    for (uint32_t state = 0; state < places->state_count; state++)
        for (uint32_t symbol = 0; symbol < places->symbol_count; symbol++) {
            const uint8_t next = next_state(places, state, symbol);

            places->rows[state].next[symbol] = next;
            if (next == AROUND_ASKS + 1 + state &&
                (places->rows[state].matches || (places->rows[state].accepts >> symbol & 1) == 0))
                places->rows[state].stays |= UINT64_C(1) << symbol;
        }
}

/* Returns true if the sequence has an assertion that the automaton cannot decide. */
static bool has_unknown_edge(const struct sequence *sequence, const struct around_options *options)
{
    bool has = false;

    for (uint32_t i = options->first; i < sequence->count; i++) {
        const struct sequence_item *item = &sequence->items[i];

        has |= item->edge != 0 && options->crosses;
        has |= item->edge >= EDGE_BEGIN &&
               (item->by_lines || item->edge != (options->backwards ? EDGE_BEGIN : EDGE_END));
    }
    return has || ((options->line_ends[0] | options->line_ends[1]) >= 0x80 && !options->bytes);
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
    places->automaton.is_cut = sequence->is_cut;
    if (!write_out(places))
        return TRAWL_OK;
    number_symbols(places);
    if (!options->is_alphabet)
        fill_rows(places);
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
