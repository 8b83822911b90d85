/* approx_choose: estimates the costs of the methods, and chooses the cheapest.
 *
 * A cost is the expected time, in ns per byte of text, to search every offset and to verify the
 * method's candidates (places that may be occurrences). Their number is estimated for random text
 * whose bytes are as frequent as in the patterns; only a search of the text tells how many
 * candidates PIECES has, so PIECES and method_dense compete (plan/contest.h).
 */
#include "approximate/approx_choose.h"

#include <string.h>

#include "approximate/filter_ops.h"
#include "approximate/grams.h"
#include "base/checked.h"
#include "plan/analyse.h"
#include "plan/dna.h"

enum approx_method approx_method_forced = APPROX_METHODS;
double approx_device_fixed_ns = 400000;

struct prices {
    double pieces, grams, verify, planes, columns, begin_there, ends_there;
};

#define PRICES(worker, ...) static const struct prices prices_##worker = {__VA_ARGS__};
#include "approximate/prices.def"

/* Returns true if each symbol of the literals equals only one byte or character, except for case,
 * so that an exact search can find the literals' pieces. */
static bool has_pieces(const struct approximate *approximate)
{
    const struct trawl_plan *plan = approximate->plan;
    uint32_t bases;

    if (plan->errors.alphabet != TRAWL_DNA)
        return true;
    if ((plan->flags & TRAWL_ANY_BASE) != 0)
        return false;
    for (uint64_t i = 0; i < plan->literal_bytes_total; i++) {
        bases = dna_bases(plan->literal_bytes[i]);
        if ((bases & (bases - 1)) != 0)
            return false;
    }
    return true;
}

/* Returns true if the method can search for the plan, whatever the size of its tables. */
static bool can_search(const struct approximate *approximate, enum approx_method method)
{
    return method == APPROX_PIECES ? has_pieces(approximate) : approximate->class_count > 0;
}

/* Returns the expected number of candidates per byte of text with PIECES, the exact search for
 * pieces of the literals. The rate of a piece of n symbols is at least the n-th power of
 * symbol_rate_min. */
static double rate_of_pieces(const struct approximate *approximate, double symbol_rate_min)
{
    const struct trawl_plan *plan = approximate->plan;
    const bool dna = plan->errors.alphabet == TRAWL_DNA;
    const bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    struct byte_rates rates;
    double sum = 0;

    analyse_rates(NULL, 0, plan->literal_bytes, plan->literal_bytes_total, fold, &rates);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        const uint8_t *bytes = plan_literal_bytes(plan, i);
        uint64_t count = plan_literal_at(plan, i).bytes_count; /* as if each symbol were a byte */

        for (uint64_t j = 0; j <= approximate->errors_max; j++) {
            uint64_t end = approx_piece_begin(approximate, count, j + 1);
            double rate = 1, min = 1;

            for (uint64_t at = approx_piece_begin(approximate, count, j); at < end; at++) {
                rate *= dna ? 1.0 / 4 : rates.rate[fold ? fold_byte(bytes[at]) : bytes[at]];
                min *= symbol_rate_min;
            }
            sum += max_double(rate, min);
        }
    }
    return sum;
}

/* Returns the expected number of literals with a piece that begins with the gram at an offset of a
 * text. A gram is the codes of the next symbols. */
static double rate_of_grams(const struct approximate *approximate)
{
    const bool dna = approximate->plan->errors.alphabet == TRAWL_DNA;
    const double pieces = approximate->errors_max + 1;
    double sum = 0;

    for (uint32_t i = 0; i < approximate->plan->literal_count; i++) {
        uint64_t count = approximate->symbol_begin[i + 1] - approximate->symbol_begin[i];
        double bits;
        uint32_t halvings;

        count = min_u64(count, CODED_SYMBOLS_MAX) / (approximate->errors_max + 1);
        bits = (double)min_u64(count, GRAM_SYMBOLS_MAX) * 2;
        if (!dna)
            bits = min_double((double)count * CODE_BITS, GRAM_BITS_MAX);
        halvings = (uint32_t)bits;
        sum += pieces / (double)(1u << halvings) / (1 + bits - halvings);
    }
    return sum;
}

/* What the costs of all methods depend on. */
struct estimate {
    const struct approximate *approximate;
    const struct prices *prices;
    double grams;   /* rate_of_grams */
    double offsets; /* fraction of offsets at which GRAMS looks up grams */
};

static struct estimate estimate_make(const struct approximate *approximate,
                                     const struct prices *prices)
{
    struct estimate estimate = {approximate, prices, 0, 1};

    if (approximate->class_count == 0)
        return estimate;
    estimate.grams = rate_of_grams(approximate);
    if (prices != &prices_device && approximate->plan->errors.exact_count > 0)
        estimate.offsets = approx_grams_rate(approximate);
    return estimate;
}

/* Returns the cost of a method per byte of text. `rate` is the number of candidates of PIECES per
 * byte. */
static double cost(const struct estimate *estimate, enum approx_method method, double rate)
{
    const struct approximate *approximate = estimate->approximate;
    const struct prices *prices = estimate->prices;
    const bool edits = approximate->edits;
    const double literals = (double)approximate->plan->literal_count;
    const double of_each = approximate->errors_max + 1;
    const double length = (double)approximate->symbol_count / max_double(literals, 1);
    /* a row of Sellers' table usually is the last one after this many symbols of a literal, when no
     * offset can still be an occurrence */
    const double symbols = min_double(length, 8 + 2 * of_each);

    switch (method) {
    case APPROX_PIECES:
        return rate * prices->verify * (edits ? of_each : 1) +
               prices->pieces *
                   (prices == &prices_device ? 1 : analyse_root(max_double(literals * of_each, 1)));
    case APPROX_GRAMS:
        return estimate->offsets *
               (prices->grams * of_each +
                estimate->grams * (edits ? prices->ends_there : prices->begin_there));
    default:
        return (FILTER_FIXED + FILTER_CLASS * approximate->class_count) * prices->planes +
               literals * (edits ? symbols * prices->columns : length * prices->planes);
    }
}

