/* translate: writes an expression of Perl's, ripgrep's or POSIX's syntax in RE2's syntax.
 *
 * Perl's syntax is copied, except for \Q...\E, the names of groups, and what ripgrep's syntax has
 * beyond RE2's. The extended and the basic syntax of POSIX, with GNU's additions, are read part by
 * part, and each part is written as RE2 spells it. Edges of words are left to rewrite().
 *
 * The syntaxes of POSIX:   extended            basic
 *   a group                ( )                 \( \)
 *   alternatives           |                   \|
 *   repetition             * + ? {n,m}         * \+ \? \{n,m\}
 *   a word's edges         \< \> \b \B         the same
 */
#include "regex/translate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "regex/braces.h"
#include "regex/class_text.h"

#define EXPRESSION_BYTES_MAX (1u << 28)
/* most bytes for a byte of an expression: a repetition may add "(?:", ")" and a 0 */
#define ROOM_PER_BYTE 6u
#define DEPTH_MAX 1000u /* the most groups inside each other */
/* limit for groups with names, because each new name is compared with all names before */
#define NAMES_MAX 1000u

/* A group that is open. */
struct group {
    uint64_t begin; /* where the group begins in out->bytes */
    uint64_t from;  /* where the group begins in the expression */
    /* in a POSIX syntax: the group's bit in reader->closed; 0 for the tenth group and later
     * groups */
    uint32_t bit;
    bool skips; /* value of reader->skips after the group */
};

struct reader {
    enum trawl_syntax syntax;
    bool ripgrep, unicode, pcre;
    bool single;          /* each byte is a character */
    bool skips;           /* flag (?x) is on: blanks and comments mean nothing */
    bool repeats;         /* in a POSIX syntax: some part has a repetition */
    uint32_t group_count; /* number of numbered groups so far */
    /* in a POSIX syntax: a bit for each of the first nine groups, set when the group has ended */
    uint32_t closed;
    const char *bytes;
    uint64_t count, at;
    struct translated *out;
    uint64_t names; /* number of groups with names so far */
    uint64_t depth;
    struct group groups[DEPTH_MAX]; /* the groups that are open */
    /* Offset in out->bytes of the part that a repetition would repeat; UINT64_MAX: no part. */
    uint64_t atom;
    /* in Perl's syntax: where the last assertion begins and ends in out->bytes */
    uint64_t assertion, assertion_end;
    bool repeated; /* the part at `atom` has a repetition already */
    /* offset in out->bytes after the last flags without a group, like (?i); 0: there are none */
    uint64_t flags_end;
};

/* Reports a mistake, or syntax that RE2 lacks, at byte `at` of the expression. */
static enum trawl_status refuse(uint64_t at, struct trawl_error *error, const char *what)
{
    enum trawl_status status = TRAWL_FAIL(error, ARGUMENT, "%s", what);

    if (error != NULL)
        error->text_offset = at;
    return status;
}

/* Refuses syntax that PCRE2 reads otherwise than RE2, where PCRE2 may search. */
static enum trawl_status leave_to_pcre2(uint64_t at, struct trawl_error *error)
{
    return refuse(at, error, "a syntax of PCRE2: RE2 has none of this meaning");
}

/* Appends bytes to the translation, which come from byte `from` of the expression. */
static void put(struct reader *reader, const char *bytes, uint64_t count, uint64_t from)
{
    struct translated *out = reader->out;

    TRAWL_ASSERT(count <= out->capacity - out->count);
    for (uint64_t i = 0; i < count; i++) {
        out->bytes[out->count] = bytes[i];
        out->from[out->count++] = (uint32_t)from;
    }
}

/* Begins a part that a repetition may follow. */
static void begin_atom(struct reader *reader)
{
    reader->atom = reader->out->count;
    reader->repeated = false;
}

/* Notes that out->bytes ends with an assertion, which begins at out->bytes[begin]. */
static void end_assertion(struct reader *reader, uint64_t begin)
{
    reader->atom = UINT64_MAX;
    reader->assertion = begin;
    reader->assertion_end = reader->out->count;
}

