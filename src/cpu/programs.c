/* programs: chooses the program (search loop) with which a worker of the host searches, and runs
 * it.
 *
 * For a single literal, the first program is chosen by the plan's expected costs (plan/choose.c).
 * The worker measures how much more time it takes than the cheapest program could. Once the
 * difference is as large as the time for a look, the worker looks at the text: it takes a sample,
 * computes the costs of all methods there, and continues with the cheapest.
 *
 * For sets, too, expected costs choose the first program. But which program is fastest depends on
 * the text, the strings and the caches, and cannot be predicted. So once other programs could save
 * more time than a tournament costs, all of these search pieces of the text in turn. A program that
 * is far slower leaves the tournament immediately. The fastest then continues until the next
 * tournament.
 */
#include "base/checked.h"
#include "base/clock.h"
#include "cpu/set_stems.h"
#include "cpu/worker.h"
#include "cpu/prices.def"

/* The search loop of each method, from methods.def. */
static void (*const programs[TRAWL_METHODS_COUNT])(struct scan *scan) = {
#define METHOD(name, literals, length_min, work, program) [TRAWL_METHOD_##name] = program,
#include "plan/methods.def"
};

/* The method of each program. */
static const enum trawl_method methods[PROGRAMS] = {
#define PROGRAM(name, method, may, there) TRAWL_METHOD_##method,
#include "plan/set_prices.def"
};

/* Returns true if there is text left to search. If the last program gave up (is_left), clears that,
 * so that the next one can continue. */
static bool scan_goes_on(struct scan *scan)
{
    if (scan->is_left)
        scan->over = scan->is_left = false;
    if (scan->over)
        return false;
    scan->at = max_u64(scan->at, scan->run_until);
    return scan->at < scan->limit && !scan_is_full(scan);
}

/* ---- Sets: the programs ---------------------------------------------------------------- */

void scan_automaton(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;
    uint64_t x = scan->at, left = worker->dense_left, to = x + min_u64(scan->limit - x, left);

    worker->work_spared = WORK_SPARED_MAX;
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
static void run_candidates(struct scan *scan, enum program program)
{
    struct cpu_worker *worker = scan->worker;
    enum program by = program != PROGRAM_AUTOMATON                    ? program
                      : plan_has_program(scan->plan, PROGRAM_BUCKETS) ? PROGRAM_BUCKETS
                                                                      : PROGRAM_CLASSES;

    if (worker->dense_by != program) /* dense_left was set by another program */
        worker->dense_left = program == PROGRAM_AUTOMATON ? UINT64_MAX : 0;
    worker->dense_by = program;
    scan->work_max = 0;
    while (scan_goes_on(scan))
        (worker->dense_left > 0 ? scan_automaton : programs[methods[by]])(scan);
}

/* Searches with the program. If it needs parts of the plan (sets of patterns that are searched in
 * turn) and there are none, the plan's first program takes its place for good. */
static void program_run(struct scan *scan, enum program program)
{
    struct tournament *tournament = &scan->worker->tournament;

    if (program >= PROGRAM_ALONE) {
        if (scan_parts(scan, program - PROGRAM_ALONE))
            return;
        tournament->fits &= ~(1u << program);
        tournament->open &= ~(1u << program);
        tournament->of[program].bytes = 0;
        tournament->now = program = tournament->first;
    }
    run_candidates(scan, program);
}

/* Returns the plan's parts that the program searches in turn. NULL if it searches no parts, or if
 * the worker has not prepared them. */
static const struct cpu_parts *parts_of(const struct cpu_worker *worker, enum program program)
{
    const struct cpu_parts *parts =
        program < PROGRAM_ALONE ? NULL : worker->parts[program - PROGRAM_ALONE];

    return parts != NULL && parts->of != NULL ? parts : NULL;
}

static bool has_tables(const struct cpu_worker *worker, enum program program)
{
    const bool there[PROGRAMS] = {
#define PROGRAM(name, method, may, there) there,
#include "plan/set_prices.def"
    };

    return there[program];
}

/* Returns true if the scan may skip the rest of a line or of an occurrence. */
static bool wants_few(const struct scan *scan)
{
    return scan->want != WANT_COUNT && scan->want != WANT_HITS;
}

/* Returns the program's expected cost in a text without candidates. */
static struct plan_set_price least_price(const struct scan *scan, enum program program)
{
    const struct cpu_worker *worker = scan->worker;
    struct plan_set_facts of = plan_set_facts_of(scan->plan);
    struct plan_set_price price = plan_set_price(program, &of);

    if (has_tables(worker, program))
        price.once_ns = 0;
    if (program == PROGRAM_BUCKETS && worker->tournament.first == PROGRAM_CLASSES &&
        !wants_few(scan))
        price.byte_ns = 1e300; /* the classes' tables exist already, and are usually faster */
    return price;
}

/* ---- Sets: the tournament -------------------------------------------------------------- */

static uint32_t bit_of(uint32_t program)
{
    return 1u << program;
}

/* Returns the program's measured ns per byte. */
static double rate_of(const struct tournament *own, uint32_t program)
{
    TRAWL_ASSERT(own->of[program].bytes > 0);
    return (double)max_u64(own->of[program].ns, 1) / (double)own->of[program].bytes;
}

/* Returns the fastest of the measured programs; the current one if none has been measured. */
static enum program fastest(const struct tournament *own)
{
    enum program best = own->now;

    for (uint32_t i = 0; i < PROGRAMS; i++)
        if (own->of[i].bytes > 0 &&
            (own->of[best].bytes == 0 || rate_of(own, i) < rate_of(own, best)))
            best = (enum program)i;
    return best;
}

/* Ends a tournament. The fastest program continues, or the one that searched before the tournament
 * if it is nearly as fast. Each measured program then rests: it is not compared again for a
 * while. */
static void tournament_choose(struct tournament *own)
{
    enum program best = fastest(own), before = own->before;

    if (own->of[before].bytes > 0 && rate_of(own, best) > AHEAD_SHARE * rate_of(own, before))
        best = before;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        double lost;

        if (own->of[i].bytes == 0)
            continue;
        lost = LOST_TIMES * (double)own->of[i].bytes * (rate_of(own, i) / rate_of(own, best) - 1);
        own->of[i].rest = (uint64_t)min_double(max_double(lost, REST_BYTES_MIN), 1ull << 62);
    }
    /* The winner's time in this tournament counts towards the next tournament. */
    own->spent = own->of[best].ns;
    own->searched = own->of[best].bytes;
    own->now = best;
    own->open = 0;
    own->left = 0;
}

