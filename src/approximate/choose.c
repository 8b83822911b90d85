/* choose: the prices of the methods.
 *
 * A price is nanoseconds for a byte of text: of looking everywhere, and of verifying candidates as
 * often as random text with the patterns' bytes proposes them.
 */
#include "approximate/choose.h"

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
    double begin;       /* to verify a begin, */
    double ends;        /* or the ends near one */
};

static const struct prices prices_host = {0.15, 1.0, 0.004, 0.6, 20, 250};
static const struct prices prices_device = {0.00025, 0.0006, 0.00001, 0.001, 20, 250};

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

static enum approx_method choose(const struct approximate *approximate, double rate,
                                 const struct prices *prices)
{
    double literals = (double)approximate->plan->literal_count;
    enum approx_method scan = approximate->class_count == 0 ? APPROX_ALL
                              : approximate->edits          ? APPROX_COLUMNS
                                                            : APPROX_PLANES;
    double verify = approximate->edits ? prices->ends : prices->begin, by_pieces, by_scan;

    by_pieces =
        rate * verify +
        (literals * (approximate->errors_max + 1) <= 8 ? prices->few_pieces : prices->many_pieces);
    by_scan = scan == APPROX_ALL       ? literals * verify
              : scan == APPROX_COLUMNS ? literals * prices->columns
                                       : (double)approximate->symbol_count * prices->planes;
    return has_pieces(approximate) && by_pieces < by_scan ? APPROX_PIECES : scan;
}

void approx_choose(struct approximate *approximate)
{
    double rate = rate_of_pieces(approximate);

    approximate->method = choose(approximate, rate, &prices_host);
    approximate->method_on_device = choose(approximate, rate, &prices_device);
    if (approx_method_forced == APPROX_METHODS ||
        (approx_method_forced == APPROX_PIECES && !has_pieces(approximate)) ||
        (approx_method_forced == APPROX_PLANES && approximate->edits) ||
        (approx_method_forced == APPROX_COLUMNS && !approximate->edits) ||
        (approx_method_forced < APPROX_ALL && approx_method_forced > APPROX_PIECES &&
         approximate->class_count == 0))
        return;
    approximate->method = approximate->method_on_device = approx_method_forced;
}
