/* cut: ends chunks where lines end (struct text_lines). */
#ifndef TRAWL_TEXT_CUT_H
#define TRAWL_TEXT_CUT_H

#include "text/text.h"

/* Returns the owned bytes of the chunk that begins at `begin` in a text in memory: at least
 * chunk_bytes, up to a line's end. */
uint64_t cut_memory(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes);
/* As cut_memory, for a file. Reads bytes after the chunk's first chunk_bytes into `room` until a
 * line ends. If reading fails, the chunk ends where the fault is, and *status is READ. */
uint64_t cut_file(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes,
                  const struct text_buffer *room, enum trawl_status *status,
                  struct trawl_error *error);
/* As cut_file, for a chunk that is searched in the cursor's mapping: looks there first. */
uint64_t cut_mapped(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes,
                    const struct text_buffer *room, enum trawl_status *status,
                    struct trawl_error *error);
/* Finds the last line end in bytes[from, count), and returns the number of bytes up to and with the
 * line end; 0 if there is no line end. */
uint64_t cut_last(const struct text_lines *lines, const uint8_t *bytes, uint64_t from,
                  uint64_t count);

#endif
