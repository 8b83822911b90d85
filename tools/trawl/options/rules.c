/* rules: strings with names, of --rules. Each line of the file is a name, a tab and a string;
 * reports print the name instead of the string's number. */
#include "trawl/options/patterns.h"

#include <inttypes.h>
#include <string.h>

#include "trawl/text/message.h"

/* Returns the offset after the line at `at`, and sets *length without its line end. */
static const char *line_after(const char *at, const char *end, size_t *length)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));

    *length = (size_t)((newline != NULL ? newline : end) - at);
    *length -= *length > 0 && at[*length - 1] == '\r';
    return newline != NULL ? newline + 1 : end;
}

/* Reads the next sequence of a FASTA file, whose name is its header's first word. */
static bool next_sequence(struct patterns *patterns, struct rules *rules, char *message)
{
    const char *header = rules->next + 1, *end = rules->file->bytes + rules->file->bytes_count;
    const uint64_t line = ++rules->line;
    size_t length, word = 0, count = 0;
    const char *at = line_after(header, end, &length), *next = at;
    char *string;

    while (word < length && header[word] != ' ' && header[word] != '\t')
        word++;
    rules->name = (struct trawl_pattern){header, word};
    while (next < end && *next != '>')
        next = line_after(next, end, &length);
    string = patterns_keep(patterns, malloc((size_t)(next - at) + 1));
    if (string == NULL)
        return message_exhausted(message);
    for (const char *from; at < next; rules->line++) {
        from = at;
        at = line_after(at, next, &length);
        memcpy(string + count, from, length);
        count += length;
    }
    rules->next = next;
    rules->string = (struct trawl_pattern){string, count};
    return count > 0 || message_fail(message, "%.*s:%" PRIu64 ": a sequence without letters",
                                     SHOWN_NAME_MAX, rules->file->name, line);
}

static bool split_pair(struct rules *rules, char *message)
{
    const char *at = rules->string.bytes, *end = at + rules->string.bytes_count;
    const char *tab = memchr(at, '\t', (size_t)(end - at));

    rules->mate = rules->string;
    if (tab == NULL)
        return true;
    rules->string.bytes_count = (uint64_t)(tab - at);
    rules->mate = (struct trawl_pattern){tab + 1, (uint64_t)(end - tab - 1)};
    return (tab > at && tab + 1 < end && memchr(tab + 1, '\t', (size_t)(end - tab - 1)) == NULL) ||
           message_fail(message, "%.*s:%" PRIu64 ": not a name and one or two primers, with tabs",
                        SHOWN_NAME_MAX, rules->file->name, rules->line);
}

bool rules_next(struct patterns *patterns, struct rules *rules, char *message)
{
    const struct pattern_file *file = rules->file;
    const char *end = file->bytes + file->bytes_count;

    if (rules->next < end && !file->has_names)
        return next_sequence(patterns, rules, message);
    while (rules->next < end) {
        const char *at = rules->next, *tab;
        size_t length;

        rules->next = line_after(at, end, &length);
        rules->line++;
        if (length == 0 || *at == '#')
            continue;
        tab = memchr(at, '\t', length);
        if (tab == NULL || tab == at || tab + 1 == at + length)
            return message_fail(message, "%.*s:%" PRIu64 ": not a name, a tab and a pattern",
                                SHOWN_NAME_MAX, file->name, rules->line);
        rules->name = (struct trawl_pattern){at, (uint64_t)(tab - at)};
        rules->string = (struct trawl_pattern){tab + 1, (uint64_t)(at + length - tab - 1)};
        return !rules->is_pair || split_pair(rules, message);
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
