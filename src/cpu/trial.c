/* trial: runs two programs in turn, and goes on with the faster program. */
#include "cpu/trial.h"

#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "cpu/worker.h"

#define INTERVAL_MIN (1u << 20)
#define INTERVAL_MAX (256u << 20)
/* a program takes over if it takes less than 0.94 of the time of the current program */
#define AHEAD 0.94
/* a trial ends early if a program takes CLEAR times as long as the other program after a turn, or
 * CLEAR_SOONER times as long after any step */
#define CLEAR 1.5
#define CLEAR_SOONER 2.0
/* the next trial comes after LOST_SHARE times the time that the slower program lost */
#define LOST_SHARE 256.0
#define SHORT_TIMED 16u /* between trials, the clock is read for one of so many short texts */
/* A trial costs about TRIAL_NS, plus the pair's once_ns. A trial begins if the other program could
 * save REST_PAYS times the cost in the rest of the text, or once the search has taken SPENT_PAYS
 * times the cost, because more text may follow than is known. */
#define TRIAL_NS (64u << 10)
#define REST_PAYS 2.0
#define SPENT_PAYS 4.0
#define FRESH_STEPS 8u /* a search of at most so many steps has just begun */

/* Returns the time that a program took in a trial, times the bytes that the other program searched,
 * so that the results for both programs can be compared. */
static double taken(const struct trial *trial, uint32_t which)
{
    return (double)trial->ns[which] * (double)trial->bytes[1 - which];
}

/* Returns whether a program is so far ahead that the trial may end early. */
static bool is_clear(const struct trial *trial)
{
    double clear = trial->step % TRIAL_TURN == 1 ? CLEAR : CLEAR_SOONER;

    return trial->step > TRIAL_TURN + 2 &&
           (taken(trial, 0) > clear * taken(trial, 1) || taken(trial, 1) > clear * taken(trial, 0));
}

/* Returns for how many bytes the faster program has to search until the time that the slower
 * program lost in the trial is a small share. */
static uint64_t pays_after(const struct trial *trial)
{
    double least = max_double(taken(trial, trial->now), 1);
    double lost = taken(trial, 1 - trial->now) / least - 1;

    double bytes = LOST_SHARE * max_double(lost, 0) * (double)trial->bytes[trial->now];

    return (uint64_t)min_double(bytes, (double)(UINT64_MAX / 2));
}

/* Ends a trial: chooses the faster program, and when the next trial is due. */
static void choose(struct trial *trial)
{
    bool turns = taken(trial, 1 - trial->now) < AHEAD * taken(trial, trial->now);

    trial->interval =
        turns || trial->interval == 0 ? INTERVAL_MIN : min_u64(2 * trial->interval, INTERVAL_MAX);
    trial->now ^= turns;
    trial->interval = max_u64(trial->interval, pays_after(trial));
    trial->left = trial->interval;
    trial->step = 0;
    trial->spent = trial->searched = trial->advance = 0;
}

/* Counts `bytes` of text that took `ns` before a trial, up to the position `at`. Returns whether a
 * trial begins. */
static bool begins(struct trial *trial, const struct trial_pair *pair, uint64_t at, uint64_t bytes,
                   uint64_t ns)
{
    const double cost = TRIAL_NS + (double)pair->once_ns;
    double took, rest;

    if (trial->is_warm) {
        trial->spent += ns;
        trial->searched += bytes;
    }
    trial->is_warm = true;
    for (uint32_t i = 0; i < 2; i++)
        if (pair->inner[i] != NULL && pair->inner[i]->step > 0) {
            trial->spent = trial->searched = 0;
            trial->is_warm = false; /* the step after the inner trial does not count either */
        }
    if (trial->left > 0 || trial->searched == 0)
        return false;
    took = (double)trial->spent / (double)trial->searched;
    rest = (double)(max_u64(pair->text_end, at) - at);
    if ((trial->now == 1 || took >= pair->least_ns) &&
        ((took - pair->price_ns) * rest >= REST_PAYS * cost ||
         (double)trial->spent + (double)trial->advance >= SPENT_PAYS * cost))
        return true;
    trial->left = trial->searched / 2; /* until then, a look at the clock would tell little */
    return false;
}

/* Counts `bytes` of text, up to the position `at`, that took `ns`, and moves the trial on. */
static void count(struct trial *trial, const struct trial_pair *pair, uint64_t at, uint64_t bytes,
                  uint64_t ns)
{
    trial->left -= min_u64(trial->left, bytes);
    if (trial->step == 0) {
        if (!begins(trial, pair, at, bytes, ns))
            return;
        memset(trial->ns, 0, sizeof trial->ns);
        memset(trial->bytes, 0, sizeof trial->bytes);
        /* If the search has just begun, its time so far is the program's first turn. */
        if (trial->searched <= FRESH_STEPS * cpu_sizes.trial_bytes) {
            trial->ns[trial->now] = trial->spent;
            trial->bytes[trial->now] = trial->searched;
            trial->step = TRIAL_TURN;
        }
    } else {
        /* the first step of a turn only brought the tables into the caches */
        if (trial->step % TRIAL_TURN != 1) {
            trial->ns[trial->now] += ns;
            trial->bytes[trial->now] += bytes;
        }
        if (trial->left > 0)
            return;
    }
    if (trial->step % TRIAL_TURN == 0)
        trial->now ^= trial->step > 0;
    trial->step++;
    trial->left = cpu_sizes.trial_bytes;
    if (trial->step == TRIAL_TURN + 1 && trial->now == 1)
        trial->left = max_u64(trial->left, pair->warm_bytes);
    if (trial->step > TRIAL_STEPS || is_clear(trial))
        choose(trial);
}

void trial_run(struct trial *trial, const struct trial_pair *pair, uint64_t from, uint64_t to)
{
    /* Reading the clock takes as long as searching a text of some hundred bytes, and trials lie
     * inside trials: 10 strings in pieces of 4 KiB took 700 ns with the clock, 500 ns without. */
    if (trial->step == 0 && to - from < cpu_sizes.trial_bytes &&
        ++trial->short_texts % SHORT_TIMED > 0) {
        (void)pair->run(pair->state, trial->now, from, to);
        return;
    }
    while (from < to) {
        bool goes_on = trial->step > 0;
        uint64_t (*clock)(void) = goes_on ? clock_worked_ns : clock_now_ns;
        uint64_t bytes = goes_on ? trial->left : max_u64(trial->left, cpu_sizes.trial_bytes);
        uint64_t end = from + min_u64(to - from, bytes), ns = clock(), at;

        at = pair->run(pair->state, trial->now, from, end);
        if (at < end)
            return;
        count(trial, pair, at, at - from, clock() - ns);
        from = at;
    }
}
