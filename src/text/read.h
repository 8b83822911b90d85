/* read: a stream's bytes, unpacked where they are compressed. */
#ifndef TRAWL_TEXT_READ_H
#define TRAWL_TEXT_READ_H

#include "text/text.h"

/* One read of a stream: at least one byte, or 0 at its end. Waits as long as it takes, or until
 * the descriptor `wake` (-1: none) is readable: STOPPED. offset: of the text. */
enum trawl_status read_stream(const struct trawl_text *text, int wake, uint64_t offset,
                              uint8_t *buffer, uint64_t count, uint64_t *read_bytes,
                              struct trawl_error *error);

/* Would a read of the stream return at once? */
bool read_is_ready(const struct trawl_text *text);

#endif
