/* cuda_choose: chooses how a device searches. For a single pattern, the "every" method compares at
 * each position, "grams" at every 2nd, 4th or 8th, and "sampled" looks up 16 bytes at each multiple
 * of a stride. Each method has a price, the expected time of a count, in units of the time in which
 * the device reads the text; the cheapest is chosen.
 *
 * For a single pattern, the price follows from rates that are measured on a sample, which consists
 * of excerpts of the text: how many candidates a method has per byte of text, and how many of these
 * are compared to the end of the pattern (struct rates).
 */
#include "cuda/cuda_choose.h"

#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_automaton.h"
#include "cuda/cuda_sampled.h"
#include "cuda/cuda_sets.h"
#include "cuda/residents.h"
#include "plan/analyse.h"
#include "cuda/prices.def"

#define RARE_NOT_RATED DENSE_RATE

/* Fractions of the positions of a text. */
struct rates {
    /* positions with those 8 consecutive bytes of the pattern that are rarest in the text */
    double rare;
    double gram; /* candidates of the "grams" method */
    /* positions with the pattern's 16 bytes at offset o, averaged over o */
    double named;
    double deep;   /* those of `named` where up to ANALYSE_DEEP_BYTES more bytes match, too */
    double whole;  /* positions with an occurrence; 0 if the pattern has more than
                      ANALYSE_WHOLE_BYTES bytes */
    bool periodic; /* is_periodic */
};

/* Returns true if the pattern has a short period, by which bit planes skip what it repeats. */
static bool is_periodic(const struct trawl_plan *plan)
{
    return plan->period > 0 && plan->period <= PERIOD_SHORT;
}

static double read_sampled(double length)
{
    return length < SAMPLED_CHOSEN_MIN
               ? READ_SAMPLED_SHORT
               : READ_SAMPLED + READ_SAMPLED_MORE / (1 + length / SAMPLED_HALF);
}

/* `failed` is the price of the candidates that the first comparison rejects. */
static double candidates_price(double length, double failed, double found,
                               const struct rates *rates)
{
    return min_double(failed + (length > SHORT_MAX ? FOUND : FAILED) * found,
                      rates->periodic ? DENSE_MAX : DENSE_MAX_ALONE);
}

/* Returns the price of samples that are at some offset of the pattern, but not in an occurrence. */
static double named_price(double length, double rate)
{
    const double price = (length > SHORT_MAX ? NAMED : NAMED_SHORT) * rate;

    return rate < NAMED_DENSE ? min_double(price, NAMED_MAX) : price;
}

/* Returns a method's price; PRICE_MAX if it cannot search for the pattern. */
static double price_of(enum trawl_method method, double length, const struct rates *rates)
{
    /* candidates that are compared further; if by a warp, occurrences are what counts */
    double found = min_double(rates->rare, length <= SHORT_MAX  ? rates->named
                                           : length <= DEEP_MIN ? 0
                                                                : rates->deep);
    double failed =
        max_double(method == TRAWL_METHOD_GRAMS ? rates->gram : rates->rare, rates->whole);

    switch (method) {
    case TRAWL_METHOD_GRAMS:
        if (rates->rare > DENSE_RATE)
            break;
        if (length <= SHORT_MAX && failed < 2 * DENSE_RATE)
            found = rates->whole;
        return READ_GRAMS +
               candidates_price(length, min_double(FAILED * failed, FAILED_GRAMS_MAX),
                                max_double(min_double(found, rates->gram), rates->whole), rates);
    case TRAWL_METHOD_SAMPLED:
        if (length < CUDA_SAMPLED_LENGTH_MIN)
            break;
        return read_sampled(length) + named_price(length, rates->named - rates->deep) +
               (FOUND_SAMPLED + FOUND_SAMPLED_BYTE * length) * rates->deep;
    default:
        if (rates->rare > DENSE_RATE) /* bit planes */
            return READ_EVERY + FAILED_MAX;
        return READ_EVERY + candidates_price(length, min_double(FAILED_EVERY * failed, FAILED_MAX),
                                             max_double(found, rates->whole), rates);
    }
    return PRICE_MAX;
}

