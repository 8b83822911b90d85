/* class_text: finds where a class like [a-z_] ends in an expression, and whether the class has
 * parts such as names or operators, without listing the class's characters. */
#include "regex/class_text.h"

#include <string.h>

bool class_is_word_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '_';
}

static bool begins_with(const char *text, uint64_t left, const char *what)
{
    return strlen(what) <= left && memcmp(text, what, strlen(what)) == 0;
}

uint64_t class_name_length(const char *text, uint64_t left)
{
    uint64_t count = 2;

    if (!begins_with(text, left, "[:"))
        return 0;
    while (count < left && (text[count] == '^' || (text[count] >= 'a' && text[count] <= 'z')))
        count++;
    return begins_with(text + count, left - count, ":]") ? count + 2 : 0;
}

bool class_is_named(const char *text, uint64_t count)
{
    const bool negated = count > 1 && text[1] == '^';

    return count > 4u + negated && text[1 + negated] == ':' && text[count - 2] == ':';
}

uint64_t class_length(const char *text, uint64_t count, bool ripgrep, bool *is_set)
{
    uint64_t depth = 0, i = 0, name;

    *is_set = false;
    while (i < count) {
        const char byte = text[i];

        if (byte == '[' && (depth == 0 || ripgrep)) {
            *is_set |= depth++ > 0;
            i += begins_with(text + i, count - i, "[^") ? 2 : 1;
            *is_set |= ripgrep && (begins_with(text + i, count - i, "--") ||
                                   begins_with(text + i, count - i, "]-"));
            i += i < count && (text[i] == ']' || (text[i] == '-' && ripgrep));
        } else if (byte == ']') {
            i++;
            if (--depth == 0)
                return i;
        } else {
            const char next = i + 1 < count ? text[i + 1] : '\0';

            *is_set |= ripgrep && (((byte == '&' || byte == '-' || byte == '~') && next == byte) ||
                                   (byte == '\\' && i + 2 < count &&
                                    (strchr("uU", next) != NULL || text[i + 2] == '-')));
            i += byte == '\\' ? 2 : 1;
        }
        while (depth > 0 && i < count && (name = class_name_length(text + i, count - i)) > 0)
            i += name;
    }
    return 0;
}

uint64_t class_part_length(const char *text, uint64_t count)
{
    const bool is_escape = *text == '\\' && count > 1;
    const char letter = text[is_escape], after = count > 2 ? text[2] : '\0';
    uint64_t length = 1u + is_escape;

    if (is_escape && letter != '\0' && strchr("xpPuU", letter) != NULL) {
        const char *end = after == '{' ? memchr(text, '}', (size_t)count) : NULL;

        length = end != NULL     ? (uint64_t)(end + 1 - text)
                 : letter == 'x' ? 4
                 : letter == 'u' ? 6
                 : letter == 'U' ? 10
                                 : 3;
        return length < count ? length : count;
    }
    while ((uint8_t)letter >= 0xc0 && length < count && ((uint8_t)text[length] & 0xc0) == 0x80)
        length++;
    while (is_escape && letter >= '0' && letter <= '7' && length < 4 && length < count &&
           text[length] >= '0' && text[length] <= '7')
        length++;
    return length;
}
