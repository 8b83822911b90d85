/* expressions: makes the regular expressions of a plan from the patterns, or strings if all
 * patterns are strings. */
#ifndef TRAWL_EXPRESSIONS_H
#define TRAWL_EXPRESSIONS_H

#include "trawl/options/patterns.h"

/* Sets settings->expressions: true if a pattern has operators, or if strings are not enough for its
 * newlines or for options such as --multiline. Otherwise the patterns are strings, from which each
 * '\' before a character is removed. False: no memory. */
bool expressions_take(struct patterns *patterns, struct settings *settings);
/* Returns true if --smart-case ignores case: some characters of the expressions stand for
 * themselves, and none of them is a capital letter. */
bool expressions_fold(const struct patterns *patterns, const struct settings *settings,
                      const struct trawl_plan_options *options);
/* Joins the expressions to one. Leaves the expressions apart if the report needs their numbers.
 * If the report needs only the lines, also leaves many expressions apart, and expressions that
 * refer to groups by number. False: no memory. */
bool expressions_join(struct patterns *patterns, const struct settings *settings);
/* For a server: bounds the memory of the plan's programs, and counts the memory that the plan and
 * its searches take. *spare: bytes that only the building of the plan takes. False: the guard
 * rejects. */
bool expressions_bound(const struct patterns *patterns, const struct settings *settings,
                       struct trawl_plan_options *options, uint64_t *spare);
/* Builds the plan of the expressions; for PCRE_LAST with PCRE2 if rejected without. Each must be
 * valid alone: joined, the invalid "(" and ")" would be the valid "(?:()|(?:))".
 * error->pattern_index is the index of the expression at fault, or patterns->count for the joined
 * expression. Where only the joined expression is rejected, the plan is that of the expressions,
 * and patterns->is_apart is set unless lines may be crossed. */
enum trawl_status expressions_plan(struct patterns *patterns, const struct settings *settings,
                                   struct trawl_plan_options *options, struct trawl_plan **plan,
                                   struct trawl_error *error);
/* For `tg`: returns true if an expression can match only a newline or NUL at some position, which
 * no line contains, and writes the message about that. */
bool expressions_ask_ender(const struct patterns *patterns, const struct settings *settings,
                           const struct trawl_plan_options *options, char *message);
/* Writes the message about a plan that could not be built, with a mark under the mistake. */
void expressions_fault(const struct patterns *patterns, const struct trawl_error *error,
                       char *message);

#endif
