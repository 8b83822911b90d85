/* guard: limits of memory and time for a search that the server runs on behalf of a client. Files
 * such as ignore.c ask the guard before allocating, and tree.c asks the guard whether the time is
 * over. Counters are atomic, because the threads of all searches share the server's guard. */
#include "trawl/text/guard.h"

/* Adds `bytes` to the guard's sum. False: the sum would exceed bytes_max. */
static bool add_bytes(struct guard *guard, uint64_t bytes)
{
    uint64_t before = atomic_load(&guard->bytes);

    do
        if (guard->bytes_max != 0 &&
            (before > guard->bytes_max || bytes > guard->bytes_max - before))
            return false;
    while (!atomic_compare_exchange_weak(&guard->bytes, &before, before + bytes));
    return true;
}

static bool refuse(struct guard *guard, enum guard_refusal refusal)
{
    int none = GUARD_NONE;

    (void)atomic_compare_exchange_strong(&guard->refusal, &none, (int)refusal);
    return false;
}

bool guard_take(struct guard *guard, uint64_t bytes)
{
    if (guard == NULL)
        return true;
    if (!add_bytes(guard, bytes))
        return refuse(guard, GUARD_OWN);
    if (guard->all == NULL || add_bytes(guard->all, bytes))
        return true;
    (void)atomic_fetch_sub(&guard->bytes, bytes);
    return refuse(guard, GUARD_ALL);
}

void guard_give(struct guard *guard, uint64_t bytes)
{
    if (guard == NULL)
        return;
    (void)atomic_fetch_sub(&guard->bytes, bytes);
    if (guard->all != NULL)
        (void)atomic_fetch_sub(&guard->all->bytes, bytes);
}

uint64_t guard_left(const struct guard *guard)
{
    uint64_t bytes = atomic_load(&guard->bytes);

    return guard->bytes_max == 0      ? UINT64_MAX
           : bytes < guard->bytes_max ? guard->bytes_max - bytes
                                      : 0;
}

void guard_end(struct guard *guard)
{
    guard_give(guard, atomic_load(&guard->bytes));
}
