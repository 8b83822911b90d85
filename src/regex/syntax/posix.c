/* posix: reads the escapes of POSIX's extended and basic syntax, with GNU's additions (parse.h). */
#include <string.h>

#include "regex/syntax/parse.h"

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
        return syntax_add_set(reader, error);
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
