/* pcre2_filter: turns an expression of PCRE2 into a filter for RE2: an expression that matches each
 * line in which PCRE2's expression matches. So RE2, and a search for the filter's strings, rule out
 * most lines before PCRE2 is asked.
 *
 * In the filter, a class becomes any character, and a backreference any characters. Assertions are
 * left out, with two exceptions that become groups because their text stands in the line: (?<=text)
 * where an alternative begins, and (?=text) where an alternative ends. If the expression has syntax
 * that this file does not read, the filter is empty.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/pcre2.h"

#define DEPTH_MAX 200u
#define ROOM_PER_BYTE 8u /* the longest text that is written for a byte is ANY_TEXT */
#define ANY "(?s:.)"
#define ANY_TEXT "(?s:.*)"
#define NONE UINT64_MAX

enum group { GROUP_PLAIN, GROUP_BEHIND, GROUP_AHEAD, GROUP_LEFT_OUT };

struct reader {
    const char *bytes;
    uint64_t count;
    uint64_t at;
    struct pcre2_filter *out;
    bool folds;
    bool characters;
    bool repeats; /* `out` ends with a part (character or group), so a repetition may follow */
    /* offset in `out` of a look-ahead's text, which is dropped if a part follows; or NONE */
    uint64_t ahead;
    bool begins;   /* the alternative has no part yet, and no group is open */
    bool foldings; /* the expression has a flag i somewhere */
    uint32_t depth;
    struct {
        enum group kind;
        uint64_t begin;
    } groups[DEPTH_MAX];
};

static char byte_at(const struct reader *reader, uint64_t at)
{
    return at < reader->count ? reader->bytes[at] : '\0';
}

static void put(struct reader *reader, const char *text, uint64_t count)
{
    memcpy(reader->out->bytes + reader->out->count, text, (size_t)count);
    reader->out->count += count;
}

/* Begins a part. A look-ahead before the part does not end the alternative, so its text is
 * dropped. */
static void begin_part(struct reader *reader)
{
    if (reader->ahead != NONE && reader->depth == 0) {
        reader->out->count = reader->ahead;
        reader->ahead = NONE;
    }
    reader->repeats = true;
    reader->begins = false;
}

static void put_part(struct reader *reader, const char *text)
{
    begin_part(reader);
    put(reader, text, strlen(text));
}

/* Writes the character at reader->at, which stands for itself. */
static void read_literal(struct reader *reader)
{
    const uint8_t byte = (uint8_t)reader->bytes[reader->at];
    uint64_t length = 1;

    while (byte >= 0xc0 && reader->characters &&
           ((uint8_t)byte_at(reader, reader->at + length) & 0xc0) == 0x80)
        length++;
    if (byte == '\0' || (byte >= 0x80 && (reader->folds || !reader->characters))) {
        put_part(reader, ANY);
    } else {
        begin_part(reader);
        if (byte < 0x80 && strchr("\\.+*?()|[]{}^$", byte) != NULL)
            put(reader, "\\", 1);
        put(reader, reader->bytes + reader->at, length);
    }
    reader->at += length;
}

/* Moves reader->at after the next byte `close`. Returns false if there is no such byte. */
static bool skip_to(struct reader *reader, char close)
{
    const void *found = memchr(reader->bytes + reader->at, close, reader->count - reader->at);

    if (found != NULL)
        reader->at = (uint64_t)((const char *)found - reader->bytes) + 1;
    return found != NULL;
}

static void skip_digits(struct reader *reader)
{
    while (byte_at(reader, reader->at) >= '0' && byte_at(reader, reader->at) <= '9')
        reader->at++;
}

/* Moves reader->at over the name after an escape: {...}, <...>, '...' or a number with its sign. */
static bool skip_name(struct reader *reader)
{
    const char open = byte_at(reader, reader->at);

    if (open == '{' || open == '<' || open == '\'') {
        reader->at++;
        return skip_to(reader, open == '{' ? '}' : open == '<' ? '>' : '\'');
    }
    reader->at += open == '-' || open == '+';
    skip_digits(reader);
    return true;
}

