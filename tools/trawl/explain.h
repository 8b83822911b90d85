/* explain: describes in sentences how the strings are searched. */
#ifndef TRAWL_EXPLAIN_H
#define TRAWL_EXPLAIN_H

#include "trawl/output.h"
#include "trawl/patterns.h"

/* Prints the description of a plan that patterns_plan built. With --debug, the library's figures
 * follow. False: no memory. */
bool explain_print(struct output *output, const struct patterns *patterns,
                   const struct settings *settings);

#endif
