/* unpack: a compressed text read as a stream of its bytes.
 *
 * The first bytes of the file tell the format. The bytes go through an input buffer of 64 KiB and
 * one decoder, whose memory is bounded (codec.h). Nothing else is kept, so a text of any size, even
 * if far larger than its file, takes the same memory.
 */
#ifndef TRAWL_TEXT_UNPACK_H
#define TRAWL_TEXT_UNPACK_H

#include "text/text.h"

/* Of a descriptor; from_file: it is a regular file, read by pread from `offset` on. */
enum trawl_status unpack_open(bool from_file, uint64_t offset, struct text_unpack **unpack,
                              struct trawl_error *error);
void unpack_close(struct text_unpack *unpack);

/* As read_stream: at least one byte, or 0 at the end. */
enum trawl_status unpack_read(const struct trawl_text *text, int wake, uint8_t *buffer,
                              uint64_t count, uint64_t *read_bytes, struct trawl_error *error);

/* Would a read return at once, as far as is known without decoding? */
bool unpack_is_ready(const struct trawl_text *text);

#endif
