/* fault: counts the points where a test can make a system call fail, and decides which of them
 * fail; empty in ordinary builds. */
#include "base/fault.h"

#if defined(TRAWL_FAULTS)
#include <execinfo.h>
#include <stdatomic.h>
#include <stdlib.h>

#define FRAMES 6      /* a place is identified by this many return addresses */
#define FRAMES_MAX 16 /* FRAMES and at most 10 skipped calls (fault_is_new_place) */
#define PLACES 16384u /* a power of two, at least twice as many as there are places */

static _Atomic uint64_t points_passed;
static _Atomic uint64_t points_nth;
static _Atomic bool points_persistent, is_new_wanted, has_failed;
static _Atomic uint64_t place_count;
/* hash table of the places where fault_is_new_place was called */
static _Atomic uint64_t places[PLACES];

static void arm(uint64_t nth, bool persistent, bool new_wanted)
{
    atomic_store(&points_passed, 0);
    atomic_store(&points_persistent, persistent);
    atomic_store(&points_nth, nth);
    atomic_store(&has_failed, false);
    atomic_store(&is_new_wanted, new_wanted);
}

void fault_arm(uint64_t nth, bool persistent)
{
    arm(nth, persistent, false);
}

void fault_arm_new(bool persistent)
{
    arm(0, persistent, true);
}

bool fault_has_failed(void)
{
    return atomic_load(&has_failed);
}

bool fault_is_new_place(uint64_t kind, int skipped)
{
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES + skipped);
    uint64_t key = kind, slot;

    for (int i = skipped; i < count; i++)
        key = (key ^ (uint64_t)(uintptr_t)frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
    key |= 1;
    for (slot = key >> 50; atomic_load(&places[slot]) != key; slot = (slot + 1) % PLACES) {
        uint64_t empty = 0;

        if (atomic_compare_exchange_strong(&places[slot], &empty, key)) {
            if (atomic_fetch_add(&place_count, 1) >= PLACES / 2)
                abort(); /* PLACES is too small */
            return true;
        }
    }
    return false;
}

bool fault_hit(void)
{
    uint64_t nth = atomic_load(&points_nth);
    uint64_t index = atomic_fetch_add(&points_passed, 1) + 1;
    bool fails = nth > 0 && (atomic_load(&points_persistent) ? index >= nth : index == nth);

    if (atomic_load(&is_new_wanted))
        fails = atomic_load(&has_failed) ? atomic_load(&points_persistent)
                                         : fault_is_new_place(atomic_load(&points_persistent), 2);
    if (!fails)
        return false;
    /* If two threads pass new places at the same time, only one of the points fails, unless all
     * later points must fail, too. */
    return !atomic_exchange(&has_failed, true) || atomic_load(&points_persistent);
}
#else
typedef int fault_not_built_in; /* C does not allow an empty translation unit */
#endif
