/* analyse: periods, probes and grams of one literal under expected byte rates. */
#include "plan/analyse.h"

#include <string.h>

#include "base/checked.h"

#define SAMPLE_BYTES_MIN 4096u /* below this a sample says too little */
#define REPEAT_BYTES 16u
#define REPEAT_LOOKS 64u
#define REPEAT_LOOKS_MIN 8u    /* of them that stand in the literal */
#define REPEAT_PLACES_MIN 3u   /* where an occurrence that has them would begin */
#define FIRST_BLOCKS_RATE 0.05 /* of blocks of 64 positions may pass the first probes */
#define FIRST_PROBES_MAX 8u
#define DEPENDENCE 2.0 /* given one byte of a pattern, another is likelier than by itself */
#define PROBE_TAKEN 1e9
#define BYTE_PRIOR_TOTAL 66836
#define ENTROPY_BLOCKS 256u
#define ENTROPY_BYTES 4096u
#define SMALL_ALPHABET 4u
#define SMALL_ALPHABET_LENGTH_MIN 7u

/* Divided by the compiler: for a short pattern that would be a third of building its plan. */
static const double prior_rate[256] = {
#define RATE(count) (double)(count) / BYTE_PRIOR_TOTAL
#include "plan/byte_prior.def"
#undef RATE
};

static void rates_from_sample(const uint8_t *sample, uint64_t sample_bytes, double *rate)
{
    uint64_t count[256] = {0};

    TRAWL_ASSERT(sample_bytes >= SAMPLE_BYTES_MIN);
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
    TRAWL_ASSERT(values > 0 && values <= 256);
    if (values > SMALL_ALPHABET)
        return;
    for (uint32_t byte = 0; byte < 256; byte++) {
        double share = 0.5 / values + 0.5 * (double)count[byte] / (double)literal_bytes;

        if (count[byte] > 0 && rate[byte] < share)
            rate[byte] = share;
    }
}

bool analyse_repeats(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                     uint64_t literal_bytes)
{
    uint64_t places[REPEAT_PLACES_MIN];
    uint32_t found = 0, place_count = 0;

    if (sample_bytes < SAMPLE_BYTES_MIN || literal_bytes < REPEAT_BYTES)
        return false;
    for (uint32_t i = 0; i < REPEAT_LOOKS; i++) {
        uint64_t at = (sample_bytes - REPEAT_BYTES) / REPEAT_LOOKS * i, begin;
        const uint8_t *there =
            (const uint8_t *)memmem(literal, (size_t)literal_bytes, sample + at, REPEAT_BYTES);
        uint32_t p = 0;

        TRAWL_ASSERT(at + REPEAT_BYTES <= sample_bytes);
        if (there == NULL)
            continue;
        found++;
        begin = at - (uint64_t)(there - literal); /* may be before the sample: it wraps */
        while (p < place_count && places[p] != begin)
            p++;
        if (p == place_count && place_count < REPEAT_PLACES_MIN)
            places[place_count++] = begin;
    }
    TRAWL_ASSERT(place_count <= REPEAT_PLACES_MIN && place_count <= found);
    return found >= REPEAT_LOOKS_MIN && place_count >= REPEAT_PLACES_MIN;
}

void analyse_rates(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                   uint64_t literal_bytes, bool fold, struct byte_rates *rates)
{
    if (sample_bytes >= SAMPLE_BYTES_MIN) {
        rates_from_sample(sample, sample_bytes, rates->rate);
    } else {
        memcpy(rates->rate, prior_rate, sizeof prior_rate);
        rates_from_literal(literal, literal_bytes, rates->rate);
    }
    for (uint32_t lower = 'a'; fold && lower <= 'z'; lower++) {
        double both = rates->rate[lower] + rates->rate[lower - 0x20];

        rates->rate[lower] = both;
        rates->rate[lower - 0x20] = both;
    }
}

double analyse_log2(double value)
{
    double bits = 0;

    TRAWL_ASSERT(value >= 1);
    while (value >= 2) {
        value /= 2;
        bits++;
    }
    return bits + (value - 1);
}