/* Measures rates->named, rates->deep and rates->whole on the first sample_bytes bytes of the
 * sample. */
static void rate_named(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                       struct rates *rates)
{
    uint64_t offsets = min_u64(plan->length_min, CUDA_SAMPLED_STRIDE_MAX) - (SCAN_SAMPLE_BYTES - 1);
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;

    TRAWL_ASSERT(plan->length_min >= SCAN_SAMPLE_BYTES);
    rates->named = analyse_seen_named(plan_literal_bytes(plan, 0), plan->length_min, offsets, fold,
                                      sample, sample_bytes, &rates->deep, &rates->whole) /
                   (double)offsets;
    rates->deep /= (double)offsets;
    rates->whole /= (double)offsets;
}

/* Sets the prices of the methods whose counts have not been timed. */
static void set_prices(double length, const struct rates *rates, struct cuda_prices *prices)
{
    for (uint32_t method = TRAWL_METHOD_EVERY; method <= TRAWL_METHOD_SAMPLED; method++)
        if (prices->counts[method] == 0 && prices->price[method] < PRICE_MAX)
            prices->price[method] = price_of((enum trawl_method)method, length, rates);
}

/* Returns a method's price, including the time to build its tables. */
static double price_with(uint32_t method, double length, double read_ns,
                         const struct cuda_prices *prices)
{
    return prices->price[method] +
           (method == TRAWL_METHOD_SAMPLED ? ONCE_SAMPLED_NS * length * length / read_ns : 0);
}

/* Returns the cheapest method. With is_first, no tables are built yet, so prices include building
 * them. */
static enum trawl_method cheapest(double length, double read_ns, bool is_first,
                                  const struct cuda_prices *prices)
{
    struct plan_prices of = {.min = TRAWL_METHOD_AUTO};

    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++)
        of.of[i] = is_first ? price_with(i, length, read_ns, prices) : prices->price[i];
    return plan_cheapest(&of, TRAWL_METHOD_AUTO);
}

bool cuda_choose_exclude(enum trawl_method method, struct cuda_prices *prices)
{
    bool is_left = false;

    prices->price[method] = PRICE_MAX;
    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++)
        is_left |= prices->price[i] > 0 && prices->price[i] < PRICE_MAX;
    return is_left;
}

uint64_t cuda_choose_look(const struct trawl_plan *plan, uint64_t rare_offset,
                          const uint8_t *sample, uint64_t sample_bytes)
{
    const uint8_t *literal = plan_literal_bytes(plan, 0);
    uint64_t max = min_u64(rare_offset + LOOK_BYTES, plan->length_min - LOOK_BYTES);
    uint64_t best = min_u64(rare_offset, max), min = UINT64_MAX;
    uint64_t bytes = min_u64(sample_bytes, PLAN_SAMPLE_BYTES_MIN);
    uint8_t text[PLAN_SAMPLE_BYTES_MIN];

    TRAWL_ASSERT(plan->length_min >= LOOK_BYTES && (plan->flags & TRAWL_IGNORE_CASE) != 0);
    for (uint64_t i = 0; i < bytes; i++)
        text[i] = fold_byte(sample[i]);
    for (uint64_t at = best; at <= max && min > 0; at++) {
        uint64_t count = 0;

        for (uint64_t i = 0; i + LOOK_BYTES <= bytes; i++)
            count += memcmp(text + i, literal + at, LOOK_BYTES) == 0;
        if (count >= min)
            continue;
        min = count;
        best = at;
    }
    return best;
}

