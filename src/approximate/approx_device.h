/* approx_device: finds the candidates of an approximate search on a device. The method PIECES uses
 * the CUDA engine's kernels for sets of strings, the method GRAMS uses kernels/grams.cu. The host
 * verifies the candidates. */
#ifndef TRAWL_APPROXIMATE_APPROX_DEVICE_H
#define TRAWL_APPROXIMATE_APPROX_DEVICE_H

#include "approximate/collect.h"
#include "refine/refine.h"

struct approx_device;

/* Prepares the refiner's worker on a device for approximate searches. Errors: MEMORY. */
enum trawl_status approx_device_open(struct refiner *refiner, struct approx_device **device,
                                     struct trawl_error *error);
void approx_device_close(struct approx_device *device);
/* Makes `approximate` the plan of later searches. Errors: MEMORY, DEVICE; UNSUPPORTED if the
 * tables would be too large. */
enum trawl_status approx_device_begin(struct approx_device *device,
                                      const struct approximate *approximate,
                                      struct trawl_error *error);
/* If the method is PIECES, compiles the plan's pieces for the device, unless that has been done.
 * The functions below call this one where necessary. Errors: MEMORY, DEVICE, UNSUPPORTED. */
enum trawl_status approx_device_prepare(struct approx_device *device, struct trawl_error *error);
/* Does one step of a search: finds the candidates of all occurrences that begin in [from, *to) of
 * the chunk. If there are too many, lowers *to, but not down to `from`. Errors: MEMORY, DEVICE,
 * UNSUPPORTED; STOPPED if the call to which the chunk belongs is over. */
enum trawl_status approx_device_candidates(struct approx_device *device,
                                           const struct engine_chunk *chunk, uint64_t from,
                                           uint64_t *to, struct approx_candidates *candidates,
                                           struct trawl_error *error);
/* Measures the number of candidates per byte of the chunk. Errors: MEMORY, DEVICE,
 * UNSUPPORTED. */
enum trawl_status approx_device_rate(struct approx_device *device, const struct engine_chunk *chunk,
                                     double *rate, struct trawl_error *error);
/* Returns the expected time to build the tables of the method GRAMS, in ns; 0 if they exist or the
 * method is PIECES. */
double approx_device_ready_ns(const struct approx_device *device);
/* Returns true if the memory of some device contains the chunk's bytes. */
bool approx_device_holds(const struct approx_device *device, const struct engine_chunk *chunk);

#ifdef TRAWL_NO_DEVICES /* such a build opens no device, and calls none of these functions */
#pragma weak approx_device_open
#pragma weak approx_device_close
#pragma weak approx_device_begin
#pragma weak approx_device_prepare
#pragma weak approx_device_candidates
#pragma weak approx_device_rate
#pragma weak approx_device_ready_ns
#pragma weak approx_device_holds
#endif

#endif
