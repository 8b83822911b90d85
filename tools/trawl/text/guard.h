/* guard: limits of memory and time for a search that the server runs on behalf of a client. The
 * command passes NULL: no limits.
 */
#ifndef TRAWL_GUARD_H
#define TRAWL_GUARD_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/text/command_clock.h"

enum guard_refusal {
    GUARD_NONE, /* nothing was refused */
    GUARD_OWN,  /* the search exceeds the limit for a single search */
    GUARD_ALL,  /* all searches together use too much memory now */
    GUARD_PLAN, /* the strings need a larger plan than the library builds */
    GUARD_SHORT /* the system lacked memory or descriptors */
};

/* The guard of a search, or of all searches together (`all` is NULL). Memory stays counted until
 * guard_give or guard_end. */
struct guard {
    struct guard *all;      /* the guard of all searches together; NULL: this is it */
    uint64_t bytes_max;     /* limit for `bytes`; 0: no limit */
    _Atomic uint64_t bytes; /* memory taken and not returned */
    atomic_int refusal;     /* an enum guard_refusal: why the search fails */
    uint64_t deadline_ns;   /* end of the search, by now_ns(); 0: no deadline */
    /* threads that may search for the request; in `all`: searches that may run at
     * once; 0: no limit */
    uint32_t thread_count;
    atomic_bool cancelled; /* set: the loops of the search end soon */
    /* between guard_admit and guard_leave: when the search began; 0: it does not run */
    uint64_t run_ns;
    struct guard *next_running;
};

/* Counts `bytes` of memory that the caller is about to allocate. False: the guard refuses, and
 * nothing was counted. */
bool guard_take(struct guard *guard, uint64_t bytes);
/* Like guard_take, but while all searches together use too much memory, waits until they return
 * some, or until this search is over. Of several waiting searches, the one with the earliest
 * deadline comes first. A search waits only once, before it takes much, so that no two searches
 * wait for each other. */
bool guard_wait(struct guard *guard, uint64_t bytes);
/* Waits until fewer searches run than all->thread_count, or until this search is over. Of several
 * waiting searches, the one with the earliest deadline comes first: if all ran at once, none might
 * end in time. A search that has run for GUARD_RUN_NS no longer counts, so that long ones do not
 * stop all others. False: the search is over. */
#define GUARD_RUN_NS UINT64_C(2000000000)
bool guard_admit(struct guard *guard);
/* Ends what guard_admit began, if it did. */
void guard_leave(struct guard *guard);
void guard_give(struct guard *guard, uint64_t bytes);
/* Notes why the search fails, unless a reason was noted before. Does nothing for NULL. */
void guard_refuse(struct guard *guard, enum guard_refusal refusal);
/* Returns true if an errno means a lack of memory or descriptors, so that the same call may
 * succeed later. After such an error, a walk of directories has not found all files. */
static inline bool is_shortage(int os_code)
{
    return os_code == ENOMEM || os_code == EMFILE || os_code == ENFILE;
}
/* Notes GUARD_SHORT if the errno of a failure means a shortage. Does nothing for NULL. */
static inline void guard_note(struct guard *guard, int os_code)
{
    if (is_shortage(os_code))
        guard_refuse(guard, GUARD_SHORT);
}
/* Returns how many bytes the search may still take within its own limit; UINT64_MAX: no limit. */
uint64_t guard_left(const struct guard *guard);
/* Stops counting the memory that is still counted, here and in guard->all. */
void guard_end(struct guard *guard);

/* Returns true if the search must end now, because the deadline passed or `cancelled` was set.
 * Every loop whose length depends on a user's input must check this. */
static inline bool guard_is_over(const struct guard *guard)
{
    return guard != NULL && (atomic_load_explicit(&guard->cancelled, memory_order_relaxed) ||
                             (guard->deadline_ns != 0 && now_ns() >= guard->deadline_ns));
}

#endif
