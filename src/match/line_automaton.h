/* line_automaton: decides whether a single line holds a match of any of a plan's expressions.
 *
 * The automaton reads the line byte by byte. For `b\d`:
 *
 *                 'b'            0-9
 *     2 (begin) -------> 3 ---------------> 1 (holds a match)
 *       ^ other          | other
 *       +----------------+
 *
 * State 0 means that no match can follow, and ends the reading. In a state s at the line's end,
 * ends[s] decides, since assertions such as $ may hold there.
 */
#ifndef TRAWL_MATCH_LINE_AUTOMATON_H
#define TRAWL_MATCH_LINE_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

/* A device decides about a line only if it begins and ends at most this many bytes from the
 * occurrence of a string. */
#define LINE_BYTES_MAX (64u << 10)

enum { LINE_FAILS, LINE_HOLDS, LINE_BEGIN };

struct line_automaton {
    uint32_t state_count;
    const uint16_t *next; /* next[256 * state + byte] */
    const uint8_t *ends;  /* ends[state] */
    /* no string occurs in every matching line, so all lines are read */
    bool reads_all;
};

#endif
