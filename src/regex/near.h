/* near: finds matches that may cross lines near the atoms, without reading the text between. */
#ifndef TRAWL_REGEX_NEAR_H
#define TRAWL_REGEX_NEAR_H

#include "regex/words.h"

/* The atoms of a text, which is one line: all hits of expressions->atoms. */
struct near {
    const struct hits *hits; /* NULL: the atoms are not known */
    uint64_t since;          /* the time of verifications that failed was counted from here */
    uint64_t failed_ns;
};

#define NEAR_ASKS 2

/* Finds the first match of the expression that begins at `from` or later. Returns 1, 0, a number
 * below 0 as words_match does, or NEAR_ASKS: RE2 must read the text from span->end on. */
int near_match(const struct expressions *expressions, uint32_t expression, struct judged line,
               uint64_t from, struct regex_span *span);

#endif
