/* choice: chooses the program, that is, the search loop, by which a worker of the host searches.
 *
 * For a single literal, the prices of the plan (plan/choose.c) choose the first program. The worker
 * then measures how much more time this program takes than the cheapest program could. Once the
 * difference would have paid for a look at the text, the worker samples the text, computes each
 * method's price for the sample, and goes on with the cheapest method. For a set, the number of
 * strings chooses the first program, and a tournament on the text (compare.c) chooses the next
 * program.
 */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "cpu/worker.h"
#include "cpu/prices.def"

static void count_anew(struct engine_worker *worker)
{
    worker->searched = 0;
    worker->took = worker->priced = 0;
}

/* ---- The first program ----------------------------------------------------------------- */

/* Returns the number of bytes of text after which method sampled has saved as much time as making
 * its tables takes. */
static uint64_t tables_pay_after(const struct engine_worker *worker)
{
    const struct plan_prices *prices = &worker->prices;
    double other = prices->of[plan_cheapest(prices, TRAWL_METHOD_SAMPLED)];
    double saved = other - prices->of[TRAWL_METHOD_SAMPLED];
    double bytes = ENTRY_NS * (double)sampled_stride(worker->plan->length_min) / saved;

    TRAWL_ASSERT(saved > 0);
    return (uint64_t)min_double(bytes, (double)(UINT64_MAX / 2));
}

/* Returns a tournament that has not begun: which programs can search for the plan's set, and which
 * of these programs is the first. */
static struct tournament tournament_of(const struct trawl_plan *plan)
{
    bool has_parts = plan->pattern_count > 1 && plan->pattern_count <= PARTS_PATTERNS_MAX;
    struct tournament made = {
        .warm = 1 + (uint32_t)min_u64(plan->literal_bytes_total / WARM_BYTES, WARM_PIECES_MAX),
        .left = cpu_sizes.trial_bytes};

    made.fits = (uint32_t)plan->has_buckets << PROGRAM_BUCKETS |
                (uint32_t)plan->has_classes << PROGRAM_CLASSES |
                (uint32_t)plan->has_automaton << PROGRAM_AUTOMATON |
                (uint32_t)(has_parts && plan_parts_fit(plan, PLAN_ALONE)) << PROGRAM_ALONE |
                (uint32_t)(has_parts && plan_parts_fit(plan, PLAN_PARTS_HOST)) << PROGRAM_PARTS;
    made.first = plan->has_buckets && (!plan->has_classes || plan->literal_count <= BUCKETS_MANY)
                     ? PROGRAM_BUCKETS
                     : PROGRAM_CLASSES;
    if (plan->method_asked == TRAWL_METHOD_AUTOMATON)
        made.first = PROGRAM_AUTOMATON;
    made.now = made.first;
    return made;
}

void choice_begin(struct engine_worker *worker)
{
    const struct trawl_plan *plan = worker->plan;
    /* Without a method from the caller, the text decides how a single literal is searched. */
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
    worker->work_per_byte = SET_WORK_PER_BYTE;
    worker->work_spared = WORK_SPARED_MAX;
    worker->dense_waits = false;
    if (worker->dense_serial != plan->serial && plan->method == TRAWL_METHOD_SET) {
        worker->dense_work = 0;
        worker->tournament = tournament_of(plan);
    }
    worker->dense_serial = plan->serial;
    if (worker->alone != NULL)
        worker->alone->of = NULL;
    if (worker->parts != NULL)
        worker->parts->of = NULL;
}

/* ---- One literal: looks at the text ---------------------------------------------------- */

/* Makes the tables of method sampled. If the text may end before the tables pay, chooses a
 * different method until then. Errors: MEMORY. */
static enum trawl_status begin_sampled(struct engine_worker *worker,
                                       const struct engine_chunk *chunk, struct trawl_error *error)
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

uint64_t worker_sample(struct engine_worker *worker, const struct engine_chunk *chunk)
{
    uint64_t bytes =
        min_u64(max_u64(chunk->owned / SAMPLE_SHARE, PLAN_SAMPLE_BYTES_MIN), sizeof worker->sample);
    uint64_t excerpts = bytes / EXCERPT_BYTES, step = chunk->owned / excerpts;

    if (chunk->owned < PLAN_SAMPLE_BYTES_MIN)
        return 0;
    TRAWL_ASSERT(step >= EXCERPT_BYTES);
    for (uint64_t i = 0; i < excerpts; i++)
        memcpy(worker->sample + i * EXCERPT_BYTES,
               chunk->bytes + i * step + plan_sample_at(i, step, EXCERPT_BYTES), EXCERPT_BYTES);
    return excerpts * EXCERPT_BYTES;
}

