/* gallery_limits: the gallery's limits. Tests lower them, to reach all cases with small texts. */
#ifndef TRAWL_GALLERY_GALLERY_LIMITS_H
#define TRAWL_GALLERY_GALLERY_LIMITS_H

#include <stdint.h>

struct gallery_limits {
    uint64_t part_bytes; /* text bytes that word-chunked copies at a time */
    /* a thread of rabin-karp-matrix searches at most this many bytes of a record; longer records
     * are cut into parts. Raised to twice the longest pattern. */
    uint64_t record_bytes;
    uint32_t shift_begins;      /* start offsets per thread of gallery_shifts_text */
    uint32_t child_threads_max; /* maximum number of threads per block of a child grid */
    uint32_t child_grids_max; /* maximum number of child grids per kernel; 0: as many as the device
                                 takes */
    /* A part of a text with more windows than may get a child grid is searched again in smaller
     * parts, but not in parts with fewer start offsets than this. */
    uint64_t child_begins_min;
    uint32_t
        trie_states_max; /* maximum number of states in aho-corasick's trie, 1,028 bytes each */
};

extern const struct gallery_limits gallery_limits_default;

/* Sets the limits of workers that are opened later; NULL restores the default. The limits are
 * copied. Not thread-safe. */
void gallery_limits_replace(const struct gallery_limits *limits);

#endif
