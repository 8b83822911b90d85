/* choose: chooses the method by which a device searches for one pattern, by what is known of the
 * text.
 *
 * A device samples 16 bytes, a CPU 8. Sixteen bytes distinguish more positions of a long
 * pattern, and pay from shorter patterns on. The price of a method in a text follows from two
 * rates: how many candidates the method has in the text, and how many candidates are compared to
 * their end.
 */
#include "cuda/choose.h"

#include "base/checked.h"
#include "cuda/sampled.h"
#include "plan/analyse.h"

/* from this length on a device reads less than the whole text, at stride 64 */
#define SAMPLED_CHOSEN_MIN 63u
#define REPEATS_MAX 2.0
/* Method every compares patterns of up to this length completely at each position, unless case
 * is ignored. */
#define DECIDED_LENGTH_MAX 8u
#define QUICK_BYTES 4096u
/* A choice is good enough if its price is at most QUICK_PRICE times the price in a text without
 * candidates. */
#define QUICK_PRICE 1.1

/* The price of a byte of text, in units of reading the byte [H100, H200, 256 MiB; ./dev bench
 * regret]. */
#define READ_EVERY 1.29 /* patterns of more than 8 bytes */
#define READ_GRAMS 1.03
/* for patterns of up to SHORT_MAX bytes; the next price is for longer patterns */
#define READ_PLANES 2.2
#define READ_PLANES_LONG 4.0
#define READ_SAMPLED_SHORT 1.13 /* where two samples lie in the same sector */
#define READ_SAMPLED 0.17
#define READ_SAMPLED_MORE 0.85
#define SAMPLED_HALF 130.0 /* at a pattern of this many bytes READ_SAMPLED_MORE is halved */
#define SET_LENGTH_MIN 16u /* shorter patterns have no gram that rules out enough positions */
#define SET_CHOSEN_MIN 79u
#define READ_SET_SHORT 1.12
#define READ_SET 0.55
#define READ_SET_MORE 20.0
#define READ_SET_BYTE 1e-4
/* Additional price for each candidate per byte of text: */
#define FAILED 300.0 /* a candidate that the first comparison rejects */
#define FAILED_MAX 1.0
#define FOUND 4500.0 /* a candidate that a warp compares to the end */
#define FOUND_SHORT 300.0
#define SHORT_MAX 64u
#define FOUND_MAX 5.0
#define NAMED 400.0 /* one pattern offset at which a sample occurs */
#define NAMED_BYTE 0.23
#define SET_NAMED 700.0
#define SET_FOUND 5.0 /* per byte of the pattern */
/* If more positions than this share have the rarest 8 bytes, planes search the whole text. */
#define DENSE_RATE 0.01
#define PRICE_MAX 1e9 /* the price of a method that cannot search for the pattern */

/* Shares of a text's positions. */
struct rates {
    double rare;  /* positions with the pattern's 8 rarest bytes */
    double every; /* positions with all probes of the pattern */
    double gram;  /* positions that the pattern's grams propose */
    /* positions with the 16 bytes at an offset of the pattern, on average over the offsets */
    double named;
    double deep; /* positions where the bytes after those 16 match, too */
};

static double read_sampled(double length)
{
    return length < SAMPLED_CHOSEN_MIN
               ? READ_SAMPLED_SHORT
               : READ_SAMPLED + READ_SAMPLED_MORE / (1 + length / SAMPLED_HALF);
}

static double read_set(double length)
{
    return length < SET_CHOSEN_MIN ? READ_SET_SHORT
                                   : READ_SET + READ_SET_MORE / length + READ_SET_BYTE * length;
}

static double candidates_price(double length, double failed, double found)
{
    return min_double(FAILED * failed, FAILED_MAX) +
           min_double((length > SHORT_MAX ? FOUND : FOUND_SHORT) * found, FOUND_MAX);
}

/* Returns a method's price; PRICE_MAX if the method cannot search for the pattern. */
static double price_of(enum trawl_method method, double length, const struct rates *rates)
{
    double found = min_double(min_double(rates->every, rates->rare), rates->named);

    switch (method) {
    case TRAWL_METHOD_GRAMS:
        if (rates->rare > DENSE_RATE)
            break;
        return READ_GRAMS + candidates_price(length, rates->gram, min_double(found, rates->gram));
    case TRAWL_METHOD_SAMPLED:
        if (length < CUDA_SAMPLED_LENGTH_MIN)
            break;
        return read_sampled(length) + (NAMED + NAMED_BYTE * length) * rates->named +
               FOUND * rates->deep;
    case TRAWL_METHOD_SET:
        if (length < SET_LENGTH_MIN)
            break;
        return read_set(length) + SET_NAMED * rates->named + SET_FOUND * length * found;
    default:
        if (rates->rare > DENSE_RATE)
            return length > SHORT_MAX ? READ_PLANES_LONG : READ_PLANES;
        return READ_EVERY + candidates_price(length, rates->rare, found);
    }
    return PRICE_MAX;
}

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

