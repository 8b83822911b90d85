/* value_layout: the setters of the options that say how results look. */
#include "trawl/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/colors.h"
#include "trawl/encoding.h"
#include "trawl/hyperlink.h"

bool value_preview(struct settings *settings, const char *value)
{
    if (value == NULL || strcmp(value, "start") == 0)
        settings->preview = PREVIEW_START;
    else if (strcmp(value, "match") == 0)
        settings->preview = PREVIEW_MATCH;
    else {
        snprintf(settings->error, sizeof settings->error,
                 "--max-columns-preview: '%s' is not one of start, match", value);
        return false;
    }
    return true;
}

bool value_check_colors(struct settings *settings, const char *spec)
{
    struct color_spec specs[COLOR_TYPE_COUNT];
    const char *wrong;

    memset(specs, 0, sizeof specs);
    wrong = color_spec_read(specs, spec);
    if (wrong != NULL)
        snprintf(settings->error, sizeof settings->error, "--colors: '%s': %s", spec, wrong);
    return wrong == NULL;
}

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if ((digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F'))
        return (digit | 0x20) - 'a' + 10;
    return -1;
}

/* Text with escapes, which become what they stand for; others stay as they are. A NUL follows. */
static size_t unescape(char *bytes, const char *text)
{
    size_t used = 0;

    while (*text != '\0') {
        static const char letters[] = "nrt\\", meanings[] = "\n\r\t\\";
        const char *letter = text[0] == '\\' && text[1] != '\0' ? strchr(letters, text[1]) : NULL;

        if (letter != NULL) {
            bytes[used++] = meanings[letter - letters];
            text += 2;
        } else if (text[0] == '\\' && text[1] == 'x' && hex_digit(text[2]) >= 0 &&
                   hex_digit(text[3]) >= 0) {
            bytes[used++] = (char)(hex_digit(text[2]) * 16 + hex_digit(text[3]));
            text += 4;
        } else {
            bytes[used++] = *text++;
        }
    }
    bytes[used] = '\0';
    return used;
}

bool value_separator(struct settings *settings, const char *value, const char **bytes,
                     size_t *bytes_count)
{
    char **storage = realloc(settings->storage, (settings->storage_count + 1) * sizeof *storage);
    char *copy;

    if (storage == NULL)
        return false;
    settings->storage = storage;
    copy = malloc(strlen(value) + 1);
    if (copy == NULL)
        return false;
    storage[settings->storage_count++] = copy;
    *bytes_count = unescape(copy, value);
    *bytes = copy;
    return true;
}

bool value_encoding(struct settings *settings, const char *value)
{
    if (!encoding_is_known(value)) {
        snprintf(settings->error, sizeof settings->error,
                 "--encoding: '%s' is not auto, none, or an encoding that this system knows",
                 value);
        return false;
    }
    settings->encoding = strcmp(value, "none") == 0 ? NULL : value;
    settings->encoding_given = true;
    return true;
}

bool value_hyperlink(struct settings *settings, const char *value)
{
    const char *format = hyperlink_format(value), *wrong = hyperlink_check(format);

    if (wrong != NULL)
        snprintf(settings->error, sizeof settings->error, "--hyperlink-format: '%s': %s", value,
                 wrong);
    settings->hyperlink = format;
    return wrong == NULL;
}

bool value_path_separator(struct settings *settings, const char *value)
{
    const char *bytes = NULL;
    size_t bytes_count = 0;

    if (!value_separator(settings, value, &bytes, &bytes_count))
        return false;
    if (bytes_count != 1 || bytes[0] == '\0') {
        snprintf(settings->error, sizeof settings->error, "--path-separator: '%s' is not one byte",
                 value);
        return false;
    }
    settings->path_separator = bytes[0];
    return true;
}
