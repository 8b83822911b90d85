/* cuda_choose: chooses how a device searches. Each method has a price, the expected time of a
 * count, and the cheapest method is chosen.
 *
 * The price of a method for a single pattern in a text follows from two rates: how many candidates
 * the method has per byte of text, and how many candidates are compared to the pattern's end. A
 * sample of the text gives the rates.
 */
#include "cuda/cuda_choose.h"

#include "base/checked.h"
#include "cuda/cuda_automaton.h"
#include "cuda/cuda_sampled.h"
#include "plan/analyse.h"
#include "cuda/prices.def"

#define RARE_NOT_RATED DENSE_RATE

/* Shares of a text's positions. */
struct rates {
    double rare; /* positions with the pattern's 8 rarest bytes */
    double gram; /* positions that the pattern's grams propose */
    /* positions with the 16 bytes at an offset of the pattern, on average over the offsets */
    double named;
    double deep; /* positions of `named` where the bytes after the 16 bytes match, too */
};

static double read_sampled(double length)
{
    return length < SAMPLED_CHOSEN_MIN
               ? READ_SAMPLED_SHORT
               : READ_SAMPLED + READ_SAMPLED_MORE / (1 + length / SAMPLED_HALF);
}

static double candidates_price(double length, double failed, double failed_max, double found)
{
    return min_double(FAILED * failed, failed_max) +
           min_double((length > SHORT_MAX ? FOUND : FOUND_SHORT) * found, FOUND_MAX);
}

/* Returns a method's price; PRICE_MAX if the method cannot search for the pattern. */
static double price_of(enum trawl_method method, double length, const struct rates *rates)
{
    double found = min_double(rates->rare, rates->named);
    /* the rate of occurrences, if rates->deep compares the whole pattern */
    double occurring = length <= SCAN_SAMPLE_BYTES + ANALYSE_DEEP_BYTES ? rates->deep : 0;

    switch (method) {
    case TRAWL_METHOD_GRAMS:
        if (rates->rare > DENSE_RATE)
            break;
        return READ_GRAMS + candidates_price(length, max_double(rates->gram, occurring),
                                             FAILED_GRAMS_MAX,
                                             max_double(min_double(found, rates->gram), occurring));
    case TRAWL_METHOD_SAMPLED:
        if (length < CUDA_SAMPLED_LENGTH_MIN)
            break;
        return read_sampled(length) + (NAMED + NAMED_BYTE * length) * rates->named +
               (FOUND_SAMPLED + FOUND_SAMPLED_BYTE * length) * rates->deep;
    default:
        if (rates->rare > DENSE_RATE)
            return length > SHORT_MAX ? READ_PLANES_LONG : READ_PLANES;
        return READ_EVERY + candidates_price(length, max_double(rates->rare, occurring),
                                             FAILED_EVERY_MAX, max_double(found, occurring));
    }
    return PRICE_MAX;
}

/* Sets rates->named and rates->deep, by the first sample_bytes bytes of the text's sample. */
static void rate_named(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                       struct rates *rates)
{
    uint64_t offsets = min_u64(plan->length_min, CUDA_SAMPLED_STRIDE_MAX) - (SCAN_SAMPLE_BYTES - 1);
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;

    TRAWL_ASSERT(plan->length_min >= SCAN_SAMPLE_BYTES);
    rates->named = analyse_seen_named(plan_literal_bytes(plan, 0), plan->length_min, offsets, fold,
                                      sample, sample_bytes, &rates->deep) /
                   (double)offsets;
    rates->deep /= (double)offsets;
}

/* Returns the time to make the method's tables, in units of reading the text. */
static double price_once(enum trawl_method method, double length, double read_ns)
{
    return method == TRAWL_METHOD_SAMPLED ? ONCE_SAMPLED_BYTE_NS * length / read_ns : 0;
}

/* Sets the prices of the methods that were not measured. */
static void set_prices(double length, const struct rates *rates, struct cuda_prices *prices)
{
    for (uint32_t method = TRAWL_METHOD_EVERY; method <= TRAWL_METHOD_SAMPLED; method++)
        if (prices->counts[method] == 0 && prices->price[method] < PRICE_MAX)
            prices->price[method] = price_of((enum trawl_method)method, length, rates);
}

