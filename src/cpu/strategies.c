/* strategies: chooses the strategy (search loop) with which a worker of the host searches, and runs
 * it.
 *
 * For a single literal, the first strategy is chosen by the plan's expected costs (plan/choose.c).
 * The worker measures how much more time it takes than the cheapest strategy could. Once the
 * difference is as large as the time for a look, the worker looks at the text: it takes a sample,
 * computes the costs of all methods there, and continues with the cheapest.
 *
 * For sets, too, expected costs choose the first strategy. But which strategy is fastest depends on
 * the text, the strings and the caches, and cannot be predicted, so the strategies compete
 * (plan/contest.h).
 *
 * A strategy that turns out too expensive stops at a position, and the next continues there
 * (scan_leave):
 *
 * - sampled: when it takes 15 % and 2 us longer than the cheaper of every and grams would; the
 *   cheaper one continues.
 * - every, grams: when it has compared 4 times as many bytes as chunk and literal have; the
 *   two-way algorithm continues, in linear time.
 * - buckets, classes: when candidates take more than 4 ns per byte of text, and have taken as long
 *   as building the automaton would (a quarter of that, if the rest would take over four times as
 *   long). The automaton continues, for 32 KiB, but at least 4 times the longest string's length;
 *   then the strategy again. If it soon stops, twice as much, up to 16 MiB.
 *
 * Which strategies fit a set, and when they begin:
 *
 * - buckets: sets of at most 65,536 strings; all sets of whole words or lines. First, if a byte
 *   of text costs no more than with classes (words must also be fewer than 64).
 * - classes: all sets but those of whole words or lines. First, if buckets are not.
 * - the automaton: once it pays off.
 * - each string by itself: sets of at most 10 strings. Once it pays off.
 * - parts: sets of 3 to 65,536 strings of different lengths. Once they pay off, and, for more than
 *   10 strings, if their prices add up to less than 0.75 of the whole set's.
 *
 * A strategy in a trial first searches 8 KiB that do not count, because they fill the caches, then
 * 34,304 bytes that do.
 */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "cpu/set_matcher.h"
#include "cpu/set_stems.h"
#include "cpu/worker.h"
#include "plan/analyse.h"
#include "plan/sampler.h"
#include "cpu/prices.def"

/* The search loop of each method, from methods.def. */
static void (*const loops[TRAWL_METHODS_COUNT])(struct scan *scan) = {
#define METHOD(name, literals, length_min, work, function) [TRAWL_METHOD_##name] = function,
#include "plan/methods.def"
};

/* The method of each strategy. */
static const enum trawl_method methods[STRATEGIES] = {
#define STRATEGY(name, method, may) TRAWL_METHOD_##method,
#include "plan/set_prices.def"
};

/* Returns true if there is text left to search. If the last strategy gave up (is_left), clears
 * that, so that the next one can continue. */
static bool scan_goes_on(struct scan *scan)
{
    if (scan->is_left)
        scan->over = scan->is_left = false;
    if (scan->over)
        return false;
    scan->at = max_u64(scan->at, scan->run_until);
    return scan->at < scan->limit && !scan_is_full(scan);
}

/* ---- Sets: the strategies ---------------------------------------------------------------- */

void scan_automaton(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;
    uint64_t x = scan->at, left = worker->dense_left, to = x + min_u64(scan->limit - x, left);

    worker->dense_left = 0;
    if (!scan_dense(scan, x, to)) {
        scan->work_max = UINT64_MAX; /* so candidates are tested, at any cost */
        return;
    }
    TRAWL_ASSERT(scan->over || scan->at >= to);
    scan->run_until = max_u64(scan->run_until, scan->at);
    worker->dense_left = left - min_u64(scan->run_until - x, left);
}

/* Tests candidates, and uses the automaton where they are dense. */
static void run_candidates(struct scan *scan, enum strategy strategy)
{
    struct cpu_worker *worker = scan->worker;
    enum strategy by = strategy != STRATEGY_AUTOMATON                    ? strategy
                       : plan_has_strategy(scan->plan, STRATEGY_BUCKETS) ? STRATEGY_BUCKETS
                                                                         : STRATEGY_CLASSES;

    if (worker->dense_by != strategy) /* dense_left was set by another strategy */
        worker->dense_left = strategy == STRATEGY_AUTOMATON ? UINT64_MAX : 0;
    worker->dense_by = strategy;
    scan->work_max = 0;
    while (scan_goes_on(scan))
        (worker->dense_left > 0 ? scan_automaton : loops[methods[by]])(scan);
}

