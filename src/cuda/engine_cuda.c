/* engine_cuda: implements struct engine_ops for NVIDIA GPUs. Each function enters the device's
 * context. */
#include "cuda/engine_cuda.h"

#include "cuda/cuda_answer.h"
#include "cuda/cuda_records.h"
#include "cuda/chunk.h"
#include "cuda/cuda_load.h"
#include "cuda/open.h"
#include "cuda/cuda_pages.h"
#include "cuda/cuda_parts.h"
#include "cuda/residents.h"
#include "cuda/cuda_choose.h"
#include "cuda/cuda_scan.h"
#include "cuda/cuda_tables.h"

/* A worker waits for the device, brings a chunk's hits, and makes matches of them: 1.35 million
 * matches in 1 GiB took 5.2 ms with 3 workers, 2.5 with 8 [H200, 16 cores]. */
#define WORKERS_PER_DEVICE 8u

static void cuda_close(struct engine *engine)
{
    cuda_residents_end(cuda_engine_of(engine));
    cuda_engine_close(cuda_engine_of(engine));
}

static uint32_t cuda_devices(const struct engine *engine, uint32_t *workers)
{
    *workers = WORKERS_PER_DEVICE;
    return cuda_engine_of(engine)->device_count;
}

/* ---- Texts --------------------------------------------------------------------------------- */

/* Pins host memory for all devices, in the context of device `index`. Returns false if that
 * fails. */
static bool pin(struct cuda_engine *engine, uint32_t index, const void *bytes, uint64_t count)
{
    struct cuda_device *device = &engine->devices[index];
    void *memory = (void *)(uintptr_t)bytes;
    enum trawl_status status;
    bool pinned;

    (void)pthread_mutex_lock(&engine->lock);
    status = cuda_engine_want(engine, index, NULL);
    (void)pthread_mutex_unlock(&engine->lock);
    if (status != TRAWL_OK || cuda_device_enter(device, NULL) != TRAWL_OK)
        return false;
    /* on some systems, pinning read-only memory needs the flag READ_ONLY */
    pinned = engine->driver.host_register(memory, (size_t)count, CUDA_HOST_REGISTER_MAPPED) ==
                 CUDA_CODE_OK ||
             engine->driver.host_register(memory, (size_t)count,
                                          CUDA_HOST_REGISTER_MAPPED |
                                              CUDA_HOST_REGISTER_READ_ONLY) == CUDA_CODE_OK;
    cuda_device_leave(device);
    return pinned;
}

static bool unpin(struct cuda_engine *engine, uint32_t index, const void *bytes)
{
    struct cuda_device *device = &engine->devices[index];
    bool is_open, done;

    (void)pthread_mutex_lock(&engine->lock);
    is_open = engine->device_is_open[index];
    (void)pthread_mutex_unlock(&engine->lock);
    if (!is_open || cuda_device_enter(device, NULL) != TRAWL_OK)
        return false;
    done = engine->driver.host_unregister((void *)(uintptr_t)bytes) == CUDA_CODE_OK;
    cuda_device_leave(device);
    return done;
}

static enum trawl_status cuda_hold(struct engine *opaque, struct engine_text *text,
                                   struct trawl_error *error)
{
    struct cuda_engine *engine = cuda_engine_of(opaque);

    switch (text->how) {
    case ENGINE_HOLD_COPY:
    case ENGINE_HOLD_ANEW:
    case ENGINE_HOLD_BORROWED:
        return cuda_residents_hold(engine, text, error);
    case ENGINE_HOLD_FETCHED:
        return cuda_residents_fetch(engine, (uint8_t *)(uintptr_t)text->bytes, text->bytes_count,
                                    error);
    case ENGINE_HOLD_LOOK:
        if (cuda_residents_locate(engine, text))
            return TRAWL_OK;
        return TRAWL_FAIL(error, UNSUPPORTED, "the text is on no device");
    case ENGINE_HOLD_MEMORY:
        return cuda_find_memory(engine, text, error);
    case ENGINE_HOLD_PINNED:
        break;
    }
    if (pin(engine, text->device, text->bytes, text->bytes_count))
        return TRAWL_OK;
    return TRAWL_FAIL(error, UNSUPPORTED, "the memory cannot be pinned");
}

static bool cuda_drop(struct engine *opaque, const struct engine_text *text)
{
    struct cuda_engine *engine = cuda_engine_of(opaque);

    if (text->how == ENGINE_HOLD_PINNED)
        return unpin(engine, text->device, text->bytes);
    cuda_residents_drop(engine, text);
    return true;
}

/* ---- Workers ------------------------------------------------------------------------------ */

/* Makes `plan` the plan of *worker, which is opened first if it is NULL. The tables are copied to
 * the device only at the first scan, because this worker's thread may never get a chunk. If its
 * last search had the same plan, they are still there. */
