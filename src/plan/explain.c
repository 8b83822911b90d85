/* explain: describes a plan in words. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/checked.h"
#include "plan/parts.h"
#include "plan/prices.def"

/* The text being written. Stores as many characters as fit, and counts all of them. */
struct explanation {
    char *buffer;
    uint64_t capacity;
    uint64_t needed; /* length of the whole text, without the NUL */
};

static void add(struct explanation *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct explanation *text, const char *format, ...)
{
    char line[PLAN_LINES_BYTES];
    va_list arguments;
    int count;

    va_start(arguments, format);
    count = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    TRAWL_ASSERT(count >= 0 && (size_t)count < sizeof line);
    for (int i = 0; i < count; i++, text->needed++)
        if (text->needed + 1 < text->capacity)
            text->buffer[text->needed] = line[i];
}

/* Adds the expected cost of each method for a single literal, and whether the text may still change
 * the worker's choice. */
static void explain_prices(struct explanation *text, const struct trawl_plan *plan,
                           const struct plan_prices *prices)
{
    for (uint32_t m = 0; m < TRAWL_METHODS_COUNT; m++)
        if (prices->of[m] > 0)
            add(text, "expected ns per byte of text, %s: %.4f\n",
                plan_method_name((enum trawl_method)m), prices->of[m]);
    add(text, "text: %s\n",
        plan->tuning.is_seen ? "known by the sample that was given"
                             : "unknown; the first bytes of a long one decide how it is searched");
}

/* Adds the expected cost of each strategy (search loop) by which the CPU may search for the set,
 * and which ones it tries in turn, before it goes on with the fastest. */
static void explain_trials(struct explanation *text, const struct trawl_plan *plan)
{
    const struct plan_set_facts of = plan_set_facts_of(plan);

    for (uint32_t i = 0; i < STRATEGIES; i++) {
        const struct price price = plan_set_price((enum strategy)i, &of);

        if (plan_has_strategy(plan, (enum strategy)i))
            add(text, "expected ns per byte without a string, %s: %.4f, and %.0f for tables\n",
                plan_strategy_name(i), price.byte_ns, price.once_ns);
    }
    if (plan_has_strategy(plan, STRATEGY_BUCKETS) && plan_has_strategy(plan, STRATEGY_CLASSES))
        add(text, "trials: the CPU tries buckets and classes in turn\n");
    if (plan_has_strategy(plan, STRATEGY_AUTOMATON))
        add(text, "trials: the CPU tries these ways and the automaton in turn\n");
    if (plan_has_strategy(plan, STRATEGY_ALONE))
        add(text, "trials: the CPU tries the whole set and each string by itself\n");
    if (plan_has_strategy(plan, STRATEGY_PARTS))
        add(text, "trials: the CPU tries the whole set and its parts, cut by length\n");
}

/* The next two functions describe a plan's tables, and return the tables' size in bytes. */

static uint64_t explain_one(struct explanation *text, const struct trawl_plan *plan,
                            enum trawl_method method)
{
    const struct plan_form form = plan_form_of(plan, method);

    add(text, "q: %" PRIu64 "\nstride: %" PRIu64 "\nprobe offsets:", form.q, form.stride);
    for (uint32_t i = 0; i < plan->tuning.probe_count; i++)
        add(text, " %" PRIu64, plan->tuning.probes[i].offset);
    add(text, "\n");
    return form.table_bytes;
}

static uint64_t explain_set(struct explanation *text, const struct trawl_plan *plan)
{
    if (plan_has_strategy(plan, STRATEGY_CLASSES))
        add(text, "classes: the CPU searches by length, with q, stride and tables of its own for "
                  "each class; those below are not its\n");
    explain_trials(text, plan);
    add(text, "q: %u\nstride: 1\n", plan->set.q);
    return (1ull << plan->set.bitmap_bits) / 8 * (plan->set.wide_mask != 0 ? 2 : 1) +
           (sizeof(uint32_t) << plan->set.bucket_bits) +
           plan->literal_count *
               (sizeof(uint32_t) +
                (plan_has_strategy(plan, STRATEGY_BUCKETS) ? sizeof(struct plan_head) : 0));
}

/* Returns the method that the caller asked for; if none, the method with which a worker on a CPU
 * with AVX2 starts. Sets *prices if the worker chooses by costs. */
