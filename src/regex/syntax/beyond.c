/* beyond: reads an expression of PCRE2 as the tree of a filter: an expression that matches every
 * line in which PCRE2's expression matches. So automata, and a search for the filter's strings, can
 * rule out most lines before PCRE2 is used.
 *
 * In the filter, a class becomes any character, and a backreference becomes any characters.
 * Assertions are dropped, except for two that become groups because their text is in the line:
 * (?<=text) at the start of an alternative, and (?=text) at its end. If the expression has syntax
 * that this file cannot read, the filter is opaque and must not be used.
 *
 * Also records the places that PCRE2's programs rewrite (pcre2.c).
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/syntax/parse.h"

static const struct braces any = {.is_endless = true}, some = {.min = 1, .is_endless = true};
enum { BEHIND = '<', LEFT_OUT = '!' }; /* like SYNTAX_AHEAD, for other assertions */

/* Moves reader->at past the next byte `close`, or to the expression's end. */
static void skip_to(struct syntax_reader *reader, char close)
{
    const uint64_t count = syntax_count_to(reader, close);

    reader->out->is_opaque |= count == 0;
    reader->at = count > 0 ? reader->at + count : reader->bytes_count;
}

static enum trawl_status note(struct syntax_reader *reader, uint64_t at, uint64_t end, char letter,
                              struct trawl_error *error)
{
    struct syntax *out = reader->out;

    TRAWL_TRY(MEMORY_ROOM(out->marks, out->mark_capacity, out->mark_count + 1, error));
    out->marks[out->mark_count++] = (struct syntax_mark){(uint32_t)at, (uint32_t)end, letter};
    return TRAWL_OK;
}

/* Adds '.', for any character, in place of what begins at reader->at; with `counts`, repeated
 * accordingly. */
static enum trawl_status add_any(struct syntax_reader *reader, const struct braces *counts,
                                 struct trawl_error *error)
{
    const uint8_t flags = reader->flags;

    reader->flags = SYNTAX_DOT_ALL;
    TRAWL_TRY(syntax_add(reader, SYNTAX_SET, ".", 1, 0, error));
    reader->flags = flags;
    reader->is_repeatable = true;
    return counts != NULL ? syntax_repeat(reader, counts, false, error) : TRAWL_OK;
}

static enum trawl_status read_literal(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint8_t byte = (uint8_t)reader->bytes[reader->at];
    const bool folds = (reader->flags & SYNTAX_FOLDS) != 0;
    /* PCRE2's cases in a locale of single bytes may be others than the rules' */
    const bool is_sure =
        byte < 0x80 ? !folds || !reader->rules->bytes || reader->rules->letters.is_word == NULL
                    : !folds && !reader->rules->bytes;

    reader->out->folds_more |= folds && (byte >= 0x80 || syntax_is_in("kKsS", (char)byte));
    TRAWL_TRY(syntax_add_literal(reader, error));
    reader->is_repeatable = true;
    if (byte > 0 && is_sure)
        return TRAWL_OK;
    reader->count--;
    return add_any(reader, NULL, error);
}

/* Skips the name after an escape: {...}, <...>, '...' or a number with a sign. */
static void skip_name(struct syntax_reader *reader)
{
    const char open = syntax_byte(reader, reader->at);

    if (syntax_is_in("{<'", open)) {
        reader->at++;
        skip_to(reader, open == '{' ? '}' : open == '<' ? '>' : '\'');
        return;
    }
    reader->at += open == '-' || open == '+';
    while (syntax_is_in("0123456789", syntax_byte(reader, reader->at)))
        reader->at++;
}

static enum trawl_status read_quoted(struct syntax_reader *reader, struct trawl_error *error)
{
    while (reader->at < reader->bytes_count && !syntax_stands(reader, reader->at, "\\E"))
        TRAWL_TRY(read_literal(reader, error));
    reader->at = min_u64(reader->at + 2, reader->bytes_count);
    return TRAWL_OK;
}

