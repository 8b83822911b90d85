/* parts: decides which strings of a set are searched together. */
#include "plan/parts.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/analyse.h"
#include "plan/automaton.h"
#include "plan/nibbles.h"
#include "plan/prices.def"

/* Strings are grouped by length; a group begins at each of these lengths. */
static const uint64_t lengths[] = {PLAN_LENGTH_CLASSES};
#define LENGTHS (sizeof lengths / sizeof *lengths)

/* Strings of one length class, or a single string: patterns order[begin] to order[end - 1]. */
struct group {
    uint64_t begin, end;
    uint64_t length_min, length_max;
    uint64_t bytes;  /* sum of the strings' lengths */
    uint64_t states; /* estimated number of states of an automaton of the group's strings */
};

/* The state of cutting a plan into parts. */
struct cutting {
    const struct trawl_plan *plan;
    enum plan_attachment which;     /* PLAN_ALONE, PLAN_PARTS_HOST or PLAN_PARTS_DEVICE */
    bool singly;                    /* each pattern is a group of its own */
    uint64_t alone[PLAN_ALONE_MAX]; /* with `singly`: lengths of the patterns */
    uint8_t number[LENGTHS];        /* the group of the patterns of each rank_of */
    struct strings_likeness likeness;
    struct group groups[LENGTHS];
    uint32_t group_count;
    /* Allocated once there are parts to make: */
    uint32_t *literal_from; /* [pattern_count + 1]: the first literal of each pattern */
    uint32_t *order;        /* [pattern_count]: patterns by group, once list_patterns ran */
};

static void part_release(struct plan_part *part)
{
    if (part->plan != NULL)
        memory_release(part->literals, part->plan->literal_count, sizeof *part->literals);
    trawl_plan_free(part->plan);
    *part = (struct plan_part){NULL, NULL};
}

static void parts_release(void *object)
{
    struct plan_parts *parts = (struct plan_parts *)object;

    for (uint32_t i = 0; i < parts->count; i++)
        part_release(&parts->part[i]);
    memory_release(parts, 1, sizeof *parts);
}

/* ---- Prices on the host ---------------------------------------------------------- */

struct plan_set_facts plan_set_facts_of(const struct trawl_plan *plan)
{
    return (struct plan_set_facts){plan->literal_count, plan->literal_bytes_total, plan->length_min,
                                   plan->byte_values, plan->byte_bits};
}

const char *plan_strategy_name(uint32_t strategy)
{
    static const char *const names[STRATEGIES] = {[STRATEGY_BUCKETS] = "buckets",
                                                  [STRATEGY_CLASSES] = "classes",
                                                  [STRATEGY_AUTOMATON] = "automaton",
                                                  [STRATEGY_ALONE] = "each string by itself",
                                                  [STRATEGY_PARTS] = "parts"};

    TRAWL_ASSERT(strategy < STRATEGIES);
    return names[strategy];
}

struct price plan_set_price(enum strategy strategy, const struct plan_set_facts *of)
{
    double count = (double)of->count, bytes = (double)of->bytes, tables = TABLES_NS * count;
    double length = (double)min_u64(max_u64(of->length_min, 4), 12);
    double rows = bytes * (of->byte_values + 1 + PLAN_AUTOMATON_ROW_HEAD);
    const struct price prices[STRATEGIES] = {
#define PRICE(strategy, once_ns, byte_ns) [STRATEGY_##strategy] = {once_ns, byte_ns},
#include "plan/set_prices.def"
    };

    return prices[strategy];
}

/* ---- Lengths ------------------------------------------------------------------- */

/* Returns the length of the pattern's shortest literal. The pattern's literals begin with *next,
 * which becomes the first literal of the next pattern. */
static uint64_t take_pattern(const struct trawl_plan *plan, uint64_t pattern, uint32_t *next)
{
    uint64_t shortest = UINT64_MAX;

    for (; *next < plan->literal_count; ++*next) {
        struct plan_literal literal = plan_literal_at(plan, *next);

        if (literal.pattern != pattern)
            break;
        shortest = min_u64(shortest, literal.bytes_count);
    }
    return shortest;
}

/* Returns the length class of a pattern or, with cutting->singly, its rank by length. */
static uint32_t rank_of(const struct cutting *cutting, uint64_t pattern, uint64_t length)
{
    uint32_t rank = 0;

    if (!cutting->singly)
        return plan_length_class(length);
    for (uint64_t i = 0; i < cutting->plan->pattern_count; i++)
        rank += cutting->alone[i] < length || (cutting->alone[i] == length && i < pattern);
    return rank;
}

/* Makes a group from each length class or, with `singly`, from each string. The plan is read once,
 * and nothing is allocated: most sets are not divided. */
