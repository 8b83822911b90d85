/* diff_answer: what the CPU engine's scans find under a plan, compared with the oracle. */
#ifndef TRAWL_DIFF_DIFF_ANSWER_H
#define TRAWL_DIFF_DIFF_ANSWER_H

#include "cpu/worker.h"
#include "diff/diff_input.h"
#include "trawl.h"

#define ANSWER_METHODS (TRAWL_METHOD_SET + 1)

/* What the scans were like, since the test began. */
struct answer_scans {
    uint64_t dense;      /* by the automaton, in part at least */
    uint64_t sparse;     /* by candidates alone */
    uint64_t by_parts;   /* of the plan, in the end */
    uint64_t by_classes; /* of lengths, in the end */
    uint64_t turned;     /* from or to these in the middle */
    /* the method before a scan, and the method after the scan */
    uint64_t switches[ANSWER_METHODS][ANSWER_METHODS];
};
extern struct answer_scans answer_scans;

/* The costs that a worker takes for the methods' costs, drawn anew for each scan. NULL: the
 * worker's own costs. */
extern const struct plan_costs *answer_costs;
extern uint32_t answer_costs_count;

/* Count, hits, first, lines and spans of a text that is not empty; of `expected` the matches are
 * used. */
void answer_check(const struct diff_input *input, const struct diff_expected *expected,
                  const struct trawl_plan *plan, const char *instruction_set,
                  struct test_random *random);

#endif