/* Skips the digits, the name or the letter that belong to an escape for a character or a class.
 * reader->at is after the escape's letter. */
static void skip_character(struct syntax_reader *reader, char letter)
{
    const bool braces = syntax_byte(reader, reader->at) == '{' &&
                        (syntax_is_in("xopP", letter) ||
                         (letter == 'N' && syntax_byte(reader, reader->at + 1) == 'U'));

    if (braces) {
        skip_to(reader, '}');
        return;
    }
    for (int i = 0; i < 2 && syntax_is_in(letter == 'x'   ? "0123456789abcdefABCDEF"
                                          : letter == '0' ? "01234567"
                                                          : "",
                                          syntax_byte(reader, reader->at));
         i++)
        reader->at++;
    reader->at = min_u64(reader->at + syntax_is_in("pPc", letter), reader->bytes_count);
}

static enum trawl_status read_escape(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    const char letter = syntax_byte(reader, from + 1);

    reader->at = min_u64(from + 2, reader->bytes_count);
    if (syntax_is_in("bAzZBGwW", letter))
        TRAWL_TRY(note(reader, from, reader->at, letter, error));
    if (letter == 'Q')
        return read_quoted(reader, error);
    if (syntax_is_in("bBAzZGK", letter)) {
        reader->is_repeatable = false;
        return TRAWL_OK;
    }
    reader->out->folds_more |=
        (reader->flags & SYNTAX_FOLDS) != 0 && syntax_is_in("0123456789gkxoNc", letter);
    if ((letter >= '1' && letter <= '9') || letter == 'g' || letter == 'k') {
        reader->at -= letter <= '9';
        skip_name(reader);
        reader->referred_at = reader->at;
        reader->out->misleads_starts |= reader->depth > 1;
        return add_any(reader, &any, error);
    }
    reader->out->misleads_possess |= letter == 'R';
    if (letter == 'R' || letter == 'X')
        return add_any(reader, &some, error);
    if (syntax_is_in("aefnrtdDsSwWhHvVNxopPc0", letter)) {
        skip_character(reader, letter);
        return add_any(reader, NULL, error);
    }
    reader->out->is_opaque |=
        reader->at < from + 2 || ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z');
    if (reader->out->is_opaque)
        return TRAWL_OK;
    reader->at--;
    return read_literal(reader, error);
}

static enum trawl_status read_class(struct syntax_reader *reader, struct trawl_error *error)
{
    const bool folds = (reader->flags & SYNTAX_FOLDS) != 0;
    uint64_t first = reader->at + 1, at;

    first += syntax_byte(reader, first) == '^';
    for (at = first; at < reader->bytes_count; at++) {
        const char byte = reader->bytes[at], next = syntax_byte(reader, at + 1);

        if (byte == ']' && at > first)
            break;
        reader->out->folds_more |=
            folds &&
            ((uint8_t)byte >= 0x80 || byte == '-' || (byte | 0x20) == 'k' || (byte | 0x20) == 's' ||
             (byte == '\\' && syntax_is_in("0123456789xoNc", next)));
        if (byte == '\\') {
            /* after such an escape, a ']' may stand for itself */
            reader->out->is_opaque |= syntax_is_in("QEc", next);
            if (syntax_is_in("wW", next))
                TRAWL_TRY(note(reader, at, at + 2, next == 'w' ? 'i' : 'I', error));
            if (next == 'Q') {
                reader->at = at;
                while (reader->at < reader->bytes_count &&
                       !syntax_stands(reader, reader->at, "\\E"))
                    reader->at++;
                at = reader->at;
            }
            at += next == 'c' ? 2 : 1;
        } else if (byte == '[' && syntax_is_in(":.=", next)) {
            uint64_t end = at + 2;

            while (end < reader->bytes_count &&
                   ((reader->bytes[end] | 0x20) >= 'a' || reader->bytes[end] == '^'))
                end++;
            if (syntax_byte(reader, end) == next && syntax_byte(reader, end + 1) == ']')
                at = end + 1;
            else
                /* not the name of a class; or [:<:] or [:>:], which are word boundaries */
                reader->out->is_opaque = true;
        }
    }
    reader->out->is_opaque |= at >= reader->bytes_count;
    reader->at = min_u64(at + 1, reader->bytes_count);
    return add_any(reader, NULL, error);
}

