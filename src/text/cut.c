/* cut: finds the line end at which a chunk ends, for searches that need whole lines. */
#include "text/cut.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "text/descriptor.h"

#define LOOK_BYTES 4096u /* read first; most lines are shorter */

uint64_t cut_memory(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes)
{
    const struct text_lines *lines = cursor->need.lines;
    const uint64_t rest = cursor->text->bytes_count - begin;
    uint64_t found;

    if (rest <= chunk_bytes)
        return rest;
    if (lines->record_end != NULL)
        return lines->record_end(lines->context, begin + chunk_bytes - 1) - begin;
    found = chunk_bytes - 1 +
            bytes_find_either(cursor->text->bytes + begin + chunk_bytes - 1,
                              rest - (chunk_bytes - 1), lines->line_end, lines->line_end_also);
    return found < rest ? found + 1 : rest;
}

uint64_t cut_file(const struct text_cursor *cursor, uint64_t begin, uint64_t chunk_bytes,
                  const struct text_buffer *room, enum trawl_status *status,
                  struct trawl_error *error)
{
    const struct text_lines *lines = cursor->need.lines;
    uint64_t owned = chunk_bytes - 1, wanted = min_u64(LOOK_BYTES, room->capacity), got, found;

    for (;;) {
        *status = read_file(cursor->text, begin + owned, room->bytes, wanted, &got, error);
        found = bytes_find_either(room->bytes, got, lines->line_end, lines->line_end_also);
        owned += found;
        if (found < got) {
            *status = TRAWL_OK; /* the error comes after this line: the next chunk will meet it */
            return owned + 1;
        }
        if (*status != TRAWL_OK || got < wanted)
            break;
        wanted = room->capacity;
    }
    return max_u64(owned, chunk_bytes);
}

uint64_t cut_last(const struct text_lines *lines, const uint8_t *bytes, uint64_t from,
                  uint64_t count)
{
    const uint8_t *const tail = count > from ? bytes + from : NULL;
    const uint8_t *first, *second;

    if (tail == NULL) /* asks for the pointer, since gcc warns of memrchr(NULL) with sanitizers */
        return 0;
    first = (const uint8_t *)memrchr(tail, lines->line_end, (size_t)(count - from));
    second = lines->line_end == lines->line_end_also
                 ? NULL
                 : (const uint8_t *)memrchr(tail, lines->line_end_also, (size_t)(count - from));
    if (first == NULL || (second != NULL && second > first))
        first = second;
    return first == NULL ? 0 : (uint64_t)(first - bytes) + 1;
}
