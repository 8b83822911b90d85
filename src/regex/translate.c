/* translate: copies Perl's syntax, except for the names of groups and Unicode's classes; reads the
 * extended and the basic syntax of POSIX, with GNU's additions, and writes each part as RE2 spells
 * it.
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

#define EXPRESSION_BYTES_MAX (1u << 28)
/* bound on the translated bytes per byte: a repetition may add "(?:", ")" and a 0 */
#define ROOM_PER_BYTE 6u
#define DEPTH_MAX 1000u /* the most groups inside each other */
/* bound on the translated bytes of \w, \W, \s and \S as Unicode means them */
#define UNICODE_BYTES 256u

/* Unicode's White_Space, and all other characters. */
#define SPACES                                                                               \
    "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}" \
    "\\x{3000}"
#define NO_SPACES                                                                             \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}" \
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"            \
    "\\x{3001}-\\x{10ffff}"
/* Word characters, as in Unicode's technical standard 18: \p{Nd}, connectors (\p{Pc}), and these.
 * The last ranges are letters in circles and squares, which belong to no category of letters. */
#define LETTERS                                                                                \
    "\\p{L}\\p{Nl}\\p{M}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-" \
    "\\x{1f169}\\x{1f170}-\\x{1f189}"
#define DIGITS "\\p{Nd}"
/* \p{Pc} without '_' */
#define CONNECTORS "\\x{203f}\\x{2040}\\x{2054}\\x{fe33}\\x{fe34}\\x{fe4d}-\\x{fe4f}\\x{ff3f}"
#define WORDS LETTERS DIGITS CONNECTORS "_"

struct reader {
    enum trawl_syntax syntax;
    bool unicode;
    const char *bytes;
    uint64_t count;
    uint64_t at;
    struct translated *out;
    uint64_t depth;
    uint64_t group_begin[DEPTH_MAX]; /* where each open group begins in out->bytes */
    uint64_t group_from[DEPTH_MAX];  /* where each open group begins in the expression */
    /* the last part that a repetition may repeat begins there in out->bytes; UINT64_MAX: there is
     * no such part */
    uint64_t atom;
    bool repeated;      /* the part has a repetition */
    bool after_word;    /* the preceding part is a single ASCII word character */
    bool word_begins;   /* \< was read: an ASCII word character has to follow */
    uint64_t word_from; /* where \< was read */
    /* of Perl's syntax: "[" of the last class stands at class_begin in out->bytes; not_words: the
     * class has \W, with Unicode's meaning */
    uint64_t class_begin;
    bool not_words;
};

/* Reports a mistake, or syntax that RE2 lacks, at byte `at` of the expression. */
static enum trawl_status refuse(uint64_t at, struct trawl_error *error, const char *what)
{
    enum trawl_status status = TRAWL_FAIL(error, ARGUMENT, "%s", what);

    if (error != NULL)
        error->text_offset = at;
    return status;
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

static bool is_word_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '_';
}

static bool is_special(char byte)
{
    return byte != '\0' && strchr("\\.+*?()|[]{}^$", byte) != NULL;
}

/* ---- Perl ---------------------------------------------------------------------------------- */

/* Sets needs_line if the escape asks for a line alone. */
static void note_escape(struct translated *out, char letter)
{
    if (letter == 'A' || letter == 'z' || letter == 'C')
        out->needs_line = true;
    out->has_byte |= letter == 'C';
}

/* Reads the flags of "(?flags", which begin at `at`: sets needs_line for -m. */
static void note_flags(struct translated *out, const char *bytes, uint64_t count, uint64_t at)
{
    bool off = false;

    for (; at < count && bytes[at] != ':' && bytes[at] != ')'; at++) {
        off |= bytes[at] == '-';
        out->needs_line |= off && bytes[at] == 'm';
    }
}

static void copy_next(struct reader *reader, uint64_t *at)
{
    ++*at;
    put(reader, reader->bytes + *at, 1, *at);
}

static void put_text(struct reader *reader, const char *text, uint64_t from)
{
    put(reader, text, strlen(text), from);
}

static const char letters[] = "dDsSw";
static const char *const texts[] = {DIGITS, "\\P{Nd}", SPACES, NO_SPACES, WORDS};

/* Writes the escape that stands at `from` as Unicode means it. Returns false, and writes nothing,
 * if the escape is not about words, digits or spaces. */
