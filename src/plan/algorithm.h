/* algorithm: what a plan stores if its options name a published algorithm, which the gallery
 * provides.
 *
 * Files of src/plan know no algorithm. The gallery fills struct plan_algorithms, which the caller
 * of plan_build passes.
 */
#ifndef TRAWL_PLAN_ALGORITHM_H
#define TRAWL_PLAN_ALGORITHM_H

#include "base/status.h"

struct plan_algorithms;

struct plan_algorithm {
    const struct plan_algorithms *of;
    const char *name; /* static text; NULL: the plan uses trawl's own methods */
    /* a copy of the name and options that the caller gave: asked_bytes, with the NUL */
    char *asked;
    uint64_t asked_bytes;
    /* bits 1u << enum trawl_engine: engines that have the algorithm with these options */
    uint32_t engines;
    bool for_records; /* the algorithm searches records separately: for trawl_matrix_open alone */
};

#define PLAN_ALGORITHM_LINES_BYTES 1024u

struct plan_algorithms {
    /* Sets name, engines and for_records of *algorithm. Errors: ARGUMENT if there is no algorithm
     * of that name, or if the algorithm does not have these options. */
    enum trawl_status (*read)(const char *asked, struct plan_algorithm *algorithm,
                              struct trawl_error *error);
    /* Errors: ARGUMENT if the algorithm does not take the plan's patterns. */
    enum trawl_status (*check)(const struct trawl_plan *plan, struct trawl_error *error);
    /* Writes lines for trawl_plan_explain, at most lines_bytes with the NUL. */
    void (*explain)(const struct trawl_plan *plan, char *lines, uint64_t lines_bytes);
    /* Returns the name of algorithm `index`, counted from 0; NULL after the last algorithm. */
    const char *(*list)(uint32_t index, const char **summary, uint32_t *engines);
};

#endif