/* Returns the price of a method, the time to make the method's tables included. */
static double price_with(uint32_t method, double length, double read_ns,
                         const struct cuda_prices *prices)
{
    return prices->price[method] + price_once((enum trawl_method)method, length, read_ns);
}

/* Returns the cheapest method. is_first: the tables of the method have to be made for one count. */
static enum trawl_method cheapest(double length, double read_ns, bool is_first,
                                  const struct cuda_prices *prices)
{
    struct plan_prices of = {.least = TRAWL_METHOD_AUTO};

    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++)
        of.of[i] = is_first ? price_with(i, length, read_ns, prices) : prices->price[i];
    return plan_cheapest(&of, TRAWL_METHOD_AUTO);
}

bool cuda_choose_without(enum trawl_method method, struct cuda_prices *prices)
{
    bool is_left = false;

    prices->price[method] = PRICE_MAX;
    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++)
        is_left |= prices->price[i] > 0 && prices->price[i] < PRICE_MAX;
    return is_left;
}

bool cuda_choose_is_slow(enum trawl_method method, const struct cuda_prices *prices)
{
    if (prices->counts[method] < COUNTS_MIN)
        return false;
    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++)
        if (prices->price[method] > SLOW * prices->price[i])
            return true;
    return false;
}

/* Sets the rates that the price of method every needs, unless they are known, and
 * tuning->rare_offset. */
static void rate_every(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                       struct plan_tuning *tuning, struct byte_rates *of_bytes, struct rates *rates)
{
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;

    if (rates->named >= NOT_RATED && plan->length_min >= SCAN_SAMPLE_BYTES)
        rate_named(plan, sample, sample_bytes, rates);
    analyse_rates(sample, sample_bytes, plan_literal_bytes(plan, 0), plan->length_min, fold,
                  of_bytes);
    if (plan->length_min > DECIDED_LENGTH_MAX)
        tuning->rare_offset =
            analyse_seen_window(plan_literal_bytes(plan, 0), plan->length_min, fold, of_bytes,
                                sample, sample_bytes, &rates->rare);
    if (rates->rare <= 0 && rates->deep > DEEP_MANY)
        rates->rare = analyse_seen_rate(plan_literal_bytes(plan, 0) + tuning->rare_offset, fold,
                                        sample, sample_bytes);
}

/* Rates one method after the other by the sample. Returns the cheapest rated method as soon as
 * rating the next method would take longer than that method could save; AUTO if all methods must be
 * rated. The prices of methods that were not rated are then lower bounds. */
static enum trawl_method choose_quickly(const struct trawl_plan *plan, const uint8_t *sample,
                                        uint64_t sample_bytes, double read_ns,
                                        struct plan_tuning *tuning, struct byte_rates *of_bytes,
                                        struct rates *rates, struct cuda_prices *prices)
{
    static const struct rates no_candidates;
    static const struct {
        enum trawl_method method;
        double next_ns; /* the time to rate the next method */
    } steps[] = {{TRAWL_METHOD_SAMPLED, RATE_GRAMS_NS},
                 {TRAWL_METHOD_GRAMS, RATE_EVERY_NS},
                 {TRAWL_METHOD_EVERY, TUNE_GRAMS_NS}};
    const struct plan_grams *grams = &plan->tuning.grams;
    double length = (double)plan->length_min;
    bool is_known[TRAWL_METHOD_SAMPLED + 1] = {false};

    set_prices(length, &no_candidates, prices);
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        enum trawl_method method = steps[i].method, best = TRAWL_METHOD_AUTO;
        /* if method every has no candidates, no other choice of grams can be cheaper than
         * READ_EVERY */
        double least = PRICE_MAX, bound = method == TRAWL_METHOD_EVERY ? READ_EVERY : PRICE_MAX;