/* Sets of methods, as bits 1u << enum approx_method. */
#define BY_PIECES (1u << APPROX_PIECES)
#define BY_GRAMS (1u << APPROX_GRAMS)
#define BY_FILTER (1u << APPROX_FILTER)

/* Returns the cheapest of the `methods`, of which at least one must be able to search for the
 * plan. */
static enum approx_method cheapest(const struct estimate *estimate, uint32_t methods, double rate)
{
    enum approx_method best = APPROX_METHODS;
    double best_cost = 0, own;

    for (uint32_t i = 0; i < APPROX_METHODS; i++) {
        enum approx_method method = (enum approx_method)i;

        if ((methods >> i & 1) == 0 || !can_search(estimate->approximate, method))
            continue;
        own = cost(estimate, method, rate);
        if (best == APPROX_METHODS || own < best_cost) {
            best = method;
            best_cost = own;
        }
    }
    TRAWL_ASSERT(best != APPROX_METHODS);
    return best;
}

/* ---- Host and device ------------------------------------------------------------------------- */

bool approx_is_for_host(const struct approximate *approximate, const struct approx_work *work)
{
    const double verify =
        prices_host.verify * (approximate->edits ? 1 + (double)approximate->errors_max : 1);
    struct price host = {0, approximate->host_ns / (work->threads > 1 ? work->threads : 1)};
    struct price device = {0, work->rate * verify};

    if (!work->is_found) {
        device.once_ns = approx_device_fixed_ns + work->ready_ns;
        device.byte_ns += approximate->device_ns + (work->is_copied ? COPY_NS : 0);
    }
    return price_is_less(host, work->is_found ? 1 : CLEARLY_TIMES, device, work->bytes);
}

/* Returns the prices on a core of the host with vectors of this many 8-byte words. */
static struct prices host_prices(uint32_t vector_words)
{
    const double times = 4.0 / vector_words;
    struct prices prices = prices_host;

    prices.pieces *= times;
    prices.planes *= times;
    prices.columns *= times;
    prices.grams *= max_double(times * times, 1);
    return prices;
}

void approx_choose(struct approximate *approximate, const struct filter_ops *ops)
{
    const bool characters = approximate->plan->errors.alphabet == TRAWL_CHARACTERS;
    const bool dna = approximate->plan->errors.alphabet == TRAWL_DNA;
    const struct prices prices = host_prices(ops->windows / 2);
    const struct estimate host = estimate_make(approximate, &prices);
    const struct estimate device = estimate_make(approximate, &prices_device);
    const double min = rate_of_pieces(approximate, 0);
    const double rate = dna ? min : rate_of_pieces(approximate, SYMBOL_RATE_MIN);
    const uint32_t every = BY_PIECES | BY_GRAMS | BY_FILTER;
    const uint32_t there = (characters ? 0 : BY_GRAMS) | (dna ? 0 : BY_PIECES);

    /* the host begins with PIECES if that is the cheapest method where a text has the fewest
     * candidates, and changes to method_dense where it has too many */
    approximate->method = approximate->method_dense = cheapest(&host, every, min);
    if (approximate->method == APPROX_PIECES && approximate->class_count > 0) {
        approximate->method_dense = cheapest(&host, BY_GRAMS | BY_FILTER, 0);
        approximate->dense_ns = cost(&host, approximate->method_dense, 0);
        approximate->pieces_ns = cost(&host, APPROX_PIECES, 0);
        approximate->candidate_ns = cost(&host, APPROX_PIECES, 1) - approximate->pieces_ns;
    }
    approximate->host_ns = cost(&host, cheapest(&host, every, rate), rate);
    approximate->method_on_device = cheapest(&device, there, rate);
    approximate->device_ns = cost(&device, approximate->method_on_device, 0);
    approximate->device_rate = approximate->method_on_device == APPROX_PIECES ? rate : 0;
    if (approx_method_forced == APPROX_METHODS || !can_search(approximate, approx_method_forced))
        return;
    approximate->host_ns = 1e300;
    approximate->method = approx_method_forced;
    if (dna && approx_method_forced == APPROX_PIECES) {
        approximate->dense_ns = 1e300; /* so method_dense searches only near a U */
        return;
    }
    approximate->method_dense = approx_method_forced;
    if (!characters)
        approximate->method_on_device = approx_method_forced;
}

const char *approx_method_name(enum approx_method method)
{
    return method == APPROX_PIECES ? "pieces" : method == APPROX_GRAMS ? "grams" : "filter";
}

/* ---- Whether PIECES suits a text ------------------------------------------------------------- */

void approx_contest_begin(struct contest *contest, const struct approximate *approximate)
{
    const struct contest_rules rules = {TRIAL_BYTES / 2, TRIAL_BYTES / 2, 0, 0};
    const bool both = approximate->method != approximate->method_dense;

    contest_begin(contest, &rules, both ? BY_PIECES | 1u << approximate->method_dense : 0,
                  approximate->method);
    contest->of[APPROX_PIECES].price.byte_ns = approximate->pieces_ns;
    contest->of[approximate->method_dense].price.byte_ns = approximate->dense_ns;
}
