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
    double deep;  /* those of `named` where up to ANALYSE_DEEP_BYTES more bytes match, too */
    double whole; /* occurrences; 0 if the pattern has more than ANALYSE_WHOLE_BYTES bytes */
};

static double read_sampled(double length)
{
    return length < SAMPLED_CHOSEN_MIN
               ? READ_SAMPLED_SHORT
               : READ_SAMPLED + READ_SAMPLED_MORE / (1 + length / SAMPLED_HALF);
}

static double candidates_price(double length, double failed, double found)
{
    return min_double(min_double(FAILED * failed, FAILED_MAX) +
                          (length > SHORT_MAX ? FOUND : FAILED) * found,
                      DENSE_MAX);
}

/* Returns a method's price; PRICE_MAX if it cannot search for the pattern. */
static double price_of(enum trawl_method method, double length, const struct rates *rates)
{
    double found = min_double(rates->rare, rates->named);

    switch (method) {
    case TRAWL_METHOD_GRAMS:
        if (rates->rare > DENSE_RATE)
            break;
        return READ_GRAMS +
               candidates_price(length, max_double(rates->gram, rates->whole),
                                max_double(min_double(found, rates->gram), rates->whole));
    case TRAWL_METHOD_SAMPLED:
        if (length < CUDA_SAMPLED_LENGTH_MIN)
            break;
        return read_sampled(length) + (NAMED + NAMED_BYTE * length) * rates->named +
               (FAILED + FOUND_SAMPLED_BYTE * length) * rates->deep;
    default:
        if (rates->rare > DENSE_RATE) /* bit planes */
            return READ_EVERY + FAILED_MAX;
        return READ_EVERY + candidates_price(length, max_double(rates->rare, rates->whole),
                                             max_double(found, rates->whole));
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
           (method == TRAWL_METHOD_SAMPLED ? ONCE_SAMPLED_BYTE_NS * length / read_ns : 0);
}

/* Returns the cheapest method. With is_first, no tables are built yet, so prices include building
 * them. */
static enum trawl_method cheapest(double length, double read_ns, bool is_first,
                                  const struct cuda_prices *prices)
{
    struct plan_prices of = {.least = TRAWL_METHOD_AUTO};

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
    uint64_t most = min_u64(rare_offset + LOOK_BYTES, plan->length_min - LOOK_BYTES);
    uint64_t best = min_u64(rare_offset, most), least = UINT64_MAX;
    uint64_t bytes = min_u64(sample_bytes, PLAN_SAMPLE_BYTES_MIN);
    uint8_t text[PLAN_SAMPLE_BYTES_MIN];

    TRAWL_ASSERT(plan->length_min >= LOOK_BYTES && (plan->flags & TRAWL_IGNORE_CASE) != 0);
    for (uint64_t i = 0; i < bytes; i++)
        text[i] = fold_byte(sample[i]);
    for (uint64_t at = best; at <= most && least > 0; at++) {
        uint64_t count = 0;

        for (uint64_t i = 0; i + LOOK_BYTES <= bytes; i++)
            count += memcmp(text + i, literal + at, LOOK_BYTES) == 0;
        if (count >= least)
            continue;
        least = count;
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

/* Rates the methods that are rated quickly: "grams" with the plan's own grams, on the first quarter
 * of the sample, and "sampled" for a long pattern, or if "grams" has many candidates. Returns the
 * cheapest of them, unless rating the others takes less time than these could save; their prices
 * are then lower bounds. Returns TRAWL_METHOD_AUTO if all methods must be rated. */
static enum trawl_method choose_by_cheap_rates(const struct trawl_plan *plan, const uint8_t *sample,
                                               uint64_t sample_bytes, double read_ns,
                                               struct rates *rates, struct cuda_prices *prices)
{
    static const struct rates no_candidates;
    double length = (double)plan->length_min;
    bool is_rated[] = {[TRAWL_METHOD_GRAMS] = plan->tuning.grams.stride > 1,
                       [TRAWL_METHOD_SAMPLED] = plan->length_min >= SAMPLED_CHOSEN_MIN};
    struct plan_prices of = {.least = TRAWL_METHOD_AUTO};
    enum trawl_method best;

    set_prices(length, &no_candidates, prices);
    if (is_rated[TRAWL_METHOD_GRAMS]) {
        rates->gram = analyse_seen_grams(sample, PLAN_SAMPLE_BYTES_MIN, &plan->tuning.grams);
        if (plan->length_min >= CUDA_SAMPLED_LENGTH_MIN &&
            price_of(TRAWL_METHOD_GRAMS, length, rates) > prices->price[TRAWL_METHOD_SAMPLED])
            is_rated[TRAWL_METHOD_SAMPLED] = true;
    }
    if (is_rated[TRAWL_METHOD_SAMPLED])
        rate_named(plan, sample, sample_bytes, rates);
    for (uint32_t m = TRAWL_METHOD_EVERY; m <= TRAWL_METHOD_SAMPLED; m++) {
        if (is_rated[m])
            prices->price[m] = price_of((enum trawl_method)m, length, rates);
        of.of[m] =
            price_with(m, length, read_ns, prices) + (is_rated[m] ? 0 : RATE_EVERY_NS / read_ns);
    }
    best = plan_cheapest(&of, TRAWL_METHOD_AUTO);
    return is_rated[best] ? best : TRAWL_METHOD_AUTO;
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
        (plan->length_min <= CUDA_GRAM_BYTES && !fold) || sample_bytes < PLAN_SAMPLE_BYTES_MIN)
        return TRAWL_METHOD_EVERY;
    if (is_first)
        method = choose_by_cheap_rates(plan, sample, sample_bytes, read_ns, &rates, prices);
    if (method != TRAWL_METHOD_AUTO)
        return method;
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
    return cheapest(length, read_ns, is_first, prices);
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
    return worker->tables->automaton == CUDA_AUTOMATON_READY
               ? 0
               : 2 * LAUNCH_NS + MAKE_BYTE_NS * (double)worker->plan->literal_bytes_total +
                     MAKE_LEVEL_NS * (double)worker->plan->length_max;
}

/* Begins a contest. The contestant that searches first is expected to take less time for these
 * bytes; but in a long text, the filter shows whether there are as many candidates as the patterns
 * suggest. */
static void contest_open(struct cuda_worker *worker, struct contest *contest, uint64_t bytes,
                         enum want want)
{
    const double read_ns = 1 / worker->device->read_rate; /* per byte */
    const struct price filter = {0, worker->tables->sets_price * read_ns},
                       automaton = {make_ns(worker), cuda_automaton_price(worker) * read_ns *
                                                         (want == WANT_HITS ? AUTOMATON_LISTS : 1)};
    const uint64_t tried = worker->limits.tried_bytes;
    const struct contest_rules rules = {tried, tried << TRIAL_LOG2, 2 * LAUNCH_NS, 0};
    const bool is_dear = want == WANT_COUNT && cuda_automaton_is_kept(worker) &&
                         price_is_less(automaton, 1, filter, bytes);

    contest_begin(contest, &rules, 1u << BY_FILTER | 1u << BY_AUTOMATON,
                  is_dear && bytes <= ESTIMATED * tried ? BY_AUTOMATON : BY_FILTER);
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
                want != WANT_FIRST && (want != WANT_HITS || tables->appends) && *bytes >= tried;
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
    const double least = (double)bytes / worker->device->read_rate,
                 took = max_double((double)ns - LAUNCH_NS, least);

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
        return want == WANT_FIRST ? CUDA_KERNEL_FIRST_AUTOMATON : CUDA_KERNEL_COUNT_AUTOMATON;
    if (tables->method == TRAWL_METHOD_SET)
        return tables->sets_kernel;
    if (want == WANT_HITS)
        return choose_lister(tables, sampled);
    if (tables->dense_left > 0)
        return CUDA_KERNEL_PLANES;
    if (sampled)
        return CUDA_KERNEL_STREAM_SAMPLED;
    return want == WANT_FIRST ? CUDA_KERNEL_FIRST_STREAM : CUDA_KERNEL_STREAM;
}

/* Offsets in a range have 32 bits. When counting, stream_sampled numbers samples instead of starts,
 * so its ranges may be longer. */
uint64_t cuda_choose_begins_max(const struct cuda_worker *worker, enum want want)
{
    uint64_t most = worker->limits.launch_begins_max;

    if (want == WANT_COUNT && worker->tables->method == TRAWL_METHOD_SAMPLED)
        /* a stride may have two samples, so a launch searches launch_begins_max / 2 strides */
        return worker->tables->pattern.stride * max_u64(most / 2, 1);
    return min_u64(most, (1ull << (SCAN_SUM_BITS - 1)) / worker->tables->alike_max);
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

void cuda_choose_note_full_bins(struct cuda_tables *tables, double share)
{
    if (2 * share < tables->list_share)
        return;
    tables->appends = !tables->wide_bins;
    tables->wide_bins = true;
}

/* ---- Sets: the form of the filter's tables --------------------------------------------------
 *
 * A gram is q consecutive bytes; kernels/stream_set.cu describes the method. The functions below
 * choose q, the stride at which the kernels take samples of the text, among how many grams a sample
 * chooses one, and the sizes of the tables. A longer stride means fewer samples, but more entries
 * in the tables; the samples per byte of text that pass the bitmap in shared memory are about the
 * number of patterns divided by the bitmap's bits, at any stride. If a sample chooses among several
 * grams, the tables have fewer entries. Short grams allow longer strides, but match more often.
 * cost_of() weighs all this, in units of the time in which the device reads the text. */

/* How many words the bitmap is shorter than FILTER_LARGE (prices.def): the rare variant
 * has longer queues in shared memory, and the dense variant a copy of the launch's arguments. */
#define RARE_WORDS (SCAN_SETS_THREADS / 32 * (SCAN_SETS_RARE_WARP_BYTES - SCAN_SETS_WARP_BYTES) / 4)
#define DENSE_WORDS ((uint32_t)((sizeof(struct set_arguments) + 15) / 16 * 4))

static const struct {
    double row, sample, pass;
} slots_of[CUDA_SETS_VARIANTS] = {SLOTS_OF};

struct choice {
    uint32_t stride, gram_bytes;
    uint32_t form;    /* index in SCAN_SETS_FORMS */
    uint32_t choices; /* among how many grams a sample chooses one */
    uint32_t filter_words;
    uint32_t bits;    /* how many bits a gram sets in a word of the bitmap */
    uint32_t variant; /* enum cuda_sets_variant */
    double cost;
    double met; /* expected number of grams in the set that equal a sample's gram */
};

/* Returns 1 - e^-x, for x >= 0. */
static double saturation(double x)
{
    double part = x / 256, power;

    TRAWL_ASSERT(x >= 0);
    if (x < 1e-6)
        return x;
    if (x > 40)
        return 1;
    power = 1 - part + part * part / 2 - part * part * part / 6;
    for (uint32_t i = 0; i < 8; i++)
        power *= power;
    return 1 - power;
}

static const struct {
    uint32_t stride, gram, choices;
} forms[] = {
#define FORM(stride, gram, choices) {stride, gram, choices},
    SCAN_SETS_FORMS(FORM)
#undef FORM
};

#define FORMS (sizeof forms / sizeof *forms)

static enum cuda_kernel kernel_of(const struct choice *choice)
{
    uint32_t first =
        choice->variant == CUDA_SETS_RARE ? CUDA_KERNEL_SETS_FIRST : CUDA_KERNEL_SETS_DENSE;

    return (enum cuda_kernel)(first + choice->form);
}

/* Returns the bitmap's rate of false positives: the fraction of grams outside the set that pass if
 * each of `entries` entries has set `bits` bits of a word. Assumes a Poisson distribution of the
 * entries over the words; the rest is inclusion and exclusion over unset bits. */
static double passing(double entries, double words, double word_bits, uint32_t bits)
{
    static const double ways[4][4] = {{0}, {0, 1}, {0, 2, -1}, {0, 3, -3, 1}};
    double unset = 1 - 1 / word_bits, share = 0;

    TRAWL_ASSERT(bits >= 1 && bits <= 3 && words > 0);
    for (uint32_t k = 1; k <= bits; k++)
        share += ways[bits][k] * saturation(entries / words * (1 - analyse_power(unset, k * bits)));
    return max_double(0, share);
}

/* Returns how many bits, 0 or 1, the variant's kernels always add to those that the price chooses
 * for a gram. */
static uint32_t more_bits(const struct choice *choice)
{
    return choice->variant == CUDA_SETS_RARE && choice->stride >= SCAN_SETS_MORE_STRIDE;
}

/* Returns the expected number of entries. A sample may begin at any of `stride` offsets in a
 * literal, and chooses the gram with the lowest hash among `choices` neighbouring ones; the entries
 * are the distinct grams that are chosen. If the sample moves by one byte, it chooses a different
 * gram with probability 2 / (choices + 1) (Schleimer, Wilkerson and Aiken 2003). */
static double entries_of(const struct trawl_plan *plan, const struct choice *choice)
{
    return (double)plan->literal_count * (1 + (choice->stride - 1) * 2.0 / (choice->choices + 1));
}

/* Returns the expected number of grams in the set that equal a sample's gram. Chosen grams have low
 * hashes, so two of them are more often equal. */
static double met_by(const struct trawl_plan *plan, const struct choice *choice,
                     const struct gram_equality *likeness)
{
    double w = choice->choices, rate = likeness->rate[choice->gram_bytes];

    if (likeness->uneven[choice->gram_bytes] &&
        (choice->choices > 1 || choice->gram_bytes <= UNEVEN_BYTES))
        rate *= UNEVEN;
    return (double)plan->literal_count * rate * w * (choice->stride + w - 1) / (2 * w - 1) *
           (1 + (w - 1) / (2 * w));
}

static uint32_t words_of(const struct cuda_worker *worker, uint64_t entries)
{
    return (uint32_t)min_u64(min_u64(TABLE_WORDS_MAX, worker->limits.sets_table_words_max),
                             max_u64(entries, TABLE_WORDS_MIN));
}

static uint32_t heads_of(uint64_t entries)
{
    return (uint32_t)max_u64(max_u64(entries, TABLE_WORDS_MIN),
                             min_u64(entries * HEADS_PER_ENTRY, TABLE_WORDS_MAX / 2));
}

static bool is_tagged(const struct choice *choice)
{
    /* only if a literal's run, the bytes whose grams are in the tables, is longer than a gram */
    return choice->stride + choice->choices > 2 &&
           (choice->stride <= TAG_STRIDE_MAX || choice->met > TAG_MET_MIN);
}

/* Returns the fraction of samples whose list of entries is searched, if a fraction `first` of them
 * passes the bitmap. */
static double lists_of(const struct cuda_worker *worker, const struct choice *choice,
                       double entries, double first)
{
    double words = words_of(worker, (uint64_t)entries);
    double load = entries / heads_of((uint64_t)entries);

    if (choice->variant == CUDA_SETS_DENSE)
        return first * max_double(passing(entries, words, 64, 2), entries / 4294967296.0) +
               choice->met;
    return first * (saturation(load) - load * (1 - saturation(load))) +
           choice->met * (is_tagged(choice) ? max_double(RARE_MET, saturation(load)) : 1);
}

/* Returns the cost per byte of text in this variant, if a fraction `first` of the samples passes
 * the bitmap, and a fraction `lists` needs a search of its list of entries. */
static double cost_with(const struct choice *choice, double first, double lists)
{
    uint32_t stride = choice->stride, words = cuda_sets_gram_words(choice->gram_bytes);
    double samples = stride >= 16 ? 1 : 16.0 / stride, rows = stride >= 16 ? 16.0 / stride : 1;
    double read = stride >= 64 ? 32.0 / stride : 1, slots, lookups;
    bool is_large = choice->filter_words > FILTER_LARGE;

    slots = (slots_of[choice->variant].row + MORE_SLOTS * (words - 2) +
             samples * slots_of[choice->variant].sample) *
            rows;
    if (stride < 4)
        slots += samples * MORE_SLOTS * (4 - stride) / 4;
    slots += 32 * samples * rows * first * slots_of[choice->variant].pass;
    lookups = (first * COST_TABLE + lists * COST_LIST) / stride;
    read = max_double(read, slots / SLOTS_PER_ROW);
    return is_large ? read * COST_CACHE + lookups * (1 + COST_LARGE * first) : read + lookups;
}

static double cost_of_variant(const struct cuda_worker *worker, const struct trawl_plan *plan,
                              const struct choice *choice)
{
    double entries = entries_of(plan, choice);
    double first =
        min_double(1, passing(entries, choice->filter_words, 32, choice->bits) + choice->met);

    return cost_with(choice, first, lists_of(worker, choice, entries, first));
}

static uint32_t filter_words_max(const struct cuda_worker *worker, uint32_t variant)
{
    uint32_t queues = CUDA_STATIC_SHARED_BYTES + SCAN_WARPS_MAX * (variant == CUDA_SETS_RARE
                                                                       ? SCAN_SETS_RARE_WARP_BYTES
                                                                       : SCAN_SETS_WARP_BYTES);
    uint32_t shared_bytes = worker->device->shared_max;

    return shared_bytes < queues ? 0
                                 : (uint32_t)min_u64((shared_bytes - queues) / 4,
                                                     worker->limits.sets_filter_words_max) &
                                       ~3u;
}

/* Returns a cost that outweighs all others if a limit asks for another value. */
static double cost_of_limit(uint32_t asked, uint32_t value, double cost)
{
    return asked == 0 || asked == value ? 0 : cost;
}

/* Adds the cheapest variant and size of the bitmap to a choice of the form, the stride and the
 * length of grams. */
static struct choice cost_of(const struct cuda_worker *worker, const struct trawl_plan *plan,
                             const struct gram_equality *likeness, struct choice one)
{
    static const uint32_t sizes[] = {FILTER_LARGE, UINT32_MAX};
    const struct cuda_limits *limits = &worker->limits;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    double entries = entries_of(plan, &one);
    struct choice best = {.cost = 1e200};

    one.met = met_by(plan, &one, likeness);
    for (uint32_t i = 0; i < CUDA_SETS_VARIANTS * (sizeof sizes / sizeof *sizes); i++) {
        one.variant = i % CUDA_SETS_VARIANTS;
        if (one.variant == CUDA_SETS_RARE && fold)
            continue;
        one.filter_words =
            (uint32_t)min_u64(filter_words_max(worker, one.variant),
                              sizes[i / CUDA_SETS_VARIANTS] -
                                  (one.variant == CUDA_SETS_RARE ? RARE_WORDS : DENSE_WORDS));
        one.bits = limits->sets_bits;
        if (one.bits == 0)
            one.bits = passing(entries, one.filter_words, 32, 2 + more_bits(&one)) <=
                               passing(entries, one.filter_words, 32, 1 + more_bits(&one))
                           ? 2
                           : 1;
        one.bits += more_bits(&one);
        one.cost = cost_of_variant(worker, plan, &one) +
                   cost_of_limit(limits->sets_stride, one.stride, 1e6) +
                   cost_of_limit(limits->sets_choices, one.choices, 1e5) +
                   cost_of_limit(limits->sets_gram, one.gram_bytes, 1e3);
        if (limits->sets_variant < CUDA_SETS_VARIANTS)
            one.cost += cost_of_limit(limits->sets_variant + 1, one.variant + 1, 1e4);
        if (one.cost < best.cost)
            best = one;
    }
    return best;
}

static struct choice choose_form(const struct cuda_worker *worker, const struct trawl_plan *plan)
{
    struct choice best = {.cost = 1e300};
    struct gram_equality likeness;

    analyse_gram_likeness(plan, SCAN_SETS_RUN_MAX, &likeness);
    for (uint32_t stride = 1; stride <= SCAN_SETS_STRIDE_MAX; stride *= 2) {
        if (plan->literal_count > worker->limits.sets_entries_max / stride)
            continue;
        for (uint32_t form = 0; form < FORMS; form++) {
            struct choice one = {.stride = stride, .form = form, .choices = forms[form].choices};
            uint32_t most = forms[form].gram, least = most <= 8 ? ANALYSE_GRAM_MIN : 9;

            if (min_u64(stride, 16) != forms[form].stride)
                continue;
            one.gram_bytes = one.choices > 1 ? most : least;
            for (; one.gram_bytes <= most &&
                   stride + one.choices + one.gram_bytes - 2 <= plan->length_min;
                 one.gram_bytes++) {
                struct choice whole = cost_of(worker, plan, &likeness, one);

                if (whole.cost <= best.cost)
                    best = whole;
            }
        }
    }
    return best;
}

void cuda_sets_choose(const struct cuda_worker *worker, const struct trawl_plan *plan,
                      struct cuda_tables *tables)
{
    struct scan_sets *sets = &tables->sets;
    struct choice choice;
    uint64_t entries;

    if (!worker->limits.sets || plan->length_min < SCAN_SETS_LENGTH_MIN ||
        plan->literal_bytes_total >= (1ull << 34))
        return;
    if (filter_words_max(worker, CUDA_SETS_RARE) == 0)
        return;
    choice = choose_form(worker, plan);
    if (choice.stride == 0)
        return;
    TRAWL_ASSERT(choice.stride + choice.choices + choice.gram_bytes - 2 <= plan->length_min);
    TRAWL_ASSERT(choice.filter_words % 4 == 0 && choice.form < FORMS);
    tables->sets_kernel = kernel_of(&choice);
    tables->sets_price = choice.cost;
    entries = (uint64_t)entries_of(plan, &choice);
    sets->stride = choice.stride;
    sets->gram_bytes = choice.gram_bytes;
    sets->choices = choice.choices;
    sets->tagged = is_tagged(&choice);
    sets->filter_words = choice.filter_words;
    sets->one_more = more_bits(&choice);
    sets->bit_shifts[1] =
        choice.bits - sets->one_more == 2 ? SCAN_SETS_SHIFT_SECOND : SCAN_SETS_SHIFT;
    sets->table_words = choice.variant == CUDA_SETS_RARE ? 0 : words_of(worker, entries);
    sets->head_count = heads_of(entries);
    tables->has_sets = true;
}
