/* nibbles: the tables by which a small set's literals are looked for at many positions at once.
 *
 * Literals are dealt to 8 classes per group; bit c of low[g][j][byte & 15], and of
 * high[g][j][byte >> 4], is set if byte at[j] of some literal of class c of group g looks so, or if
 * the literal has no such byte. A position whose bytes share a class passes. ("Teddy": Wang and
 * others, "Hyperscan: a fast multi-pattern regex matcher", NSDI 2019.) The low half of a byte tells
 * more than its high half: so of literals that are not short the low halves of more bytes are
 * looked at, and the high ones not at all; and of those bytes that are rare in usual texts, since
 * many literals begin with blanks.
 */
#ifndef TRAWL_PLAN_NIBBLES_H
#define TRAWL_PLAN_NIBBLES_H

#include <stdbool.h>
#include <stdint.h>

#define PLAN_NIBBLE_GROUPS_MAX 4u
#define PLAN_NIBBLE_LITERALS_MAX 256u
#define PLAN_NIBBLE_BYTES_MAX 8u
#define PLAN_NIBBLE_WHOLE_MAX 4u /* whole bytes, of short literals */
#define PLAN_NIBBLE_REACH 16u    /* of longer ones, bytes from among so many first */

struct plan_nibbles {
    uint32_t groups; /* 1, 2 or 4; 0: no tables */
    uint32_t bytes;  /* 1, 2 or 4, whole; or the low halves of 6 (1 or 2 groups) or 8 (2 or 4) */
    uint8_t at[PLAN_NIBBLE_BYTES_MAX]; /* where they lie in the literals */
    uint8_t low[PLAN_NIBBLE_GROUPS_MAX][PLAN_NIBBLE_BYTES_MAX][16];
    uint8_t high[PLAN_NIBBLE_GROUPS_MAX][PLAN_NIBBLE_WHOLE_MAX][16];
};

/* Are the high halves looked at, too? */
static inline bool plan_nibbles_whole(const struct plan_nibbles *nibbles)
{
    return nibbles->bytes <= PLAN_NIBBLE_WHOLE_MAX;
}

struct trawl_plan;

/* Of a set of at most PLAN_NIBBLE_LITERALS_MAX literals, whose byte_bits are known. */
void nibbles_build(struct trawl_plan *plan);

#endif
