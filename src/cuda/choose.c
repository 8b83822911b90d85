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
/* A choice is good enough if its price is at most QUICK_PRICE times a lower bound on the prices of
 * the methods that are not looked at. */
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
/* Time to make tables, in ns: for a set; for a byte of the pattern, in method sampled. */
#define ONCE_SET_NS 2e5
#define ONCE_SAMPLED_BYTE_NS 10.0

/* Shares of a text's positions. */
struct rates {
    double rare; /* positions with the pattern's 8 rarest bytes */
    double gram; /* positions that the pattern's grams propose */
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
    double found = min_double(rates->rare, rates->named);

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

/* Returns a method's price in a text without candidates, a lower bound on the method's price. */
static double price_least(enum trawl_method method, double length)
{
    static const struct rates no_candidates;

    return price_of(method, length, &no_candidates);
}

/* Returns the time to make the method's tables for a first count, in units of reading the text. */
static double price_once(enum trawl_method method, double length, double read_ns)
{
    return method == TRAWL_METHOD_SET       ? ONCE_SET_NS / read_ns
           : method == TRAWL_METHOD_SAMPLED ? ONCE_SAMPLED_BYTE_NS * length / read_ns
                                            : 0;
}

/* Sorts the methods by price, tables included. Keeps the cheapest method and the methods whose
 * price without tables is at most price_max times the least, or all methods if turns->is_slow. */
static void order(double length, const struct rates *rates, double price_max, double read_ns,
                  struct cuda_turns *turns)
{
    static const enum trawl_method methods[CUDA_TURNS_MAX] = {
        TRAWL_METHOD_EVERY, TRAWL_METHOD_GRAMS, TRAWL_METHOD_SAMPLED, TRAWL_METHOD_SET};
    double first[CUDA_TURNS_MAX], least = PRICE_MAX;

    if (turns->is_slow)
        price_max = PRICE_MAX;
    for (uint32_t i = 0; i < CUDA_TURNS_MAX; i++)
        least = min_double(least, price_of(methods[i], length, rates));
    turns->count = 0;
    for (uint32_t i = 0; i < CUDA_TURNS_MAX; i++) {
        double price = price_of(methods[i], length, rates);
        double total = price + price_once(methods[i], length, read_ns);
        uint32_t at = turns->count;

        if (price > min_double(price_max * least, PRICE_MAX / 2))
            continue;
        for (; at > 0 && first[at - 1] > total; at--) {
            first[at] = first[at - 1];
            turns->methods[at] = turns->methods[at - 1];
        }
        first[at] = total;
        turns->methods[at] = methods[i];
        turns->count++;
    }
    TRAWL_ASSERT(turns->count > 0);
    turns->price = turns->is_slow ? 0 : price_of(turns->methods[0], length, rates);
}

static void decided(enum trawl_method method, double price, struct cuda_turns *turns)
{
    turns->methods[0] = method;
    turns->count = 1;
    turns->price = price;
    turns->is_quick = price > 0;
}

/* Decides for the method and returns true, if the method's price is hardly more than a lower bound
 * on the prices of the methods whose rates are not known yet. */
static bool is_enough(enum trawl_method method, double least_of_others, double length,
                      const struct rates *rates, struct cuda_turns *turns)
{
    double price = price_of(method, length, rates);

    if (turns->in_full || price > QUICK_PRICE * least_of_others)
        return false;
    decided(method, price, turns);
    return true;
}

void cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                      double price_max, double read_ns, struct plan_tuning *tuning,
                      struct cuda_turns *turns)
{
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    double length = (double)plan->length_min;
    struct rates rates = {.rare = 1, .named = 1};
    struct byte_rates of_bytes;

    *tuning = plan->tuning;
    if (plan->length_min < PLAN_GRAMS_LENGTH_MIN ||
        (plan->length_min <= DECIDED_LENGTH_MAX && !fold) || sample_bytes < PLAN_SAMPLE_BYTES_MIN) {
        decided(TRAWL_METHOD_EVERY, 0, turns);
        return;
    }
    if (plan->length_min >= SCAN_SAMPLE_BYTES) {
        rate_named(plan, sample, sample_bytes, &rates);
        if (is_enough(TRAWL_METHOD_SAMPLED, price_least(TRAWL_METHOD_GRAMS, length), length, &rates,
                      turns))
            return;
    }
    rates.rare = DENSE_RATE; /* not known yet; with a higher rate grams do not search */
    if (tuning->grams.stride > 1) {
        rates.gram = analyse_seen_grams(sample, sample_bytes, &tuning->grams);
        if (is_enough(TRAWL_METHOD_GRAMS, price_least(TRAWL_METHOD_GRAMS, length), length, &rates,
                      turns))
            return;
    }
    analyse_rates(sample, sample_bytes, plan_literal_bytes(plan, 0), plan->length_min, fold,
                  &of_bytes);
    if (plan->length_min > DECIDED_LENGTH_MAX)
        tuning->rare_offset =
            analyse_seen_window(plan_literal_bytes(plan, 0), plan->length_min, fold, &of_bytes,
                                sample, sample_bytes, &rates.rare);
    if (rates.rare <= DENSE_RATE) {
        tuning->is_seen = true;
        tuning->grams = (struct plan_grams){.stride = 0};
        plan_tune_grams(plan, sample, sample_bytes, &of_bytes, tuning);
        rates.gram = tuning->gram_rate;
    }
    order(length, &rates, price_max, read_ns, turns);
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
