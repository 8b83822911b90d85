/* device_tables: builds the tables with which a device searches approximately: the literals, and
 * for each gram (the codes of some adjacent symbols) the pieces that begin with it
 * (kernels/approx_grams.h). */
#ifndef TRAWL_APPROXIMATE_DEVICE_TABLES_H
#define TRAWL_APPROXIMATE_DEVICE_TABLES_H

#include "approximate/approx_compile.h"

struct approx_tables {
    uint32_t *words; /* word_count words, owned, or NULL; the layout of struct grams_arguments */
    uint64_t word_count;
    uint32_t motifs_at, segments_at, heads_at, entries_at;
    /* number of motifs, which are exact parts that are compared first; 0: exact symbols are
     * compared together with the others */
    uint32_t motif_count;
    uint32_t segment_count;
    uint32_t gram_symbols;
    bool are_shared; /* the tables are read from shared memory */
};

/* Maximum shared memory for the tables, in bytes. Tests replace this bound. */
extern uint64_t approx_shared_bytes_max;

/* Builds the tables for the plan's literals, whose symbols are classes of bytes. `shared_bytes` is
 * how much shared memory a block may have. If `whole` is false, only sets the sizes, without the
 * words. Errors: MEMORY; UNSUPPORTED if the tables would be too large. */
enum trawl_status approx_tables_make(const struct approximate *approximate, uint64_t shared_bytes,
                                     bool whole, struct approx_tables *tables,
                                     struct trawl_error *error);
/* Frees the tables and sets them to zeros. Accepts tables that are already zeros. */
void approx_tables_release(struct approx_tables *tables);

#endif
