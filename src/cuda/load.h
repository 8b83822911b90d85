/* load: texts go to devices, and stay there. */
#ifndef TRAWL_CUDA_LOAD_H
#define TRAWL_CUDA_LOAD_H

#include "cuda/open.h"

/* Keep a copy of these bytes on a device: scans of chunks that lie in [bytes, bytes + count) use it
 * and read nothing of the host's. The bytes may not change until cuda_residents_unload(bytes).
 * `anew`: also if they are loaded; else that is left as it is.
 * Errors: MEMORY, DEVICE; LIMIT: too many. Threads: any, but not during scans of these bytes. */
enum trawl_status cuda_residents_load(struct engine *engine, const uint8_t *bytes, uint64_t count,
                                      bool anew, struct trawl_error *error);
void cuda_residents_unload(struct engine *engine, const uint8_t *bytes);
/* Two more of engine_ops.hold. */
enum trawl_status cuda_residents_lend(struct engine *engine, const uint8_t *bytes, uint64_t count,
                                      uint64_t address, struct trawl_error *error);
enum trawl_status cuda_residents_fetch(struct engine *engine, uint8_t *bytes, uint64_t count,
                                       struct trawl_error *error);

#endif
