/* clock: returns times in ns, and waits. clock_now_ns returns the monotonic time, and
 * clock_worked_ns the processor time of the calling thread. */
#ifndef TRAWL_BASE_CLOCK_H
#define TRAWL_BASE_CLOCK_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

uint64_t clock_now_ns(void);
uint64_t clock_worked_ns(void);
/* Waits for the semaphore at most wait_ns. False: nobody has posted it yet, or a signal came. The
 * time is monotonic, except with a glibc before 2.30. */
bool clock_wait(sem_t *semaphore, uint64_t wait_ns);

#endif
