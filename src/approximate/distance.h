/* distance: computes the distances of a literal from spans (substrings) of a text. */
#ifndef TRAWL_APPROXIMATE_DISTANCE_H
#define TRAWL_APPROXIMATE_DISTANCE_H

#include "approximate/approx_compile.h"

#define DISTANCE_ENDS_MAX 512u /* the most ends of one call */
#define DISTANCE_SPANS (2 * TRAWL_ERRORS_MAX + 1)

/* number of remembered answers of the caller's rules for letters (struct trawl_letters), by which
 * two characters may be equal */
#define DISTANCE_ASKED 1024u

struct approx_pair {
    const struct approximate *approximate;
    uint32_t literal;
    int64_t count; /* number of the literal's symbols */
    const uint32_t *symbols;
    const uint8_t *exact; /* APPROX_EXACT_* flags of each symbol; NULL: no exact parts */
    /* the literal's bytes if each is a symbol that equals no other byte, otherwise NULL */
    const uint8_t *bytes;
    const uint8_t *plain; /* `bytes`; NULL if the places are `characters` */
    /* Place i of the text is its symbol i: characters[i], or the byte text[i] if `characters` is
     * NULL. With the alphabet TRAWL_CHARACTERS, places that are bytes are ASCII. */
    const uint8_t *text;
    const uint32_t *characters;
    int64_t begin; /* the current places are [begin, end) */
    int64_t end;
    /* remembered answers, each (symbol, character, 1 if both are equal); 0: no answer */
    uint64_t asked[DISTANCE_ASKED];
};

void pair_open(struct approx_pair *pair, const struct approximate *approximate);
void pair_literal(struct approx_pair *pair, uint32_t literal);
/* Makes the bytes [begin, end) of `text` the current places. If `characters` is not NULL, makes the
 * characters [begin, end) the current places. */
void pair_places(struct approx_pair *pair, const uint8_t *text, const uint32_t *characters,
                 int64_t begin, int64_t end);

/* Returns true if the literal's symbol equals this character of a text. */
bool pair_equals_character(struct approx_pair *pair, uint32_t symbol, uint32_t character);

/* Returns the number of mismatches between the literal and the `count` current places starting
 * at `begin`. Returns k + 1 (k is errors_max) if there are more than k mismatches, or if a mismatch
 * lies in an exact part. */
uint32_t pair_mismatches(struct approx_pair *pair, int64_t begin);

/* Computes edits without regard to exact parts, for each place e in [from, to]: distances[e - from]
 * is the least distance of the literal from a span that ends at e, or k + 1 if that distance
 * exceeds k. [from, to] lies in [begin, end] and has at most DISTANCE_ENDS_MAX places. */
void pair_distances(struct approx_pair *pair, int64_t from, int64_t to, uint8_t *distances);

/* Computes edits outside of exact parts: costs[most + x] is the distance of the literal from the
 * span that ends at `end` and has count + x symbols, for x in [-most, most]. The cost is most + 1
 * if the distance exceeds `most` or if there is no such span. */
void pair_spans(struct approx_pair *pair, int64_t end, uint32_t most,
                uint8_t costs[DISTANCE_SPANS]);

#endif