void cuda_choose_note_time(struct cuda_worker *worker, uint64_t begins, uint64_t ns)
{
    struct cuda_tables *tables = worker->tables;
    double price =
        max_double(1, (double)ns - LAUNCH_NS) * worker->device->read_rate / (double)begins;
    double *prices = tables->prices.price, *own = &prices[tables->method];

    TRAWL_ASSERT(begins > 0);
    if (!tables->ready || tables->sample_serial == 0 || *own <= 0 ||
        begins < worker->limits.seen_bytes_min || worker->limits.seen_method != TRAWL_METHOD_AUTO)
        return;
    *own = tables->prices.counts[tables->method]++ == 0 ? price : min_double(*own, price);
    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++)
        tables->ready &=
            tables->prices.counts[tables->method] < COUNTS_MIN || *own <= SLOW * prices[i];
}

/* Measures the rates that the price of "every" needs, unless they are known. For patterns of more
 * than CUDA_GRAM_BYTES bytes, also sets tuning->rare_offset. */
static void rate_every(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                       struct plan_tuning *tuning, struct byte_rates *of_bytes, struct rates *rates)
{
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;

    if (rates->named >= NOT_RATED && plan->length_min >= SCAN_SAMPLE_BYTES)
        rate_named(plan, sample, sample_bytes, rates);
    analyse_rates(sample, sample_bytes, plan_literal_bytes(plan, 0), plan->length_min, fold,
                  of_bytes);
    if (plan->length_min > CUDA_GRAM_BYTES)
        tuning->rare_offset =
            analyse_seen_window(plan_literal_bytes(plan, 0), plan->length_min, fold, of_bytes,
                                sample, sample_bytes, &rates->rare);
    /* Of many windows that occur equally often, the few positions missed this one by chance. */
    if (rates->rare <= 0 && rates->deep > 0)
        rates->rare = analyse_seen_rate(plan_literal_bytes(plan, 0) + tuning->rare_offset, fold,
                                        sample, sample_bytes);
}

/* Returns the price of "sampled", with its tables. */
static double rate_sampled(const struct trawl_plan *plan, const uint8_t *sample,
                           uint64_t sample_bytes, double read_ns, struct rates *rates,
                           struct cuda_prices *prices)
{
    const double length = (double)plan->length_min;

    rate_named(plan, sample, sample_bytes, rates);
    prices->price[TRAWL_METHOD_SAMPLED] = price_of(TRAWL_METHOD_SAMPLED, length, rates);
    return price_with(TRAWL_METHOD_SAMPLED, length, read_ns, prices);
}

/* Rates the methods with what the plan itself looks for: "sampled" for a long pattern, or if
 * "grams" has many candidates; "grams" and "every" on the first quarter of the sample, unless
 * "sampled" is cheaper than any of these can be. Returns the cheapest. The choice stays open if
 * rating everything takes less time than this could save. The prices that are kept are lower
 * bounds. */
static enum trawl_method choose_by_cheap_rates(const struct trawl_plan *plan, const uint8_t *sample,
                                               uint64_t sample_bytes, double read_ns,
                                               struct rates *rates, struct cuda_prices *prices)
{
    const bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    const double length = (double)plan->length_min, open = READ_EVERY + RATE_EVERY_NS / read_ns;
    const struct rates none = {.periodic = rates->periodic};
    struct plan_prices of = {.of = {[TRAWL_METHOD_EVERY] = open}};
    double *sampled = &of.of[TRAWL_METHOD_SAMPLED], *grams = &of.of[TRAWL_METHOD_GRAMS];

