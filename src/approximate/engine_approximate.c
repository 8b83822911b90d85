/* engine_approximate: searches a chunk approximately, in steps. The host or a device finds the
 * candidates in a range of the chunk, and the calling thread verifies them. */
#include "approximate/engine_approximate.h"

#include "approximate/approx_choose.h"
#include "approximate/approx_device.h"
#include "approximate/approx_host.h"
#include "base/checked.h"
#include "base/memory.h"
#include "cpu/sizes.h"

#define STEP_HOST (1u << 18) /* how many starts a worker's first step searches */
#define STEP_DEVICE (1u << 30)
/* If a device's step finds at least this many candidates, the engine checks whether the host would
 * search faster than it can verify them. Verifying LEFT_MIN candidates takes about a
 * millisecond. */
#define LEFT_MIN 4096u

struct approximate_worker {
    const char *instruction_set; /* that of the host's engine; NULL: the best one */
    struct approx_host *host;    /* NULL: a device searches */
    struct approx_device *device;
    uint64_t serial; /* serial number of the plan to which all members below belong; 0: no plan */
    const struct approximate *approximate;
    struct approx_verifier *verifier;
    struct approx_candidates candidates;
    uint64_t step; /* how many starts the next step searches */
};

/* Frees the members that belong to one plan. */
static void plan_release(struct approximate_worker *worker)
{
    approx_verifier_close(worker->verifier);
    worker->verifier = NULL;
    worker->serial = 0;
}

static void worker_close(struct approximate_worker *worker)
{
    plan_release(worker);
    approx_host_close(worker->host);
    if (worker->device != NULL)
        approx_device_close(worker->device);
    approx_candidates_release(&worker->candidates);
    memory_release(worker, 1, sizeof *worker);
}

static enum trawl_status worker_open(struct engine *engine, uint32_t device,
                                     struct approximate_worker **worker_out,
                                     struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct approximate_worker *worker;

    TRAWL_TRY(MEMORY_ZEROED(worker, 1, error));
    if (device != ENGINE_HOST)
        TRAWL_TRY_DONE(approx_device_open(engine, device, &worker->device, error));
    else
        TRAWL_TRY_DONE(approx_host_open(engine, &worker->host, error));
    if (device == ENGINE_HOST)
        worker->instruction_set = engine_cpu.instruction_set(engine);
    *worker_out = worker;
    worker = NULL;
done:
    if (worker != NULL)
        worker_close(worker);
    return status;
}

static void approximate_release(struct engine_worker *worker)
{
    worker_close((struct approximate_worker *)worker);
}

static enum trawl_status approximate_compile(struct engine *engine, uint32_t device,
                                             const struct trawl_plan *plan,
                                             struct engine_worker **worker_out,
                                             struct trawl_error *error)
{
    struct approximate_worker *worker = (struct approximate_worker *)*worker_out;

    if (worker == NULL)
        TRAWL_TRY(worker_open(engine, device, &worker, error));
    *worker_out = (struct engine_worker *)worker;
    if (plan == NULL || plan->literal_count == 0 || plan->serial == worker->serial)
        return TRAWL_OK;
    plan_release(worker);
    TRAWL_TRY(approx_want(plan, worker->instruction_set, &worker->approximate, error));
    TRAWL_TRY(approx_verifier_open(worker->approximate, &worker->verifier, error));
    TRAWL_TRY(worker->device != NULL
                  ? approx_device_begin(worker->device, worker->approximate, error)
                  : approx_host_begin(worker->host, worker->approximate, error));
    worker->serial = plan->serial;
    worker->step = worker->device != NULL ? STEP_DEVICE : STEP_HOST;
    return TRAWL_OK;
}

/* ---- Scan ---------------------------------------------------------------------------------- */

/* Returns true if a device has found so many candidates that the host should search. */
static bool is_to_be_left(const struct approximate_worker *worker, const struct engine_chunk *chunk,
                          uint64_t bytes)
{
    uint64_t count = worker->candidates.count;
    const struct approx_work work = {.bytes = bytes,
                                     .rate = (double)count / (double)bytes,
                                     .is_found = true,
                                     .threads = chunk->threads_left};

    return worker->device != NULL && chunk->may_be_left && count >= LEFT_MIN &&
           approx_is_for_host(worker->approximate, &work);
}

