/* parts: divides a set of strings by length into smaller sets, if searching for these one after the
 * other is faster.
 *
 * The filter of a set can only test as many bytes as the shortest string has. A single string of
 * two bytes lets nearly every position pass, even if all other strings are long. In parts, the
 * short strings have their own filter, and hardly any position passes that of the long ones. The
 * counts of the parts are added up, and their hits are merged.
 */
#ifndef TRAWL_PLAN_PARTS_H
#define TRAWL_PLAN_PARTS_H

#include "plan/contest.h"
#include "plan/plan.h"

#define PLAN_PARTS_MAX 24u
/* In a set of at most this many strings, or among the short strings of a larger set, each string
 * may be a separate part. */
#define PLAN_ALONE_MAX 10u

/* Returns the index of the largest entry of PLAN_LENGTH_CLASSES that is at most `length`. Strings
 * of the same class are searched together. */
#define PLAN_LENGTH_CLASSES 1, 2, 3, 4, 6, 8, 12, 16, 32, 64
static inline uint32_t plan_length_class(uint64_t length)
{
    static const uint8_t shorter[16] = {0, 0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6};

    return length < 16 ? shorter[length] : length < 32 ? 7 : length < 64 ? 8 : 9;
}

/* The strategies with which the host may search for a set (set_prices.def). */
enum strategy {
#define STRATEGY(name, ...) STRATEGY_##name,
#include "plan/set_prices.def"
    STRATEGIES
};

/* Returns the strategy's name, static text. */
const char *plan_strategy_name(uint32_t strategy);

static inline bool plan_has_strategy(const struct trawl_plan *plan, enum strategy strategy)
{
    return (plan->strategies >> strategy & 1) != 0;
}

/* A search is expected to read about this much before its first trial, so one-time costs are spread
 * over it. */
#define PLAN_FIRST_BYTES (16u << 20)

/* What the expected cost of a strategy depends on. */
struct plan_set_facts {
    uint64_t count, bytes; /* number and bytes of the literals */
    uint64_t length_min;
    uint32_t byte_values; /* different bytes in the literals */
    double byte_bits;     /* entropy of a byte of the literals, in bits */
};

/* Returns the strategy's expected cost: the time to build its tables (once_ns), and the time per
 * byte of a text without candidates (byte_ns). */
struct price plan_set_price(enum strategy strategy, const struct plan_set_facts *of);
struct plan_set_facts plan_set_facts_of(const struct trawl_plan *plan);

struct plan_part {
    struct trawl_plan *plan; /* the plan of the part's strings; owned */
    /* for each literal of the part, its number in the whole plan; owned */
    uint32_t *literals;
};

struct plan_parts {
    /* 0: the plan is better searched as a whole, or is already divided like this by PLAN_ALONE */
    uint32_t count;
    struct plan_part part[PLAN_PARTS_MAX];
};

/* The expected cost of a part on a GPU. A part of a single string costs `alone`. A part of n
 * strings costs the lesser of two sums:
 *   the filter      pass + each × n + met × n^¾ × r^½, unless some string is shorter than a gram
 *   the automaton   dense + make × bytes + level × the longest string's bytes
 * If there are several parts, each string adds `each` once more. `bytes` is the sum of the strings'
 * lengths, and r the probability that a position has the first bytes of some string. The filter
 * looks at more bytes of longer strings, so the cost grows more slowly than r.
 */
struct plan_part_costs {
    /* in a set of at most this many strings, each string may be a separate part */
    uint64_t singly_max;
    double alone;
    double pass; /* the filter for few strings, including its tables */
    double each; /* for each string: building the filter's tables, or the part's plan */
    double met;  /* testing the positions that pass the filter */
    /* A search with the automaton costs `dense`, and `doubled` more for each doubling of its rows'
     * words beyond near_words. */
    double near_words, dense, doubled;
    double make, level; /* building the automaton, per byte and per level (the longest string) */
};
/* The costs for a GPU, in units of the time to read the text once. Tests replace them. */
extern struct plan_part_costs plan_part_costs_device;
extern const struct plan_part_costs plan_part_costs_device_default;

/* Returns the expected cost of searching with an automaton whose rows have `words` words in all. */
double plan_automaton_cost(const struct plan_part_costs *costs, double words);

/* Returns true if the plan may be divided into parts. `which` is PLAN_ALONE, PLAN_PARTS_HOST or
 * PLAN_PARTS_DEVICE. */
bool plan_parts_fit(const struct trawl_plan *plan, enum plan_attachment which);
/* Gets the parts in which the host or a GPU searches for the plan. The first call makes them, and
 * the plan owns them. Sets *parts to NULL if !plan_parts_fit, or if dividing the plan is not worth
 * while. Errors: MEMORY. Any thread may call. */
enum trawl_status plan_parts_want(const struct trawl_plan *plan, enum plan_attachment which,
                                  const struct plan_parts **parts, struct trawl_error *error);

#endif
