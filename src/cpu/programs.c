/* programs: runs a scan by the programs that its worker chose (choice.c), and by trials. */
#include "base/checked.h"
#include "cpu/worker.h"

/* Time to make the tables of classes: once, and for each literal. */
#define TABLES_NS (64u << 10)
#define TABLES_LITERAL_NS 128u
/* The least time of the automaton, in ns per byte, if its rows lie in the first-level cache: if the
 * scan only counts, and if it keeps hits. */
#define AUTOMATON_COUNT_NS 0.6
#define AUTOMATON_NS 1.6
/* More time of the automaton, in ns per byte of text, for each byte of the literals: the more rows,
 * the fewer lie in that cache. */
#define AUTOMATON_LITERAL_NS 4e-5
/* This factor multiplies the automaton's price before buckets and classes were tried, because the
 * other of the two may be faster, too. */
#define FIRST_PRICE 2.0

/* Returns whether text is left for a program. */
static bool goes_on(struct scan *scan)
{
    if (scan->is_left)
        scan->over = scan->is_left = false;
    if (scan->over)
        return false;
    scan->at = max_u64(scan->at, scan->run_until);
    return scan->at < scan->limit && !scan_is_full(scan);
}

/* ---- Sets: buckets or classes, and the automaton after both -------------------------------- */

void scan_automaton(struct scan *scan)
{
    struct engine_worker *worker = scan->worker;
    uint64_t x = scan->at, left = worker->dense_left, to = x + min_u64(scan->limit - x, left);

    worker->work_spared = WORK_SPARED_MAX;
    worker->dense_left = 0;
    if (!scan_dense(scan, x, to)) {
        scan->work_max = UINT64_MAX; /* without the automaton, only candidates are left */
        return;
    }
    TRAWL_ASSERT(scan->over || scan->at >= to);
    scan->run_until = max_u64(scan->run_until, scan->at);
    worker->dense_left = left - min_u64(scan->run_until - x, left);
}

/* The rows of methods.def, by method. */
static void (*const programs[TRAWL_METHODS_COUNT])(struct scan *scan) = {
#define METHOD(name, literals, length_min, work, program) [TRAWL_METHOD_##name] = program,
#include "plan/methods.def"
};

enum trawl_method scan_method(const struct engine_worker *worker)
{
    if (worker->method != TRAWL_METHOD_SET)
        return worker->method;
    if (worker->dense_left > 0)
        return TRAWL_METHOD_AUTOMATON;
    return worker->trial.now == 1 ? TRAWL_METHOD_CLASSES : TRAWL_METHOD_BUCKETS;
}

/* Searches the begins in [from, to) by buckets or by classes, and by the automaton where the text
 * is dense. */
static uint64_t run_set(void *state, uint32_t by_classes, uint64_t from, uint64_t to)
{
    struct scan *scan = (struct scan *)state;
    struct engine_worker *worker = scan->worker;
    const uint64_t limit = scan->limit;

    TRAWL_ASSERT(by_classes == worker->trial.now);
    if (worker->dense_by_classes != by_classes)
        worker->dense_left = 0; /* the automaton belongs to the program that left the text */
    worker->dense_by_classes = by_classes;
    scan->work_max = 0;
    scan->at = from;
    scan->limit = to;
    while (goes_on(scan))
        programs[scan_method(worker)](scan);
    scan->limit = limit;
    return scan->over ? from : scan->at;
}

/* Searches the begins in [from, to) by the automaton alone, or by candidates: buckets and classes
 * in turn. */
static uint64_t run_either(void *state, uint32_t by_automaton, uint64_t from, uint64_t to)
{
    struct scan *scan = (struct scan *)state;
    struct engine_worker *worker = scan->worker;
    const uint64_t limit = scan->limit;
    const struct trial_pair pair = {.run = run_set,
                                    .state = scan,
                                    .text_end = scan->loadable,
                                    .once_ns = worker->matcher == NULL
                                                   ? TABLES_NS + scan->plan->literal_count *
                                                                     TABLES_LITERAL_NS
                                                   : 0};
    uint64_t at;

    if (by_automaton == 1) {
        worker->dense_by_classes = worker->trial.now == 1;
        worker->dense_left = UINT64_MAX;
        at = run_set(scan, worker->trial.now, from, to);
        worker->dense_left = 0;
        return at;
    }
    /* The first trial times the automaton against one program, not against a trial of two. */
    if (!scan->plan->has_either || (worker->set_trial.step > 0 && worker->set_trial.interval == 0))
        return run_set(scan, worker->trial.now, from, to);
    scan->limit = to;
    trial_run(&worker->trial, &pair, from, to);
    scan->limit = limit;
    return scan->over ? from : scan->at;
}

void scan_any_set(struct scan *scan)
{
    struct engine_worker *worker = scan->worker;
    const double least_ns = scan->want == WANT_COUNT ? AUTOMATON_COUNT_NS : AUTOMATON_NS;
    const double bytes = (double)scan->plan->literal_bytes_total;
    struct trial_pair pair = {.run = run_either,
                              .state = scan,
                              .text_end = scan->loadable,
                              .once_ns =
                                  dense_is_there(scan->plan) ? 0 : dense_make_work(scan->plan),
                              .price_ns = least_ns + AUTOMATON_LITERAL_NS * bytes,
                              .least_ns = least_ns,
                              .inner = {&worker->trial}};

    choice_begin_set(scan);
    if (scan->plan->has_either && worker->trial.interval == 0 && worker->trial.now == 0)
        pair.price_ns *= FIRST_PRICE;
    if (scan->plan->has_automaton)
        trial_run(&worker->set_trial, &pair, scan->at, scan->limit);
    else
        (void)run_either(scan, 0, scan->at, scan->limit);
}

/* ---- All programs ---------------------------------------------------------------------------- */

void scan_run(struct scan *scan)
{
    const struct engine_worker *worker = scan->worker;

    if (worker->bytes_only && scan_bytes_fits(worker, scan->want)) {
        scan_bytes(scan);
        return;
    }
    while (goes_on(scan))
        if (scan->work > scan->work_max)
            verify_linear(scan);
        else
            programs[worker->method](scan);
}