static enum trawl_status cuda_compile(struct engine *opaque, uint32_t device,
                                      const struct trawl_plan *plan, struct engine_worker **out,
                                      struct trawl_error *error)
{
    struct cuda_engine *engine = cuda_engine_of(opaque);
    struct cuda_worker *worker = cuda_worker_of(*out);

    if (worker == NULL)
        TRAWL_TRY(cuda_worker_open(engine, device, &worker, error));
    *out = (struct engine_worker *)worker;
    if (plan == NULL)
        return TRAWL_OK;
    cuda_worker_set_plan(worker, plan);
    if (plan->literal_count > 0)
        TRAWL_TRY(cuda_tables_check(plan, error));
    cuda_parts_set_plan(worker);
    return TRAWL_OK;
}

/* ---- Scan ------------------------------------------------------------------------------- */

static enum trawl_status prepare_tables(struct cuda_worker *worker, enum want want,
                                        struct cuda_steps *steps, struct trawl_error *error)
{
    TRAWL_TRY(cuda_tables_want(worker, error));
    steps->range_bytes_max = cuda_choose_begins_max(worker, want);
    return TRAWL_OK;
}

static enum trawl_status scan(struct cuda_worker *worker, struct engine_task *task,
                              struct trawl_error *error)
{
    struct cuda_steps steps = {.text_bytes_max = UINT64_MAX,
                               .lists_first = true,
                               .prepare = prepare_tables,
                               .search = cuda_scan_range};
    struct cuda_steps by_parts = {.text_bytes_max = UINT64_MAX,
                                  .lists_first = true,
                                  .prepare = cuda_parts_build_tables,
                                  .search = cuda_parts_search};
    struct trawl_error own;
    enum trawl_status status =
        cuda_scan_chunk(worker, task->chunk, task->from, task->want,
                        task->answer == NULL && cuda_parts_are_there(worker) ? &by_parts : &steps,
                        task->result, &own);

    if (status == TRAWL_MEMORY && task->answer == NULL &&
        cuda_parts_refuse(worker)) /* try again without parts */
        status = cuda_scan_chunk(worker, task->chunk, task->from, task->want, &steps, task->result,
                                 &own);
    if (status != TRAWL_OK && error != NULL)
        *error = own;
    return status;
}

/* ---- Tasks --------------------------------------------------------------------------------- */

static enum trawl_status begins(struct cuda_worker *worker, struct engine_task *task,
                                struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(worker->device, error));
    status = cuda_begins(worker, task->chunk, task->words, error);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED)
        cuda_worker_failed(worker);
    cuda_device_leave(worker->device);
    return status;
}

/* Returns true if the device itself should drop the hits that fail the plan's conditions, as it
 * does for a loaded text. */
static bool accepts(struct cuda_worker *worker, const struct engine_task *task)
{
    const struct engine_chunk *chunk = task->chunk;
    struct cuda_place place;

    return cuda_answer_checks(worker->plan) && task->want != WANT_COUNT &&
           task->want != WANT_FIRST && chunk->kept.items == NULL &&
           cuda_worker_resident(worker, chunk->bytes, chunk->owned + chunk->after,
                                worker->plan->need_after, &place);
}

static void cuda_release(struct engine_worker *worker)
{
    cuda_worker_close(cuda_worker_of(worker));
}

static enum trawl_status cuda_submit(struct engine_worker *opaque, struct engine_task *task,
                                     struct trawl_error *error)
{
    struct cuda_worker *worker = cuda_worker_of(opaque);
    struct hits_answer hits = {.form = ANSWER_OF_HITS};
    struct engine_task accepted = *task;
    enum trawl_status status;

    switch (task->output) {
    case ENGINE_OUTPUT_BEGINS:
        return begins(worker, task, error);
    case ENGINE_OUTPUT_ANSWER:
        return cuda_answer(worker, task, scan, error);
    case ENGINE_OUTPUT_RESULT:
        break;
    }
    if (!accepts(worker, task))
        return scan(worker, task, error);
    accepted.answer = &hits;
    status = cuda_answer(worker, &accepted, scan, error);
    return status == TRAWL_MEMORY ? scan(worker, task, error) : status;
}

static const struct device_ops there = {
    .devices = cuda_devices,
    .answers = cuda_answer_is_for,
    .records_hold = cuda_records_hold,
    .records_drop = cuda_records_drop,
    .records_clear = cuda_records_clear,
    .records_rewrite = cuda_records_rewrite,
    .hold = cuda_hold,
    .drop = cuda_drop,
    .pages_make = cuda_pages_make,
    .pages_ask = cuda_pages_ask,
    .pages_drop = cuda_pages_drop,
};

const struct engine_ops engine_cuda = {
    .open = cuda_engine_open,
    .close = cuda_close,
    .compile = cuda_compile,
    .release = cuda_release,
    .submit = cuda_submit,
    .there = &there,
};
