/* device_tables: what a device searches with errors by: literals, and the pieces that begin with
 * each gram (kernels/grams.h). */
#ifndef TRAWL_APPROXIMATE_DEVICE_TABLES_H
#define TRAWL_APPROXIMATE_DEVICE_TABLES_H

#include "approximate/compile.h"

struct approx_tables {
    uint32_t *words; /* owned, word_count or NULL; as struct grams_arguments has them */
    uint64_t word_count;
    uint32_t motifs_at, segments_at, heads_at, entries_at;
    uint32_t motif_count; /* 0: what is exact is compared with the rest */
    uint32_t segment_count;
    uint32_t gram_symbols;
    bool are_shared; /* they fit in shared memory */
};

/* Replaced by tests: no more shared memory than this. */
extern uint64_t approx_shared_bytes_max;

/* Of the plan's literals, which are classes of bytes; shared_bytes: what a block may have. whole
 * false: set the sizes alone, without the words. Errors: MEMORY; UNSUPPORTED: they would be too
 * large. */
enum trawl_status approx_tables_make(const struct approximate *approximate, uint64_t shared_bytes,
                                     bool whole, struct approx_tables *tables,
                                     struct trawl_error *error);
/* Zeroed ones are accepted, and left. */
void approx_tables_release(struct approx_tables *tables);

#endif
