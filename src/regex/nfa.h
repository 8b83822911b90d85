/* nfa: the states of a nondeterministic automaton (Thompson, 1968), made from the trees of
 * expressions. They are called *places*: a place takes a byte of a range, forks, is an assertion,
 * marks where a group begins or ends, or is the end of a match. determinize.h and lazy.h build
 * automata from them.
 */
#ifndef TRAWL_REGEX_NFA_H
#define TRAWL_REGEX_NFA_H

#include "match/line_automaton.h"
#include "regex/classes.h"
#include "regex/options.h"

#define END_OF_LINE 256u /* read at the end of a line, instead of a byte */
#define CHARACTER 257u   /* read backwards, instead of the bytes of a character beyond ASCII */
#define NO_PLACE UINT32_MAX
#define NFA_SLOTS 8192u          /* for up to 4,096 places */
#define NFA_PLACES_MAX 65534u    /* of which some are shared */
#define NFA_STEPS_MAX (1u << 20) /* of an expression's places; so many take some 10 ms */
/* In an automaton for hulls: a byte beyond ASCII comes before. */
#define LINE_BEFORE_HIGH LINE_BEFORES
/* If the automaton knows words: a byte of no character, which adjoins no word boundary. */
#define LINE_BEFORE_NONE (LINE_BEFORES + 1)

enum place_kind { PLACE_BYTES, PLACE_CLASS, PLACE_FORK, PLACE_EDGE, PLACE_MARK, PLACE_END };

struct place {
    uint8_t kind;
    uint8_t low, high; /* for BYTES: the range of bytes */
    char letter;       /* for EDGE: as in syntax_node */
    bool by_lines;     /* for EDGE: ^ and $ also match at newlines */
    uint32_t next;
    uint32_t other; /* for CLASS: the state in which the rest of a character is read (classes.h),
                       or, backwards, the class's index; for FORK: the place after `next`, in order
                       of preference; for END: the expression; for MARK: 1 at the group's end, 0 at
                       its begin */
};

/* What a byte beyond ASCII is to an automaton that knows words: the first of a character, or of no
 * character, or inside of one. */
enum nfa_unit { UNIT_INSIDE, UNIT_WORD, UNIT_OTHER, UNIT_NONE, UNITS };

/* Where assertions are decided: between what was read and `next`, a byte, END_OF_LINE, or
 * CHARACTER. */
struct border {
    uint32_t before; /* enum line_before, or LINE_BEFORE_HIGH, or LINE_BEFORE_NONE */
    uint32_t next;
    bool any;           /* every assertion is true */
    enum nfa_unit unit; /* of `next` */
    uint64_t classes;   /* of CHARACTER: a bit for each that has it */
};

/* Returns true if the border is inside of a character, where words are known. */
static inline bool border_is_inside(const struct border *border)
{
    return border->unit == UNIT_INSIDE && border->next >= 0x80 && border->next < 0x100;
}

/* Where an item of a list begins or, if `ends`, ends. nfa_put_node sets `place` to a fork to what
 * goes on from there each time that the item was put, and counts these in `times`. */
struct nfa_border {
    uint32_t list; /* its number */
    uint32_t item;
    bool ends;
    uint32_t place, times; /* at first NO_PLACE and 0 */
};

struct nfa {
    const struct regex_options *options;
    bool backwards;  /* places read from the end of a match to its start */
    bool is_ordered; /* the order of forks matters */
    uint32_t marked; /* the group that gets places of the kind MARK; 0: none does */
    uint32_t group;  /* how many groups with a number begin before the next node */
    /* Beyond ASCII, only a hull of the expression is wanted. is_hull: any bytes of 0x80 and above
     * are a character of a set with such characters. is_open: next to them every word boundary is
     * true. */
    bool is_hull, is_open;
    bool knows_words; /* border.unit says which characters beyond ASCII belong to words */
    bool fails;       /* there are too many places, or an assertion has none: */
    const char *why;
    bool is_wide;   /* whether a character beyond ASCII belongs to a word is guessed: */
    uint32_t guess; /* bit 0: one that was read does; bit 1: the next one does; bit 2: neither side
                       of it is an edge */
    bool has_edges;
    bool has_part; /* a place may take a part of a character */
    /* where the expression may be read from, and how many of these there are */
    struct nfa_border *borders;
    uint64_t border_count;
    /* The automata of classes. NULL: a class becomes places of its ranges. */
    struct classes *classes;
    /* A class becomes a place of the kind CLASS, which leads to others of the same class, added by
     * nfa_after when a text needs them; false: places of its automaton's bytes. */
    bool keeps_classes;
    uint16_t *slots;      /* to find places that are alike; NULL: none is shared */
    uint32_t slot_count;  /* a power of two, and more than there are shared places */
    struct place *places; /* room for `max` */
    uint32_t count, max;
    uint32_t steps; /* the work so far: ranges and blocks of classes */
};

/* Adds a place. Returns its index; 0 if nfa->fails. */
uint32_t nfa_put(struct nfa *nfa, struct place place);
uint32_t nfa_put_fork(struct nfa *nfa, uint32_t next, uint32_t other);
uint32_t nfa_put_edge(struct nfa *nfa, char letter, bool by_lines, uint32_t next);
/* Adds the places of a node before `next`, the place that follows it. Returns the first of them. */
uint32_t nfa_put_node(struct nfa *nfa, const struct syntax_node *node, uint32_t next);
/* The same for a root without what is optional at the start or end of its alternatives: lines with
 * a match are the same. */
uint32_t nfa_put_core(struct nfa *nfa, const struct syntax_node *root, uint32_t next);
/* Fills the slots with the places, none of which will change any more. */
void nfa_share(struct nfa *nfa);
/* Returns the place after a CLASS place that takes border->next: one of the same class, or its
 * `next`; NO_PLACE: it does not take it. */
uint32_t nfa_after(struct nfa *nfa, uint32_t place, const struct border *border);
/* Returns what a byte is for what comes after it; not inside of a character. */
enum line_before nfa_before(const struct nfa *nfa, uint32_t byte, enum nfa_unit unit);
/* Returns true if the assertion is true at the border. */
bool nfa_holds(const struct nfa *nfa, const struct place *place, const struct border *border);
/* Divides the bytes into classes that no place or assertion, nor the two bytes in `ends` unless
 * that is NULL, distinguishes. Sets class_of[byte] and byte_of[class], one of its bytes. Returns
 * how many classes there are. `cuts`, at first false, keeps the division by the places before
 * `from`. Of the others, only those whose bits are set in `held` count, unless that is NULL. */
uint32_t nfa_divide(const struct nfa *nfa, uint32_t from, const uint64_t *held,
                    const uint8_t ends[2], bool cuts[257], uint8_t class_of[256],
                    uint8_t byte_of[256]);

#endif
