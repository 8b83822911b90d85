/* re2_syntax: writes an expression that all versions of RE2 read as trawl means it: classes list
 * all their characters, and RE2 never has to ignore case. */
#ifndef TRAWL_TESTS_REGEX_RE2_SYNTAX_H
#define TRAWL_TESTS_REGEX_RE2_SYNTAX_H

#include "regex/options.h"

/* Returns the text, which the caller frees; NULL: there is no memory. */
char *re2_syntax(const struct syntax_node *root, const struct regex_options *options);

#endif
