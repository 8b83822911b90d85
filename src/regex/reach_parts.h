/* reach_parts: what an expression is compiled to (reach.h). */
#ifndef TRAWL_REGEX_REACH_PARTS_H
#define TRAWL_REGEX_REACH_PARTS_H

#include "regex/sequence_automaton.h"

#define PARTS_MAX 512u

/* The kinds of parts. ACCEPT is the end of the expression, and part 0. A FORK continues with `next`
 * or, if the rest does not match from there, with `other`. */
enum { REACH_ACCEPT, REACH_CHARS, REACH_EDGE, REACH_FORK };

struct reach {
    bool longest;                     /* prefers the longest match */
    bool by_words;                    /* some part is a word boundary */
    bool has_ranges;                  /* the numbers of some repetition differ by many */
    uint64_t shortest, max;           /* minimum and maximum number of bytes in a match */
    uint32_t count;                   /* number of parts */
    uint32_t first;                   /* the part with which the expression begins */
    struct around_automaton *symbols; /* has no states */
    struct reach_part {
        uint8_t kind;
        uint8_t set;   /* for CHARS: bit in symbols->members. For EDGE: as in sequence_item.edge */
        bool is_lazy;  /* for CHARS */
        bool by_lines; /* for EDGE: also matches at newlines */
        uint16_t next; /* the part that comes next, which has a lower number */
        uint16_t other;
        uint32_t min; /* for CHARS: number of characters */
        uint32_t max; /* SYNTAX_ENDLESS: no maximum */
    } parts[];
};

#endif
