/* limits: sizes that tests make small, beside those of the CUDA engine's workers. */
#ifndef TRAWL_GALLERY_LIMITS_H
#define TRAWL_GALLERY_LIMITS_H

#include <stdint.h>

struct gallery_limits {
    uint64_t part_bytes;        /* word-chunked's text at a time */
    uint64_t record_bytes;      /* of a record that a thread of rabin-karp-matrix looks at */
    uint32_t shift_begins;      /* per thread of gallery_shifts_text */
    uint32_t child_threads_max; /* per block of a child grid */
    uint32_t child_grids_max;   /* per kernel; 0: what the device has room for */
    uint32_t trie_states_max;   /* aho-corasick's, 1,028 bytes each */
};

extern const struct gallery_limits gallery_limits_default;

/* The limits that workers opened from now on use; NULL: the default. Copied. Not thread-safe. */
void gallery_limits_replace(const struct gallery_limits *limits);

#endif
