/* forms_input: random texts and patterns for answers about lines, words and records: line ends
 * around occurrences, texts that consist of line ends, plans of one pattern to hundreds. */
#ifndef TRAWL_TESTS_SIM_FORMS_INPUT_H
#define TRAWL_TESTS_SIM_FORMS_INPUT_H

#include "cuda/limits.h"
#include "diff/diff_input.h"

struct forms_sizes {
    uint64_t text_bytes_max;
    uint64_t matches_max;
};

/* Makes an input, and computes its matches. Patterns are at boundaries that the limits cause. */
void forms_input(struct test_random *random, const struct forms_sizes *sizes,
                 const struct cuda_limits *limits, struct diff_input *input,
                 struct diff_expected *expected);

#endif
