/* fault: points where a test can make the world fail.
 *
 * Each call of the operating system or of the allocator that can fail asks fault_hit() first. In
 * ordinary builds that is the constant false. In builds with TRAWL_FAULTS a test arms it: the
 * N-th point from now fails once, or every point from the N-th on does.
 */
#ifndef TRAWL_BASE_FAULT_H
#define TRAWL_BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum fault_point {
    FAULT_MEMORY,
    FAULT_THREAD,
    FAULT_OPEN,
    FAULT_READ,
    FAULT_STAT,
    FAULT_MAP,
    FAULT_DRIVER
};

#if defined(TRAWL_FAULTS)
/* Fail the nth point (1-based) from now; `persistent`: and all after it. nth 0 disarms. */
void fault_arm(uint64_t nth, bool persistent);
/* Points passed since fault_arm. */
uint64_t fault_points_passed(void);
/* Should this point fail? Thread-safe. */
bool fault_hit(enum fault_point point);
#else
#define fault_hit(point) (false)
#endif

#endif
