/* approx_choose: estimates the costs of the methods, and chooses the cheapest.
 *
 * A cost is the expected time, in ns per byte of text, to search every offset and to verify the
 * method's candidates (places that may be occurrences). Their number is estimated for random text
 * whose bytes are as frequent as in the patterns. The method PIECES is expected to have more
 * candidates if many literals share a piece.
 */
#include "approximate/approx_choose.h"

#include <string.h>

#include "approximate/grams.h"
#include "base/checked.h"
#include "plan/analyse.h"
#include "plan/dna.h"
#include "plan/sampler.h"

enum approx_method approx_method_forced = APPROX_METHODS;
double approx_device_fixed_ns = 400000;

struct prices {
    double pieces, pieces_root, planes, columns, grams, begin_there, ends_there, begin, ends;
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
static bool can(const struct approximate *approximate, enum approx_method method)
{
    if (method == APPROX_PIECES)
        return has_pieces(approximate);
    if (method == APPROX_ALL)
        return true;
    return approximate->class_count > 0 &&
           method != (approximate->edits ? APPROX_PLANES : APPROX_COLUMNS);
}

static bool ignores_case(const struct approximate *approximate)
{
    return (approximate->plan->flags & TRAWL_IGNORE_CASE) != 0 ||
           approximate->plan->errors.alphabet == TRAWL_DNA;
}

/* Computes how frequent each byte is in random text that has the patterns' bytes in the same
 * proportions. DNA is assumed to contain only the four bases, even if patterns have letters that
 * stand for several bases. */
static void rate_bytes(const struct approximate *approximate, struct byte_rates *rates)
{
    const struct trawl_plan *plan = approximate->plan;

    if (plan->errors.alphabet == TRAWL_DNA)
        *rates = (struct byte_rates){
            .rate = {['a'] = BASE_RATE, ['c'] = BASE_RATE, ['g'] = BASE_RATE, ['t'] = BASE_RATE}};
    else
        analyse_rates(NULL, 0, plan->literal_bytes, plan->literal_bytes_total,
                      ignores_case(approximate), rates);
}

/* Returns the fraction of offsets at which the method GRAMS looks up grams, because the text has
 * the exact part of some literal there; 1 if the literals have too many different exact parts for
 * groups. */
static double rate_of_exact(const struct approximate *approximate)
{
    const bool fold = ignores_case(approximate);
    double class_rate[APPROX_CLASSES_MAX] = {0}, share = 0;
    uint64_t keys[GRAMS_GROUPS_MAX], key;
    struct byte_rates rates;
    uint32_t groups = 0, g;

    rate_bytes(approximate, &rates);
    for (uint32_t number = 0; number < approximate->class_count; number++)
        for (uint32_t byte = 0; byte < 256; byte++)
            if ((approximate->classes[number][byte / 64] >> byte % 64 & 1) != 0 &&
                (!fold || fold_byte((uint8_t)byte) == byte))
                class_rate[number] += rates.rate[byte];
    for (uint32_t i = 0; i < approximate->plan->literal_count && share < 1; i++) {
        const uint64_t begin = approximate->symbol_begin[i], end = approximate->symbol_begin[i + 1];
        double rate = 1;

        key = 0;
        for (uint64_t s = begin; s < min_u64(end, begin + CODED_SYMBOLS_MAX); s++)
            if ((approximate->exact[s] & APPROX_EXACT_SYMBOL) != 0) {
                key = (key + (s - begin) * APPROX_CLASSES_MAX + approximate->class_of[s] + 1) *
                      0x9e3779b97f4a7c15u;
                rate *= class_rate[approximate->class_of[s]];
            }
        for (g = 0; g < groups && keys[g] != key; g++)
            ;
        if (g == GRAMS_GROUPS_MAX)
            return 1;
        if (g == groups) {
            keys[groups++] = key;
            share += rate;
        }
    }
    return min_double(share, 1);
}

static uint64_t hash_of(const uint8_t *bytes, uint64_t count, bool fold)
{
    uint64_t hash = count;

    for (uint64_t i = 0; i < count; i++)
        hash = (hash + (fold ? fold_byte(bytes[i]) : bytes[i])) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Returns how many pieces are expected per offset of a text that is like the literals, estimated
 * from the pairs of literals that share a piece. The bytes of a text often depend on each other, so
 * pieces occur far more often than in random text. */
static double rate_alike(const struct approximate *approximate)
{
    const struct trawl_plan *plan = approximate->plan;
    const bool fold = ignores_case(approximate);
    const uint64_t of_each = (uint64_t)approximate->errors_max + 1;
    uint64_t all = plan->literal_count * of_each, step = all / ALIKE_PIECES + 1;
    uint64_t looked = 0, pairs = 0;
    struct sampler sampler;

    sampler_begin(&sampler, ALIKE_PIECES, sizeof(uint64_t), 0);
    for (uint64_t p = 0; p < all; p += step, looked++) {
        uint32_t literal = (uint32_t)(p / of_each);
        const uint8_t *bytes = plan_literal_bytes(plan, literal);
        uint64_t count = plan_literal_at(plan, literal).bytes_count;
        uint64_t begin = approx_piece_begin(approximate, count, p % of_each);
        uint64_t end = approx_piece_begin(approximate, count, p % of_each + 1);

        /* equal literals say nothing about the text */
        pairs += sampler_add(&sampler, hash_of(bytes + begin, end - begin, fold),
                             (uint16_t)hash_of(bytes, count, fold));
    }
    return looked == 0 ? 0 : 2 * (double)pairs / (double)looked * ((double)all / (double)looked);
}

/* Returns the expected number of candidates per byte of text with PIECES, the exact search for
 * pieces of the literals. Each symbol is expected to follow the previous ones with a probability of
 * at least symbol_rate_min. */
static double rate_of_pieces(const struct approximate *approximate, double symbol_rate_min)
{
    const struct trawl_plan *plan = approximate->plan;
    const bool dna = plan->errors.alphabet == TRAWL_DNA, fold = ignores_case(approximate);
    struct byte_rates rates;
    double sum = 0;

    rate_bytes(approximate, &rates);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        const uint8_t *bytes = plan_literal_bytes(plan, i);
        uint64_t count = plan_literal_at(plan, i).bytes_count; /* as if each symbol were a byte */

        for (uint64_t j = 0; j <= approximate->errors_max; j++) {
            uint64_t end = approx_piece_begin(approximate, count, j + 1);
            double rate = 1, least = 1;

            for (uint64_t at = approx_piece_begin(approximate, count, j); at < end; at++) {
                rate *= dna ? BASE_RATE : rates.rate[fold ? fold_byte(bytes[at]) : bytes[at]];
                least *= symbol_rate_min;
            }
            sum += max_double(rate, least);
        }
    }
    return sum;
}

/* Returns the expected number of literals with a piece that begins with the gram at an offset of a
 * text. A gram is the codes of the next symbols. */
static double rate_of_grams(const struct approximate *approximate)
{
    const bool dna = approximate->plan->errors.alphabet == TRAWL_DNA;
    double sum = 0;

    for (uint32_t i = 0; i < approximate->plan->literal_count; i++) {
        uint64_t count = approximate->symbol_begin[i + 1] - approximate->symbol_begin[i];
        double bits, share = approximate->errors_max + 1;
        uint32_t halvings;

        count = min_u64(count, CODED_SYMBOLS_MAX) / (approximate->errors_max + 1);
        bits = min_double((double)count * (dna ? DNA_CODE_BITS : CODE_BITS),
                          dna ? DNA_GRAM_BITS_MAX : GRAM_BITS_MAX);
        halvings = (uint32_t)bits;
        sum += share / (double)(UINT64_C(1) << halvings) / (1 + bits - halvings);
    }
    return sum;
}

/* Sets of methods, as bits 1u << enum approx_method. */
#define BY_FILTER (1u << APPROX_PLANES | 1u << APPROX_COLUMNS)
#define BY_CLASSES (BY_FILTER | 1u << APPROX_GRAMS) /* these compare symbols as bytes */
#define BY_CHARACTERS (1u << APPROX_PIECES | 1u << APPROX_ALL)

/* Returns the cheapest of the `methods` that can search for the plan, on the host or a device,
 * according to `prices`; ALL if none can. `rate` is the number of candidates of the method PIECES
 * per byte of text. Sets *best_price to the method's cost per byte of text. */
static enum approx_method method_choose(const struct approximate *approximate, double rate,
                                        const struct prices *prices, uint32_t methods,
                                        double *best_price)
{
    const bool edits = approximate->edits, is_host = prices != &prices_device;
    double literals = (double)approximate->plan->literal_count;
    const bool dna = approximate->plan->errors.alphabet == TRAWL_DNA;
    double pieces = literals * (approximate->errors_max + 1);
    double length = (double)approximate->symbol_count / max_double(literals, 1);
    /* a comparison usually ends after this many symbols of a literal, when no offset can still be
     * an occurrence */
    double symbols = min_double(length, 10 + 2 * (double)approximate->errors_max);
    double verify = edits ? prices->ends : prices->begin;
    /* computing the bit plane of a class of bytes takes as long as comparing one literal */
    double planes = literals + approximate->class_count, price[APPROX_METHODS];
    enum approx_method best = APPROX_ALL;

    price[APPROX_ALL] = literals * verify;
    price[APPROX_PIECES] =
        rate * verify + prices->pieces_root * analyse_root(max_double(pieces, 1)) + prices->pieces;
    price[APPROX_GRAMS] =
        prices->grams * (edits && is_host ? GRAMS_ENDS_TIMES : 1) * (approximate->errors_max + 1) +
        rate_of_grams(approximate) * (edits ? prices->ends_there : prices->begin_there);
    if (is_host && !edits && approximate->plan->errors.exact_count > 0 &&
        approximate->class_count > 0)
        price[APPROX_GRAMS] = EXACT_PART_NS + rate_of_exact(approximate) * price[APPROX_GRAMS];
    price[APPROX_COLUMNS] = literals * symbols * prices->columns + PLANES_FIXED * prices->planes;
    price[APPROX_PLANES] = (planes * (dna ? symbols : length) + PLANES_FIXED) * prices->planes;
    for (uint32_t i = 0; i < APPROX_METHODS; i++)
        if (can(approximate, (enum approx_method)i) && (methods >> i & 1) != 0 &&
            price[i] < price[best])
            best = (enum approx_method)i;
    *best_price = price[best];
    return best;
}

/* Returns how many ns one thread takes to verify a candidate that a device has found. */
static double verify_ns(const struct approximate *approximate)
{
    if (!approximate->edits)
        return prices_host.begin;
    return prices_host.ends * (approximate->plan->errors.exact_count > 0 ? VERIFY_EXACT_TIMES : 1);
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

/* Returns the costs on a core of the host that has this instruction set. */
static struct prices host_prices(const char *instruction_set)
{
    static const struct {
        const char *name;
        double vectors, grams;
    } hosts[] = {
#define HOST(...) {__VA_ARGS__},
#include "approximate/prices.def"
    };
    struct prices prices = prices_host;
    uint32_t i = 0;

    while (strncmp(instruction_set, hosts[i].name, strlen(hosts[i].name)) != 0)
        i++;
    prices.pieces_root *= hosts[i].vectors;
    prices.planes *= hosts[i].vectors;
    prices.columns *= hosts[i].vectors;
    prices.grams = hosts[i].grams;
    return prices;
}

/* The host begins with PIECES if that is the cheapest method at `rate`, the lowest rate of
 * candidates that a text is expected to have. Where the text has more candidates, the host uses the
 * cheapest of the methods that count errors at every position. */
static void choose_on_host(struct approximate *approximate, const struct prices *host, double rate)
{
    const double verify =
        CANDIDATE_NS * (approximate->edits ? 1 + (double)approximate->errors_max : 1);
    double ns, dense_ns;

    approximate->method = method_choose(approximate, rate, host, BY_CHARACTERS | BY_CLASSES, &ns);
    approximate->method_dense = approximate->method;
    if (approximate->method != APPROX_PIECES || approximate->filter == NULL)
        return;
    approximate->method_dense = method_choose(approximate, rate, host, BY_FILTER, &dense_ns);
    ns -= rate * (approximate->edits ? host->ends : host->begin);
    approximate->pieces_rate_max = (dense_ns - ns) / verify;
}

void approx_choose(struct approximate *approximate, const char *instruction_set)
{
    const enum trawl_alphabet alphabet = approximate->plan->errors.alphabet;
    const bool few =
        approximate->plan->literal_count * (approximate->errors_max + 1) < ALIKE_ENOUGH;
    const uint32_t every = BY_CHARACTERS | BY_CLASSES;
    const uint32_t beyond = alphabet == TRAWL_CHARACTERS ? BY_CHARACTERS : every;
    const struct prices host = host_prices(instruction_set);
    double least = rate_of_pieces(approximate, 0), alike = rate_alike(approximate), beyond_ns;
    double rate =
        few && alphabet != TRAWL_DNA ? rate_of_pieces(approximate, SYMBOL_RATE_MIN) : least;

    rate = max_double(rate, alike);
    choose_on_host(approximate, &host, few ? least : rate);
    (void)method_choose(approximate, rate, &host, every, &approximate->host_ns);
    approximate->method_beyond = method_choose(approximate, rate, &host, beyond, &beyond_ns);
    approximate->method_on_device = method_choose(approximate, rate, &prices_device,
                                                  beyond & ~BY_FILTER, &approximate->device_ns);
    if (approximate->method_on_device == APPROX_PIECES) {
        approximate->device_rate = rate;
        approximate->device_ns -=
            rate * (approximate->edits ? prices_device.ends : prices_device.begin);
    }
    if (approx_method_forced == APPROX_METHODS || !can(approximate, approx_method_forced))
        return;
    approximate->host_ns = HOST_NS_FORCED;
    approximate->method = approximate->method_dense = approx_method_forced;
    if ((beyond >> approx_method_forced & 1) != 0)
        approximate->method_beyond = approximate->method_on_device = approx_method_forced;
}

/* ---- Whether PIECES suits a text ------------------------------------------------------------- */

void approx_trial_begin(struct approx_trial *trial)
{
    *trial = (struct approx_trial){.credit = CREDIT_MAX, .pause_bytes = PAUSE_MIN};
}

/* Suspends PIECES for the next pause_bytes bytes, and doubles pause_bytes. */
static void trial_fail(struct approx_trial *trial)
{
    trial->passed = false;
    trial->credit = CREDIT_MAX;
    trial->dense_bytes = trial->pause_bytes;
    trial->pause_bytes = saturating_multiply(2, trial->pause_bytes);
}

enum approx_method approx_trial_method(struct approx_trial *trial,
                                       const struct approximate *approximate,
                                       const struct engine *cpu, const struct engine_chunk *chunk,
                                       uint64_t from)
{
    const uint64_t bytes = min_u64(chunk->owned + chunk->after - from, TRIAL_BYTES);
    struct engine_brief found = {.to = bytes};

    if (approximate->method == approximate->method_dense || trial->passed)
        return approximate->method;
    if (trial->dense_bytes == 0) {
        trial->passed =
            engine_cpu.brief(cpu, approximate->pieces, chunk->bytes + from, bytes, &found)
                ? (double)found.count <= approximate->pieces_rate_max * (double)bytes + CREDIT_MAX
                : found.is_long;
        if (!trial->passed)
            trial_fail(trial);
    }
    return trial->passed ? approximate->method : approximate->method_dense;
}

void approx_trial_judge(struct approx_trial *trial, const struct approximate *approximate,
                        uint64_t bytes, uint64_t count)
{
    if (!trial->passed)
        return;
    trial->credit += approximate->pieces_rate_max * (double)bytes - (double)count;
    trial->credit = min_double(trial->credit, CREDIT_MAX);
    if (trial->credit < 0)
        trial_fail(trial);
}
