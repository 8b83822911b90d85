/* shapes: makes random records and patterns, and compares every shape of their matrix (which record
 * contains which pattern) with the answers of a simple search. */
#ifndef TRAWL_TESTS_DIFF_SHAPES_H
#define TRAWL_TESTS_DIFF_SHAPES_H

#include "diff/diff_input.h"
#include "trawl.h"

/* The forms of an answer: cells for a sink, or a bit for each record. */
enum shapes_form { SHAPES_CELLS, SHAPES_BITS, SHAPES };

struct shapes_case {
    struct diff_input tape; /* the concatenated bytes of the records, and the patterns */
    enum trawl_method method;
    uint64_t *offsets;
    int32_t *offsets_narrow;
    uint8_t *validity;
    struct trawl_record_array array;
    int64_t *expected; /* records x patterns: the pattern's first begin in the record; -1: none */
    uint64_t rows_seen;
};

/* Makes a case: few or many records, some of them empty, of a single byte, long or null; offsets of
 * 4 and of 8 bytes; patterns from the tape, some of them twice in the list; flags. `whole`:
 * occurrences must be whole words or lines, and the method is AUTO. */
void shapes_make(struct test_random *random, bool whole, struct shapes_case *c);
/* Makes a case of records of fewer than `longest` bytes, most of which contain many of the short
 * patterns. */
void shapes_make_dense(struct test_random *random, uint64_t pattern_count, uint64_t longest,
                       struct shapes_case *c);
void shapes_free(struct shapes_case *c);
/* Builds the plan of the case's patterns, by the case's method. */
enum trawl_status shapes_plan(const struct shapes_case *c, struct trawl_plan **plan,
                              struct trawl_error *error);
/* Makes `steps` random calls with the case's plan. Each searches the records, or their bytes as a
 * text, with one of the two searchers, so that plan and searchers are used for both kinds. */
void shapes_mix(struct test_random *random, struct shapes_case *c,
                struct trawl_searcher *const searchers[2], const struct trawl_plan *plan,
                uint32_t steps);
/* Searches for the whole matrix in this form. Checks the batches that arrive, even if the search
 * fails later. */
enum trawl_status shapes_search(struct shapes_case *c, struct trawl_searcher *searcher,
                                const struct trawl_plan *plan, enum shapes_form form,
                                struct trawl_error *error);

#endif
