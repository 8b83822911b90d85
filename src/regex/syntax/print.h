/* print: writes the tree of an expression in RE2's or in PCRE2's syntax. */
#ifndef TRAWL_REGEX_SYNTAX_PRINT_H
#define TRAWL_REGEX_SYNTAX_PRINT_H

#include "base/status.h"
#include "regex/re2.h"
#include "regex/syntax/tree.h"

struct printed {
    char *bytes;
    uint64_t count;
    uint64_t capacity;
    uint64_t most;    /* if above 0: no more bytes are written */
    bool is_complete; /* false: memory could not be allocated, or the text is too long */
    bool is_too_long;
};

/* Writes an expression that all versions of RE2 read as trawl means it, with at most `most` bytes:
 *
 * - classes list all their characters, and RE2 never has to ignore case;
 * - if there are alternatives, an empty group "(?:)" comes before characters that RE2 would wrongly
 *   join with those of other alternatives (print.c);
 * - with options->marks, the expression matches in copies of lines with marks around characters
 *   (words.h).
 *
 * The caller releases *out. Errors: LIMIT if it is longer; MEMORY. */
enum trawl_status print_re2(const struct syntax_node *root, const struct regex_options *options,
                            uint64_t most, struct printed *out, struct trawl_error *error);
/* Writes an expression of a POSIX syntax for PCRE2. With `words`, a match must be a whole word. The
 * caller releases *out. Errors: MEMORY. */
enum trawl_status print_pcre2(const struct syntax_node *root, const struct regex_options *options,
                              bool words, struct printed *out, struct trawl_error *error);
void print_release(struct printed *printed);
/* Append bytes or a text. If memory cannot be allocated, set is_complete to false. */
void print_put(struct printed *out, const char *bytes, uint64_t count);
void print_text(struct printed *out, const char *text);
/* Writes a text for PCRE2. Each '@' in it stands for a word character: an ASCII one, or one of the
 * ranges. */
void print_words(struct printed *out, const char *text, const struct code_range *ranges,
                 uint64_t count);
/* \b and \B in such a text */
#define PRINT_EDGE "(?:(?<=@)(?!@)|(?<!@)(?=@))"
#define PRINT_NO_EDGE "(?:(?<=@)(?=@)|(?<!@)(?!@))"

#endif
