/* cuda_load: loads texts onto devices, where they stay */
#ifndef TRAWL_CUDA_CUDA_LOAD_H
#define TRAWL_CUDA_CUDA_LOAD_H

#include "cuda/open.h"

/* Keeps a copy of the text on devices for text->owner, so that searches need not copy it again. A
 * borrowed text, which the caller has put on a device, is searched only there. The bytes must not
 * change until the owner drops the text. If exactly these bytes are held already, they are copied
 * again only for ENGINE_HOLD_ANEW. If the copy fails, no owner holds these bytes any more. Errors:
 * MEMORY, DEVICE; LIMIT if too many texts are loaded; ARGUMENT if a borrowed text is on no device
 * that the engine uses. Threads: any, but not during scans of these bytes. */
enum trawl_status cuda_residents_hold(struct cuda_engine *engine, const struct engine_text *text,
                                      struct trawl_error *error);
/* Fails with MEMORY if a loaded text of `bytes` bytes, or its filter, would leave too little of the
 * device's memory for searches. The device's context is current. */
enum trawl_status cuda_load_room(const struct cuda_worker *worker, uint64_t bytes,
                                 struct trawl_error *error);
void cuda_residents_drop(struct cuda_engine *engine, const struct engine_text *text);
/* Drops the texts of all owners; called before the engine is closed. */
void cuda_residents_end(struct cuda_engine *engine);
/* Finds the device in whose memory memory->bytes is (ENGINE_HOLD_MEMORY). */
enum trawl_status cuda_find_memory(struct cuda_engine *engine, struct engine_text *memory,
                                   struct trawl_error *error);
/* Copies a borrowed text to `bytes` in host memory (ENGINE_HOLD_FETCHED). */
enum trawl_status cuda_residents_fetch(struct cuda_engine *engine, uint8_t *bytes, uint64_t count,
                                       struct trawl_error *error);

#endif
