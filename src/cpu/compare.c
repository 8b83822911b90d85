/* compare: runs a tournament: several programs (search loops) search pieces of the text in turn,
 * and the program with the least time per byte goes on. tournament.h says why. */
#include "base/checked.h"
#include "base/clock.h"
#include "cpu/worker.h"
#include "cpu/prices.def"

static uint32_t bit_of(uint32_t program)
{
    return 1u << program;
}

/* Returns the program's ns per byte. */
static double rate_of(const struct tournament *own, uint32_t program)
{
    TRAWL_ASSERT(own->of[program].bytes > 0);
    return (double)max_u64(own->of[program].ns, 1) / (double)own->of[program].bytes;
}

/* Returns the fastest of the programs that were measured; the current program if none was. */
static enum program fastest(const struct tournament *own)
{
    enum program best = own->now;

    for (uint32_t i = 0; i < PROGRAMS; i++)
        if (own->of[i].bytes > 0 &&
            (own->of[best].bytes == 0 || rate_of(own, i) < rate_of(own, best)))
            best = (enum program)i;
    return best;
}

/* Ends a tournament: the fastest program goes on. Each other program is not tried again before the
 * worker has searched `rest` more bytes. */
static void choose(struct tournament *own)
{
    enum program best = fastest(own), before = own->before;

    if (own->of[before].bytes > 0 && rate_of(own, best) > AHEAD_SHARE * rate_of(own, before))
        best = before;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        double lost;

        if (own->of[i].bytes == 0)
            continue;
        own->of[i].interval =
            i == best || own->of[i].interval == 0
                ? INTERVAL_BYTES_MIN
                : min_u64(INTERVAL_TIMES * own->of[i].interval, INTERVAL_BYTES_MAX);
        lost = LOST_TIMES * (double)own->of[i].bytes * (rate_of(own, i) / rate_of(own, best) - 1);
        own->of[i].rest = max_u64(own->of[i].interval,
                                  (uint64_t)min_double(max_double(lost, 0), (double)(1ull << 62)));
    }
    /* Use the winner's pieces as first figures, so that the next tournament can begin soon. */
    own->spent = own->of[best].ns;
    own->searched = own->of[best].bytes;
    own->now = best;
    own->open = 0;
    own->left = 0;
}

/* Gives the turn to the open program that has searched the least. Ends the tournament if one
 * program is left, or if all have searched enough. */
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
        choose(own);
        return;
    }
    own->now = (enum program)next;
    own->step = 1;
    own->unsettled = 0;
    own->left = cpu_sizes.trial_bytes;
}

/* Takes programs that are far slower than the fastest out of the tournament. */
static void leave(struct tournament *own)
{
    enum program best = fastest(own);

    for (uint32_t i = 0; i < PROGRAMS; i++)
        if (own->of[i].bytes > 0 && rate_of(own, i) > CLEAR_TIMES * rate_of(own, best))
            own->open &= ~bit_of(i);
}

/* Returns whether the program is likely to save more time than comparing it takes. `took` is the
 * time of the current program in ns per byte. Sets *cost to the time that the comparison takes. */
static bool is_worth(const struct scan *scan, struct price price, double took, double *cost)
{
    const struct tournament *own = &scan->worker->tournament;
    double saved = took - price.byte_ns, rest = (double)(scan->loadable - scan->at);

    *cost = COMPARE_NS + price.once_ns;
    return saved * rest >= REST_TIMES * *cost ||
           (saved > SPENT_SAVED_SHARE * took &&
            (double)own->spent + (double)cpu_sizes.trial_advance >= SPENT_TIMES * *cost);
}

/* Begins a tournament if the time that it may save exceeds the time that it takes. */
static void begin(struct scan *scan, program_price price)
{
    struct tournament *own = &scan->worker->tournament;
    double took = (double)own->spent / (double)own->searched, costs[PROGRAMS] = {0}, least = 1e300;
    uint32_t worth = 0;

    for (uint32_t i = 0; i < PROGRAMS; i++)
        if (i != own->now && (own->fits & bit_of(i)) != 0 && own->of[i].rest == 0 &&
            is_worth(scan, price(scan, (enum program)i), took, &costs[i])) {
            worth |= bit_of(i);
            least = min_double(least, costs[i]);
        }
    if (worth == 0) {
        /* until the search is half as long again, the figures hardly change */
        own->left = own->searched / 2;
        return;
    }
    own->open = bit_of(own->now);
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        own->of[i].ns = own->of[i].bytes = 0;
        if ((worth & bit_of(i)) != 0 && costs[i] <= ALSO_TIMES * least)
            own->open |= bit_of(i);
    }
    /* If the search has just begun, the current program's time so far counts as its pieces. */
    if (own->searched <= FRESH_PIECES * cpu_sizes.trial_bytes) {
        own->of[own->now].ns = own->spent;
        own->of[own->now].bytes = own->searched;
    }
    own->before = own->now;
    next_turn(own);
}

