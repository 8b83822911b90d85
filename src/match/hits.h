/* hits: what a scan of one chunk leaves: where occurrences begin, and of which literal. */
#ifndef TRAWL_MATCH_HITS_H
#define TRAWL_MATCH_HITS_H

#include "base/memory.h"
#include "base/status.h"

/* Ascending by (offset, literal). offset counts from the chunk's first byte. */
struct hit {
    uint32_t offset;
    uint32_t literal;
};

struct hits {
    struct hit *items;
    uint64_t count;    /* in items */
    uint64_t capacity; /* of items */
};

/* Room for `more` further hits. */
enum trawl_status hits_reserve(struct hits *hits, uint64_t more, struct trawl_error *error);
void hits_release(struct hits *hits);

#endif
