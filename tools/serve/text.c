/* text: turns bytes and JSON documents into text. */
#include "serve/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/base64.h"

static json_t *base64(const uint8_t *bytes, size_t bytes_count)
{
    char *digits = malloc(BASE64_DIGITS(bytes_count) + 1);
    json_t *string;

    if (digits == NULL)
        return NULL;
    base64_encode(digits, bytes, bytes_count);
    string = json_stringn_nocheck(digits, BASE64_DIGITS(bytes_count));
    free(digits);
    return string;
}

json_t *text_value(const char *text, size_t bytes_count)
{
    json_t *string = json_stringn(text, bytes_count);

    return string != NULL ? string
                          : json_pack("{s:o}", "bytes", base64((const uint8_t *)text, bytes_count));
}

char *text_line(json_t *document)
{
    char *text =
        document == NULL
            ? NULL
            : json_dumps(document, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    size_t bytes = text == NULL ? 0 : strlen(text);
    char *line = text == NULL ? NULL : realloc(text, bytes + 2);

    json_decref(document);
    if (line == NULL)
        free(text);
    else
        memcpy(line + bytes, "\n", 2);
    return line;
}
