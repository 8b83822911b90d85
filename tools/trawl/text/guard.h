/* guard: limits of memory and time for a search that the server runs on behalf of a client. The
 * command passes NULL, which refuses nothing.
 */
#ifndef TRAWL_GUARD_H
#define TRAWL_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/text/command_clock.h"

enum guard_refusal {
    GUARD_NONE, /* nothing was refused */
    GUARD_OWN,  /* the search needs more memory than a single search may take */
    GUARD_ALL   /* all searches together hold too much memory now */
};

/* The guard of a search, or of all searches together (`all` is NULL). Memory that was taken stays
 * counted until guard_give or guard_end. */
struct guard {
    struct guard *all;      /* the guard of all searches together; NULL: this is it */
    uint64_t bytes_max;     /* limit for `bytes`; 0: no limit */
    _Atomic uint64_t bytes; /* memory taken and not given back */
    atomic_int refusal;     /* the first reason for which guard_take refused */
    uint64_t deadline_ns;   /* time of now_ns() at which the search ends; 0: no deadline */
    uint32_t thread_count;  /* threads that may search for the request */
    atomic_bool cancelled;  /* set: the loops of the search end soon */
};

/* Counts `bytes` of memory that the caller is about to allocate. False: the guard refuses, and
 * nothing was counted. */
bool guard_take(struct guard *guard, uint64_t bytes);
/* Does the same, but while all searches together hold too much memory, waits until they have given
 * memory back, or until this search is over. Of several searches that wait, that with the earliest
 * deadline comes first. A search waits once, before it takes much, so that no two searches wait for
 * each other. */
bool guard_wait(struct guard *guard, uint64_t bytes);
void guard_give(struct guard *guard, uint64_t bytes);
/* Returns how many bytes the search may still take of its own limit; UINT64_MAX: no limit. */
uint64_t guard_left(const struct guard *guard);
/* Stops counting the memory that is still counted, here and in guard->all. */
void guard_end(struct guard *guard);

/* Returns true if the search must end now, because the deadline passed or `cancelled` was set.
 * Every loop whose length depends on a user's input must ask. */
static inline bool guard_is_over(const struct guard *guard)
{
    return guard != NULL && (atomic_load_explicit(&guard->cancelled, memory_order_relaxed) ||
                             (guard->deadline_ns != 0 && now_ns() >= guard->deadline_ns));
}

#endif
