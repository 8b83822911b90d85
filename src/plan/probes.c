/* probes: how frequent bytes are in a text, the period of a literal, and which of its bytes a
 * search tests first. */
#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"
#include "plan/prices.def"

/* Computed by the compiler: dividing at run time would take a third of the time to build a short
 * pattern's plan. */
static const double prior_rate[256] = {
#define RATE(count) (double)(count) / 66836 /* the sum of the counts */
#include "plan/byte_prior.def"
#undef RATE
};

static void rates_from_sample(const uint8_t *sample, uint64_t sample_bytes, double *rate)
{
    /* two tables, so that counting a byte need not wait for the byte before, if they are equal */
    uint32_t count[2][256] = {{0}, {0}};
    uint64_t step = sample_bytes / RATE_PAIRS_MAX | 1, looked = 0;
    double share;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    for (uint64_t i = 0; i + 1 < sample_bytes; i += step + 1, looked += 2) {
        count[0][sample[i]]++;
        count[1][sample[i + 1]]++;
    }
    share = 1 / ((double)looked + 64.0);
    /* the 0.25 keeps the rates of bytes that the sample lacks above 0 */
    for (uint32_t byte = 0; byte < 256; byte++)
        rate[byte] = ((double)count[0][byte] + (double)count[1][byte] + 0.25) * share;
}

/* Raises the rates of the byte values of a long literal with few values, because such a literal
 * comes from a text with few values. Each value's rate becomes at least the mean of two fractions:
 * the value's fraction of the literal, and 1 / number of values. */
static void rates_from_literal(const uint8_t *literal, uint64_t literal_bytes, double *rate)
{
    uint64_t count[256] = {0};
    uint32_t values = 0;

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
    if (sample_bytes >= PLAN_SAMPLE_BYTES_MIN) {
        rates_from_sample(sample, sample_bytes, rates->rate);
    } else {
        memcpy(rates->rate, prior_rate, sizeof prior_rate);
        if (literal_bytes >= PLAN_GRAMS_LENGTH_MIN)
            rates_from_literal(literal, literal_bytes, rates->rate);
    }
    for (uint32_t lower = 'a'; fold && lower <= 'z'; lower++) {
        double both = rates->rate[lower] + rates->rate[lower - 0x20];

        rates->rate[lower] = both;
        rates->rate[lower - 0x20] = both;
    }
}

/* Returns where the maximal suffix of the bytes begins, in the usual order of bytes or in reverse
 * order, and stores the suffix's period in *period. */
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

/* Survivors are positions of the sample that pass all probes chosen so far. There is at most one
 * from each of SURVIVORS_MAX parts of the sample. The next probe is chosen by them, and not by the
 * rates of bytes alone, because bytes depend on each other: in a log, nearly every line has the
 * same rare bytes together. */
struct survivors {
    /* the sample's byte that lines up with the literal's byte at offset probe_window.first */
    const uint8_t *at[SURVIVORS_MAX];
    uint32_t count;
    uint32_t begun; /* number of survivors after the first probe */
};

/* The literal's bytes at offsets [first, last), and for each offset, how many survivors have the
 * literal's byte there (`met`). */
struct probe_window {
    uint64_t first;
    uint64_t last;
    uint8_t value[PLAN_PROBE_SPAN_BYTES];
    uint8_t fold[PLAN_PROBE_SPAN_BYTES];
    uint8_t met[PLAN_PROBE_SPAN_BYTES];
    /* the byte's rate, raised if a probe of the same byte or at an adjacent offset was chosen; the
     * lowest cost is best */
    double cost[PLAN_PROBE_SPAN_BYTES];
};

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Collects survivors: from each of SURVIVORS_MAX parts of the sample, the first position that
 * passes the first probe. */
static void survivors_begin(const uint8_t *sample, uint64_t sample_bytes, uint64_t probe,
                            const struct probe_window *window, struct survivors *left)
{
    /* window_meet reads vectors of 16 bytes at each survivor, `span` bytes in all, so the sample
     * must have `span` bytes there */
    uint64_t lead = probe - window->first, span = PLAN_PROBE_SPAN_BYTES;
    uint8_t value = window->value[lead], fold = window->fold[lead];

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    for (uint32_t i = 0; i < SURVIVORS_MAX; i++) {
        uint64_t part = (sample_bytes - span) / SURVIVORS_MAX, at = lead + i * part,
                 end = at + part;

        TRAWL_ASSERT(end - lead + span <= sample_bytes);
        if (fold == 0) {
            const void *there = memchr(sample + at, value, (size_t)part);

            at = there == NULL ? end : (uint64_t)((const uint8_t *)there - sample);
        }
        while (fold != 0 && at < end && (sample[at] | fold) != value)
            at++;
        if (at < end)
            left->at[left->count++] = sample + at - lead;
    }
    left->begun = left->count;
}

/* Drops the survivors that do not pass the probe. */
static void survivors_pass(uint64_t probe, const struct probe_window *window,
                           struct survivors *left)
{
    uint64_t o = probe - window->first;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < left->count; i++)
        if ((left->at[i][o] | window->fold[o]) == window->value[o])
            left->at[kept++] = left->at[i];
    left->count = kept;
}

