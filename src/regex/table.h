/* table: finds the records of a step that match, with the automaton of all expressions, of which
 * the end of a record is sometimes enough (automaton.h). */
#ifndef TRAWL_REGEX_TABLE_H
#define TRAWL_REGEX_TABLE_H

#include "match/line_automaton.h"
#include "regex/step.h"

/* Returns true if the automaton can read the step's records. */
bool table_reads(const struct step *step);
/* Pushes a hit for each record in which some expression matches. */
enum trawl_status table_search(struct step *step, const struct line_automaton *table,
                               struct trawl_error *error);

#endif