static bool put_unicode(struct reader *reader, uint64_t from, bool in_class)
{
    const char letter = reader->bytes[from + 1];
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;

    if (found == NULL && letter != 'W')
        return false;
    if (!in_class)
        put_text(reader, found != NULL ? "[" : "[^" WORDS, from);
    else if (found == NULL)
        reader->not_words = true; /* end_class writes the class */
    if (found != NULL)
        put_text(reader, texts[found - letters], from);
    if (!in_class)
        put_text(reader, "]", from);
    return true;
}

/* Rewrites the class that ends before `from`, which has \W: "[x\W]" becomes "(?:[x]|[^words])".
 * RE2 has no class within a class, so a negated class with \W is the word characters without
 * digits, without '_', or is refused. */
static enum trawl_status end_class(struct reader *reader, uint64_t from, struct trawl_error *error)
{
    struct translated *out = reader->out;
    const uint64_t begin = reader->class_begin;
    const bool negated = out->count > begin + 1 && out->bytes[begin + 1] == '^';
    const char *rest = out->bytes + begin + 1 + negated, *end = out->bytes + out->count;
    bool digits = true, line = true;

    reader->not_words = false;
    for (; negated && rest < end; rest += *rest == '_' ? 1 : strlen(DIGITS)) {
        if (*rest == '_')
            line = false;
        else if ((size_t)(end - rest) >= strlen(DIGITS) &&
                 memcmp(rest, DIGITS, strlen(DIGITS)) == 0)
            digits = false;
        else
            return refuse(out->from[begin], error,
                          "[^\\W...] excludes more than \\d and _: RE2 has no class for that; "
                          "--no-unicode has, for ASCII");
    }
    if (negated || rest == end) {
        out->count = begin;
        put_text(reader, negated ? "[" LETTERS CONNECTORS : "[^" LETTERS CONNECTORS, from);
        put_text(reader, digits ? DIGITS : "", from);
        put_text(reader, line ? "_]" : "]", from);
        return TRAWL_OK;
    }
    TRAWL_ASSERT(out->capacity - out->count >= 3);
    memmove(out->bytes + begin + 3, out->bytes + begin, (size_t)(out->count - begin));
    memmove(out->from + begin + 3, out->from + begin,
            (size_t)(out->count - begin) * sizeof *out->from);
    memcpy(out->bytes + begin, "(?:", 3);
    out->from[begin + 1] = out->from[begin + 2] = out->from[begin];
    out->count += 3;
    put_text(reader, "]|[^" WORDS "])", from);
    return TRAWL_OK;
}

/* Copies the expression. "(?<name>" becomes "(?P<name>". */
static enum trawl_status copy_perl(struct reader *reader, struct trawl_error *error)
{
    const char *bytes = reader->bytes;
    uint64_t count = reader->count;
    bool in_class = false, quoted = false;
    const char *close;

    for (uint64_t i = 0; i < count; i++) {
        char next = i + 1 < count ? bytes[i + 1] : '\0';

        if (reader->unicode && !quoted && bytes[i] == '\\' && i + 1 < count &&
            put_unicode(reader, i, in_class)) {
            i++;
            continue;
        }
        if (in_class && bytes[i] == ']' && !quoted && reader->not_words) {
            TRAWL_TRY(end_class(reader, i, error));
            in_class = false;
            continue;
        }
        put(reader, bytes + i, 1, i);
        if (bytes[i] == '\\' && i + 1 < count) {
            quoted = quoted ? next != 'E' : !in_class && next == 'Q';
            if (!quoted || next == 'Q') {
                note_escape(reader->out, next);
                copy_next(reader, &i);
            }
        } else if (quoted) {
            continue;
        } else if (in_class && bytes[i] == '[' && next == ':' &&
                   (close = memmem(bytes + i + 2, (size_t)(count - i - 2), ":]", 2)) != NULL) {
            while (bytes + i <= close)
                copy_next(reader, &i);
        } else if (in_class) {
            in_class = bytes[i] != ']';
        } else if (bytes[i] == '[') {
            in_class = true;
            reader->class_begin = reader->out->count - 1;
            if (next == '^') {
                copy_next(reader, &i);
                next = i + 1 < count ? bytes[i + 1] : '\0';
            }
            if (next == ']')
                copy_next(reader, &i);
        } else if (bytes[i] == '(' && next == '?') {
            note_flags(reader->out, bytes, count, i + 2);
            copy_next(reader, &i);
            if (i + 2 < count && bytes[i + 1] == '<' && is_word_byte(bytes[i + 2]))
                put(reader, "P", 1, i);
        }
    }
    if (quoted) /* so that other expressions may follow */
        put_text(reader, "\\E", count);
    return TRAWL_OK;
}