/* Returns whether the byte continues the UTF-8 character with which the present part begins. */
static bool goes_on(const struct reader *reader, char byte)
{
    return ((uint8_t)byte & 0xc0) == 0x80 && !reader->single && !reader->repeated &&
           reader->atom != UINT64_MAX;
}

/* Opens a group, whose begin was written from out->bytes[begin] on. */
static enum trawl_status open_group(struct reader *reader, uint64_t begin, uint64_t from,
                                    struct trawl_error *error)
{
    if (reader->depth == DEPTH_MAX)
        return refuse(from, error, "groups are nested too deeply");
    reader->groups[reader->depth++] = (struct group){begin, from, 0, reader->skips};
    reader->atom = UINT64_MAX;
    return TRAWL_OK;
}

/* Closes the innermost group. A repetition may follow the group. */
static void close_group(struct reader *reader)
{
    reader->atom = reader->groups[--reader->depth].begin;
    reader->skips = reader->groups[reader->depth].skips;
    reader->repeated = false;
}

/* Writes an edge of a word: \b or \B; \m or \M, where a word begins or ends; \h or \H, before or
 * after which no word character stands. RE2 has only \b and \B; rewrite() replaces all further
 * edges. */
static void put_edge(struct reader *reader, char letter, uint64_t from)
{
    const char after = reader->at < reader->count ? reader->bytes[reader->at] : '\0';
    const char then = reader->at + 1 < reader->count ? reader->bytes[reader->at + 1] : '\0';

    /* Beside a letter, \m and \M are the same as \b, which RE2 knows. */
    if ((letter == 'm' && class_is_word_byte(after) &&
         (then == '\0' || strchr("*?{\\", then) == NULL)) ||
        (letter == 'M' && reader->out->count > 0 && reader->atom == reader->out->count - 1 &&
         !reader->repeated && class_is_word_byte(reader->out->bytes[reader->atom])))
        letter = 'b';
    put(reader, (char[2]){'\\', letter}, 2, from);
    reader->out->edges |= letter == 'b' || letter == 'B'   ? TRANSLATED_EDGES
                          : letter == 'm' || letter == 'M' ? TRANSLATED_BEGINS
                                                           : TRANSLATED_HALVES;
    end_assertion(reader, reader->out->count - 2);
}

/* Writes a repetition. If the part has a repetition already, makes the part a group first, because
 * RE2 would read "*?" or "*+" as a single operator. */
static void put_repetition(struct reader *reader, const char *bytes, uint64_t count, uint64_t from)
{
    struct translated *out = reader->out;
    uint64_t length = out->count - reader->atom;

    if (reader->repeated) {
        TRAWL_ASSERT(out->capacity - out->count >= 4 + count);
        memmove(out->bytes + reader->atom + 3, out->bytes + reader->atom, (size_t)length);
        memmove(out->from + reader->atom + 3, out->from + reader->atom,
                (size_t)length * sizeof *out->from);
        memcpy(out->bytes + reader->atom, "(?:", 3);
        for (uint32_t i = 0; i < 3; i++)
            out->from[reader->atom + i] = (uint32_t)from;
        out->count += 3;
        put(reader, ")", 1, from);
    }
    put(reader, bytes, count, from);
    reader->repeated = true;
}

static void copy(struct reader *reader, uint64_t count)
{
    for (; count > 0 && reader->at < reader->count; count--, reader->at++)
        put(reader, reader->bytes + reader->at, 1, reader->at);
}

static void put_text(struct reader *reader, const char *text, uint64_t from)
{
    put(reader, text, strlen(text), from);
}

static bool begins_with(const struct reader *reader, uint64_t at, const char *text)
{
    return strlen(text) <= reader->count - at &&
           memcmp(reader->bytes + at, text, strlen(text)) == 0;
}

/* Reads a repetition in braces at reader->at, and writes it to `text` as RE2 knows it: without
 * blanks and leading zeros, and {,m} of POSIX's syntaxes as {0,m}. `length` is that of the brace.
 * Sets *taken to the length of what was read; 0 if the brace begins no repetition. */