static enum trawl_method first_method(const struct trawl_plan *plan, struct plan_prices *prices)
{
    if (plan->method_asked != TRAWL_METHOD_AUTO || plan->method != TRAWL_METHOD_AUTO)
        return plan->method_asked > plan->method ? plan->method_asked : plan->method;
    *prices = plan_price(plan, &plan->tuning, plan_costs_of_instruction_set(NULL));
    return prices->min;
}

static void explain_method(struct explanation *text, const struct trawl_plan *plan)
{
    struct plan_prices prices = {.min = TRAWL_METHOD_AUTO};
    enum trawl_method method = first_method(plan, &prices);

    if (plan->literal_count == 1)
        add(text, "period: %" PRIu64 "\n",
            plan->period > 0 ? plan->period : plan_literal_at(plan, 0).bytes_count);
    add(text, "method: %s\nwhy: %s\n", plan_method_name(method),
        plan->method_asked != TRAWL_METHOD_AUTO ? "asked for"
        : prices.min != TRAWL_METHOD_AUTO       ? "the least expected cost"
        : plan->pattern_count == 0              ? "no pattern: nothing is found"
                                                : "several strings");
    if (prices.min != TRAWL_METHOD_AUTO)
        explain_prices(text, plan, &prices);
    add(text, "table bytes: %" PRIu64 "\n",
        plan->method == TRAWL_METHOD_SET ? explain_set(text, plan)
                                         : explain_one(text, plan, method));
}

/* Adds a line for each part into which the plan is divided, for searches on a GPU or for trials on
 * the host. The part with the shortest strings comes first. */
static enum trawl_status explain_parts(struct explanation *text, const struct trawl_plan *plan,
                                       enum plan_attachment which, struct trawl_error *error)
{
    const char *name = which == PLAN_PARTS_HOST ? "host" : "device";
    const struct plan_parts *parts = NULL;

    if (plan->length_min < plan->length_max && plan->pattern_count <= SETS_USUAL_MAX)
        TRAWL_TRY(plan_parts_want(plan, which, &parts, error));
    for (uint32_t i = 0; parts != NULL && i < parts->count; i++) {
        const struct trawl_plan *part = parts->part[parts->count - 1 - i].plan;
        struct plan_prices prices;

        add(text, "%s part %u: %" PRIu64 " of %" PRIu64, name, i + 1, part->pattern_count,
            part->length_min);
        if (part->length_max > part->length_min)
            add(text, " to %" PRIu64, part->length_max);
        add(text, " byte%s, %s\n", part->length_max == 1 ? "" : "s",
            plan_method_name(first_method(part, &prices)));
    }
    return TRAWL_OK;
}

enum trawl_status plan_explain(const struct trawl_plan *plan, const char *lines, char *buffer,
                               uint64_t buffer_bytes, uint64_t *needed_bytes,
                               struct trawl_error *error)
{
    static const char *const alphabets[] = {"bytes", "characters", "DNA"};
    struct explanation text = {buffer, buffer_bytes, 0};

    add(&text, "patterns: %" PRIu64 "\n", plan->pattern_count);
    if (plan->kind != PLAN_KIND_EXPRESSIONS)
        add(&text, "literals: %u\nshortest literal: %" PRIu64 "\nlongest occurrence: %" PRIu64 "\n",
            plan->literal_count, plan->length_min, plan->length_max);
    if (plan->kind == PLAN_KIND_EXPRESSIONS)
        add(&text, "method: expressions\ndecided by PCRE2: %s\n",
            plan->pcre == 0            ? "none"
            : plan->pattern_count == 1 ? "all"
                                       : "some");
    else if (plan->errors.is_set)
        add(&text, "alphabet: %s\n%s: %u\n", alphabets[plan->errors.alphabet],
            plan->errors.edits ? "edits" : "mismatches", plan->errors.max);
    else if (plan->algorithm.name == NULL)
        explain_method(&text, plan);
    add(&text, "%s", lines);
    TRAWL_TRY(explain_parts(&text, plan, PLAN_PARTS_HOST, error));
    TRAWL_TRY(explain_parts(&text, plan, PLAN_PARTS_DEVICE, error));
    if (plan->tuning.gram_rate > 0)
        add(&text, "expected candidates per MiB of aligned grams: %.2f\n",
            plan->tuning.gram_rate * 1048576.0);
    if (buffer_bytes > 0)
        buffer[min_u64(text.needed, buffer_bytes - 1)] = '\0';
    *needed_bytes = text.needed + 1;
    return TRAWL_OK;
}
