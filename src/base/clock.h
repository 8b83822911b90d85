/* clock: time that only goes forward. */
#ifndef TRAWL_BASE_CLOCK_H
#define TRAWL_BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ns(void);

#endif
