/* expressions: makes the regular expressions of a plan from the patterns, or strings if all
 * patterns are strings. */
#ifndef TRAWL_EXPRESSIONS_H
#define TRAWL_EXPRESSIONS_H

#include "trawl/options/patterns.h"

/* Sets settings->expressions: true if a pattern has operators, or if strings are not enough for its
 * newlines or for options such as --multiline. Otherwise the patterns are strings, from which each
 * '\' before a character is removed. False: no memory. */
bool expressions_take(struct patterns *patterns, struct settings *settings);
/* Returns true if --smart-case ignores case: the expressions have literal characters, and none of
 * them is a capital letter. */
bool expressions_fold(const struct patterns *patterns, const struct settings *settings,
                      const struct trawl_plan_options *options);
/* Joins the expressions into one, unless the report needs their numbers, or only the lines; for tg,
 * expressions that refer to groups by number are joined for lines, too. False: out of memory. */
bool expressions_join(struct patterns *patterns, const struct settings *settings);
/* For a server: limits the memory of the plan's programs, and counts the memory that the plan and
 * its searches need. *spare: bytes that only building the plan needs. False: the guard refuses. */
bool expressions_bound(const struct patterns *patterns, const struct settings *settings,
                       struct trawl_plan_options *options, uint64_t *spare);
/* Builds the plan of the expressions. With PCRE_LAST, tries PCRE2 if the plan is rejected without
 * it. Each expression must be valid on its own: joined, the invalid "(" and ")" would become the
 * valid "(?:()|(?:))". error->pattern_index is the index of the rejected expression, or
 * patterns->count for the joined one. If the separate expressions find the same, or only the joined
 * one is rejected, the plan is that of the separate ones, and patterns->is_apart is set, unless
 * lines may be crossed and the joined one is rejected. */
enum trawl_status expressions_plan(struct patterns *patterns, const struct settings *settings,
                                   struct trawl_plan_options *options, struct trawl_plan **plan,
                                   struct trawl_error *error);
/* For `tg`: returns true if an expression can match nothing but a newline or NUL at some position,
 * which no line contains, and writes a message about it. */
bool expressions_ask_ender(const struct patterns *patterns, const struct settings *settings,
                           const struct trawl_plan_options *options, char *message);
/* Writes the message about a plan that could not be built, with a mark under the invalid part. */
void expressions_fault(const struct patterns *patterns, const struct trawl_error *error,
                       char *message);

#endif
