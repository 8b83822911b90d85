/* hint: recognizes strings that look like regular expressions. */
#ifndef TRAWL_HINT_H
#define TRAWL_HINT_H

#include "trawl/patterns.h"

/* Returns the first string that looks like a regular expression; NULL: no such string. */
const struct trawl_pattern *hint_regex(const struct patterns *patterns);

#endif
