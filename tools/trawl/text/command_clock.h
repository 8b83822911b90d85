/* command_clock: the clock by which the command measures time. */
#ifndef TRAWL_COMMAND_CLOCK_H
#define TRAWL_COMMAND_CLOCK_H

#include <stdint.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

/* Returns the nanoseconds of a clock that never goes back, whatever the time of day is set to. */
static inline uint64_t now_ns(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

#endif
