/* perl: copies Perl's syntax, except for the names of groups, Unicode's classes and what ripgrep's
 * syntax has beyond RE2's. */
#include <string.h>

#include "regex/parts.h"

#define NAMES_MAX 1000u /* the most groups with names: each name is compared with all before */

static void copy(struct parts *reader, uint64_t count)
{
    for (; count > 0 && reader->at < reader->count; count--, reader->at++)
        parts_put(reader, reader->bytes + reader->at, 1, reader->at);
}

static void put_text(struct parts *reader, const char *text, uint64_t from)
{
    parts_put(reader, text, strlen(text), from);
}

static bool begins_with(const struct parts *reader, uint64_t at, const char *text)
{
    return strlen(text) <= reader->count - at &&
           memcmp(reader->bytes + at, text, strlen(text)) == 0;
}

/* Returns the number of bytes up to the first `last` from reader->at on; 0: there is none. */
static uint64_t count_to(const struct parts *reader, char last)
{
    const char *from = reader->bytes + reader->at;
    const char *found = memchr(from, last, (size_t)(reader->count - reader->at));

    return found != NULL ? (uint64_t)(found + 1 - from) : 0;
}

/* Writes \w, \W, \d, \D, \s or \S, whose letter is given, as Unicode means it. */
static void put_unicode(struct parts *reader, char letter, bool in_class)
{
    static const char letters[] = "dDsSwW";
    static const char *const texts[] = {REGEX_DIGITS,    "\\P{Nd}",   REGEX_SPACES,
                                        REGEX_NO_SPACES, REGEX_WORDS, "^" REGEX_WORDS};

    put_text(reader, in_class ? "" : "[", reader->at);
    put_text(reader, texts[strchr(letters, letter) - letters], reader->at);
    put_text(reader, in_class ? "" : "]", reader->at);
    reader->at += 2;
}

static bool is_unicode(const struct parts *reader, char letter)
{
    return reader->unicode && letter != '\0' && strchr("dDsSwW", letter) != NULL;
}

/* Copies \Q...\E. */
static enum trawl_status copy_quoted(struct parts *reader, struct trawl_error *error)
{
    copy(reader, 2);
    while (reader->at < reader->count && !begins_with(reader, reader->at, "\\E")) {
        TRAWL_TRY(parts_begin(reader, parts_is_word(reader->bytes[reader->at]), error));
        copy(reader, 1);
    }
    copy(reader, 2);
    reader->atom = UINT64_MAX;
    return TRAWL_OK;
}

/* Reads \<, \>, \b{start}, \b{end}, \b{start-half}, \b{end-half}. *is_edge: there is one of these.
 */
static enum trawl_status copy_edge(struct parts *reader, bool *is_edge, struct trawl_error *error)
{
    static const char *const edges[] = {
        "\\<", "\\b{start}", "\\b{start-half}", "\\>", "\\b{end}", "\\b{end-half}", "\\b{"};
    enum { COUNT = sizeof edges / sizeof *edges };
    const uint64_t from = reader->at;
    uint32_t i = 0;

    while (i < COUNT && !begins_with(reader, from, edges[i]))
        i++;
    *is_edge = i + 1 < COUNT ||
               (i < COUNT && from + 3 < reader->count && !parts_is_digit(reader->bytes[from + 3]));
    if (!*is_edge)
        return TRAWL_OK;
    if (i + 1 == COUNT)
        return parts_refuse(from, error,
                            "\\b{...}: only start, end, start-half and end-half are known");
    reader->at += strlen(edges[i]);
    return parts_put_edge(reader, i < 3, from, error);
}