/* Reads the flags at reader->at, and the ':' or ')' after them. Returns true if a group begins. */
static bool read_flags(struct syntax_reader *reader)
{
    bool off = false;
    char letter;

    for (;; reader->at++) {
        letter = syntax_byte(reader, reader->at);
        if (!syntax_is_in("imsnxUJ-^", letter))
            break;
        off |= letter == '-';
        if (letter == 'i' || letter == '^')
            reader->flags = letter == 'i' && !off ? SYNTAX_FOLDS : 0;
        if (letter == 'x' || letter == '^')
            reader->skips = letter == 'x' && !off;
    }
    reader->out->is_opaque |= (letter != ':' && letter != ')') || reader->skips;
    reader->at += letter == ':' || letter == ')';
    return letter != ')';
}

/* Reads what follows "(?", up to the content of the group. For an assertion, sets *letter. Returns
 * false if there is no content; reader->at is then after the ')'. */
static bool read_kind(struct syntax_reader *reader, char *letter, bool *is_any)
{
    const char first = syntax_byte(reader, reader->at),
               second = syntax_byte(reader, reader->at + 1);
    const bool sign = first == '-' || first == '+';

    if (first == '=' || first == '!' || (first == '<' && (second == '=' || second == '!'))) {
        *letter = first == '=' ? SYNTAX_AHEAD : first == '<' && second == '=' ? BEHIND : LEFT_OUT;
        reader->out->misleads_starts |= first == '=';
        reader->at += first == '<' ? 2 : 1;
        return true;
    }
    if (first == '*' || (first == '<' && second == '*')) { /* an assertion that is not atomic */
        reader->out->is_opaque = true;
        reader->at += first == '<' ? 2 : 1;
        return true;
    }
    if (first == '|' || first == '>') {
        reader->out->misleads_possess |= first == '>';
        reader->at++;
        return true;
    }
    if (first == '#') {
        skip_to(reader, ')');
        return false;
    }
    if (first == '<' || first == '\'' || (first == 'P' && second == '<')) {
        reader->at += first == 'P' ? 2 : 1;
        skip_to(reader, first == '\'' ? '\'' : '>');
        return true;
    }
    if (syntax_is_in("R&P0123456789", first) || (sign && syntax_is_in("0123456789", second))) {
        *is_any = reader->out->misleads_starts = true;
        /* the interpreter ends a recursion into the whole expression too early */
        reader->out->misleads_old_jit |= first != 'R' && (first != '0' || second != ')');
        skip_to(reader, ')');
        return false;
    }
    return read_flags(reader);
}

static enum trawl_status read_open(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at++;
    const uint8_t flags = reader->flags;
    const bool skips = reader->skips;
    bool is_any = false;
    char letter = '\0';

    if (syntax_stands(reader, from, "(*")) {
        reader->out->is_opaque = reader->out->misleads_possess = true; /* (*atomic:...) is one */
        TRAWL_TRY(note(reader, from, from + 1, '*', error));
    } else if (syntax_stands(reader, from, "(?")) {
        reader->at++;
        if (!read_kind(reader, &letter, &is_any)) {
            /* a repetition after a comment or flags still applies to the item before these */
            return is_any ? add_any(reader, &any, error) : TRAWL_OK;
        }
    }
    reader->is_repeatable = false;
    reader->out->misleads_old_jit |= reader->frame->group->letter != '\0';
    TRAWL_TRY(syntax_open(reader, from, false, error));
    reader->frame->group->letter = letter;
    reader->frame->flags = flags;
    reader->frame->skips = skips;
    return TRAWL_OK;
}

