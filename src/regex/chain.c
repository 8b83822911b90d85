/* chain: makes the automaton of a sequence, by the subset construction. RE2 says which bytes each
 * character of the sequence may be. */
#include "regex/chain.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "regex/translate.h"

#define PLACES_MAX 31u /* characters of a sequence, repetitions written out */
#define STATES_MAX 48u
#define SOURCE_BYTES 4096u /* the longest character, such as the classes that stand for \w */
#define ASKING_BYTES (UINT64_C(1) << 20)

/* The sequence with its repetitions written out. Sets of places are words: a bit for each place
 * whose character may come next, and bit `count` where the whole sequence has been read. */
struct places {
    uint32_t count;
    bool is_whole;                 /* as in struct split_sequence */
    uint32_t optional;             /* places that may be left out */
    uint32_t endless;              /* places that may be read again */
    uint8_t character[PLACES_MAX]; /* index into bytes */
    uint64_t bytes[PLACES_MAX][4]; /* a bit for each byte that the character may be */
    uint32_t states[STATES_MAX];   /* set of places of each state */
    uint32_t state_count;
};

/* Sets the bits of the bytes that the character may be. Returns false if RE2 cannot tell. */
static bool ask(const struct expressions *made, const struct regex_options *options,
                const struct split_character *character, uint64_t *bits)
{
    /* Where each byte is a character, ASCII means the same, and programs are smaller. */
    struct regex_options asking = *options;
    const char *bytes = character->bytes, *ascii = "";
    const uint64_t begin = bytes[0] == '[' ? 1 + (bytes[1] == '^') : 0;
    uint64_t taken = 0;
    char source[SOURCE_BYTES], *to = source;
    struct regex_fault fault;
    struct regex *regex;

    if (character->count + 64 > SOURCE_BYTES)
        return false;
    for (uint64_t i = 0; i < character->count && !options->bytes; i++)
        if ((bytes[i] & 0x80) != 0 && character->flags[2] == 'i')
            return false; /* ASCII letters may be other cases of the character */
    if (begin > 0 && !options->bytes)
        ascii = translate_ascii(bytes + begin, character->count - begin, &taken);
    taken += begin;
    to = (char *)mempcpy(to, character->flags, character->flags_count);
    to = (char *)mempcpy(to, bytes, (size_t)begin);
    to = (char *)mempcpy(to, ascii, strlen(ascii));
    to = (char *)mempcpy(to, bytes + taken, (size_t)(character->count - taken));
    *to++ = ')';
    asking.bytes = true;
    asking.memory_bytes = ASKING_BYTES;
    if (made->ops->compile(source, (uint64_t)(to - source), &asking, &regex, &fault) != REGEX_OK)
        return false;
    for (uint32_t value = 0; value < (options->bytes ? 256u : 128u); value++) {
        const uint8_t byte = (uint8_t)value;

        if (made->ops->match(regex, &byte, 1, 0, 1, REGEX_WHOLE, NULL, 0) > 0)
            bits[value / 64] |= UINT64_C(1) << value % 64;
    }
    made->ops->release(regex);
    return true;
}

/* Writes out the sequence. Returns false if the sequence is too long, or RE2 cannot tell a
 * character's bytes. */
static bool write_out(const struct expressions *made, const struct regex_options *options,
                      const struct split_sequence *sequence, struct places *places)
{
    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct split_character *character = &sequence->items[i];
        const bool endless = character->most == SPLIT_ENDLESS;
        const uint32_t least = character->least;
        const uint64_t copies = endless ? (least > 0 ? least : 1) : character->most;
        uint32_t same = 0;

        if (copies > PLACES_MAX - places->count)
            return false;
        while (
            same < i &&
            (sequence->items[same].count != character->count ||
             sequence->items[same].flags_count != character->flags_count ||
             memcmp(sequence->items[same].flags, character->flags, character->flags_count) != 0 ||
             memcmp(sequence->items[same].bytes, character->bytes, (size_t)character->count) != 0))
            same++;
        if (same == i && !ask(made, options, character, places->bytes[i]))
            return false;
        for (uint32_t copy = 0; copy < copies; copy++, places->count++) {
            places->character[places->count] = (uint8_t)same;
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

/* Returns the number of the state with this set of places; CHAIN_ASKS if there are too many. */
static uint8_t state_of(struct places *places, uint32_t set)
{
    uint32_t i = 0;

    if (set == 0)
        return CHAIN_FAILS;
    if ((set >> places->count & 1) != 0 && !places->is_whole)
        return CHAIN_MATCHES;
    while (i < places->state_count && places->states[i] != set)
        i++;
    if (i == STATES_MAX)
        return CHAIN_ASKS;
    if (i == places->state_count)
        places->states[places->state_count++] = set;
    return (uint8_t)(CHAIN_ASKS + 1 + i);
}

/* Fills the row of a state, which may add states. */
static void fill_row(const struct expressions *made, bool all, struct places *places, uint32_t row,
                     uint8_t *next)
{
    const struct trawl_plan *plan = made->plan;
    const bool is_read = (places->states[row] >> places->count & 1) != 0;

    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t set = 0;

        for (uint32_t place = 0; place < places->count; place++) {
            const uint64_t *bits = places->bytes[places->character[place]];

            if ((places->states[row] >> place & 1) == 0 || (bits[byte / 64] >> byte % 64 & 1) == 0)
                continue;
            set |= reach(places, place + 1);
            if ((places->endless >> place & 1) != 0)
                set |= reach(places, place);
        }
        next[byte] = byte < 128 || all ? state_of(places, set) : CHAIN_ASKS;
    }
    if ((plan->flags & TRAWL_CRLF) != 0)
        next['\r'] = CHAIN_ASKS; /* which may belong to a line end */
    next[plan->line_end] = next[plan->line_end_also] = is_read ? CHAIN_MATCHES : CHAIN_FAILS;
}

enum trawl_status chain_make(const struct expressions *made, const struct regex_options *options,
                             const struct split_sequence *sequence, struct chain **chain,
                             struct trawl_error *error)
{
    uint8_t next[STATES_MAX][256];
    struct places places = {.count = 0};
    uint8_t first;
    void *memory;

    *chain = NULL;
    if (sequence == NULL || !write_out(made, options, sequence, &places))
        return TRAWL_OK;
    places.is_whole = sequence->is_whole;
    first = state_of(&places, reach(&places, 0));
    for (uint32_t row = 0; row < places.state_count; row++)
        fill_row(made, options->bytes, &places, row, next[row]);
    TRAWL_TRY(
        memory_allocate(1, sizeof **chain + places.state_count * sizeof next[0], &memory, error));
    *chain = (struct chain *)memory;
    (*chain)->first = first;
    (*chain)->row_count = places.state_count;
    (*chain)->line_end = made->plan->line_end;
    memcpy((*chain)->next, next, places.state_count * sizeof next[0]);
    return TRAWL_OK;
}

void chain_free(struct chain *chain)
{
    if (chain != NULL)
        memory_release(chain, 1, sizeof *chain + chain->row_count * sizeof chain->next[0]);
}