/* Gives the turn to the program of the tournament that has searched the least text. Ends the
 * tournament if only one program is left, or if all have searched enough. */
static void next_turn(struct tournament *own)
{
    uint64_t enough = PIECES_MAX * cpu_sizes.trial_bytes;
    uint32_t next = own->now;

    for (uint32_t i = 1; i <= PROGRAMS; i++) {
        uint32_t program = (own->now + i) % PROGRAMS;

        if ((own->open & bit_of(program)) != 0 &&
            ((own->open & bit_of(next)) == 0 || own->of[program].bytes < own->of[next].bytes))
            next = program;
    }
    if ((own->open & (own->open - 1)) == 0 || own->of[next].bytes >= enough) {
        tournament_choose(own);
        return;
    }
    own->now = (enum program)next;
    own->step = 1;
    own->unsettled = 0;
    own->left = cpu_sizes.trial_bytes;
}

/* Removes programs from the tournament that are far slower than the fastest. */
static void leave(struct tournament *own)
{
    enum program best = fastest(own);

    for (uint32_t i = 0; i < PROGRAMS; i++)
        if (own->of[i].bytes > 0 && rate_of(own, i) > CLEAR_TIMES * rate_of(own, best))
            own->open &= ~bit_of(i);
}

/* Returns true if comparing the program is worth while. `took` are the current program's ns per
 * byte. */
static bool is_worth(const struct scan *scan, struct plan_set_price price, double took)
{
    const struct tournament *own = &scan->worker->tournament;
    double saved = took - price.byte_ns, rest = (double)(scan->loadable - scan->at);
    double cost = COST_TIMES * (COMPARE_NS + price.once_ns);

    return saved > SAVED_SHARE * took &&
           (saved * rest >= cost || (double)own->spent + (double)cpu_sizes.trial_advance >= cost);
}

/* Begins a tournament if some program is worth comparing. */
static void tournament_begin(struct scan *scan)
{
    struct tournament *own = &scan->worker->tournament;
    double took = (double)own->spent / (double)own->searched;
    uint32_t worth = 0;

    for (uint32_t i = 0; i < PROGRAMS; i++) {
        own->of[i].ns = own->of[i].bytes = 0;
        if (i != own->now && (own->fits & bit_of(i)) != 0 && own->of[i].rest == 0 &&
            is_worth(scan, least_price(scan, (enum program)i), took))
            worth |= bit_of(i);
    }
    if (worth == 0) {
        own->left = own->searched / 2; /* sooner, the time per byte would hardly be different */
        return;
    }
    own->open = worth | bit_of(own->now);
    own->before = own->now;
    next_turn(own);
}

/* Counts `bytes` bytes, which took the current program `ns`. Then starts a tournament, or gives the
 * turn to the next program, if that is due. `counts` is false if the program also built tables in
 * this time. */
