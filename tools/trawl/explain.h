/* explain: how the strings are searched, in sentences. */
#ifndef TRAWL_EXPLAIN_H
#define TRAWL_EXPLAIN_H

#include "trawl/output.h"
#include "trawl/patterns.h"

/* After patterns_plan. With --debug the library's figures follow. False: out of memory. */
bool explain_print(struct output *output, const struct patterns *patterns,
                   const struct settings *settings);

#endif
