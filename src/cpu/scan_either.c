/* scan_either: searches method set by buckets or by classes, whichever takes less time on the text
 * at hand.
 *
 * Which way takes less time depends on the text, the strings and the caches, and cannot be
 * predicted. The plan says with which way to begin. Once this way has taken as much time as a trial
 * would, a trial begins: both ways search some steps of text in turn. The faster way then goes on
 * until the next trial.
 */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "cpu/worker.h"

#define INTERVAL_MIN (8u << 20)
#define INTERVAL_MAX (256u << 20)
/* a way takes over if it takes less than 0.94 of the time of the current way */
#define AHEAD 0.94
#define CLEAR 1.5
/* Until a trial begins, the search estimates its own time: filters take 1 ns per BYTES_OF_NIBBLES
 * or BYTES_OF_BITMAP bytes of text, a position that passes takes PASSED_NS, and a unit of work
 * takes 1 ns. A trial takes TRIAL_NS, plus TABLES_LITERAL_NS per literal if the tables of classes
 * are still to be made. */
#define TRIAL_NS (256u << 10)
#define TABLES_LITERAL_NS 128u
#define BYTES_OF_NIBBLES 8u
#define BYTES_OF_BITMAP 2u
#define PASSED_NS 4u

/* Returns the time of a trial's steps by a way, times the bytes of the other way. So the results
 * for both ways can be compared. */
static double taken(const struct set_trial *trial, bool by_classes)
{
    return (double)trial->ns[by_classes] * (double)trial->bytes[!by_classes];
}

/* Returns, after half of a trial, whether a way is far ahead. */
static bool is_clear(const struct set_trial *trial)
{
    double buckets = taken(trial, false), classes = taken(trial, true);

    return buckets > CLEAR * classes || classes > CLEAR * buckets;
}

/* Ends a trial: chooses the faster way, and when the next trial is due. */
static void choose(struct set_trial *trial)
{
    bool now = trial->by_classes, turns = taken(trial, !now) < AHEAD * taken(trial, now);

    TRAWL_ASSERT(trial->step > TRIAL_STEPS / 2 && trial->spent > 0);
    trial->interval =
        turns || trial->interval == 0 ? INTERVAL_MIN : min_u64(2 * trial->interval, INTERVAL_MAX);
    trial->by_classes = now ^ turns;
    trial->left = trial->interval;
    trial->step = 0;
    trial->spent = 0;
}

static uint64_t tables_ns(const struct engine_worker *worker)
{
    return worker->matcher != NULL ? 0 : worker->plan->literal_count * TABLES_LITERAL_NS;
}

/* Counts `bytes` of text that took `ns` by the clock (in a trial) or `spent` by estimate, and moves
 * the trial on. */
static void count(struct scan *scan, uint64_t bytes, uint64_t ns, uint64_t spent)
{
    struct set_trial *trial = &scan->worker->trial;

    trial->left -= min_u64(trial->left, bytes);
    if (trial->step == 0) {
        trial->spent += spent;
        if (trial->left > 0 || trial->spent < TRIAL_NS + tables_ns(scan->worker))
            return;
        memset(trial->ns, 0, sizeof trial->ns);
        memset(trial->bytes, 0, sizeof trial->bytes);
    } else {
        /* the first step of a turn only brought the tables into the caches */
        if (trial->step % TRIAL_TURN != 1) {
            trial->ns[trial->by_classes] += ns;
            trial->bytes[trial->by_classes] += bytes;
        }
        if (trial->left > 0)
            return;
    }
    if (trial->step % TRIAL_TURN == 0) {
        trial->by_classes ^= trial->step > 0;
        scan->worker->dense_left = 0; /* the automaton belongs to the way that switched to it */
    }
    trial->step++;
    trial->left = cpu_sizes.trial_bytes;
    if (trial->step > TRIAL_STEPS || (trial->step == TRIAL_STEPS / 2 + 1 && is_clear(trial)))
        choose(trial);
}

static void classes(struct scan *scan)
{
    if (scan->worker->matcher == NULL)
        scan->status = classes_begin(scan);
    scan->over = scan->status != TRAWL_OK;
    if (!scan->over)
        scan_classes(scan);
}

void scan_either(struct scan *scan)
{
    struct set_trial *trial = &scan->worker->trial;
    const uint64_t limit = scan->limit;

    while (!scan->over && scan->at < limit && !scan_is_full(scan)) {
        uint64_t begin = max_u64(scan->at, scan->run_until), work = scan->work,
                 passed = scan->passed, took;
        uint64_t bytes =
                     trial->step > 0 ? trial->left : max_u64(trial->left, cpu_sizes.trial_bytes),
                 ns = 0;

        scan->at = begin;
        if (scan->plan->has_either && begin < limit && limit - begin > bytes)
            scan->limit = begin + bytes;
        if (trial->step > 0)
            ns = clock_worked_ns();
        if (trial->by_classes)
            classes(scan);
        else
            scan_set(scan);
        if (trial->step > 0)
            ns = clock_worked_ns() - ns;
        scan->limit = limit;
        took = max_u64(scan->at, scan->run_until) - begin;
        if (scan->plan->has_either)
            count(scan, took, ns,
                  took / (scan->plan->literal_count <= PLAN_NIBBLE_LITERALS_MAX ? BYTES_OF_NIBBLES
                                                                                : BYTES_OF_BITMAP) +
                      PASSED_NS * (scan->passed - passed) + scan->work - work);
    }
}