static enum trawl_status read_close(struct syntax_reader *reader, struct trawl_error *error)
{
    const struct syntax_node *group;

    reader->at++;
    if (reader->depth == 1) {
        reader->out->is_opaque = true;
        return TRAWL_OK;
    }
    TRAWL_TRY(syntax_close(reader, error));
    group = reader->nodes[reader->count - 1];
    reader->is_repeatable = group->letter == '\0';
    if (group->letter != '\0' &&
        (group->letter == LEFT_OUT || reader->depth > 1 ||
         (group->letter == BEHIND && reader->count > reader->frame->list + 1)))
        reader->count--;
    return TRAWL_OK;
}

/* Returns true if the repetition that ends at `at` may be possessive: PCRE2 finds its '+' also
 * behind a comment, blanks, or \E. */
static bool may_be_possessive(const struct syntax_reader *reader, uint64_t at)
{
    return reader->skips || syntax_stands(reader, at, "+") || syntax_stands(reader, at, "(?#") ||
           syntax_stands(reader, at, "\\E") || syntax_stands(reader, at, "\\Q");
}

static enum trawl_status read_repetition(struct syntax_reader *reader, char what,
                                         struct trawl_error *error)
{
    const uint64_t from = reader->at;
    const char next = syntax_byte(reader, from + 1);
    struct braces counts = {
        .length = 1, .min = what == '+', .max = what == '?', .is_endless = what != '?'};
    uint64_t end;
    char after;

    if (what == '{')
        counts = syntax_braces(reader, true);
    end = from + max_u64(counts.length, 1);
    after = syntax_byte(reader, end);
    if (may_be_possessive(reader, end) && from > 0 &&
        (reader->skips || syntax_is_in(")E", reader->bytes[from - 1]))) { /* E: as in `(a)\E*+` */
        reader->out->misleads_possess = true;
        reader->out->misleads_jit |= counts.min > 1 && counts.is_endless;
        reader->out->misleads_old_jit |= what != '+';
    }
    if (what == '{') {
        reader->out->misleads_starts = true;
        if (counts.length > 0 &&
            (!counts.has_min || memchr(reader->bytes + from, ' ', counts.length) != NULL ||
             memchr(reader->bytes + from, '\t', counts.length) != NULL))
            TRAWL_TRY(note(reader, from, from + counts.length, '{', error));
        /* the meaning of these depends on the version of PCRE2 */
        reader->out->is_opaque |= next == ',' || next == ' ' || next == '\t';
        if (next < '0' || next > '9')
            return read_literal(reader, error);
        reader->out->is_opaque |=
            counts.length == 0 || (counts.min > counts.max && !counts.is_endless);
    }
    reader->out->is_opaque |= !reader->is_repeatable || reader->count == reader->frame->list;
    reader->out->misleads_old_jit |=
        from == reader->referred_at && (after == '?' || reader->depth > 1);
    reader->at = end + (after == '+' || after == '?');
    reader->is_repeatable = false;
    reader->last_at = from;
    return reader->out->is_opaque ? TRAWL_OK : syntax_repeat(reader, &counts, after == '?', error);
}

enum trawl_status beyond_token(struct syntax_reader *reader, char what, struct trawl_error *error)
{
    switch (what) {
    case '[':
        return read_class(reader, error);
    case 'e':
        return read_escape(reader, error);
    case '(':
        return read_open(reader, error);
    case ')':
        return read_close(reader, error);
    case '*':
    case '+':
    case '?':
    case '{':
        return read_repetition(reader, what, error);
    case '\0':
        return read_literal(reader, error);
    default:
        reader->at++;
        reader->is_repeatable = false;
        reader->out->misleads_starts |= what == '|';
        if (what == '|' && reader->depth == 1)
            TRAWL_TRY(note(reader, reader->at - 1, reader->at, '|', error));
        return what == '.'   ? add_any(reader, NULL, error)
               : what == '|' ? syntax_end_list(reader, error)
                             : TRAWL_OK; /* ^ and $ are dropped */
    }
}
