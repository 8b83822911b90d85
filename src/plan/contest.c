/* contest: compares contestants by turns (contest.h). */
#include "plan/contest.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "plan/contest.def"

static uint32_t bit_of(uint32_t contestant)
{
    return 1u << contestant;
}

/* Returns the contestant's ns per byte in the current trial. */
static double rate_of(const struct contest *contest, uint32_t contestant)
{
    TRAWL_ASSERT(contest->of[contestant].bytes > 0);
    return (double)max_u64(contest->of[contestant].ns, 1) / (double)contest->of[contestant].bytes;
}

/* Returns the fastest of the contestants of the current trial. */
static uint32_t fastest(const struct contest *contest)
{
    uint32_t best = contest->before;

    for (uint32_t i = 0; i < CONTEST_MAX; i++)
        if (contest->of[i].bytes > 0 &&
            (contest->of[best].bytes == 0 || rate_of(contest, i) < rate_of(contest, best)))
            best = i;
    return best;
}

/* Ends a trial: chooses the contestant that goes on, and how long the others rest. The first part
 * of a text may be unlike the rest, so none rests much longer than the search has lasted. */
static void choose(struct contest *contest)
{
    const uint32_t first = fastest(contest), before = contest->before;
    const bool is_behind = contest->of[before].bytes == 0 ||
                           rate_of(contest, first) < AHEAD_SHARE * rate_of(contest, before);
    const uint32_t best = is_behind ? first : before;
    const double rest =
        (double)min_u64(REST_TURNS * contest->rules.trial_bytes, contest->all_bytes);
    double min;

    contest->now = best;
    contest->left = 0;
    if (contest->of[best].bytes == 0) /* the others were dropped */
        return;
    min = rate_of(contest, first);
    for (uint32_t i = 0; i < CONTEST_MAX; i++) {
        if (contest->of[i].bytes == 0)
            continue;
        contest->of[i].price.once_ns = 0; /* its tables are there */
        contest->of[i].rest = (uint64_t)min_double(rest * (rate_of(contest, i) / min), 1e18);
    }
    /* the winner's time in this trial counts towards the next one */
    contest->spent = contest->recent_ns = contest->of[best].ns;
    contest->searched = contest->recent_bytes = contest->of[best].bytes;
    contest->won = rate_of(contest, best);
}

/* Gives the turn to the trial's next contestant, or ends the trial. */
static void next_turn(struct contest *contest)
{
    contest->counts = false;
    contest->left = contest->rules.warm_bytes;
    if (contest->open == 0)
        choose(contest);
    else if ((contest->open & bit_of(contest->before)) != 0)
        contest->now = contest->before;
    else
        contest->now = (uint32_t)__builtin_ctz(contest->open);
}

/* Returns true if trying the contestant is worth while. `took` are the present contestant's ns per
 * byte. */
static bool is_worth(const struct contest *contest, uint32_t contestant, double took, uint64_t rest)
{
    const struct price *price = &contest->of[contestant].price;
    double cost = COST_TIMES * (contest->rules.trial_ns + price->once_ns);
    double spent = (double)contest->spent + (double)contest->rules.advance_ns;

    return price->byte_ns < CONTEST_WORTH_SHARE * took && spent >= contest->rules.trial_ns &&
           ((took - price->byte_ns) * (double)rest >= cost || spent >= cost);
}

/* Begins a trial if some contestant is worth trying. If the last winner has become slow, the text
 * has changed, and no contestant rests. */
static void begin(struct contest *contest, uint64_t rest)
{
    const double took = (double)max_u64(contest->recent_ns, 1) / (double)contest->recent_bytes;
    uint32_t worth = 0;

    contest->is_change = contest->won > 0 && took > CHANGED_TIMES * contest->won;
    for (uint32_t i = 0; i < CONTEST_MAX; i++) {
        contest->of[i].ns = contest->of[i].bytes = 0;
        if (i != contest->now && (contest->fits & bit_of(i)) != 0 &&
            (contest->of[i].rest == 0 || contest->is_change) && is_worth(contest, i, took, rest))
            worth |= bit_of(i);
    }
    if (worth == 0) { /* sooner, the time per byte would hardly be different */
        double piece = PIECE_TIMES * contest->rules.trial_ns / took;

        contest->left = min_u64(contest->searched / 2,
                                (uint64_t)min_double(max_double(piece, RECENT_BYTES / 2.0), 1e18));
        return;
    }
    contest->before = contest->now;
    contest->open = worth;
    /* The present contestant needs no turn, except where the text has changed, or where it only
     * seems so because the thread was interrupted. */
    if (contest->is_change)
        contest->open |= bit_of(contest->now);
    contest->of[contest->now].ns = contest->is_change ? 0 : contest->recent_ns;
    contest->of[contest->now].bytes = contest->is_change ? 0 : contest->recent_bytes;
    next_turn(contest);
}

