/* classes: the characters of classes in UTF-8, as automata of bytes.
 *
 * An automaton that reads \w has a state for each distinct rest of a character's encoding: some 100
 * states for 771 ranges. All places of an expression that take the class share them (nfa.h).
 */
#ifndef TRAWL_REGEX_CLASSES_H
#define TRAWL_REGEX_CLASSES_H

#include "base/status.h"
#include "regex/syntax/tree.h"

#define CLASSES_END 0u          /* the state after a character's last byte */
#define CLASSES_NONE UINT32_MAX /* the byte belongs to no character of the class */

struct class_range {
    uint8_t low, high;
    uint32_t to; /* the state after these bytes */
};

struct classes {
    struct class_range *ranges; /* of all states, each sorted */
    uint64_t range_count, range_capacity;
    struct class_state {
        uint32_t from, count; /* its ranges */
        uint32_t hash;        /* of these */
    } * states;
    uint64_t state_count, state_capacity;
    /* the classes: each has its ranges of characters at codes[from], and its first state */
    struct class_known {
        uint32_t from, count, first; /* first: CLASSES_NONE before classes_put */
    } * known;
    uint64_t known_count, known_capacity;
    struct code_range *codes;
    uint64_t code_count, code_capacity;
};

/* Sets *first to the state in which the characters of a set are read. With `bytes`, each byte is a
 * character. Errors: MEMORY. */
enum trawl_status classes_put(struct classes *classes, const struct syntax_node *set, bool bytes,
                              uint32_t *first, struct trawl_error *error);
/* Returns the state after the byte; CLASSES_END, or CLASSES_NONE. */
uint32_t classes_next(const struct classes *classes, uint32_t state, uint32_t byte);
/* Sets *index to the class's in classes->known. Errors: MEMORY. */
enum trawl_status classes_know(struct classes *classes, const struct syntax_node *set,
                               uint32_t *index, struct trawl_error *error);
/* Returns true if the class with this index has the character. */
bool classes_hold(const struct classes *classes, uint32_t index, uint32_t code);
void classes_release(struct classes *classes);

/* Characters beyond ASCII in symbols: no class distinguishes two with the same. */
#define SYMBOLS_MAX 512u
#define SYMBOLS_CLASSES 64u /* later classes are not distinguished */
struct symbols {
    uint32_t count;
    uint64_t members[SYMBOLS_MAX]; /* of each symbol: a bit for each class that has it */
    /* Those from cuts[i].first to cuts[i + 1].first - 1 have a symbol; the last is after all. */
    struct symbol_cut {
        uint32_t first, symbol;
    } * cuts;
    uint64_t cut_count, cut_capacity;
    uint16_t of_two[0x800]; /* of characters of two bytes, by code point */
    uint64_t near;          /* the cut that was found last */
};

/* Makes the symbols anew. Errors: MEMORY; LIMIT, without a message, if they are too many. */
enum trawl_status symbols_make(struct symbols *symbols, const struct classes *classes,
                               struct trawl_error *error);
/* Returns the symbol of a character beyond ASCII. *near, at first 0, is the cut found last. */
static inline uint32_t symbols_near(const struct symbols *symbols, uint32_t code, uint64_t *near)
{
    uint64_t low = *near, high = symbols->cut_count - 1;

    if (code < 0x800)
        return symbols->of_two[code];
    if (code >= symbols->cuts[low].first && code < symbols->cuts[low + 1].first)
        return symbols->cuts[low].symbol;
    for (low = 0; high - low > 1;) { /* cuts[low].first <= code < cuts[high].first */
        const uint64_t middle = low + (high - low) / 2;

        if (code < symbols->cuts[middle].first)
            high = middle;
        else
            low = middle;
    }
    *near = low;
    return symbols->cuts[low].symbol;
}
static inline uint32_t symbols_of(struct symbols *symbols, uint32_t code)
{
    return symbols_near(symbols, code, &symbols->near);
}
void symbols_release(struct symbols *symbols);

#endif
