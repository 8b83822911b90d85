/* choose: which method searches the text. No other file picks a method.
 *
 * A single literal is searched by the method with the least expected cost. `every` tests a few
 * bytes of the literal at every position, as many as leave next to no candidates. `grams` loads
 * each text byte once, but needs a literal whose grams are rare. `sampled` leaves most of the text
 * unread, if the literal is long. Several literals, or a literal with a tail, are a `set`. A choice
 * that turns out wrong on the text at hand costs time, never an answer: a worker that searches a
 * long text samples the text and chooses anew (docs/design.md).
 */
#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"
#include "plan/build.h"

#define GRAM_BYTES_MIN 4u
#define GRAMS_RATE_MAX 1e-4 /* candidates per text byte: 1.6 per tile of 16 KiB */
/* candidates per text byte above which narrower strides are not tried */
#define GRAMS_RATE_LOST 2e-3
/* A narrower stride reads more. Its rate must be below 0.7 × the rate of the wider stride. */
#define STRIDE_RATE 0.7
/* Lower bound on the expected probes of method every: even if a single probe is expected to do,
 * parts of the text need a second probe. */
#define PROBES_FEW 1.5
/* A single vector comparison decides about candidates of literals up to this length. */
#define COMPARED_LENGTH_MAX 64u
#define SAMPLED_REPEATS_MAX 64.0
/* With narrower strides other methods cost less. Up to a stride of 64, method sampled reads each
 * cache line, too, but looks at less of it. */
#define SAMPLED_STRIDE_MIN 48u

/* ---- Tuning: probes and grams of one literal, by what is known of the text ------------------- */

bool plan_reads_grams(const struct trawl_plan *plan, const struct plan_tuning *tuning)
{
    TRAWL_ASSERT(plan_is_one_literal(plan));
    return plan->length_min >= PLAN_GRAMS_LENGTH_MIN && tuning->gram_rate <= GRAMS_RATE_MAX;
}

/* Chooses the widest stride whose grams are rare enough. If no stride has rare grams, chooses
 * the widest stride whose grams are about as rare as the grams of any narrower stride. */
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

        if (tuning->is_seen && tuning->grams.q == PLAN_GRAM_BYTES &&
            tuning->gram_rate > GRAMS_RATE_LOST)
            /* no gram is rare in such a text, and a narrower stride has grams of the same length */
            return;

        if (count + 1 < stride + GRAM_BYTES_MIN)
            continue;
        rate = analyse_grams(bytes, count, fold, rates, stride, &grams);
        if (tuning->is_seen)
            rate = analyse_seen_grams(sample, sample_bytes, &grams);
        if (rate < STRIDE_RATE * tuning->gram_rate) {
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
    memset(tuning, 0, sizeof *tuning);
    tuning->is_seen = sample_bytes >= PLAN_SAMPLE_BYTES_MIN;
    analyse_rates(sample, sample_bytes, bytes, count, fold, rates);
    tuning->probe_count =
        analyse_probes(bytes, count, fold, rates, sample, sample_bytes, tuning->probes, passed);
    tuning->first_probes = analyse_first_probes(passed, tuning->probe_count);
    tuning->every_rate = passed[tuning->probe_count - 1];
    tuning->probes_exact = tuning->probe_count == count;
    TRAWL_ASSERT(tuning->first_probes > 0 && tuning->first_probes <= tuning->probe_count);
}

/* ---- Choosing ------------------------------------------------------------------------------- */

/* Returns why the asked method does not fit the plan; NULL if the method fits. */
static const char *method_obstacle(const struct trawl_plan *plan, enum trawl_method asked)
{
    switch (asked) {
    case TRAWL_METHOD_AUTO:
    case TRAWL_METHOD_SET:
    case TRAWL_METHOD_BUCKETS:
    case TRAWL_METHOD_AUTOMATON:
        return NULL;
    case TRAWL_METHOD_CLASSES:
        return plan_fits_classes(plan) ? NULL : "classes takes neither words, nor lines, nor tails";
    case TRAWL_METHOD_EVERY:
        return plan_is_one_literal(plan) ? NULL : "every takes one pattern";
    case TRAWL_METHOD_GRAMS:
        if (!plan_is_one_literal(plan))
            return "grams takes one pattern";
        return plan->length_min >= PLAN_GRAMS_LENGTH_MIN
                   ? NULL
                   : "grams takes patterns of 7 bytes or more";
    case TRAWL_METHOD_SAMPLED:
        if (!plan_is_one_literal(plan))
            return "sampled takes one pattern";
        return sampled_stride(plan->length_min) > 0 ? NULL
                                                    : "sampled takes patterns of 16 bytes or more";
    }
    return "no such method";
}

