/* prefixes: removes strings that never are the leftmost-first match. */
#ifndef TRAWL_PREFIXES_H
#define TRAWL_PREFIXES_H

#include "trawl/options/patterns.h"

/* Removes each string of which a prefix was given earlier: wherever the string occurs, the prefix
 * wins. Of the strings that are left and begin at the same byte, the longest was given first, so
 * the leftmost-first match is the leftmost-longest. False: no memory. */
bool prefixes_remove(struct patterns *patterns, bool ignore_ascii_case);

#endif