static enum trawl_status read_braces(const struct reader *reader, uint64_t length, char text[34],
                                     uint64_t *taken, struct trawl_error *error)
{
    const struct braces braces =
        braces_read(reader->bytes + reader->at, reader->count - reader->at,
                    length == 2 ? "\\{" : "{", length == 2 ? "\\}" : "}", reader->ripgrep);

    *taken = braces.has_least || reader->syntax != TRAWL_PERL ? braces.length : 0;
    if (*taken == 0)
        return TRAWL_OK;
    if (braces.least > BRACES_MOST || braces.most > BRACES_MOST)
        return refuse(reader->at, error, "the repetition's number is too large: at most 1,000");
    if (braces.least > braces.most && !braces.is_endless)
        return refuse(reader->at, error, "the repetition's numbers are in the wrong order");
    (void)snprintf(text, 34,
                   braces.is_endless             ? "{%" PRIu32 ",}"
                   : braces.least == braces.most ? "{%" PRIu32 "}"
                                                 : "{%" PRIu32 ",%" PRIu32 "}",
                   braces.least, braces.most);
    return TRAWL_OK;
}

/* Returns the number of bytes from reader->at up to the first `last`; 0 if there is no `last`. */
static uint64_t count_to(const struct reader *reader, char last)
{
    const char *from = reader->bytes + reader->at;
    const char *found = memchr(from, last, (size_t)(reader->count - reader->at));

    return found != NULL ? (uint64_t)(found + 1 - from) : 0;
}

/* Reads \<, \>, \b{start}, \b{end}, \b{start-half} or \b{end-half}. Sets *is_edge to whether one of
 * these stands here. */
static enum trawl_status copy_edge(struct reader *reader, bool *is_edge, struct trawl_error *error)
{
    static const char *const edges[] = {
        "\\<", "\\b{start}", "\\>", "\\b{end}", "\\b{start-half}", "\\b{end-half}", "\\b{"};
    enum { COUNT = sizeof edges / sizeof *edges };
    const uint64_t from = reader->at;
    uint32_t i = 0;

    while (i < COUNT && !begins_with(reader, from, edges[i]))
        i++;
    *is_edge = i + 1 < COUNT || (i < COUNT && from + 3 < reader->count &&
                                 (reader->bytes[from + 3] < '0' || reader->bytes[from + 3] > '9'));
    if (!*is_edge)
        return TRAWL_OK;
    if (reader->pcre)
        return leave_to_pcre2(from, error);
    if (i + 1 == COUNT)
        return refuse(from, error, "\\b{...}: only start, end, start-half and end-half are known");
    reader->at += strlen(edges[i]);
    put_edge(reader, "mmMMhH"[i], from);
    return TRAWL_OK;
}

/* Copies \Q...\E. Instead of \Q and \E, writes a '\' before each ASCII character that is no letter,
 * digit or '_'. */
static void copy_quoted(struct reader *reader)
{
    for (reader->at += 2; reader->at < reader->count && !begins_with(reader, reader->at, "\\E");) {
        const char byte = reader->bytes[reader->at];

        if (!goes_on(reader, byte))
            begin_atom(reader);
        put(reader, "\\", byte > 0 && !class_is_word_byte(byte), reader->at);
        copy(reader, 1);
    }
    reader->at += reader->at < reader->count ? 2 : 0;
}

/* Returns whether PCRE2 takes the escape at reader->at for a backreference of two digits or more;
 * RE2 takes the digits for a character's octal number. */
static bool is_reference(const struct reader *reader)
{
    const uint64_t at = reader->at + 1;
    uint32_t number;

    return braces_number(reader->bytes, reader->count, at, &number) > at + 1 &&
           reader->bytes[at] != '0' && number <= reader->group_count;
}

