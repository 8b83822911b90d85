/* device: no device takes plans with errors yet. */
#include "approximate/device.h"

enum trawl_status approx_device_open(struct engine *cuda, struct approx_device **device,
                                     struct trawl_error *error)
{
    (void)cuda;
    *device = NULL;
    return TRAWL_FAIL(error, UNSUPPORTED, "devices do not search with errors");
}

void approx_device_close(struct approx_device *device)
{
    (void)device;
}

enum trawl_status approx_device_begin(struct approx_device *device,
                                      const struct approximate *approximate,
                                      struct trawl_error *error)
{
    (void)device;
    (void)approximate;
    return TRAWL_FAIL(error, UNSUPPORTED, "devices do not search with errors");
}

enum trawl_status approx_device_candidates(struct approx_device *device,
                                           const struct engine_chunk *chunk, uint64_t from,
                                           uint64_t *to, struct approx_candidates *candidates,
                                           struct trawl_error *error)
{
    (void)device;
    (void)chunk;
    (void)from;
    (void)to;
    (void)candidates;
    return TRAWL_FAIL(error, UNSUPPORTED, "devices do not search with errors");
}