double analyse_byte_bits(const uint8_t *bytes, uint64_t count)
{
    uint64_t counts[256] = {0}, looked = 0, step = max_u64(count / ENTROPY_BLOCKS, ENTROPY_BYTES);
    double bits = 0;

    for (uint64_t at = 0; at < count; at += step) {
        uint64_t end = min_u64(at + ENTROPY_BYTES, count);

        TRAWL_ASSERT(at < end && looked <= at);
        for (uint64_t i = at; i < end; i++)
            counts[bytes[i]]++;
        looked += end - at;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        if (counts[byte] > 0)
            bits += (double)counts[byte] / (double)looked *
                    analyse_log2((double)looked / (double)counts[byte]);
    return bits;
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
    TRAWL_ASSERT(p > 0 && suffix + 1 + p <= count);
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
    TRAWL_ASSERT(*critical < count && *period <= count);
}

static uint8_t fold_mask(uint8_t byte, bool fold)
{
    return fold && byte >= 'a' && byte <= 'z' ? 0x20 : 0;
}

/* Note what each offset costs from now on: a probe of the same byte value lies near, and such bytes
 * come together; neighbours in real text depend on each other; and the probe itself is taken. */
static void raise_costs(const uint8_t *bytes, uint64_t first, uint64_t last, uint64_t probe,
                        double *cost)
{
    uint8_t value = bytes[probe];

    TRAWL_ASSERT(first <= probe && probe < last && last - first <= PLAN_PROBE_SPAN_BYTES);
    for (uint64_t offset = first; offset < last; offset++)
        cost[offset - first] *= bytes[offset] == value ? 2.0 : 1.0;
    if (probe > first)
        cost[probe - 1 - first] *= 1.5;
    if (probe + 1 < last)
        cost[probe + 1 - first] *= 1.5;
    cost[probe - first] = PROBE_TAKEN;
}

static uint64_t cheapest(const double *cost, uint64_t count)
{
    uint64_t best = 0;

    TRAWL_ASSERT(count > 0 && count <= PLAN_PROBE_SPAN_BYTES);
    for (uint64_t i = 1; i < count; i++)
        if (cost[i] < cost[best])
            best = i;
    return best;
}

uint32_t analyse_probes(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, struct plan_probe *probes)
{
    uint32_t wanted = (uint32_t)min_u64(count, PLAN_PROBES_MAX);
    uint64_t first = 0, last = count, best = 0; /* offsets to choose from; the first of the least */
    double cost[PLAN_PROBE_SPAN_BYTES]; /* how telling a probe there would be: less is more */

    for (uint64_t offset = 1; offset < count; offset++)
        if (rates->rate[bytes[offset]] < rates->rate[bytes[best]])
            best = offset;
    if (count > PLAN_PROBE_SPAN_BYTES) {
        first = best > PLAN_PROBE_SPAN_BYTES / 2 ? best - PLAN_PROBE_SPAN_BYTES / 2 : 0;
        first = min_u64(first, count - PLAN_PROBE_SPAN_BYTES);
        last = first + PLAN_PROBE_SPAN_BYTES;
    }
    TRAWL_ASSERT(first <= best && best < last && last <= count);
    TRAWL_ASSERT(last - first <= PLAN_PROBE_SPAN_BYTES && wanted <= last - first);
    for (uint64_t offset = first; offset < last; offset++)
        cost[offset - first] = rates->rate[bytes[offset]];
    for (uint32_t i = 0; i < wanted; i++) {
        probes[i].offset = best;
        probes[i].fold = fold_mask(bytes[best], fold);
        probes[i].value = bytes[best] | probes[i].fold;
        memset(probes[i].reserved, 0, sizeof probes[i].reserved);
        raise_costs(bytes, first, last, best, cost);
        best = first + cheapest(cost, last - first);
    }
    return wanted;
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
    TRAWL_ASSERT(first <= FIRST_PROBES_MAX && first <= probe_count);
    return first;
}

uint64_t analyse_rare_bytes(const uint8_t *bytes, uint64_t count, const struct byte_rates *rates)
{
    double best_rate = 1e9, rate[4] = {0}; /* of the words at four offsets one after the other */
    uint64_t best = 0;

    TRAWL_ASSERT(count >= 7);
    for (uint64_t o = 0; o + 4 <= count; o++) {
        double sum;

        rate[3] = rates->rate[bytes[o]] * rates->rate[bytes[o + 1]] * rates->rate[bytes[o + 2]] *
                  rates->rate[bytes[o + 3]];
        sum = rate[0] + rate[1] + rate[2] + rate[3];
        if (o >= 3 && sum < best_rate) {
            best_rate = sum;
            best = o - 3;
        }
        for (uint32_t i = 0; i < 3; i++)
            rate[i] = rate[i + 1];
    }
    TRAWL_ASSERT(best + 7 <= count);
    return best;
}

#define CLASSES 8u
#define GRAM_OFFSETS_MAX 1024u /* of a long literal this many first positions are weighed */

/* classes, begun and carried of the grams at bytes. */
static void fill_classes(const uint8_t *bytes, struct plan_grams *grams)
{
    uint8_t begun[PLAN_GRAM_BYTES] = {0}, carried[PLAN_GRAM_BYTES] = {0};

    TRAWL_ASSERT(grams->stride > 0 && PLAN_GRAM_BYTES % grams->stride == 0);
    TRAWL_ASSERT(grams->q > 0 && grams->q <= PLAN_GRAM_BYTES);
    memset(grams->classes, 0xff, sizeof grams->classes);
    for (uint32_t b = 0; b < PLAN_GRAM_BYTES; b++) {
        uint32_t begin = b - b % grams->stride, o = grams->stride - 1 - b % grams->stride;
        uint8_t may = (uint8_t) ~(1u << b);

        for (uint32_t j = 0; j < PLAN_GRAM_BYTES; j++) {
            uint32_t i = (j - begin) % PLAN_GRAM_BYTES; /* of the gram's bytes, the one here */

            if (j >= begin)
                begun[b] |= (uint8_t)(0x80u >> j);
            else
                carried[b] |= (uint8_t)(0x80u >> j);
            for (uint32_t class = 0; class < CLASSES; class ++)
                if (i >= grams->q || bytes[o + i] % CLASSES == class)
                    grams->classes[CLASSES * j + class] &= may;
        }
    }
    memcpy(&grams->begun, begun, sizeof begun);
    memcpy(&grams->carried, carried, sizeof carried);
}

/* What share of a text each class has. Rates may sum to more than 1, where a literal's few letters
 * were raised; with `fold` those of A-Z are in a-z's already. */
static void class_shares(const struct byte_rates *rates, bool fold, double share[CLASSES])
{
    double total = 0;

    for (uint32_t byte = 0; byte < 256; byte++) {
        if (fold && byte >= 'A' && byte <= 'Z')
            continue;
        share[byte % CLASSES] += rates->rate[byte];
        total += rates->rate[byte];
    }
    TRAWL_ASSERT(total > 0);
    for (uint32_t class = 0; class < CLASSES; class ++)
        share[class] /= total;
}

double analyse_grams(const uint8_t *bytes, uint64_t count, bool fold,
                     const struct byte_rates *rates, uint32_t stride, struct plan_grams *grams)
{
    uint64_t q, offsets, best = 0;
    double share[CLASSES] = {0}, last[PLAN_GRAM_STRIDE_MAX] = {0}, rate = 0, best_rate = 1e9;

    if (stride == 0 || count < stride + 3)
        return 1; /* no gram of 4 bytes at each offset: every position would have to be looked at */
    q = min_u64(count - stride + 1, PLAN_GRAM_BYTES);
    offsets = min_u64(count - stride - q + 2, GRAM_OFFSETS_MAX);
    class_shares(rates, fold, share);
    for (uint64_t o = 0; o < offsets + stride - 1; o++) {
        double one = 1;

        for (uint64_t i = 0; i < q; i++)
            one *= share[bytes[o + i] % CLASSES];
        rate += one - last[o % stride];
        last[o % stride] = one;
        if (o + 1 >= stride && rate < best_rate) {
            best_rate = rate;
            best = o + 1 - stride;
        }
    }
    TRAWL_ASSERT(q >= 4 && best + stride - 1 + q <= count);
    grams->offset = best;
    grams->stride = stride;
    grams->q = (uint32_t)q;
    grams->fold = fold ? 0x2020202020202020ull : 0;
    grams->keep = q < 8 ? (1ull << 8 * q) - 1 : UINT64_MAX;
    for (uint32_t o = 0; o < stride; o++) {
        grams->gram[o] = 0;
        memcpy(&grams->gram[o], bytes + best + o, q);
        grams->gram[o] = (grams->gram[o] | grams->fold) & grams->keep;
    }
    fill_classes(bytes + best, grams);
    return best_rate / stride; /* each gram stands for stride positions */
}