/* Copies an escape. */
static enum trawl_status copy_escape(struct parts *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    const char letter = from + 1 < reader->count ? reader->bytes[from + 1] : '\0';
    const char after = from + 2 < reader->count ? reader->bytes[from + 2] : '\0';
    uint64_t braces = 0;
    bool is_edge = false;

    if (letter == 'Q')
        return copy_quoted(reader, error);
    if (reader->unicode)
        TRAWL_TRY(copy_edge(reader, &is_edge, error));
    if (is_edge)
        return TRAWL_OK;
    reader->out->needs_line |= letter == 'A' || letter == 'z' || letter == 'C';
    if (letter != '\0' && strchr("bBAz", letter) != NULL) {
        copy(reader, 2);
        reader->atom = UINT64_MAX;
        return TRAWL_OK;
    }
    TRAWL_TRY(parts_begin(reader, !reader->unicode && (letter == 'w' || letter == 'd'), error));
    if (letter != '\0' && strchr("xpPuU", letter) != NULL && after == '{')
        braces = count_to(reader, '}');
    if (is_unicode(reader, letter)) {
        put_unicode(reader, letter, false);
    } else if (braces == 0 && after == '{' && strchr("xpPuU", letter) != NULL) {
        return parts_refuse(from, error, "the brace is not closed");
    } else if (reader->unicode && (letter == 'u' || letter == 'U')) {
        put_text(reader, braces > 0 ? "\\x" : "\\x{", from);
        reader->at += 2;
        copy(reader, braces > 0 ? braces - 2 : letter == 'u' ? 4 : 8);
        put_text(reader, braces > 0 ? "" : "}", from);
    } else {
        copy(reader, braces > 0                       ? braces
                     : letter == 'x'                  ? 4
                     : letter == 'p' || letter == 'P' ? 3
                                                      : 2);
    }
    return TRAWL_OK;
}

/* Returns the end of the name, such as [:alpha:], at `at`; `at`: there is no name. */
static uint64_t name_end(const struct parts *reader, uint64_t at)
{
    uint64_t end = at + 2;

    while (end < reader->count &&
           (reader->bytes[end] == '^' || (reader->bytes[end] >= 'a' && reader->bytes[end] <= 'z')))
        end++;
    return begins_with(reader, at, "[:") && begins_with(reader, end, ":]") ? end + 2 : at;
}

/* Returns the length of the class at reader->at; 0: the class is not closed. *is_set: the class
 * holds a class or an operator, as ripgrep's classes may, or \W with Unicode's meaning. */
static uint64_t class_length(const struct parts *reader, bool *is_set)
{
    const char *bytes = reader->bytes;
    uint64_t depth = 0, i = reader->at;

    *is_set = false;
    while (i < reader->count) {
        if (bytes[i] == '[' && (depth == 0 || reader->unicode)) {
            *is_set |= depth++ > 0;
            i += begins_with(reader, i, "[^") ? 2 : 1;
            *is_set |= reader->unicode && begins_with(reader, i, "--");
            i += i < reader->count && (bytes[i] == ']' || (bytes[i] == '-' && reader->unicode));
        } else if (bytes[i] == ']') {
            i++;
            if (--depth == 0)
                return i - reader->at;
        } else {
            const bool escapes = bytes[i] == '\\' && i + 2 < reader->count;

            *is_set |= reader->unicode &&
                       (begins_with(reader, i, "&&") || begins_with(reader, i, "--") ||
                        begins_with(reader, i, "~~") ||
                        (escapes && (strchr("WuU", bytes[i + 1]) != NULL || bytes[i + 2] == '-')));
            i += bytes[i] == '\\' ? 2 : 1;
        }
        if (depth > 0 && i < reader->count)
            i = name_end(reader, i);
    }
    return 0;
}

/* Writes the class of `length` bytes at reader->at as a class without classes and operators. */
static enum trawl_status put_set(struct parts *reader, uint64_t length, struct trawl_error *error)
{
    const char *text = reader->bytes + reader->at;
    struct translated *out = reader->out;
    struct regex_fault fault = {0, "out of memory: a class"};
    const uint64_t count = reader->ops->write_class(text, length, reader->fold, NULL, 0, &fault);

