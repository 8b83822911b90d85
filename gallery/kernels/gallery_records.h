/* gallery_records: the interface between the host and the kernels of rabin-karp-matrix. "Published"
 * means: in Microsoft's C++ AMP sample of string search.
 *
 * Records are packed as published, four characters to a word (-wide: one), and padded with at least
 * four NULs up to a whole word, so that no two records share a word. A long record is cut into
 * parts that overlap; to the kernel, a part is a record.
 *
 *   "kitty"   word 0: k i t t    word 1: y 0 0 0    word 2: 0 0 0 0    (lowest byte first)
 */
#ifndef TRAWL_GALLERY_KERNELS_GALLERY_RECORDS_H
#define TRAWL_GALLERY_KERNELS_GALLERY_RECORDS_H

#include <stdint.h>

#define RECORDS_THREADS 256u
#define RECORDS_HASHES_MAX \
    4095u /* maximum number of hashes per launch; published: "less than 4096" */

/* A hash is a window's bytes as a number to a base, modulo RECORDS_MODULUS as published, or modulo
 * 2^32 (ours). */
#define RECORDS_MODULUS 24036583u
#define RECORDS_BASE(published) ((published) ? 17u : 16777619u)
#define RECORDS_PUSH(hash, byte, published)                            \
    ((published) ? ((hash)*RECORDS_BASE(1) + (byte)) % RECORDS_MODULUS \
                 : (hash)*RECORDS_BASE(0) + (byte))

/* A record, or a part of one: `bytes` characters starting at words[word]. */
struct records_part {
    uint32_t word;
    uint32_t bytes;
};

/* A launch's hashes of the patterns of one length. */
struct records_group {
    uint32_t bytes; /* the length, >= 1 */
    /* base to the power bytes - 1, modulo RECORDS_MODULUS or 2^32: the factor of a window's first
     * byte */
    uint32_t power;
    uint32_t first; /* index of the group's first hash among the launch's */
    uint32_t count; /* number of hashes, which ascend without duplicates */
};

struct records_arguments {
    const uint32_t *words;
    const struct records_part *parts;
    const struct records_group *groups;
    uint32_t *flags; /* per part: 0 before the first launch, 1 if a window has one of the hashes;
                        with -pairs, then a flag per part and hash */
    uint32_t part_count;
    uint32_t group_count;
    const uint32_t *hashes; /* option `global`: the launch's hashes */
    uint32_t hash_first;    /* index of the launch's first hash among those of all launches */
    uint32_t hash_count;    /* hashes of all launches */
};

#endif