    set_prices(length, &none, prices);
    if (plan->length_min >= SAMPLED_CHOSEN_MIN)
        *sampled = rate_sampled(plan, sample, sample_bytes, read_ns, rates, prices);
    if (*sampled == 0 || *sampled > READ_GRAMS) {
        const uint8_t *window = plan_literal_bytes(plan, 0);
        struct rates own;

        if (plan->tuning.grams.stride > 1) {
            rates->gram = analyse_seen_grams(sample, PLAN_SAMPLE_BYTES_MIN, &plan->tuning.grams);
            *grams = prices->price[TRAWL_METHOD_GRAMS] =
                price_of(TRAWL_METHOD_GRAMS, length, rates);
        }
        if (*sampled == 0 && plan->length_min >= CUDA_SAMPLED_LENGTH_MIN &&
            *grams > prices->price[TRAWL_METHOD_SAMPLED])
            *sampled = rate_sampled(plan, sample, sample_bytes, read_ns, rates, prices);
        own = *rates;
        if (plan->length_min >= CUDA_GRAM_BYTES) {
            window += min_u64(plan->tuning.rare_offset, plan->length_min - CUDA_GRAM_BYTES);
            own.rare = analyse_seen_rate(window, fold, sample, PLAN_SAMPLE_BYTES_MIN);
            of.of[TRAWL_METHOD_EVERY] = price_of(TRAWL_METHOD_EVERY, length, &own);
        }
        prices->is_dense = plan->length_min == CUDA_GRAM_BYTES && own.rare > DENSE_RATE;
    }
    of.min = plan_cheapest(&of, TRAWL_METHOD_AUTO);
    prices->is_open = of.of[of.min] >= open && !prices->is_dense;
    return (prices->is_open && of.min == TRAWL_METHOD_GRAMS) || prices->is_dense
               ? TRAWL_METHOD_EVERY
               : of.min;
}

enum trawl_method cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample,
                                   uint64_t sample_bytes, double read_ns,
                                   struct plan_tuning *tuning, struct cuda_prices *prices)
{
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    bool is_first = prices->price[TRAWL_METHOD_EVERY] <= 0;
    double length = (double)plan->length_min;
    struct rates rates = {
        .rare = RARE_NOT_RATED, .named = NOT_RATED, .periodic = is_periodic(plan)};
    struct byte_rates of_bytes;

    if (prices->is_rated)
        return cheapest(length, read_ns, false, prices);
    *tuning = plan->tuning;
    if (plan->length_min < PLAN_GRAMS_LENGTH_MIN ||
        (plan->length_min <= CUDA_GRAM_BYTES && !fold) || sample_bytes < PLAN_SAMPLE_BYTES_MIN)
        return TRAWL_METHOD_EVERY;
    if (is_first)
        return choose_by_cheap_rates(plan, sample, sample_bytes, read_ns, &rates, prices);
    rate_every(plan, sample, sample_bytes, tuning, &of_bytes, &rates);
    if (rates.rare <= DENSE_RATE) {
        tuning->is_seen = true;
        tuning->grams = (struct plan_grams){.stride = 0};
        plan_tune_grams(plan, sample, PLAN_SAMPLE_BYTES_MIN, &of_bytes, tuning);
        rates.gram = max_double(tuning->gram_rate, rates.deep > 0 ? rates.rare : 0);
        if (tuning->grams.stride <= 1) /* it would compare at each position, as "every" does */
            prices->price[TRAWL_METHOD_GRAMS] = PRICE_MAX;
    }
    set_prices(length, &rates, prices);
    prices->is_rated = true;
    return cheapest(length, read_ns, prices->is_open, prices);
}

void cuda_choose_meanwhile(struct cuda_worker *worker)
{
    struct cuda_tables *tables = worker->tables;
    const uint64_t bytes = worker->chunk->owned, offset = tables->own.rare_offset;
    struct cuda_sample sample;
    enum trawl_method method;

    if (!tables->prices.is_open)
        return;
    if (cuda_worker_sample(worker, worker->chunk->bytes, bytes, &sample) == tables->sample_serial) {
        method = cuda_choose_seen(worker->plan, sample.bytes, sample.bytes_count,
                                  (double)cuda_worker_left(worker) / worker->device->read_rate,
                                  &tables->own, &tables->prices);
        tables->ready = method == tables->method && method != TRAWL_METHOD_GRAMS &&
                        (method == TRAWL_METHOD_SAMPLED || tables->own.rare_offset == offset ||
                         tables->prices.price[method] >= READ_EVERY + FAILED_MAX); /* bit planes */
    }
    tables->prices.is_open = false;
}

