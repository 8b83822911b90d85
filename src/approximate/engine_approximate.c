/* engine_approximate: the layer of approximate search (refine/refine.h). The host or a device
 * finds the candidates of a step, and the calling thread verifies them. */
#include "approximate/engine_approximate.h"

#include <stdio.h>

#include "approximate/approx_choose.h"
#include "approximate/approx_device.h"
#include "approximate/approx_host.h"
#include "base/checked.h"
#include "approximate/prices.def"

struct approximate_worker {
    struct refiner refiner;   /* first member */
    struct approx_host *host; /* NULL: a device searches */
    struct approx_device *device;
    /* these belong to the plan: */
    const struct approximate *approximate;
    struct approx_verifier *verifier;
    struct approx_candidates candidates;
};

static void plan_end(struct refiner *refiner)
{
    struct approximate_worker *worker = (struct approximate_worker *)refiner;

    approx_verifier_close(worker->verifier);
    worker->verifier = NULL;
}

static void worker_end(struct refiner *refiner)
{
    struct approximate_worker *worker = (struct approximate_worker *)refiner;

    approx_host_close(worker->host);
    if (worker->device != NULL)
        approx_device_close(worker->device);
    approx_candidates_release(&worker->candidates);
}

static enum trawl_status plan_begin(struct refiner *refiner, const struct trawl_plan *plan,
                                    struct trawl_error *error)
{
    struct approximate_worker *worker = (struct approximate_worker *)refiner;
    const bool on_device = refine_is_on_device(refiner);

    TRAWL_TRY(approx_want(plan, on_device ? NULL : engine_cpu.instruction_set(refiner->engine),
                          &worker->approximate, error));
    TRAWL_TRY(approx_verifier_open(worker->approximate, &worker->verifier, error));
    refiner->step = on_device ? STEP_DEVICE : STEP_HOST;
    if (on_device && worker->device == NULL)
        TRAWL_TRY(approx_device_open(refiner, &worker->device, error));
    if (!on_device && worker->host == NULL)
        TRAWL_TRY(approx_host_open(refiner, &worker->host, error));
    return on_device ? approx_device_begin(worker->device, worker->approximate, error)
                     : approx_host_begin(worker->host, worker->approximate, error);
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
static enum trawl_status decide(struct refiner *refiner, const struct engine_task *task,
                                uint64_t from, uint64_t *to, struct trawl_error *error)
{
    struct approximate_worker *worker = (struct approximate_worker *)refiner;
    const struct approximate *approximate = worker->approximate;
    const struct engine_chunk *chunk = task->chunk;
    struct engine_result *result = task->result;
    const uint64_t asked = *to;

    if (from == task->from)
        approx_verifier_begin(worker->verifier, chunk);
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
    TRAWL_TRY(approx_collect(worker->verifier, &worker->candidates, from, *to, approximate->edits,
                             &result->hits, error));
    if (*to < asked)
        refiner->step = *to - from;
    else
        refine_grow(refiner, max_u64(worker->device != NULL ? STEP_DEVICE : STEP_HOST,
                                     2 * approximate->plan->length_max));
    if (task->want == WANT_COUNT) {
        result->count += result->hits.count;
        result->hits.count = 0;
    } else {
        result->count = result->hits.count;
    }
    return TRAWL_OK;
}

/* Decides whether the host should search a text. If the text is in memory, the device first counts
 * the candidates in `sample`, a part of it, unless the host is the better choice even without
 * candidates. If not, the sample is empty, and the text is assumed to be random. */
static enum trawl_status decide_host(struct approximate_worker *worker,
                                     const struct engine_chunk *sample,
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

static const struct layer layer = {.worker_bytes = sizeof(struct approximate_worker),
                                   .begin = plan_begin,
                                   .end = plan_end,
                                   .close = worker_end,
                                   .step = decide};

static enum trawl_status approximate_compile(struct engine *engine, uint32_t device,
                                             const struct trawl_plan *plan,
                                             struct engine_worker **worker,
                                             struct trawl_error *error)
{
    return refine_compile(&layer, engine, device, plan, worker, error);
}

static enum trawl_status approximate_submit(struct engine_worker *engine_worker,
                                            struct engine_task *task, struct trawl_error *error)
{
    struct approximate_worker *worker = (struct approximate_worker *)engine_worker;

    if (task->output != ENGINE_OUTPUT_RESULT)
        return TRAWL_FAIL(error, UNSUPPORTED, "a plan with errors cannot write to a device");
    if (task->want == WANT_NOTHING)
        return decide_host(worker, task->chunk, task->result, error);
    return refine_scan(&worker->refiner, task, error);
}

/* Tells the prices for a core with AVX2. */
static enum trawl_status explain(const struct trawl_plan *plan, char *lines, uint64_t lines_bytes,
                                 struct trawl_error *error)
{
    const struct approximate *made;
    uint64_t used = 0;

    TRAWL_TRY(approx_want(plan, NULL, &made, error));
    used += (uint64_t)snprintf(lines, lines_bytes, "method: %s\nwhy: the least expected cost\n",
                               approx_method_name(made->method));
    if (made->method != made->method_dense)
        used += (uint64_t)snprintf(
            lines + used, lines_bytes - used,
            "expected ns per byte of text, pieces: %.4f, and %.0f for each candidate\n"
            "expected ns per byte of text, %s: %.4f\ntrials: the CPU tries these two in turn\n",
            made->pieces_ns, made->candidate_ns, approx_method_name(made->method_dense),
            made->dense_ns);
    used += (uint64_t)snprintf(lines + used, lines_bytes - used,
                               "expected ns per byte of text, host: %.4f\n"
                               "expected ns per byte of text, device, which searches by %s: %.4f\n",
                               made->host_ns, approx_method_name(made->method_on_device),
                               made->device_ns);
    TRAWL_ASSERT(used < lines_bytes);
    return TRAWL_OK;
}

const struct engine_ops engine_approximate = {.compile = approximate_compile,
                                              .release = refine_release,
                                              .submit = approximate_submit,
                                              .explain = explain};
