/* buffers: the memory into which chunks of text are read, up to the runtime's memory_max. */
#ifndef TRAWL_RUNTIME_BUFFERS_H
#define TRAWL_RUNTIME_BUFFERS_H

#include "runtime/runtime.h"

struct search;

/* Makes the buffer hold at least `bytes`; its contents are lost if it grows. Released with
 * runtime_buffer_release. Errors: MEMORY, also if the runtime's limit would be exceeded. The caller
 * holds no lock. */
enum trawl_status runtime_buffer_reserve(struct trawl_runtime *runtime, struct text_buffer *buffer,
                                         uint64_t bytes, struct trawl_error *error);
/* Like runtime_buffer_reserve, but keeps the buffer's first `kept` bytes. */
enum trawl_status runtime_buffer_grow(struct trawl_runtime *runtime, struct text_buffer *buffer,
                                      uint64_t kept, uint64_t bytes, struct trawl_error *error);
/* Counts `bytes` bytes as used, for memory other than buffers. Returns false, and counts nothing,
 * if the runtime's limit would be exceeded. runtime_unreserve undoes this. */
bool runtime_reserve(struct trawl_runtime *runtime, uint64_t bytes);
void runtime_unreserve(struct trawl_runtime *runtime, uint64_t bytes);
/* Counts `bytes` bytes as used for a decoder's window, in place of the smaller number that was
 * counted for it before; does nothing if that was not smaller. Fails with MEMORY if the runtime's
 * limit would be exceeded. */
enum trawl_status search_count_window(struct search *search, uint64_t bytes,
                                      struct trawl_error *error);
void runtime_buffer_release(struct trawl_runtime *runtime, struct text_buffer *buffer);

/* Makes room for the list of idle pinned buffers. buffers_close releases these buffers, and must be
 * called before the devices are closed. */
enum trawl_status buffers_open(struct devices *devices);
void buffers_close(struct devices *devices);
/* Takes a pinned buffer of at least `bytes`. Returns false if no further buffer may be in use, if
 * there is no memory within the runtime's limit, or if the driver cannot pin it. With `all`,
 * pinned_capacity buffers may be in use; otherwise four for each worker of devices, enough to keep
 * them busy. */
bool devices_buffer_take(struct devices *devices, uint64_t bytes, bool all,
                         struct text_buffer *buffer);
void devices_buffer_give(struct devices *devices, struct text_buffer *buffer);

#endif