uint64_t cuda_choose_part(const struct cuda_worker *worker, uint64_t bytes)
{
    uint64_t part = worker->limits.tried_bytes * OPEN_TRIALS;

    return worker->tables->prices.is_open && part < bytes - bytes / 4 ? part : bytes;
}

/* With TRAWL_METHOD_AUTO, "sampled" is not chosen for a literal that repeats itself, such as
 * "abababab...": each sample of a repetitive text would match at many of its offsets. Nor is it if
 * most of the caller's sample consists of parts of the literal. */
enum trawl_method cuda_choose_method(const struct trawl_plan *plan, enum trawl_method asked)
{
    bool by_length = asked == TRAWL_METHOD_AUTO && plan->length_min >= SAMPLED_CHOSEN_MIN;

    if (!plan_is_one_literal(plan) || plan->method == TRAWL_METHOD_SET)
        return TRAWL_METHOD_SET;
    if (by_length && plan->tuning.sampled.naming < NAMING_MAX &&
        sampled_repeats(plan, SCAN_SAMPLE_BYTES) <= REPEATS_MAX)
        return TRAWL_METHOD_SAMPLED;
    if (asked != TRAWL_METHOD_AUTO &&
        (asked != TRAWL_METHOD_SAMPLED || plan->length_min >= CUDA_SAMPLED_LENGTH_MIN))
        return asked;
    return plan_reads_grams(plan, &plan->tuning) ? TRAWL_METHOD_GRAMS : TRAWL_METHOD_EVERY;
}

/* ---- Sets: the filter or the automaton ----------------------------------------------------- */

/* Returns the expected time to build the automaton. */
static double make_ns(const struct cuda_worker *worker)
{
    const double level_ns =
        worker->plan->literal_count <= NARROW_STATES ? MAKE_NARROW_NS : MAKE_LEVEL_NS;

    return worker->tables->automaton == CUDA_AUTOMATON_READY
               ? 0
               : 2 * LAUNCH_NS + MAKE_BYTE_NS * (double)worker->plan->literal_bytes_total +
                     level_ns * (double)worker->plan->length_max;
}

/* Returns the fraction of a sample's positions at which one of the set's stems begins; of a large
 * set, judges by SHARE_LITERALS stems. */
static double share_of_sample(const struct trawl_plan *plan, const struct cuda_sample *sample)
{
    const uint64_t step = (plan->literal_count - 1) / SHARE_LITERALS + 1;
    const uint32_t fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 ? (uint32_t)FOLD_ALL : 0;
    const uint64_t positions = sample->bytes_count / SHARE_EVERY;
    uint16_t owner[SHARE_SLOTS] = {0}; /* number + 1 of a stem that begins with these 4 bytes */
    uint64_t found = 0;
    uint32_t word;

    for (uint64_t i = 0; i < plan->literal_count; i += step) {
        memcpy(&word, plan_literal_bytes(plan, (uint32_t)i), sizeof word);
        owner[(word | fold) * 0x9e3779b1u >> (32 - SHARE_SLOTS_LOG2)] = (uint16_t)(i / step + 1);
    }
    for (uint64_t i = 0; i < positions; i++) {
        const uint8_t *at = sample->bytes + i * SHARE_EVERY;
        uint32_t slot, bytes = 0;

        memcpy(&word, at, sizeof word);
        slot = (word | fold) * 0x9e3779b1u >> (32 - SHARE_SLOTS_LOG2);
        if (owner[slot] == 0)
            continue;
        for (const uint8_t *stem = plan_literal_bytes(plan, (uint32_t)((owner[slot] - 1) * step));
             bytes < min_u64(plan->length_min, SHARE_EVERY) &&
             (stem[bytes] | (fold & 0x20)) == (at[bytes] | (fold & 0x20));
             bytes++)
            continue;
        found += bytes == min_u64(plan->length_min, SHARE_EVERY);
    }
    return positions == 0 ? 0 : (double)(found * step) / (double)positions;
}

