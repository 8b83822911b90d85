/* fault: fault injection: points at which a test can make a system call fail.
 *
 * A point is a call of fault_hit() before a call that can fail: of the operating system, the
 * allocator or the CUDA driver. In ordinary builds fault_hit() is the constant false. In builds
 * with TRAWL_FAULTS a test chooses a point, the N-th that follows or the first at a new place,
 * which fails alone or with all later ones.
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
    FAULT_MAP,    /* mapping a file or memory */
    FAULT_DRIVER  /* a call of the CUDA driver */
};

#if defined(TRAWL_FAULTS)
/* Makes the nth point from now fail, nth ≥ 1. With `persistent`, all later points fail, too. With
 * nth 0, no point fails. */
void fault_arm(uint64_t nth, bool persistent);
/* Makes the next point fail that is passed at a new place. A place is a line of code with the last
 * calls that led there. A place is new if no point failed there since the program began. If
 * `persistent`, all later points fail, too. A place that failed with `persistent` is still new
 * without it, and the other way round. */
void fault_arm_new(bool persistent);
/* Returns true if a point has failed since fault_arm or fault_arm_new. */
bool fault_has_failed(void);
/* Returns true, and notes it, if this function has not been called at this place with this kind
 * before. A place is a line of code with the last calls that led there. `skipped`, 2 to 10, is the
 * number of innermost calls, this function included, that are not compared. */
bool fault_is_new_place(uint64_t kind, int skipped);
/* Returns true if this point must fail. Any thread may call this function. */
bool fault_hit(enum fault_point point);
#else
#define fault_hit(point) (false)
#endif

#endif
