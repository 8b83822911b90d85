/* nibbles: tables with which vectors compare many positions of a text with all literals of a small
 * set at once. A nibble is half a byte. (The method is "Teddy": Wang and others, "Hyperscan: a fast
 * multi-pattern regex matcher", NSDI 2019.)
 *
 * The literals are divided into groups, and those of each group into 8 slots. Bit c of
 * low[g][j][byte & 15], and of high[g][j][byte >> 4], is set if some literal in slot c of group g
 * allows this byte at offset at[j], or is too short to have a byte there. A position passes if
 * some slot is set for all its tested bytes:
 *
 *   slot 0 has "cat", slot 1 has "dog"     text    c   o   g       text    c   a   t
 *   a byte allows these slots:             slots   0   1   1       slots   0   0   0
 *   common slots:                          none: ruled out         0: compare "cat"
 *
 * The low half of a byte rules out more positions than the high half. So for longer literals, only
 * low halves are tested, but of more bytes. at[] then selects bytes that are rare in typical texts,
 * rather than, say, the blanks with which many literals begin.
 *
 * Some instruction sets can look up 64 entries at once. They test a byte's six low bits, which
 * distinguish letters, instead of four. Then fewer bytes, and two groups, are often enough, unless
 * the literals have few different bytes, like DNA.
 */
#ifndef TRAWL_PLAN_NIBBLES_H
#define TRAWL_PLAN_NIBBLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define PLAN_NIBBLE_GROUPS_MAX 4u
#define PLAN_NIBBLE_LITERALS_MAX 256u
#define PLAN_NIBBLE_BYTES_MAX 8u
#define PLAN_NIBBLE_WHOLE_MAX \
    4u /* maximum number of bytes tested in both halves, for short literals */
#define PLAN_NIBBLE_REACH 16u /* tested bytes are at offsets below this */
#define PLAN_NIBBLE_LOWS 64u  /* number of values of six low bits */

struct plan_nibbles {
    uint32_t groups; /* number of groups: 1, 2 or 4; 0: there are no tables */
    bool whole;      /* both halves of each byte are tested */
    /* Number of tested bytes. If `whole`: 2 to 4. Otherwise: 4 with 1 group, 6 with 1 or 2 groups,
     * 8 with 2 or 4 groups. */
    uint32_t bytes;
    uint8_t at[PLAN_NIBBLE_BYTES_MAX]; /* offsets of the tested bytes in the literals */
    /* Indexed by a byte's six low bits. A table for low halves repeats its 16 values four times. */
    uint8_t low[PLAN_NIBBLE_GROUPS_MAX][PLAN_NIBBLE_BYTES_MAX][PLAN_NIBBLE_LOWS];
    uint8_t high[PLAN_NIBBLE_GROUPS_MAX][PLAN_NIBBLE_WHOLE_MAX][16];
};

struct trawl_plan;

/* Gets the set's tables, for six low bits of each byte (`six`) or for low halves. The first call
 * makes them, and the plan owns them. Sets *nibbles to NULL if the set has more than
 * PLAN_NIBBLE_LITERALS_MAX literals. Errors: MEMORY. */
enum trawl_status plan_nibbles_want(const struct trawl_plan *plan, bool six,
                                    const struct plan_nibbles **nibbles, struct trawl_error *error);

#endif
