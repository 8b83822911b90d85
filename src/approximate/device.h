/* device: the half of the approximate engine that lies on a device: pieces by the CUDA engine's
 * sets, or by grams, in kernels of its own (kernels/grams.cu). What it finds are candidates, which
 * the host verifies. */
#ifndef TRAWL_APPROXIMATE_DEVICE_H
#define TRAWL_APPROXIMATE_DEVICE_H

#include "approximate/collect.h"
#include "engine.h"

struct approx_device;

/* A worker of the CUDA engine on device `index` (ENGINE_DEVICES_MAX: any), for this engine's
 * kernels. Errors: MEMORY, DEVICE. */
enum trawl_status approx_device_open(struct engine *cuda, uint32_t index,
                                     struct approx_device **device, struct trawl_error *error);
void approx_device_close(struct approx_device *device); /* NULL: nothing */
/* Searches are by this from now on. Errors: MEMORY, DEVICE, UNSUPPORTED (a device has no method).
 */
enum trawl_status approx_device_begin(struct approx_device *device,
                                      const struct approximate *approximate,
                                      struct trawl_error *error);
/* Candidates of all occurrences that begin in [from, to) of the chunk; `to` is lessened where that
 * would be too many for one step, but is more than `from`. Errors: MEMORY, DEVICE. */
enum trawl_status approx_device_candidates(struct approx_device *device,
                                           const struct engine_chunk *chunk, uint64_t from,
                                           uint64_t *to, struct approx_candidates *candidates,
                                           struct trawl_error *error);
/* The candidates of a byte of the chunk. Errors: likewise. */
enum trawl_status approx_device_rate(struct approx_device *device, const struct engine_chunk *chunk,
                                     double *rate, struct trawl_error *error);
/* What making its tables takes, if they are not there. */
double approx_device_ready_ns(const struct approx_device *device);
/* Are the chunk's bytes in the memory of a device? */
bool approx_device_holds(const struct approx_device *device, const struct engine_chunk *chunk);

#endif
