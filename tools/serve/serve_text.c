/* serve_text: turns bytes and JSON documents into text for answers. */
#include "serve/serve_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/text/base64.h"

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

/* The memory of the line is allocated here, because json_dumps would silently skip a member's
 * name if memory were short for a moment. */
char *text_line(json_t *document)
{
    const size_t flags = JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9);
    size_t bytes = document == NULL ? 0 : json_dumpb(document, NULL, 0, flags);
    char *line = bytes == 0 ? NULL : malloc(bytes + 2);

    if (line != NULL && json_dumpb(document, line, bytes, flags) != bytes) {
        free(line);
        line = NULL;
    }
    json_decref(document);
    if (line != NULL)
        memcpy(line + bytes, "\n", 2);
    return line;
}
