/* clock: returns times in ns. clock_now_ns returns the monotonic time, and clock_worked_ns the
 * processor time of the calling thread. */
#ifndef TRAWL_BASE_CLOCK_H
#define TRAWL_BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ns(void);
uint64_t clock_worked_ns(void);

#endif