/* Reads the escape at reader->at. Returns false if this file does not know the escape. */
static bool read_escape(struct reader *reader)
{
    const char letter = byte_at(reader, reader->at + 1);

    if (reader->at + 1 == reader->count)
        return false;
    reader->at += 2;
    if (letter == 'Q') {
        while (reader->at < reader->count &&
               (reader->bytes[reader->at] != '\\' || byte_at(reader, reader->at + 1) != 'E'))
            read_literal(reader);
        reader->at = min_u64(reader->at + 2, reader->count);
        return true;
    }
    if (letter != '\0' && strchr("bBAzZGK", letter) != NULL) {
        reader->repeats = false;
        return true;
    }
    if ((letter >= '1' && letter <= '9') || letter == 'g' || letter == 'k') {
        put_part(reader, ANY_TEXT);
        reader->at -= letter <= '9';
        return skip_name(reader);
    }
    if (letter == 'R' || letter == 'X') {
        put_part(reader, "(?s:.+)");
        return true;
    }
    if (letter != '\0' && strchr("aefnrtdDsSwWhHvVNxopPc0", letter) != NULL) {
        const bool braces = byte_at(reader, reader->at) == '{' &&
                            (strchr("xopP", letter) != NULL ||
                             (letter == 'N' && byte_at(reader, reader->at + 1) == 'U'));

        put_part(reader, ANY);
        if (braces)
            return skip_to(reader, '}');
        for (int i = 0; letter == 'x' && i < 2 && byte_at(reader, reader->at) != '\0' &&
                        strchr("0123456789abcdefABCDEF", byte_at(reader, reader->at)) != NULL;
             i++)
            reader->at++;
        for (int i = 0; letter == '0' && i < 2 && byte_at(reader, reader->at) >= '0' &&
                        byte_at(reader, reader->at) <= '7';
             i++)
            reader->at++;
        reader->at += letter == 'p' || letter == 'P' || letter == 'c';
        return reader->at <= reader->count;
    }
    if ((letter >= '0' && letter <= '9') || ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z'))
        return false;
    reader->at--;
    read_literal(reader);
    return true;
}

/* Reads the class at reader->at, and writes any character instead. */
static bool read_class(struct reader *reader)
{
    uint64_t first = reader->at + 1, at;

    first += byte_at(reader, first) == '^';
    for (at = first; at < reader->count; at++) {
        const char byte = reader->bytes[at], next = byte_at(reader, at + 1);

        if (byte == ']' && at > first)
            break;
        if (byte == '\\' && (next == 'Q' || next == 'E' || next == 'c'))
            return false; /* after such an escape a ']' may stand for itself */
        if (byte == '[' && (next == ':' || next == '.' || next == '=')) {
            const uint64_t begin = at + 2;

            if (byte_at(reader, begin) == '<' || byte_at(reader, begin) == '>')
                return false; /* [[:<:]] and [[:>:]] are edges of words */
            for (at = begin; at < reader->count && reader->bytes[at] != ']'; at++)
                if (reader->bytes[at] == '\\')
                    return false;
            if (at == reader->count || at == begin || reader->bytes[at - 1] != next)
                return false; /* no name of a class stands here */
        }
        at += byte == '\\';
    }
    put_part(reader, ANY);
    reader->at = at + 1;
    return at < reader->count;
}

/* Reads the flags at reader->at, up to ':' or ')'. */
static bool read_flags(struct reader *reader)
{
    bool off = false;

    for (; reader->at < reader->count; reader->at++) {
        const char letter = reader->bytes[reader->at];

        if (letter == ':' || letter == ')')
            return true;
        if (letter == '\0' || strchr("imsnUJ-^", letter) == NULL)
            return false;
        off |= letter == '-';
        reader->foldings |= letter == 'i' && !off;
    }
    return false;
}

/* Reads what follows "(?", up to the group's content. Sets *whole if there is no content;
 * reader->at is then after the ')'. */
static bool read_kind(struct reader *reader, enum group *kind, bool *whole)
{
    const char first = byte_at(reader, reader->at), second = byte_at(reader, reader->at + 1);
    const bool sign = first == '-' || first == '+';

    *whole = false;
    if (first == '=' || first == '!' || (first == '<' && (second == '=' || second == '!'))) {
        const bool kept = reader->depth == 0 && (first == '=' || second == '=') && first != '!';

        *kind = !kept            ? GROUP_LEFT_OUT
                : first == '='   ? GROUP_AHEAD
                : reader->begins ? GROUP_BEHIND
                                 : GROUP_LEFT_OUT;
        reader->at += first == '<' ? 2 : 1;
        return true;
    }
    if (first == '|' || first == '>') {
        reader->at++;
        return true;
    }
    if (first == '#') {
        *whole = true;
        *kind = GROUP_LEFT_OUT;
        return skip_to(reader, ')');
    }
    if ((first == '<' && second != '*') || first == '\'' || (first == 'P' && second == '<')) {
        reader->at += first == 'P' ? 2 : 1;
        return skip_to(reader, first == '\'' ? '\'' : '>');
    }
    if (first == 'R' || first == '&' || first == 'P' || (first >= '0' && first <= '9') ||
        (sign && second >= '0' && second <= '9')) {
        *whole = true;
        return skip_to(reader, ')');
    }
    if (!read_flags(reader))
        return false;
    *whole = reader->bytes[reader->at++] == ')';
    *kind = *whole ? GROUP_LEFT_OUT : GROUP_PLAIN;
    return true;
}

static bool read_open(struct reader *reader)
{
    enum group kind = GROUP_PLAIN;
    bool whole = false;

    reader->at++;
    if (byte_at(reader, reader->at) == '*')
        return false;
    if (byte_at(reader, reader->at) == '?') {
        reader->at++;
        if (!read_kind(reader, &kind, &whole))
            return false;
    }
    if (whole) {
        if (kind == GROUP_PLAIN)
            put_part(reader, ANY_TEXT);
        /* after a comment or flags, a repetition may still follow the part before */
        return true;
    }
    if (reader->depth == DEPTH_MAX)
        return false;
    if (kind == GROUP_PLAIN || kind == GROUP_BEHIND)
        begin_part(reader);
    else if (reader->ahead != NONE && kind == GROUP_AHEAD)
        kind = GROUP_LEFT_OUT; /* the text of at most one look-ahead is kept */
    reader->groups[reader->depth].kind = kind;
    reader->groups[reader->depth++].begin = reader->out->count;
    put(reader, "(?:", 3);
    reader->begins = false;
    return true;
}

static bool read_close(struct reader *reader)
{
    enum group kind;
    uint64_t begin;

    reader->at++;
    if (reader->depth == 0)
        return false;
    kind = reader->groups[--reader->depth].kind;
    begin = reader->groups[reader->depth].begin;
    put(reader, ")", 1);
    reader->repeats = kind == GROUP_PLAIN;
    if (kind == GROUP_LEFT_OUT)
        reader->out->count = begin;
    else if (kind == GROUP_AHEAD)
        reader->ahead = begin;
    return true;
}

/* Reads the repetition at reader->at. */
static bool read_repetition(struct reader *reader)
{
    const uint64_t begin = reader->at;

    if (reader->bytes[reader->at++] == '{') {
        const char next = byte_at(reader, reader->at);

        if (next == ',' || next == ' ' || next == '\t')
            return false; /* the meaning depends on PCRE2's version */
        if (next < '0' || next > '9') {
            reader->at--;
            read_literal(reader);
            return true;
        }
        skip_digits(reader);
        reader->at += byte_at(reader, reader->at) == ',';
        skip_digits(reader);
        if (byte_at(reader, reader->at++) != '}')
            return false;
    }
    if (!reader->repeats)
        return false;
    put(reader, reader->bytes + begin, reader->at - begin);
    reader->out->possessive |= byte_at(reader, reader->at) == '+';
    reader->at += byte_at(reader, reader->at) == '+' || byte_at(reader, reader->at) == '?';
    return true;
}

static bool read_all(struct reader *reader)
{
    while (reader->at < reader->count) {
        const char byte = reader->bytes[reader->at];
        bool good = true;

        if (byte == '\\') {
            good = read_escape(reader);
        } else if (byte == '[') {
            good = read_class(reader);
        } else if (byte == '(') {
            good = read_open(reader);
        } else if (byte == ')') {
            good = read_close(reader);
        } else if (byte == '*' || byte == '+' || byte == '?' || byte == '{') {
            good = read_repetition(reader);
        } else if (byte == '|') {
            put(reader, "|", 1);
            reader->ahead = NONE;
            reader->begins = reader->depth == 0;
            reader->repeats = false;
            reader->at++;
        } else if (byte == '^' || byte == '$') {
            reader->repeats = false;
            reader->at++;
        } else if (byte == '.') {
            put_part(reader, ANY);
            reader->at++;
        } else {
            read_literal(reader);
        }
        if (!good)
            return false;
    }
    return reader->depth == 0;
}

enum trawl_status pcre2_filter(const char *bytes, uint64_t count, bool folds, bool characters,
                               struct pcre2_filter *out, struct trawl_error *error)
{
    struct reader *reader;
    bool good = false;

    memset(out, 0, sizeof *out);
    TRAWL_TRY(MEMORY_NEW(out->bytes, count * ROOM_PER_BYTE + 4, error));
    out->capacity = count * ROOM_PER_BYTE + 4;
    if (MEMORY_ZEROED(reader, 1, error) != TRAWL_OK) {
        pcre2_filter_release(out);
        return TRAWL_MEMORY;
    }
    for (int folds_all = 0; folds_all < 2; folds_all++) {
        *reader = (struct reader){.bytes = bytes,
                                  .count = count,
                                  .out = out,
                                  .folds = folds || folds_all > 0,
                                  .characters = characters,
                                  .ahead = NONE,
                                  .begins = true};
        out->count = 0;
        put(reader, "(?i)", folds_all > 0 ? 4 : 0);
        good = read_all(reader);
        if (!good || !reader->foldings || folds)
            break;
    }
    out->count = good ? out->count : 0;
    memory_release(reader, 1, sizeof *reader);
    return TRAWL_OK;
}

void pcre2_filter_release(struct pcre2_filter *filter)
{
    memory_release(filter->bytes, filter->capacity, 1);
    memset(filter, 0, sizeof *filter);
}
