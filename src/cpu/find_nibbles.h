/* find_nibbles: tests nibble tables by vectors.
 *
 * A variant defines, before it includes this file:
 *   nibble_vector               the type of a vector of bytes
 *   nibble_table(bytes)         loads a table of 16 bytes into each 16 bytes of a vector
 *   nibble_lookup(table, at)    returns the table's entry for each half byte
 *   nibble_bits(vectors)        returns 64 bits: bit i is set if byte i of the vectors is not 0
 */
#ifndef TRAWL_CPU_FIND_NIBBLES_H
#define TRAWL_CPU_FIND_NIBBLES_H

#include <string.h>

#include "cpu/find.h"

#define HAS_NIBBLES
#define NIBBLE_VECTORS (64 / sizeof(nibble_vector))

/* The tables of a group. */
struct nibble_tables {
    nibble_vector low[PLAN_NIBBLE_BYTES_MAX], high[PLAN_NIBBLE_WHOLE_MAX];
};

static inline void nibbles_load(struct nibble_tables *tables, const struct plan_nibbles *nibbles)
{
    for (uint32_t g = 0; g < PLAN_NIBBLE_GROUPS_MAX; g++) {
        for (uint32_t j = 0; j < PLAN_NIBBLE_BYTES_MAX; j++)
            tables[g].low[j] = nibble_table(nibbles->low[g][j]);
        for (uint32_t j = 0; j < PLAN_NIBBLE_WHOLE_MAX; j++)
            tables[g].high[j] = nibble_table(nibbles->high[g][j]);
    }
}

/* Returns for each position the slots that a group's literals and the position's bytes have in
 * common. */
static inline __attribute__((always_inline)) nibble_vector nibbles_shared(
    const struct nibble_tables *tables, const nibble_vector *low, const nibble_vector *high,
    uint32_t bytes, bool whole)
{
    nibble_vector shared = nibble_lookup(tables->low[0], low[0]);

    for (uint32_t j = 1; j < bytes; j++)
        shared &= nibble_lookup(tables->low[j], low[j]);
    for (uint32_t j = 0; whole && j < bytes; j++)
        shared &= nibble_lookup(tables->high[j], high[j]);
    return shared;
}

/* Returns the positions that pass, of 64 positions, tested by the bytes at offsets `at`. `bytes`,
 * `whole` and `groups` are compile-time constants. */
static inline __attribute__((always_inline)) uint64_t block_nibbles(
    const uint8_t *text, const struct nibble_tables *tables, const uint64_t *at, uint32_t bytes,
    bool whole, uint32_t groups)
{
    nibble_vector passed[NIBBLE_VECTORS];

    for (uint32_t i = 0; i < NIBBLE_VECTORS; i++) {
        nibble_vector low[PLAN_NIBBLE_BYTES_MAX], high[PLAN_NIBBLE_WHOLE_MAX];

        for (uint32_t j = 0; j < bytes; j++) {
            nibble_vector loaded;

            memcpy(&loaded, text + sizeof loaded * i + at[j], sizeof loaded);
            low[j] = loaded & 15;
            if (whole)
                high[j] = loaded >> 4;
        }
        passed[i] = nibbles_shared(&tables[0], low, high, bytes, whole);
        for (uint32_t g = 1; g < groups; g++)
            passed[i] |= nibbles_shared(&tables[g], low, high, bytes, whole);
    }
    return nibble_bits(passed);
}

#endif
