/* load: texts go to devices, and stay there. */
#ifndef TRAWL_CUDA_LOAD_H
#define TRAWL_CUDA_LOAD_H

#include "cuda/open.h"

/* Keep a copy of the text on devices, or a borrowed text where it is, for its owner: scans of
 * chunks that lie in the text use it and read nothing of the host's. The bytes may not change
 * before the owner drops the text. A text of exactly these bytes that is held already is copied
 * again by ENGINE_HOLD_ANEW alone. If the copy fails, nobody holds these bytes any more. Errors:
 * MEMORY, DEVICE; LIMIT: too many. Threads: any, but not during scans of these bytes. */
enum trawl_status cuda_residents_hold(struct engine *engine, const struct engine_text *text,
                                      struct trawl_error *error);
void cuda_residents_drop(struct engine *engine, const struct engine_text *text);
/* Of all owners: before the engine is closed. */
void cuda_residents_end(struct engine *engine);
/* ENGINE_HOLD_MEMORY. */
enum trawl_status cuda_find_memory(struct engine *engine, struct engine_text *memory,
                                   struct trawl_error *error);
/* ENGINE_HOLD_FETCHED. */
enum trawl_status cuda_residents_fetch(struct engine *engine, uint8_t *bytes, uint64_t count,
                                       struct trawl_error *error);

#endif
