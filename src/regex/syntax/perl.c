/* perl: reads the escapes, classes and kinds of groups that only the syntaxes of Perl and ripgrep
 * have (parse.h). Reports what trawl lacks, so that PCRE2 can be tried. */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/syntax/parse.h"

/* limit for groups with names, because each new name is compared with all earlier ones */
#define NAMES_MAX 1000u

/* Reads \<, \>, \b{start}, \b{end}, \b{start-half} or \b{end-half}. Sets *is_edge to whether it has
 * read one of these. */
static enum trawl_status read_edge(struct syntax_reader *reader, bool *is_edge,
                                   struct trawl_error *error)
{
    static const char *const edges[] = {
        "\\<", "\\b{start}", "\\>", "\\b{end}", "\\b{start-half}", "\\b{end-half}", "\\b{"};
    enum { COUNT = sizeof edges / sizeof *edges };
    const uint64_t from = reader->at;
    const char after = syntax_byte(reader, from + 3);
    uint32_t i = 0;

    while (i < COUNT && !syntax_stands(reader, from, edges[i]))
        i++;
    *is_edge = i + 1 < COUNT ||
               (i < COUNT && from + 3 < reader->bytes_count && (after < '0' || after > '9'));
    if (!*is_edge)
        return TRAWL_OK;
    if (reader->rules->pcre)
        return syntax_refuse(from, error, LEFT_TO_PCRE2);
    if (i + 1 == COUNT)
        return syntax_refuse(from, error,
                             "\\b{...}: only start, end, start-half and end-half are known");
    return syntax_add_edge(reader, "mmMMhH"[i], strlen(edges[i]), error);
}

/* Reads \Q...\E. */
static enum trawl_status read_quoted(struct syntax_reader *reader, struct trawl_error *error)
{
    reader->at += 2;
    while (reader->at < reader->bytes_count && !syntax_stands(reader, reader->at, "\\E"))
        TRAWL_TRY(syntax_add_literal(reader, error));
    reader->at += reader->at < reader->bytes_count ? 2 : 0;
    return TRAWL_OK;
}

/* Returns true if the escape at reader->at is a backreference of two or more digits to PCRE2; to
 * trawl, the digits are a character's octal number. */
static bool is_reference(const struct syntax_reader *reader)
{
    const uint64_t at = reader->at + 1;
    uint32_t number;

    return syntax_number(reader, at, &number) > at + 1 && reader->bytes[at] != '0' &&
           number <= reader->groups;
}

enum trawl_status perl_escape(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at, left = reader->bytes_count - from;
    const char letter = syntax_byte(reader, from + 1);
    const bool is_u = reader->rules->ripgrep && (letter == 'u' || letter == 'U');
    const bool has_braces = syntax_is_in("xpPuU", letter) && syntax_byte(reader, from + 2) == '{';
    bool is_edge = false;

    if (left == 1)
        return syntax_refuse(from, error, "trailing \\");
    if (letter == 'Q')
        return read_quoted(reader, error);
    if (reader->rules->ripgrep)
        TRAWL_TRY(read_edge(reader, &is_edge, error));
    if (is_edge)
        return TRAWL_OK;
    if (letter == 'b' || letter == 'B' || letter == 'A' || letter == 'z')
        return syntax_add_edge(reader, letter, 2, error);
    if (letter == 'C') {
        reader->out->needs_line = reader->out->has_byte = true;
        return syntax_take(reader, SYNTAX_BYTE, 2, error);
    }
    if (reader->rules->pcre && (is_u || is_reference(reader)))
        return syntax_refuse(from, error, LEFT_TO_PCRE2);
    if (has_braces && syntax_count_to(reader, '}') == 0)
        return syntax_refuse(from, error, "the brace is not closed");
    if (reader->rules->ripgrep && !reader->rules->unicode &&
        (is_u || letter == 'p' || letter == 'P' || (letter == 'x' && has_braces)))
        return syntax_refuse(from, error, "with --no-unicode, expressions mean bytes: write \\xff");
    if ((uint8_t)letter < 0x80 && (letter == '_' || !class_is_word_byte(letter))) {
        reader->at++;
        return syntax_add_literal(reader, error);
    }
    return syntax_add_set(reader, error);
}

/* Returns true if the name has a character, and all are characters of words; with `more`, dots and
 * brackets may follow the first. */
static bool is_name(const char *name, uint64_t count, bool more)
{
    bool is = count > 0;

    for (uint64_t at = 0, taken; at < count && is; at += taken) {
        uint32_t code = 0;

        taken = plan_utf8_decode((const uint8_t *)name + at, count - at, &code);
        is = code >= 0x80 ? unicode_holds(unicode_words()->of, unicode_words()->count, code)
                          : class_is_word_byte((char)code) ||
                                (more && at > 0 && (code == '.' || code == '[' || code == ']'));
    }
    return is;
}