/* Copies an escape. */
static enum trawl_status copy_escape(struct reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    const char letter = from + 1 < reader->count ? reader->bytes[from + 1] : '\0';
    const char after = from + 2 < reader->count ? reader->bytes[from + 2] : '\0';
    const bool is_u = reader->ripgrep && (letter == 'u' || letter == 'U');
    uint64_t braces = 0;
    bool is_edge = false;

    if (letter == 'Q') {
        copy_quoted(reader);
        return TRAWL_OK;
    }
    if (reader->ripgrep)
        TRAWL_TRY(copy_edge(reader, &is_edge, error));
    if (is_edge)
        return TRAWL_OK;
    if (letter != '\0' && strchr("mMhH", letter) != NULL)
        return refuse(from, error, "invalid escape sequence");
    if (letter == 'b' || letter == 'B') {
        reader->at += 2;
        put_edge(reader, letter, from);
        return TRAWL_OK;
    }
    reader->out->needs_line |= letter == 'A' || letter == 'z' || letter == 'C';
    reader->out->has_byte |= letter == 'C';
    if (letter == 'A' || letter == 'z') {
        copy(reader, 2);
        end_assertion(reader, reader->out->count - 2);
        return TRAWL_OK;
    }
    if (reader->pcre && (is_u || is_reference(reader)))
        return leave_to_pcre2(from, error);
    begin_atom(reader);
    if (letter != '\0' && strchr("xpPuU", letter) != NULL && after == '{') {
        braces = count_to(reader, '}');
        if (braces == 0)
            return refuse(from, error, "the brace is not closed");
    }
    if (reader->ripgrep && !reader->unicode &&
        (is_u || letter == 'p' || letter == 'P' || (letter == 'x' && braces > 0)))
        return refuse(from, error, "with --no-unicode, expressions mean bytes: write \\xff");
    if (is_u) {
        put_text(reader, braces > 0 ? "\\x" : "\\x{", from);
        reader->at += 2;
        copy(reader, braces > 0 ? braces - 2 : letter == 'u' ? 4 : 8);
        put_text(reader, braces > 0 ? "" : "}", from);
        return TRAWL_OK;
    }
    copy(reader, braces > 0 ? braces : letter == 'x' ? 4 : letter == 'p' || letter == 'P' ? 3 : 2);
    return TRAWL_OK;
}

static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static enum trawl_status copy_class(struct reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    bool is_set;
    const uint64_t length =
        class_length(reader->bytes + from, reader->count - from, reader->ripgrep, &is_set);

    if (reader->ripgrep && length == 0)
        return refuse(from, error, "the bracket is not closed");
    if (!reader->ripgrep && class_is_named(reader->bytes + from, length))
        return refuse(from, error, CLASS_NAMED);
    if (reader->ripgrep && reader->pcre &&
        (is_set || reader->skips ||
         (reader->unicode && memmem(reader->bytes + from, (size_t)length, ":]", 2) != NULL)))
        return leave_to_pcre2(from, error);
    begin_atom(reader);
    if (reader->skips && memchr(reader->bytes + from, '#', (size_t)length) != NULL)
        return refuse(from, error, "with (?x), a # begins a comment also within brackets");
    if (!reader->skips)
        copy(reader, length > 0 ? length : reader->count);
    while (reader->skips && reader->at < from + length)
        if (is_blank(reader->bytes[reader->at]))
            reader->at++;
        else
            copy(reader, reader->bytes[reader->at] == '\\' ? 2 : 1);
    return TRAWL_OK;
}

/* Copies the begin of a group with a name. */
static enum trawl_status copy_name(struct reader *reader, struct trawl_error *error)
{
    const struct translated *out = reader->out;
    const uint64_t from = reader->at, begin = out->count;

    put_text(reader, "(?P<", from);
    reader->at += reader->bytes[from + 2] == 'P' ? 4 : 3;
    if (count_to(reader, '>') == 0 || reader->names++ == NAMES_MAX)
        return refuse(from, error, "the name is not closed, or there are 1,000 names already");
    copy(reader, count_to(reader, '>'));
    reader->group_count++;
    if (memmem(out->bytes, (size_t)begin, out->bytes + begin, (size_t)(out->count - begin)) != NULL)
        return refuse(from, error, "two groups have the same name");
    return open_group(reader, begin, from, error);
}

