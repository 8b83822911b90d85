/* analyse: periods, probes and grams of one literal under expected byte rates. */
#include "plan/analyse.h"

#include <string.h>

#include "base/checked.h"

#define SAMPLE_BYTES_MIN 4096u /* below this a sample says too little */
#define FIRST_BLOCKS_RATE 0.05 /* share of blocks of 64 places that may pass the first probes */
#define FIRST_PROBES_MAX 8u
#define DEPENDENCE 2.0 /* given one byte of a pattern, another is likelier than by itself */
#define SMALL_ALPHABET 4u
#define SMALL_ALPHABET_LENGTH_MIN 12u

static const uint32_t byte_prior[256] = {
#include "plan/byte_prior.def"
};

static void rates_from_sample(const uint8_t *sample, uint64_t sample_bytes, double *rate)
{
    uint64_t count[256] = {0};

    for (uint64_t i = 0; i < sample_bytes; i++)
        count[sample[i]]++;
    for (uint32_t byte = 0; byte < 256; byte++) /* a byte not in the sample may still occur */
        rate[byte] = ((double)count[byte] + 0.25) / ((double)sample_bytes + 64.0);
}

/* A long literal over few byte values comes from a text over few byte values: at least half of each
 * value's rate is its share of the literal, half an equal share. */
static void rates_from_literal(const uint8_t *literal, uint64_t literal_bytes, double *rate)
{
    uint64_t count[256] = {0};
    uint32_t values = 0;

    if (literal_bytes < SMALL_ALPHABET_LENGTH_MIN)
        return;
    for (uint64_t i = 0; i < literal_bytes; i++)
        values += count[literal[i]]++ == 0;
    if (values > SMALL_ALPHABET)
        return;
    for (uint32_t byte = 0; byte < 256; byte++) {
        double share = 0.5 / values + 0.5 * (double)count[byte] / (double)literal_bytes;

        if (count[byte] > 0 && rate[byte] < share)
            rate[byte] = share;
    }
}

void analyse_rates(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                   uint64_t literal_bytes, bool fold, struct byte_rates *rates)
{
    double total = 0;

    if (sample_bytes >= SAMPLE_BYTES_MIN) {
        rates_from_sample(sample, sample_bytes, rates->rate);
    } else {
        for (uint32_t byte = 0; byte < 256; byte++)
            total += byte_prior[byte];
        for (uint32_t byte = 0; byte < 256; byte++)
            rates->rate[byte] = byte_prior[byte] / total;
        rates_from_literal(literal, literal_bytes, rates->rate);
    }
    for (uint32_t lower = 'a'; fold && lower <= 'z'; lower++) {
        double both = rates->rate[lower] + rates->rate[lower - 0x20];

        rates->rate[lower] = both;
        rates->rate[lower - 0x20] = both;
    }
}

/* The maximal suffix of bytes under byte order (or its reverse) and that suffix's period. */
static uint64_t maximal_suffix(const uint8_t *bytes, uint64_t count, bool reverse, uint64_t *period)
{
    uint64_t suffix = UINT64_MAX, next = 0, k = 1, p = 1;

    while (next + k < count) {
        uint8_t a = bytes[next + k], b = bytes[suffix + k];

        if (a == b) {
            if (k == p) {
                next += p;
                k = 1;
            } else {
                k++;
            }
        } else if (reverse ? a > b : a < b) {
            next += k;
            k = 1;
            p = next - suffix;
        } else {
            suffix = next++;
            k = p = 1;
        }
    }
    *period = p;
    return suffix + 1;
}

void analyse_period(const uint8_t *bytes, uint64_t count, uint64_t *critical, uint64_t *period)
{
    uint64_t period_forward, period_reverse;
    uint64_t forward = maximal_suffix(bytes, count, false, &period_forward);
    uint64_t reverse = maximal_suffix(bytes, count, true, &period_reverse);
    uint64_t p = forward >= reverse ? period_forward : period_reverse;

    TRAWL_ASSERT(count >= 1);
    *critical = max_u64(forward, reverse);
    *period = 0;
    if (*critical + p <= count && memcmp(bytes, bytes + p, *critical) == 0)
        *period = p;
}

