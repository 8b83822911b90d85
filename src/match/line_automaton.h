/* line_automaton: decides whether a single line contains a match of any of a plan's expressions.
 *
 * The automaton reads the line byte by byte. For `b\d`:
 *
 *                 'b'            0-9
 *     3 (begin) -------> 4 ---------------> 1 (contains a match)
 *       ^ other          | other
 *       +----------------+
 *
 * State 0 means that there can be no match, and ends the reading. State 2 means that
 * only the host knows: whether a character beyond ASCII belongs to a word. If the line ends in
 * another state s, ends[s] decides, since assertions such as $ may be true there.
 */
#ifndef TRAWL_MATCH_LINE_AUTOMATON_H
#define TRAWL_MATCH_LINE_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

/* A device decides about a line only if the line begins and ends within this many bytes of the
 * occurrence of a string in it. */
#define LINE_BYTES_MAX (64u << 10)

enum { LINE_FAILS, LINE_HOLDS, LINE_UNDECIDED, LINE_BEGIN };
/* What comes before the byte that is read first. */
enum line_before {
    LINE_BEFORE_BEGIN, /* nothing: the line begins; backwards, it ends */
    LINE_BEFORE_WORD,
    LINE_BEFORE_NEWLINE,
    LINE_BEFORE_OTHER,
    LINE_BEFORE_BEYOND, /* a byte that is not ASCII */
    LINE_BEFORES
};

/* An automaton that finds where a match ends (or, reading backwards, where it begins) does not stop
 * at the first match, but reads on to LINE_FAILS or the line's end. The place is that of the last
 * transition with LINE_MATCH, or the line's end if ends[] says so. */
#define LINE_MATCH 0x8000u /* bit of a transition: a match ends before the byte */

struct line_automaton {
    uint32_t state_count;
    /* The state after `byte` is next[columns * state + column_of[byte]]. */
    uint16_t *next;
    uint32_t columns;
    uint8_t column_of[256];
    uint8_t *ends; /* ends[state]: a line that ends in this state matches; 2: undecided */
    uint16_t first[LINE_BEFORES];
    bool may_be_empty; /* a match may have no byte */
    const char *fails; /* if `next` is NULL: why */
};

/* Finds a group of a match whose begin and end are known, if each byte leaves one way only up to
 * where the group is known (a one-pass expression). Reads the match forwards or, with `backwards`,
 * from its end. From state s, the byte of column c leads to steps[s][c].next and its bits; at the
 * match's other end, where the byte beyond it has column c (or c is `columns`, if none is there),
 * steps[s][c].end_bits count. Bit 0 means that the group begins here, between the bytes; bit 1,
 * that it ends here. The last such place counts; backwards, the first. */
struct line_step {
    uint32_t next; /* state + 1; 0: no match leads here; LINE_GROUP_KNOWN: nothing more to find */
    uint32_t bits;
    uint32_t is_end; /* 0: no match ends here */
    uint32_t end_bits;
};
#define LINE_GROUP_KNOWN UINT32_MAX
struct line_group {
    struct line_step *steps; /* state_count * (columns + 1); NULL: not one-pass in any direction */
    bool backwards;
    uint32_t state_count, columns;
    uint8_t column_of[256];
    uint32_t first[LINE_BEFORES];
};

/* What a device does with the lines that contain a string of a plan. */
struct line_reader {
    /* no string occurs in every matching line, so all lines must be read */
    bool reads_all;
    /* True: the device finds the matches of `count` expressions. automata[2 * i] finds where a
     * match of expression i ends, and automata[2 * i + 1] where it begins. False: automata[0] or
     * the anchors decide whether the line matches. */
    bool finds;
    bool crlf; /* a carriage return before a line's end, but not before a record's, is part of it */
    bool may_be_empty; /* a match of some expression may be empty */
    /* if may_be_empty: the automata may report an empty match inside a character, where none is */
    bool within;
    uint32_t count;
    struct line_automaton *automata;
    uint32_t automaton_count; /* capacity of `automata` */
    /* Otherwise, automata[0] to automata[read_count - 1] each decide whether the line matches: if
     * `first` is NULL, automata[0] for lines with a string; else, or if reads_all, for all lines.
     */
    uint32_t read_count;
    /* If not NULL, the line also matches if an anchor of a string in it does: of string s,
     * anchors[i] for i from first[s] to first[s + 1] - 1. around[2 * a] reads from the string back
     * to where a match of anchor a begins, around[2 * a + 1] from the string's first byte to where
     * it ends; an automaton without `next` always matches. If only the former has the reason
     * `fails`, the latter reads from the line's start. */
    uint32_t *first, *anchors;
    struct line_automaton *around;
    uint32_t string_count, anchor_count;
    uint32_t string_room, anchor_room; /* capacity of `first` (less 1), and of `anchors` */
    struct line_group *groups;         /* group_count groups of the only expression */
    uint32_t group_count;
};

#endif