/* Copies "(" and what follows it: the begin of a group, perhaps with flags, or flags alone. */
static enum trawl_status copy_open(struct reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at, begin = reader->out->count;
    bool off = false, skips = reader->skips;

    if (begins_with(reader, from, "(?P<") ||
        (begins_with(reader, from, "(?<") && !begins_with(reader, from, "(?<=") &&
         !begins_with(reader, from, "(?<!")))
        return copy_name(reader, error);
    copy(reader, 1);
    reader->group_count += !begins_with(reader, from, "(?");
    if (!begins_with(reader, from, "(?"))
        return open_group(reader, begin, from, error);
    copy(reader, 1);
    while (reader->at < reader->count) {
        const char letter = reader->bytes[reader->at];

        if (letter == '\0' || strchr(reader->ripgrep ? "imsUuxR-" : "imsU-", letter) == NULL)
            break;
        if (letter == 'u' && reader->pcre)
            return leave_to_pcre2(reader->at, error);
        if (letter == 'R' || (letter == 'u' && (off || !reader->unicode)))
            return refuse(reader->at, error,
                          "the flags R, u after --no-unicode and -u have no meaning here; trawl "
                          "has the options --crlf and --no-unicode");
        off |= letter == '-';
        skips = letter == 'x' ? !off : skips;
        reader->out->needs_line |= off && letter == 'm';
        copy(reader, letter != 'u' && letter != 'x');
        reader->at += letter == 'u' || letter == 'x';
    }
    /* (?-x) would leave (?-), which RE2 does not know */
    reader->out->count -= reader->bytes[reader->at - 1] == 'x' && off &&
                          reader->out->bytes[reader->out->count - 1] == '-';
    if (begins_with(reader, reader->at, ")")) {
        reader->skips = skips;
        put_text(reader, reader->out->count == begin + 2 && reader->at > from + 2 ? ":" : "", from);
        copy(reader, 1);
        reader->flags_end = reader->out->count;
        return TRAWL_OK;
    }
    copy(reader, 1);
    TRAWL_TRY(open_group(reader, begin, from, error));
    reader->skips = skips;
    return TRAWL_OK;
}

/* Writes what the repetition `text` makes of the assertion before it: the assertion, or nothing if
 * it may be left out. */
static void repeat_assertion(struct reader *reader, const char *text, uint64_t from)
{
    if (text[0] == '+' || (text[0] == '{' && text[1] != '0'))
        return;
    reader->out->count = reader->assertion;
    put_text(reader, "(?:)", from);
    reader->assertion_end = reader->out->count;
}

/* Copies a repetition with the '?' that may follow. In ripgrep's syntax the part may have a
 * repetition already. */
static enum trawl_status copy_repetition(struct reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    char text[34] = {reader->bytes[from], '\0'};
    uint64_t length = 1;

    if (reader->ripgrep && reader->flags_end == reader->out->count && from > 0)
        return refuse(from, error, "there is nothing before that could be repeated");
    if (text[0] == '{') {
        TRAWL_TRY(read_braces(reader, 1, text, &length, error));
        if (length == 0 && reader->ripgrep)
            return refuse(from, error,
                          "{ begins no repetition {n}, {n,} or {n,m}; the character is \\{");
        if (length == 0) {
            begin_atom(reader);
            copy(reader, 1);
            return TRAWL_OK;
        }
    }
    reader->at += length;
    if (begins_with(reader, reader->at, "?")) {
        strcat(text, "?");
        reader->at++;
    }
    reader->repeated &= reader->ripgrep && !reader->pcre;
    if (reader->atom != UINT64_MAX)
        put_repetition(reader, text, strlen(text), from);
    else if (reader->ripgrep && reader->assertion_end == reader->out->count)
        repeat_assertion(reader, text, from);
    else /* RE2 reports that there is nothing to repeat */
        put_text(reader, text, from);
    return TRAWL_OK;
}