static uint8_t fold_mask(uint8_t byte, bool fold)
{
    return fold && byte >= 'a' && byte <= 'z' ? 0x20 : 0;
}

/* How telling is a probe at `offset` beside those chosen: its rate, and a penalty when a chosen
 * probe of the same byte value lies near, since such bytes come together. */
static double probe_cost(const uint8_t *bytes, uint64_t offset, const struct byte_rates *rates,
                         const struct plan_probe *probes, uint32_t probe_count)
{
    double cost = rates->rate[bytes[offset]];

    for (uint32_t i = 0; i < probe_count; i++) {
        uint64_t distance =
            offset > probes[i].offset ? offset - probes[i].offset : probes[i].offset - offset;

        if (distance == 0)
            return 1e9;
        if (bytes[probes[i].offset] == bytes[offset])
            cost *= 2;
        if (distance == 1)
            cost *= 1.5; /* neighbours in real text depend on each other */
    }
    return cost;
}

uint32_t analyse_probes(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, struct plan_probe *probes)
{
    uint32_t wanted = (uint32_t)min_u64(count, PLAN_PROBES_MAX), probe_count = 0;
    uint64_t first = 0, last = count; /* offsets to choose from */

    while (probe_count < wanted) {
        uint64_t best = first;
        double best_cost = 1e10;

        for (uint64_t offset = first; offset < last; offset++) {
            double cost = probe_cost(bytes, offset, rates, probes, probe_count);

            if (cost < best_cost) {
                best_cost = cost;
                best = offset;
            }
        }
        probes[probe_count].offset = best;
        probes[probe_count].fold = fold_mask(bytes[best], fold);
        probes[probe_count].value = bytes[best] | probes[probe_count].fold;
        memset(probes[probe_count].reserved, 0, sizeof probes[probe_count].reserved);
        if (probe_count++ == 0 && count > PLAN_PROBE_WINDOW_BYTES) {
            first = best > PLAN_PROBE_WINDOW_BYTES / 2 ? best - PLAN_PROBE_WINDOW_BYTES / 2 : 0;
            first = min_u64(first, count - PLAN_PROBE_WINDOW_BYTES);
            last = first + PLAN_PROBE_WINDOW_BYTES;
        }
    }
    return probe_count;
}

uint32_t analyse_first_probes(const uint8_t *bytes, const struct byte_rates *rates,
                              const struct plan_probe *probes, uint32_t probe_count)
{
    double blocks = 64;
    uint32_t first = 0;

    while (first < probe_count && first < FIRST_PROBES_MAX && blocks > FIRST_BLOCKS_RATE) {
        double rate = rates->rate[bytes[probes[first].offset]];

        blocks *= first == 0 || rate * DEPENDENCE > 1 ? rate : rate * DEPENDENCE;
        first++;
    }
    return first;
}

double analyse_words(const uint8_t *bytes, uint64_t count, bool fold,
                     const struct byte_rates *rates, struct plan_words *words)
{
    double best_rate = 1e9;
    uint64_t best = 0;

    TRAWL_ASSERT(count >= 7);
    for (uint64_t offset = 0; offset + 7 <= count; offset++) {
        double rate = 0;

        for (uint64_t o = offset; o < offset + 4; o++)
            rate += rates->rate[bytes[o]] * rates->rate[bytes[o + 1]] * rates->rate[bytes[o + 2]] *
                    rates->rate[bytes[o + 3]];
        if (rate < best_rate) {
            best_rate = rate;
            best = offset;
        }
    }
    words->offset = best;
    for (uint32_t o = 0; o < 4; o++) {
        uint8_t folds[4];

        for (uint32_t i = 0; i < 4; i++)
            folds[i] = fold_mask(bytes[best + o + i], fold);
        memcpy(&words->fold[o], folds, 4);
        memcpy(&words->word[o], bytes + best + o, 4);
        words->word[o] |= words->fold[o];
    }
    return best_rate / 4; /* each text word stands for four places */
}
