/* algorithm: what a plan keeps of the published algorithm that it names.
 *
 * The plan knows no algorithm. The room that has some fills the table, which plan_build gets.
 */
#ifndef TRAWL_PLAN_ALGORITHM_H
#define TRAWL_PLAN_ALGORITHM_H

#include "base/status.h"

struct plan_algorithms;

struct plan_algorithm {
    const struct plan_algorithms *of;
    const char *name; /* static text; NULL: trawl's own methods */
    char *asked;      /* name and options as they were given: asked_bytes, with the NUL */
    uint64_t asked_bytes;
    uint32_t engines; /* that have it with these options, bits 1u << enum trawl_engine */
    bool for_records; /* it searches records one by one: trawl_matrix_open alone */
};

#define PLAN_ALGORITHM_LINES_BYTES 1024u

struct plan_algorithms {
    /* Fill in name, engines and for_records. ARGUMENT: there is no such algorithm, or it has no
     * such options. */
    enum trawl_status (*read)(const char *asked, struct plan_algorithm *algorithm,
                              struct trawl_error *error);
    /* ARGUMENT: the algorithm does not take the plan's patterns. */
    enum trawl_status (*check)(const struct trawl_plan *plan, struct trawl_error *error);
    /* Lines for trawl_plan_explain. */
    void (*explain)(const struct trawl_plan *plan, char *lines, uint64_t lines_bytes);
    /* The algorithm with this number, from 0 on; NULL after the last. */
    const char *(*list)(uint32_t index, const char **summary, uint32_t *engines);
};

#endif
