/* Tests of contests (plan/contest.h) by a model: a text consists of kinds, in each of which a
 * contestant takes a certain time per byte. The model's clock is the only one, so every run is the
 * same. The *regret* is the time that the contest took, divided by that of the best contestant for
 * the whole text. */
#include <math.h>
#include <stdio.h>

#include "plan/contest.h"
#include "test.h"

#define CANDIDATES 3u
#define KINDS 3u
#define TURN 34304u
#define TRIAL_NS 32768.0
#define MIB ((uint64_t)1 << 20)
#define CHUNK (8 * MIB)  /* the longest piece, as a search gets its text in chunks */
#define PART (MIB / 8)   /* after so many bytes, a piece may end early */
#define GRAIN 4096u      /* within so many bytes, the model's rates do not change */
#define COLD_BYTES 8192u /* after a change of contestants, so many bytes take 1.5 times as long */
#define NOISE 0.3        /* a piece seems to take up to this share more or less */

enum shape { ONE_KIND, CHANGES_ONCE, CHANGES_LATE, ALTERNATES, DRIFTS };

struct model {
    enum shape shape;
    uint64_t bytes;
    uint64_t period; /* ALTERNATES: how long a kind lasts */
    uint32_t kinds;
    double rates[KINDS][CANDIDATES]; /* ns per byte */
    struct price prices[CANDIDATES];
    bool jumps;  /* the clock is often set, back or forward */
    bool forks;  /* the process often goes on as a child, whose clock begins anew */
    bool is_cut; /* the last contestant turns out unable to search */
};

struct outcome {
    double regret;
    uint64_t changes; /* the contestant's changes outside of trials */
};

static double between(struct test_random *random, double min, double max)
{
    return min + (max - min) * (double)test_random_below(random, 1u << 30) / (1u << 30);
}

static double rate_at(const struct model *model, uint32_t contestant, uint64_t at)
{
    const double share = (double)at / (double)model->bytes;
    uint32_t kind = 0;

    if (model->shape == DRIFTS)
        return (1 - share) * model->rates[0][contestant] + share * model->rates[1][contestant];
    if (model->shape == CHANGES_ONCE)
        kind = at >= model->bytes / 32;
    else if (model->shape == CHANGES_LATE)
        kind = at >= model->bytes / 2;
    else if (model->shape == ALTERNATES)
        kind = (uint32_t)(at / model->period % model->kinds);
    return model->rates[kind][contestant];
}

static double time_of(const struct model *model, uint32_t contestant, uint64_t from, uint64_t bytes)
{
    double ns = 0;

    for (uint64_t done = 0; done < bytes; done += GRAIN)
        ns += rate_at(model, contestant, from + done) *
              (double)(bytes - done < GRAIN ? bytes - done : GRAIN);
    return ns;
}

/* Draws a model in which the best contestant takes 0.3 to 0.9 ns per byte, and the others up to
 * three times as long. */
static struct model draw(struct test_random *random, enum shape shape, uint64_t bytes,
                         uint64_t period)
{
    struct model model = {.shape = shape, .bytes = bytes, .period = period};

    model.kinds = 2 + (uint32_t)test_random_below(random, KINDS - 1);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        const double min = 0.3 * exp(between(random, 0, log(3)));
        const uint32_t best = (uint32_t)test_random_below(random, CANDIDATES);

        for (uint32_t i = 0; i < CANDIDATES; i++)
            model.rates[kind][i] = min * (i == best ? 1 : exp(between(random, 0, log(3))));
    }
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        model.prices[i] = (struct price){between(random, 20e3, 120e3), 0.4};
        for (uint32_t kind = 0; kind < model.kinds; kind++)
            model.prices[i].byte_ns = fmin(model.prices[i].byte_ns, model.rates[kind][i]);
    }
    return model;
}