/* Returns how many hits per position the set has, or will probably have; below 0 if nothing tells.
 */
static double expect_share(const struct cuda_worker *worker)
{
    struct cuda_sample sample;

    if (worker->tables->list_share >= 0 ||
        cuda_worker_sample(worker, worker->chunk->bytes, worker->chunk->owned, &sample) == 0)
        return worker->tables->list_share;
    return share_of_sample(worker->plan, &sample);
}

/* Begins a contest. The contestant that searches first is expected to take less time for these
 * bytes; but in a long text of which nothing is known, the filter shows whether there are as many
 * candidates as the patterns suggest. */
static void contest_open(struct cuda_worker *worker, struct contest *contest, uint64_t bytes,
                         enum want want)
{
    const double read_ns = 1 / worker->device->read_rate; /* per byte */
    const double share = expect_share(worker);
    const double of_filter = worker->tables->sets_price + COST_LIST * max_double(share, 0);
    const bool marks = worker->tables->lists_begins && !worker->tables->is_nested;
    const double lists = want != WANT_HITS ? 1 : marks ? AUTOMATON_MARKS : AUTOMATON_LISTS;
    const double hit = want != WANT_HITS ? 0 : marks ? AUTOMATON_MARK : AUTOMATON_HIT;
    const double of_automaton = lists * cuda_automaton_price(worker) + hit * max_double(share, 0);
    const struct price filter = {0, of_filter * read_ns},
                       automaton = {make_ns(worker), of_automaton * read_ns};
    const uint64_t tried = worker->limits.tried_bytes;
    const struct contest_rules rules = {tried, tried << TRIAL_LOG2, 2 * LAUNCH_NS, 0};
    const bool is_dear = (want == WANT_COUNT || share > 0) && cuda_automaton_is_kept(worker) &&
                         price_is_less(automaton, 1, filter, bytes);

    contest_begin(contest, &rules, 1u << BY_FILTER | 1u << BY_AUTOMATON,
                  is_dear && (bytes <= ESTIMATED * tried || share > 0) ? BY_AUTOMATON : BY_FILTER);
    contest->of[BY_FILTER].price = filter;
    contest->of[BY_AUTOMATON].price = automaton;
    /* a filter that is expected to be slow searches a piece first */
    worker->tables->is_dear = is_dear || worker->tables->sets_price > PRICE_TRIED;
}

enum trawl_status cuda_choose_turn(struct cuda_worker *worker, enum want want, uint64_t *bytes,
                                   bool *is_timed, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    struct contest *contest = &tables->contests[want == WANT_HITS];
    const uint64_t tried = worker->limits.tried_bytes;
    enum trawl_status status;

    *is_timed = tables->has_sets && tables->dense_left == 0 && worker->limits.automaton &&
                !worker->limits.automaton_always && tables->automaton != CUDA_AUTOMATON_NONE &&
                (want != WANT_HITS || tables->appends) && *bytes >= tried;
    if (*is_timed && contest->fits == 0)
        contest_open(worker, contest, *bytes, want);
    tables->by_automaton =
        contest->fits != 0 &&
        (*is_timed || contest->open == 0 ? contest->now : contest->before) == BY_AUTOMATON;
    if (!tables->by_automaton && !*is_timed)
        return TRAWL_OK;
    if (tables->by_automaton) {
        status = cuda_automaton_want(worker, error);
        if (status != TRAWL_OK && status != TRAWL_MEMORY)
            return status;
        tables->by_automaton = *is_timed &= tables->automaton == CUDA_AUTOMATON_READY;
    }
    if (*is_timed && (contest->open != 0 || (contest->all_bytes == 0 && tables->is_dear)))
        *bytes = min_u64(*bytes,
                         contest->open == 0 ? tried << TRIAL_LOG2 : max_u64(contest->left, tried));
    return TRAWL_OK;
}

