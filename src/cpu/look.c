/* look: the text decides how one literal is searched. A worker looks at some of each part of the
 * text that is worth it, and takes from there on what costs least in a text like that.
 */
#include <string.h>

#include "base/checked.h"
#include "cpu/worker.h"

#define SAMPLE_SHARE 128u /* of the chunk, at most WORKER_SAMPLE_BYTES of it */
#define PIECE_BYTES 512u
#define SIZES                                   \
    {                                           \
        .after = 512u << 10, .again = 16u << 20 \
    }
const struct look_sizes look_sizes_default = SIZES;
struct look_sizes look_sizes = SIZES;
#undef SIZES

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

uint64_t worker_sample(struct engine_worker *worker, const struct engine_chunk *chunk)
{
    uint64_t bytes =
        min_u64(max_u64(chunk->owned / SAMPLE_SHARE, PLAN_SAMPLE_BYTES_MIN), sizeof worker->sample);
    uint64_t pieces = bytes / PIECE_BYTES, step = chunk->owned / pieces;

    if (chunk->owned < PLAN_SAMPLE_BYTES_MIN)
        return 0;
    TRAWL_ASSERT(step >= PIECE_BYTES);
    for (uint64_t i = 0; i < pieces; i++)
        memcpy(worker->sample + i * PIECE_BYTES,
               chunk->bytes + i * step + plan_sample_at(i, step, PIECE_BYTES), PIECE_BYTES);
    return pieces * PIECE_BYTES;
}

enum trawl_status worker_look(struct engine_worker *worker, const struct engine_chunk *chunk,
                              bool due, struct trawl_error *error)
{
    struct plan_prices prices;

    if (worker->sampled_after > 0 || worker->method == TRAWL_METHOD_SAMPLED)
        TRAWL_TRY(begin_sampled(worker, chunk->owned, error));
    if (!due || chunk->owned < PLAN_SAMPLE_BYTES_MIN)
        return TRAWL_OK;
    worker->look_left = look_sizes.again;
    worker->own = worker->plan->tuning;
    if (!plan_look_far(worker->plan, worker->costs, chunk->bytes, chunk->owned, &prices))
        plan_look(worker->plan, worker->costs, worker->sample, worker_sample(worker, chunk),
                  &worker->own, &prices);
    worker->tuning = &worker->own;
    worker->method = prices.least;
    worker->sampled = prices.tables;
    worker->sampled_after = 0;
    worker_probes_begin(worker);
    return TRAWL_OK;
}
