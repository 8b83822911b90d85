/* translate: writes an expression of Perl's, ripgrep's or POSIX's syntax in RE2's syntax. Classes
 * are copied, at most with more backslashes or fewer blanks; classes.h reads them. Refuses some
 * syntax that RE2 lacks; RE2 refuses the rest. */
#ifndef TRAWL_REGEX_TRANSLATE_H
#define TRAWL_REGEX_TRANSLATE_H

#include <stdbool.h>

#include "base/status.h"
#include "regex/re2.h"

enum { TRANSLATED_EDGES = 1, TRANSLATED_BEGINS = 2, TRANSLATED_HALVES = 4 };

struct translated {
    char *bytes; /* owned */
    /* from[i] is the offset in the expression from which bytes[i] comes; from[count] is the
     * expression's length */
    uint32_t *from;
    uint64_t count;
    uint64_t capacity;
    /* An assertion asks for the begin or end of the text, or a part matches a single byte of a
     * character. Such an expression must be searched line by line. */
    bool needs_line;
    /* in a POSIX syntax: the expression has a backreference, so PCRE2 has to search */
    bool refers;
    /* in a POSIX syntax: the expression has '|' or two repetitions, so PCRE2's match may not be the
     * longest */
    bool chooses;
    bool has_byte;  /* the expression has \C, which matches a byte of a character */
    bool has_lines; /* the expression has ^ or $ */
    /* Bits for the edges of words that the expression has. TRANSLATED_EDGES: \b or \B.
     * TRANSLATED_BEGINS: an edge where a word begins, or where one ends. TRANSLATED_HALVES: an edge
     * before which, or after which, no word character stands. */
    uint32_t edges;
};

/* Translates an expression. `flags` are the plan's flags; with TRAWL_UNICODE and TRAWL_RIPGREP,
 * Perl's syntax is read as ripgrep reads it. With `single`, each byte is a character. Errors:
 * ARGUMENT for a mistake, or for syntax that RE2 lacks, as far as translate finds these, with
 * error->text_offset at the begin of the faulty part; LIMIT for a too long expression; MEMORY. */
enum trawl_status translate(enum trawl_syntax syntax, uint32_t flags, bool single,
                            const char *bytes, uint64_t count, struct translated *out,
                            struct trawl_error *error);
void translated_release(struct translated *translated);

#endif
