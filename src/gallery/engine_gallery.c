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

struct engine_lane {
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

static void gallery_lane_close(struct engine_lane *lane)
{
    gallery_device_close(lane->device);
    gallery_host_end(&lane->host);
    memory_release(lane, 1, sizeof *lane);
}

static enum trawl_status gallery_lane_open(struct engine *engine, struct engine_lane **lane_out,
                                           struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct engine_lane *lane;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *lane, &memory, error));
    lane = (struct engine_lane *)memory;
    if (engine->cuda != NULL)
        TRAWL_TRY_DONE(gallery_device_open(engine->cuda, &lane->device, error));
    *lane_out = lane;
    lane = NULL;
done:
    if (lane != NULL)
        gallery_lane_close(lane);
    return status;
}

static enum trawl_status gallery_lane_begin(struct engine_lane *lane, const struct trawl_plan *plan,
                                            struct trawl_error *error)
{
    lane->plan = plan;
    return lane->device != NULL ? gallery_device_begin(lane->device, plan, error)
                                : gallery_host_begin(&lane->host, plan, error);
}

static enum trawl_status gallery_scan(struct engine_lane *lane, const struct engine_chunk *chunk,
                                      uint64_t from, enum engine_want want,
                                      struct engine_result *result, struct trawl_error *error)
{
    return lane->device != NULL
               ? gallery_device_scan(lane->device, chunk, from, want, result, error)
               : gallery_host_scan(&lane->host, chunk, from, want, result, error);
}

static enum trawl_status gallery_matrix(struct engine_lane *lane, struct engine_matrix *matrix,
                                        struct engine_result *result, struct trawl_error *error)
{
    return gallery_matrix_fill(lane->plan, lane->device, matrix, result, error);
}

const struct engine_ops engine_gallery = {.name = "gallery",
                                          .open = gallery_open,
                                          .close = gallery_close,
                                          .properties = gallery_properties,
                                          .lane_open = gallery_lane_open,
                                          .lane_close = gallery_lane_close,
                                          .lane_begin = gallery_lane_begin,
                                          .scan = gallery_scan,
                                          .matrix = gallery_matrix};
