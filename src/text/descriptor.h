/* descriptor: reads files with pread(2), and streams with read(2) and poll(2). */
#ifndef TRAWL_TEXT_DESCRIPTOR_H
#define TRAWL_TEXT_DESCRIPTOR_H

#include "text/text.h"

/* Reads `count` bytes at this offset with pread; fewer only if the file ends or reading fails. */
enum trawl_status read_file(const struct trawl_text *text, uint64_t offset, uint8_t *buffer,
                            uint64_t count, uint64_t *read_bytes, struct trawl_error *error);

/* Reads the descriptor's own bytes, which are the compressed ones of a compressed text. With
 * from_file, calls pread at `offset` of the text. Otherwise waits for 1 to `count` bytes of the
 * stream, 0 at its end; returns STOPPED if `wake` becomes readable. */
enum trawl_status read_bytes_of(const struct trawl_text *text, bool from_file, int wake,
                                uint64_t offset, uint8_t *buffer, uint64_t count,
                                uint64_t *read_bytes, struct trawl_error *error);
/* Returns true if a read of this descriptor would not block, now or within wait_ns < 10^9
 * nanoseconds; false if it is -1. */
bool read_is_ready(int descriptor, uint32_t wait_ns);

#endif
