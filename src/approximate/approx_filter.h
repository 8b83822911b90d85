/* approx_filter: compares each literal of an approximate search with a text at all offsets, and
 * finds the offsets that may be occurrences.
 *
 * With mismatches, the result is a bit for each start, found by counting in bit planes. With edits,
 * it is a bit for each end, found by computing rows of Sellers' table in bits. At most 64 symbols
 * of a literal are compared: the first ones or, with edits, the last ones. So a filter may accept
 * an offset that approx_verify.h rejects, but never the reverse.
 */
#ifndef TRAWL_APPROXIMATE_APPROX_FILTER_H
#define TRAWL_APPROXIMATE_APPROX_FILTER_H

#include "base/status.h"

#define FILTER_SYMBOLS_MAX 64u
/* maximum number of bytes of a stretch, the part of a text that a scan searches at a time */
#define FILTER_BYTES_MAX 32768u
#define FILTER_SLACK 64u /* how many bytes after the stretch must be readable */

struct approximate;
struct filter_ops;

/* A class of bytes, in two forms: byte b is in the class if bit b % 64 of has[b / 64] is set, or
 * equally if bit b / 16 % 8 of nibbles[b / 128][b % 16] is set. */
struct filter_class {
    uint64_t has[4];
    uint8_t nibbles[2][16];
};
void filter_class_make(const uint64_t has[4], struct filter_class *made);

struct approx_filter; /* immutable, so any number of threads may use a filter */
struct approx_scan;   /* the state of one thread */

/* Makes the filter for the plan's literals, whose symbols must be classes of bytes. Keeps no
 * pointer to *approximate. Errors: MEMORY. */
enum trawl_status approx_filter_open(const struct approximate *approximate,
                                     struct approx_filter **filter, struct trawl_error *error);
void approx_filter_close(struct approx_filter *filter); /* accepts NULL */
/* Returns the best size for a stretch, in bytes: no stretch may be larger. */
uint32_t approx_filter_bytes_max(const struct approx_filter *filter);

/* Opens a scan, which keeps a pointer to the filter. Errors: MEMORY. */
enum trawl_status approx_scan_open(const struct approx_filter *filter, const struct filter_ops *ops,
                                   struct approx_scan **scan, struct trawl_error *error);
void approx_scan_close(struct approx_scan *scan); /* accepts NULL */

/* Sets the bytes that approx_scan_find searches: at most approx_filter_bytes_max, followed by
 * FILTER_SLACK readable bytes, which do not affect the result. */
void approx_scan_set_text(struct approx_scan *scan, const uint8_t *text, uint32_t bytes);
/* Finds one literal's candidates. Returns how many offsets of [0, bytes) are candidates: offset i
 * is one if bit i % 64 of found[i / 64] is set. `found` has room for FILTER_BYTES_MAX / 64 words.
 * If the function returns 0, `found` is undefined; otherwise its first ceil(bytes / 64) words are
 * the result. With mismatches, offset i is a candidate if the literal's compared symbols, placed at
 * i, lie within the bytes and differ from them in at most errors_max symbols. With edits, it is a
 * candidate if a span of bytes that ends with byte i is within errors_max edits of these
 * symbols. */
uint32_t approx_scan_find(struct approx_scan *scan, uint32_t number, uint64_t *found);

#endif