/* Finds the hits that begin in [from, *to). Lowers *to if there are too many candidates. If the
 * host should search the chunk instead, sets result->is_left. */
static enum trawl_status scan_step(struct approximate_worker *worker,
                                   const struct engine_chunk *chunk, uint64_t from, uint64_t *to,
                                   struct engine_result *result, struct trawl_error *error)
{
    worker->candidates.count = 0;
    TRAWL_TRY(
        worker->device != NULL
            ? approx_device_candidates(worker->device, chunk, from, to, &worker->candidates, error)
            : approx_host_candidates(worker->host, chunk, from, to, &worker->candidates, error));
    TRAWL_ASSERT(*to > from && *to <= chunk->owned);
    result->is_left = is_to_be_left(worker, chunk, *to - from);
    if (result->is_left)
        return TRAWL_OK;
    result->candidate_count += worker->candidates.count;
    return approx_collect(worker->verifier, &worker->candidates, from, *to,
                          worker->approximate->edits, &result->hits, error);
}

static enum trawl_status worker_scan(struct approximate_worker *worker,
                                     const struct engine_task *task, struct trawl_error *error)
{
    const struct engine_chunk *chunk = task->chunk;
    const uint64_t step_max = max_u64(worker->device != NULL ? STEP_DEVICE : STEP_HOST,
                                      2 * worker->approximate->plan->length_max);
    struct engine_result *result = task->result;

    result->on_device = worker->device != NULL;
    result->hits.lengths_valid = true;
    approx_verifier_begin(worker->verifier, chunk);
    for (uint64_t at = task->from; at < chunk->owned;) {
        uint64_t to = at + min_u64(worker->step, chunk->owned - at), asked = to;

        if (engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        TRAWL_TRY(scan_step(worker, chunk, at, &to, result, error));
        if (result->is_left)
            break;
        worker->step = to < asked ? to - at : min_u64(2 * worker->step, step_max);
        result->done = at = to;
        result->count += result->hits.count;
        if (task->want == WANT_COUNT)
            result->hits.count = 0;
        else
            result->count = result->hits.count;
        if (result->hits.count >= cpu_sizes.hits ||
            (task->want == WANT_FIRST && result->hits.count > 0))
            break;
    }
    return TRAWL_OK;
}

/* Decides whether the host should search a text. If the text is in memory, the device first counts
 * the candidates in `sample`, a part of it, unless the host is the better choice even without
 * candidates. If not, the sample is empty, and the text is assumed to be random. */
static enum trawl_status ask(struct approximate_worker *worker, const struct engine_chunk *sample,
                             struct engine_result *result, struct trawl_error *error)
{
    const struct approximate *approximate = worker->approximate;
    struct approx_work work = {.bytes = sample->before + sample->owned + sample->after,
                               .rate = sample->owned == 0 ? approximate->device_rate : 0,
                               .ready_ns = approx_device_ready_ns(worker->device),
                               .threads = sample->threads_left};

    work.is_copied = sample->owned == 0 || !approx_device_holds(worker->device, sample);
    result->is_left = approx_is_for_host(approximate, &work);
    if (result->is_left)
        return TRAWL_OK;
    TRAWL_TRY(approx_device_prepare(worker->device, error));
    if (sample->owned == 0)
        return TRAWL_OK;
    TRAWL_TRY(approx_device_rate(worker->device, sample, &work.rate, error));
    work.ready_ns = 0;
    result->is_left = approx_is_for_host(approximate, &work);
    return TRAWL_OK;
}

static enum trawl_status approximate_submit(struct engine_worker *engine_worker,
                                            struct engine_task *task, struct trawl_error *error)
{
    struct approximate_worker *worker = (struct approximate_worker *)engine_worker;

    if (task->output != ENGINE_OUTPUT_RESULT)
        return TRAWL_FAIL(error, UNSUPPORTED, "a plan with errors cannot write to a device");
    if (task->want == WANT_NOTHING)
        return ask(worker, task->chunk, task->result, error);
    return worker_scan(worker, task, error);
}

const struct engine_ops engine_approximate = {
    .compile = approximate_compile, .release = approximate_release, .submit = approximate_submit};
