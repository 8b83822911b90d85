/* approx_choose: computes the prices of the methods.
 *
 * A price is the time in nanoseconds per byte of text: to search every offset, and to verify as
 * many candidates as the method would propose in random text with the patterns' bytes.
 */
#include "approximate/approx_choose.h"

#include "approximate/grams.h"
#include "base/checked.h"
#include "engine.h"
#include "plan/analyse.h"
#include "plan/dna.h"

enum approx_method approx_method_forced = APPROX_METHODS;
double approx_device_fixed_ns = 400000;

/* Prices in ns for one worker: a device, or one core of the device's host [H200]. */
struct prices {
    double few_pieces;  /* to search for a set of up to 8 pieces, per byte */
    double many_pieces; /* to search for a larger set, per byte */
    double planes;      /* to count the mismatches of a symbol */
    double columns;     /* to add a symbol's row */
    /* to look up the list of one of the k + 1 pieces, without comparing the list's literals */
    double grams;
    double begin_there; /* GRAMS: to compare a literal of a list, with mismatches */
    double ends_there;  /* GRAMS: to compare a literal of a list, with edits */
    double begin;       /* to verify a begin, with mismatches */
    double ends;        /* to verify the ends near a candidate, with edits */
};

static const struct prices prices_host = {0.15, 3.0, 0.003, 0.022, 7.0, 0.3, 14, 130, 250};
/* A device's three workers share the verification of the device's candidates. A device has no
 * planes and no columns. */
static const struct prices prices_device = {0.00025, 0.0006, 0, 0, 0.0016, 0.0025, 0.026, 45, 170};
#define COPY_NS 0.15 /* ns in which the calling thread copies a byte to a device */
/* A device searches only if its price is this many times less than the host's: both prices are for
 * random text, and a wrong choice of the device costs more time than a wrong choice of the host. */
#define CLEARLY_TIMES 2
/* Time in ns in which a thread verifies a candidate that is an occurrence, and makes the hit. With
 * edits the time is VERIFY_ENDS_NS × (1 + k / VERIFY_ENDS_ERRORS); with exact parts
 * VERIFY_EXACT_TIMES as much, because each span is compared separately. Measured: mismatches 52 to
 * 348 ns; edits 270 to 790 ns for k up to 4, 1,825 ns for k = 6 and 6,910 ns for k = 23 with exact
 * parts. */
#define VERIFY_BEGIN_NS 250
#define VERIFY_ENDS_NS 400
#define VERIFY_ENDS_ERRORS 4
#define VERIFY_EXACT_TIMES 2
#define HOST_NS_FORCED 1e300
#define BASE_RATE 0.25 /* share of each of the four bases in text of DNA */

/* Returns whether each symbol of the literals stands for a single byte or character. */
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

static bool has_classes(enum approx_method method)
{
    return method == APPROX_GRAMS || method == APPROX_PLANES || method == APPROX_COLUMNS;
}

/* Returns whether the method fits the plan, whatever the size of the method's tables. */
static bool can(const struct approximate *approximate, enum approx_method method)
{
    if (method == APPROX_PIECES)
        return has_pieces(approximate);
    if (!has_classes(method))
        return method == APPROX_ALL;
    return approximate->class_count > 0 &&
           method != (approximate->edits ? APPROX_PLANES : APPROX_COLUMNS);
}

/* Computes each byte's share of random text with the patterns' bytes. With `fold`, upper case is
 * rated as lower case. Text of DNA has the four bases only, also where patterns have letters that
 * stand for several bases. */
static void rate_bytes(const struct approximate *approximate, bool *fold, struct byte_rates *rates)
{
    const struct trawl_plan *plan = approximate->plan;

    *fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 || plan->errors.alphabet == TRAWL_DNA;
    if (plan->errors.alphabet == TRAWL_DNA) {
        *rates = (struct byte_rates){
            .rate = {['a'] = BASE_RATE, ['c'] = BASE_RATE, ['g'] = BASE_RATE, ['t'] = BASE_RATE}};
        return;
    }
    analyse_rates(NULL, 0, plan->literal_bytes, plan->literal_bytes_total, *fold, rates);
}

/* Returns the number of literals with which planes compare an offset. Making the plane of a class
 * takes as long as comparing a literal: 0.04 ns. */
static double rate_of_planes(const struct approximate *approximate)
{
    double class_rate[APPROX_CLASSES_MAX] = {0};
    struct byte_rates rates;
    bool fold;

    if (approximate->filter == NULL)
        return 0;
    rate_bytes(approximate, &fold, &rates);
    for (uint32_t number = 0; number < approximate->class_count; number++)
        for (uint32_t byte = 0; byte < 256; byte++)
            if ((approximate->classes[number][byte / 64] >> byte % 64 & 1) != 0 &&
                (!fold || fold_byte((uint8_t)byte) == byte))
                class_rate[number] += rates.rate[byte];
    return approx_filter_compared(approximate->filter, class_rate) + approximate->class_count;
}

