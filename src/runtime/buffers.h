/* buffers: the memory into which chunks of text are read, within the runtime's limit
 * (memory_max). */
#ifndef TRAWL_RUNTIME_BUFFERS_H
#define TRAWL_RUNTIME_BUFFERS_H

#include "runtime/runtime.h"

struct search;

/* Makes room for at least `bytes` in the buffer; if it grows, its contents are lost. Release it
 * with runtime_buffer_release. Errors: MEMORY, also if the runtime's limit would be exceeded. The
 * caller must hold no lock. */
enum trawl_status runtime_buffer_reserve(struct trawl_runtime *runtime, struct text_buffer *buffer,
                                         uint64_t bytes, struct trawl_error *error);
/* Like runtime_buffer_reserve, but keeps the buffer's first `kept` bytes. */
enum trawl_status runtime_buffer_grow(struct trawl_runtime *runtime, struct text_buffer *buffer,
                                      uint64_t kept, uint64_t bytes, struct trawl_error *error);
/* Counts `bytes` as used; runtime_unreserve undoes this. Returns false, and counts nothing, if the
 * runtime's limit would be exceeded. *used is what was in use before. */
bool runtime_reserve(struct trawl_runtime *runtime, uint64_t bytes, uint64_t *used);
void runtime_unreserve(struct trawl_runtime *runtime, uint64_t bytes);
/* Counts `bytes` as used for the window of the search's decoder, if more than what has been counted
 * for it so far. Errors: MEMORY if the runtime's limit would be exceeded. */
enum trawl_status search_count_window(struct search *search, uint64_t bytes,
                                      struct trawl_error *error);
void runtime_buffer_release(struct trawl_runtime *runtime, struct text_buffer *buffer);

/* Allocates the list of idle pinned buffers. buffers_close releases the list and the buffers, and
 * must be called before the devices are closed. */
enum trawl_status buffers_open(struct devices *devices);
void buffers_close(struct devices *devices);
/* Takes a pinned buffer of at least `bytes`. Returns false if too many are in use, if the runtime's
 * limit would be exceeded, or if the driver cannot pin memory. With `all`, pinned_capacity buffers
 * may be in use; otherwise four for each device worker, enough to keep it busy. */
bool devices_buffer_take(struct devices *devices, uint64_t bytes, bool all,
                         struct text_buffer *buffer);
void devices_buffer_give(struct devices *devices, struct text_buffer *buffer);

#endif
