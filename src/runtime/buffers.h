/* buffers: what chunks of text are read into, within the runtime's budget. */
#ifndef TRAWL_RUNTIME_BUFFERS_H
#define TRAWL_RUNTIME_BUFFERS_H

#include "runtime/runtime.h"

/* A buffer of at least `bytes` for a worker's next chunk: MEMORY if the runtime's budget forbids
 * it. Released with runtime_buffer_release. Without locks. */
enum trawl_status runtime_buffer_reserve(struct trawl_runtime *runtime, struct text_buffer *buffer,
                                         uint64_t bytes, struct trawl_error *error);
void runtime_buffer_release(struct trawl_runtime *runtime, struct text_buffer *buffer);

/* Room for pinned buffers that are not in use; and release all of them, before the devices are
 * closed. */
enum trawl_status buffers_open(struct devices *devices);
void buffers_close(struct devices *devices);
/* A pinned buffer of at least `bytes`, of `all`, or of those that keep the devices' workers busy;
 * false: there is none to be had now. */
bool devices_buffer_take(struct devices *devices, uint64_t bytes, bool all,
                         struct text_buffer *buffer);
void devices_buffer_give(struct devices *devices, struct text_buffer *buffer);

#endif
