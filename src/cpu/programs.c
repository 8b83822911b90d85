/* programs: the table of programs for sets, and runs a scan by the program that its worker chose.
 */
#include "base/checked.h"
#include "cpu/worker.h"

/* Time to make tables: of buckets, of classes, and of parts, once and for each literal, in ns. */
#define BUCKETS_LITERAL_NS 256.0
#define CLASSES_NS 65536.0
#define CLASSES_LITERAL_NS 256.0
#define PART_NS 8192.0
#define PARTS_NS 65536.0
#define PARTS_LITERAL_NS 512.0
/* The least time of the programs, in ns per byte of text. For the automaton: if its rows lie in the
 * first-level cache, if the scan only counts, and if it keeps hits; and for each byte of the
 * literals, since the more rows, the fewer lie in that cache. */
#define BUCKETS_FLOOR 0.05
#define CLASSES_FLOOR 0.1
#define CLASSES_SHARE 0.06 /* of the time of buckets, if these were compared */
#define AUTOMATON_COUNT_NS 0.6
#define AUTOMATON_NS 1.6
#define AUTOMATON_LITERAL_NS 5e-6
#define ALONE_FLOOR 0.035 /* for each pattern */
/* of few patterns; what many patterns add, and how many add half of that */
#define PARTS_FLOOR 0.1
#define PARTS_MANY 0.3
#define PARTS_MANY_HALF 200.0

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

static double buckets_once(const struct engine_worker *worker)
{
    return worker->set != NULL ? 0 : BUCKETS_LITERAL_NS * worker->plan->literal_count;
}

static double classes_once(const struct engine_worker *worker)
{
    return worker->matcher != NULL ? 0
                                   : CLASSES_NS + CLASSES_LITERAL_NS * worker->plan->literal_count;
}

static double automaton_once(const struct engine_worker *worker)
{
    return dense_is_there(worker->plan) ? 0 : (double)dense_make_work(worker->plan);
}

static double alone_once(const struct engine_worker *worker)
{
    return worker->alone != NULL && worker->alone->of != NULL
               ? 0
               : PART_NS * (double)worker->plan->pattern_count;
}

static double parts_once(const struct engine_worker *worker)
{
    return worker->parts != NULL && worker->parts->of != NULL
               ? 0
               : PARTS_NS + PARTS_LITERAL_NS * worker->plan->literal_count;
}

static double buckets_floor(const struct scan *scan)
{
    (void)scan;
    return BUCKETS_FLOOR;
}

static double classes_floor(const struct scan *scan)
{
    const struct tournament *own = &scan->worker->tournament;
    uint64_t bytes = own->of[PROGRAM_BUCKETS].bytes;
    double took = bytes == 0 ? 0 : (double)own->of[PROGRAM_BUCKETS].ns / (double)bytes;

    return max_double(CLASSES_FLOOR, CLASSES_SHARE * took);
}

static double automaton_floor(const struct scan *scan)
{
    return (scan->want == WANT_COUNT ? AUTOMATON_COUNT_NS : AUTOMATON_NS) +
           AUTOMATON_LITERAL_NS * (double)scan->plan->literal_bytes_total;
}

static double alone_floor(const struct scan *scan)
{
    return ALONE_FLOOR * (double)scan->plan->pattern_count;
}

static double parts_floor(const struct scan *scan)
{
    double count = (double)scan->plan->pattern_count;

    return PARTS_FLOOR + PARTS_MANY * count / (count + PARTS_MANY_HALF);
}

static const struct program_row rows[PROGRAMS] = {
    [PROGRAM_BUCKETS] = {buckets_once, buckets_floor, run_buckets},
    [PROGRAM_CLASSES] = {classes_once, classes_floor, run_classes},
    [PROGRAM_AUTOMATON] = {automaton_once, automaton_floor, run_automaton},
    [PROGRAM_ALONE] = {alone_once, alone_floor, run_alone},
    [PROGRAM_PARTS] = {parts_once, parts_floor, run_cut},
};

void scan_any_set(struct scan *scan)
{
    if (!scan->worker->tournament.is_warm)
        choice_begin_set(scan);
    tournament_run(scan, rows);
}

enum trawl_method scan_method(const struct engine_worker *worker)
{
    static const enum trawl_method methods[PROGRAMS] = {
        [PROGRAM_BUCKETS] = TRAWL_METHOD_BUCKETS,     [PROGRAM_CLASSES] = TRAWL_METHOD_CLASSES,
        [PROGRAM_AUTOMATON] = TRAWL_METHOD_AUTOMATON, [PROGRAM_ALONE] = TRAWL_METHOD_SET,
        [PROGRAM_PARTS] = TRAWL_METHOD_SET,
    };

    if (worker->method != TRAWL_METHOD_SET)
        return worker->method;
    return worker->dense_left > 0 ? TRAWL_METHOD_AUTOMATON : methods[worker->tournament.now];
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
