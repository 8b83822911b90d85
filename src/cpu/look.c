/* look: chooses the method for a single literal by a look at the text.
 *
 * A worker begins with the plan's choice of a method. It measures how much more time this choice
 * takes than the cheapest method could. Once the difference would have paid for a look, the worker
 * samples the text, prices all methods by the sample, and goes on with the cheapest method.
 */
#include <string.h>

#include "base/checked.h"
#include "cpu/worker.h"

#define SAMPLE_SHARE 128u /* a sample is 1/128 of the chunk, at most WORKER_SAMPLE_BYTES */
#define EXCERPT_BYTES 512u
/* A look is due at the latest after ANYWAY * cpu_sizes.look_again bytes, because a different method
 * may be cheaper by then. */
#define ANYWAY 4u

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
        worker_count_anew(worker);
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

/* Returns whether a look before the next `bytes` bytes is worth its time. */
static bool is_due(const struct engine_worker *worker, uint64_t bytes)
{
    double lost =
        min_double(worker->took, worker->priced) - worker->least * (double)worker->searched;

    return worker->look_left <= bytes &&
           (cpu_sizes.look_lost_ns <= 0 || worker->searched >= ANYWAY * cpu_sizes.look_again ||
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
    worker_count_anew(worker);
    return TRAWL_OK;
}
