/* chain: makes the automaton of a sequence, by the subset construction. regex_ops.list says
 * which code points each character of the sequence may be. */
#include "regex/chain.h"

#include <string.h>

#include "base/memory.h"

#define PLACES_MAX 31u /* characters of a sequence, repetitions written out */
/* rows of an automaton, and how many of them are sets of places: the row of a set takes some 2,000
 * steps for each place */
#define ROWS_MAX 240u
#define SETS_MAX 48u

/* The sequence with its repetitions written out. Sets of places are words: a bit for each place
 * whose character may come next, and bit `count` where the whole sequence has been read. */
struct places {
    uint32_t count;
    bool is_whole;  /* as in struct split_sequence */
    bool bytes;     /* each byte is a character */
    bool backwards; /* the last byte of a character is read first */
    bool multi;     /* as in struct chain */
    uint8_t line_ends[2];
    uint32_t optional;             /* places that may be left out */
    uint32_t endless;              /* places that may be read again */
    uint8_t character[PLACES_MAX]; /* index into codes */
    /* a bit for each code point, or byte, that the character may be */
    uint64_t codes[SPLIT_SEQUENCE_MAX][CHAIN_CODES / 64];
    /* Rows of the automaton. sets[i]: the set of places of row i; 0: row i is read within a
     * character. */
    uint32_t sets[ROWS_MAX];
    uint8_t next[ROWS_MAX][256];
    uint32_t row_count;
    uint32_t set_count; /* rows that are sets of places */
};

/* Sets the bits of the code points, or of the bytes, that the character may be. Returns false if
 * they are not known. */
static bool ask(const struct expressions *made, const struct split_character *character,
                uint64_t *bits)
{
    struct regex_range ranges[CHAIN_CODES / 2];
    struct regex_options options = made->options;
    uint32_t count;

    options.fold = character->fold;
    options.dot_all = character->dot_all;
    count = made->ops->list(character->bytes, character->count, &options, CHAIN_CODES - 1, ranges,
                            CHAIN_CODES / 2);
    for (uint32_t i = 0; count != UINT32_MAX && i < count; i++)
        for (uint32_t code = ranges[i].first; code <= ranges[i].last; code++)
            bits[code / 64] |= UINT64_C(1) << code % 64;
    return count != UINT32_MAX;
}

/* Writes out the sequence. Returns false if the sequence is too long, or a character's code points
 * are not known. */
static bool write_out(const struct expressions *made, const struct split_sequence *sequence,
                      struct places *places)
{
    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct split_character *character = &sequence->items[i];
        const bool endless = character->most == SPLIT_ENDLESS;
        const uint32_t least = character->least;
        const uint64_t copies = endless ? (least > 0 ? least : 1) : character->most;

        if (copies > PLACES_MAX - places->count || !ask(made, character, places->codes[i]))
            return false;
        for (uint32_t copy = 0; copy < copies; copy++, places->count++) {
            places->character[places->count] = (uint8_t)i;
            if (copy >= least)
                places->optional |= 1u << places->count;
            if (endless && copy + 1 == copies)
                places->endless |= 1u << places->count;
        }
    }
    return true;
}

/* Returns the place, with the places that may come next because places before may be left out. */
static uint32_t reach(const struct places *places, uint32_t place)
{
    uint32_t set = 1u << place;

    for (; place < places->count && (places->optional >> place & 1) != 0; place++)
        set |= 2u << place;
    return set;
}

/* Returns the set of places after a character with this code point. */
static uint32_t follow(const struct places *places, uint32_t from, uint32_t code)
{
    uint32_t set = 0;

    for (uint32_t place = 0; place < places->count; place++) {
        const uint64_t *codes = places->codes[places->character[place]];

        if ((from >> place & 1) == 0 || (codes[code / 64] >> code % 64 & 1) == 0)
            continue;
        set |= reach(places, place + 1);
        if ((places->endless >> place & 1) != 0)
            set |= reach(places, place);
    }
    return set;
}

/* Returns the number of the state with this set of places; CHAIN_ASKS if there are too many. */
static uint8_t state_of(struct places *places, uint32_t set)
{
    uint32_t i = 0;

    if (set == 0)
        return CHAIN_FAILS;
    if ((set >> places->count & 1) != 0 && !places->is_whole)
        return CHAIN_MATCHES;
    while (i < places->row_count && places->sets[i] != set)
        i++;
    if (i == places->row_count) {
        if (places->set_count == SETS_MAX)
            return CHAIN_ASKS;
        places->set_count++;
        places->sets[places->row_count++] = set;
    }
    return (uint8_t)(CHAIN_ASKS + 1 + i);
}

/* Returns the number of the state between the bytes of a character of two bytes, of which `byte`
 * was read; CHAIN_ASKS if there are too many states. */
