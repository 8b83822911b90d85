/* engine_cuda: the engine on NVIDIA GPUs. */
#ifndef TRAWL_CUDA_ENGINE_CUDA_H
#define TRAWL_CUDA_ENGINE_CUDA_H

#include "engine.h"

/* open: ENGINE if there is no driver, no device, or none that fits; DEVICE, MEMORY. */
extern const struct engine_ops engine_cuda;

/* Keep a copy of these bytes on a device: scans of chunks that lie in [bytes, bytes + count) use it
 * and read nothing of the host's. The bytes may not change until engine_cuda_unload(bytes).
 * `anew`: also if they are loaded; else that is left as it is.
 * Errors: MEMORY, DEVICE; LIMIT: too many. Threads: any, but not during scans of these bytes. */
enum trawl_status engine_cuda_load(struct engine *engine, const uint8_t *bytes, uint64_t count,
                                   bool anew, struct trawl_error *error);
void engine_cuda_unload(struct engine *engine, const uint8_t *bytes);

/* Must the host check all occurrences, because a device knows no conditions or tails? */
bool cuda_needs_refining(const struct trawl_plan *plan);

#endif
