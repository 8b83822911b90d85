/* filter: candidates among all places of a text, for each literal of a search.
 *
 * With mismatches a bit for each begin, by counting in bit planes; with edits a bit for each end,
 * by columns of Sellers' table in bits. At most 64 symbols of a literal are compared, its first
 * ones or, with edits, its last ones. So a filter may say yes where verify.h says no, but never the
 * other way round.
 */
#ifndef TRAWL_APPROXIMATE_FILTER_H
#define TRAWL_APPROXIMATE_FILTER_H

#include "base/status.h"

#define FILTER_SYMBOLS_MAX 64u
#define FILTER_BYTES_MAX 32768u /* of a look */
#define FILTER_SLACK 64u        /* bytes readable beyond those looked at */

/* What is looked for. Symbols are classes of bytes, as in struct approximate. */
struct approx_filter_literals {
    const uint64_t (*classes)[4];
    uint32_t class_count; /* at most 256 */
    uint32_t literal_count;
    const uint32_t *symbols;
    const uint64_t *symbol_begin; /* literal_count + 1 */
    const uint8_t *exact; /* bit 0: this symbol is not replaced; edits do not heed it. NULL: none */
    uint32_t errors_max;  /* at most 31, and less than each literal's symbols */
    bool edits;
};

struct approx_filter; /* immutable: for any number of threads */
struct approx_scan;   /* one thread's */

/* Keeps nothing of `literals`. Errors: MEMORY. Cost: one pass over the symbols. */
enum trawl_status approx_filter_open(const struct approx_filter_literals *literals,
                                     struct approx_filter **filter, struct trawl_error *error);
void approx_filter_close(struct approx_filter *filter); /* NULL: nothing */
/* How many literals a place is compared with: all, but for those that are looked for at some places
 * alone, since many have one exact part in common. Bringing these places together costs as much as
 * some literals. class_rate: of each class, the share of the text's bytes that are in it. */
double approx_filter_compared(const struct approx_filter *filter, const double *class_rate);
/* How many bytes one look takes at most: those that cost the least for each byte. */
uint32_t approx_filter_bytes_max(const struct approx_filter *filter);

/* Keeps the filter. The instruction set by its name, as find_by_name has them; NULL: portable.
 * Errors: MEMORY. */
enum trawl_status approx_scan_open(const struct approx_filter *filter, const char *instruction_set,
                                   struct approx_scan **scan, struct trawl_error *error);
void approx_scan_close(struct approx_scan *scan); /* NULL: nothing */

/* These bytes are searched from now on: at most approx_filter_bytes_max, and FILTER_SLACK more are
 * readable. What is beyond them, before or after, has no part in an answer. */
void approx_scan_look(struct approx_scan *scan, const uint8_t *text, uint32_t bytes);
/* One literal's candidates: literal number *literal, which is another for each index in [0,
 * literal_count). Returns how many places of [0, bytes) are candidates: place i if bit i % 64 of
 * found[i / 64] is set. found: room for FILTER_BYTES_MAX / 64 words. bytes / 64 of them, rounded
 * up, are the answer, unless it is 0. Mismatches: an occurrence begins at place i, and what is
 * compared of it lies within the bytes. Edits: some span of the bytes that ends with place i is
 * within errors_max edits. */
uint32_t approx_scan_find(struct approx_scan *scan, uint32_t index, uint32_t *literal,
                          uint64_t *found);

#endif
