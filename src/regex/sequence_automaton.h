/* sequence_automaton: the automaton of a sequence (sequence.h). A state is a list of the places in
 * the sequence that may come next, in the order in which a match prefers them (the subset
 * construction). */
#ifndef TRAWL_REGEX_SEQUENCE_AUTOMATON_H
#define TRAWL_REGEX_SEQUENCE_AUTOMATON_H

#include "plan/plan.h"
#include "regex/sequence.h"

#define SYMBOLS 63u

/* Characters that the sequence does not distinguish share a symbol, which is a column of the
 * automaton's table `rows`. END is the end of a line, ELSE a character about which another has to
 * decide. LONG, only in of_byte, is a byte of a character with several bytes. */
enum { END, ELSE, LONG = 255 };

/* State numbers begin at AROUND_ASKS + 1; state AROUND_ASKS + 1 + i has the row rows[i]. */
struct around_automaton {
    uint32_t users; /* number of calls to around_make and around_share, less those to around_free */
    /* The state in which reading starts: first[1] if the character on the other side of that place
     * belongs to a word, otherwise first[0]. */
    uint8_t first[2];
    /* the automaton reads backwards, and each character from its last byte to its first */
    bool backwards;
    /* under TRAWL_MULTILINE: it does not decide at the text's end, and a line end is an ordinary
     * byte */
    bool crosses;
    bool has_edges;  /* the sequence has word boundaries */
    bool is_cut;     /* it cannot decide after the sequence */
    uint8_t unknown; /* the symbol of a byte that belongs to no character */
    uint32_t state_count;
    uint64_t words; /* a bit for each symbol whose characters belong to words */
    uint8_t of_byte[256];
    uint8_t of_two[0x800]; /* the symbol of each character of two bytes */
    /* for each symbol: a bit for each item of the sequence that may be one of its characters */
    uint64_t members[SYMBOLS];
    /* Non-ASCII characters: those from cuts[i].first to cuts[i + 1].first - 1 have the same symbol.
     * The last cut is after all characters. */
    uint32_t cut_count;
    struct around_cut {
        uint32_t first;
        uint32_t symbol;
    } * cuts; /* stored after `rows` */
    struct around_row {
        uint8_t next[SYMBOLS];
        /* 1: the whole sequence may have been read, whatever comes next; 2: and no match is
         * longer */
        uint8_t matches;
        uint64_t accepts; /* a bit for each symbol before which the sequence may have been read */
        /* A bit for each symbol after which the automaton stays in this state, provided that
         * `accepts` lacks the symbol or `matches` is set. */
        uint64_t stays;
    } rows[];
};

static inline const struct around_row *around_row(const struct around_automaton *made,
                                                  uint32_t state)
{
    return &made->rows[state - AROUND_ASKS - 1];
}

/* Returns the symbol of the character at *at, and moves *at past it. With `back`, reads the
 * character that ends at *at, and moves *at to its start. *near is the cut of a character that was
 * read earlier, which is tried first. */
static inline uint32_t read_one(const struct around_automaton *made, const uint8_t *bytes,
                                uint64_t *at, uint64_t count, bool back, uint32_t *near)
{
    const uint64_t left = back ? *at : count - *at;
    uint32_t symbol, low = 0, high = made->cut_count - 1, code;
    uint64_t taken = 1;

    if (left == 0)
        return made->crosses ? ELSE : END;
    symbol = made->of_byte[bytes[*at - back]];
    if (symbol == LONG && left > 1) {
        const uint8_t first = bytes[*at - 2 * back], second = bytes[*at + 1 - 2 * back];

        if (first >= 0xc2 && first <= 0xdf && (second & 0xc0) == 0x80) {
            *at += back ? UINT64_MAX - 1 : 2;
            return made->of_two[(first & 0x1f) << 6 | (second & 0x3f)];
        }
    }
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
        symbol = made->unknown;
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

#endif
