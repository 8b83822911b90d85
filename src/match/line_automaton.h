/* line_automaton: decides whether a single line contains a match of any of a plan's expressions.
 *
 * The automaton reads the line byte by byte. For `b\d`:
 *
 *                 'b'            0-9
 *     2 (begin) -------> 3 ---------------> 1 (contains a match)
 *       ^ other          | other
 *       +----------------+
 *
 * State 0 means that there can be no match, and ends the reading. If the line ends in another state
 * s, ends[s] decides, since assertions such as $ may be true there.
 */
#ifndef TRAWL_MATCH_LINE_AUTOMATON_H
#define TRAWL_MATCH_LINE_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

/* A device decides about a line only if the line begins and ends within this many bytes of the
 * occurrence of a string in it. */
#define LINE_BYTES_MAX (64u << 10)

enum { LINE_FAILS, LINE_HOLDS, LINE_BEGIN };

struct line_automaton {
    uint32_t state_count;
    const uint16_t *next; /* the state after `byte` is next[256 * state + byte] */
    const uint8_t *ends;  /* ends[state]: a line that ends in this state matches */
    /* no string occurs in every matching line, so all lines must be read */
    bool reads_all;
};

#endif