static void make_groups(struct cutting *cutting, bool singly)
{
    const struct trawl_plan *plan = cutting->plan;
    struct group groups[LENGTHS] = {{0, 0, 0, 0, 0, 0}};
    uint32_t literal = 0;
    uint64_t begin = 0;

    cutting->singly = singly;
    for (uint64_t i = 0; singly && i < plan->pattern_count; i++)
        cutting->alone[i] = take_pattern(plan, i, &literal);
    literal = 0;
    for (uint64_t i = 0; i < plan->pattern_count; i++) {
        uint64_t length = take_pattern(plan, i, &literal);
        uint32_t rank = rank_of(cutting, i, length);
        struct group *group = &groups[rank];

        TRAWL_ASSERT(rank < LENGTHS);
        group->end++;
        group->bytes += length;
        group->length_min = singly ? length : lengths[rank];
        group->length_max = max_u64(group->length_max, length);
    }
    for (uint32_t i = 0; i < LENGTHS; i++) { /* drop groups without strings */
        cutting->number[i] = (uint8_t)cutting->group_count;
        if (groups[i].end == 0)
            continue;
        groups[i].begin = begin;
        begin = groups[i].end += begin;
        cutting->groups[cutting->group_count++] = groups[i];
    }
}

/* Lists the patterns of groups [from, to) in `order`, in ascending order of numbers, beginning
 * where the first group begins. */
static void list_patterns(const struct cutting *cutting, uint32_t from, uint32_t to)
{
    uint32_t *next = cutting->order + cutting->groups[from].begin, literal = 0;

    for (uint32_t i = 0; i < cutting->plan->pattern_count; i++) {
        uint64_t length = take_pattern(cutting->plan, i, &literal);
        uint32_t group = cutting->number[rank_of(cutting, i, length)];

        if (group >= from && group < to)
            *next++ = i;
    }
}

/* ---- Cutting -------------------------------------------------------------------------------- */

/* Estimates each group's states: the different suffixes of its patterns' first literals or, of more
 * than STATES_COUNTED_BYTES, their bytes. Groups share few states, so device_cost adds them up. */
static void count_states(struct cutting *cutting)
{
    const struct trawl_plan *plan = cutting->plan;
    struct analyse_suffixes seen = {{0}};
    uint32_t literal = 0;
    bool counts = false;

    for (uint32_t i = 0; i < cutting->group_count; i++)
        if (cutting->groups[i].bytes > STATES_COUNTED_BYTES)
            cutting->groups[i].states = cutting->groups[i].bytes;
        else
            counts = true;
    for (uint64_t i = 0; counts && i < plan->pattern_count; i++) {
        uint32_t first = literal,
                 number = cutting->number[rank_of(cutting, i, take_pattern(plan, i, &literal))];
        struct group *group = &cutting->groups[number];

        if (group->bytes <= STATES_COUNTED_BYTES && first < literal)
            group->states += analyse_add_suffixes(&seen, plan_literal_bytes(plan, first),
                                                  plan_literal_at(plan, first).bytes_count, number);
    }
}

double plan_automaton_cost(const struct plan_part_costs *costs, double words)
{
    double near_words = max_double(1, costs->near_words);

    return costs->dense + costs->doubled * analyse_log2(max_double(words, near_words) / near_words);
}

/* Returns the cost of searching groups [from, to) together on a GPU. */
static double device_cost(const struct cutting *cutting, uint32_t from, uint32_t to)
{
    const struct plan_part_costs *costs = &plan_part_costs_device;
    double count = (double)(cutting->groups[to - 1].end - cutting->groups[from].begin);
    uint64_t min = cutting->groups[from].length_min;
    /* a device's filter tests about this many bytes (cuda/cuda_choose.c) */
    uint64_t shortest = lengths[plan_length_class(min)];
    uint64_t tested = min_u64(shortest - shortest / 5, ANALYSE_GRAM_MAX);
    double rate = cutting->likeness.rate[tested], bytes = 0, states = 0, pass, met, dense;
    double more = from > 0 || to < cutting->group_count ? costs->each * count : 0;

    if (count <= 1)
        return costs->alone + more;
    for (uint32_t i = from; i < to; i++) {
        bytes += (double)cutting->groups[i].bytes;
        states += (double)cutting->groups[i].states;
    }
    pass = costs->pass + costs->each * count;
    met = costs->met * analyse_root(count) * analyse_root(analyse_root(count) * rate);
    dense = plan_automaton_cost(costs, states * (cutting->plan->byte_values + 4)) +
            costs->make * bytes + costs->level * (double)cutting->groups[to - 1].length_max;
    return more + (min < ANALYSE_GRAM_MIN ? dense : min_double(pass + met, dense));
}

/* Returns the cost of searching groups [from, to) together on the host, in ns per byte of text.
 * Sets *strategy to the cheapest strategy, or to ALONE if each string should be a separate part. */