/* Copies a byte that stands for itself, or '.'. */
static void copy_byte(struct reader *reader)
{
    const uint8_t byte = (uint8_t)reader->bytes[reader->at];
    uint64_t count = 1;

    if (!goes_on(reader, (char)byte))
        begin_atom(reader);
    /* If bytes are characters, ripgrep still repeats a character of UTF-8 as a whole. */
    while (byte >= 0xc0 && reader->ripgrep && !reader->unicode &&
           reader->at + count < reader->count &&
           ((uint8_t)reader->bytes[reader->at + count] & 0xc0) == 0x80)
        count++;
    put_text(reader, count > 1 ? "(?:" : "", reader->at);
    copy(reader, count);
    put_text(reader, count > 1 ? ")" : "", reader->at - 1);
}

/* Copies an expression in Perl's syntax, and rewrites what RE2 reads differently. */
static enum trawl_status copy_perl(struct reader *reader, struct trawl_error *error)
{
    while (reader->at < reader->count) {
        const char byte = reader->bytes[reader->at];

        if (reader->skips && byte == '#') {
            const uint64_t length = count_to(reader, '\n');

            reader->at += length > 0 ? length : reader->count - reader->at;
        } else if (reader->skips && is_blank(byte)) {
            reader->at++;
        } else if (byte == '\\') {
            TRAWL_TRY(copy_escape(reader, error));
        } else if (byte == '[') {
            TRAWL_TRY(copy_class(reader, error));
        } else if (byte == '(') {
            TRAWL_TRY(copy_open(reader, error));
        } else if (byte == '*' || byte == '+' || byte == '?' || byte == '{') {
            TRAWL_TRY(copy_repetition(reader, error));
        } else if (byte == ')' || byte == '|' || byte == '^' || byte == '$') {
            reader->out->has_lines |= byte == '^' || byte == '$';
            copy(reader, 1);
            reader->atom = UINT64_MAX;
            if (byte == '^' || byte == '$')
                end_assertion(reader, reader->out->count - 1);
            if (byte == ')' && reader->depth > 0)
                close_group(reader);
        } else {
            copy_byte(reader);
        }
    }
    return TRAWL_OK;
}

static bool is_special(char byte)
{
    return byte != '\0' && strchr("\\.+*?()|[]{}^$", byte) != NULL;
}

/* Copies a class "[...]", in which '\' is an ordinary byte. */
static enum trawl_status read_class(struct reader *reader, struct trawl_error *error)
{
    const char *bytes = reader->bytes;
    uint64_t begin = reader->at++, atom = reader->out->count;

    put(reader, "[", 1, begin);
    if (reader->at < reader->count && bytes[reader->at] == '^')
        put(reader, "^", 1, reader->at++);
    for (uint64_t first = reader->at;; reader->at++) {
        char byte = reader->at < reader->count ? bytes[reader->at] : '\0';
        char next = reader->at + 1 < reader->count ? bytes[reader->at + 1] : '\0';

        if (reader->at >= reader->count)
            return refuse(begin, error, "the bracket is not closed");
        if (byte == ']' && reader->at > first)
            break;
        if (byte == '[' && (next == '=' || next == '.'))
            return refuse(reader->at, error,
                          "[= =] and [. .] depend on a locale's order, which trawl does not know");
        if (byte == '[' && next == ':') {
            const char *end = memchr(bytes + reader->at + 2, ']', reader->count - reader->at - 2);

            if (end == NULL || end[-1] != ':')
                return refuse(reader->at, error, "the class's name is not closed");
            put(reader, bytes + reader->at, (uint64_t)(end + 1 - bytes) - reader->at, reader->at);
            reader->at = (uint64_t)(end - bytes);
        } else {
            if (byte == '\\' || byte == '[' || byte == ']' || byte == '^')
                put(reader, "\\", 1, reader->at);
            put(reader, &byte, 1, reader->at);
        }
    }
    put(reader, "]", 1, reader->at++);
    if (class_is_named(bytes + begin, reader->at - begin))
        return refuse(begin, error, CLASS_NAMED);
    reader->atom = atom;
    reader->repeated = false;
    return TRAWL_OK;
}

