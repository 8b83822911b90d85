/* automaton: builds the automaton with which a device checks lines (match/line_automaton.h). */
#ifndef TRAWL_REGEX_AUTOMATON_H
#define TRAWL_REGEX_AUTOMATON_H

#include "plan/plan.h"

/* Sets *lines to the plan with which a device checks lines. It searches for strings, one of which
 * is in each match of `plan`, and its automaton checks each line that contains one; without an
 * automaton, each such line has a match. The first call makes the plan, for strings that are rare
 * in the sample unless that is NULL; `plan` owns it. Sets *lines to NULL if PCRE2 or a copy of a
 * line with marks has to decide, if a class has too many characters to list, or if the automaton
 * would be too large. Errors: MEMORY. */
enum trawl_status regex_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                  uint64_t sample_bytes, const struct trawl_plan **lines,
                                  struct trawl_error *error);

#endif
