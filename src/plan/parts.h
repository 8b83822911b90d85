/* parts: a set of strings of several lengths, cut into smaller sets by length.
 *
 * The filter of a set looks at as many bytes of the text as its shortest string has. One string of
 * two bytes therefore makes the filter pass nearly every position for all the long strings beside
 * it. Searched in parts, the short strings meet a filter of their own, and the long strings meet a
 * filter that hardly ever passes. The counts of the parts add up; their hits are merged.
 */
#ifndef TRAWL_PLAN_PARTS_H
#define TRAWL_PLAN_PARTS_H

#include "plan/plan.h"

#define PLAN_PARTS_MAX 10u

struct plan_part {
    struct trawl_plan *plan; /* of the part's strings alone; owned */
    uint32_t *literals;      /* [plan->literal_count]: the number that the whole plan gives each
                                literal of this part; owned */
};

struct plan_parts {
    uint32_t count; /* 0: the plan is better searched whole */
    struct plan_part part[PLAN_PARTS_MAX];
};

/* What a part takes on one target. The unit of time is the target's own. */
struct plan_part_costs {
    bool is_tried;       /* a trial decides, so that a plan of several lengths always has parts */
    uint64_t singly_max; /* of no more strings than this each may be a part by itself */
    double alone;        /* a part of one string */
    double pass;         /* any other part: each look of the filter, */
    double many;         /* and so much more as the part has more strings, */
    double many_half;    /* half of which is reached with so many strings */
    double met;   /* for each string whose first bytes the text has at a position, on average, */
    double dense; /* but not more than this, */
    double make;  /* and this for each byte of the part's strings: the automaton takes over */
};
/* Nanoseconds for a byte of the text. */
extern const struct plan_part_costs plan_part_costs_host;
/* Times of reading the text once. Tests replace these costs. */
extern struct plan_part_costs plan_part_costs_device;
extern const struct plan_part_costs plan_part_costs_device_default;

/* Returns whether the plan may have such parts. */
bool plan_parts_fit(const struct trawl_plan *plan, enum plan_attachment which);
/* The parts in which a target searches the plan: `which` is PLAN_PARTS_HOST or PLAN_PARTS_DEVICE.
 * The plan owns the parts, which are made when the first thread asks for them. *parts: NULL where
 * the plan is to be searched whole. Errors: MEMORY. Threads: any. */
enum trawl_status plan_parts_want(const struct trawl_plan *plan, enum plan_attachment which,
                                  const struct plan_parts **parts, struct trawl_error *error);

#endif