/* Reads "\x" for a byte x, called `letter`, that is not an operator of the syntax. */
static enum trawl_status read_escape(struct reader *reader, uint64_t from, char letter,
                                     struct trawl_error *error)
{
    char both[2] = {'\\', letter};

    if (letter >= '1' && letter <= '9' && !reader->pcre)
        return refuse(from, error,
                      "backreference: RE2 has none, because RE2 searches in linear time; "
                      "PCRE2 has: TRAWL_PCRE, trawl serve --allow-pcre");
    if (letter >= '1' && letter <= '9') {
        if ((reader->closed >> (letter - '0') & 1) == 0)
            return refuse(from, error, "backreference: no group of this number ends before");
        begin_atom(reader);
        put(reader, (char[5]){'\\', 'g', '{', letter, '}'}, 5, from);
        reader->out->refers = true;
        return TRAWL_OK;
    }
    if (letter == 'w' || letter == 'W' || letter == 's' || letter == 'S') {
        begin_atom(reader);
        put(reader, both, 2, from);
        return TRAWL_OK;
    }
    if (letter == '<' || letter == '>' || letter == 'b' || letter == 'B') {
        put_edge(reader, letter == '<' ? 'm' : letter == '>' ? 'M' : letter, from);
        return TRAWL_OK;
    }
    if (letter == '`' || letter == '\'') {
        put(reader, letter == '`' ? "\\A" : "\\z", 2, from);
        reader->out->needs_line = true;
        reader->atom = UINT64_MAX;
        return TRAWL_OK;
    }
    if (class_is_word_byte(letter) || (uint8_t)letter >= 0x80)
        return refuse(from, error, "\\ before this character has no meaning");
    begin_atom(reader);
    put(reader, both, is_special(letter) ? 2 : 1, from);
    if (!is_special(letter))
        reader->out->bytes[reader->out->count - 1] = letter;
    return TRAWL_OK;
}

/* Copies a byte that stands for itself. */
static void read_literal(struct reader *reader)
{
    char byte = reader->bytes[reader->at];

    if (!goes_on(reader, byte))
        begin_atom(reader);
    if (is_special(byte))
        put(reader, "\\", 1, reader->at);
    put(reader, &byte, 1, reader->at++);
}

/* Returns the operator at reader->at: one of ( ) | { + ? * . [ ^ $, or 'e' for any other escape, or
 * 0 for a literal. Sets *length to the operator's number of bytes. */
static char operator_at(const struct reader *reader, uint64_t *length)
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

/* Returns whether the '^' or '$' at reader->at is an anchor. In the basic syntax, '^' is an anchor
 * only at the begin of an alternative, and '$' only at the end of an alternative. */
static bool is_anchor(const struct reader *reader)
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

/* Reads the repetition `what`, whose operator has `length` bytes. In the basic syntax, a '*' at the
 * begin of an alternative stands for itself. */
static enum trawl_status read_repetition(struct reader *reader, char what, uint64_t length,
                                         struct trawl_error *error)
{
    uint64_t from = reader->at;
    char text[34] = "";

    if (reader->atom == UINT64_MAX) {
        const struct translated *out = reader->out;
        bool begins = out->count == 0 || out->bytes[out->count - 1] == '(' ||
                      out->bytes[out->count - 1] == '|' || out->bytes[out->count - 1] == '^';

        if (reader->syntax != TRAWL_BASIC || what != '*' || !begins)
            return refuse(from, error, "there is nothing before that could be repeated");
        read_literal(reader);
        return TRAWL_OK;
    }
    text[0] = what;
    if (what == '{')
        TRAWL_TRY(read_braces(reader, length, text, &length, error));
    if (length == 0)
        return refuse(from, error, "{ begins no repetition {n}, {n,} or {n,m}");
    reader->at += length;
    reader->out->chooses |= reader->repeats;
    reader->repeats = true;
    put_repetition(reader, text, strlen(text), from);
    return TRAWL_OK;
}

