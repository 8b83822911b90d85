/* translate: writes an expression in RE2's syntax.
 *
 * What RE2 reads differently from the asked syntax is rewritten; what RE2 cannot express is
 * refused.
 */
#ifndef TRAWL_REGEX_TRANSLATE_H
#define TRAWL_REGEX_TRANSLATE_H

#include <stdbool.h>

#include "base/status.h"

struct translated {
    char *bytes; /* capacity bytes, owned */
    /* offset in the expression for each byte of `bytes`, and for their end */
    uint32_t *from;
    uint64_t count;
    uint64_t capacity;
    /* an assertion about the text's begin or end, or a single byte of a character: the expression
     * means something else in a text of many lines */
    bool needs_line;
    bool beyond_ascii; /* may name characters beyond ASCII */
    bool folds;        /* ignores case in some part */
};

/* Translates an expression. Errors: ARGUMENT for a mistake or for what RE2 has not, with
 * error->text_offset, the byte at which the faulty part begins; MEMORY. */
enum trawl_status translate(enum trawl_syntax syntax, const char *bytes, uint64_t count,
                            struct translated *out, struct trawl_error *error);
void translated_release(struct translated *translated);

#endif
