/* cuda_load: copies texts to devices, where they stay */
#ifndef TRAWL_CUDA_CUDA_LOAD_H
#define TRAWL_CUDA_CUDA_LOAD_H

#include "cuda/open.h"

/* Keeps a copy of the text on devices for text->owner, so that searches need not copy the host's
 * bytes again. A borrowed text, which the caller has put on a device, is searched only on that
 * device. The bytes may not change before the owner drops the text. If exactly these bytes are
 * held already, only ENGINE_HOLD_ANEW copies them again. If the copy fails, no owner holds these
 * bytes any more. Errors: MEMORY, DEVICE; LIMIT if too many texts are loaded; ARGUMENT if a
 * borrowed text lies on no device that the engine uses. Threads: any, but not during scans of
 * these bytes. */
enum trawl_status cuda_residents_hold(struct engine *engine, const struct engine_text *text,
                                      struct trawl_error *error);
void cuda_residents_drop(struct engine *engine, const struct engine_text *text);
/* Drops the texts of all owners, before the engine is closed. */
void cuda_residents_end(struct engine *engine);
/* Finds the device in whose memory memory->bytes lies (ENGINE_HOLD_MEMORY). */
enum trawl_status cuda_find_memory(struct engine *engine, struct engine_text *memory,
                                   struct trawl_error *error);
/* Copies a borrowed text to `bytes` in host memory (ENGINE_HOLD_FETCHED). */
enum trawl_status cuda_residents_fetch(struct engine *engine, uint8_t *bytes, uint64_t count,
                                       struct trawl_error *error);

#endif
