/* fault: points at which a test can make a system call fail.
 *
 * Code asks fault_hit() before each call of the operating system or the allocator that can fail. In
 * ordinary builds fault_hit() is the constant false. In builds with TRAWL_FAULTS a test arms a
 * fault: the N-th point from then on fails once, or all points from the N-th on fail.
 */
#ifndef TRAWL_BASE_FAULT_H
#define TRAWL_BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum fault_point {
    FAULT_MEMORY, /* an allocation */
    FAULT_THREAD, /* starting a thread */
    FAULT_OPEN,   /* opening a file */
    FAULT_READ,   /* reading a file or pipe */
    FAULT_STAT,   /* asking for a file's status */
    FAULT_MAP,    /* mapping a file */
    FAULT_DRIVER  /* a call of the CUDA driver */
};

#if defined(TRAWL_FAULTS)
/* Makes the nth point from now fail, nth ≥ 1; persistent: all later points fail too. nth 0
 * disarms. */
void fault_arm(uint64_t nth, bool persistent);
/* Returns how many points were passed since fault_arm. */
uint64_t fault_points_passed(void);
/* Returns whether this point has to fail. Any thread may call this function. */
bool fault_hit(enum fault_point point);
#else
#define fault_hit(point) (false)
#endif

#endif