/* ---- Sets: the classes ----------------------------------------------------------------- */

bool choice_stems_pay(const struct trawl_plan *plan, const struct find_ops *find)
{
    return find->trigrams != NULL && plan_has_letters(plan) &&
           plan->length_min >= FIND_TRIGRAMS_MIN && plan->length_min < SET_STEM_LENGTH_MAX &&
           plan->literal_count >= STEMS_PAY_FROM;
}

/* Returns the length of the longest gram that the stride and SET_Q_MAX allow. */
static uint32_t widest_gram(const struct set_class *class, uint32_t stride)
{
    return (uint32_t)min_u64(class->length_min - stride + 1, SET_Q_MAX);
}

/* Chooses the widest stride whose grams are long enough to distinguish the entries. */
static void choose_stride(struct set_class *class, double byte_bits)
{
    uint32_t length = class->length_min;
    uint64_t widest = min_u64(SET_STRIDE_MAX, ENTRIES_MAX / class->literal_count);

    class->stride = 1;
    class->q = widest_gram(class, 1);
    TRAWL_ASSERT(length > 0 && class->literal_count > 0);
    for (uint32_t stride = 2; length >= 8 && stride <= widest; stride++) {
        uint32_t q = widest_gram(class, stride);
        double wanted = analyse_log2((double)class->literal_count * stride) + BITS_SPARE;

        if (q < 4 || q * byte_bits < wanted)
            break;
        class->stride = stride;
        class->q = q;
    }
    TRAWL_ASSERT(class->q > 0 && class->q + class->stride - 1 <= length);
    if (class->stride == 1 && class->q > 8)
        class->q = 8;
}

/* Returns how many entries of class number `index` have the same hash as a gram of the sample, on
 * average over these grams, if the class had the q and stride of `class`. A literal belongs to
 * class number matcher->of[class_of_length(length)]. */
static double entries_named(const struct set_sample *sample, const struct set_matcher *matcher,
                            uint32_t index, const struct set_class *class)
{
    const struct trawl_plan *plan = sample->plan;
    const uint8_t *end = plan->literal_bytes + plan->literal_bytes_total;
    uint32_t step = (class->literal_count + SAMPLER_PIECES_MAX - 1) / SAMPLER_PIECES_MAX,
             looked = 0;
    uint64_t pairs = 0, in_class = 0, taken = 0, chance = 1;
    struct sampler sampler;

    TRAWL_ASSERT(step > 0 && class->stride > 0 && sample->bytes_count > SET_Q_MAX);
    sampler_reset(&sampler, SAMPLER_PIECES_MAX, class->q, matcher->fold);
    /* take grams at random distances of 1 to 8 bytes, because texts have periods */
    for (uint64_t at = 0; at + class->q <= sample->bytes_count; at += 1 + (chance >> 61)) {
        (void)sampler_add(&sampler,
                          sampler_key(&sampler, sample->bytes + at, sample->bytes_count - at),
                          (uint16_t)taken++);
        chance = chance * SET_HASH_LOW + SET_HASH_HIGH;
    }
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        uint64_t length = plan_literal_at(plan, i).bytes_count;

        if (matcher->of[class_of_length(length)] != index || in_class++ % step > 0)
            continue;
        looked++;
        for (uint32_t offset = 0; offset < class->stride; offset++) {
            const uint8_t *bytes = plan_literal_bytes(plan, i) + offset;

            pairs += sampler.count[sampler_slot(
                &sampler, sampler_key(&sampler, bytes, (uint64_t)(end - bytes)))];
        }
    }
    TRAWL_ASSERT(looked > 0);
    return (double)pairs * class->literal_count / looked / (double)taken;
}

/* Chooses the stride that costs least in the sample: tries narrower ones than the class's present
 * stride as long as they cost less. They allow longer grams, which are rarer in a text. */
static void look_stride(const struct set_sample *sample, const struct set_matcher *matcher,
                        uint32_t index, struct set_class *class)
{
    struct set_class tried = *class;
    double min = 1e300, price;

    for (; tried.stride > 1; tried.stride--) {
        tried.q = widest_gram(class, tried.stride);
        price = (1 + entries_named(sample, matcher, index, &tried) * NAMED_SAMPLES) / tried.stride;
        if (price >= min)
            return;
        min = price;
        class->stride = tried.stride;
        class->q = tried.q;
    }
}

