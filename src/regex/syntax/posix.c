/* posix: reads the escapes and classes of POSIX's extended and basic syntax, with GNU's additions
 * (parse.h). */
#include <string.h>

#include "regex/class_text.h"
#include "regex/syntax/parse.h"

/* Reads a class "[...]", in which '\' is an ordinary byte. */
enum trawl_status posix_class(struct syntax_reader *reader, struct trawl_error *error)
{
    const char *bytes = reader->bytes;
    const uint64_t begin = reader->at, first = begin + 1 + (syntax_byte(reader, begin + 1) == '^');
    uint64_t at;

    for (at = first;; at++) {
        const char byte = syntax_byte(reader, at), next = syntax_byte(reader, at + 1);

        if (at >= reader->bytes_count)
            return syntax_refuse(begin, error, "the bracket is not closed");
        if (byte == ']' && at > first)
            break;
        if (byte == '[' && (next == '=' || next == '.'))
            return syntax_refuse(
                at, error, "[= =] and [. .] depend on a locale's order, which trawl does not know");
        if (byte == '[' && next == ':') {
            const char *end = memmem(bytes + at + 2, reader->bytes_count - at - 2, ":]", 2);

            if (end == NULL)
                return syntax_refuse(at, error, "the class's name is not closed");
            at = (uint64_t)(end + 1 - bytes);
        }
    }
    if (class_is_named(bytes + begin, at + 1 - begin))
        return syntax_refuse(begin, error, CLASS_NAMED);
    return syntax_take(reader, SYNTAX_SET, at + 1 - begin, error);
}

/* Reads "\x" for a byte x that is not an operator of the syntax. */
enum trawl_status posix_escape(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    const char letter = syntax_byte(reader, from + 1);

    if (from + 1 == reader->bytes_count)
        return syntax_refuse(from, error, "a \\ stands at the end");
    if (letter >= '1' && letter <= '9' && !reader->pcre)
        return syntax_refuse(from, error,
                             "backreference: RE2 has none, because RE2 searches in linear time; "
                             "PCRE2 has: TRAWL_PCRE, trawl serve --allow-pcre");
    if (letter >= '1' && letter <= '9') {
        if ((reader->closed >> (letter - '0') & 1) == 0)
            return syntax_refuse(from, error, "backreference: no group of this number ends before");
        reader->out->refers = true;
        TRAWL_TRY(syntax_take(reader, SYNTAX_REFERENCE, 2, error));
        reader->nodes[reader->count - 1]->letter = letter;
        return TRAWL_OK;
    }
    if (letter == 'w' || letter == 'W' || letter == 's' || letter == 'S')
        return syntax_take(reader, SYNTAX_SET, 2, error);
    if (letter == '<' || letter == '>')
        return syntax_add_edge(reader, letter == '<' ? 'm' : 'M', 2, error);
    if (letter == 'b' || letter == 'B')
        return syntax_add_edge(reader, letter, 2, error);
    if (letter == '`' || letter == '\'')
        return syntax_add_edge(reader, letter == '`' ? 'A' : 'z', 2, error);
    if (class_is_word_byte(letter) || (uint8_t)letter >= 0x80)
        return syntax_refuse(from, error, "\\ before this character has no meaning");
    reader->at++;
    return syntax_add_literal(reader, error);
}
