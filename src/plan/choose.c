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

static enum trawl_status choose_for_one(struct trawl_plan *plan, struct trawl_error *error)
{
    double positions = SAMPLED_REPEATS_MAX + 1;

    if (plan->length_min >= SAMPLED_LENGTH_MIN)
        TRAWL_TRY(sampled_repeats(plan, 8, &positions, error));
    if (positions <= SAMPLED_REPEATS_MAX) {
        plan->method = TRAWL_METHOD_SAMPLED;
        plan->method_why = "one long pattern: samples a stride apart find every occurrence";
    } else if (plan_reads_grams(plan, &plan->tuning)) {
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

/* Period and tuning of the one literal. */
static void analyse_one(struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes)
{
    uint64_t count = plan_literal_at(plan, 0).bytes_count, critical;

    analyse_period(plan_literal_bytes(plan, 0), count, &critical, &plan->period);
    if (plan->period > count / 2)
        plan->period = 0;
    plan_tune(plan, sample, sample_bytes, &plan->tuning);
    TRAWL_ASSERT(2 * plan->period <= count);
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
