/* sim_range: the ranges of global memory that kernels may touch. */
#include <stdlib.h>
#include <string.h>

#include "simulator.h"

#define RANGES_MAX 4096u

/* Ranges in ascending order of their starts. */
static struct range {
    uintptr_t begin, end;
    const void *owner;
} range[RANGES_MAX];
static uint32_t range_count;
static struct range last; /* the range that was found last */
static const void *user;  /* the device whose kernel runs; NULL: any device */
/* Returns the index of the first range that begins above the address. */
static uint32_t range_above(uintptr_t address)
{
    uint32_t low = 0, high = range_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (range[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sim_range_add(const void *base, uint64_t bytes)
{
    sim_range_add_of(NULL, base, bytes);
}

void sim_range_add_of(const void *owner, const void *base, uint64_t bytes)
{
    uintptr_t begin = (uintptr_t)base;
    uint32_t at = range_above(begin);

    if (range_count == RANGES_MAX)
        abort();
    memmove(range + at + 1, range + at, (range_count - at) * sizeof *range);
    range[at].begin = begin;
    range[at].end = begin + bytes;
    range[at].owner = owner;
    range_count++;
    last.end = 0;
}

void sim_range_remove(const void *base)
{
    uint32_t at = range_above((uintptr_t)base);

    if (at == 0 || range[at - 1].begin != (uintptr_t)base)
        abort();
    memmove(range + at - 1, range + at, (range_count - at) * sizeof *range);
    range_count--;
    last.end = 0;
}

void sim_range_use(const void *owner)
{
    if (owner != user)
        last.end = 0;
    user = owner;
}

bool sim_range_holds(const void *base, uint64_t bytes)
{
    uintptr_t begin = (uintptr_t)base;
    uint32_t at;

    if (begin >= last.begin && begin + bytes <= last.end)
        return true;
    at = range_above(begin);
    if (at == 0 || begin + bytes > range[at - 1].end ||
        (range[at - 1].owner != NULL && user != NULL && range[at - 1].owner != user))
        return false;
    last = range[at - 1];
    return true;
}
