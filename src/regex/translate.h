/* translate: writes an expression in RE2's syntax.
 *
 * Rewrites syntax that RE2 reads differently outside of classes, and refuses syntax that RE2 lacks.
 */
#ifndef TRAWL_REGEX_TRANSLATE_H
#define TRAWL_REGEX_TRANSLATE_H

#include <stdbool.h>

#include "base/status.h"
#include "regex/re2.h"

enum { TRANSLATED_EDGES = 1, TRANSLATED_BEGINS = 2, TRANSLATED_HALVES = 4 };

struct translated {
    char *bytes; /* owned */
    /* from[i]: offset in the expression from which bytes[i] comes; from[count]: the expression's
     * length */
    uint32_t *from;
    uint64_t count;
    uint64_t capacity;
    /* The expression has an assertion about the text's begin or end, or matches a single byte of a
     * character. So the expression must be searched line by line. */
    bool needs_line;
    bool refers;  /* POSIX: the expression has a backreference, which is PCRE2's */
    bool chooses; /* POSIX: has '|' or two repetitions, so that PCRE2's match may not be the longest
                   */
    bool has_byte;  /* the expression has \C, a byte of a character */
    bool has_lines; /* the expression has ^ or $ */
    /* Edges of words in the expression, or-ed. TRANSLATED_EDGES: \b or \B; BEGINS: where a word
     * begins or ends; HALVES: where no word character comes before or after. */
    uint32_t edges;
};

/* Translates an expression. flags: of the plan. TRAWL_UNICODE, TRAWL_RIPGREP: Perl's syntax is
 * ripgrep's. single: each byte is a character. Classes are copied. Errors: ARGUMENT for a mistake,
 * or for syntax that RE2 lacks; error->text_offset is the byte at which the faulty part begins.
 * MEMORY. */
enum trawl_status translate(enum trawl_syntax syntax, uint32_t flags, bool single,
                            const char *bytes, uint64_t count, struct translated *out,
                            struct trawl_error *error);
void translated_release(struct translated *translated);

#endif