/* Returns true if `count` literals, whose lengths are in range c (class_of_length), should join
 * `class`, whose shortest literals are in range `last` < c. `of_all` is the number of all literals.
 * Each class costs a look at every sample, so a set of few words gets a single class. */
static bool joins_class(const struct set_class *class, uint32_t last, uint32_t c, uint32_t count,
                        bool letters, uint32_t of_all)
{
    bool words =
        letters && class->length_min >= SET_STEM_MIN && class->length_min < SET_STEM_LENGTH_MAX;

    return (words && of_all <= (last < 2 || c == 5 ? SET_PAIRS_LITERALS_MAX : SET_FEW_LITERALS)) ||
           (last >= 3 && ((letters && c == 4) || count < class->literal_count / MERGE_SHARE));
}

/* Chooses how a class is searched: with stems, or with grams at a stride. `counts` are the literals
 * of each range of lengths, `of_stems` those of each length of stem. */
static void choose_class(const struct set_sample *sample, const struct set_matcher *matcher,
                         uint32_t index, const uint32_t counts[SET_CLASSES_MAX],
                         const uint32_t of_stems[SET_STEM_LENGTHS], struct set_class *class)
{
    if (plan_has_letters(sample->plan) && class->length_min >= SET_STEM_MIN &&
        (class->length_min >= SET_STEM_Q ||
         class->literal_count / 2 >= counts[class->length_min - 1]) &&
        class->length_min < SET_STEM_LENGTH_MAX) {
        class_stems_begin(class, of_stems);
        class->by_pairs =
            sample->find->pairs != NULL && class->literal_count <= SET_PAIRS_TRIED_MAX;
        class->by_trigrams = (!class->by_pairs || class->literal_count > SET_PAIRS_LITERALS_MAX) &&
                             class->literal_count <= SET_FEW_LITERALS &&
                             sample->find->trigrams != NULL &&
                             class->length_min >= FIND_TRIGRAMS_MIN;
        return;
    }
    choose_stride(class, sample->plan->byte_bits);
    if (sample->bytes_count >= PLAN_SAMPLE_BYTES_MIN)
        look_stride(sample, matcher, index, class);
}

void choice_classes(const struct set_sample *sample, struct set_matcher *matcher)
{
    const struct trawl_plan *plan = sample->plan;
    uint32_t counts[SET_CLASSES_MAX] = {0}, last = SET_CLASSES_MAX;
    uint64_t min[SET_CLASSES_MAX];
    uint32_t of_stems[SET_STEM_LENGTHS] = {0};
    bool letters = plan_has_letters(plan);

    memset(min, 0xff, sizeof min);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        uint64_t length = plan_literal_at(plan, i).bytes_count;
        uint32_t c = class_of_length(length);

        counts[c]++;
        min[c] = min_u64(min[c], length);
        if (length >= SET_STEM_MIN)
            of_stems[class_stem_bytes(length) - SET_STEM_MIN]++;
    }
    for (uint32_t c = 0; c < SET_CLASSES_MAX; c++) {
        struct set_class *class;

        if (counts[c] == 0)
            continue;
        if (last < SET_CLASSES_MAX && joins_class(&matcher->classes[matcher->of[last]], last, c,
                                                  counts[c], letters, plan->literal_count)) {
            matcher->of[c] = matcher->of[last];
            matcher->classes[matcher->of[c]].literal_count += counts[c];
            continue;
        }
        TRAWL_ASSERT(matcher->class_count < SET_CLASSES_MAX);
        matcher->of[c] = matcher->class_count++;
        last = c;
        class = &matcher->classes[matcher->of[c]];
        class->literal_count = counts[c];
        class->length_min = (uint32_t)min_u64(min[c], 64);
        TRAWL_ASSERT(class_of_length(class->length_min) == c);
    }
    for (uint32_t i = 0; i < matcher->class_count; i++)
        choose_class(sample, matcher, i, counts, of_stems, &matcher->classes[i]);
}

/* ---- Sets: the contest ------------------------------------------------------------------- */

