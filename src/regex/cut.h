/* cut: where a stream may forget what has come of a line that has not ended. */
#ifndef TRAWL_REGEX_CUT_H
#define TRAWL_REGEX_CUT_H

#include "base/status.h"

struct engine_call;
struct trawl_plan;

/* Finds a place in the last half of a line that has not ended, before which no match begins that
 * may go on there, and where what follows is searched as from a line's begin. Sets *cut to it; 0:
 * none is found. Errors: MEMORY, STOPPED. */
enum trawl_status regex_cut(const struct trawl_plan *plan, const uint8_t *line, uint64_t count,
                            const struct engine_call *call, uint64_t *cut,
                            struct trawl_error *error);

#endif
