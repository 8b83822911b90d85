/* engine_gallery: the gallery as an engine, on the host or on a device. */
#include "gallery/engine_gallery.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "gallery/gallery_device.h"
#include "gallery/gallery_host.h"

#define FLAGGED_ROWS (1ull << 20) /* maximum number of records per call of gallery_device_flag */

struct gallery_worker {
    struct gallery_device *device; /* NULL: the host searches */
    struct gallery_host host;
    struct gallery_matrix *matrix; /* for a plan for records; NULL if the plan is for texts */
    const struct trawl_plan *plan;
    uint8_t *flags; /* per record: 0 if a device found that no pattern occurs in it, otherwise 1;
                       NULL on the host */
    uint64_t flag_count;
    uint64_t flagged; /* `flags` is filled for the records before this one */
};

/* Frees what belongs to the current plan. */
static void plan_release(struct gallery_worker *worker)
{
    gallery_matrix_close(worker->matrix);
    worker->matrix = NULL;
    memory_release(worker->flags, worker->flag_count, 1);
    worker->flags = NULL;
    worker->flag_count = worker->flagged = 0;
}

static void worker_close(struct gallery_worker *worker)
{
    if (worker->device != NULL)
        gallery_device_close(worker->device);
    gallery_host_end(&worker->host);
    plan_release(worker);
    memory_release(worker, 1, sizeof *worker);
}

static enum trawl_status worker_open(struct engine *engine, uint32_t device,
                                     struct gallery_worker **worker_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct gallery_worker *worker;

    TRAWL_TRY(MEMORY_ZEROED(worker, 1, error));
    if (device != ENGINE_HOST)
        TRAWL_TRY_DONE(gallery_device_open(engine, &worker->device, error));
    *worker_out = worker;
    worker = NULL;
done:
    if (worker != NULL)
        worker_close(worker);
    return status;
}

static void gallery_release(struct engine_worker *worker)
{
    worker_close((struct gallery_worker *)worker);
}

/* With ENGINE_HOST, the host searches. Otherwise, the CUDA engine picks a device and ignores
 * `device`. */
static enum trawl_status gallery_compile(struct engine *engine, uint32_t device,
                                         const struct trawl_plan *plan,
                                         struct engine_worker **worker_out,
                                         struct trawl_error *error)
{
    struct gallery_worker *worker = (struct gallery_worker *)*worker_out;

    if (worker == NULL)
        TRAWL_TRY(worker_open(engine, device, &worker, error));
    *worker_out = (struct engine_worker *)worker;
    if (plan == NULL)
        return TRAWL_OK;
    plan_release(worker);
    worker->plan = plan;
    if (plan->algorithm.for_records)
        TRAWL_TRY(gallery_matrix_open(plan, &worker->matrix, error));
    return worker->device != NULL ? gallery_device_begin(worker->device, plan, error)
                                  : gallery_host_begin(&worker->host, plan, error);
}

static enum trawl_status gallery_flag(struct engine_worker *engine_worker,
                                      const struct records *records, const struct engine_call *call,
                                      struct engine_result *result, struct trawl_error *error)
{
    struct gallery_worker *worker = (struct gallery_worker *)engine_worker;

    if (worker->device == NULL)
        return TRAWL_OK;
    if (worker->flags == NULL)
        TRAWL_TRY(MEMORY_NEW(worker->flags, records->count, error));
    worker->flag_count = records->count;
    result->on_device = true;
    for (; worker->flagged < records->count; worker->flagged += FLAGGED_ROWS) {
        const struct gallery_tape tape = {records->tape - records->origin,
                                          (const uint64_t *)records->offsets + worker->flagged,
                                          min_u64(FLAGGED_ROWS, records->count - worker->flagged)};

        if (engine_call_is_over(call))
            return TRAWL_STOPPED;
        TRAWL_TRY(gallery_device_flag(worker->device, &tape, worker->flags + worker->flagged,
                                      result, error));
    }
    return TRAWL_OK;
}

/* Appends a record's cells: for each pattern that occurs in it, the offset of the first occurrence.
 * Skips a record that the device did not flag. `row` is a buffer, all -1 before and after. */
static enum trawl_status add_record(const struct gallery_worker *worker,
                                    const struct records *records, uint64_t record, int64_t *row,
                                    struct cells *cells, struct trawl_error *error)
{
    uint64_t begin = records_begin(records, record), count;
    struct gallery_met met = {NULL, NULL};

    if (worker->flags != NULL && worker->flags[record] == 0)
        return TRAWL_OK;
    if (worker->flags != NULL)
        met = gallery_device_met(worker->device, worker->flags + record);
    count = gallery_matrix_record(worker->matrix, records->tape + begin,
                                  records_begin(records, record + 1) - begin, &met, row);
    if (count == 0)
        return TRAWL_OK;
    TRAWL_TRY(cells_reserve(cells, count, error));
    for (uint64_t p = 0; p < worker->plan->pattern_count; p++)
        if (row[p] >= 0) {
            cells_append(cells, record, p, (uint64_t)row[p]);
            row[p] = -1;
        }
    return TRAWL_OK;
}

/* May be called by several threads with the same worker, since it does not change the worker. */
static enum trawl_status gallery_cells(const struct engine_worker *engine_worker,
                                       const struct records *records, uint64_t from, uint64_t to,
                                       struct cells *cells, struct trawl_error *error)
{
    const struct gallery_worker *worker = (const struct gallery_worker *)engine_worker;
    uint64_t columns = worker->plan->pattern_count, record = records_beyond(records, 0, from);
    enum trawl_status status = TRAWL_OK;
    int64_t *row;

    if (columns == 0)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(row, columns, error));
    memset(row, 0xff, columns * sizeof *row);
    for (; status == TRAWL_OK && record < records->count && records_begin(records, record) < to;
         record++)
        if (records_begin(records, record) >= from)
            status = add_record(worker, records, record, row, cells, error);
    memory_release(row, columns, sizeof *row);
    return status;
}

static enum trawl_status gallery_submit(struct engine_worker *engine_worker,
                                        struct engine_task *task, struct trawl_error *error)
{
    struct gallery_worker *worker = (struct gallery_worker *)engine_worker;

    if (task->output != ENGINE_OUTPUT_RESULT)
        return TRAWL_FAIL(error, UNSUPPORTED, "algorithm %s cannot make this answer",
                          worker->plan->algorithm.name);
    return worker->device != NULL ? gallery_device_scan(worker->device, task->chunk, task->from,
                                                        task->want, task->result, error)
                                  : gallery_host_scan(&worker->host, task->chunk, task->from,
                                                      task->want, task->result, error);
}

const struct engine_ops engine_gallery = {.compile = gallery_compile,
                                          .release = gallery_release,
                                          .submit = gallery_submit,
                                          .explain = gallery_explain,
                                          .flag = gallery_flag,
                                          .cells = gallery_cells};
