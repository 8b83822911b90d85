/* shapes: random records and patterns, and every shape of their matrix compared with the oracle. */
#ifndef TRAWL_TESTS_DIFF_SHAPES_H
#define TRAWL_TESTS_DIFF_SHAPES_H

#include "diff/diff_input.h"
#include "trawl.h"

#define SHAPES (TRAWL_MATRIX_ANY + 1)

struct shapes_case {
    struct diff_input tape; /* and the patterns */
    enum trawl_method method;
    uint64_t *offsets;
    int32_t *offsets_narrow;
    uint8_t *validity;
    struct trawl_record_array array;
    int64_t *expected; /* records x patterns: where each first begins, or -1 */
    uint64_t rows_seen;
};

/* Few or many records, among them empty ones, ones of one byte, and long ones; offsets of either
 * width; some are null; patterns from the tape, some twice; flags. */
void shapes_make(struct test_random *random, struct shapes_case *c);
void shapes_free(struct shapes_case *c);
/* Builds the plan of the case's patterns, by the case's method. */
enum trawl_status shapes_plan(const struct shapes_case *c, struct trawl_plan **plan,
                              struct trawl_error *error);
/* Pulls the whole matrix in this shape. Checks the batches that come, also if the search fails
 * later. */
enum trawl_status shapes_pull(struct shapes_case *c, struct trawl_searcher *searcher,
                              const struct trawl_plan *plan, enum trawl_matrix_shape shape,
                              struct trawl_error *error);

#endif