/* Returns the expected number of candidates of method PIECES per byte of random text. */
static double rate_of_pieces(const struct approximate *approximate)
{
    const struct trawl_plan *plan = approximate->plan;
    struct byte_rates rates;
    double sum = 0;
    bool fold;

    rate_bytes(approximate, &fold, &rates);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        const uint8_t *bytes = plan_literal_bytes(plan, i);
        uint64_t count = plan_literal_at(plan, i).bytes_count; /* treats each symbol as one byte */

        for (uint64_t j = 0; j <= approximate->errors_max; j++) {
            uint64_t end = approx_piece_begin(approximate, count, j + 1);
            double rate = 1;

            for (uint64_t at = approx_piece_begin(approximate, count, j); at < end; at++)
                rate *= plan->errors.alphabet == TRAWL_DNA
                            ? BASE_RATE
                            : rates.rate[fold ? fold_byte(bytes[at]) : bytes[at]];
            sum += rate;
        }
    }
    return sum;
}

/* Returns the expected number of literals whose piece begins with a gram of random codes. */
static double rate_of_grams(const struct approximate *approximate)
{
    double sum = 0;

    for (uint32_t i = 0; i < approximate->plan->literal_count; i++) {
        uint64_t count = approximate->symbol_begin[i + 1] - approximate->symbol_begin[i];

        count = min_u64(count, CODED_SYMBOLS_MAX) / (approximate->errors_max + 1);
        sum += (approximate->errors_max + 1) / (double)(UINT64_C(1) << 2 * min_u64(count, 10));
    }
    return sum;
}

/* Returns the cheapest method, for the host or for a device, by `prices`. by_classes: symbols may
 * be compared as bytes. *best_price is the method's price per byte of text. */
static enum approx_method choose(const struct approximate *approximate, double rate,
                                 const struct prices *prices, bool by_classes, double *best_price)
{
    const bool edits = approximate->edits;
    double literals = (double)approximate->plan->literal_count;
    /* number of symbols of a literal after which mostly no offset is left to compare */
    double symbols = min_double((double)approximate->symbol_count / max_double(literals, 1),
                                10 + 2 * (double)approximate->errors_max);
    double verify = edits ? prices->ends : prices->begin;
    double price[APPROX_METHODS];
    enum approx_method best = APPROX_ALL;

    price[APPROX_ALL] = literals * verify;
    price[APPROX_PIECES] =
        rate * verify +
        (literals * (approximate->errors_max + 1) <= 8 ? prices->few_pieces : prices->many_pieces);
    price[APPROX_GRAMS] =
        prices->grams * (approximate->errors_max + 1) +
        rate_of_grams(approximate) * (edits ? prices->ends_there : prices->begin_there);
    price[APPROX_COLUMNS] = literals * symbols * prices->columns;
    price[APPROX_PLANES] = rate_of_planes(approximate) * symbols * prices->planes;
    for (uint32_t i = 0; i < APPROX_METHODS; i++)
        if (can(approximate, (enum approx_method)i) &&
            (by_classes || !has_classes((enum approx_method)i)) &&
            (prices == &prices_host || (i != APPROX_PLANES && i != APPROX_COLUMNS)) &&
            price[i] < price[best])
            best = (enum approx_method)i;
    *best_price = price[best];
    return best;
}

/* Returns the time, in ns, in which one thread verifies a candidate that a device has found. */
static double verify_ns(const struct approximate *approximate)
{
    double ns = VERIFY_ENDS_NS * (1 + (double)approximate->errors_max / VERIFY_ENDS_ERRORS);

    if (!approximate->edits)
        return VERIFY_BEGIN_NS;
    return approximate->plan->errors.exact_count > 0 ? VERIFY_EXACT_TIMES * ns : ns;
}

bool approx_is_for_host(const struct approximate *approximate, const struct approx_work *work)
{
    struct price host = {0, approximate->host_ns / (work->threads > 1 ? work->threads : 1)};
    struct price device = {0, work->rate * verify_ns(approximate)};

    if (!work->is_found) {
        device.once_ns = approx_device_fixed_ns + work->ready_ns;
        device.byte_ns += approximate->device_ns + (work->is_copied ? COPY_NS : 0);
    }
    return approximate->method_on_device == APPROX_ALL ||
           price_is_less(host, work->is_found ? 1 : CLEARLY_TIMES, device, work->bytes);
}

void approx_choose(struct approximate *approximate)
{
    const bool characters = approximate->plan->errors.alphabet == TRAWL_CHARACTERS;
    double rate = rate_of_pieces(approximate), beyond_ns, device_ns;

    approximate->method = choose(approximate, rate, &prices_host, true, &approximate->host_ns);
    approximate->method_beyond = choose(approximate, rate, &prices_host, !characters, &beyond_ns);
    approximate->method_on_device =
        choose(approximate, rate, &prices_device, !characters, &device_ns);
    if (approximate->method_on_device == APPROX_PIECES) {
        approximate->device_rate = rate;
        device_ns -= rate * (approximate->edits ? prices_device.ends : prices_device.begin);
    }
    approximate->device_ns = device_ns;
    if (approx_method_forced == APPROX_METHODS || !can(approximate, approx_method_forced))
        return;
    approximate->host_ns = HOST_NS_FORCED;
    approximate->method = approx_method_forced;
    if (!characters || !has_classes(approx_method_forced))
        approximate->method_beyond = approximate->method_on_device = approx_method_forced;
}
