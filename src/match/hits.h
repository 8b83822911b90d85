/* hits: the result of a scan of a chunk: where occurrences begin, and of which literals. */
#ifndef TRAWL_MATCH_HITS_H
#define TRAWL_MATCH_HITS_H

#include "base/memory.h"
#include "base/status.h"

/* An occurrence. Arrays of hits are sorted by (offset, literal). The offset counts from the chunk's
 * first byte. */
struct hit {
    uint32_t offset;
    uint32_t literal; /* number of the literal (the string that occurs) in the plan */
};

/* In approximate search, an entry of hits.lengths is two numbers: the occurrence's length and, in
 * the bits at HITS_DISTANCE_SHIFT and above, its number of errors. */
#define HITS_DISTANCE_SHIFT 56u

/* In a search of records for expressions, an empty match after a record's last byte is a hit at the
 * offset of that byte, with this entry of hits.lengths. Other empty matches have the entry 0. */
#define HITS_EMPTY_AFTER (UINT64_C(1) << HITS_DISTANCE_SHIFT)

static inline uint64_t hits_length(uint64_t word)
{
    return word & ((UINT64_C(1) << HITS_DISTANCE_SHIFT) - 1);
}

static inline uint32_t hits_distance(uint64_t word)
{
    return (uint32_t)(word >> HITS_DISTANCE_SHIFT);
}

struct hits {
    struct hit *items; /* an array of hits; owned, like `lengths` */
    /* `capacity` words for hits_length and hits_distance; NULL if each occurrence is as long as its
     * literal */
    uint64_t *lengths;
    uint64_t count;     /* number of hits */
    uint64_t capacity;  /* how many hits there is room for */
    bool lengths_valid; /* lengths[0] to lengths[count - 1] are set */
    bool one_per_line;  /* no two hits begin in the same line */
};

/* Makes room for `more` additional hits. If the array grows, drops lengths. Errors: MEMORY. */
enum trawl_status hits_reserve(struct hits *hits, uint64_t more, struct trawl_error *error);
/* Like hits_reserve, for items and lengths; keeps the lengths that are set. Errors: MEMORY. */
enum trawl_status hits_reserve_lengths(struct hits *hits, uint64_t more, struct trawl_error *error);
void hits_release(struct hits *hits);

/* The hits of a part of a plan. A part is itself a plan, for some of the whole plan's patterns. */
struct hits_part {
    const struct hits *hits;
    const uint32_t *literals; /* literals[i]: the whole plan's number for literal i */
    uint64_t next;            /* index of the first hit that has not been merged yet */
};

/* Appends the parts' hits with an offset less than `below` to `into`, in ascending order. The
 * parts' hits must not have lengths. Errors: MEMORY. */
enum trawl_status hits_merge(struct hits *into, struct hits_part *parts, uint32_t count,
                             uint64_t below, struct trawl_error *error);

#endif
