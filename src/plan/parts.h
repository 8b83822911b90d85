/* parts: cuts a set of strings of several lengths into smaller sets by length.
 *
 * The filter of a set tests as many bytes of the text as the set's shortest string has. With a
 * single string of two bytes, the filter therefore passes nearly every position, although all other
 * strings may be long. In parts, the short strings have a separate filter, and hardly any position
 * passes the filter of the long strings. The counts of the parts add up; their hits are merged.
 */
#ifndef TRAWL_PLAN_PARTS_H
#define TRAWL_PLAN_PARTS_H

#include "plan/plan.h"

#define PLAN_PARTS_MAX 10u

struct plan_part {
    struct trawl_plan *plan; /* the plan of the part's strings; owned */
    /* [plan->literal_count]: the number in the whole plan of each literal of the part; owned */
    uint32_t *literals;
};

struct plan_parts {
    uint32_t count; /* 0: the plan is better searched whole */
    struct plan_part part[PLAN_PARTS_MAX];
};

/* The numbers from which the cost of a part follows, for the host or for a device. A part of a
 * single string costs `alone`. A part of n strings costs the lesser of two sums:
 *
 *   the filter      pass + each × n + many × n / (n + many_half) + met × n × r, for a device
 *                   met × n^¾ × r^½
 *   the automaton   near or dense, + make × bytes + level × the longest string's bytes
 *
 * If there are several parts, each string adds `part`.
 *
 * r is the probability that a string's first bytes stand at a position, and `bytes` the sum of the
 * strings' lengths. A device's filter looks at more bytes of longer strings than the first ones, so
 * its cost grows more slowly than r. */
struct plan_part_costs {
    /* for the host, where a tournament on the text decides between the parts and the whole plan,
     * and the costs decide by which method a part is searched */
    bool is_host;
    /* in a set of at most this many strings, each string may be a part by itself */
    uint64_t singly_max;
    double alone;
    double pass;       /* the filter, for few strings, the making of its tables included */
    double pass_short; /* the same, if the shortest string has less than four bytes */
    double each;       /* to make the filter's tables, for each string */
    double part;       /* to make the part's plan, for each string */
    double many;       /* the most that the number of strings adds to the filter's cost */
    double many_half;  /* the number of strings that adds half of `many` */
    double met;        /* to test the positions that pass the filter */
    /* to search by the automaton, if its rows are expected to have at most near_words words, and
     * otherwise */
    double near, near_words, dense;
    double doubled;     /* each time that the rows double from near_words on adds this to `dense` */
    double make, level; /* to make the automaton */
};
/* A device's costs; unit: the device's time for one read of the text. Tests replace these costs. */
extern struct plan_part_costs plan_part_costs_device;
extern const struct plan_part_costs plan_part_costs_device_default;

/* Returns the expected cost of a search by an automaton whose rows have this many words, without
 * the cost of making the automaton. */
double plan_automaton_cost(const struct plan_part_costs *costs, double words);

/* Returns whether the plan may have parts: `which` is PLAN_ALONE, PLAN_PARTS_HOST or
 * PLAN_PARTS_DEVICE. */
bool plan_parts_fit(const struct trawl_plan *plan, enum plan_attachment which);
/* Returns the parts in which a target searches the plan. The first call makes the parts, and the
 * plan owns them. *parts is NULL if the plan is to be searched whole. Errors: MEMORY. Threads:
 * any. */
enum trawl_status plan_parts_want(const struct trawl_plan *plan, enum plan_attachment which,
                                  const struct plan_parts **parts, struct trawl_error *error);

#endif
