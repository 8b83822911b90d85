/* distance: a literal beside a stretch of text, both as sequences of symbols, and how far spans of
 * the one are from the other. */
#ifndef TRAWL_APPROXIMATE_DISTANCE_H
#define TRAWL_APPROXIMATE_DISTANCE_H

#include "approximate/compile.h"

#define DISTANCE_ENDS_MAX 512u /* of one call */
#define DISTANCE_SPANS (2 * TRAWL_ERRORS_MAX + 1)

/* Pairs of characters that a plan's `utf8` was asked about. */
#define DISTANCE_ASKED 1024u

struct approx_pair {
    const struct approximate *approximate;
    uint32_t literal;
    int64_t count; /* of its symbols: */
    const uint32_t *symbols;
    const uint8_t *exact; /* as in struct approximate; NULL: no exact parts */
    const uint8_t *plain; /* its bytes, where these are compared as they are; else NULL */
    /* Place i of the text is a byte, or a character: */
    const uint8_t *text;        /* text[i] */
    const uint32_t *characters; /* NULL, or characters[i] */
    int64_t begin;              /* places in [begin, end) are at hand */
    int64_t end;
    uint64_t asked[DISTANCE_ASKED]; /* (symbol, character, 1: they are equal); 0: none */
};

void pair_open(struct approx_pair *pair, const struct approximate *approximate);
void pair_literal(struct approx_pair *pair, uint32_t literal);

/* Does the literal's symbol equal this character of a text? */
bool pair_equals_character(struct approx_pair *pair, uint32_t symbol, uint32_t character);

/* Mismatches of the literal with the count symbols from `begin` on, k + 1 where there are more or
 * one is in an exact part. All of these places are at hand. */
uint32_t pair_mismatches(struct approx_pair *pair, int64_t begin);

/* Edits, without regard to exact parts: distances[e - from] is the least distance of the literal
 * from a span that ends at place e, k + 1 where that is more than k; for all e in [from, to],
 * places in [begin, end], at most DISTANCE_ENDS_MAX of them. */
void pair_distances(struct approx_pair *pair, int64_t from, int64_t to, uint8_t *distances);

/* Edits outside of exact parts: costs[most + x] is the distance of the literal from the span that
 * ends at `end` and has count + x symbols, for x in [-most, most]; most + 1 where that is more than
 * `most`, or there is no such span. */
void pair_spans(struct approx_pair *pair, int64_t end, uint32_t most,
                uint8_t costs[DISTANCE_SPANS]);

#endif