    if (count == 0)
        return parts_refuse(reader->at + fault.at, error, fault.message);
    TRAWL_TRY(parts_make_room(out, count, error));
    (void)reader->ops->write_class(text, length, reader->fold, out->bytes + out->count, count,
                                   &fault);
    for (uint64_t i = 0; i < count; i++)
        out->from[out->count++] = (uint32_t)reader->at;
    reader->at += length;
    return TRAWL_OK;
}

static enum trawl_status copy_class(struct parts *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    bool is_set;
    const uint64_t length = class_length(reader, &is_set);

    if (reader->unicode && length == 0)
        return parts_refuse(from, error, "the bracket is not closed");
    if (!reader->unicode && parts_is_named_class(reader->bytes + from, length))
        return parts_refuse(from, error, PARTS_NAMED_CLASS);
    TRAWL_TRY(parts_begin(reader, parts_is_word_class(reader->bytes + from, length), error));
    if (is_set && length > 0)
        return put_set(reader, length, error);
    while (reader->at < (length > 0 ? from + length : reader->count)) {
        const bool escapes = reader->bytes[reader->at] == '\\' && reader->at + 1 < reader->count;

        if (escapes && is_unicode(reader, reader->bytes[reader->at + 1]))
            put_unicode(reader, reader->bytes[reader->at + 1], true);
        else
            copy(reader, escapes ? 2 : 1);
    }
    return TRAWL_OK;
}

/* Copies the begin of a group with a name. */
static enum trawl_status copy_name(struct parts *reader, struct trawl_error *error)
{
    const struct translated *out = reader->out;
    const uint64_t from = reader->at, begin = out->count;

    put_text(reader, "(?P<", from);
    reader->at += reader->bytes[from + 2] == 'P' ? 4 : 3;
    if (count_to(reader, '>') == 0 || reader->names++ == NAMES_MAX)
        return parts_refuse(from, error,
                            "the name is not closed, or there are 1,000 names already");
    copy(reader, count_to(reader, '>'));
    if (memmem(out->bytes, (size_t)begin, out->bytes + begin, (size_t)(out->count - begin)) != NULL)
        return parts_refuse(from, error, "an earlier group has the same name");
    return parts_open(reader, begin, from, error);
}

/* Copies "(", which may begin a group with flags, or set flags. */
static enum trawl_status copy_open(struct parts *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at, begin = reader->out->count;
    bool off = false, fold = reader->fold, any = false;

    if (begins_with(reader, from, "(?P<") ||
        (begins_with(reader, from, "(?<") && from + 3 < reader->count &&
         parts_is_word(reader->bytes[from + 3])))
        return copy_name(reader, error);
    copy(reader, 1);
    if (!begins_with(reader, from, "(?"))
        return parts_open(reader, begin, from, error);
    copy(reader, 1);
    for (; reader->at < reader->count; reader->at++) {
        const char letter = reader->bytes[reader->at];

        if (letter == '\0' || strchr("imsUuxR-", letter) == NULL)
            break;
        if (letter == 'i')
            fold = !off;
        reader->out->needs_line |= off && letter == 'm';
        off |= letter == '-';
        if (reader->unicode && (letter == 'x' || letter == 'R' || letter == 'u') &&
            off == (letter == 'u'))
            return parts_refuse(reader->at, error,
                                letter == 'u'
                                    ? "the flag -u: trawl has --no-unicode for all expressions"
                                : letter == 'R' ? "the flag R: trawl has --crlf for all expressions"
                                                : "the flag x: trawl reads no blanks and comments");
        if (reader->unicode && strchr("uxR", letter) != NULL)
            continue;
        any |= letter != '-';
        parts_put(reader, &letter, 1, reader->at);
    }
    if (reader->out->count > begin + 2 && reader->out->bytes[reader->out->count - 1] == '-')
        reader->out->count--; /* ripgrep's flags alone stood after the sign */
    if (reader->at == reader->count)
        return TRAWL_OK;
    if (reader->bytes[reader->at] == ')') {
        reader->fold = fold;
        if (any || reader->at == from + 2) {
            copy(reader, 1);
        } else { /* no flag is left */
            reader->out->count = begin;
            reader->at++;
        }
        return TRAWL_OK;
    }
    copy(reader, 1);
    TRAWL_TRY(parts_open(reader, begin, from, error));
    reader->fold = fold;
    return TRAWL_OK;
}