void worker_count(const struct scan *scan, uint64_t begin, uint64_t candidates, uint64_t passed,
                  uint64_t ns)
{
    struct engine_worker *worker = scan->worker;
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

/* Returns whether the worker should sample the text before it searches the next `bytes` bytes. */
static bool is_due(const struct engine_worker *worker, uint64_t bytes)
{
    double lost =
        min_double(worker->took, worker->priced) - worker->least * (double)worker->searched;

    return worker->look_left <= bytes &&
           (cpu_sizes.look_lost_ns <= 0 ||
            worker->searched >= ANYWAY_TIMES * cpu_sizes.look_again ||
            (worker->searched > 0 &&
             lost * (1 + (double)bytes / (double)worker->searched) >= cpu_sizes.look_lost_ns));
}

enum trawl_status worker_look(struct engine_worker *worker, const struct engine_chunk *chunk,
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
        if (worker->method == TRAWL_METHOD_SAMPLED) /* the look has made the tables */
            TRAWL_TRY(sampled_want(worker->plan, &worker->sampled, error));
        worker_probes_begin(worker);
    }
    count_anew(worker);
    return TRAWL_OK;
}

bool sampled_leaves(struct scan *scan, uint64_t begin, uint64_t began_ns)
{
    struct engine_worker *worker = scan->worker;
    enum trawl_method other = plan_cheapest(&worker->prices, worker->method);
    double bytes = (double)(scan->at - begin), price = worker->prices.of[other] * bytes;
    double taken = (double)(clock_now_ns() - began_ns);

    if (taken < FAR_TIMES * price || taken < price + FAR_NS)
        return false;
    worker->least = price / bytes;
    worker->method = other;
    worker->sampled_took = taken / bytes;
    scan_leave(scan, scan->at);
    return true;
}

/* ---- Sets: where a text is dense, so that candidates take longer than the automaton ---- */

void dense_allow(struct scan *scan, uint64_t positions)
{
    TRAWL_ASSERT(positions <= scan->chunk->owned + 64);
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    /* dense_leaves has added part of the work for the previous positions to dense_work already */
    if (scan->worker->dense_waits)
        scan->worker->dense_work += scan->work - scan->work_begin;
    scan->worker->dense_waits = false;
    scan->work_begin = scan->work;
    if (scan->work_max != UINT64_MAX)
        scan->work_max =
            scan->work + positions * scan->worker->work_per_byte + scan->worker->work_spared;
}

void dense_spare(struct scan *scan, uint64_t bytes)
{
    struct engine_worker *worker = scan->worker;
    uint64_t used = scan->work - scan->work_begin;
    uint64_t allowed = saturating_multiply(bytes, worker->work_per_byte) + worker->work_spared;

    TRAWL_ASSERT(bytes > 0 && worker->work_spared <= WORK_SPARED_MAX);
    worker->dense_bytes /= 2;
    worker->work_spared =
        used < allowed && !worker->dense_waits ? min_u64(allowed - used, WORK_SPARED_MAX) : 0;
}

bool dense_leaves(struct scan *scan, uint64_t x)
{
    struct engine_worker *worker = scan->worker;
    uint64_t enough =
        (scan->plan->literal_count * MAKE_WORK + scan->plan->literal_bytes_total * MAKE_BYTE_WORK) *
        (plan_has_conditions(scan->plan) ? CONDITIONS_TIMES : 1);
    double per_byte;

    if (max_u64(x, scan->run_until) >= scan->limit)
        return false;
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    worker->dense_work += scan->work - scan->work_begin;
    scan->work_begin = scan->work;
    per_byte = (double)worker->dense_work / (double)(scan->chunk->begin + x + 1);
    if (per_byte * (double)(scan->loadable - x) > FORESEEN_TIMES * (double)enough)
        enough /= FORESEEN_SHARE;
    if (worker->dense_work < enough && !dense_is_there(scan->plan)) {
        scan->work_max = scan->work + enough - worker->dense_work;
        worker->dense_waits = true;
        return false;
    }
    worker->dense_bytes =
        min_u64(max_u64(2 * worker->dense_bytes, cpu_sizes.dense_bytes), DENSE_BYTES_MAX);
    worker->dense_left = max_u64(worker->dense_bytes, 4 * scan->plan->length_max);
    scan_leave(scan, x);
    return true;
}
