/* compile: compiles a plan of expressions to RE2's programs and a plan of the atoms.
 *
 * An atom is a string that a line must hold, so that an expression can match there. A search finds
 * the atoms by trawl's own engine, and RE2 decides about the lines that hold atoms.
 */
#ifndef TRAWL_REGEX_COMPILE_H
#define TRAWL_REGEX_COMPILE_H

#include "engine.h"
#include "regex/re2.h"

struct expressions {
    const struct regex_ops *ops;
    const struct trawl_plan *plan;
    uint32_t count;
    struct regex **each; /* `count` programs, which read the text of a single line */
    /* All expressions as alternatives, for a text of many lines; NULL: some expression means
     * something else in such a text, or the expressions are too many or too large. */
    struct regex *whole;
    /* a match of `whole` is an occurrence of the only expression, without further checks */
    bool whole_is_exact;
    /* the plan of the atoms; NULL: some expression has no atom */
    struct trawl_plan *atoms;
    /* NULL: each line that holds an atom is a candidate for all expressions. Otherwise `filter`
     * tells for which expressions a line is a candidate. */
    struct regex_filter *filter;
};

/* Stores the compiled plan, which the first call makes and the plan owns. Errors: ARGUMENT for a
 * mistake in an expression (pattern_index, and text_offset, the byte of the mistake); UNSUPPORTED,
 * LIMIT, MEMORY. */
enum trawl_status expressions_want(const struct trawl_plan *plan,
                                   const struct expressions **expressions,
                                   struct trawl_error *error);

#endif
