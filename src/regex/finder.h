/* finder: what finder_make learns about a sequence, for finder_match. */
#ifndef TRAWL_FINDER_H
#define TRAWL_FINDER_H

#include "regex/sequence_automaton.h"

/* how many of the first bytes of a match are examined at most */
#define LEAST_MAX 32u

struct finder {
    struct around_automaton *automaton;
    /* A match is its head, then `byte`, then the rest. If `seeks`, the search looks for the byte;
     * otherwise for places where a match may begin. */
    bool seeks;
    bool seeks_end;                /* the byte is a newline, before which a match ends */
    struct around_automaton *head; /* NULL: the head is empty */
    uint32_t head_end;             /* number of the item that has `byte` */
    uint8_t byte;
    /* every match is a run of characters of the only item, and RE2 is only asked about groups */
    bool is_alone;
    /* if above 0: a match begins with so many bytes of the first item, of whose bytes `kinds` is
     * not 0 */
    uint64_t run;
    uint64_t shortest; /* no match has fewer bytes */
    /* read_items can read a match, or its head */
    bool by_items, heads_by_items;
    struct sequence sequence;
    /* where a match may begin: anywhere, at the start of the text, or at the start of each line */
    enum { AT_ALL, AT_TEXT, AT_LINES } begins;
    /* the bytes with which a match may begin: starts[1] after a word character, else starts[0];
     * starts[2]: in either case */
    bool starts[3][256];
    bool scans; /* the search looks at each byte until a match may begin with it */
    /* A match begins with at least `least` bytes, of which byte i belongs to item item_of[i] of the
     * sequence. kinds[byte] has a bit for each of these items that may have this byte. */
    uint64_t least;
    uint8_t item_of[LEAST_MAX];
    uint64_t kinds[256];
    /* For a place whose next `least` bytes fit and are ASCII: the automaton's state after them
     * (AROUND_FAILS: it differs), and, if no match begins there, the distance to the next place
     * where one may begin. */
    uint32_t after;
    uint64_t stride;
    bool is_greedy;    /* if matches begin at several places in a run of the first item, one begins
                          at the start of the run */
    uint32_t first;    /* number of the first item that is not an assertion about the start */
    bool is_empty;     /* an empty match is possible wherever a match may begin */
    bool may_be_empty; /* at some places */
};

#endif
