/* unpack: reads a compressed text as a stream of unpacked bytes.
 *
 * The first bytes of the file decide the format. The compressed bytes go through an input buffer of
 * 64 KiB and a decoder, whose memory is bounded (codec.h). So the memory does not depend on the
 * size of the file or of the unpacked text.
 */
#ifndef TRAWL_TEXT_UNPACK_H
#define TRAWL_TEXT_UNPACK_H

#include "text/text.h"

/* Opens the unpacking of a descriptor's bytes. from_file: the descriptor is a regular file, which
 * is read by pread from `offset` on. */
enum trawl_status unpack_open(bool from_file, uint64_t offset, struct text_unpack **unpack,
                              struct trawl_error *error);
void unpack_close(struct text_unpack *unpack);

/* Reads unpacked bytes, as read_stream does: 1 to `count` bytes, or 0 at the end. */
enum trawl_status unpack_read(const struct trawl_text *text, int wake, uint8_t *buffer,
                              uint64_t count, uint64_t *read_bytes, struct trawl_error *error);

/* Returns the format's name, NULL as long as no read has shown a format. */
const char *unpack_format(const struct text_unpack *unpack);

/* Returns whether unpack_read would return at once, as far as can be known without decoding. */
bool unpack_is_ready(const struct trawl_text *text, uint32_t wait_ns);

#endif