static double host_cost(const struct cutting *cutting, uint32_t from, uint32_t to,
                        enum strategy *strategy)
{
    const struct trawl_plan *plan = cutting->plan;
    bool whole = from == 0 && to == cutting->group_count;
    struct plan_set_facts of = plan_set_facts_of(plan);
    double min = 1e300;

    of.count = cutting->groups[to - 1].end - cutting->groups[from].begin;
    of.length_min = cutting->groups[from].length_min;
    of.bytes = 0;
    for (uint32_t i = from; i < to; i++)
        of.bytes += cutting->groups[i].bytes;
    for (uint32_t i = STRATEGY_BUCKETS; i <= STRATEGY_ALONE; i++) {
        struct price price = plan_set_price((enum strategy)i, &of);
        double cost = price.byte_ns + price.once_ns / PLAN_FIRST_BYTES;

        if ((i == STRATEGY_CLASSES && !plan_fits_classes(plan)) ||
            (i == STRATEGY_AUTOMATON && whole && !plan_has_strategy(plan, STRATEGY_AUTOMATON)) ||
            (i == STRATEGY_ALONE && (whole || of.count > PLAN_ALONE_MAX)))
            continue;
        if (i == STRATEGY_BUCKETS || i == STRATEGY_CLASSES)
            cost +=
                MET_NS * (double)of.count *
                cutting->likeness.rate[min_u64(
                    of.length_min, i == STRATEGY_BUCKETS ? sizeof(uint64_t) : ANALYSE_GRAM_MAX)];
        if (cost < min)
            *strategy = (enum strategy)i;
        min = min_double(min, cost);
    }
    return min;
}

/* Finds the cheapest division into parts, by dynamic programming: the part that ends before group i
 * begins with group cuts[i]. Returns the number of parts; 0 if they are not worth a trial. */
static uint32_t cut(const struct cutting *cutting, uint32_t cuts[LENGTHS + 1])
{
    double min[LENGTHS + 1] = {0};
    enum strategy strategy;
    uint32_t count = 0;

    for (uint32_t to = 1; to <= cutting->group_count; to++) {
        min[to] = 1e300;
        for (uint32_t from = to; from-- > 0;) {
            double cost = cutting->which == PLAN_ALONE ? to - from > 1
                          : cutting->which == PLAN_PARTS_HOST
                              ? host_cost(cutting, from, to, &strategy)
                              : device_cost(cutting, from, to);

            cost += min[from];
            if (cutting->which == PLAN_PARTS_HOST && from == 0 && to == cutting->group_count) {
                if (min[to] > CONTEST_WORTH_SHARE * cost && cutting->plan->pattern_count > LENGTHS)
                    return 0;
                continue;
            }
            if (cost < min[to]) {
                min[to] = cost;
                cuts[to] = from;
            }
        }
    }
    for (uint32_t to = cutting->group_count; to > 0; to = cuts[to])
        count++;
    return count;
}

/* ---- Making --------------------------------------------------------------------------------- */

/* Fills part->literals: for each literal of the part, its number in the whole plan. */
static void number_literals(const struct cutting *cutting, uint64_t begin, struct plan_part *part)
{
    uint32_t before = UINT32_MAX, nth = 0;

    for (uint32_t i = 0; i < part->plan->literal_count; i++) {
        uint32_t pattern = plan_literal_at(part->plan, i).pattern;
        uint32_t whole = cutting->order[begin + pattern];

        nth = pattern == before ? nth + 1 : 0;
        before = pattern;
        part->literals[i] = cutting->literal_from[whole] + nth;
        TRAWL_ASSERT(part->literals[i] < cutting->literal_from[whole + 1]);
    }
}

/* Makes a part: a plan for the patterns order[begin .. end - 1], with the whole plan's flags, line
 * ends and letter functions. The patterns are sorted by number, so that hits at the same position
 * come in the same order as in the whole plan. */
static enum trawl_status make_part(const struct cutting *cutting, uint64_t begin, uint64_t end,
                                   enum trawl_method method, struct plan_part *part,
                                   struct trawl_error *error)
{
    const struct trawl_plan *plan = cutting->plan;
    enum trawl_status status;

    TRAWL_TRY(
        plan_build_some(plan, cutting->order + begin, end - begin, method, &part->plan, error));
    status = MEMORY_NEW(part->literals, part->plan->literal_count, error);
    if (status != TRAWL_OK) {
        trawl_plan_free(part->plan);
        part->plan = NULL;
        return status;
    }
    number_literals(cutting, begin, part);
    return TRAWL_OK;
}