/* Reads "{n}", "{n,}" or "{n,m}" at reader->at into `text`, without blanks. Returns the length of
 * what was read; 0: the brace begins no repetition. */
static uint64_t read_braces(const struct parts *reader, char text[32])
{
    uint64_t i = reader->at + 1, count = 1;

    text[0] = '{';
    for (; i < reader->count && count < 30; i++) {
        const char byte = reader->bytes[i];

        if (byte == '}') {
            text[count] = '}';
            text[count + 1] = '\0';
            return count > 1 && text[1] != ',' ? i + 1 - reader->at : 0;
        }
        if (byte == ' ' && reader->unicode)
            continue;
        if (!parts_is_digit(byte) && (byte != ',' || memchr(text, ',', count) != NULL))
            break;
        text[count++] = byte;
    }
    return 0;
}

/* Copies a repetition with the '?' that follows. In ripgrep's syntax the part may have a repetition
 * already. */
static enum trawl_status copy_repetition(struct parts *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    char text[34] = {reader->bytes[from], '\0'};
    uint64_t length = 1;

    if (text[0] == '{') {
        length = read_braces(reader, text);
        if (length == 0 && reader->unicode)
            return parts_refuse(from, error,
                                "{ begins no repetition {n}, {n,} or {n,m}; the character is \\{");
        if (length == 0) {
            TRAWL_TRY(parts_begin(reader, false, error));
            copy(reader, 1);
            return TRAWL_OK;
        }
    }
    reader->at += length;
    if (begins_with(reader, reader->at, "?")) {
        strcat(text, "?");
        reader->at++;
    }
    reader->repeated &= reader->unicode;
    if (reader->atom == UINT64_MAX) /* an assertion, or nothing */
        put_text(reader, text, from);
    else
        TRAWL_TRY(parts_repeat(reader, text, strlen(text), from, error));
    return TRAWL_OK;
}

/* Copies a byte that stands for itself, or '.'. */
static enum trawl_status copy_byte(struct parts *reader, struct trawl_error *error)
{
    const char byte = reader->bytes[reader->at];

    if (((uint8_t)byte & 0xc0) != 0x80 || reader->atom == UINT64_MAX)
        TRAWL_TRY(parts_begin(reader, parts_is_word(byte), error));
    copy(reader, 1);
    return TRAWL_OK;
}

enum trawl_status perl_read(struct parts *reader, struct trawl_error *error)
{
    while (reader->at < reader->count) {
        const char byte = reader->bytes[reader->at];

        if (byte == '\\') {
            TRAWL_TRY(copy_escape(reader, error));
        } else if (byte == '[') {
            TRAWL_TRY(copy_class(reader, error));
        } else if (byte == '(') {
            TRAWL_TRY(copy_open(reader, error));
        } else if (byte == '*' || byte == '+' || byte == '?' || byte == '{') {
            TRAWL_TRY(copy_repetition(reader, error));
        } else if (byte == ')' || byte == '|' || byte == '^' || byte == '$') {
            copy(reader, 1);
            reader->atom = UINT64_MAX;
            if (byte == '|')
                TRAWL_TRY(parts_end_alternative(reader, error));
            else if (byte == ')' && reader->depth > 0)
                TRAWL_TRY(parts_close(reader, error));
        } else {
            TRAWL_TRY(copy_byte(reader, error));
        }
    }
    return reader->words.begin == WANTED ? parts_begin(reader, false, error) : TRAWL_OK;
}