static void tournament_count(struct scan *scan, uint64_t bytes, uint64_t ns, bool counts)
{
    struct tournament *own = &scan->worker->tournament;

    own->left -= min_u64(own->left, bytes);
    for (uint32_t i = 0; i < PROGRAMS; i++)
        own->of[i].rest -= min_u64(own->of[i].rest, bytes);
    if (own->open == 0) {
        if (own->is_warm && counts) {
            own->spent += ns;
            own->searched += bytes;
        }
        own->is_warm = true;
        if (own->left == 0 && own->searched > 0)
            tournament_begin(scan);
        return;
    }
    if (!counts && own->unsettled++ < UNSETTLED_PIECES_MAX) {
        own->step = 1; /* the turn starts again until the program's tables are built */
        own->left = cpu_sizes.trial_bytes;
        return;
    }
    /* The first piece of a turn brings the tables into the caches, so it is not counted. */
    if (own->step > 1) {
        own->of[own->now].ns += ns;
        own->of[own->now].bytes += bytes;
    }
    if (own->left > 0)
        return;
    own->left = cpu_sizes.trial_bytes;
    leave(own);
    if (++own->step > 1 + COUNTED_PIECES || (own->open & bit_of(own->now)) == 0 ||
        (own->open & (own->open - 1)) == 0)
        next_turn(own);
}

/* Returns how often tables were built or fetched, by the worker and, if the current program
 * searches parts in turn, by the parts' workers. A piece during which this number grows took longer
 * than later ones will. */
static uint64_t makes_of(const struct cpu_worker *worker)
{
    const struct cpu_parts *parts = parts_of(worker, worker->tournament.now);
    uint64_t makes = worker->makes;

    for (uint32_t i = 0; parts != NULL && i < parts->of->count; i++)
        makes += cpu_worker_of(parts->workers[i])->makes;
    return makes;
}

void scan_any_set(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;
    struct tournament *own = &worker->tournament;
    const uint64_t limit = scan->limit, bytes = limit - scan->at;

    /* Reading the clock takes as long as searching a few hundred bytes: 10 strings in texts of 4
     * KiB took 700 ns with the clock, and 500 ns without it. */
    bool is_short = own->open == 0 && bytes < cpu_sizes.trial_bytes &&
                    ++own->short_texts % SHORT_TIMED_TEXTS > 0;

    if (!own->is_warm && own->first == PROGRAM_CLASSES &&
        plan_has_program(scan->plan, PROGRAM_BUCKETS) && wants_few(scan))
        own->now = PROGRAM_BUCKETS;
    while (scan->at < limit && !scan->over) {
        /* parts that are searched one after another would find the first occurrence late, so the
         * first program searches instead */
        enum program program =
            scan->want == WANT_FIRST && own->now >= PROGRAM_ALONE ? own->first : own->now;
        bool goes_on = own->open != 0;
        uint64_t piece = goes_on ? own->left : max_u64(own->left, cpu_sizes.trial_bytes);
        uint64_t from = scan->at, ns, makes;

        if ((own->fits & (own->fits - 1)) == 0 || is_short || program != own->now) {
            scan->limit = limit;
            program_run(scan, program);
            return;
        }
        scan->limit = from + min_u64(limit - from, piece);
        makes = makes_of(worker);
        ns = clock_worked_ns();
        program_run(scan, program);
        ns = clock_worked_ns() - ns;
        if (scan->over || scan->at < scan->limit)
            break;
        tournament_count(scan, scan->at - from, ns, makes == makes_of(worker));
    }
    scan->limit = limit;
}

enum trawl_method scan_method(const struct cpu_worker *worker)
{
    if (worker->method != TRAWL_METHOD_SET)
        return worker->method;
    return worker->dense_left > 0 ? TRAWL_METHOD_AUTOMATON : methods[worker->tournament.now];
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
    if (worker->method != TRAWL_METHOD_SAMPLED)
        count_anew(worker);
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

    if (worker->least <= 0)
        worker->least = plan_price_least(worker->plan, costs);
    worker->searched += bytes;
    worker->took += (double)ns;
    worker->priced += each * (double)bytes +
                      costs->candidate * (double)(scan->result->candidate_count - candidates) +
                      costs->compared * (double)(scan->passed - passed);
}

