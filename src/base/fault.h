/* fault: fault injection: points at which a test can make a system call fail.
 *
 * A point is a call to fault_hit() before a call to the operating system, the allocator or the CUDA
 * driver, which can fail. In ordinary builds fault_hit() is the constant false. In builds with
 * TRAWL_FAULTS, a test chooses which point fails: the N-th from now, or the first at a new place.
 * Later points fail, too, if the test wants that.
 */
#ifndef TRAWL_BASE_FAULT_H
#define TRAWL_BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#if defined(TRAWL_FAULTS)
/* Makes the nth point from now fail, nth ≥ 1. With `persistent`, all later points fail, too. With
 * nth 0, no point fails. */
void fault_arm(uint64_t nth, bool persistent);
/* Makes the next point at a new place fail. A place is a line of code with the innermost calls that
 * led there; it is new if no point there has failed since the program began. With `persistent`, all
 * later points fail, too. Places that failed with `persistent` are still new without it, and vice
 * versa. */
void fault_arm_new(bool persistent);
/* Returns true if a point has failed since fault_arm or fault_arm_new. */
bool fault_has_failed(void);
/* Returns true, once for each `kind`, if this function is called at a new place: a line of code
 * with the innermost calls that led there. The innermost `skipped` calls, 2 to 10 including this
 * function, do not count. */
bool fault_is_new_place(uint64_t kind, int skipped);
/* Returns true if this point must fail. Any thread may call this function. */
bool fault_hit(void);
#else
#define fault_hit() (false)
#endif

#endif
