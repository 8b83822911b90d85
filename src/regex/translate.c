/* translate: reads the extended and the basic syntax of POSIX, with GNU's additions, and writes
 * each part as RE2 spells it.
 *
 * The syntaxes of POSIX:   extended            basic
 *   a group                ( )                 \( \)
 *   alternatives           |                   \|
 *   repetition             * + ? {n,m}         * \+ \? \{n,m\}
 *   a word's edges         \< \> \b \B         the same
 */
#include "regex/translate.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "regex/parts.h"

#define EXPRESSION_BYTES_MAX (1u << 28)
/* bound on the translated bytes per byte: a repetition may add "(?:", ")" and a 0 */
#define ROOM_PER_BYTE 6u
/* bound on the translated bytes of \w, \W, \s and \S as Unicode means them */
#define UNICODE_BYTES 256u

static bool is_special(char byte)
{
    return byte != '\0' && strchr("\\.+*?()|[]{}^$", byte) != NULL;
}

/* ---- POSIX --------------------------------------------------------------------------------- */

/* Reads "[...]", in which '\' is an ordinary byte. */
static enum trawl_status read_class(struct parts *reader, struct trawl_error *error)
{
    const char *bytes = reader->bytes;
    uint64_t begin = reader->at++, atom = reader->out->count;

    parts_put(reader, "[", 1, begin);
    if (reader->at < reader->count && bytes[reader->at] == '^')
        parts_put(reader, "^", 1, reader->at++);
    for (uint64_t first = reader->at;; reader->at++) {
        char byte = reader->at < reader->count ? bytes[reader->at] : '\0';
        char next = reader->at + 1 < reader->count ? bytes[reader->at + 1] : '\0';

        if (reader->at >= reader->count)
            return parts_refuse(begin, error, "the bracket is not closed");
        if (byte == ']' && reader->at > first)
            break;
        if (byte == '[' && (next == '=' || next == '.'))
            return parts_refuse(
                reader->at, error,
                "[= =] and [. .] depend on a locale's order, which trawl does not know");
        if (byte == '[' && next == ':') {
            const char *end = memchr(bytes + reader->at + 2, ']', reader->count - reader->at - 2);

            if (end == NULL || end[-1] != ':')
                return parts_refuse(reader->at, error, "the class's name is not closed");
            parts_put(reader, bytes + reader->at, (uint64_t)(end + 1 - bytes) - reader->at,
                      reader->at);
            reader->at = (uint64_t)(end - bytes);
        } else {
            if (byte == '\\' || byte == '[' || byte == ']' || byte == '^')
                parts_put(reader, "\\", 1, reader->at);
            parts_put(reader, &byte, 1, reader->at);
        }
    }
    parts_put(reader, "]", 1, reader->at++);
    if (parts_is_named_class(bytes + begin, reader->at - begin))
        return parts_refuse(begin, error, PARTS_NAMED_CLASS);
    TRAWL_TRY(parts_begin(reader, parts_is_word_class(bytes + begin, reader->at - begin), error));
    reader->atom = atom;
    return TRAWL_OK;
}

/* Reads the inside of "{n,m}" from reader->at on, and writes the repetition. "{,m}" becomes
 * "{0,m}". */
static enum trawl_status read_interval(struct parts *reader, uint64_t from,
                                       struct trawl_error *error)
{
    const bool basic = reader->syntax == TRAWL_BASIC;
    char text[32] = "{";
    uint64_t length = 1, digits = 0;

    while (reader->at < reader->count && length < sizeof text - 3) {
        char byte = reader->bytes[reader->at];

        if (!parts_is_digit(byte) && byte != ',')
            break;
        if (byte == ',' && digits == 0)
            text[length++] = '0';
        digits++;
        text[length++] = byte;
        reader->at++;
    }
    text[length++] = '}';
    if (basic && reader->at < reader->count && reader->bytes[reader->at] == '\\')
        reader->at++;
    if (digits == 0 || reader->at >= reader->count || reader->bytes[reader->at] != '}')
        return parts_refuse(from, error, "{ begins no repetition {n}, {n,} or {n,m}");
    reader->at++;
    return parts_repeat(reader, text, length, from, error);
}

/* Reads "\x" for a byte x that is not an operator of the syntax. */
static enum trawl_status read_escape(struct parts *reader, uint64_t from, char letter,
                                     struct trawl_error *error)
{
    char both[2] = {'\\', letter};

