/* reach_parts: what an expression is compiled to (reach.h). */
#ifndef TRAWL_REGEX_REACH_PARTS_H
#define TRAWL_REGEX_REACH_PARTS_H

#include "plan/plan.h"
#include "regex/classes.h"
#include "regex/reach.h"

#define PARTS_MAX 512u

/* Assertions. A word boundary has a bit for each place where it may be: bit 0 between two
 * characters outside words, bit 1 after a word, bit 2 before a word, bit 3 inside a word. */
enum { EDGE_NO_WORD_AFTER = 3, EDGE_NO_WORD_BEFORE = 5, EDGE_BEGIN = 16, EDGE_END = 32 };

/* Symbols of characters that no set distinguishes: the end of the text, a character about which
 * another has to decide, one in no set, and then those beyond ASCII. SYMBOL_LONG, only in of_byte,
 * is a byte of a character with several bytes. */
enum { SYMBOL_END, SYMBOL_ELSE, SYMBOL_NONE, SYMBOL_BEYOND, SYMBOL_LONG = 255 };

/* The kinds of parts. ACCEPT is the end of the expression, and part 0. A FORK continues with `next`
 * or, if the rest does not match from there, with `other`. */
enum { REACH_ACCEPT, REACH_CHARS, REACH_EDGE, REACH_FORK };

struct reach {
    bool longest;                  /* prefers the longest match */
    bool by_words;                 /* some part is a word boundary */
    uint64_t shortest;             /* minimum number of bytes in a match */
    uint32_t count;                /* number of parts */
    uint32_t first;                /* the part with which the expression begins */
    struct symbols symbols;        /* of characters beyond ASCII */
    uint32_t known_end;            /* code points from here on are ELSE */
    uint64_t words;                /* bit in `members` of characters that belong to words */
    uint8_t of_byte[256];          /* symbols */
    uint64_t members[SYMBOL_LONG]; /* of each symbol: a bit for each set that has it */
    struct reach_part {
        uint8_t kind;
        uint8_t set;   /* for CHARS: bit in `members`; for EDGE: the assertion */
        bool is_lazy;  /* for CHARS */
        bool by_lines; /* for EDGE: also matches at newlines */
        uint16_t next; /* the part that comes next, which has a lower number */
        uint16_t other;
        uint32_t min; /* for CHARS: number of characters */
        uint32_t max; /* SYNTAX_ENDLESS: no maximum */
    } parts[];
};

/* Returns the symbol of the character at *at, and moves *at past it. With `back`, reads the
 * character that ends at *at, and moves *at to its start. *near is as for symbols_near. */
static inline uint32_t reach_symbol(const struct reach *reach, const uint8_t *bytes, uint64_t *at,
                                    uint64_t count, bool back, uint64_t *near)
{
    const uint64_t left = back ? *at : count - *at;
    uint32_t symbol, code = 0;
    uint64_t taken = 1;

    if (left == 0)
        return SYMBOL_END;
    symbol = reach->of_byte[bytes[*at - back]];
    if (symbol == SYMBOL_LONG && back) {
        while (taken < 4 && taken < left && (bytes[*at - taken] & 0xc0) == 0x80)
            taken++;
        if (plan_utf8_decode(bytes + *at - taken, taken, &code) != taken)
            taken = 0;
    } else if (symbol == SYMBOL_LONG) {
        taken = plan_utf8_decode(bytes + *at, left, &code);
    }
    if (taken == 0) {
        taken = 1;
        symbol = reach->by_words ? SYMBOL_ELSE : SYMBOL_NONE;
    } else if (symbol == SYMBOL_LONG) {
        symbol = code >= reach->known_end
                     ? SYMBOL_ELSE
                     : SYMBOL_BEYOND + symbols_near(&reach->symbols, code, near);
    }
    *at += back ? -taken : taken;
    return symbol;
}

#endif
