/* hits: what a scan of one chunk leaves: where occurrences begin, and of which literal. */
#ifndef TRAWL_MATCH_HITS_H
#define TRAWL_MATCH_HITS_H

#include "base/memory.h"
#include "base/status.h"

/* Ascending by (offset, literal). offset counts from the chunk's first byte. */
struct hit {
    uint32_t offset;
    uint32_t literal; /* index into the plan's literals */
};

struct hits {
    struct hit *items; /* owned, like lengths */
    uint64_t
        *lengths;   /* of the occurrences, where their literals do not say it: NULL, or capacity */
    uint64_t count; /* in items */
    uint64_t capacity;  /* of items */
    bool lengths_valid; /* lengths hold those of all items */
    bool one_per_line;  /* no two of them begin in one line */
};

/* Hits that stay where an engine's worker keeps them, until its next scan. Offset + shift, modulo
 * 2^64, counts from the chunk's first byte. */
struct hits_lent {
    const struct hit *items;
    const uint16_t *lengths; /* of each of them */
    uint64_t count;
    uint64_t shift;
};

/* How often a literal occurs, apart from hits. */
struct tally {
    uint32_t literal;
    uint32_t count;
};

struct tallies {
    struct tally *items; /* owned */
    uint64_t count;
    uint64_t capacity;
};

enum trawl_status tallies_reserve(struct tallies *tallies, uint64_t more,
                                  struct trawl_error *error);
void tallies_release(struct tallies *tallies);

/* Room for `more` further hits. */
enum trawl_status hits_reserve(struct hits *hits, uint64_t more, struct trawl_error *error);
/* The same, for lengths too. Keeps those there are. */
enum trawl_status hits_reserve_lengths(struct hits *hits, uint64_t more, struct trawl_error *error);
void hits_release(struct hits *hits);

#endif
