/* choose: the prices of the methods.
 *
 * A price is nanoseconds for a byte of text: of looking everywhere, and of verifying candidates as
 * often as random text with the patterns' bytes proposes them.
 */
#include "approximate/choose.h"

#include "approximate/grams.h"
#include "base/checked.h"
#include "plan/analyse.h"
#include "plan/dna.h"

enum approx_method approx_method_forced = APPROX_METHODS;

/* Of one worker: [H200] the device, and one core of its host. */
struct prices {
    double few_pieces;  /* a set of up to 8 strings */
    double many_pieces; /* a larger one */
    double planes;      /* a symbol of a literal */
    double columns;     /* a literal */
    double grams;       /* one of the k + 1 pieces, without comparing what it proposes; */
    double begin_there; /* to compare a literal at once, */
    double ends_there;  /* with edits */
    double begin;       /* to verify a begin, */
    double ends;        /* or the ends near one */
};

static const struct prices prices_host = {0.15, 1.0, 0.004, 0.35, 5.5, 0.3, 14, 20, 250};
static const struct prices prices_device = {0.00025, 0.0006, 1, 1, 0.0001, 0.0001, 0.005, 20, 250};

/* Can each symbol of the literals be searched for exactly, as it is written? */
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

/* May the method be taken? The limits of its tables are others. */
static bool can(const struct approximate *approximate, enum approx_method method)
{
    switch (method) {
    case APPROX_PIECES:
        return has_pieces(approximate);
    case APPROX_GRAMS:
        return approximate->class_count > 0;
    case APPROX_PLANES:
        return approximate->class_count > 0 && !approximate->edits;
    case APPROX_COLUMNS:
        return approximate->class_count > 0 && approximate->edits;
    case APPROX_ALL:
    case APPROX_METHODS:
        break;
    }
    return method == APPROX_ALL;
}

/* The candidates that pieces propose for a byte of text. */
static double rate_of_pieces(const struct approximate *approximate)
{
    const struct trawl_plan *plan = approximate->plan;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 || plan->errors.alphabet == TRAWL_DNA;
    struct byte_rates rates;
    double sum = 0;

    analyse_rates(NULL, 0, plan->literal_bytes, plan->literal_bytes_total, fold, &rates);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        const uint8_t *bytes = plan_literal_bytes(plan, i);
        uint64_t count = plan_literal_at(plan, i).bytes_count; /* as if all symbols had one byte */

        for (uint64_t j = 0; j <= approximate->errors_max; j++) {
            uint64_t end = approx_piece_begin(approximate, count, j + 1);
            double rate = 1;

            for (uint64_t at = approx_piece_begin(approximate, count, j); at < end; at++)
                rate *= rates.rate[fold ? fold_byte(bytes[at]) : bytes[at]];
            sum += rate;
        }
    }
    return sum;
}

/* The literals that a gram of random codes proposes. */
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

static enum approx_method choose(const struct approximate *approximate, double rate,
                                 const struct prices *prices)
{
    const bool edits = approximate->edits;
    double literals = (double)approximate->plan->literal_count;
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
    price[APPROX_COLUMNS] = literals * prices->columns;
    price[APPROX_PLANES] = (double)approximate->symbol_count * prices->planes;
    for (uint32_t i = 0; i < APPROX_METHODS; i++)
        if (can(approximate, (enum approx_method)i) && price[i] < price[best])
            best = (enum approx_method)i;
    return best;
}

void approx_choose(struct approximate *approximate)
{
    double rate = rate_of_pieces(approximate);

    approximate->method = choose(approximate, rate, &prices_host);
    approximate->method_on_device = choose(approximate, rate, &prices_device);
    if (approx_method_forced < APPROX_METHODS && can(approximate, approx_method_forced))
        approximate->method = approximate->method_on_device = approx_method_forced;
}
