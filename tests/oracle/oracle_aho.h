/* oracle_aho: the oracle for large sets and long texts, the automaton of Aho and Corasick (1975). A
 * test compares it with oracle_naive.h. Includes nothing from the library. */
#ifndef TRAWL_ORACLE_ORACLE_AHO_H
#define TRAWL_ORACLE_ORACLE_AHO_H

#include "oracle_naive.h"

/* The automaton of a query, which must outlive it; NULL: there is no memory. */
struct aho *aho_open(const struct naive_query *query);
void aho_close(struct aho *aho);

/* Calls found(context, end, pattern index) for each occurrence that ends after `begin` and not
 * after `end`, in the order of ends, until it returns false. Threads may read parts of a text at
 * once. */
typedef bool aho_found(void *context, uint64_t end, uint32_t pattern);
void aho_read(const struct aho *aho, struct naive_bytes text, uint64_t begin, uint64_t end,
              aho_found *found, void *context);

/* Returns all occurrences in order of (begin, pattern index), in memory that the caller frees.
 * Returns NULL if there is no memory, or no occurrence. */
struct naive_match *aho_matches(const struct naive_query *query, struct naive_bytes text,
                                uint64_t *match_count);

#endif
