/* descriptor: the two system calls behind files and streams. */
#ifndef TRAWL_TEXT_DESCRIPTOR_H
#define TRAWL_TEXT_DESCRIPTOR_H

#include "text/text.h"

/* pread until `count` bytes came or the file ends. */
enum trawl_status read_file(const struct trawl_text *text, uint64_t offset, uint8_t *buffer,
                            uint64_t count, uint64_t *read_bytes, struct trawl_error *error);

/* read_stream and read_is_ready (read.h) of the descriptor itself, whose bytes may be compressed;
 * from_file: by pread from `offset` of the text on. */
enum trawl_status read_bytes_of(const struct trawl_text *text, bool from_file, int wake,
                                uint64_t offset, uint8_t *buffer, uint64_t count,
                                uint64_t *read_bytes, struct trawl_error *error);
bool read_is_ready_of(const struct trawl_text *text);

#endif