static void report_change(const struct scan *scan, const struct contest_change *change)
{
    engine_changed(scan->chunk, scan->at, plan_strategy_name(change->from), change->from_ns,
                   plan_strategy_name(change->to), change->to_ns, change->why);
}

/* Searches with the strategy. If it needs parts of the plan (sets of patterns that are searched in
 * turn) and there are none, another strategy takes its place for good. */
static void strategy_run(struct scan *scan, enum strategy strategy)
{
    struct contest *own = &scan->worker->contest;
    struct contest_change change;

    while (strategy >= STRATEGY_ALONE) {
        if (scan_parts(scan, strategy - STRATEGY_ALONE))
            return;
        scan->worker->makes++; /* so that this time is not counted */
        if (contest_drop(own, &change))
            report_change(scan, &change);
        strategy = (enum strategy)own->now;
    }
    run_candidates(scan, strategy);
}

/* Returns how often tables were built or fetched, by the worker and, if the current strategy
 * searches parts in turn, by the parts' workers. A piece during which this number grows took longer
 * than later ones will. */
static uint64_t makes_of(const struct cpu_worker *worker)
{
    const struct cpu_parts *parts = worker->contest.now < STRATEGY_ALONE
                                        ? NULL
                                        : worker->parts[worker->contest.now - STRATEGY_ALONE];
    uint64_t makes = worker->makes;

    for (uint32_t i = 0; parts != NULL && parts->of != NULL && i < parts->of->count; i++)
        makes += cpu_worker_of(parts->workers[i])->makes;
    return makes;
}

void scan_any_set(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;
    struct contest *own = &worker->contest;
    struct contest_change change;
    const uint64_t limit = scan->limit, bytes = limit - scan->at;
    uint64_t ended = 0; /* when the last piece ended */

    /* Reading the clock takes as long as searching a few hundred bytes: 10 strings in texts of 4
     * KiB took 700 ns with the clock, and 500 ns without it. */
    bool is_short = own->open == 0 && bytes < cpu_sizes.trial_bytes &&
                    ++worker->short_texts % SHORT_TIMED_TEXTS > 0;

    while (scan->at < limit && !scan->over) {
        /* parts that are searched one after another would find the first occurrence late, so the
         * first strategy searches instead */
        enum strategy strategy = (enum strategy)(
            scan->want == WANT_FIRST && own->now >= STRATEGY_ALONE ? own->first : own->now);
        uint64_t from = scan->at, piece = contest_piece(own), began, ns, makes, end;

        if (contest_is_decided(own) || is_short || strategy != own->now) {
            scan->limit = limit;
            strategy_run(scan, strategy);
            return;
        }
        /* outside of trials, a short rest is not a piece of its own */
        end = own->open == 0 && (limit - from) / 2 <= piece ? limit
                                                            : from + min_u64(limit - from, piece);
        makes = makes_of(worker);
        began = clock_now_ns();
        ns = ended > 0 ? ended : clock_worked_ns();
        do { /* a piece ends early where the text becomes slow */
            scan->limit = min_u64(end, scan->at + PART_BYTES);
            strategy_run(scan, strategy);
        } while (!scan->over && scan->at >= scan->limit && scan->at < end &&
                 !contest_is_due(own, clock_now_ns() - began));
        if (scan->over || scan->at < scan->limit)
            break;
        ended = clock_worked_ns();
        if (contest_count(own, scan->at - from, ns, ended, makes == makes_of(worker),
                          scan->loadable - scan->at, &change))
            report_change(scan, &change);
    }
    scan->limit = limit;
}

enum trawl_method scan_method(const struct cpu_worker *worker)
{
    if (worker->method != TRAWL_METHOD_SET)
        return worker->method;
    return worker->dense_left > 0 ? TRAWL_METHOD_AUTOMATON : methods[worker->contest.now];
}

/* ---- One literal: looks at the text ---------------------------------------------------- */

static void count_anew(struct cpu_worker *worker)
{
    worker->searched = 0;
    worker->took = worker->priced = 0;
}

/* Builds the tables of the "sampled" method. If the text may end before they pay off, chooses
 * another method until then. Errors: MEMORY. */
