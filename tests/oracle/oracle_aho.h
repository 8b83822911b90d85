/* oracle_aho: the oracle for large sets and long texts, the automaton of Aho and Corasick (1975). A
 * test compares it with oracle_naive.h. Includes nothing from the library. */
#ifndef TRAWL_ORACLE_ORACLE_AHO_H
#define TRAWL_ORACLE_ORACLE_AHO_H

#include "oracle_naive.h"

/* Returns all occurrences in order of (begin, pattern index), in memory that the caller frees.
 * Returns NULL if there is no memory, or no occurrence. */
struct naive_match *aho_matches(const struct naive_query *query, struct naive_bytes text,
                                uint64_t *match_count);

#endif