/* Reads the operator or the ordinary byte that operator_at found. */
static enum trawl_status read_operator(struct reader *reader, char what, uint64_t length,
                                       struct trawl_error *error)
{
    uint64_t from = reader->at;

    if (what == '*' || what == '+' || what == '?' || what == '{')
        return read_repetition(reader, what, length, error);
    if (what == '\0' || ((what == '^' || what == '$') && !is_anchor(reader))) {
        read_literal(reader);
        return TRAWL_OK;
    }
    if (what == '[')
        return read_class(reader, error);
    if (what == 'e' && reader->at + 1 == reader->count)
        return refuse(from, error, "a \\ stands at the end");
    reader->at += length;
    if (what == 'e')
        return read_escape(reader, from, reader->bytes[from + 1], error);
    if (what == ')' && reader->depth == 0)
        return refuse(from, error, "no group is open that ) could close");
    if (what == '.')
        begin_atom(reader);
    put(reader, &what, 1, from);
    reader->out->chooses |= what == '|';
    reader->out->has_lines |= what == '^' || what == '$';
    if (what == '(') {
        TRAWL_TRY(open_group(reader, reader->out->count - 1, from, error));
        reader->groups[reader->depth - 1].bit =
            ++reader->group_count < 10 ? 1u << reader->group_count : 0;
        return TRAWL_OK;
    }
    if (what == ')') {
        close_group(reader);
        reader->closed |= reader->groups[reader->depth].bit;
    } else if (what != '.')
        reader->atom = UINT64_MAX;
    return TRAWL_OK;
}

/* Translates an expression in the extended or the basic syntax. */
static enum trawl_status read_posix(struct reader *reader, struct trawl_error *error)
{
    while (reader->at < reader->count) {
        uint64_t length;
        char what = operator_at(reader, &length);

        TRAWL_TRY(read_operator(reader, what, length, error));
    }
    if (reader->depth > 0)
        return refuse(reader->groups[reader->depth - 1].from, error, "the group is not closed");
    return TRAWL_OK;
}

void translated_release(struct translated *translated)
{
    memory_release(translated->bytes, translated->capacity, 1);
    if (translated->from != NULL)
        memory_release(translated->from, translated->capacity, sizeof *translated->from);
    memset(translated, 0, sizeof *translated);
}

enum trawl_status translate(enum trawl_syntax syntax, uint32_t flags, bool single,
                            const char *bytes, uint64_t count, struct translated *out,
                            struct trawl_error *error)
{
    const uint64_t capacity = count * ROOM_PER_BYTE + 1;
    struct reader *reader;
    enum trawl_status status = TRAWL_OK;
    void *memory;

    memset(out, 0, sizeof *out);
    if (count > EXPRESSION_BYTES_MAX)
        return TRAWL_FAIL(error, LIMIT, "an expression of %" PRIu64 " bytes is too long", count);
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *reader, &memory, error));
    reader = (struct reader *)memory;
    reader->syntax = syntax;
    reader->ripgrep = (flags & (TRAWL_UNICODE | TRAWL_RIPGREP)) != 0;
    reader->unicode = (flags & TRAWL_UNICODE) != 0;
    reader->pcre = (flags & TRAWL_PCRE) != 0;
    reader->single = single;
    reader->atom = reader->assertion_end = UINT64_MAX;
    reader->bytes = bytes;
    reader->count = count;
    reader->out = out;
    TRAWL_TRY_DONE(memory_allocate(capacity, 1, &memory, error));
    out->bytes = (char *)memory;
    out->capacity = capacity;
    TRAWL_TRY_DONE(memory_allocate(out->capacity, sizeof *out->from, &memory, error));
    out->from = (uint32_t *)memory;
    if (syntax == TRAWL_PERL)
        TRAWL_TRY_DONE(copy_perl(reader, error));
    else
        TRAWL_TRY_DONE(read_posix(reader, error));
    out->from[out->count] = (uint32_t)count;
done:
    memory_release(reader, 1, sizeof *reader);
    if (status != TRAWL_OK)
        translated_release(out);
    return status;
}
