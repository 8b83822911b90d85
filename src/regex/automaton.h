/* automaton: builds the plans with which devices read lines (match/line_automaton.h). */
#ifndef TRAWL_REGEX_AUTOMATON_H
#define TRAWL_REGEX_AUTOMATON_H

#include "match/line_automaton.h"
#include "regex/regex_compile.h"

/* Sets *lines to the plan with which a device decides about lines or, if `finds`, finds matches in
 * them. It searches for strings, one of which is in each match of `plan`, and its automata read the
 * lines that contain one; without automata, each such line has a match. The first call makes the
 * plan, for strings that are rare in the sample unless that is NULL; `plan` owns it. Sets *lines to
 * NULL and *why to a phrase about the expressions if a device cannot: if PCRE2 or a copy of a line
 * with marks has to decide, if an automaton would be too large or, if `finds`, there are more than
 * 16 expressions. Errors: MEMORY. */
enum trawl_status regex_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                  uint64_t sample_bytes, bool finds,
                                  const struct trawl_plan **lines, const char **why,
                                  struct trawl_error *error);
/* Sets *table to the automaton with which the host checks lines; its plan owns it. The byte of a
 * line end leads to LINE_HOLDS or LINE_FAILS. It must not read non-ASCII lines if the expressions
 * have marked programs or need marks. Sets *table to NULL if PCRE2 decides, if matches may cross
 * lines, or if the automaton would be too large. Errors: MEMORY. */
enum trawl_status regex_line_table(const struct expressions *made,
                                   const struct line_automaton **table, struct trawl_error *error);

#endif
