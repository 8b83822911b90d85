/* hint: does a string look like a regular expression, which it is not? */
#ifndef TRAWL_HINT_H
#define TRAWL_HINT_H

#include "trawl/patterns.h"

/* The first of the strings that does; NULL: none. */
const struct trawl_pattern *hint_regex(const struct patterns *patterns);

#endif