        if ((method == TRAWL_METHOD_SAMPLED && plan->length_min < SAMPLED_CHOSEN_MIN) ||
            (method == TRAWL_METHOD_GRAMS && grams->stride <= 1))
            continue;
        if (method == TRAWL_METHOD_SAMPLED)
            rate_named(plan, sample, sample_bytes, rates);
        else if (method == TRAWL_METHOD_GRAMS)
            rates->gram = analyse_seen_grams(sample, PLAN_SAMPLE_BYTES_MIN, grams);
        else
            rate_every(plan, sample, sample_bytes, tuning, of_bytes, rates);
        is_known[method] = true;
        for (uint32_t known = TRAWL_METHOD_EVERY; known <= TRAWL_METHOD_SAMPLED; known++) {
            double price;

            if (is_known[known])
                prices->price[known] = price_of((enum trawl_method)known, length, rates);
            price = price_with(known, length, read_ns, prices);
            if (!is_known[known]) {
                bound = min_double(bound, price);
            } else if (price < least) {
                least = price;
                best = (enum trawl_method)known;
            }
        }
        if (least <= bound + steps[i].next_ns / read_ns)
            return best;
        if (rates->deep > DEEP_MANY)
            break; /* a few positions of the sample do not tell the other rates */
    }
    return TRAWL_METHOD_AUTO;
}

enum trawl_method cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample,
                                   uint64_t sample_bytes, double read_ns,
                                   struct plan_tuning *tuning, struct cuda_prices *prices)
{
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    bool is_first = prices->price[TRAWL_METHOD_EVERY] <= 0;
    double length = (double)plan->length_min;
    struct rates rates = {.rare = RARE_NOT_RATED, .named = NOT_RATED};
    struct byte_rates of_bytes;
    enum trawl_method method = TRAWL_METHOD_AUTO;

    if (prices->is_rated)
        return cheapest(length, read_ns, false, prices);
    *tuning = plan->tuning;
    if (plan->length_min < PLAN_GRAMS_LENGTH_MIN ||
        (plan->length_min <= DECIDED_LENGTH_MAX && !fold) || sample_bytes < PLAN_SAMPLE_BYTES_MIN)
        return TRAWL_METHOD_EVERY;
    if (is_first)
        method =
            choose_quickly(plan, sample, sample_bytes, read_ns, tuning, &of_bytes, &rates, prices);
    if (method != TRAWL_METHOD_AUTO)
        return method;
    if (rates.rare == RARE_NOT_RATED)
        rate_every(plan, sample, sample_bytes, tuning, &of_bytes, &rates);
    if (rates.rare <= DENSE_RATE) {
        tuning->is_seen = true;
        tuning->grams = (struct plan_grams){.stride = 0};
        plan_tune_grams(plan, sample, sample_bytes, &of_bytes, tuning);
        rates.gram = max_double(tuning->gram_rate, rates.deep > DEEP_MANY ? rates.rare : 0);
    }
    set_prices(length, &rates, prices);
    prices->is_rated = true;
    return cheapest(length, read_ns, is_first, prices);
}

/* A literal that repeats itself is not searched by method sampled, since each sample of a
 * repetitive text would match at many offsets of the literal. */
enum trawl_method cuda_choose_method(const struct trawl_plan *plan, enum trawl_method asked)
{
    bool by_length = asked == TRAWL_METHOD_AUTO && plan->length_min >= SAMPLED_CHOSEN_MIN;

    if (!plan_is_one_literal(plan) || plan->method == TRAWL_METHOD_SET)
        return TRAWL_METHOD_SET;
    if (by_length && !plan->tuning.repeats &&
        sampled_repeats(plan, SCAN_SAMPLE_BYTES) <= REPEATS_MAX)
        return TRAWL_METHOD_SAMPLED;
    if (asked != TRAWL_METHOD_AUTO &&
        (asked != TRAWL_METHOD_SAMPLED || plan->length_min >= CUDA_SAMPLED_LENGTH_MIN))
        return asked;
    return plan_reads_grams(plan, &plan->tuning) ? TRAWL_METHOD_GRAMS : TRAWL_METHOD_EVERY;
}

/* ---- Sets: the filter or the automaton ----------------------------------------------------- */