/* Returns the time that the clock shows at the end of a piece. */
static uint64_t clock_after(const struct model *model, struct test_random *random, uint64_t begin,
                            double ns)
{
    const uint64_t end = begin + (uint64_t)(ns * between(random, 1 - NOISE, 1 + NOISE));

    if (!model->jumps || !test_random_one_in(random, 128))
        return end;
    return test_random_one_in(random, 2) ? test_random_below(random, begin) : end + 2000000;
}

/* Counts a change, and checks it. `settled` searched before; returns who searches now. */
static uint32_t note(struct outcome *outcome, const struct contest *contest,
                     const struct contest_change *change, uint32_t settled)
{
    outcome->changes++;
    TEST_CHECK(change->from == settled && change->to == contest->now && contest->open == 0);
    TEST_CHECK(change->to_ns > 0 && change->to_ns < change->from_ns);
    return contest->now;
}

/* Returns where a piece ends that begins at `at`: before `end` if it becomes due. Adds its time. */
static uint64_t piece_end(const struct model *model, const struct contest *contest, uint64_t at,
                          uint64_t end, double *ns)
{
    const double before = *ns;

    do {
        const uint64_t part = end - at < PART ? end - at : PART;

        *ns += time_of(model, contest->now, at, part);
        at += part;
    } while (at < end && !contest_is_due(contest, (uint64_t)(*ns - before)));
    return at;
}

/* Searches the model's text. */
static struct outcome search(const struct model *model, struct test_random *random)
{
    const struct contest_rules rules = {TURN / 4 + 1, TURN, TRIAL_NS, 0};
    struct contest contest, child;
    struct contest_change change;
    struct outcome outcome = {0, 0};
    bool is_built[CANDIDATES] = {true};
    uint64_t clock = (uint64_t)1 << 40, cold = 0, at = 0;
    uint32_t last = 0, settled = 0;
    double took = 0, best = INFINITY;

    contest_begin(&contest, &rules, (1u << CANDIDATES) - 1, 0);
    for (uint32_t i = 0; i < CANDIDATES; i++)
        contest.of[i].price = model->prices[i];
    while (at < model->bytes) {
        uint64_t piece = contest_piece(&contest), end;
        uint32_t now = contest.now;
        bool builds = !is_built[now];
        double ns;

        if (model->is_cut && now == CANDIDATES - 1) {
            if (contest_drop(&contest, &change))
                settled = note(&outcome, &contest, &change, settled);
            continue;
        }
        if (!TEST_CHECK(piece > 0))
            break;
        piece = piece < CHUNK ? piece : CHUNK;
        piece = piece < model->bytes - at ? piece : model->bytes - at;
        cold = now != last ? COLD_BYTES : cold;
        last = now;
        ns = 0.5 * time_of(model, now, at, cold < piece ? cold : piece);
        piece = piece_end(model, &contest, at, at + piece, &ns) - at;
        cold -= cold < piece ? cold : piece;
        ns += builds ? model->prices[now].once_ns : 0;
        is_built[now] = true;
        took += ns;
        at += piece;
        end = clock_after(model, random, clock, ns);
        if (contest_count(&contest, piece, clock, end, !builds, model->bytes - at, &change))
            settled = note(&outcome, &contest, &change, settled);
        clock = end;
        if (model->forks && test_random_one_in(random, 16)) {
            child = contest;
            contest = child;
            clock = test_random_below(random, 1000);
        }
    }
    for (uint32_t i = 0; i < CANDIDATES - model->is_cut; i++)
        best = fmin(best, time_of(model, i, 0, model->bytes));
    outcome.regret = took / best;
    return outcome;
}

/* ---- Tests ------------------------------------------------------------------------------- */

#define TEXTS 40
#define REGRET_MEAN 1.08
#define REGRET_WORST 1.8 /* the worst text of 60 seeds had 1.62 */

/* What goes wrong in the texts of a test. */
enum trouble { NO_TROUBLE, JUMPS, FORKS, CUT };

struct tally {
    double sum, worst;
    uint64_t count, changes;
};