static uint8_t state_within(struct places *places, uint32_t set, uint32_t byte)
{
    static const uint8_t fails[256];
    uint8_t next[256] = {0};
    const uint32_t first = places->backwards ? 0xc2 : 0x80, end = places->backwards ? 0xe0 : 0xc0;
    uint32_t i = 0;

    for (uint32_t other = first; other < end; other++) {
        const uint32_t lead = places->backwards ? other : byte,
                       last = places->backwards ? byte : other;

        next[other] = state_of(places, follow(places, set, (lead & 0x1f) << 6 | (last & 0x3f)));
    }
    if (places->backwards)
        memset(next + 0x80, CHAIN_ASKS, 0x40); /* a character of three or four bytes */
    if (!places->multi)
        next[places->line_ends[0]] = next[places->line_ends[1]] = CHAIN_FAILS;
    if (memcmp(next, fails, sizeof next) == 0)
        return CHAIN_FAILS;
    while (i < places->row_count &&
           (places->sets[i] != 0 || memcmp(places->next[i], next, sizeof next) != 0))
        i++;
    if (i >= ROWS_MAX - SETS_MAX)
        return CHAIN_ASKS;
    if (i == places->row_count) {
        memcpy(places->next[i], next, sizeof next);
        places->sets[places->row_count++] = 0;
    }
    return (uint8_t)(CHAIN_ASKS + 1 + i);
}

/* Fills the row of a set of places, which may add rows. */
static void fill_row(struct places *places, uint32_t row, bool crlf)
{
    const uint32_t set = places->sets[row];
    uint8_t *next = places->next[row];

    for (uint32_t byte = 0; byte < 256; byte++)
        if (byte < 0x80 || places->bytes)
            next[byte] = state_of(places, follow(places, set, byte));
        else if (places->backwards ? byte < 0xc0 : byte >= 0xc2 && byte < 0xe0)
            next[byte] = state_within(places, set, byte);
        else
            next[byte] = places->backwards || byte < 0xc2 ? CHAIN_FAILS : CHAIN_ASKS;
    if (crlf)
        next['\r'] = CHAIN_ASKS; /* which may belong to a line end */
    if (!places->multi)
        next[places->line_ends[0]] = next[places->line_ends[1]] =
            (set >> places->count & 1) != 0 ? CHAIN_MATCHES : CHAIN_FAILS;
}

enum trawl_status chain_make(const struct expressions *made, const struct split_sequence *sequence,
                             bool backwards, struct chain **chain, struct trawl_error *error)
{
    const struct trawl_plan *plan = made->plan;
    struct places *places;
    uint64_t rows_bytes;
    enum trawl_status status = TRAWL_OK;
    uint8_t first;
    void *memory;

    *chain = NULL;
    if (sequence == NULL)
        return TRAWL_OK;
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *places, &memory, error));
    places = (struct places *)memory;
    places->is_whole = sequence->is_whole;
    places->bytes = made->options.bytes;
    places->backwards = backwards;
    places->multi = expressions_cross(made);
    places->line_ends[0] = plan->line_end;
    places->line_ends[1] = plan->line_end_also;
    if (!write_out(made, sequence, places))
        goto done;
    first = state_of(places, reach(places, 0));
    for (uint32_t row = 0; row < places->row_count; row++)
        if (places->sets[row] != 0)
            fill_row(places, row, (plan->flags & TRAWL_CRLF) != 0);
    rows_bytes = places->row_count * sizeof places->next[0];
    TRAWL_TRY_DONE(memory_allocate(1, sizeof **chain + rows_bytes, &memory, error));
    *chain = (struct chain *)memory;
    (*chain)->first = first;
    (*chain)->row_count = places->row_count;
    (*chain)->line_end = plan->line_end;
    (*chain)->multi = places->multi;
    memcpy((*chain)->next, places->next, (size_t)rows_bytes);
done:
    memory_release(places, 1, sizeof *places);
    return status;
}

void chain_free(struct chain *chain)
{
    if (chain != NULL)
        memory_release(chain, 1, sizeof *chain + chain->row_count * sizeof chain->next[0]);
}

/* Returns the state after bytes[at] or, if the line has no byte left, after the line's end. */
static uint32_t step(const struct chain *chain, uint32_t state, bool is_left, const uint8_t *bytes,
                     uint64_t at)
{
    if (state > CHAIN_ASKS && !is_left && chain->multi)
        return CHAIN_ASKS;
    return state <= CHAIN_ASKS
               ? state
               : chain->next[state - CHAIN_ASKS - 1][is_left ? bytes[at] : chain->line_end];
}

struct around chain_read(const struct chain *before, const struct chain *after,
                         const uint8_t *bytes, uint64_t at, uint64_t end, uint64_t count)
{
    struct around around = {before != NULL ? before->first : CHAIN_ASKS,
                            after != NULL ? after->first : CHAIN_ASKS};

    /* In turns, because either side may fail first. */
    for (uint64_t i = 0; i < CHAIN_BYTES; i++) {
        if (around.before == CHAIN_FAILS || around.after == CHAIN_FAILS ||
            (around.before <= CHAIN_ASKS && around.after <= CHAIN_ASKS))
            return around;
        around.before = step(before, around.before, i < at, bytes, at - 1 - i);
        around.after = step(after, around.after, i < count - end, bytes, end + i);
    }
    if (around.before > CHAIN_ASKS)
        around.before = CHAIN_ASKS;
    if (around.after > CHAIN_ASKS)
        around.after = CHAIN_ASKS;
    return around;
}
