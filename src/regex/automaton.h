/* automaton: builds the automaton with which a device checks lines (match/line_automaton.h). */
#ifndef TRAWL_REGEX_AUTOMATON_H
#define TRAWL_REGEX_AUTOMATON_H

#include "regex/regex_compile.h"

/* Sets *lines to the plan with which a device checks lines. It searches for strings, one of which
 * is in each match of `plan`, and its automaton checks each line that contains one; without an
 * automaton, each such line has a match. The first call makes the plan, for strings that are rare
 * in the sample unless that is NULL; `plan` owns it. Sets *lines to NULL if PCRE2 or a copy of a
 * line with marks has to decide, if a class has too many characters to list, or if the automaton
 * would be too large. Errors: MEMORY. */
enum trawl_status regex_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                  uint64_t sample_bytes, const struct trawl_plan **lines,
                                  struct trawl_error *error);
/* Sets *table to the automaton with which the host checks lines; its plan owns it. The byte of a
 * line end leads to LINE_HOLDS or LINE_FAILS. It must not read non-ASCII lines if the expressions
 * have marked programs or need marks. Sets *table to NULL if PCRE2 decides, if matches may cross
 * lines, or if the automaton would be too large. Errors: MEMORY. */
enum trawl_status regex_line_table(const struct expressions *made,
                                   const struct line_automaton **table, struct trawl_error *error);

#endif
