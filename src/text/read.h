/* read: reads a stream's bytes, and decompresses a compressed stream. */
#ifndef TRAWL_TEXT_READ_H
#define TRAWL_TEXT_READ_H

#include "text/text.h"

/* Reads 1 to `count` bytes of a stream; sets *read_bytes to the number, which is 0 at the stream's
 * end. Waits for bytes. If the descriptor `wake` becomes readable meanwhile, returns STOPPED;
 * `wake` may be -1, for no descriptor. `offset` is the next byte's offset in the text, for messages
 * and for regular files. */
enum trawl_status read_stream(const struct trawl_text *text, int wake, uint64_t offset,
                              uint8_t *buffer, uint64_t count, uint64_t *read_bytes,
                              struct trawl_error *error);

/* Returns true if a read would return at once, now or within wait_ns < 10^9 nanoseconds. */
bool read_is_ready(const struct trawl_text *text, uint32_t wait_ns);

#endif