#define USUAL_SET "avx2"

const struct plan_costs *plan_costs_of(const char *instruction_set)
{
    static const struct {
        const char *name;
        struct plan_costs costs;
    } known[] = {
#define COSTS(set, each, probe, grams_1, grams_2, grams_4, grams_8, of_sample, vector, other) \
    {#set, {each, probe, {grams_1, grams_2, grams_4, grams_8}, of_sample, vector, other}},
#include "plan/costs.def"
#undef COSTS
    };
    const char *name = instruction_set != NULL ? instruction_set : USUAL_SET;
    uint32_t i = 0;

    while (strcmp(known[i].name, name) != 0)
        i++;
    return &known[i].costs;
}

/* Returns a lower bound on what methods every and grams cost, in ns per text byte. */
static double least_of_others(const struct trawl_plan *plan, const struct plan_costs *costs)
{
    double least = costs->every + PROBES_FEW * costs->every_probe;

    for (uint32_t i = 0; i < 4 && plan->length_min >= PLAN_GRAMS_LENGTH_MIN; i++)
        if (plan->length_min + 1 >= (1u << i) + GRAM_BYTES_MIN)
            least = min_double(least, costs->grams[i]);
    return least;
}

double plan_price_least(const struct trawl_plan *plan, const struct plan_costs *costs)
{
    uint64_t stride = sampled_stride(plan->length_min);
    double least = least_of_others(plan, costs);

    return stride < SAMPLED_STRIDE_MIN ? least : min_double(least, costs->sample / (double)stride);
}

/* Prices method sampled, in ns per text byte. Returns 0 if the method does not fit, costs too much,
 * or lacks memory for its tables. */
static double price_sampled(const struct trawl_plan *plan, const struct plan_costs *costs,
                            const uint8_t *sample, uint64_t sample_bytes,
                            const struct sampled_tables **tables)
{
    struct sampled_rates rates = {0, 0};
    uint64_t stride;

    *tables = NULL;
    if (plan->length_min < SAMPLED_STRIDE_MIN)
        return 0;
    stride = sampled_stride(plan->length_min);
    if (stride < SAMPLED_STRIDE_MIN)
        return 0;
    if (sample != NULL) {
        if (sampled_want(plan, tables, NULL) != TRAWL_OK)
            return 0;
        rates = sampled_seen(plan_literal_bytes(plan, 0), *tables, sample, sample_bytes);
    } else if (sampled_repeats(plan, sizeof(uint64_t)) > SAMPLED_REPEATS_MAX) {
        return 0;
    }
    return (costs->sample + rates.naming * costs->candidate +
            (rates.named - rates.naming) * costs->compared) /
           (double)stride;
}

void plan_price_others(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                       const struct plan_costs *costs, struct plan_prices *prices)
{
    /* The search decides about all begins of a run of periods together, so that candidates of
     * periodic literals cost as little as short literals' candidates. */
    bool is_short = plan->length_min <= COMPARED_LENGTH_MAX || plan->period > 0;
    double probes = tuning->first_probes > PROBES_FEW ? tuning->first_probes : PROBES_FEW;
    /* What a sample has with all probes are mostly occurrences, which have the grams, too. */
    double gram_rate =
        max_double(tuning->gram_rate, tuning->is_seen ? tuning->every_rate : tuning->gram_rate);
    double least;

    TRAWL_ASSERT(plan_is_one_literal(plan) && tuning->first_probes > 0);
    least = prices->every = costs->every + costs->every_probe * probes +
                            (is_short ? costs->compared : costs->candidate) * tuning->every_rate;
    prices->grams = 0;
    if (tuning->grams.stride > 0)
        prices->grams =
            costs->grams[__builtin_ctz(tuning->grams.stride)] + costs->candidate * gram_rate;
    prices->least = TRAWL_METHOD_EVERY;
    if (prices->grams > 0 && prices->grams < least) {
        prices->least = TRAWL_METHOD_GRAMS;
        least = prices->grams;
    }
    if (prices->sampled > 0 && prices->sampled < least)
        prices->least = TRAWL_METHOD_SAMPLED;
}

struct plan_prices plan_price(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                              const struct plan_costs *costs, const uint8_t *sample,
                              uint64_t sample_bytes)
{
    struct plan_prices prices = {0};

    prices.sampled = price_sampled(plan, costs, sample, sample_bytes, &prices.tables);
    plan_price_others(plan, tuning, costs, &prices);
    return prices;
}

bool plan_look_far(const struct trawl_plan *plan, const struct plan_costs *costs,
                   const uint8_t *text, uint64_t text_bytes, struct plan_prices *prices)
{
    prices->least = TRAWL_METHOD_SAMPLED;
    prices->sampled = price_sampled(plan, costs, text, text_bytes, &prices->tables);
    if (prices->sampled > 0)
        prices->sampled = max_double(prices->sampled, prices->sampled_learnt);
    prices->sampled_learnt = 0;
    return prices->sampled > 0 && prices->sampled <= least_of_others(plan, costs);
}

void plan_look(const struct trawl_plan *plan, const struct plan_costs *costs, const uint8_t *sample,
               uint64_t sample_bytes, struct plan_tuning *tuning, struct plan_prices *prices)
{
    const double widest = costs->grams[3];
    struct byte_rates rates;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    plan_tune_probes(plan, sample, sample_bytes, &rates, tuning);
    plan_price_others(plan, tuning, costs, prices);
    if (plan->length_min >= PLAN_GRAMS_LENGTH_MIN && prices->every > widest &&
        (prices->sampled <= 0 || prices->sampled > widest)) {
        plan_tune_grams(plan, sample, sample_bytes, &rates, tuning);
        plan_price_others(plan, tuning, costs, prices);
    }
}

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
    if (plan->tuning.is_seen)
        plan->tuning.repeats = analyse_repeats(sample, sample_bytes, bytes, count);
    if (count < PLAN_GRAMS_LENGTH_MIN)
        return;
    plan_tune_grams(plan, sample, sample_bytes, &rates, &plan->tuning);
    plan->tuning.rare_offset = analyse_rare_bytes(bytes, count, &rates);
}

