/* records: what the host and the kernel of rabin-karp-matrix agree on.
 *
 * Records are packed as published: four characters to a word, the first one lowest, and after each
 * record at least four NULs, so that no two records share a word. A record that is long goes over
 * in parts that overlap, each like a record of its own.
 */
#ifndef TRAWL_GALLERY_KERNELS_RECORDS_H
#define TRAWL_GALLERY_KERNELS_RECORDS_H

#include <stdint.h>

#define RECORDS_THREADS 256u
#define RECORDS_HASHES_MAX 4095u /* of one launch; published: "less than 4096" */

/* The window's bytes as a number to this base, modulo 2^32. */
#define RECORDS_BASE 16777619u
#define RECORDS_PUSH(hash, byte) ((hash)*RECORDS_BASE + (byte))

/* A record, or a part of one, in words[]. */
struct records_part {
    uint32_t word;
    uint32_t bytes;
};

/* Patterns of one length. */
struct records_group {
    uint32_t bytes; /* >= 1 */
    uint32_t power; /* RECORDS_BASE to the power of bytes: what a byte that leaves the window is
                       worth */
    uint32_t first; /* of their hashes in gallery_constant, */
    uint32_t count; /* and how many; ascending, each once */
};

struct records_arguments {
    const uint32_t *words;
    const struct records_part *parts;
    const struct records_group *groups;
    uint32_t *flags; /* per part: zeroed before the first launch; 1: some hash was met. -pairs:
                        behind them likewise of each part and hash */
    uint32_t part_count;
    uint32_t group_count;
    uint32_t hash_first; /* of all hashes, the first of this launch */
    uint32_t hash_count; /* all */
};

#endif