static enum trawl_status begin_sampled(struct cpu_worker *worker, const struct engine_chunk *chunk,
                                       struct trawl_error *error)
{
    if (worker->sampled_after > chunk->owned + chunk->readable &&
        !attachment_is_there(&worker->plan->attached[PLAN_SAMPLED])) {
        worker->sampled_after -= chunk->owned;
        worker->method = plan_cheapest(&worker->prices, TRAWL_METHOD_SAMPLED);
        return TRAWL_OK;
    }
    if (worker->method != TRAWL_METHOD_SAMPLED) {
        engine_changed(chunk, 0, plan_method_name(worker->method),
                       worker->prices.of[worker->method], plan_method_name(TRAWL_METHOD_SAMPLED),
                       worker->prices.of[TRAWL_METHOD_SAMPLED], "its tables pay off by now");
        count_anew(worker);
    }
    worker->sampled_after = 0;
    worker->method = TRAWL_METHOD_SAMPLED;
    return sampled_want(worker->plan, &worker->sampled, error);
}

void worker_count(const struct scan *scan, uint64_t begin, uint64_t candidates, uint64_t passed,
                  uint64_t ns)
{
    struct cpu_worker *worker = scan->worker;
    const struct plan_costs *costs = worker->costs;
    uint64_t bytes = max_u64(scan->at, begin) - begin;
    double each =
        plan_price_bare(worker->plan, worker->tuning, costs, worker->method, worker->first_probes);

    if (worker->min <= 0)
        worker->min = plan_price_min(worker->plan, costs);
    worker->searched += bytes;
    worker->took += (double)ns;
    worker->priced += each * (double)bytes +
                      costs->candidate * (double)(scan->result->candidate_count - candidates) +
                      costs->compared * (double)(scan->passed - passed);
}

/* Returns true if a look before the next `bytes` bytes is worth the time that it takes. */
static bool is_due(const struct cpu_worker *worker, uint64_t bytes)
{
    double lost = min_double(worker->took, worker->priced) - worker->min * (double)worker->searched;

    return worker->look_left <= bytes &&
           (cpu_sizes.look_lost_ns <= 0 || worker->searched >= cpu_sizes.look_again ||
            (worker->searched > 0 &&
             lost * (1 + (double)bytes / (double)worker->searched) >= cpu_sizes.look_lost_ns));
}

enum trawl_status worker_look(struct cpu_worker *worker, const struct engine_chunk *chunk,
                              struct trawl_error *error)
{
    struct plan_tuning tuning = worker->plan->tuning;
    struct plan_prices prices;

    if (worker->sampled_after > 0 || worker->method == TRAWL_METHOD_SAMPLED)
        TRAWL_TRY(begin_sampled(worker, chunk, error));
    if (!is_due(worker, chunk->owned) || chunk->owned < PLAN_SAMPLE_BYTES_MIN) {
        if (worker->look_left != UINT64_MAX)
            worker->look_left -= min_u64(worker->look_left, chunk->owned);
        return TRAWL_OK;
    }
    worker->look_left = cpu_sizes.look_again;
    worker->makes++;
    tuning.sampled_took = worker->sampled_took;
    if (!plan_look_far(worker->plan, worker->costs, chunk->bytes, chunk->owned, &tuning, &prices))
        plan_look(worker->plan, worker->costs, worker->sample, worker_sample(worker, chunk),
                  &tuning, &prices);
    if (cpu_sizes.look_lost_ns <= 0 ||
        worker->took > prices.of[prices.min] * (double)worker->searched) {
        if (worker->method != prices.min)
            engine_changed(chunk, 0, plan_method_name(worker->method),
                           worker->took / (double)max_u64(worker->searched, 1),
                           plan_method_name(prices.min), prices.of[prices.min],
                           "expected in a sample of the text");
        worker->prices = prices;
        worker->own = tuning;
        worker->tuning = &worker->own;
        worker->method = prices.min;
        worker->sampled_after = 0;
        worker->sampled_took = 0;
        worker->min = prices.of[prices.min];
        if (worker->method == TRAWL_METHOD_SAMPLED) /* the look has built the tables */
            TRAWL_TRY(sampled_want(worker->plan, &worker->sampled, error));
        worker_probes_begin(worker);
    }
    count_anew(worker);
    return TRAWL_OK;
}

/* ---- All strategies ------------------------------------------------------------------------ */