/* Returns the expected time to make the automaton. */
static double make_ns(const struct engine_worker *worker)
{
    return worker->tables->automaton == CUDA_AUTOMATON_READY
               ? 0
               : MAKE_NS + MAKE_BYTE_NS * (double)worker->plan->literal_bytes_total +
                     MAKE_LEVEL_NS * (double)worker->plan->length_max;
}

/* Returns whether the automaton should search without a trial, since it is expected to save more
 * time in these bytes than to make it takes. The automaton's time is known if its rows fit shared
 * memory: it is the same in every text. A set with a string of less than four bytes needs no trial
 * either, since its filter is slow in nearly every text. */
static bool is_worth_making(struct engine_worker *worker, uint64_t bytes)
{
    const struct cuda_tables *tables = worker->tables;
    double filter = tables->has_sets
                        ? tables->sets_price
                        : PRICE_SET + PRICE_SET_EACH * (double)worker->plan->literal_count;
    double rate = worker->device->read_rate; /* bytes per ns */

    return (!tables->has_sets || cuda_automaton_is_kept(worker)) &&
           price_is_less((struct price){make_ns(worker), cuda_automaton_price(worker) / rate}, 1,
                         (struct price){0, filter / rate}, bytes);
}

uint64_t cuda_choose_tried_bytes(const struct engine_worker *worker)
{
    return worker->limits.tried_bytes << worker->tables->tried_log2;
}

void cuda_choose_try_anew(struct cuda_tables *tables)
{
    tables->is_tried = false;
    tables->tried_log2 = 0;
    tables->lost_ns = 0;
}

enum cuda_way cuda_choose_way(struct engine_worker *worker, uint64_t bytes, enum want want)
{
    const struct cuda_tables *tables = worker->tables;

    if (tables->kernel != CUDA_KERNEL_SET || tables->dense_left > 0 ||
        tables->automaton == CUDA_AUTOMATON_NONE || !worker->limits.automaton ||
        bytes < worker->limits.tried_bytes)
        return CUDA_WAY_SETTLED;
    if (want == WANT_COUNT && is_worth_making(worker, bytes))
        return CUDA_WAY_AUTOMATON;
    return !tables->is_tried && (!tables->has_sets || tables->sets_price > PRICE_TRIED) &&
                   bytes > 2 * cuda_choose_tried_bytes(worker)
               ? CUDA_WAY_TRIED
               : CUDA_WAY_JUDGED;
}

bool cuda_choose_leaves_filter(struct engine_worker *worker, uint64_t bytes, uint64_t rest,
                               uint64_t ns)
{
    double rate = worker->device->read_rate; /* bytes per ns */
    double automaton_ns = cuda_automaton_price(worker) / rate * (double)bytes;
    double filter_ns = (double)ns - TRIED_LAUNCH_NS, lost_ns = filter_ns - automaton_ns;
    struct cuda_tables *tables = worker->tables;
    bool leaves, is_sure;

    tables->filter_price = filter_ns * rate / (double)bytes;
    tables->lost_ns = max_double(0, tables->lost_ns + lost_ns);
    leaves = max_double(tables->lost_ns, lost_ns * (double)rest / (double)bytes) > make_ns(worker);
    is_sure = tables->lost_ns * TRIED_SHARE > make_ns(worker) ||
              rest <= 2 * cuda_choose_tried_bytes(worker) << TRIED_MORE_LOG2;
    tables->is_tried = !leaves || is_sure;
    tables->tried_log2 += tables->is_tried ? 0 : TRIED_MORE_LOG2;
    return leaves && is_sure;
}

void cuda_choose_told_automaton(struct engine_worker *worker, uint64_t bytes, uint64_t ns)
{
    struct cuda_tables *tables = worker->tables;

    if (bytes < worker->limits.tried_bytes || tables->automaton != CUDA_AUTOMATON_READY)
        return;
    tables->automaton_price =
        max_double(1, (double)ns - TRIED_LAUNCH_NS) * worker->device->read_rate / (double)bytes;
    if (tables->filter_price > 0 && tables->automaton_price > SLOW * tables->filter_price)
        tables->dense_left = 0;
}
