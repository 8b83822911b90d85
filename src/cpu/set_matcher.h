/* set_matcher: makes the tables by which classes are searched. */
#ifndef TRAWL_CPU_SET_MATCHER_H
#define TRAWL_CPU_SET_MATCHER_H

#include "cpu/set_class.h"

/* Returns the plan's matcher, which the first call makes and the plan owns. Any thread may call.
 * Errors: MEMORY, LIMIT. */
enum trawl_status set_matcher_want(const struct set_sample *sample,
                                   const struct set_matcher **matcher, struct trawl_error *error);

#endif
