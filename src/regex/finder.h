/* finder: what finder_make notes about a sequence, and finder_match reads. */
#ifndef TRAWL_FINDER_H
#define TRAWL_FINDER_H

#include "regex/sequence_automaton.h"

/* of the bytes with which each match begins, this many are looked at */
#define LEAST_MAX 32u

struct finder {
    struct around_automaton *automaton;
    /* A match is its head, then `byte`, then the rest: the search looks for the byte if `seeks`,
     * else for places where a match may begin. */
    bool seeks;
    struct around_automaton *head; /* NULL: the head is empty */
    uint32_t head_end;             /* number of the byte's item */
    uint8_t byte;
    /* read_items can read a match, or its head */
    bool by_items, heads_by_items;
    struct sequence sequence;
    /* where a match may begin: anywhere, at the start of the text, or at the start of each line */
    enum { AT_ALL, AT_TEXT, AT_LINES } begins;
    /* the bytes with which a match may begin; starts[1]: if a character of a word comes before */
    bool starts[2][256];
    /* A match begins with at least `least` bytes; byte i may be the item item_of[i] of the
     * sequence: kinds[byte] has a bit for each of these items. */
    uint64_t least;
    uint8_t item_of[LEAST_MAX];
    uint64_t kinds[256];
    /* If these bytes are ASCII: the automaton's state after them (AROUND_FAILS: that differs), and,
     * if no match begins with them here, the distance to the next place where one may begin. */
    uint32_t after;
    uint64_t stride;
    bool is_greedy; /* if matches begin at several places of a run of the first item, one begins
                       at the start of the run */
    uint32_t first; /* number of the first item that is no assertion about the start */
    bool is_empty;  /* wherever a match may begin, an empty one does */
};

#endif
