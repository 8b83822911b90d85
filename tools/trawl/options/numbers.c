/* numbers: the numbers by which reports name the strings of each pattern. The plan has each string
 * once, while users count every string that they gave, so a pattern may have several numbers.
 * numbers_build makes the lists of numbers once for a job; patterns_place says where a pattern was
 * given. */
#include "trawl/options/patterns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists the numbers of the empty strings. False: no memory. */
static bool collect_empty(struct numbers *numbers, const struct patterns *patterns)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < patterns->column_count; i++)
        count += patterns->columns[i] == PATTERN_EMPTY;
    if (count == 0)
        return true;
    numbers->empty = malloc((size_t)count * sizeof *numbers->empty);
    if (numbers->empty == NULL)
        return false;
    for (uint64_t i = 0; i < patterns->column_count; i++)
        if (patterns->columns[i] == PATTERN_EMPTY)
            numbers->empty[numbers->empty_count++] = i + 1;
    return true;
}

bool numbers_build(struct numbers *numbers, const struct patterns *patterns)
{
    uint64_t listed = 0;

    if (patterns->column_count == patterns->count)
        return true; /* no empty strings, no duplicates, no strings that lines cannot contain */
    numbers->begin = calloc((size_t)patterns->count + 1, sizeof *numbers->begin);
    numbers->list = malloc((size_t)(patterns->column_count + 1) * sizeof *numbers->list);
    if (numbers->begin == NULL || numbers->list == NULL || !collect_empty(numbers, patterns))
        return false;
    for (uint64_t i = 0; i < patterns->column_count; i++)
        if (patterns->columns[i] < PATTERN_NEVER)
            numbers->begin[patterns->columns[i]]++;
    /* begin[i] is the size of list i, and becomes the end of list i. */
    for (uint64_t i = 0; i <= patterns->count; i++) {
        listed += i < patterns->count ? numbers->begin[i] : 0;
        numbers->begin[i] = listed;
    }
    /* Fills each list from its end, so that begin[i] becomes the start of list i. */
    for (uint64_t i = patterns->column_count; i-- > 0;)
        if (patterns->columns[i] < PATTERN_NEVER)
            numbers->list[--numbers->begin[patterns->columns[i]]] = i + 1;
    return true;
}

#define LINE_MAX_BYTES 24 /* room for a line's number, and what is next to it */

size_t patterns_place(const struct patterns *patterns, const char *noun, const void *bytes,
                      uint64_t index, char *place, size_t room)
{
    const size_t shown = room - LINE_MAX_BYTES;
    uint64_t line = 1;

    place[0] = '\0';
    if (index < patterns->count && patterns->count > 1 && patterns->given_count == patterns->count)
        (void)snprintf(place, room, "%s %" PRIu64 " of %" PRIu64 ": ", noun, index + 1,
                       patterns->count);
    for (size_t i = 0; i < patterns->file_count; i++) {
        const struct pattern_file *file = &patterns->files[i];

        if ((const char *)bytes < file->bytes ||
            (const char *)bytes >= file->bytes + file->bytes_count)
            continue;
        for (const char *at = file->bytes; at < (const char *)bytes; at++)
            line += *at == '\n';
        (void)snprintf(place, room, "%.*s:%" PRIu64 ": ",
                       (int)(shown < SHOWN_NAME_MAX ? shown : SHOWN_NAME_MAX), file->name, line);
    }
    return strlen(place);
}