/* Makes the parts of groups [from, to): one part, or one for each string if that is cheaper. */
static enum trawl_status make_range(const struct cutting *cutting, uint32_t from, uint32_t to,
                                    struct plan_parts *parts, struct trawl_error *error)
{
    static const enum trawl_method methods[STRATEGIES] = {
#define STRATEGY(name, method, may) TRAWL_METHOD_##method,
#include "plan/set_prices.def"
    };
    uint64_t begin = cutting->groups[from].begin, end = cutting->groups[to - 1].end, step;
    enum strategy strategy = STRATEGY_BUCKETS;
    enum trawl_method method = TRAWL_METHOD_AUTO;

    if (cutting->which == PLAN_PARTS_HOST)
        (void)host_cost(cutting, from, to, &strategy);
    /* leave room for the `from` groups that are still to be divided */
    if (strategy == STRATEGY_ALONE && parts->count + (end - begin) + from > PLAN_PARTS_MAX)
        strategy = STRATEGY_BUCKETS;
    step = strategy == STRATEGY_ALONE ? 1 : end - begin;
    /* strings of one byte have their own search loop */
    if (cutting->which == PLAN_PARTS_HOST && step > 1 && cutting->groups[to - 1].length_max > 1)
        method = methods[strategy];
    list_patterns(cutting, from, to);
    for (; begin < end; begin += step) {
        TRAWL_ASSERT(parts->count < PLAN_PARTS_MAX);
        TRAWL_TRY(
            make_part(cutting, begin, begin + step, method, &parts->part[parts->count], error));
        parts->count++;
    }
    return TRAWL_OK;
}

/* Allocates the arrays for making parts, and fills literal_from. */
static enum trawl_status number_patterns(struct cutting *cutting, struct trawl_error *error)
{
    const struct trawl_plan *plan = cutting->plan;
    uint32_t literal = 0;

    TRAWL_TRY(MEMORY_NEW(cutting->literal_from, plan->pattern_count + 1, error));
    TRAWL_TRY(MEMORY_NEW(cutting->order, plan->pattern_count, error));
    for (uint64_t i = 0; i < plan->pattern_count; i++) {
        cutting->literal_from[i] = literal;
        (void)take_pattern(plan, i, &literal);
    }
    cutting->literal_from[plan->pattern_count] = literal;
    return TRAWL_OK;
}

static enum trawl_status make_parts(struct cutting *cutting, struct plan_parts *parts,
                                    struct trawl_error *error)
{
    uint32_t cuts[LENGTHS + 1] = {0}, count, to;

    make_groups(cutting, cutting->plan->pattern_count <= (cutting->which == PLAN_PARTS_DEVICE
                                                              ? plan_part_costs_device.singly_max
                                                              : PLAN_ALONE_MAX));
    if (cutting->group_count < 2)
        return TRAWL_OK;
    analyse_likeness(cutting->plan, &cutting->likeness);
    if (cutting->which == PLAN_PARTS_DEVICE)
        count_states(cutting);
    count = cut(cutting, cuts);
    if (count < 2 || (cutting->which == PLAN_PARTS_HOST && count == cutting->plan->pattern_count))
        return TRAWL_OK; /* PLAN_ALONE already searches for each pattern by itself */
    TRAWL_TRY(number_patterns(cutting, error));
    for (to = cutting->group_count; to > 0; to = cuts[to])
        TRAWL_TRY(make_range(cutting, cuts[to], to, parts, error));
    return TRAWL_OK;
}

/* Makes the parts as described by `from`, a struct cutting. */
static enum trawl_status cutting_make(const void *from, void **object, struct trawl_error *error)
{
    struct cutting cutting = *(const struct cutting *)from;
    uint64_t count = cutting.plan->pattern_count;
    struct plan_parts *parts = NULL;
    enum trawl_status status = TRAWL_OK;

    TRAWL_TRY(MEMORY_ZEROED(parts, 1, error));
    TRAWL_TRY_DONE(make_parts(&cutting, parts, error));
    *object = parts;
    parts = NULL;
done:
    memory_release(cutting.literal_from, count + 1, sizeof *cutting.literal_from);
    memory_release(cutting.order, count, sizeof *cutting.order);
    if (parts != NULL)
        parts_release(parts);
    return status;
}

enum trawl_status plan_parts_want(const struct trawl_plan *plan, enum plan_attachment which,
                                  const struct plan_parts **parts, struct trawl_error *error)
{
    uint32_t whole = plan_has_conditions(plan) ? PLAN_WHOLE_ALONE - PLAN_ALONE : 0;
    const struct cutting asked = {.plan = plan, .which = which};
    const void *object;

    *parts = NULL;
    if (!plan_parts_fit(plan, which))
        return TRAWL_OK;
    TRAWL_TRY(attachment_want(&plan->attached[which + whole], &asked, cutting_make, parts_release,
                              &object, error));
    if (((const struct plan_parts *)object)->count > 0)
        *parts = (const struct plan_parts *)object;
    return TRAWL_OK;
}
