/* cut: finds the line end at which a chunk ends, for searches that need whole lines. */
#ifndef TRAWL_TEXT_CUT_H
#define TRAWL_TEXT_CUT_H

#include "text/text.h"

/* Returns the length of the chunk that begins at `begin` in a text in memory: chunk_bytes, and then
 * up to the end of that line or record, or of the text. */
uint64_t cut_memory(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes);
/* Like cut_memory, for a file: reads into `room`, starting with the chunk's byte chunk_bytes - 1,
 * until a line ends. If reading fails first, the chunk ends there, and *status is READ. */
uint64_t cut_file(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes,
                  const struct text_buffer *room, enum trawl_status *status,
                  struct trawl_error *error);
/* Returns the offset after the last line end in bytes[from, count); 0 if there is none. */
uint64_t cut_last(const struct text_lines *lines, const uint8_t *bytes, uint64_t from,
                  uint64_t count);

#endif
