/* rules: strings with names, of --rules. Each line of the file is a name, a tab and a string;
 * reports print the name instead of the string's number. */
#include "trawl/options/patterns.h"

#include <inttypes.h>
#include <string.h>

#include "trawl/text/message.h"

bool rules_next(struct rules *rules, char *message)
{
    const struct pattern_file *file = rules->file;
    const char *end = file->bytes + file->bytes_count;

    while (rules->next < end) {
        const char *at = rules->next, *newline = memchr(at, '\n', (size_t)(end - at)), *tab;
        size_t length = (size_t)((newline != NULL ? newline : end) - at);

        rules->next = newline != NULL ? newline + 1 : end;
        rules->line++;
        length -= length > 0 && at[length - 1] == '\r';
        if (length == 0 || *at == '#')
            continue;
        tab = memchr(at, '\t', length);
        if (tab == NULL || tab == at || tab + 1 == at + length)
            return message_fail(message, "%.*s:%" PRIu64 ": not a name, a tab and a pattern",
                                SHOWN_NAME_MAX, file->name, rules->line);
        rules->name = (struct trawl_pattern){at, (uint64_t)(tab - at)};
        rules->string = (struct trawl_pattern){tab + 1, (uint64_t)(at + length - tab - 1)};
        return true;
    }
    rules->name.bytes = NULL;
    return true;
}

bool rules_name(struct patterns *patterns, const struct trawl_pattern *name)
{
    const uint64_t column = patterns->column_count;
    struct trawl_pattern *names =
        realloc(patterns->names, (size_t)(column + 1) * sizeof *patterns->names);

    if (names == NULL)
        return false;
    patterns->names = names;
    for (uint64_t i = patterns->name_count; i < column; i++)
        names[i] = (struct trawl_pattern){NULL, 0};
    names[column] = *name;
    patterns->name_count = column + 1;
    return true;
}
