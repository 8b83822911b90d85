/* command_clock: the clock with which the command measures time. */
#ifndef TRAWL_COMMAND_CLOCK_H
#define TRAWL_COMMAND_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

/* Returns the nanoseconds of a clock that never goes back, even if the time of day is set. */
static inline uint64_t now_ns(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

/* Makes a condition whose pthread_cond_timedwait takes a time of this clock. Returns 0 or an
 * errno. (pthread_cond_clockwait needs glibc 2.30.) */
static inline int now_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int code = pthread_condattr_init(&attributes);

    if (code != 0)
        return code;
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    code = pthread_cond_init(condition, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    return code;
}

#endif
