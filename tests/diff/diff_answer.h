/* diff_answer: compares what the CPU engine finds under a plan with the expected matches. */
#ifndef TRAWL_DIFF_DIFF_ANSWER_H
#define TRAWL_DIFF_DIFF_ANSWER_H

#include "cpu/worker.h"
#include "diff/diff_input.h"
#include "trawl.h"

#define ANSWER_METHODS (TRAWL_METHOD_SET + 1)

/* Numbers of scans since the test began. */
struct answer_scans {
    uint64_t dense;  /* the automaton searched at least a part of the chunk */
    uint64_t sparse; /* no part was searched with the automaton */
    /* at the end, each string, or each part of the set (strings of similar lengths), was searched
     * separately */
    uint64_t by_parts;
    uint64_t by_classes; /* at the end, the set was searched with the classes method */
    uint64_t turned;     /* the search changed its strategy within the scan */
    /* switches[a][b]: the worker had method a before the scan and method b after the scan */
    uint64_t switches[ANSWER_METHODS][ANSWER_METHODS];
};
extern struct answer_scans answer_scans;

/* An array of rows, each with the costs of all methods. For each scan, the test draws the row with
 * which the worker chooses a method. If answer_costs is NULL, the worker's own costs decide. */
extern const struct plan_costs *answer_costs;
extern uint32_t answer_costs_count;

/* Scans a nonempty text for its count, hits, first hit, lines and spans, and checks the answers by
 * expected->matches. */
void answer_check(const struct diff_input *input, const struct diff_expected *expected,
                  const struct trawl_plan *plan, const char *instruction_set,
                  struct test_random *random);

#endif
