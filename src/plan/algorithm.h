/* algorithm: what a plan stores if its options name a published algorithm.
 *
 * The algorithms are in gallery/, which a build may leave out, so no file of src/plan calls one by
 * name. The gallery fills a struct plan_algorithms, which is passed to plan_build.
 */
#ifndef TRAWL_PLAN_ALGORITHM_H
#define TRAWL_PLAN_ALGORITHM_H

#include "base/status.h"

struct plan_algorithms;

struct plan_algorithm {
    const struct plan_algorithms *of;
    const char *name; /* static text; NULL: the plan uses trawl's own methods */
    /* the caller's string, copied: name and options; asked_bytes long, including the NUL */
    char *asked;
    uint64_t asked_bytes;
    /* the engines that can run the algorithm with these options, as bits 1u << enum trawl_engine */
    uint32_t engines;
    /* the algorithm searches records separately, so only trawl_ask_records may use it */
    bool for_records;
};

/* What an algorithm did on a device. */
struct algorithm_work {
    union { /* the members of struct trawl_algorithm_stats after `size` */
        struct {
            uint64_t copy_ns, back_ns, kernel_ns, shifts_ns, memory_ns, host_ns;
            /* child grids; withheld: beyond child_grids_max; parts: searches with child grids */
            uint64_t children, refused, withheld, parts;
        };
        uint64_t numbers[10];
    };
    const char *note; /* how the search differs from the request; NULL: no difference */
};

static inline void algorithm_work_add(struct algorithm_work *sum, const struct algorithm_work *work)
{
    for (uint32_t i = 0; i < sizeof sum->numbers / sizeof *sum->numbers; i++)
        sum->numbers[i] += work->numbers[i];
    if (work->note != NULL)
        sum->note = work->note;
}

struct plan_algorithms {
    /* Reads a name with options, and sets name, engines and for_records of *algorithm. Errors:
     * ARGUMENT if there is no algorithm of that name, or it does not have these options. */
    enum trawl_status (*read)(const char *asked, struct plan_algorithm *algorithm,
                              struct trawl_error *error);
    /* Checks that the algorithm can search for the plan's patterns. Errors: ARGUMENT. */
    enum trawl_status (*check)(const struct trawl_plan *plan, struct trawl_error *error);
    /* Returns the name of algorithm `index`, counted from 0; NULL after the last algorithm. */
    const char *(*list)(uint32_t index, const char **summary, uint32_t *engines);
};

#endif
