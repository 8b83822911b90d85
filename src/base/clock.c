/* clock: reads the system's clocks, and waits by them. */
#include "base/clock.h"

#include <time.h>

/* sem_timedwait waits by the time of day, so it would wait for hours after that was set back. */
#if defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 30)
#define WAIT_CLOCK CLOCK_MONOTONIC
#define WAIT_UNTIL(semaphore, time) sem_clockwait(semaphore, WAIT_CLOCK, time)
#endif
#endif
#ifndef WAIT_CLOCK
#define WAIT_CLOCK CLOCK_REALTIME
#define WAIT_UNTIL(semaphore, time) sem_timedwait(semaphore, time)
#endif

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;

    (void)clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_worked_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

bool clock_wait(sem_t *semaphore, uint64_t wait_ns)
{
    uint64_t until_ns = read_clock(WAIT_CLOCK) + wait_ns;
    struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};

    return WAIT_UNTIL(semaphore, &until) == 0;
}
