/* look: the text decides how one literal is searched. A worker looks at some of each part of the
 * text that is worth it, and takes from there on what costs least in a text like that.
 */
#include <string.h>

#include "base/checked.h"
#include "cpu/worker.h"

#define SAMPLE_SHARE 128u /* of the chunk, at most WORKER_SAMPLE_BYTES of it */
#define PIECE_BYTES 512u
/* An entry of sampled's tables takes as long to make as every takes for so many bytes of text. */
#define TABLES_SHARE 256u
#define SIZES                                   \
    {                                           \
        .after = 512u << 10, .again = 16u << 20 \
    }
const struct look_sizes look_sizes_default = SIZES;
struct look_sizes look_sizes = SIZES;
#undef SIZES

void worker_look_begin(struct engine_worker *worker)
{
    const struct trawl_plan *plan = worker->plan;
    bool chooses = plan_is_one_literal(plan) && plan->method_asked == TRAWL_METHOD_AUTO &&
                   !plan_has_algorithm(plan) && !plan->tuning.is_seen && plan->length_min > 1;

    worker->look_left = chooses ? look_sizes.after : UINT64_MAX;
    worker->sampled = NULL;
    worker->sampled_after = 0;
    if (plan->method == TRAWL_METHOD_SAMPLED && plan->method_asked == TRAWL_METHOD_AUTO)
        worker->sampled_after = TABLES_SHARE * sampled_stride(plan->length_min);
}

/* The tables, or every for a text that ends before they are worth it. */
static enum trawl_status begin_sampled(struct engine_worker *worker, uint64_t bytes,
                                       struct trawl_error *error)
{
    if (worker->sampled_after > bytes) {
        worker->sampled_after -= bytes;
        worker->method = TRAWL_METHOD_EVERY;
        return TRAWL_OK;
    }
    worker->sampled_after = 0;
    worker->method = TRAWL_METHOD_SAMPLED;
    return sampled_want(worker->plan, &worker->sampled, error);
}

/* Pieces of the chunk, spread over it; returns how many bytes. */
static uint64_t take_sample(struct engine_worker *worker, const struct engine_chunk *chunk)
{
    uint64_t bytes =
        min_u64(max_u64(chunk->owned / SAMPLE_SHARE, PLAN_SAMPLE_BYTES_MIN), sizeof worker->sample);
    uint64_t pieces = bytes / PIECE_BYTES, step = chunk->owned / pieces;

    if (chunk->owned < PLAN_SAMPLE_BYTES_MIN)
        return 0;
    TRAWL_ASSERT(step >= PIECE_BYTES);
    for (uint64_t i = 0; i < pieces; i++)
        memcpy(worker->sample + i * PIECE_BYTES, chunk->bytes + i * step, PIECE_BYTES);
    return pieces * PIECE_BYTES;
}

enum trawl_status worker_look(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct trawl_error *error)
{
    struct plan_prices prices;
    uint64_t bytes;

    if (worker->sampled_after > 0 || worker->method == TRAWL_METHOD_SAMPLED)
        TRAWL_TRY(begin_sampled(worker, chunk->owned, error));
    if (worker->look_left == UINT64_MAX)
        return TRAWL_OK;
    /* A look takes what 128 KiB take: a text of one chunk is searched as the plan says. */
    if (worker->look_left > chunk->owned || (chunk->after == 0 && chunk->before == 0)) {
        worker->look_left -= min_u64(worker->look_left, chunk->owned);
        return TRAWL_OK;
    }
    bytes = take_sample(worker, chunk);
    if (bytes == 0)
        return TRAWL_OK;
    worker->look_left = look_sizes.again;
    prices = plan_look(worker->plan, worker->costs, worker->sample, bytes, &worker->own);
    worker->tuning = &worker->own;
    worker->method = prices.least;
    worker->sampled = prices.tables;
    worker->sampled_after = 0;
    worker_probes_begin(worker);
    return TRAWL_OK;
}