/* Begins the plan's contest: which strategies may compete, and which searches first. */
static void contest_of(const struct trawl_plan *plan, const struct find_ops *find,
                       struct contest *contest)
{
    const struct contest_rules rules = {cpu_sizes.trial_bytes / 4 + 1, cpu_sizes.trial_bytes,
                                        TRIAL_NS, cpu_sizes.trial_advance};
    const struct plan_set_facts of = plan_set_facts_of(plan);
    const bool stems_pay = choice_stems_pay(plan, find);
    /* buckets search first if they cost no more than classes */
    const bool by_buckets = plan_has_strategy(plan, STRATEGY_BUCKETS) &&
                            (!plan_has_strategy(plan, STRATEGY_CLASSES) ||
                             (!stems_pay && plan_set_price(STRATEGY_BUCKETS, &of).byte_ns <=
                                                plan_set_price(STRATEGY_CLASSES, &of).byte_ns));
    uint32_t fits = plan->strategies;

    if (stems_pay) /* each part of rare words took longer than all the classes */
        fits &= ~(1u << STRATEGY_PARTS);
    contest_begin(contest, &rules, fits,
                  plan->method_asked == TRAWL_METHOD_AUTOMATON ? STRATEGY_AUTOMATON
                  : by_buckets                                 ? STRATEGY_BUCKETS
                                                               : STRATEGY_CLASSES);
    for (uint32_t i = 0; i < STRATEGIES; i++)
        contest->of[i].price = plan_set_price((enum strategy)i, &of);
}

/* Returns after how many bytes of text the "sampled" method has saved the time to build its
 * tables. */
static uint64_t tables_pay_after(const struct cpu_worker *worker)
{
    const struct plan_prices *prices = &worker->prices;
    double other = prices->of[plan_cheapest(prices, TRAWL_METHOD_SAMPLED)];
    double saved = other - prices->of[TRAWL_METHOD_SAMPLED];
    double bytes = ENTRY_NS * (double)sampled_stride(worker->plan->length_min) / saved;

    TRAWL_ASSERT(saved > 0);
    return (uint64_t)min_double(bytes, (double)(UINT64_MAX / 2));
}

void choice_begin(struct cpu_worker *worker)
{
    const struct trawl_plan *plan = worker->plan;
    /* If the caller chose no method and gave no sample, the worker may change a single literal's
     * method, depending on the text. */
    bool chooses = plan_is_one_literal(plan) && plan->method_asked == TRAWL_METHOD_AUTO &&
                   plan->algorithm.name == NULL && !plan->tuning.is_seen && plan->length_min > 1;

    worker->method = plan->method;
    worker->choose_classes = choice_classes;
    if (plan_is_one_literal(plan) && plan->method != TRAWL_METHOD_SET) {
        worker->prices = plan_price(plan, &plan->tuning, worker->costs);
        if (plan->method == TRAWL_METHOD_AUTO)
            worker->method = worker->prices.min;
    }
    worker->tuning = &plan->tuning;
    worker->look_left = chooses ? cpu_sizes.look_after : UINT64_MAX;
    worker->sampled_took = worker->min = 0;
    worker->has_begun = false;
    count_anew(worker);
    worker->sampled = NULL;
    worker->sampled_after = 0;
    if (worker->method == TRAWL_METHOD_SAMPLED && plan->method_asked == TRAWL_METHOD_AUTO &&
        !attachment_is_there(&plan->attached[PLAN_SAMPLED]))
        worker->sampled_after = tables_pay_after(worker);
    worker->dense_bytes = worker->dense_left = 0;
    worker->dense_by = STRATEGIES;
    worker->dense_waits = false;
    if (worker->dense_serial != plan->serial && plan->method == TRAWL_METHOD_SET) {
        worker->dense_work = worker->dense_searched = 0;
        contest_of(plan, worker->find, &worker->contest);
        worker->work_per_byte = max_u64(
            SET_WORK_PER_BYTE, (uint64_t)worker->contest.of[STRATEGY_AUTOMATON].price.byte_ns);
    }
    worker->dense_serial = plan->serial;
    for (uint32_t i = 0; i < CPU_PARTS; i++)
        if (worker->parts[i] != NULL)
            worker->parts[i]->of = NULL;
}

void scan_run(struct scan *scan)
{
    const struct cpu_worker *worker = scan->worker;

    if (worker->bytes_only && scan_bytes_fits(worker, scan->want)) {
        scan_bytes(scan);
        return;
    }
    while (scan_goes_on(scan))
        if (scan->work > scan->work_max)
            verify_linear(scan);
        else
            loops[worker->method](scan);
}
