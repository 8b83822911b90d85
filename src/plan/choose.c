/* choose: which method searches the text. The one place that picks.
 *
 * One literal is searched by `every`, unless it is so long that `grams` proposes next to nothing
 * (it loads each text byte once, where `every` loads it once per probe), or so long that `sampled`
 * leaves most of the text unread. Several literals, or one with a tail, are a `set`. A choice that
 * turns out wrong on the text at hand costs time, never an answer: engines watch how many
 * candidates fail and look at more bytes (docs/design.md).
 */
#include "base/checked.h"
#include "plan/build.h"

#define GRAMS_LENGTH_MIN 7u
#define GRAM_BYTES_MIN 4u
#define GRAMS_RATE_MAX 1e-4 /* candidates per text byte: 1.6 per tile of 16 KiB */
#define SAMPLED_REPEATS_MAX 4.0
#define SAMPLED_LENGTH_MIN 768u /* from here the text is not read whole */

/* Why the asked method does not fit, NULL if it does. */
static const char *method_obstacle(const struct trawl_plan *plan, enum trawl_method asked)
{
    switch (asked) {
    case TRAWL_METHOD_AUTO:
    case TRAWL_METHOD_SET:
        return NULL;
    case TRAWL_METHOD_EVERY:
        return plan_is_one_literal(plan) ? NULL : "every takes one pattern";
    case TRAWL_METHOD_GRAMS:
        if (!plan_is_one_literal(plan))
            return "grams takes one pattern";
        return plan->length_min >= GRAMS_LENGTH_MIN ? NULL
                                                    : "grams takes patterns of 7 bytes or more";
    case TRAWL_METHOD_SAMPLED:
        if (!plan_is_one_literal(plan))
            return "sampled takes one pattern";
        return sampled_stride(plan->length_min) > 0 ? NULL
                                                    : "sampled takes patterns of 16 bytes or more";
    }
    return "no such method";
}

bool plan_reads_grams(const struct trawl_plan *plan)
{
    TRAWL_ASSERT(plan_is_one_literal(plan));
    return plan->length_min >= GRAMS_LENGTH_MIN && plan->gram_rate <= GRAMS_RATE_MAX;
}

static enum trawl_status choose_for_one(struct trawl_plan *plan, struct trawl_error *error)
{
    double positions = SAMPLED_REPEATS_MAX + 1;

    if (plan->length_min >= SAMPLED_LENGTH_MIN)
        TRAWL_TRY(plan_sampled_repeats(plan, 8, &positions, error));
    if (positions <= SAMPLED_REPEATS_MAX) {
        plan->method = TRAWL_METHOD_SAMPLED;
        plan->method_why = "one long pattern: samples a stride apart find every occurrence";
    } else if (plan_reads_grams(plan)) {
        plan->method = TRAWL_METHOD_GRAMS;
        plan->method_why = "one pattern with rare grams: aligned grams are enough";
    } else {
        plan->method = TRAWL_METHOD_EVERY;
        plan->method_why = plan->length_min < GRAMS_LENGTH_MIN
                               ? "one short pattern"
                               : "one pattern whose grams are expected often";
    }
    return TRAWL_OK;
}

/* The widest stride whose grams are rare enough; if none is, the stride of the rarest grams. */
static void analyse_strides(struct trawl_plan *plan, const struct byte_rates *rates)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    uint32_t stride = PLAN_GRAM_STRIDE_MAX;

    plan->gram_rate = 1e9;
    for (; stride > 0 && plan->gram_rate > GRAMS_RATE_MAX; stride /= 2) {
        struct plan_grams grams;
        double rate;

        if (count + 1 < stride + GRAM_BYTES_MIN)
            continue;
        rate = analyse_grams(bytes, count, fold, rates, stride, &grams);
        if (rate < plan->gram_rate) {
            plan->gram_rate = rate;
            plan->grams = grams;
        }
    }
    TRAWL_ASSERT(plan->grams.stride > 0 &&
                 plan->grams.offset + plan->grams.stride - 1 + plan->grams.q <= count);
}

/* Period, probes and grams of the one literal. */
static void analyse_one(struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    struct byte_rates rates;
    uint64_t critical;

    analyse_rates(sample, sample_bytes, bytes, count, fold, &rates);
    analyse_period(bytes, count, &critical, &plan->period);
    if (plan->period > count / 2)
        plan->period = 0;
    plan->probe_count = analyse_probes(bytes, count, fold, &rates, plan->probes);
    plan->first_probes = analyse_first_probes(bytes, &rates, plan->probes, plan->probe_count);
    plan->probes_exact = plan->probe_count == count;
    plan->probe_offset_min = UINT64_MAX;
    for (uint32_t i = 0; i < plan->probe_count; i++) {
        plan->probe_offset_min = min_u64(plan->probe_offset_min, plan->probes[i].offset);
        plan->probe_offset_max = max_u64(plan->probe_offset_max, plan->probes[i].offset);
    }
    TRAWL_ASSERT(plan->first_probes > 0 && plan->first_probes <= plan->probe_count);
    TRAWL_ASSERT(plan->probe_offset_max - plan->probe_offset_min < PLAN_PROBE_SPAN_BYTES);
    TRAWL_ASSERT(plan->probe_offset_max < count && 2 * plan->period <= count);
    plan->sample_repeats = plan->method_asked == TRAWL_METHOD_AUTO &&
                           analyse_repeats(sample, sample_bytes, bytes, count);
    if (count >= GRAMS_LENGTH_MIN) {
        plan->rare_offset = analyse_rare_bytes(bytes, count, &rates);
        analyse_strides(plan, &rates);
    }
}

enum trawl_status choose_method(struct trawl_plan *plan, enum trawl_method asked,
                                const uint8_t *sample, uint64_t sample_bytes,
                                struct trawl_error *error)
{
    const char *obstacle = method_obstacle(plan, asked);

    if (obstacle != NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s", obstacle);
    plan->method_asked = asked;
    if (plan_is_one_literal(plan))
        analyse_one(plan, sample, sample_bytes);
    if (asked != TRAWL_METHOD_AUTO) {
        plan->method = asked;
        plan->method_why = "asked for";
    } else if (plan_is_one_literal(plan)) {
        return choose_for_one(plan, error);
    } else {
        plan->method = TRAWL_METHOD_SET;
        plan->method_why = plan->pattern_count == 0   ? "no pattern: nothing is found"
                           : plan->pattern_count == 1 ? "one pattern with variants of its letters"
                                                      : "several patterns";
    }
    TRAWL_ASSERT(plan->method != TRAWL_METHOD_AUTO && plan->method_why != NULL);
    return TRAWL_OK;
}
