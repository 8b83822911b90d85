/* automaton: makes the automaton by which a device decides about lines (match/line_automaton.h). */
#ifndef TRAWL_REGEX_AUTOMATON_H
#define TRAWL_REGEX_AUTOMATON_H

#include "plan/plan.h"

/* Sets *lines to the plan by which a device decides about lines: it searches for strings of which
 * each match of `plan` holds one, and its automaton decides about a line that has one; without an
 * automaton, each such line holds a match. The plan belongs to `plan`, and is made by the first
 * call, for strings that are rare in that call's sample unless it is NULL. *lines becomes NULL if
 * PCRE2 or a copy of a line with marks decides, if a class has too many characters to list, or if
 * the automaton becomes too large. Errors: MEMORY. */
enum trawl_status regex_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                  uint64_t sample_bytes, const struct trawl_plan **lines,
                                  struct trawl_error *error);

#endif
