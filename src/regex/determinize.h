/* determinize: makes automata from the trees of a plan's expressions (match/line_automaton.h).
 *
 * The trees become places (nfa.h). A state of the automaton is a list of places, and what kind of
 * byte came before (the subset construction). Assertions wait in a state until the next byte is
 * known, as in RE2. What is asked decides about the list:
 *
 * - ANY: a set; each state contains the first place, since a match may begin at each byte.
 * - ORDERED: a list in the order in which a match prefers the places. Those of a match that begins
 *   later follow those of an earlier one, and nothing follows the end of a match.
 * - LONGEST: a list of sets, one for all matches that begin at the same byte, the earliest first;
 *   no set follows one that contains the end of a match.
 * - BACKWARDS: a set; the automaton reads from the end of a match back to its start.
 * - AFTER, BEFORE: a set; the automaton reads from where an anchor's string begins to the end of a
 *   match, or back to its start.
 */
#ifndef TRAWL_REGEX_DETERMINIZE_H
#define TRAWL_REGEX_DETERMINIZE_H

#include "match/line_automaton.h"
#include "regex/nfa.h"
#include "regex/regex_compile.h"

#define DETERMINIZE_STATES_MAX 4096u /* of an automaton for devices */

enum determinize_as {
    DETERMINIZE_ANY,     /* decides whether some match of any expression ends */
    DETERMINIZE_ORDERED, /* finds where the first match ends, the one that Perl prefers */
    DETERMINIZE_LONGEST, /* the same for POSIX */
    DETERMINIZE_BACKWARDS,
    /* A line matches if it has a string of an anchor, and BEFORE accepts what precedes the string
     * and AFTER what follows. */
    DETERMINIZE_BEFORE,
    DETERMINIZE_AFTER
};

struct determinizer; /* memory for making automata, 4 MiB */

/* Of what to make an automaton. */
struct determinize_of {
    enum determinize_as as;
    /* the expressions items[0] to items[count - 1], or the first `count` if `items` is NULL: for
     * BEFORE and AFTER one anchor, for ANY at least one, otherwise one */
    const uint32_t *items;
    uint32_t count;
    uint32_t words_max; /* the most transitions; 0: no limit but that of states */
};

/* Makes the automaton. Leaves automaton->next NULL, and says why in automaton->fails, if it would
 * be too large or the plan needs what it cannot decide; `fails` stays NULL if nothing has to be
 * read before an anchor. *kept, which the caller frees with determinizer_free, is NULL before the
 * first call. Errors: MEMORY. */
enum trawl_status determinize(const struct expressions *made, const struct determinize_of *of,
                              struct determinizer **kept, struct line_automaton *automaton,
                              struct trawl_error *error);
void determinizer_free(struct determinizer *maker); /* accepts NULL */
void determinize_free(struct line_automaton *automaton);

#endif
