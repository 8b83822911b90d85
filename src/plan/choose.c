/* choose: decides which methods can search for a plan, and computes the expected cost of each
 * method of the host.
 *
 * A single literal is searched by the method with the least expected cost. `every` tests a few
 * bytes of the literal at every position, as many as leave next to no candidates. `grams` loads
 * each text byte once, but needs a literal whose grams are rare. `sampled` leaves most of the text
 * unread, if the literal is long. Several literals, or a literal with a tail, are a `set`. A worker
 * asks for the prices when a search begins, and again when it has sampled the text
 * (cpu/programs.c). A choice that turns out wrong costs time, never an answer.
 */
#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"
#include "plan/parts.h"
#include "plan/steps.h"
#include "plan/prices.def"

/* ---- What a literal and a text are like ------------------------------------------------------ */

/* The compiler computes these rates: dividing at run time would be a third of the time that
 * building a short pattern's plan takes. */
static const double prior_rate[256] = {
#define RATE(count) (double)(count) / 66836 /* the sum of the counts */
#include "plan/byte_prior.def"
#undef RATE
};

static void rates_from_sample(const uint8_t *sample, uint64_t sample_bytes, double *rate)
{
    /* two tables, so that a byte's count need not wait for the count of the byte before */
    uint32_t count[2][256] = {{0}, {0}};
    uint64_t step = sample_bytes / RATE_PAIRS_MAX | 1, looked = 0;
    double share;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    for (uint64_t i = 0; i + 1 < sample_bytes; i += step + 1, looked += 2) {
        count[0][sample[i]]++;
        count[1][sample[i + 1]]++;
    }
    share = 1 / ((double)looked + 64.0);
    /* the 0.25 keeps bytes possible that the sample lacks */
    for (uint32_t byte = 0; byte < 256; byte++)
        rate[byte] = ((double)count[0][byte] + (double)count[1][byte] + 0.25) * share;
}

/* Raises the rates of the byte values of a long literal over few values, because such a literal
 * comes from a text over few values. Each value's rate becomes at least half its share of the
 * literal plus half an equal share. */
