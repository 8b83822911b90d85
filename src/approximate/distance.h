/* distance: computes the distances between a literal and spans (substrings) of a text. */
#ifndef TRAWL_APPROXIMATE_DISTANCE_H
#define TRAWL_APPROXIMATE_DISTANCE_H

#include "approximate/approx_compile.h"

#define DISTANCE_ENDS_MAX 512u /* maximum number of ends of spans in one call */
#define DISTANCE_SPANS (2 * TRAWL_ERRORS_MAX + 1)

/* how many results of the caller's rules for letters (struct trawl_letters) are cached: whether two
 * characters are equal */
#define DISTANCE_ASKED 1024u

struct approx_pair {
    const struct approximate *approximate;
    uint32_t literal;
    int64_t count; /* number of the literal's symbols */
    const uint32_t *symbols;
    const uint8_t *exact; /* APPROX_EXACT_* flags of each symbol; NULL: no exact parts */
    /* the literal's bytes, if each is a symbol that equals no other byte; otherwise NULL */
    const uint8_t *bytes;
    const uint8_t *plain; /* `bytes`, or NULL if places are characters */
    /* A place of the text is one of its symbols. Place i is characters[i] or, if `characters` is
     * NULL, the byte text[i]. With the alphabet TRAWL_CHARACTERS, places that are bytes are
     * ASCII. */
    const uint8_t *text;
    const uint32_t *characters;
    int64_t begin; /* the current places are [begin, end) */
    int64_t end;
    /* cached results, each (symbol, character, 1 if they are equal); 0: no result */
    uint64_t asked[DISTANCE_ASKED];
};

void pair_begin(struct approx_pair *pair, const struct approximate *approximate);
void pair_literal(struct approx_pair *pair, uint32_t literal);
/* Sets the current places: the bytes [begin, end) of `text` or, if `characters` is not NULL, the
 * characters [begin, end). */
void pair_set_text(struct approx_pair *pair, const uint8_t *text, const uint32_t *characters,
                   int64_t begin, int64_t end);

/* Returns true if the literal's symbol equals this character of a text. */
bool pair_equals_character(struct approx_pair *pair, uint32_t symbol, uint32_t character);

/* Returns the number of mismatches between the literal and the places that begin at `begin`; k + 1
 * (k is errors_max) if there are more than k, or if one of them lies in an exact part. */
uint32_t pair_mismatches(struct approx_pair *pair, int64_t begin);

/* Computes edits outside of exact parts. For each place e in [from, to], distances[e - from] is the
 * smallest distance between the literal and a span that ends at e, or k + 1 if it exceeds k. [from,
 * to] lies in [begin, end] and has at most DISTANCE_ENDS_MAX places. */
void pair_distances(struct approx_pair *pair, int64_t from, int64_t to, uint8_t *distances);

/* The same for spans that end at a place. For x in [-most, most], costs[most + x] is the distance
 * between the literal and the span that ends at `end` and has count + x symbols, or most + 1 if
 * that distance exceeds `max` or there is no such span. */
void pair_spans(struct approx_pair *pair, int64_t end, uint32_t max, uint8_t costs[DISTANCE_SPANS]);

#endif
