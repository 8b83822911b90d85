/* choose: decides which methods can search for a plan, and computes the expected cost of each
 * method of the host.
 *
 * A single literal is searched with the method that has the lowest expected cost. `every` tests a
 * few bytes of the literal at every position, which leaves almost no candidates. `grams` loads each
 * byte of text once, but needs a literal with rare grams. `sampled` skips most of the text if the
 * literal is long. Several literals, or a literal with a tail, are a `set`. A worker gets the costs
 * when a search begins, and again when it has sampled the text (cpu/strategies.c). A wrong choice
 * costs time, but never changes an answer.
 */
#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"
#include "plan/parts.h"
#include "plan/steps.h"
#include "plan/prices.def"

/* ---- Tuning: probes and grams of one literal, by what is known about the text ---------------- */

bool plan_reads_grams(const struct trawl_plan *plan, const struct plan_tuning *tuning)
{
    TRAWL_ASSERT(plan_is_one_literal(plan));
    return plan->length_min >= PLAN_GRAMS_LENGTH_MIN && tuning->gram_rate <= GRAMS_RATE_MAX;
}

/* Tries strides from the widest to the narrowest. A stride half as wide compares twice as often, so
 * it replaces the wider one only if it has less than half as many candidates. */
void plan_tune_grams(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                     const struct byte_rates *rates, struct plan_tuning *tuning)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    uint32_t stride = PLAN_GRAM_STRIDE_MAX;

    tuning->gram_rate = 1e9;
    for (; stride > 0 && tuning->gram_rate > GRAMS_RATE_MAX; stride /= 2) {
        struct plan_grams grams;
        double rate;

        if (count + 1 < stride + ANALYSE_GRAM_MIN)
            continue;
        rate = analyse_grams(bytes, count, fold, rates, stride, &grams);
        if (tuning->is_seen)
            rate = analyse_seen_grams(sample, sample_bytes, &grams);
        if (2 * rate < tuning->gram_rate) {
            tuning->gram_rate = rate;
            tuning->grams = grams;
        }
    }
    TRAWL_ASSERT(tuning->grams.stride > 0 &&
                 tuning->grams.offset + tuning->grams.stride - 1 + tuning->grams.q <= count);
}

void plan_tune_probes(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      struct byte_rates *rates, struct plan_tuning *tuning)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    double passed[PLAN_PROBES_MAX];

    TRAWL_ASSERT(plan_is_one_literal(plan) && (sample != NULL || sample_bytes == 0));
    tuning->grams = (struct plan_grams){.stride = 0}; /* unset until plan_tune_grams */
    tuning->gram_rate = 0;
    tuning->is_seen = sample_bytes >= PLAN_SAMPLE_BYTES_MIN;
    analyse_rates(sample, sample_bytes, bytes, count, fold, rates);
    tuning->probe_count =
        analyse_probes(bytes, count, fold, rates, sample, sample_bytes, tuning->probes, passed);
    tuning->first_probes = analyse_first_probes(passed, tuning->probe_count);
    tuning->every_rate = passed[tuning->probe_count - 1];
    tuning->probes_exact = tuning->probe_count == count;
}

void plan_tune_sampled(const struct trawl_plan *plan, const uint8_t *text, uint64_t text_bytes,
                       struct plan_tuning *tuning)
{
    const struct sampled_tables *tables;

    tuning->sampled = (struct sampled_rates){0, 0};
    tuning->samples = plan->length_min >= SAMPLED_STRIDE_MIN &&
                      sampled_stride(plan->length_min) >= SAMPLED_STRIDE_MIN;
    if (!tuning->samples)
        return;
    if (text == NULL)
        tuning->samples = sampled_repeats(plan, sizeof(uint64_t)) <= SAMPLED_REPEATS_MAX;
    else if ((tuning->samples = sampled_want(plan, &tables, NULL) == TRAWL_OK))
        tuning->sampled = sampled_seen(plan, text, text_bytes);
}