static void search_texts(struct tally *tally, struct test_random *random, enum trouble trouble,
                         enum shape shape, uint64_t bytes, uint64_t period)
{
    for (uint32_t i = 0; i < TEXTS; i++) {
        struct model model = draw(random, shape, bytes, period);
        struct outcome outcome;

        model.jumps = trouble == JUMPS;
        model.forks = trouble == FORKS;
        model.is_cut = trouble == CUT;
        outcome = search(&model, random);
        tally->sum += outcome.regret;
        tally->worst = fmax(tally->worst, outcome.regret);
        tally->count++;
        tally->changes += outcome.changes;
    }
}

/* Searches texts of several kinds and of 4 to 512 MiB, and checks the regret. Kinds last 64 KiB to
 * 64 MiB. */
static void test_kinds(const char *name, enum trouble trouble, double worst)
{
    struct test_random random = test_random_begin(name);
    struct tally tally = {0, 0, 0, 0};

    for (uint32_t i = 0; i < 6; i++) {
        const uint64_t period = (MIB / 16) << 2 * i;

        search_texts(&tally, &random, trouble, CHANGES_ONCE, 4 * MIB << i, 0);
        search_texts(&tally, &random, trouble, DRIFTS, 4 * MIB << i, 0);
        search_texts(&tally, &random, trouble, ALTERNATES, period < MIB ? 8 * MIB : 8 * period,
                     period);
    }
    printf("%s: regret %.3f on average, %.2f at worst, %.1f changes\n", name,
           tally.sum / (double)tally.count, tally.worst,
           (double)tally.changes / (double)tally.count);
    TEST_CHECK(tally.sum / (double)tally.count <= REGRET_MEAN);
    TEST_CHECK(tally.worst <= worst);
    TEST_CHECK(tally.changes > tally.count);
}

/* In a text of one kind, trials cost little, however long it is, and the best contestant, once
 * found, stays. */
static void test_one_kind(void)
{
    struct test_random random = test_random_begin("one kind");
    struct tally tally = {0, 0, 0, 0};

    search_texts(&tally, &random, NO_TROUBLE, ONE_KIND, 256 * MIB, 0);
    printf("one kind: regret %.3f on average, %.2f at worst, %.1f changes\n",
           tally.sum / (double)tally.count, tally.worst,
           (double)tally.changes / (double)tally.count);
    TEST_CHECK(tally.sum / (double)tally.count <= 1.03);
    TEST_CHECK(tally.worst <= 1.2);
    TEST_CHECK(tally.changes <= 8 * tally.count);
}

/* Where a text is searched ten times as fast as the clock is read, and then becomes slow, a piece
 * that began before does not last. */
static void test_sparse_then_dense(void)
{
    struct model model = {.shape = CHANGES_LATE,
                          .bytes = 8 * MIB,
                          .kinds = 2,
                          .rates = {{0.1, 0.1, 0.1}, {2.7, 0.8, 1.2}},
                          .prices = {{0, 0.1}, {60e3, 0.1}, {60e3, 0.1}}};
    struct test_random random = test_random_begin("sparse, then dense");
    double sum = 0;

    for (uint32_t i = 0; i < TEXTS; i++)
        sum += search(&model, &random).regret;
    printf("sparse, then dense: regret %.3f on average\n", sum / TEXTS);
    TEST_CHECK(sum / TEXTS <= 1.35);
}

int main(void)
{
    test_begin("unit_contest");
    test_kinds("several kinds", NO_TROUBLE, REGRET_WORST);
    test_kinds("forks", FORKS, REGRET_WORST); /* what a clock that begins anew measures is lost */
    test_kinds("a contestant that cannot search", CUT, REGRET_WORST);
    /* a jump of 2 ms during the trial in a short text makes its best contestant rest for long */
    test_kinds("jumps of the clock", JUMPS, 4);
    test_one_kind();
    test_sparse_then_dense();
    return test_end();
}
