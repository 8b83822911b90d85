/* nibbles: declares tables by which vector code compares all literals of a small set with many
 * positions of a text at once.
 *
 * The literals are divided into groups, and the literals of each group into 8 slots. Bit c of
 * low[g][j][byte & 15], and of high[g][j][byte >> 4], is set if some literal of slot c of group g
 * allows this byte at offset at[j], or is too short to have a byte there. A position passes if all
 * of its tested bytes have a slot in common ("Teddy": Wang and others, "Hyperscan: a fast
 * multi-pattern regex matcher", NSDI 2019).
 *
 * The low half of a byte rules out more positions than the high half. For literals that are not
 * short, the search therefore tests only low halves, but of more bytes. at[] then names the bytes
 * that are rare in usual texts, because many literals begin with blanks.
 *
 * An instruction set that looks up 64 entries at once tests the six low bits of a byte, which tell
 * letters apart, where others test the low half. Two groups then suffice, and often fewer bytes.
 */
#ifndef TRAWL_PLAN_NIBBLES_H
#define TRAWL_PLAN_NIBBLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define PLAN_NIBBLE_GROUPS_MAX 4u
#define PLAN_NIBBLE_LITERALS_MAX 256u
#define PLAN_NIBBLE_BYTES_MAX 8u
#define PLAN_NIBBLE_WHOLE_MAX 4u /* bytes that are tested whole, for short literals */
#define PLAN_NIBBLE_REACH 16u    /* for longer literals, at[j] < this */
#define PLAN_NIBBLE_LOWS 64u     /* values of a byte's six low bits */

struct plan_nibbles {
    uint32_t groups; /* 1, 2 or 4; 0: no tables */
    bool whole;      /* the high halves of the bytes are tested, too */
    /* whole: 1 to 4; else 4 (1 group), 6 (1 or 2 groups) or 8 (2 or 4 groups) */
    uint32_t bytes;
    uint8_t at[PLAN_NIBBLE_BYTES_MAX]; /* offsets of the tested bytes in the literals */
    /* by a byte's six low bits; tables of low halves have each value four times */
    uint8_t low[PLAN_NIBBLE_GROUPS_MAX][PLAN_NIBBLE_BYTES_MAX][PLAN_NIBBLE_LOWS];
    uint8_t high[PLAN_NIBBLE_GROUPS_MAX][PLAN_NIBBLE_WHOLE_MAX][16];
};

struct trawl_plan;

/* Sets *nibbles to the tables of a set, for six low bits of a byte (`six`) or for low halves. The
 * first call makes the tables, and the plan owns them. *nibbles = NULL: the set has more than
 * PLAN_NIBBLE_LITERALS_MAX literals. Errors: MEMORY. */
enum trawl_status plan_nibbles_want(const struct trawl_plan *plan, bool six,
                                    const struct plan_nibbles **nibbles, struct trawl_error *error);

#endif