void cuda_choose_note_turn(struct cuda_worker *worker, enum want want, uint64_t at, uint64_t bytes,
                           uint64_t ns, uint64_t rest)
{
    static const char *const names[] = {[BY_FILTER] = "filter", [BY_AUTOMATON] = "automaton"};
    struct contest *contest = &worker->tables->contests[want == WANT_HITS];
    struct contest_change change;
    /* no kernel takes less than reading the text, and launches differ by some microseconds */
    const double min = (double)bytes / worker->device->read_rate,
                 took = max_double((double)ns - LAUNCH_NS, min);

    TRAWL_ASSERT(contest->open == 0 ||
                 (contest->now == BY_AUTOMATON) == worker->tables->by_automaton);
    if (worker->tables->dense_left == 0 &&
        contest_count(contest, bytes, 0, (uint64_t)took, true, rest, &change))
        engine_changed(worker->chunk, at, names[change.from], change.from_ns, names[change.to],
                       change.to_ns, change.why);
}

/* ---- Kernels ------------------------------------------------------------------------------ */

bool cuda_choose_filters(const struct cuda_worker *worker, enum want want)
{
    const struct cuda_tables *tables = worker->tables;

    TRAWL_ASSERT(!tables->by_automaton || tables->automaton == CUDA_AUTOMATON_READY);
    return tables->has_sets && (want != WANT_HITS || tables->appends) &&
           (tables->automaton != CUDA_AUTOMATON_READY ||
            (tables->dense_left == 0 && !tables->by_automaton && !worker->limits.automaton_always));
}

bool cuda_choose_decides(const struct pattern_arguments *a)
{
    return a->is_exact != 0 && (a->pattern_bytes <= 4 || (a->gram_fold[0] | a->gram_fold[1]) == 0);
}

bool cuda_choose_is_dense(const struct cuda_tables *tables)
{
    return tables->dense_left > 0 || tables->prices.is_dense;
}

/* Returns the kernel that lists a single pattern's hits. */
static enum cuda_kernel choose_lister(const struct cuda_tables *tables, bool sampled)
{
    const struct pattern_arguments *a = &tables->pattern;

    if (cuda_choose_decides(a))
        return CUDA_KERNEL_APPEND_STREAM;
    if (tables->appends && tables->dense_left == 0)
        return sampled ? CUDA_KERNEL_STREAM_SAMPLED : CUDA_KERNEL_STREAM;
    return a->plane.probe_bits != 0 ? CUDA_KERNEL_APPEND_PLANES : CUDA_KERNEL_APPEND_STREAM;
}

enum cuda_kernel cuda_choose_kernel(const struct cuda_worker *worker, uint64_t begins,
                                    enum want want)
{
    const struct cuda_tables *tables = worker->tables;
    bool sampled = tables->method == TRAWL_METHOD_SAMPLED && begins >= SAMPLED_BYTES_MIN;

    if (tables->method == TRAWL_METHOD_SET && !cuda_choose_filters(worker, want))
        return CUDA_KERNEL_COUNT_AUTOMATON;
    if (tables->method == TRAWL_METHOD_SET)
        return tables->sets_kernel;
    if (want == WANT_HITS)
        return choose_lister(tables, sampled);
    if (cuda_choose_is_dense(tables) && tables->dense_automaton && want == WANT_COUNT)
        return CUDA_KERNEL_COUNT_AUTOMATON;
    if (tables->dense_left > 0)
        return CUDA_KERNEL_PLANES;
    return sampled ? CUDA_KERNEL_STREAM_SAMPLED : CUDA_KERNEL_STREAM;
}

/* Offsets in a range have 32 bits. When counting, stream_sampled numbers samples instead of starts,
 * so its ranges may be longer. */
