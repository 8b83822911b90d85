/* near: finds matches that may cross lines, near the atoms, the strings that a match must hold. */
#ifndef TRAWL_REGEX_NEAR_H
#define TRAWL_REGEX_NEAR_H

#include "regex/words.h"

/* The atoms that were found in a text. The whole text is searched as a single line. */
struct near {
    const struct hits *hits; /* hits of expressions->atoms; NULL: the atoms were not searched */
    uint64_t since;          /* verifications before this offset are no longer in failed_ns */
    uint64_t failed_ns;      /* time of failed verifications */
};

#define NEAR_ASKS 2

/* Finds the first match of the expression that begins at `from` or later. Returns 1 for a match, 0
 * for none, or an error of words_match, a number below 0. Returns NEAR_ASKS if RE2 must read the
 * text from span->end on. */
int near_match(const struct expressions *expressions, uint32_t expression,
               const struct judged *line, uint64_t from, struct regex_span *span);

#endif