/* ---- POSIX --------------------------------------------------------------------------------- */

/* Begins a part that a repetition may repeat. word: the part is an ASCII word character. */
static enum trawl_status begin_atom(struct reader *reader, bool word, struct trawl_error *error)
{
    if (reader->word_begins && !word)
        return refuse(reader->word_from, error,
                      "\\<: a word's begin is known only before a letter, digit or _ of ASCII");
    reader->word_begins = false;
    reader->atom = reader->out->count;
    reader->repeated = false;
    reader->after_word = word;
    return TRAWL_OK;
}

/* Notes that no part precedes that a repetition may repeat. */
static void no_atom(struct reader *reader)
{
    reader->atom = UINT64_MAX;
    reader->after_word = false;
}

/* Reads "[...]", in which '\' is an ordinary byte. */
static enum trawl_status read_class(struct reader *reader, struct trawl_error *error)
{
    const char *bytes = reader->bytes;
    uint64_t begin = reader->at++;

    TRAWL_TRY(begin_atom(reader, false, error));
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
    return TRAWL_OK;
}

/* Handles "(": begins a group. */
static enum trawl_status open_group(struct reader *reader, uint64_t from, struct trawl_error *error)
{
    if (reader->depth == DEPTH_MAX)
        return refuse(from, error, "groups are nested too deeply");
    if (reader->word_begins)
        return begin_atom(reader, false, error);
    reader->group_begin[reader->depth] = reader->out->count;
    reader->group_from[reader->depth++] = from;
    put(reader, "(", 1, from);
    no_atom(reader);
    return TRAWL_OK;
}

/* Handles ")": ends the innermost group, which a repetition may then repeat. */
static void close_group(struct reader *reader, uint64_t from)
{
    put(reader, ")", 1, from);
    no_atom(reader);
    reader->atom = reader->group_begin[--reader->depth];
    reader->repeated = false;
}

/* Writes a repetition. A part that has a repetition already becomes a group, because RE2 would read
 * "*?" or "*+" as a single operator. */
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
    reader->after_word = false;
}

/* Reads the inside of "{n,m}" from reader->at on, and writes the repetition. "{,m}" becomes
 * "{0,m}". */
static enum trawl_status read_interval(struct reader *reader, uint64_t from,
                                       struct trawl_error *error)
{
    const bool basic = reader->syntax == TRAWL_BASIC;
    char text[32] = "{";
    uint64_t length = 1, digits = 0;

    while (reader->at < reader->count && length < sizeof text - 3) {
        char byte = reader->bytes[reader->at];

        if (!(byte >= '0' && byte <= '9') && byte != ',')
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
        return refuse(from, error, "{ begins no repetition {n}, {n,} or {n,m}");
    reader->at++;
    put_repetition(reader, text, length, from);
    return TRAWL_OK;
}

/* Reads "\x" for a byte x that is not an operator of the syntax. */
static enum trawl_status read_escape(struct reader *reader, uint64_t from, char letter,
                                     struct trawl_error *error)
{
    char both[2] = {'\\', letter};

    if (letter >= '1' && letter <= '9')
        return refuse(from, error,
                      "backreference: trawl has none, because it searches in linear time; grep "
                      "has");
    if (letter == 'w' || letter == 'W' || letter == 's' || letter == 'S') {
        TRAWL_TRY(begin_atom(reader, letter == 'w', error));
        put(reader, both, 2, from);
        return TRAWL_OK;
    }
    if (letter == 'b' || letter == 'B' || letter == '<' || letter == '>') {
        if (letter == '>' && !reader->after_word)
            return refuse(from, error,
                          "\\>: a word's end is known only after a letter, digit or _ of ASCII");
        put(reader, letter == 'B' ? "\\B" : "\\b", 2, from);
        no_atom(reader);
        reader->word_begins = letter == '<';
        reader->word_from = from;
        return TRAWL_OK;
    }
    if (letter == '`' || letter == '\'') {
        put(reader, letter == '`' ? "\\A" : "\\z", 2, from);
        reader->out->needs_line = true;
        no_atom(reader);
        return TRAWL_OK;
    }
    if (is_word_byte(letter) || (uint8_t)letter >= 0x80)
        return refuse(from, error, "\\ before this character has no meaning");
    TRAWL_TRY(begin_atom(reader, false, error));
    put(reader, both, is_special(letter) ? 2 : 1, from);
    if (!is_special(letter))
        reader->out->bytes[reader->out->count - 1] = letter;
    return TRAWL_OK;
}

/* Copies a byte that stands for itself. */
static enum trawl_status read_literal(struct reader *reader, struct trawl_error *error)
{
    char byte = reader->bytes[reader->at];
    /* a UTF-8 continuation byte belongs to the part that the character's first byte began */
    bool goes_on = ((uint8_t)byte & 0xc0) == 0x80 && reader->atom != UINT64_MAX;