static void rates_from_literal(const uint8_t *literal, uint64_t literal_bytes, double *rate)
{
    uint64_t count[256] = {0};
    uint32_t values = 0;

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

/* Returns where the maximal suffix of the bytes begins, under byte order or its reverse, and the
 * suffix's period in *period. */
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

/* Survivors: positions of the sample that pass all probes chosen so far, at most one of each of
 * SURVIVORS_MAX parts of the sample. The next probe is
 * chosen by these positions and not only by the rates of bytes: in a log, nearly every line has the
 * same rare bytes together. */
struct survivors {
    /* address of the sample's byte that stands at the literal's offset probe_window.first */
    const uint8_t *at[SURVIVORS_MAX];
    uint32_t count;
    uint32_t begun; /* number of survivors after the first probe */
};

/* The literal's bytes at offsets [first, last), and, for each offset, how many survivors have the
 * literal's byte there (`met`). */
struct probe_window {
    uint64_t first;
    uint64_t last;
    uint8_t value[PLAN_PROBE_SPAN_BYTES];
    uint8_t fold[PLAN_PROBE_SPAN_BYTES];
    uint8_t met[PLAN_PROBE_SPAN_BYTES];
    /* the byte's rate, raised if a probe of the same byte, or at a neighbouring offset, was chosen;
     * the lowest cost is best */
    double cost[PLAN_PROBE_SPAN_BYTES];
};

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Collects survivors: from each of SURVIVORS_MAX parts of the sample, the first position that
 * passes the first probe. */
static void survivors_begin(const uint8_t *sample, uint64_t sample_bytes, uint64_t probe,
                            const struct probe_window *window, struct survivors *left)
{
    /* window_meet reads vectors of 16 bytes at each survivor, `span` bytes in all, so the sample
     * must hold `span` bytes there */
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

/* Keeps the survivors that pass the probe. */
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

/* Raises the costs of offsets after a probe was chosen. Equal bytes near each other occur together,
 * and neighbouring bytes depend on each other. The probe's own offset cannot be chosen again. */
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

/* Returns the offset that leaves the fewest survivors. If several offsets leave equally few, or if
 * there are no survivors, returns the offset of least cost. */
static uint64_t most_telling(const struct probe_window *window, uint32_t survivors)
{
    uint64_t best = 0;

    if (survivors == 0) { /* the sample tells nothing more, so the least cost decides */
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

/* Returns the share of the survivors that are left. Each probe was chosen because it leaves the
 * fewest survivors of the sample, so the share in the sample is lower than in the text. Therefore
 * the share is at least `independent`, the product of the bytes' rates. */
static double share_left(const struct survivors *left, double independent)
{
    return max_double((left->count > 0 ? left->count : 0.5) / left->begun, independent);
}

uint32_t analyse_probes(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, const uint8_t *sample,
                        uint64_t sample_bytes, struct plan_probe *probes, double *passed)
{
    uint32_t wanted = (uint32_t)min_u64(count, PLAN_PROBES_MAX);
    uint64_t best = 0; /* offset of the first rarest byte */
    struct probe_window window;
    struct survivors left;
    /* rate: expected share of positions that pass all probes so far; others: product of the rates
     * of the probes after the first */
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
        else if (passing)
            rate = rates->rate[bytes[probes[0].offset]] * share_left(&left, others);
        else
            rate *= own * DEPENDENCE > 1 ? 1 : own * DEPENDENCE;
        passed[i] = rate;
        if (i + 1 >= PROBES_ENOUGH && left.begun > 0 && left.count == 0)
            return i + 1;
        if (left.count > 0)
            window_meet(&left, &window);
        best = most_telling(&window, left.count);
    }
    return wanted;
}

uint32_t analyse_first_probes(const double *passed, uint32_t probe_count)
{
    uint32_t first = 1;

    while (first < probe_count && first < PROBES_ENOUGH &&
           64 * (passed[first - 1] - passed[probe_count - 1]) > FIRST_BLOCKS_RATE)
        first++;
    return first;
}

/* ---- Tuning: probes and grams of one literal, by what is known of the text ------------------- */

bool plan_reads_grams(const struct trawl_plan *plan, const struct plan_tuning *tuning)
{
    TRAWL_ASSERT(plan_is_one_literal(plan));
    return plan->length_min >= PLAN_GRAMS_LENGTH_MIN && tuning->gram_rate <= GRAMS_RATE_MAX;
}

/* Tries strides from the widest down, until one has grams that are rare enough. A narrower stride
 * replaces a wider one only if its grams are clearly rarer (STRIDE_RATE). Stops early if the sample
 * shows that no gram is rare. */
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
    tuning->grams = (struct plan_grams){.stride = 0}; /* unset until plan_tune_grams */
    tuning->gram_rate = 0;
    tuning->is_seen = sample_bytes >= PLAN_SAMPLE_BYTES_MIN;
    analyse_rates(sample, sample_bytes, bytes, count, fold, rates);
    tuning->probe_count =
        analyse_probes(bytes, count, fold, rates, sample, sample_bytes, tuning->probes, passed);
    tuning->first_probes = analyse_first_probes(passed, tuning->probe_count);
    tuning->every_rate = passed[tuning->probe_count - 1];
    tuning->probes_exact = tuning->probe_count == count;
    TRAWL_ASSERT(tuning->first_probes > 0 && tuning->first_probes <= tuning->probe_count);
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

const struct plan_costs *plan_costs_of(const char *instruction_set)
{
    static const struct {
        const char *name;
        struct plan_costs costs;
    } known[] = {
#define COSTS(set, ...) {#set, {__VA_ARGS__}},
#include "plan/methods.def"
    };
    const char *name = instruction_set != NULL ? instruction_set : USUAL_SET;
    uint32_t i = 0;

    while (strcmp(known[i].name, name) != 0)
        i++;
    return &known[i].costs;
}

/* Returns a lower bound on what the methods "every" and "grams" cost, in ns per text byte. */
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

/* What the price of a method depends on. */
struct asked {
    const struct trawl_plan *plan;
    const struct plan_tuning *tuning;
    const struct plan_costs *costs;
    double probes; /* number of probes that the method "every" tests at each position */
};

/* What a method does, per byte of text, and what it reads. */
struct work {
    struct plan_form form;
    double bare_ns;    /* ns without candidates; 0: the method does not fit */
    double compared;   /* candidates that a single vector comparison decides */
    double candidates; /* other candidates */
    double took_ns;    /* measured by a search that then left the method; 0: not known */
};

static struct work work_every(const struct asked *of)
{
    /* Candidates of a periodic literal cost as little as candidates of a short literal: where the
     * text repeats the period, the search decides about all begins there at once. */
    bool is_short = of->plan->length_min <= COMPARED_LENGTH_MAX || of->plan->period > 0;
    double rate = of->tuning->every_rate;

    return (struct work){
        .form = {of->tuning->probe_count, 1, of->tuning->probe_count * sizeof(struct plan_probe)},
        .bare_ns = of->costs->every + of->costs->every_probe * max_double(of->probes, PROBES_FEW),
        .compared = is_short ? rate : 0,
        .candidates = is_short ? 0 : rate};
}

static struct work work_grams(const struct asked *of)
{
    const struct plan_tuning *tuning = of->tuning;

    if (tuning->grams.stride == 0)
        return (struct work){.bare_ns = 0};
    /* Positions of the sample that pass all probes are mostly occurrences, and each occurrence is a
     * candidate of "grams", too. So there are at least as many candidates as such positions. */
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

/* What methods.def says of each method. */
static const struct {
    enum { ANY, PLAIN, ONE } literals;
    uint32_t length_min;
    struct work (*work)(const struct asked *of);
} methods[TRAWL_METHODS_COUNT] = {
#define METHOD(name, literals, length_min, work, program) \
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
    return methods[method].work(&(struct asked){plan, &plan->tuning, plan_costs_of(NULL), 1}).form;
}

enum trawl_method plan_cheapest(const struct plan_prices *prices, enum trawl_method but)
{
    enum trawl_method least = TRAWL_METHOD_EVERY;

    for (uint32_t m = 0; m < TRAWL_METHODS_COUNT; m++)
        if (prices->of[m] > 0 && prices->of[m] < prices->of[least] && m != but)
            least = (enum trawl_method)m;
    return least;
}

struct plan_prices plan_price(const struct trawl_plan *plan, const struct plan_tuning *tuning,
                              const struct plan_costs *costs)
{
    const struct asked of = {plan, tuning, costs, tuning->first_probes};
    struct plan_prices prices = {.least = TRAWL_METHOD_EVERY};

    TRAWL_ASSERT(plan_is_one_literal(plan) && tuning->first_probes > 0);
    for (uint32_t m = 0; m < TRAWL_METHODS_COUNT; m++)
        if (methods[m].work != NULL && plan->length_min >= methods[m].length_min) {
            struct work work = methods[m].work(&of);
            double price =
                work.bare_ns + work.compared * costs->compared + work.candidates * costs->candidate;

            prices.of[m] = work.bare_ns > 0 ? max_double(price, work.took_ns) : 0;
        }
    prices.least = plan_cheapest(&prices, TRAWL_METHOD_AUTO);
    return prices;
}

bool plan_look_far(const struct trawl_plan *plan, const struct plan_costs *costs,
                   const uint8_t *text, uint64_t text_bytes, struct plan_tuning *tuning,
                   struct plan_prices *prices)
{
    plan_tune_sampled(plan, text, text_bytes, tuning);
    *prices = plan_price(plan, tuning, costs);
    prices->least = TRAWL_METHOD_SAMPLED;
    return prices->of[TRAWL_METHOD_SAMPLED] > 0 &&
           prices->of[TRAWL_METHOD_SAMPLED] <= least_of_others(plan, costs);
}

void plan_look(const struct trawl_plan *plan, const struct plan_costs *costs, const uint8_t *sample,
               uint64_t sample_bytes, struct plan_tuning *tuning, struct plan_prices *prices)
{
    const double widest = costs->grams[3];
    struct byte_rates rates;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    plan_tune_probes(plan, sample, sample_bytes, &rates, tuning);
    *prices = plan_price(plan, tuning, costs);
    if (plan->length_min >= PLAN_GRAMS_LENGTH_MIN && prices->of[prices->least] > widest) {
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
    if (plan->tuning.is_seen)
        plan->tuning.repeats = analyse_repeats(sample, sample_bytes, bytes, count);
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
    /* For a published algorithm, matrix.c searches under a plan with patterns but no literals. */
    if (plan->pattern_count < 2 || plan->literal_count == 0 ||
        plan->method_asked != TRAWL_METHOD_AUTO || plan->element_count > 0 || plan_is_layered(plan))
        return false;
    return which == PLAN_ALONE ? plan->pattern_count <= PLAN_ALONE_MAX
           : which == PLAN_PARTS_HOST
               ? differ && plan->pattern_count > 2 && plan->pattern_count <= PARTS_PATTERNS_MAX
               : differ || plan->pattern_count <= plan_part_costs_device.singly_max;
}

/* Chooses by which programs (search loops) the CPU may search. A tournament on the text decides
 * between them (cpu/programs.c). */
static void choose_programs(struct trawl_plan *plan)
{
    const bool open = plan_method_is_open(plan) && plan_fits_classes(plan);
    const enum trawl_method asked = plan->method_asked;
    const uint32_t count = plan->literal_count;
    const bool may[PROGRAMS] = {
#define PROGRAM(name, method, may, there) may,
#include "plan/set_prices.def"
    };

    for (uint32_t i = 0; i < PROGRAMS; i++)
        plan->programs |= (uint32_t)may[i] << i;
}

/* Checks that the asked method fits the plan. */
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
        choose_programs(plan);
    return TRAWL_OK;
}
