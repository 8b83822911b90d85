/* sequence_automaton: the automaton of a sequence (sequence.h). A state is a list of the places in
 * the sequence that may come next, those that a match prefers first (the subset construction). */
#ifndef TRAWL_REGEX_SEQUENCE_AUTOMATON_H
#define TRAWL_REGEX_SEQUENCE_AUTOMATON_H

#include "regex/sequence.h"

#define SYMBOLS 63u

/* Characters that the sequence treats alike share a symbol, a column of the automaton's table
 * `rows`. END is a line's end, ELSE a character that RE2 has to decide on. LONG, only in of_byte,
 * is a byte of a character of several bytes. */
enum { END, ELSE, LONG = 255 };

/* State numbers start at AROUND_ASKS + 1; state AROUND_ASKS + 1 + i has rows[i]. */
struct around_automaton {
    uint32_t users; /* calls of around_make and around_share */
    /* The state in which reading starts: first[1] if the character on the other side belongs to a
     * word, else first[0]. */
    uint8_t first[2];
    /* the automaton reads backwards, from the last byte of a character to its first */
    bool backwards;
    /* under TRAWL_MULTILINE: at the text's end RE2 decides, and a line end is an ordinary byte */
    bool crosses;
    bool has_edges;   /* the sequence has word boundaries */
    bool is_one_pass; /* no character that is read fits two places that may come next */
    uint8_t unknown;  /* the symbol of a byte that belongs to no character */
    /* The sequence has a repetition without limit, and ends with a character and the line's end. So
     * may_be_last first tells whether the line's last byte fits. */
    bool checks_last;
    bool may_be_last[256];
    uint8_t line_ends[2];
    uint32_t state_count;
    uint64_t words; /* a bit for each symbol whose characters belong to words */
    uint8_t of_byte[256];
    uint8_t of_two[0x800]; /* the symbol of each character of two bytes */
    /* for each symbol: a bit for each item of the sequence that its characters may be */
    uint64_t members[SYMBOLS];
    /* Characters beyond ASCII: those from cuts[i].first up to cuts[i + 1].first have one symbol.
     * The last cut is after all characters. */
    uint32_t cut_count;
    struct around_cut {
        uint32_t first;
        uint32_t symbol;
    } * cuts; /* after `rows` */
    struct around_row {
        uint8_t next[SYMBOLS];
        /* 1: the whole sequence may have been read, whatever comes next; 2: and no match is
         * longer */
        uint8_t matches;
        uint64_t accepts; /* a bit for each symbol before which it may have been read */
        /* A bit for each symbol after which the automaton stays in this state, if `accepts` has no
         * bit for the symbol or `matches` is set. */
        uint64_t stays;
    } rows[];
};

static inline const struct around_row *around_row(const struct around_automaton *made,
                                                  uint32_t state)
{
    return &made->rows[state - AROUND_ASKS - 1];
}

#endif
