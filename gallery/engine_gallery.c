/* engine_gallery: defines the gallery's table of engine functions. */
#include "gallery/engine_gallery.h"

#include "base/memory.h"
#include "gallery/gallery_device.h"
#include "gallery/gallery_host.h"

struct engine_worker {
    struct gallery_device *device; /* NULL: the worker runs on the host */
    struct gallery_host host;
    struct gallery_matrix *matrix; /* tables of a plan for records; NULL: a plan for texts */
    const struct trawl_plan *plan;
};

static void gallery_release(struct engine_worker *worker)
{
    gallery_device_close(worker->device);
    gallery_host_end(&worker->host);
    gallery_matrix_close(worker->matrix);
    memory_release(worker, 1, sizeof *worker);
}

static enum trawl_status worker_open(struct engine *engine, uint32_t device,
                                     struct engine_worker **worker_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct engine_worker *worker;

    TRAWL_TRY(MEMORY_ZEROED(worker, 1, error));
    if (device != ENGINE_HOST)
        TRAWL_TRY_DONE(gallery_device_open(engine, &worker->device, error));
    *worker_out = worker;
    worker = NULL;
done:
    if (worker != NULL)
        gallery_release(worker);
    return status;
}

/* The CUDA engine picks the device, whatever `device` says. */
static enum trawl_status gallery_compile(struct engine *engine, uint32_t device,
                                         const struct trawl_plan *plan,
                                         struct engine_worker **worker, struct trawl_error *error)
{
    if (*worker == NULL)
        TRAWL_TRY(worker_open(engine, device, worker, error));
    if (plan == NULL)
        return TRAWL_OK;
    (*worker)->plan = plan;
    gallery_matrix_close((*worker)->matrix);
    (*worker)->matrix = NULL;
    if (plan->algorithm.for_records)
        TRAWL_TRY(gallery_matrix_open(plan, &(*worker)->matrix, error));
    return (*worker)->device != NULL ? gallery_device_begin((*worker)->device, plan, error)
                                     : gallery_host_begin(&(*worker)->host, plan, error);
}

/* Fills the row of a record that may hold an occurrence. Several threads call fill_row with the
 * same worker, so fill_row changes nothing in the worker. */
static void fill_row(const struct engine_worker *worker, struct engine_matrix *matrix)
{
    const uint64_t *offsets = matrix->records.offsets;
    struct gallery_met met = {NULL, NULL};

    matrix->match_count = 0;
    if (matrix->flags != NULL && *matrix->flags == 0)
        return;
    if (matrix->flags != NULL)
        met = gallery_device_met(worker->device, matrix->flags);
    matrix->match_count = gallery_matrix_record(worker->matrix, matrix->records.bytes + offsets[0],
                                                offsets[1] - offsets[0], &met, matrix->row);
}

static enum trawl_status gallery_submit(struct engine_worker *worker, struct engine_task *task,
                                        struct trawl_error *error)
{
    if (task->output == ENGINE_OUTPUT_CELLS && task->matrix->row != NULL) {
        fill_row(worker, task->matrix);
        return TRAWL_OK;
    }
    if (task->output == ENGINE_OUTPUT_CELLS && worker->device != NULL)
        return gallery_device_flag(worker->device, &task->matrix->records, task->matrix->flags,
                                   task->result, error);
    if (task->output != ENGINE_OUTPUT_RESULT)
        return TRAWL_FAIL(error, UNSUPPORTED, "algorithm %s cannot write begins to a device",
                          worker->plan->algorithm.name);
    return worker->device != NULL ? gallery_device_scan(worker->device, task->chunk, task->from,
                                                        task->want, task->result, error)
                                  : gallery_host_scan(&worker->host, task->chunk, task->from,
                                                      task->want, task->result, error);
}

const struct engine_ops engine_gallery = {
    .compile = gallery_compile, .release = gallery_release, .submit = gallery_submit};
