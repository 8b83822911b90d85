/* patterns_hint: what may be wrong with strings that were found nowhere. */
#include "trawl/options/patterns.h"

#include <ctype.h>
#include <stdio.h>

#include "trawl/options/encoding.h"
#include "trawl/text/message.h"
#include "trawl/options/flag_table.h"
#include "trawl/options/settings.h"

/* Returns a part of the string by which it looks like an expression; NULL: it does not. */
static const char *expression_sign(const struct trawl_pattern *pattern)
{
    static const char *const signs[] = {"|",   ".*",  ".+",    "\\d",  "\\w",
                                        "\\s", "\\b", "[0-9]", "[a-z]"};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (memmem(pattern->bytes, pattern->bytes_count, signs[i], strlen(signs[i])) != NULL)
            return signs[i];
    return pattern->bytes_count > 1 && *(const char *)pattern->bytes == '^' ? "^" : NULL;
}

/* Returns true if the strings were taken for strings only because no option says what they are. */
static bool are_strings_unasked(const struct settings *settings)
{
    for (size_t i = 0; i < settings->arguments.given_count; i++)
        if (settings->arguments.given[i].flag->target == FLAG_FIXED)
            return false;
    return !settings->is_tg && !settings->expressions && !settings->hex && !settings->fasta;
}

bool patterns_hint(const struct patterns *patterns, const struct settings *settings, char *message)
{
    if (settings->surroundings.output_is_terminal && patterns->file_count == 0 &&
        are_strings_unasked(settings))
        for (uint64_t i = 0; i < patterns->count; i++)
            if (expression_sign(&patterns->items[i]) != NULL)
                return !message_fail(message,
                                     "nothing was found; %s stands for itself, as in grep "
                                     "-F: -P searches for expressions",
                                     expression_sign(&patterns->items[i]));
    for (size_t i = 0; i < patterns->file_count && !settings->hex; i++) {
        const char *text = patterns->files[i].bytes, *doubt = NULL;
        size_t count = patterns->files[i].bytes_count;

        if (count > 1 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
            doubt = "the list is in UTF-16";
        else if (count > 2 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
            doubt = "the list's first string begins with a byte order mark";
        else if (count > 0 && (text[count - 1] == '\r' || (!patterns_drop_returns(settings) &&
                                                           memmem(text, count, "\r\n", 2) != NULL)))
            doubt = "strings of the list end with carriage returns, which --crlf leaves out";
        if (doubt != NULL) {
            snprintf(message, SETTINGS_ERROR_BYTES, "%.*s: nothing was found; %s", SHOWN_NAME_MAX,
                     patterns->files[i].name, doubt);
            return true;
        }
    }
    return false;
}

void patterns_hint_files(const struct settings *settings, const struct value_item *operands,
                         size_t count)
{
    const bool reads_bytes = settings->encoding != NULL || settings->hex || settings->wild;

    for (size_t i = 0; i < count && !reads_bytes; i++) {
        const char *doubt = strcmp(operands[i].text, "-") == 0
                                ? NULL
                                : encoding_hint(operands[i].text, settings->search_zip);

        if (doubt != NULL)
            message_print("%s: nothing was found; the file is %s", operands[i].text, doubt);
    }
}

/* Returns true if the list begins like FASTA: a name, then letters. */
static bool is_fasta(const struct settings *settings, const char *bytes, size_t count)
{
    const char *line = memchr(bytes, '\n', count);
    size_t letters = 0;

    if (*bytes != '>' || settings->fasta || line == NULL)
        return false;
    for (line++; line + letters < bytes + count && isalpha((unsigned char)line[letters]);)
        letters++;
    return letters > 0 && line + letters < bytes + count && strchr("\r\n", line[letters]) != NULL;
}

const char *patterns_doubt(const struct settings *settings, const struct pattern_file *file)
{
    const char *bytes = file->bytes, *after = bytes + file->bytes_count;

    if (file->bytes_count > 0 && is_fasta(settings, bytes, file->bytes_count))
        return "begins like FASTA, but each line is searched for as a string";
    if (file->has_names || settings->whole_lines || file->bytes_count == 1)
        return NULL;
    for (const char *at = bytes; at < after;) {
        const char *end = memchr(at, '\n', (size_t)(after - at));

        end = end == NULL ? after : end;
        if (end == at || (end == at + 1 && *at == '\r' && patterns_drop_returns(settings)))
            return "has an empty line: the empty string is in every line";
        at = end + 1;
    }
    return NULL;
}
