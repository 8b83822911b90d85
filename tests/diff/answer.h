/* answer: what the CPU engine's scans find under a plan of method set, compared with the oracle. */
#ifndef TRAWL_DIFF_ANSWER_H
#define TRAWL_DIFF_ANSWER_H

#include "diff/input.h"
#include "trawl.h"

/* What the scans were like, since the test began. */
struct answer_scans {
    uint64_t dense;      /* by the automaton, in part at least */
    uint64_t sparse;     /* by candidates alone */
    uint64_t by_classes; /* of lengths */
};
extern struct answer_scans answer_scans;

/* Count, hits, first, lines and spans of a text that is not empty; of `expected` the matches are
 * used. */
void answer_check(const struct diff_input *input, const struct diff_expected *expected,
                  const struct trawl_plan *plan, const char *instruction_set,
                  struct test_random *random);

#endif