static void window_meet(const struct survivors *left, struct probe_window *window)
{
    memset(window->met, 0, sizeof window->met);
    for (uint64_t o = 0; o < window->last - window->first; o += sizeof(bytes16)) {
        bytes16 met = {0}, value, fold, text;

        memcpy(&value, window->value + o, sizeof value);
        memcpy(&fold, window->fold + o, sizeof fold);
        for (uint32_t i = 0; i < left->count; i++) {
            memcpy(&text, left->at[i] + o, sizeof text);
            /* the comparison is -1 where the bytes are equal */
            met -= (bytes16)((text | fold) == value);
        }
        memcpy(window->met + o, &met, sizeof met);
    }
}

/* Raises the costs of offsets after a probe was chosen there: equal bytes near each other occur
 * together, and adjacent bytes depend on each other. The probe's own offset cannot be chosen
 * again. */
static void raise_costs(uint64_t probe, struct probe_window *window)
{
    uint64_t span = window->last - window->first, taken = probe - window->first;
    uint8_t value = window->value[taken];

    TRAWL_ASSERT(taken < span && span <= PLAN_PROBE_SPAN_BYTES);
    for (uint64_t o = 0; o < span; o++)
        window->cost[o] *= window->value[o] == value ? 2.0 : 1.0;
    if (taken > 0)
        window->cost[taken - 1] *= 1.5;
    if (taken + 1 < span)
        window->cost[taken + 1] *= 1.5;
    window->cost[taken] = PROBE_TAKEN;
}

/* Returns the offset that leaves the fewest survivors. Among equal ones, or if there are no
 * survivors, returns the offset with the lowest cost. */
static uint64_t max_telling(const struct probe_window *window, uint32_t survivors)
{
    uint64_t best = 0;

    if (survivors == 0) { /* the sample no longer helps, so the lowest cost decides */
        for (uint64_t o = 1; o < window->last - window->first; o++)
            best = window->cost[o] < window->cost[best] ? o : best;
        return window->first + best;
    }
    for (uint64_t o = 1; o < window->last - window->first; o++) {
        if (window->cost[o] >= PROBE_TAKEN)
            continue;
        if (window->cost[best] >= PROBE_TAKEN || window->met[o] == window->met[best]
                ? window->cost[o] < window->cost[best]
                : window->met[o] < window->met[best])
            best = o;
    }
    return window->first + best;
}

static void window_open(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, uint64_t best, struct probe_window *window)
{
    memset(window, 0, sizeof *window);
    window->last = count;
    if (count > PLAN_PROBE_SPAN_BYTES) {
        window->first = best > PLAN_PROBE_SPAN_BYTES / 2 ? best - PLAN_PROBE_SPAN_BYTES / 2 : 0;
        window->first = min_u64(window->first, count - PLAN_PROBE_SPAN_BYTES);
        window->last = window->first + PLAN_PROBE_SPAN_BYTES;
    }
    TRAWL_ASSERT(window->first <= best && best < window->last && window->last <= count);
    for (uint64_t o = 0; o < window->last - window->first; o++) {
        uint8_t byte = bytes[window->first + o];

        window->fold[o] = fold && byte >= 'a' && byte <= 'z' ? 0x20 : 0;
        window->value[o] = byte | window->fold[o];
        window->cost[o] = rates->rate[byte];
    }
}

uint32_t analyse_probes(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, const uint8_t *sample,
                        uint64_t sample_bytes, struct plan_probe *probes, double *passed)
{
    uint32_t wanted = (uint32_t)min_u64(count, PLAN_PROBES_MAX);
    uint64_t best = 0; /* offset of the rarest byte; of several, the first */
    struct probe_window window;
    struct survivors left;
    /* rate: expected fraction of positions that pass all probes so far; others: product of the
     * rates of the probes after the first */
    double rate = 1, others = 1;

    for (uint64_t offset = 1; offset < count; offset++)
        if (rates->rate[bytes[offset]] < rates->rate[bytes[best]])
            best = offset;
    window_open(bytes, count, fold, rates, best, &window);
    left.count = left.begun = 0;
    if (sample_bytes >= PLAN_SAMPLE_BYTES_MIN)
        survivors_begin(sample, sample_bytes, best, &window, &left);
    for (uint32_t i = 0; i < wanted; i++) {
        uint64_t o = best - window.first;
        double own = rates->rate[bytes[best]];
        bool passing;

        probes[i].offset = best;
        probes[i].fold = window.fold[o];
        probes[i].value = window.value[o];
        memset(probes[i].reserved, 0, sizeof probes[i].reserved);
        raise_costs(best, &window);
        passing = left.count > 0 && i > 0;
        if (passing)
            survivors_pass(best, &window, &left);
        if (i > 0)
            others *= own;
        if (i == 0)
            rate = own;
        else if (passing) /* Each probe was chosen because it leaves the fewest survivors in the
                             sample, so in the rest of the text more than their share is left. */
            rate = rates->rate[bytes[probes[0].offset]] *
                   max_double((left.count > 0 ? left.count : 0.5) / left.begun, others);
        else
            rate *= own;
        passed[i] = rate;
        if (i + 1 >= PROBES_ENOUGH && left.begun > 0 && left.count == 0)
            return i + 1;
        if (left.count > 0)
            window_meet(&left, &window);
        best = max_telling(&window, left.count);
    }
    return wanted;
}

uint32_t analyse_first_probes(const double *passed, uint32_t probe_count)
{
    uint32_t first = 1;

    while (first < probe_count && first < PLAN_FIRST_PROBES_MAX &&
           64 * (passed[first - 1] - passed[probe_count - 1]) > FIRST_BLOCKS_RATE)
        first++;
    return first;
}
