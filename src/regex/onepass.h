/* onepass: makes the automaton that finds a match's groups (match/line_automaton.h). */
#ifndef TRAWL_REGEX_ONEPASS_H
#define TRAWL_REGEX_ONEPASS_H

#include "match/line_automaton.h"
#include "regex/regex_compile.h"

#define ONEPASS_GROUPS_MAX 15u

/* Makes the automaton of the first expression. Leaves groups->steps NULL if that has no groups or
 * more than ONEPASS_GROUPS_MAX, is not one-pass or not in Perl's syntax, or would be too large.
 * Errors: MEMORY. */
enum trawl_status onepass_make(const struct expressions *made, struct line_groups *groups,
                               struct trawl_error *error);
void onepass_free(struct line_groups *groups);

#endif
