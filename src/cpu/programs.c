/* programs: the table of programs for sets, and runs a scan by the program that its worker chose.
 */
#include <float.h>

#include "base/checked.h"
#include "cpu/worker.h"
#include "cpu/prices.def"

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

/* ---- Sets --------------------------------------------------------------------------------- */

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

/* Searches by candidates, and by the automaton where candidates are dense. */
static void run_candidates(struct scan *scan, enum program program, void (*run)(struct scan *))
{
    struct engine_worker *worker = scan->worker;

    if (worker->dense_by != program) /* the automaton belongs to the program that left the text */
        worker->dense_left = program == PROGRAM_AUTOMATON ? UINT64_MAX : 0;
    worker->dense_by = program;
    scan->work_max = 0;
    while (goes_on(scan)) {
        if (worker->dense_left > 0)
            scan_automaton(scan);
        else
            run(scan);
    }
}

static void run_buckets(struct scan *scan)
{
    run_candidates(scan, PROGRAM_BUCKETS, scan_set);
}

static void run_classes(struct scan *scan)
{
    run_candidates(scan, PROGRAM_CLASSES, scan_classes);
}

static void run_automaton(struct scan *scan)
{
    run_candidates(scan, PROGRAM_AUTOMATON, scan->plan->has_buckets ? scan_set : scan_classes);
}

/* Searches by parts. If the plan has none, the first program searches, now and later. */
static void run_parts(struct scan *scan, enum plan_attachment which, struct cpu_parts **parts)
{
    struct tournament *tournament = &scan->worker->tournament;

    if (scan_parts(scan, which, parts))
        return;
    tournament->fits &= ~(1u << tournament->now);
    tournament->open &= ~(1u << tournament->now);
    tournament->of[tournament->now].bytes = 0;
    tournament->now = tournament->first;
    (tournament->first == PROGRAM_CLASSES ? run_classes : run_buckets)(scan);
}

static void run_alone(struct scan *scan)
{
    run_parts(scan, PLAN_ALONE, &scan->worker->alone);
}

static void run_cut(struct scan *scan)
{
    run_parts(scan, PLAN_PARTS_HOST, &scan->worker->parts);
}

static bool parts_are_made(const struct cpu_parts *parts)
{
    return parts != NULL && parts->of != NULL;
}

/* The rows of set_programs.def. */
static const struct {
    enum trawl_method method;
    void (*run)(struct scan *scan);
    double once, once_literal, once_byte, count, hits, literal, byte;
} rows[PROGRAMS] = {
#define PROGRAM(name, method, run, tables, ...) \
    [PROGRAM_##name] = {TRAWL_METHOD_##method, run, __VA_ARGS__},
#include "cpu/set_programs.def"
#undef PROGRAM
};

static bool has_tables(const struct engine_worker *worker, enum program program)
{
    const bool made[PROGRAMS] = {
#define PROGRAM(name, method, run, tables, ...) [PROGRAM_##name] = (tables),
#include "cpu/set_programs.def"
#undef PROGRAM
    };

    return made[program];
}

/* Returns whether the scan may pass over the rest of a line or of an occurrence. */
static bool wants_few(const struct scan *scan)
{
    return scan->want != WANT_COUNT && scan->want != WANT_HITS;
}

static struct price least_price(const struct scan *scan, enum program program)
{
    const struct engine_worker *worker = scan->worker;
    const struct tournament *own = &worker->tournament;
    double literals = scan->plan->literal_count, bytes = (double)scan->plan->literal_bytes_total;
    double buckets_ns = (double)own->of[PROGRAM_BUCKETS].ns;
    struct price price = {0, rows[program].literal * literals + rows[program].byte * bytes};

    if (!has_tables(worker, program))
        price.once_ns = rows[program].once + rows[program].once_literal * literals +
                        rows[program].once_byte * bytes;
    price.byte_ns += scan->want == WANT_COUNT ? rows[program].count : rows[program].hits;
    if (program == PROGRAM_BUCKETS && literals > BUCKETS_MANY && !wants_few(scan))
        price.byte_ns = DBL_MAX;
    if (program == PROGRAM_CLASSES && own->of[PROGRAM_BUCKETS].bytes > 0)
        price.byte_ns = max_double(price.byte_ns, CLASSES_SHARE * buckets_ns /
                                                      (double)own->of[PROGRAM_BUCKETS].bytes);
    return price;
}

static void run(struct scan *scan, enum program program)
{
    rows[program].run(scan);
}

void scan_any_set(struct scan *scan)
{
    struct tournament *own = &scan->worker->tournament;

    if (!own->is_warm && own->first == PROGRAM_CLASSES && scan->plan->has_buckets &&
        wants_few(scan))
        own->now = PROGRAM_BUCKETS;
    tournament_run(scan, least_price, run);
}

enum trawl_method scan_method(const struct engine_worker *worker)
{
    if (worker->method != TRAWL_METHOD_SET)
        return worker->method;
    return worker->dense_left > 0 ? TRAWL_METHOD_AUTOMATON : rows[worker->tournament.now].method;
}

/* The rows of methods.def, by method. */
static void (*const programs[TRAWL_METHODS_COUNT])(struct scan *scan) = {
#define METHOD(name, literals, length_min, work, program) [TRAWL_METHOD_##name] = program,
#include "plan/methods.def"
};

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
