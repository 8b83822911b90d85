/* onepass: makes the automaton that finds a match's groups (match/line_automaton.h). */
#ifndef TRAWL_REGEX_ONEPASS_H
#define TRAWL_REGEX_ONEPASS_H

#include "match/line_automaton.h"
#include "regex/regex_compile.h"

#define ONEPASS_GROUPS_MAX 15u

/* Makes the automata of the first expression's groups. Sets *count to 0 if it has none or more than
 * ONEPASS_GROUPS_MAX, or is not in Perl's syntax; leaves the `steps` of a group NULL if the
 * expression is not one-pass for it, or the automaton would be too large. Errors: MEMORY. */
enum trawl_status onepass_make(const struct expressions *made, struct line_group **groups,
                               uint32_t *count, struct trawl_error *error);
void onepass_free(struct line_group *groups, uint32_t count);

#endif
