/* engine_gallery: the engine's table. */
#include "gallery/engine_gallery.h"

#include "base/memory.h"
#include "cuda/engine_cuda.h"
#include "gallery/device.h"
#include "gallery/host.h"
#include "gallery/matrix.h"

struct engine {
    struct engine *cuda; /* NULL: the host's cores */
};

struct engine_worker {
    struct gallery_device *device; /* NULL: the host */
    struct gallery_host host;
    const struct trawl_plan *plan;
};

static enum trawl_status gallery_open(const struct engine_options *options, struct engine **engine,
                                      struct trawl_error *error)
{
    void *memory;

    TRAWL_TRY(memory_allocate(1, sizeof **engine, &memory, error));
    *engine = (struct engine *)memory;
    (*engine)->cuda = options->cuda;
    return TRAWL_OK;
}

static void gallery_close(struct engine *engine)
{
    memory_release(engine, 1, sizeof *engine);
}

static void gallery_properties(struct engine *engine, struct engine_properties *properties)
{
    *properties = (struct engine_properties){.name = engine->cuda == NULL ? "cpu" : "cuda",
                                             .instruction_set = ""};
}

static void gallery_worker_close(struct engine_worker *worker)
{
    gallery_device_close(worker->device);
    gallery_host_end(&worker->host);
    memory_release(worker, 1, sizeof *worker);
}

static enum trawl_status gallery_worker_open(struct engine *engine,
                                             struct engine_worker **worker_out,
                                             struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct engine_worker *worker;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *worker, &memory, error));
    worker = (struct engine_worker *)memory;
    if (engine->cuda != NULL)
        TRAWL_TRY_DONE(gallery_device_open(engine->cuda, &worker->device, error));
    *worker_out = worker;
    worker = NULL;
done:
    if (worker != NULL)
        gallery_worker_close(worker);
    return status;
}

static enum trawl_status gallery_worker_begin(struct engine_worker *worker,
                                              const struct trawl_plan *plan,
                                              struct trawl_error *error)
{
    worker->plan = plan;
    return worker->device != NULL ? gallery_device_begin(worker->device, plan, error)
                                  : gallery_host_begin(&worker->host, plan, error);
}

static enum trawl_status gallery_scan(struct engine_worker *worker,
                                      const struct engine_chunk *chunk, uint64_t from,
                                      enum engine_want want, struct engine_result *result,
                                      struct trawl_error *error)
{
    return worker->device != NULL
               ? gallery_device_scan(worker->device, chunk, from, want, result, error)
               : gallery_host_scan(&worker->host, chunk, from, want, result, error);
}

static enum trawl_status gallery_matrix(struct engine_worker *worker, struct engine_matrix *matrix,
                                        struct engine_result *result, struct trawl_error *error)
{
    return gallery_matrix_fill(worker->plan, worker->device, matrix, result, error);
}

const struct engine_ops engine_gallery = {.name = "gallery",
                                          .open = gallery_open,
                                          .close = gallery_close,
                                          .properties = gallery_properties,
                                          .worker_open = gallery_worker_open,
                                          .worker_close = gallery_worker_close,
                                          .worker_begin = gallery_worker_begin,
                                          .scan = gallery_scan,
                                          .matrix = gallery_matrix};
