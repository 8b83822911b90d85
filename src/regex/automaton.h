/* automaton: makes the automaton by which a device decides about lines (match/line_automaton.h). */
#ifndef TRAWL_REGEX_AUTOMATON_H
#define TRAWL_REGEX_AUTOMATON_H

#include "plan/plan.h"

/* Sets *lines to a plan whose strings each match of `plan` holds, and whose automaton decides about
 * a line that has one of them. It belongs to `plan`, and is made by the first call. *lines becomes
 * NULL if some expression has no such string, if only PCRE2 or a copy of a line with marks decides,
 * if a class has too many characters to list, or if the automaton becomes too large. Errors:
 * MEMORY. */
enum trawl_status regex_line_plan(const struct trawl_plan *plan, const struct trawl_plan **lines,
                                  struct trawl_error *error);

#endif
