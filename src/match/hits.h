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

/* Of plans with errors each hit has a length, and its distance above it. */
#define HITS_DISTANCE_SHIFT 56u

static inline uint64_t hits_length(uint64_t word)
{
    return word & ((UINT64_C(1) << HITS_DISTANCE_SHIFT) - 1);
}

static inline uint32_t hits_distance(uint64_t word)
{
    return (uint32_t)(word >> HITS_DISTANCE_SHIFT);
}

struct hits {
    struct hit *items;  /* owned, like lengths */
    uint64_t *lengths;  /* of the occurrences, where their literals do not say it, for hits_length
                           and hits_distance: NULL, or capacity */
    uint64_t count;     /* in items */
    uint64_t capacity;  /* of items */
    bool lengths_valid; /* lengths hold those of all items */
    bool one_per_line;  /* no two of them begin in one line */
};

/* Room for `more` further hits. */
enum trawl_status hits_reserve(struct hits *hits, uint64_t more, struct trawl_error *error);
/* The same, for lengths too. Keeps those there are. */
enum trawl_status hits_reserve_lengths(struct hits *hits, uint64_t more, struct trawl_error *error);
void hits_release(struct hits *hits);

/* Hits of a part of a plan (plan/parts.h). */
struct hits_part {
    const struct hits *hits;
    const uint32_t *literals; /* the whole plan's number of each of the part's literals */
    uint64_t next;            /* of the hits: the first that is not merged yet */
};

/* Append the parts' hits with offsets below `below` to `into`, in order. No part has
 * lengths. Errors: MEMORY. */
enum trawl_status hits_merge(struct hits *into, struct hits_part *parts, uint32_t count,
                             uint64_t below, struct trawl_error *error);

#endif