/* Returns whether the current program was so slow in a piece that it cannot become the fastest. */
static bool is_hopeless(const struct tournament *own, uint64_t ns, uint64_t bytes)
{
    enum program best = fastest(own);

    return own->of[own->now].bytes == 0 && own->of[best].bytes > 0 && bytes > 0 &&
           (double)ns / (double)bytes > HOPELESS_TIMES * rate_of(own, best);
}

/* Adds a searched piece, `bytes` of text that took `ns`, to the figures, and decides what to do
 * next. `counts` is false if tables were made meanwhile, so that the time says little. */
static void count(struct scan *scan, program_price price, uint64_t bytes, uint64_t ns, bool counts)
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
            begin(scan, price);
        return;
    }
    if (!counts && own->unsettled++ < UNSETTLED_PIECES_MAX) {
        /* tables were made, so repeat the first piece until the program only searches */
        own->step = 1;
        own->left = cpu_sizes.trial_bytes;
        return;
    }
    /* The first `warm` pieces of a turn only bring the program's tables into the caches. */
    if (own->step > own->warm || is_hopeless(own, ns, bytes)) {
        own->of[own->now].ns += ns;
        own->of[own->now].bytes += bytes;
    }
    if (own->left > 0)
        return;
    own->left = cpu_sizes.trial_bytes;
    leave(own);
    if (++own->step > own->warm + COUNTED_PIECES || (own->open & bit_of(own->now)) == 0 ||
        (own->open & (own->open - 1)) == 0)
        next_turn(own);
}

/* Returns how often the worker, and the workers of the plan's parts, made or fetched tables. */
static uint64_t makes_of(const struct engine_worker *worker)
{
    const struct cpu_parts *parts = worker->tournament.now == PROGRAM_ALONE   ? worker->alone
                                    : worker->tournament.now == PROGRAM_PARTS ? worker->parts
                                                                              : NULL;
    uint64_t makes = worker->makes;

    for (uint32_t i = 0; parts != NULL && parts->of != NULL && i < parts->of->count; i++)
        makes += parts->workers[i]->makes;
    return makes;
}

void tournament_run(struct scan *scan, program_price price, program_run run)
{
    struct engine_worker *worker = scan->worker;
    struct tournament *own = &worker->tournament;
    const uint64_t limit = scan->limit, bytes = limit - scan->at;

    /* In a text of some hundred bytes, reading the clock takes as long as the search: 10 strings
     * in pieces of 4 KiB took 700 ns with the clock and 500 ns without. So only some short texts
     * are timed. */
    bool is_short = own->open == 0 && bytes < cpu_sizes.trial_bytes &&
                    ++own->short_texts % SHORT_TIMED_TEXTS > 0;

    while (scan->at < limit && !scan->over) {
        /* programs that search for each part in turn find the first occurrence late: use the first
         * program instead */
        enum program program =
            scan->want == WANT_FIRST && own->now >= PROGRAM_ALONE ? own->first : own->now;
        bool goes_on = own->open != 0;
        uint64_t piece = goes_on ? own->left : max_u64(own->left, cpu_sizes.trial_bytes);
        uint64_t from = scan->at, ns, makes;

        if ((own->fits & (own->fits - 1)) == 0 || is_short || program != own->now) {
            scan->limit = limit;
            run(scan, program);
            return;
        }
        scan->limit = from + min_u64(limit - from, piece);
        makes = makes_of(worker);
        ns = clock_worked_ns();
        run(scan, own->now);
        ns = clock_worked_ns() - ns;
        if (scan->over || scan->at < scan->limit)
            break;
        count(scan, price, scan->at - from, ns, makes == makes_of(worker));
    }
    scan->limit = limit;
}
