/* gallery_records: what the host and the kernel of rabin-karp-matrix agree on. "Published" means:
 * in Microsoft's C++ AMP sample of string search.
 *
 * Records are packed as published: four characters to a word (-wide: one), the first character
 * lowest, and after each record at least four NULs, and as many as fill the last word, so that no
 * two records share a word. A long record is cut into parts that overlap; the kernel treats a part
 * as a record.
 */
#ifndef TRAWL_GALLERY_KERNELS_GALLERY_RECORDS_H
#define TRAWL_GALLERY_KERNELS_GALLERY_RECORDS_H

#include <stdint.h>

#define RECORDS_THREADS 256u
#define RECORDS_HASHES_MAX 4095u /* hashes of a launch; published: "less than 4096" */

/* A hash is a window's bytes as a number to a base: modulo RECORDS_MODULUS as published, or modulo
 * 2^32 (our forms). */
#define RECORDS_MODULUS 24036583u
#define RECORDS_BASE(published) ((published) ? 17u : 16777619u)
#define RECORDS_PUSH(hash, byte, published)                            \
    ((published) ? ((hash)*RECORDS_BASE(1) + (byte)) % RECORDS_MODULUS \
                 : (hash)*RECORDS_BASE(0) + (byte))

/* A record, or a part of a record: `bytes` characters from words[word] on. */
struct records_part {
    uint32_t word;
    uint32_t bytes;
};

/* The patterns of a length. */
struct records_group {
    uint32_t bytes; /* >= 1 */
    uint32_t power; /* the base to the power of `bytes` - 1, the factor of a window's first byte */
    uint32_t first; /* index of the patterns' first hash among the launch's hashes */
    uint32_t count; /* number of the patterns' hashes, ascending, without duplicates */
};

struct records_arguments {
    const uint32_t *words;
    const struct records_part *parts;
    const struct records_group *groups;
    uint32_t *flags; /* a flag per part: 0 before the first launch, 1 if the part has some hash.
                        With -pairs, a flag per part and hash follows. */
    uint32_t part_count;
    uint32_t group_count;
    const uint32_t *hashes; /* option `global`: this launch's hashes, in global memory */
    uint32_t hash_first;    /* number of this launch's first hash among all hashes */
    uint32_t hash_count;    /* number of all hashes */
};

#endif