    if (letter >= '1' && letter <= '9')
        return parts_refuse(
            from, error,
            "backreference: trawl has none, because it searches in linear time; grep "
            "has");
    if (letter == 'w' || letter == 'W' || letter == 's' || letter == 'S') {
        TRAWL_TRY(parts_begin(reader, letter == 'w', error));
        parts_put(reader, both, 2, from);
        return TRAWL_OK;
    }
    if (letter == '<' || letter == '>')
        return parts_put_edge(reader, letter == '<', from, error);
    if (letter == 'b' || letter == 'B') {
        parts_put(reader, both, 2, from);
        reader->atom = UINT64_MAX;
        return TRAWL_OK;
    }
    if (letter == '`' || letter == '\'') {
        parts_put(reader, letter == '`' ? "\\A" : "\\z", 2, from);
        reader->out->needs_line = true;
        reader->atom = UINT64_MAX;
        return TRAWL_OK;
    }
    if (parts_is_word(letter) || (uint8_t)letter >= 0x80)
        return parts_refuse(from, error, "\\ before this character has no meaning");
    TRAWL_TRY(parts_begin(reader, false, error));
    parts_put(reader, both, is_special(letter) ? 2 : 1, from);
    if (!is_special(letter))
        reader->out->bytes[reader->out->count - 1] = letter;
    return TRAWL_OK;
}

/* Copies a byte that stands for itself. */
static enum trawl_status read_literal(struct parts *reader, struct trawl_error *error)
{
    char byte = reader->bytes[reader->at];
    /* a UTF-8 continuation byte belongs to the part that the character's first byte began */
    bool goes_on = ((uint8_t)byte & 0xc0) == 0x80 && reader->atom != UINT64_MAX;

    if (!goes_on)
        TRAWL_TRY(parts_begin(reader, parts_is_word(byte), error));
    if (is_special(byte))
        parts_put(reader, "\\", 1, reader->at);
    parts_put(reader, &byte, 1, reader->at++);
    return TRAWL_OK;
}

/* Returns the operator at reader->at: one of ( ) | { + ? * . [ ^ $, or 'e' for any other escape, or
 * 0 for a literal. Sets *length to the operator's number of bytes. */
static char operator_at(const struct parts *reader, uint64_t *length)
{
    const bool basic = reader->syntax == TRAWL_BASIC;
    char byte = reader->bytes[reader->at];
    char next = reader->at + 1 < reader->count ? reader->bytes[reader->at + 1] : '\0';

    *length = 1;
    if (byte == '\\') {
        *length = 2;
        return basic && next != '\0' && strchr("(){|+?", next) != NULL ? next : 'e';
    }
    if (byte != '\0' && strchr("*.[^$", byte) != NULL)
        return byte;
    return !basic && byte != '\0' && strchr("()|{+?", byte) != NULL ? byte : '\0';
}

/* Returns whether the '^' or '$' at reader->at is an anchor. In the basic syntax '^' is an anchor
 * only at an alternative's begin, '$' only at an alternative's end.
 */
static bool is_anchor(const struct parts *reader)
{
    const struct translated *out = reader->out;
    char byte = reader->bytes[reader->at];
    const char *rest = reader->bytes + reader->at + 1;
    uint64_t left = reader->count - reader->at - 1;

    if (reader->syntax != TRAWL_BASIC)
        return true;
    if (byte == '^')
        return out->count == 0 ||
               (reader->atom == UINT64_MAX &&
                (out->bytes[out->count - 1] == '(' || out->bytes[out->count - 1] == '|'));
    return left == 0 || (left >= 2 && rest[0] == '\\' && (rest[1] == ')' || rest[1] == '|'));
}

/* Reads the repetition `what`, whose operator has `length` bytes. In the basic syntax a '*' at
 * an alternative's begin stands for itself. */
static enum trawl_status read_repetition(struct parts *reader, char what, uint64_t length,
                                         struct trawl_error *error)
{
    uint64_t from = reader->at;

    if (reader->atom == UINT64_MAX) {
        const struct translated *out = reader->out;
        bool begins = out->count == 0 || out->bytes[out->count - 1] == '(' ||
                      out->bytes[out->count - 1] == '|' || out->bytes[out->count - 1] == '^';

        if (reader->syntax == TRAWL_BASIC && what == '*' && begins)
            return read_literal(reader, error);
        return parts_refuse(from, error, "there is nothing before that could be repeated");
    }
    reader->at += length;
    if (what == '{')
        return read_interval(reader, from, error);
    return parts_repeat(reader, &what, 1, from, error);
}

