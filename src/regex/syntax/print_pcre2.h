/* print_pcre2: writes the tree of an expression of POSIX in PCRE2's syntax. */
#ifndef TRAWL_REGEX_SYNTAX_PRINT_PCRE2_H
#define TRAWL_REGEX_SYNTAX_PRINT_PCRE2_H

#include "regex/re2.h"

struct print_pcre2 {
    const struct regex_ops *ops;
    const struct regex_options *options;
    bool words;  /* a match must be a whole word */
    char *bytes; /* NULL: only the length is wanted */
    uint64_t count;
    uint64_t most; /* sets `from` to where the part begins for which byte `most` is written */
    uint64_t from;
};

void print_pcre2(struct print_pcre2 *printer, const struct syntax_node *root);

#endif
