/* cut: ends chunks where lines end (struct text_lines). */
#ifndef TRAWL_TEXT_CUT_H
#define TRAWL_TEXT_CUT_H

#include "text/text.h"

/* Returns the owned bytes of the chunk that begins at `begin` in a text in memory: at least
 * chunk_bytes, up to a line's end. */
uint64_t cut_memory(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes);
/* As cut_memory, for a file, of which the function reads what follows the first chunk_bytes. A
 * fault is left for the chunk's own read to find. `room` is memory to read into. */
uint64_t cut_file(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes,
                  const struct text_buffer *room);
/* Returns the bytes of `bytes` up to the last line end at or after `from`; 0 if there is none. */
uint64_t cut_last(const struct text_lines *lines, const uint8_t *bytes, uint64_t from,
                  uint64_t count);

#endif