/* ---- Prices --------------------------------------------------------------------------------- */

#define USUAL_SET "avx2"

const struct plan_costs *plan_costs_of_instruction_set(const char *instruction_set)
{
    static const struct {
        const char *name;
        struct plan_costs costs;
    } known[] = {
#define COSTS(set, ...) {#set, {__VA_ARGS__}},
#include "plan/methods.def"
    };

    for (uint32_t i = 0; instruction_set != NULL && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, instruction_set) == 0)
            return &known[i].costs;
    return plan_costs_of_instruction_set(USUAL_SET); /* avx512 without VBMI chooses as avx2 */
}

/* Returns a lower bound on the costs of the methods "every" and "grams", in ns per text byte. */
static double min_of_others(const struct trawl_plan *plan, const struct plan_costs *costs)
{
    double min = costs->every + costs->every_probe;

    for (uint32_t i = 0; i < 4 && plan->length_min >= PLAN_GRAMS_LENGTH_MIN; i++)
        if (plan->length_min + 1 >= (1u << i) + ANALYSE_GRAM_MIN)
            min = min_double(min, costs->grams[i]);
    return min;
}

double plan_price_min(const struct trawl_plan *plan, const struct plan_costs *costs)
{
    uint64_t stride = sampled_stride(plan->length_min);
    double min = min_of_others(plan, costs);

    return stride < SAMPLED_STRIDE_MIN ? min : min_double(min, costs->sample / (double)stride);
}

/* What the expected cost of a method depends on. */
struct asked {
    const struct trawl_plan *plan;
    const struct plan_tuning *tuning;
    const struct plan_costs *costs;
    double probes; /* number of probes that the "every" method tests at each position */
};

/* What a method does per byte of text, and what it reads. */
struct work {
    struct plan_form form;
    double bare_ns;    /* ns without candidates; 0: the method cannot be used */
    double compared;   /* candidates decided by a single vector comparison */
    double candidates; /* candidates that need more than that */
    double took_ns;    /* measured in a search that then left this method; 0: unknown */
};

static struct work work_every(const struct asked *of)
{
    return (struct work){
        .form = {of->tuning->probe_count, 1, of->tuning->probe_count * sizeof(struct plan_probe)},
        .bare_ns = of->costs->every + of->costs->every_probe * of->probes,
        .compared = of->tuning->every_rate};
}

static struct work work_grams(const struct asked *of)
{
    const struct plan_tuning *tuning = of->tuning;

    if (tuning->grams.stride == 0)
        return (struct work){.bare_ns = 0};
    /* Positions of the sample that pass all probes are mostly occurrences, and each occurrence is
     * also a candidate of "grams". So the candidates are at least as many as these positions. */
    return (struct work){
        .form = {tuning->grams.q, tuning->grams.stride, sizeof tuning->grams},
        .bare_ns = of->costs->grams[__builtin_ctz(tuning->grams.stride)],
        .candidates = max_double(tuning->gram_rate, tuning->is_seen ? tuning->every_rate : 0)};
}

static struct work work_sampled(const struct asked *of)
{
    const struct sampled_rates rates = of->tuning->sampled;
    const struct plan_sampled layout = sampled_layout(of->plan);
    double stride = (double)layout.stride;

    return (struct work){
        .form = {layout.q, layout.stride,
                 (sizeof(uint32_t) << layout.hash_bits) + layout.stride * sizeof(uint32_t)},
        .bare_ns = of->tuning->samples ? of->costs->sample / stride : 0,
        .compared = (rates.named - rates.naming) / stride,
        .candidates = rates.naming / stride,
        .took_ns = of->tuning->sampled_took};
}

