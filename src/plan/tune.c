/* tune: probes and grams of one literal, by what is known of the text. */
#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"

#define GRAMS_LENGTH_MIN 7u
#define WINDOW_BYTES 8u
#define GRAM_BYTES_MIN 4u
#define GRAMS_RATE_MAX 1e-4 /* candidates per text byte: 1.6 per tile of 16 KiB */

bool plan_reads_grams(const struct trawl_plan *plan, const struct plan_tuning *tuning)
{
    TRAWL_ASSERT(plan_is_one_literal(plan));
    return plan->length_min >= GRAMS_LENGTH_MIN && tuning->gram_rate <= GRAMS_RATE_MAX;
}

/* The widest stride whose grams are rare enough; if none is, the stride of the rarest grams. */
static void tune_strides(const struct trawl_plan *plan, const uint8_t *sample,
                         uint64_t sample_bytes, const struct byte_rates *rates,
                         struct plan_tuning *tuning)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    uint32_t stride = PLAN_GRAM_STRIDE_MAX;

    tuning->gram_rate = 1e9;
    for (; stride > 0 && tuning->gram_rate > GRAMS_RATE_MAX; stride /= 2) {
        struct plan_grams grams;
        double rate;

        if (count + 1 < stride + GRAM_BYTES_MIN)
            continue;
        rate = analyse_grams(bytes, count, fold, rates, stride, &grams);
        if (tuning->is_seen)
            rate = analyse_seen_grams(sample, sample_bytes, &grams);
        if (rate < tuning->gram_rate) {
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

void plan_tune_grams(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                     const struct byte_rates *rates, struct plan_tuning *tuning)
{
    if (plan->length_min < GRAMS_LENGTH_MIN)
        return;
    tune_strides(plan, sample, sample_bytes, rates, tuning);
}

void plan_tune(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
               struct plan_tuning *tuning)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count;
    struct byte_rates rates;

    plan_tune_probes(plan, sample, sample_bytes, &rates, tuning);
    plan_tune_grams(plan, sample, sample_bytes, &rates, tuning);
    tuning->repeats = analyse_repeats(sample, sample_bytes, bytes, count);
    if (count >= GRAMS_LENGTH_MIN)
        tuning->rare_offset = analyse_rare_bytes(bytes, count, &rates);
}

void plan_tune_window(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      struct plan_tuning *tuning)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    struct byte_rates rates;

    if (count <= WINDOW_BYTES || sample_bytes < PLAN_SAMPLE_BYTES_MIN)
        return;
    analyse_rates(sample, sample_bytes, bytes, count, fold, &rates);
    tuning->rare_offset =
        analyse_seen_window(bytes, count, fold, &rates, sample, sample_bytes, &tuning->rare_rate);
}