    if (!goes_on)
        TRAWL_TRY(begin_atom(reader, is_word_byte(byte), error));
    if (is_special(byte))
        put(reader, "\\", 1, reader->at);
    put(reader, &byte, 1, reader->at++);
    return TRAWL_OK;
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

/* Returns whether the '^' or '$' at reader->at is an anchor. In the basic syntax '^' is an anchor
 * only at an alternative's begin, '$' only at an alternative's end.
 */
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

/* Reads the repetition `what`, whose operator has `length` bytes. In the basic syntax a '*' at
 * an alternative's begin stands for itself. */
static enum trawl_status read_repetition(struct reader *reader, char what, uint64_t length,
                                         struct trawl_error *error)
{
    uint64_t from = reader->at;

    if (reader->atom == UINT64_MAX) {
        const struct translated *out = reader->out;
        bool begins = out->count == 0 || out->bytes[out->count - 1] == '(' ||
                      out->bytes[out->count - 1] == '|' || out->bytes[out->count - 1] == '^';

        if (reader->syntax == TRAWL_BASIC && what == '*' && begins)
            return read_literal(reader, error);
        return refuse(from, error, "there is nothing before that could be repeated");
    }
    reader->at += length;
    if (what == '{')
        return read_interval(reader, from, error);
    put_repetition(reader, &what, 1, from);
    return TRAWL_OK;
}

/* Reads the operator, or literal, that operator_at found. */
static enum trawl_status read_operator(struct reader *reader, char what, uint64_t length,
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
        return refuse(from, error, "a \\ stands at the end");
    reader->at += length;
    if (what == 'e')
        return read_escape(reader, from, reader->bytes[from + 1], error);
    if (what == '(')
        return open_group(reader, from, error);
    if (what == ')') {
        if (reader->depth == 0)
            return refuse(from, error, "no group is open that ) could close");
        close_group(reader, from);
        return TRAWL_OK;
    }
    if (what == '.')
        TRAWL_TRY(begin_atom(reader, false, error));
    put(reader, &what, 1, from);
    if (what != '.')
        no_atom(reader);
    return TRAWL_OK;
}

/* Translates an expression in the extended or the basic syntax. */
static enum trawl_status read_posix(struct reader *reader, struct trawl_error *error)
{
    reader->atom = UINT64_MAX;
    while (reader->at < reader->count) {
        uint64_t length;
        char what = operator_at(reader, &length);

        TRAWL_TRY(read_operator(reader, what, length, error));
    }
    if (reader->depth > 0)
        return refuse(reader->group_from[reader->depth - 1], error, "the group is not closed");
    if (reader->word_begins)
        return begin_atom(reader, false, error);
    return TRAWL_OK;
}

/* ---- Both ---------------------------------------------------------------------------------- */

void translated_release(struct translated *translated)
{
    memory_release(translated->bytes, translated->capacity, 1);
    memory_release(translated->from, translated->capacity, sizeof *translated->from);
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

enum trawl_status translate(enum trawl_syntax syntax, bool unicode, const char *bytes,
                            uint64_t count, struct translated *out, struct trawl_error *error)
{
    const uint64_t capacity = room_for(bytes, count, unicode);
    struct reader *reader;
    enum trawl_status status = TRAWL_OK;
    void *memory;

    memset(out, 0, sizeof *out);
    if (count > EXPRESSION_BYTES_MAX)
        return TRAWL_FAIL(error, LIMIT, "an expression of %" PRIu64 " bytes is too long", count);
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *reader, &memory, error));
    reader = (struct reader *)memory;
    reader->syntax = syntax;
    reader->unicode = unicode;
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