/* Returns the method that the plan would choose without a sample, if that method costs about as
 * much in this text as in other texts; otherwise AUTO. */
static enum trawl_method good_choice(const struct trawl_plan *plan, const uint8_t *sample,
                                     double *price)
{
    const struct plan_grams *grams = &plan->tuning.grams;
    bool is_long = plan->length_min >= SAMPLED_CHOSEN_MIN;
    enum trawl_method method = is_long ? TRAWL_METHOD_SAMPLED : TRAWL_METHOD_GRAMS;
    struct rates none = {0}, rates = {0};
    double length = (double)plan->length_min;

    if (is_long)
        rate_named(plan, sample, QUICK_BYTES, &rates);
    else if (grams->stride > 1)
        rates.gram = analyse_seen_grams(sample, QUICK_BYTES, grams);
    else
        return TRAWL_METHOD_AUTO;
    *price = price_of(method, length, &rates);
    return *price <= QUICK_PRICE * price_of(method, length, &none) ? method : TRAWL_METHOD_AUTO;
}

/* Sorts the methods by price and keeps the methods that cost up to price_max times the least
 * price, or all methods if turns->is_slow. */
static void order(double length, const struct rates *rates, double price_max,
                  struct cuda_turns *turns)
{
    static const enum trawl_method methods[CUDA_TURNS_MAX] = {
        TRAWL_METHOD_EVERY, TRAWL_METHOD_GRAMS, TRAWL_METHOD_SAMPLED, TRAWL_METHOD_SET};
    double prices[CUDA_TURNS_MAX];

    for (uint32_t i = 0; i < CUDA_TURNS_MAX; i++) {
        double price = price_of(methods[i], length, rates);
        uint32_t at = i;

        for (; at > 0 && prices[at - 1] > price; at--) {
            prices[at] = prices[at - 1];
            turns->methods[at] = turns->methods[at - 1];
        }
        prices[at] = price;
        turns->methods[at] = methods[i];
    }
    if (turns->is_slow)
        price_max = PRICE_MAX;
    for (turns->count = 1; turns->count < CUDA_TURNS_MAX; turns->count++)
        if (prices[turns->count] > min_double(price_max * prices[0], PRICE_MAX / 2))
            break;
    turns->price = turns->is_slow ? 0 : prices[0];
}

static void decided(enum trawl_method method, double price, struct cuda_turns *turns)
{
    turns->methods[0] = method;
    turns->count = 1;
    turns->price = price;
    turns->is_quick = price > 0;
}

void cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      double price_max, struct plan_tuning *tuning, struct cuda_turns *turns)
{
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    enum trawl_method good = TRAWL_METHOD_AUTO;
    struct rates rates = {0};
    struct byte_rates of_bytes;
    double price;

    *tuning = plan->tuning;
    if (plan->length_min < PLAN_GRAMS_LENGTH_MIN ||
        (plan->length_min <= DECIDED_LENGTH_MAX && !fold) || sample_bytes < QUICK_BYTES) {
        decided(TRAWL_METHOD_EVERY, 0, turns);
        return;
    }
    if (!turns->in_full)
        good = good_choice(plan, sample, &price);
    if (good != TRAWL_METHOD_AUTO) {
        decided(good, price, turns);
        return;
    }
    plan_tune_probes(plan, sample, sample_bytes, &of_bytes, tuning);
    plan_tune_grams(plan, sample, sample_bytes, &of_bytes, tuning);
    rates.every = tuning->every_rate;
    rates.gram = tuning->gram_rate;
    if (plan->length_min > DECIDED_LENGTH_MAX)
        tuning->rare_offset =
            analyse_seen_window(plan_literal_bytes(plan, 0), plan->length_min, fold, &of_bytes,
                                sample, sample_bytes, &rates.rare);
    if (plan->length_min >= SCAN_SAMPLE_BYTES)
        rate_named(plan, sample, sample_bytes, &rates);
    else
        rates.named = rates.every;
    order((double)plan->length_min, &rates, price_max, turns);
}

/* Chooses without a sample of the text. A literal that repeats itself is not searched by
 * samples, since each sample of a repetitive text would match at many offsets. */
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
