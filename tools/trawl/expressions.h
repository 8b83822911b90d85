/* expressions: makes the expressions of a plan from the patterns, or strings if all patterns are
 * strings. */
#ifndef TRAWL_EXPRESSIONS_H
#define TRAWL_EXPRESSIONS_H

#include "trawl/patterns.h"

/* Returns whether the expression is a string: characters, some of them after '\'. */
bool expressions_is_string(const struct settings *settings, const struct trawl_pattern *pattern);
/* Decides whether the patterns are expressions or, without operators, strings, which become what
 * the expressions mean. Sets settings->expressions. False: no memory. */
bool expressions_take(struct patterns *patterns, struct settings *settings);
/* Returns whether an expression has a capital letter that stands for itself. */
bool expressions_have_capitals(const struct patterns *patterns, const struct settings *settings);
/* Joins the expressions to one, unless the report needs their numbers. False: no memory. */
bool expressions_join(struct patterns *patterns, const struct settings *settings);
/* For a server: bounds the memory of the plan's programs, and counts the memory that the plan and
 * its searches take. *spare: bytes that only the building of the plan takes. False: the guard
 * refuses. */
bool expressions_bound(const struct patterns *patterns, const struct settings *settings,
                       struct trawl_plan_options *options, uint64_t *spare);
/* Writes the message about a plan that could not be built, with a mark under the mistake. */
void expressions_fault(const struct patterns *patterns, const struct trawl_plan_options *options,
                       const struct trawl_error *error, char *message);

#endif
