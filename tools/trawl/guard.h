/* guard: what a search that somebody else asked for may take: memory and time. The command has
 * none: NULL is a guard that lets everything pass.
 */
#ifndef TRAWL_GUARD_H
#define TRAWL_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/clock.h"

enum guard_refusal {
    GUARD_NONE,
    GUARD_OWN, /* the search needs more memory than one search may take */
    GUARD_ALL  /* all searches together hold so much that this one has to wait */
};

/* Of one search, or of all searches (`all` is NULL). Memory that is taken stays taken until
 * guard_give or guard_end. */
struct guard {
    struct guard *all;
    uint64_t bytes_max; /* 0: any number */
    _Atomic uint64_t bytes;
    atomic_int refusal;   /* the first that guard_take met */
    uint64_t deadline_ns; /* of now_ns(); 0: none */
    atomic_bool cancelled;
};

/* Ask before so much memory is taken. False: it may not be taken, and nothing was counted. */
bool guard_take(struct guard *guard, uint64_t bytes);
void guard_give(struct guard *guard, uint64_t bytes);
/* Gives back to `all` what is still taken. */
void guard_end(struct guard *guard);

/* Is the search to end now: its time is over, or nobody waits for it? Any loop over what a user
 * gave asks that. */
static inline bool guard_is_over(const struct guard *guard)
{
    return guard != NULL && (atomic_load_explicit(&guard->cancelled, memory_order_relaxed) ||
                             (guard->deadline_ns != 0 && now_ns() >= guard->deadline_ns));
}

#endif