uint64_t cuda_choose_begins_max(const struct cuda_worker *worker, enum want want)
{
    uint64_t max = worker->limits.launch_begins_max;

    if (want == WANT_COUNT && worker->tables->method == TRAWL_METHOD_SAMPLED)
        /* a stride may have two samples, so a launch searches launch_begins_max / 2 strides */
        return worker->tables->pattern.stride * max_u64(max / 2, 1);
    return min_u64(max, (1ull << (SCAN_SUM_BITS - 1)) / worker->tables->alike_max);
}

enum trawl_status cuda_choose_leave(struct cuda_worker *worker, struct trawl_error *error)
{
    worker->leaves = worker->may_leave;
    return worker->leaves ? TRAWL_OK
                          : TRAWL_FAIL(error, UNSUPPORTED, "%s leaves this set to the host",
                                       worker->device->name);
}

enum trawl_status cuda_choose_automaton(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    bool was_none = tables->automaton == CUDA_AUTOMATON_NONE;
    enum trawl_status status;

    tables->dense_left = CONTEST_PAUSE;
    if (tables->method != TRAWL_METHOD_SET)
        return TRAWL_OK;
    status = cuda_automaton_want(worker, error);
    if (status != TRAWL_OK && status != TRAWL_MEMORY)
        return status;
    if (tables->automaton == CUDA_AUTOMATON_READY)
        return TRAWL_OK;
    if (!worker->may_leave && tables->has_sets && !was_none) {
        tables->dense_left = 0;
        return TRAWL_OK;
    }
    return status == TRAWL_MEMORY && !worker->may_leave ? status : cuda_choose_leave(worker, error);
}

enum trawl_status cuda_choose_dense(struct cuda_worker *worker, struct trawl_error *error)
{
    bool is_long = worker->plan->literal_bytes_total > worker->limits.patient_bytes;
    struct cuda_tables *tables = worker->tables;

    if (!tables->has_sets || tables->dense_left > 0 || tables->budget_log2 > 0 ||
        (!is_long && cuda_automaton_is_kept(worker)))
        return cuda_choose_automaton(worker, error);
    tables->budget_log2 = is_long ? PATIENT_LONG_LOG2 : PATIENT_LOG2;
    return TRAWL_OK;
}

uint64_t cuda_choose_trial(const struct cuda_worker *worker, uint64_t begins)
{
    const struct cuda_tables *tables = worker->tables;
    const uint64_t trial = PLANES_TRIALS * worker->limits.tried_bytes;

    return tables->method == TRAWL_METHOD_SET || tables->planes_price > 0 ||
                   !worker->limits.automaton || begins / 2 < trial || is_periodic(worker->plan)
               ? begins
               : trial;
}

void cuda_choose_note_dense(struct cuda_worker *worker, enum cuda_kernel kernel, uint64_t begins,
                            uint64_t ns)
{
    struct cuda_tables *tables = worker->tables;
    const double read_rate = worker->device->read_rate;
    const double price = max_double(1, (double)ns - LAUNCH_NS) * read_rate / (double)begins;

    if (tables->method == TRAWL_METHOD_SET || worker->limits.automaton_always ||
        begins < min_u64(worker->limits.seen_bytes_min, PLANES_TRIALS * worker->limits.tried_bytes))
        return;
    if (kernel == CUDA_KERNEL_PLANES) {
        tables->planes_price = price;
        tables->dense_automaton =
            !tables->automaton_lost && worker->limits.automaton && cuda_automaton_is_kept(worker) &&
            price > SLOW * (cuda_automaton_price(worker) +
                            make_ns(worker) * read_rate / (double)cuda_worker_left(worker));
    } else if (kernel == CUDA_KERNEL_COUNT_AUTOMATON && price > tables->planes_price) {
        tables->dense_automaton = false;
        tables->automaton_lost = true;
    }
}

void cuda_choose_note_full_bins(struct cuda_tables *tables, double share)
{
    if (2 * share < tables->list_share)
        return;
    tables->appends = !tables->wide_bins;
    tables->wide_bins = true;
}
