/* find_nibbles: finds candidates of a small set with nibble tables: indexed by half a byte (a
 * nibble), they say which literals may have it at some offset (plan/nibbles.h). Uses the vectors of
 * cpu/lookups.h, which the variant includes first. */
#ifndef TRAWL_CPU_FIND_NIBBLES_H
#define TRAWL_CPU_FIND_NIBBLES_H

#include "cpu/find.h"

#define HAS_NIBBLES

/* A variant that looks up six low bits of a byte instead of four defines low_table, low_of and
 * low_lookup itself. */
#ifndef LOOKS_SIX
#define LOOKS_SIX false
#define low_table bytes_table
#define low_of(bytes) ((bytes)&15)
#define low_lookup bytes_lookup
#endif

/* The tables of a group of literals, for the low and the high halves of the tested bytes. */
struct nibble_tables {
    bytes_vector low[PLAN_NIBBLE_BYTES_MAX], high[PLAN_NIBBLE_WHOLE_MAX];
};

/* Loads the tables that the search uses. `bytes`, `whole` and `groups` are compile-time constants,
 * so that no unused table is loaded. */
static inline __attribute__((always_inline)) void nibbles_load(struct nibble_tables *tables,
                                                               const struct plan_nibbles *nibbles,
                                                               uint32_t bytes, bool whole,
                                                               uint32_t groups)
{
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t j = 0; j < bytes; j++)
            tables[g].low[j] = low_table(nibbles->low[g][j]);
        for (uint32_t j = 0; whole && j < bytes; j++)
            tables[g].high[j] = bytes_table(nibbles->high[g][j]);
    }
}

/* Returns for each position the slots (bits that stand for literals of the group) that all its
 * tested bytes allow. */
static inline __attribute__((always_inline)) bytes_vector nibbles_shared(
    const struct nibble_tables *tables, const bytes_vector *low, const bytes_vector *high,
    uint32_t bytes, bool whole)
{
    bytes_vector shared = low_lookup(tables->low[0], low[0]);

    for (uint32_t j = 1; j < bytes; j++)
        shared &= low_lookup(tables->low[j], low[j]);
    for (uint32_t j = 0; whole && j < bytes; j++)
        shared &= bytes_lookup(tables->high[j], high[j]);
    return shared;
}

/* Returns which of 64 positions pass, testing the text's bytes at the offsets `at`. `bytes`,
 * `whole` and `groups` are compile-time constants. */
static inline __attribute__((always_inline)) uint64_t block_nibbles(
    const uint8_t *text, const struct nibble_tables *tables, const uint64_t *at, uint32_t bytes,
    bool whole, uint32_t groups)
{
    bytes_vector passed[BYTES_VECTORS];

    for (uint32_t i = 0; i < BYTES_VECTORS; i++) {
        bytes_vector low[PLAN_NIBBLE_BYTES_MAX], high[PLAN_NIBBLE_WHOLE_MAX];

        for (uint32_t j = 0; j < bytes; j++) {
            bytes_vector loaded = bytes_load(text + VECTOR_BYTES * i + at[j]);

            low[j] = low_of(loaded);
            if (whole)
                high[j] = loaded >> 4;
        }
        passed[i] = nibbles_shared(&tables[0], low, high, bytes, whole);
        for (uint32_t g = 1; g < groups; g++)
            passed[i] |= nibbles_shared(&tables[g], low, high, bytes, whole);
    }
    return bytes_mask(passed);
}

#endif