/* Returns true if a look before the next `bytes` bytes is worth the time that it takes. */
static bool is_due(const struct cpu_worker *worker, uint64_t bytes)
{
    double lost =
        min_double(worker->took, worker->priced) - worker->least * (double)worker->searched;

    return worker->look_left <= bytes &&
           (cpu_sizes.look_lost_ns <= 0 || worker->searched >= cpu_sizes.look_again ||
            (worker->searched > 0 &&
             (lost * (1 + (double)bytes / (double)worker->searched) >= cpu_sizes.look_lost_ns ||
              (worker->looks_soon && lost > SAVED_SHARE * worker->took))));
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
    worker->looks_soon = false;
    worker->makes++;
    tuning.sampled_took = worker->sampled_took;
    if (!plan_look_far(worker->plan, worker->costs, chunk->bytes, chunk->owned, &tuning, &prices))
        plan_look(worker->plan, worker->costs, worker->sample, worker_sample(worker, chunk),
                  &tuning, &prices);
    if (cpu_sizes.look_lost_ns <= 0 ||
        worker->took > prices.of[prices.least] * (double)worker->searched) {
        worker->prices = prices;
        worker->own = tuning;
        worker->tuning = &worker->own;
        worker->method = prices.least;
        worker->sampled_after = 0;
        worker->sampled_took = 0;
        worker->least = prices.of[prices.least];
        if (worker->method == TRAWL_METHOD_SAMPLED) /* the look has built the tables */
            TRAWL_TRY(sampled_want(worker->plan, &worker->sampled, error));
        worker_probes_begin(worker);
    }
    count_anew(worker);
    return TRAWL_OK;
}

/* ---- All programs ------------------------------------------------------------------------ */

/* Returns true if a search begins with buckets: building their tables and searching the first text
 * costs less than with classes. `find` has the functions of the worker's instruction set. */
static bool begins_by_buckets(const struct trawl_plan *plan, const struct find_ops *find)
{
    struct plan_set_facts of = plan_set_facts_of(plan);
    struct plan_set_price buckets, classes;

    /* The cost of more than one class of lengths is ignored: with strings of mixed lengths, buckets
     * test too many positions anyway. */
    of.length_max = of.length_min;
    buckets = plan_set_price(PROGRAM_BUCKETS, &of);
    classes = plan_set_price(PROGRAM_CLASSES, &of);
    if (set_stems_pay(plan, find) && plan_has_program(plan, PROGRAM_CLASSES))
        return false;
    return plan_has_program(plan, PROGRAM_BUCKETS) &&
           (!plan_has_program(plan, PROGRAM_CLASSES) ||
            buckets.once_ns + buckets.byte_ns * FIRST_TEXT_BYTES <=
                classes.once_ns + classes.byte_ns * FIRST_TEXT_BYTES);
}

/* Returns the plan's tournament as it is before the search: which programs may compete, and which
 * searches first. */
static struct tournament tournament_of(const struct trawl_plan *plan, const struct find_ops *find)
{
    struct tournament made = {.fits = plan->programs, .left = cpu_sizes.trial_bytes};

    if (set_stems_pay(plan, find)) /* each part of rare words took longer than all the classes */
        made.fits &= ~bit_of(PROGRAM_PARTS);
    made.first = begins_by_buckets(plan, find) ? PROGRAM_BUCKETS : PROGRAM_CLASSES;
    if (plan->method_asked == TRAWL_METHOD_AUTOMATON)
        made.first = PROGRAM_AUTOMATON;
    made.now = made.first;
    return made;
}

/* Returns the work per byte of text above which candidates take longer than the automaton. */
static uint64_t dense_work_of(const struct trawl_plan *plan)
{
    struct plan_set_facts of = plan_set_facts_of(plan);
    double automaton_ns = plan_set_price(PROGRAM_AUTOMATON, &of).byte_ns;

    return max_u64(SET_WORK_PER_BYTE, (uint64_t)(WORK_PER_NS * automaton_ns));
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
    if (plan_is_one_literal(plan) && plan->method != TRAWL_METHOD_SET) {
        worker->prices = plan_price(plan, &plan->tuning, worker->costs);
        if (plan->method == TRAWL_METHOD_AUTO)
            worker->method = worker->prices.least;
    }
    worker->tuning = &plan->tuning;
    worker->look_left = chooses ? cpu_sizes.look_after : UINT64_MAX;
    worker->looks_soon = false;
    worker->sampled_took = worker->least = 0;
    worker->has_begun = false;
    count_anew(worker);
    worker->sampled = NULL;
    worker->sampled_after = 0;
    if (worker->method == TRAWL_METHOD_SAMPLED && plan->method_asked == TRAWL_METHOD_AUTO &&
        !attachment_is_there(&plan->attached[PLAN_SAMPLED]))
        worker->sampled_after = tables_pay_after(worker);
    worker->dense_bytes = 0;
    worker->dense_left = 0;
    worker->dense_by = PROGRAMS;
    worker->work_spared = WORK_SPARED_MAX;
    worker->dense_waits = false;
    if (worker->dense_serial != plan->serial && plan->method == TRAWL_METHOD_SET) {
        worker->dense_work = worker->dense_searched = 0;
        worker->work_per_byte = dense_work_of(plan);
        worker->tournament = tournament_of(plan, worker->find);
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
            programs[worker->method](scan);
}