/* The columns of methods.def that the choice depends on. */
static const struct {
    enum { ANY, PLAIN, ONE } literals;
    uint32_t length_min;
    struct work (*work)(const struct asked *of);
} methods[TRAWL_METHODS_COUNT] = {
#define METHOD(name, literals, length_min, work, function) \
    [TRAWL_METHOD_##name] = {literals, length_min, work},
#include "plan/methods.def"
};

const char *plan_method_name(enum trawl_method method)
{
    static const char *const names[TRAWL_METHODS_COUNT] = {
#define METHOD_NAME(name, number, text) text,
        TRAWL_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
    };

    return names[method];
}

double plan_price_bare(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                       const struct plan_costs *costs, enum trawl_method method, double probes)
{
    return methods[method].work(&(struct asked){plan, tuning, costs, probes}).bare_ns;
}

struct plan_form plan_form_of(const struct trawl_plan *plan, enum trawl_method method)
{
    return methods[method]
        .work(&(struct asked){plan, &plan->tuning, plan_costs_of_instruction_set(NULL), 1})
        .form;
}

enum trawl_method plan_cheapest(const struct plan_prices *prices, enum trawl_method but)
{
    enum trawl_method min = TRAWL_METHOD_EVERY;

    for (uint32_t m = 0; m < TRAWL_METHODS_COUNT; m++)
        if (prices->of[m] > 0 && prices->of[m] < prices->of[min] && m != but)
            min = (enum trawl_method)m;
    return min;
}

struct plan_prices plan_price(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                              const struct plan_costs *costs)
{
    const struct asked of = {plan, tuning, costs, tuning->first_probes};
    struct plan_prices prices = {.min = TRAWL_METHOD_EVERY};

    TRAWL_ASSERT(plan_is_one_literal(plan) && tuning->first_probes > 0);
    for (uint32_t m = 0; m < TRAWL_METHODS_COUNT; m++)
        if (methods[m].work != NULL && plan->length_min >= methods[m].length_min) {
            struct work work = methods[m].work(&of);
            double price =
                work.bare_ns + work.compared * costs->compared + work.candidates * costs->candidate;

            prices.of[m] = work.bare_ns > 0 ? max_double(price, work.took_ns) : 0;
        }
    prices.min = plan_cheapest(&prices, TRAWL_METHOD_AUTO);
    return prices;
}

bool plan_look_far(const struct trawl_plan *plan, const struct plan_costs *costs,
                   const uint8_t *text, uint64_t text_bytes, struct plan_tuning *tuning,
                   struct plan_prices *prices)
{
    plan_tune_sampled(plan, text, text_bytes, tuning);
    *prices = plan_price(plan, tuning, costs);
    prices->min = TRAWL_METHOD_SAMPLED;
    return prices->of[TRAWL_METHOD_SAMPLED] > 0 &&
           prices->of[TRAWL_METHOD_SAMPLED] <= min_of_others(plan, costs);
}

void plan_look(const struct trawl_plan *plan, const struct plan_costs *costs, const uint8_t *sample,
               uint64_t sample_bytes, struct plan_tuning *tuning, struct plan_prices *prices)
{
    const double widest = costs->grams[3];
    struct byte_rates rates;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    plan_tune_probes(plan, sample, sample_bytes, &rates, tuning);
    *prices = plan_price(plan, tuning, costs);
    if (plan->length_min >= PLAN_GRAMS_LENGTH_MIN && prices->of[prices->min] > widest) {
        plan_tune_grams(plan, sample, sample_bytes, &rates, tuning);
        *prices = plan_price(plan, tuning, costs);
    }
}

/* ---- Plans ---------------------------------------------------------------------------------- */

/* Finds the period and the tuning of a plan with a single literal. */
static void analyse_one(struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count, critical;
    struct byte_rates rates;

    analyse_period(bytes, count, &critical, &plan->period);
    if (plan->period > count / 2)
        plan->period = 0;
    plan_tune_probes(plan, sample, sample_bytes, &rates, &plan->tuning);
    if (plan->method_asked == TRAWL_METHOD_AUTO)
        plan_tune_sampled(plan, plan->tuning.is_seen ? sample : NULL, sample_bytes, &plan->tuning);
    if (count < PLAN_GRAMS_LENGTH_MIN)
        return;
    plan_tune_grams(plan, sample, sample_bytes, &rates, &plan->tuning);
    plan->tuning.rare_offset = analyse_rare_bytes(bytes, count, &rates);
}

const struct plan_part_costs plan_part_costs_device_default = {COSTS_DEVICE};
struct plan_part_costs plan_part_costs_device = {COSTS_DEVICE};

bool plan_parts_fit(const struct trawl_plan *plan, enum plan_attachment which)
{
    bool differ = plan_length_class(plan->length_min) != plan_length_class(plan->length_max);

    TRAWL_ASSERT(which >= PLAN_ALONE && which <= PLAN_PARTS_DEVICE);
    /* For a published algorithm, matrix.c searches by a plan that has patterns but no literals. */
    if (plan->pattern_count < 2 || plan->literal_count == 0 ||
        plan->method_asked != TRAWL_METHOD_AUTO || plan->element_count > 0 ||
        plan->kind != PLAN_KIND_STRINGS)
        return false;
    return which == PLAN_ALONE ? plan->pattern_count <= PLAN_ALONE_MAX
           : which == PLAN_PARTS_HOST
               ? differ && plan->pattern_count > 2 && plan->pattern_count <= SETS_USUAL_MAX
               : differ || plan->pattern_count <= plan_part_costs_device.singly_max;
}

/* Chooses the strategies (search loops) by which the CPU may search. Which of them a search uses is
 * decided by trials on the text (cpu/strategies.c). */
static void choose_strategies(struct trawl_plan *plan)
{
    const bool open = plan_method_is_open(plan) && plan_fits_classes(plan);
    const enum trawl_method asked = plan->method_asked;
    const uint32_t count = plan->literal_count;

#define STRATEGY(name, method, may) plan->strategies |= (uint32_t)(may) << STRATEGY_##name;
#include "plan/set_prices.def"
}

/* Checks that the method that the caller asked for can search for the plan. */
static enum trawl_status check_method(const struct trawl_plan *plan, enum trawl_method asked,
                                      struct trawl_error *error)
{
    if ((uint32_t)asked >= TRAWL_METHODS_COUNT)
        return TRAWL_FAIL(error, ARGUMENT, "the method does not exist");
    if (methods[asked].literals == ONE && !plan_is_one_literal(plan))
        return TRAWL_FAIL(error, ARGUMENT, "%s takes one pattern", plan_method_name(asked));
    if (plan->literal_count > 0 && plan->length_min < methods[asked].length_min)
        return TRAWL_FAIL(error, ARGUMENT, "%s takes patterns of %u bytes or more",
                          plan_method_name(asked), methods[asked].length_min);
    if (methods[asked].literals == PLAIN && !plan_fits_classes(plan))
        return TRAWL_FAIL(error, ARGUMENT, "%s takes neither words, nor lines, nor tails",
                          plan_method_name(asked));
    return TRAWL_OK;
}

enum trawl_status choose_method(struct trawl_plan *plan, const struct trawl_plan_options *options,
                                struct trawl_error *error)
{
    plan->method = plan->method_asked = options->method;
    if (plan_is_one_literal(plan))
        analyse_one(plan, (const uint8_t *)options->sample, options->sample_bytes);
    if (options->method != TRAWL_METHOD_AUTO)
        TRAWL_TRY(check_method(plan, options->method, error));
    if (options->method == TRAWL_METHOD_AUTO ? !plan_is_one_literal(plan)
                                             : methods[options->method].literals != ONE)
        plan->method = TRAWL_METHOD_SET;
    if (plan->method == TRAWL_METHOD_SET)
        choose_strategies(plan);
    return TRAWL_OK;
}
