/* print: writes the tree of an expression in PCRE2's syntax. */
#ifndef TRAWL_REGEX_SYNTAX_PRINT_H
#define TRAWL_REGEX_SYNTAX_PRINT_H

#include "base/status.h"
#include "regex/options.h"
#include "regex/syntax/tree.h"

struct printed {
    char *bytes;
    uint64_t count;
    uint64_t capacity;
    bool is_complete; /* false: memory could not be allocated */
};

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
