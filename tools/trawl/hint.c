/* hint: recognizes strings that look like regular expressions.
 *
 * The strings are examined once, after nothing was found, and only on a terminal. Characters that
 * are also common in programs and logs, such as * or the brackets of a call, do not count.
 */
#include "trawl/hint.h"

#include <string.h>

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_word(uint8_t byte)
{
    return byte == '_' || is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

/* Returns whether a set as in [a-c] begins here, but not [] nor an index such as [i]. */
static bool is_bracket(const uint8_t *bytes, uint64_t bytes_count)
{
    const uint8_t *end = bytes_count < 4 ? NULL : memchr(bytes + 2, ']', (size_t)(bytes_count - 2));

    return end != NULL && end - bytes >= 3 &&
           (memchr(bytes, '-', (size_t)(end - bytes)) != NULL || bytes[1] == '^');
}

/* Returns whether a group as in (foo) begins here, but not f(x) nor (). */
static bool is_group(const uint8_t *bytes, uint64_t at, uint64_t bytes_count)
{
    return bytes[at] == '(' && (at == 0 || !is_word(bytes[at - 1])) && bytes[at + 1] != ')' &&
           memchr(bytes + at + 1, ')', (size_t)(bytes_count - at - 1)) != NULL;
}

/* Returns whether a repetition begins here: x{3}, x{3,}, x{3,5}. */
static bool is_repetition(const uint8_t *bytes, uint64_t bytes_count)
{
    uint64_t at = 1;

    while (at < bytes_count &&
           ((bytes[at] >= '0' && bytes[at] <= '9') || (at > 1 && bytes[at] == ',')))
        at++;
    return bytes[0] == '{' && at > 1 && at < bytes_count && bytes[at] == '}';
}

/* Returns whether the byte is a sign behind something that the sign repeats, or a dot between two
 * characters: a+, a?, x{3}, a.b, but not c++ nor 1.5. */
static bool is_sign(const uint8_t *bytes, uint64_t at, uint64_t bytes_count)
{
    uint8_t before = at > 0 ? bytes[at - 1] : 0, sign = bytes[at];
    uint8_t after = at + 1 < bytes_count ? bytes[at + 1] : 0;

    if (!is_word(before) && before != ')' && before != ']')
        return false;
    if (sign == '+' || sign == '?')
        return after != sign;
    if (sign == '{')
        return is_repetition(bytes + at, bytes_count - at);
    return sign == '.' && is_word(after) && !(is_digit(before) && is_digit(after));
}

static bool looks_like_regex(const uint8_t *bytes, uint64_t bytes_count)
{
    if (bytes_count < 2)
        return false;
    if (bytes[0] == '^' || (bytes[bytes_count - 1] == '$' && bytes[bytes_count - 2] != '$'))
        return true;
    for (uint64_t at = 0; at < bytes_count; at++)
        if (is_sign(bytes, at, bytes_count))
            return true;
    for (uint64_t at = 0; at + 1 < bytes_count; at++) {
        uint8_t byte = bytes[at], next = bytes[at + 1];

        if (byte == '\\' && strchr("bBdDwWsS<>.|+?(){}[]*^$", next) != NULL && next != '\0')
            return true;
        if (byte == '.' && (next == '*' || next == '+' || next == '?'))
            return true;
        if (byte == '|' && at > 0 && (is_word(bytes[at - 1]) || bytes[at - 1] == ')') &&
            (is_word(next) || next == '('))
            return true;
        if (is_group(bytes, at, bytes_count))
            return true;
        if (byte == '[' && is_bracket(bytes + at, bytes_count - at))
            return true;
    }
    return false;
}

const struct trawl_pattern *hint_regex(const struct patterns *patterns)
{
    for (uint64_t i = 0; i < patterns->count; i++)
        if (looks_like_regex(patterns->items[i].bytes, patterns->items[i].bytes_count))
            return &patterns->items[i];
    return NULL;
}