/* Counts the time of the present contestant outside of trials. */
static void count_present(struct contest *contest, uint64_t bytes, uint64_t ns, uint64_t rest)
{
    if (contest->recent_bytes >= RECENT_BYTES) {
        contest->recent_ns /= 2;
        contest->recent_bytes /= 2;
    }
    contest->spent += ns;
    contest->recent_ns += ns;
    contest->searched += bytes;
    contest->recent_bytes += bytes;
    if ((contest->left == 0 || contest_is_due(contest, ns)) && contest->searched > 0)
        begin(contest, rest);
}

/* After a trial: returns true and fills *change if another contestant won it than the one
 * that searched before it. */
static bool changed(const struct contest *contest, struct contest_change *change)
{
    if (contest->now == contest->before)
        return false;
    *change = (struct contest_change){
        contest->before, contest->now,
        contest->of[contest->before].bytes > 0 ? rate_of(contest, contest->before) : contest->won,
        contest->won, contest->is_change ? "the text has changed" : "faster in a trial"};
    return true;
}

void contest_begin(struct contest *contest, const struct contest_rules *rules, uint32_t fits,
                   uint32_t first)
{
    TRAWL_ASSERT(rules->warm_bytes > 0 && rules->trial_bytes > 0 && first < CONTEST_MAX);
    memset(contest, 0, sizeof *contest);
    contest->rules = *rules;
    contest->fits = fits;
    contest->first = contest->now = contest->before = first;
}

uint64_t contest_piece(const struct contest *contest)
{
    return contest->open != 0 ? contest->left
                              : max_u64(contest->left, contest->rules.trial_bytes / 2 + 1);
}

bool contest_is_due(const struct contest *contest, uint64_t ns)
{
    return contest->open == 0 && contest->rules.trial_ns > 0 &&
           (double)ns >= PIECE_TIMES * contest->rules.trial_ns;
}

bool contest_count(struct contest *contest, uint64_t bytes, uint64_t begin_ns, uint64_t end_ns,
                   bool counts, uint64_t rest, struct contest_change *change)
{
    uint64_t ns = end_ns < begin_ns ? 0 : end_ns - begin_ns;

    TRAWL_ASSERT((contest->open & ~contest->fits) == 0);
    TRAWL_ASSERT(contest->open == 0 || (contest->open & bit_of(contest->now)) != 0);
    counts &= end_ns >= begin_ns; /* the clock was not set back */
    contest->left -= min_u64(contest->left, bytes);
    contest->all_bytes += bytes;
    for (uint32_t i = 0; i < CONTEST_MAX; i++)
        contest->of[i].rest -= min_u64(contest->of[i].rest, bytes);
    if (contest->open == 0) {
        count_present(contest, counts ? bytes : 0, counts ? ns : 0, rest);
    } else if (!counts) { /* the turn starts again until the contestant's tables are built */
        contest->counts = false;
        contest->left = contest->rules.warm_bytes;
    } else {
        contest->of[contest->now].ns += contest->counts ? ns : 0;
        contest->of[contest->now].bytes += contest->counts ? bytes : 0;
        if (contest->left > 0)
            return false;
        if (contest->counts) {
            contest->open &= ~bit_of(contest->now);
            next_turn(contest);
            return contest->open == 0 && changed(contest, change);
        } else {
            contest->counts = true;
            contest->left = contest->rules.trial_bytes;
        }
    }
    return false;
}

bool contest_drop(struct contest *contest, struct contest_change *change)
{
    const uint32_t contestant = contest->now;

    TRAWL_ASSERT(contestant != contest->first);
    contest->fits &= ~bit_of(contestant);
    contest->of[contestant].bytes = 0;
    if (contest->before == contestant)
        contest->before = contest->first;
    if (contest->open == 0) {
        *change = (struct contest_change){contestant, contest->first, contest->won,
                                          contest->of[contest->first].price.byte_ns,
                                          "it cannot search for these patterns"};
        contest->now = contest->first;
        contest->won = 0;
        return true;
    }
    contest->open &= ~bit_of(contestant);
    next_turn(contest);
    return contest->open == 0 && changed(contest, change);
}