/* Reads the start of a group with a name: (?P<name> or (?<name>. */
static enum trawl_status read_name(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    struct syntax_node *group;
    uint64_t count;

    reader->at += reader->bytes[from + 2] == 'P' ? 4 : 3;
    count = syntax_count_to(reader, '>');
    if (count == 0)
        return syntax_refuse(from, error, "the group's name is not closed");
    if (reader->name_count == NAMES_MAX)
        return syntax_refuse(from, error, "there are 1,000 named groups already");
    TRAWL_TRY(syntax_open(reader, from, true, error));
    group = reader->frame->group;
    group->bytes = reader->bytes + reader->at;
    group->bytes_count = (uint32_t)count - 1;
    reader->at += count;
    if (!is_name(group->bytes, group->bytes_count, reader->rules->ripgrep && !reader->rules->pcre))
        return syntax_refuse_part(reader, from, reader->at - from, "invalid named capture group",
                                  error);
    for (uint64_t i = 0; i < reader->name_count; i++)
        if (reader->names[i]->bytes_count == group->bytes_count &&
            memcmp(reader->names[i]->bytes, group->bytes, group->bytes_count) == 0)
            return syntax_refuse(from, error, "two groups have the same name");
    TRAWL_TRY(MEMORY_ROOM(reader->names, reader->name_capacity, reader->name_count + 1, error));
    reader->names[reader->name_count++] = group;
    reader->out->has_names = true;
    return TRAWL_OK;
}

/* Applies a letter of (?imsUx). */
static void set_flag(struct syntax_reader *reader, char letter, bool off)
{
    const uint8_t flag = letter == 'i'   ? SYNTAX_FOLDS
                         : letter == 'm' ? SYNTAX_MANY_LINES
                         : letter == 's' ? SYNTAX_DOT_ALL
                         : letter == 'U' ? SYNTAX_SHORTEST
                                         : 0;

    reader->flags = (uint8_t)(off ? reader->flags & ~flag : reader->flags | flag);
    reader->skips = letter == 'x' ? !off : reader->skips;
    reader->out->needs_line |= off && letter == 'm';
}

/* Reports a group of a kind that trawl lacks, which extends from `from` to reader->at. */
static enum trawl_status refuse_open(const struct syntax_reader *reader, uint64_t from,
                                     struct trawl_error *error)
{
    const char kind = syntax_byte(reader, from + 2);
    const uint64_t count = min_u64(reader->at + 1, reader->bytes_count) - from;

    if (kind == '=' || kind == '!' || kind == '<')
        return syntax_refuse(from, error, "look-around %.3s: " NO_BACKTRACKING,
                             reader->bytes + from);
    if (reader->rules->pcre)
        return syntax_refuse(from, error, LEFT_TO_PCRE2);
    if (syntax_is_in(">|(&#R+0123456789", kind))
        return syntax_refuse(from, error, "(?%c: trawl has no such group; " PCRE2_HAS, kind);
    return syntax_refuse_part(reader, from, count, "invalid perl operator", error);
}

enum trawl_status perl_open(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    const uint8_t flags = reader->flags;
    const bool skips = reader->skips;
    const char *letters = reader->rules->ripgrep ? "imsUuxR-" : "imsU-";
    /* ripgrep rejects (?), and a letter that is given twice */
    const bool is_strict = reader->rules->ripgrep && !reader->rules->pcre;
    bool off = false, is_set = false;
    char letter;

    if (syntax_stands(reader, from, "(?P<") ||
        (syntax_stands(reader, from, "(?<") && !syntax_stands(reader, from, "(?<=") &&
         !syntax_stands(reader, from, "(?<!") &&
         !(reader->rules->pcre && syntax_stands(reader, from, "(?<*"))))
        return read_name(reader, error);
    if (reader->rules->pcre && syntax_stands(reader, from, "(*"))
        return syntax_refuse(from, error, LEFT_TO_PCRE2);
    if (!syntax_stands(reader, from, "(?")) {
        reader->at++;
        return syntax_open(reader, from, true, error);
    }
    for (reader->at += 2;; reader->at++) {
        letter = syntax_byte(reader, reader->at);
        if (!syntax_is_in(letters, letter))
            break;
        if (letter == 'u' && reader->rules->pcre)
            return syntax_refuse(reader->at, error, LEFT_TO_PCRE2);
        if (letter == 'R' || (letter == 'u' && (off || !reader->rules->unicode)))
            return syntax_refuse(reader->at, error,
                                 "the flags R, u after --no-unicode and -u have no meaning here; "
                                 "trawl has the options --crlf and --no-unicode");
        if ((letter == '-' && off) ||
            (is_strict && memchr(reader->bytes + from + 2, letter, reader->at - from - 2) != NULL))
            return refuse_open(reader, from, error);
        off |= letter == '-';
        is_set = letter != '-';
        set_flag(reader, letter, off);
    }
    if ((letter != ':' && letter != ')') || (off && !is_set) ||
        (is_strict && letter == ')' && reader->at == from + 2))
        return refuse_open(reader, from, error);
    reader->at++;
    if (letter == ')') {
        reader->last = LAST_FLAGS;
        return TRAWL_OK;
    }
    TRAWL_TRY(syntax_open(reader, from, false, error));
    reader->frame->flags = flags;
    reader->frame->skips = skips;
    return TRAWL_OK;
}
