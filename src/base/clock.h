/* clock: monotonic time (now) and processor time of the calling thread (worked), in ns. */
#ifndef TRAWL_BASE_CLOCK_H
#define TRAWL_BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ns(void);
uint64_t clock_worked_ns(void);

#endif
