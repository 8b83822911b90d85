/* escape: makes arbitrary text safe for a terminal. */
#include "trawl/escape.h"

#include <stdio.h>
#include <stdlib.h>

#include "trawl/utf8.h"

#define ESCAPE_BYTES 16 /* longest form of a character, which may have 4 bytes */

/* Returns whether a character is a line or paragraph separator, or embeds, overrides or isolates a
 * direction. */
static bool changes_direction(uint32_t code_point)
{
    return (code_point >= 0x2028 && code_point <= 0x202e) ||
           (code_point >= 0x2066 && code_point <= 0x2069);
}

/* Returns the length of the character at bytes[0]. `text` is the escaped form; "": no escape
 * needed. */
static size_t escape(const uint8_t *bytes, uint64_t bytes_count, bool keep_newline,
                     char text[ESCAPE_BYTES])
{
    uint32_t code_point = 0;
    size_t length = utf8_character(bytes, bytes_count, &code_point);

    text[0] = '\0';
    if (length == 0)
        (void)snprintf(text, ESCAPE_BYTES, "\\x%02x", bytes[0]);
    else if (code_point < ' ' ? code_point != '\t' && !(keep_newline && code_point == '\n')
                              : code_point == 0x7f)
        (void)snprintf(text, ESCAPE_BYTES, "\\x%02x", (unsigned)code_point);
    else if ((code_point >= 0x80 && code_point < 0xa0) || changes_direction(code_point))
        (void)snprintf(text, ESCAPE_BYTES, "\\u{%x}", (unsigned)code_point);
    return length > 0 ? length : 1;
}

void escape_print(struct output *output, const uint8_t *bytes, uint64_t bytes_count,
                  bool keep_newline)
{
    uint64_t from = 0, at = 0;

    while (at < bytes_count) {
        char text[ESCAPE_BYTES];
        size_t length = escape(bytes + at, bytes_count - at, keep_newline, text);

        if (*text != '\0') {
            output_bytes(output, bytes + from, (size_t)(at - from));
            output_text(output, text);
            from = at + length;
        }
        at += length;
    }
    output_bytes(output, bytes + from, (size_t)(at - from));
}

char *escape_copy(const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t bytes_count = strlen(text), used = 0;
    char *copy =
        bytes_count > SIZE_MAX / ESCAPE_BYTES ? NULL : malloc(bytes_count * ESCAPE_BYTES + 1);

    for (size_t at = 0; copy != NULL && at < bytes_count;) {
        char text_of_one[ESCAPE_BYTES];
        size_t length = escape(bytes + at, bytes_count - at, false, text_of_one);

        if (*text_of_one != '\0') {
            memcpy(copy + used, text_of_one, strlen(text_of_one));
            used += strlen(text_of_one);
        } else {
            memcpy(copy + used, bytes + at, length);
            used += length;
        }
        at += length;
    }
    if (copy != NULL)
        copy[used] = '\0';
    return copy;
}
