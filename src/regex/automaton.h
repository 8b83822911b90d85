/* automaton: builds the plans with which devices read lines (match/line_automaton.h).
 *
 * A device that holds the whole text answers on its own how many lines match (even inverted), how
 * many matches there are, of each expression or of all, where they begin and end, and which loaded
 * records match, how often, where, or with which expressions. The first such call makes the
 * automata, in about 1 ms, or for 1,000 expressions or with Unicode's classes in 10 to 250. The
 * CPU answers without the device if
 *
 * - PCRE2 is needed, or matches may cross lines (TRAWL_MULTILINE);
 * - whether a word ends beside a letter beyond ASCII decides about a match (\bab in éab), \b or -w
 *   stands beside (?m:^), or lines or records are wanted in which an empty match lies at the edge
 *   of a word (\bx*);
 * - an automaton needs more than 4,096 states: one that reads all lines, as for [^q][^x]{13}$,
 *   which has no string, or that finds matches (.{0,50}ab.{0,50}) or where they begin (\w+\s\w+
 *   with Unicode's classes); or expressions without strings need more than 256 automata together;
 * - matches are wanted, and there are more than 16 expressions or, in Perl's syntax, what is
 *   repeated may be empty, as in (a*b?)+c;
 * - a line or record that may match is longer than 64 KiB; or the text is divided over several
 *   devices.
 */
#ifndef TRAWL_REGEX_AUTOMATON_H
#define TRAWL_REGEX_AUTOMATON_H

#include "match/line_automaton.h"
#include "regex/regex_compile.h"

/* Sets *lines to the plan with which a device decides about lines or, if `finds`, finds matches in
 * them. It searches for strings, one of which is in each match of `plan`, and its automata read the
 * lines that contain one; without automata, each such line has a match. The first call makes the
 * plan, for strings that are rare in the sample unless that is NULL; `plan` owns it. Sets *lines to
 * NULL and *why to a phrase about the expressions if a device cannot: if PCRE2 has to decide, if an
 * automaton would be too large or, if `finds`, there are more than 16 expressions. Errors: MEMORY.
 */
enum trawl_status regex_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                  uint64_t sample_bytes, bool finds,
                                  const struct trawl_plan **lines, const char **why,
                                  struct trawl_error *error);

#endif