enum trawl_status choose_method(struct trawl_plan *plan, const struct trawl_plan_options *options,
                                struct trawl_error *error)
{
    const uint8_t *sample = (const uint8_t *)options->sample;
    const char *obstacle;

    plan->method_asked = options->method;
    if (plan_is_one_literal(plan))
        analyse_one(plan, sample, options->sample_bytes);
    if (options->method != TRAWL_METHOD_AUTO) {
        obstacle = method_obstacle(plan, options->method);
        if (obstacle != NULL)
            return TRAWL_FAIL(error, ARGUMENT, "%s", obstacle);
        plan->method = options->method < TRAWL_METHOD_SET ? options->method : TRAWL_METHOD_SET;
        plan->method_why = "asked for";
    } else if (plan_is_one_literal(plan)) {
        plan->prices = plan_price(plan, &plan->tuning, plan_costs_of(NULL),
                                  plan->tuning.is_seen ? sample : NULL, options->sample_bytes);
        plan->method = plan->prices.least;
        plan->method_why = plan->method == TRAWL_METHOD_SAMPLED
                               ? "one long pattern: samples a stride apart find every occurrence"
                           : plan->method == TRAWL_METHOD_GRAMS
                               ? "one pattern with rare grams: aligned grams are enough"
                           : plan->length_min < PLAN_GRAMS_LENGTH_MIN
                               ? "one short pattern"
                               : "one pattern with rare bytes";
    } else {
        plan->method = TRAWL_METHOD_SET;
        plan->method_why = plan->pattern_count == 0   ? "no pattern: nothing is found"
                           : plan->pattern_count == 1 ? "one pattern with variants of its letters"
                                                      : "several patterns";
    }
    TRAWL_ASSERT(plan->method != TRAWL_METHOD_AUTO && plan->method_why != NULL);
    return TRAWL_OK;
}
