/* fault: counts the fault points; this file is empty in ordinary builds. */
#include "base/fault.h"

#if defined(TRAWL_FAULTS)
#include <stdatomic.h>

static _Atomic uint64_t points_passed;
static _Atomic uint64_t points_nth;
static _Atomic bool points_persistent;

void fault_arm(uint64_t nth, bool persistent)
{
    atomic_store(&points_passed, 0);
    atomic_store(&points_persistent, persistent);
    atomic_store(&points_nth, nth);
}

uint64_t fault_points_passed(void)
{
    return atomic_load(&points_passed);
}

bool fault_hit(enum fault_point point)
{
    uint64_t nth = atomic_load(&points_nth);
    uint64_t index = atomic_fetch_add(&points_passed, 1) + 1;

    (void)point;
    if (nth == 0)
        return false;
    return atomic_load(&points_persistent) ? index >= nth : index == nth;
}
#else
typedef int fault_not_built_in; /* C does not allow an empty translation unit */
#endif
