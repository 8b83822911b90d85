/* descriptor: reads files by pread(2), and streams by read(2) and poll(2). */
#ifndef TRAWL_TEXT_DESCRIPTOR_H
#define TRAWL_TEXT_DESCRIPTOR_H

#include "text/text.h"

/* Calls pread until `count` bytes were read or the file ends. */
enum trawl_status read_file(const struct trawl_text *text, uint64_t offset, uint8_t *buffer,
                            uint64_t count, uint64_t *read_bytes, struct trawl_error *error);

/* Reads bytes of the descriptor as they are, even if compressed; otherwise as read_stream (read.h)
 * does. from_file: calls pread at the text's `offset`. */
enum trawl_status read_bytes_of(const struct trawl_text *text, bool from_file, int wake,
                                uint64_t offset, uint8_t *buffer, uint64_t count,
                                uint64_t *read_bytes, struct trawl_error *error);
/* Returns whether reading the descriptor would return at once, now or within wait_ns < 10^9. */
bool read_is_ready_of(const struct trawl_text *text, uint32_t wait_ns);
/* Returns whether the descriptor `wake`, unless -1, is readable: nobody wants further bytes. */
bool read_is_woken(int wake);

#endif