/* Reads the operator, or literal, that operator_at found. */
static enum trawl_status read_operator(struct parts *reader, char what, uint64_t length,
                                       struct trawl_error *error)
{
    uint64_t from = reader->at;

    if (what == '*' || what == '+' || what == '?' || what == '{')
        return read_repetition(reader, what, length, error);
    if (what == '\0' || ((what == '^' || what == '$') && !is_anchor(reader)))
        return read_literal(reader, error);
    if (what == '[')
        return read_class(reader, error);
    if (what == 'e' && reader->at + 1 == reader->count)
        return parts_refuse(from, error, "a \\ stands at the end");
    reader->at += length;
    if (what == 'e')
        return read_escape(reader, from, reader->bytes[from + 1], error);
    if (what == ')' && reader->depth == 0)
        return parts_refuse(from, error, "no group is open that ) could close");
    if (what == '.')
        TRAWL_TRY(parts_begin(reader, false, error));
    parts_put(reader, &what, 1, from);
    if (what == '(')
        return parts_open(reader, reader->out->count - 1, from, error);
    if (what == ')')
        return parts_close(reader, error);
    if (what == '|')
        return parts_end_alternative(reader, error);
    if (what != '.')
        reader->atom = UINT64_MAX;
    return TRAWL_OK;
}

/* Translates an expression in the extended or the basic syntax. */
static enum trawl_status read_posix(struct parts *reader, struct trawl_error *error)
{
    while (reader->at < reader->count) {
        uint64_t length;
        char what = operator_at(reader, &length);

        TRAWL_TRY(read_operator(reader, what, length, error));
    }
    if (reader->depth > 0)
        return parts_refuse(reader->groups[reader->depth - 1].from, error,
                            "the group is not closed");
    return reader->words.begin == WANTED ? parts_begin(reader, false, error) : TRAWL_OK;
}

/* ---- Both ---------------------------------------------------------------------------------- */

void translated_release(struct translated *translated)
{
    memory_release(translated->bytes, translated->capacity, 1);
    memory_release(translated->from, translated->from_capacity, sizeof *translated->from);
    memset(translated, 0, sizeof *translated);
}

/* Returns the number of bytes for which the translation needs room. */
static uint64_t room_for(const char *bytes, uint64_t count, bool unicode)
{
    uint64_t escapes = 0;

    for (uint64_t i = 0; unicode && i < count; i++)
        escapes += bytes[i] == '\\';
    return count * ROOM_PER_BYTE + escapes * UNICODE_BYTES + 1;
}

enum trawl_status translate(const struct regex_ops *ops, enum trawl_syntax syntax, uint32_t flags,
                            const char *bytes, uint64_t count, struct translated *out,
                            struct trawl_error *error)
{
    const bool unicode = (flags & TRAWL_UNICODE) != 0;
    const uint64_t capacity = room_for(bytes, count, unicode);
    struct parts *reader;
    enum trawl_status status = TRAWL_OK;
    void *memory;

    memset(out, 0, sizeof *out);
    if (count > EXPRESSION_BYTES_MAX)
        return TRAWL_FAIL(error, LIMIT, "an expression of %" PRIu64 " bytes is too long", count);
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *reader, &memory, error));
    reader = (struct parts *)memory;
    reader->ops = ops;
    reader->syntax = syntax;
    reader->unicode = unicode;
    reader->fold = (flags & TRAWL_IGNORE_CASE) != 0;
    reader->atom = UINT64_MAX;
    reader->bytes = bytes;
    reader->count = count;
    reader->out = out;
    TRAWL_TRY_DONE(memory_allocate(capacity, 1, &memory, error));
    out->bytes = (char *)memory;
    out->capacity = capacity;
    TRAWL_TRY_DONE(memory_allocate(out->capacity, sizeof *out->from, &memory, error));
    out->from = (uint32_t *)memory;
    out->from_capacity = capacity;
    if (syntax == TRAWL_PERL)
        TRAWL_TRY_DONE(perl_read(reader, error));
    else
        TRAWL_TRY_DONE(read_posix(reader, error));
    out->from[out->count] = (uint32_t)count;
done:
    memory_release(reader, 1, sizeof *reader);
    if (status != TRAWL_OK)
        translated_release(out);
    return status;
}
