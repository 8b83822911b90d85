/* short_memory: wrappers of the allocating functions, which fail on request of the test. */
#include "tests/serve/short_memory.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

static atomic_long calls_left =
    /* number of allocations that still succeed before the first failure */
    LONG_MAX;
static atomic_long calls_back; /* the number of allocations that fail then */

void short_memory(long after, long count)
{
    atomic_store(&calls_back, count);
    atomic_store(&calls_left, after);
}

bool short_memory_ends(void)
{
    return atomic_exchange(&calls_left, LONG_MAX) < 0;
}

static bool is_fault(void)
{
    long left = atomic_fetch_sub(&calls_left, 1);

    if (left > 0 || left <= -atomic_load(&calls_back))
        return false;
    errno = ENOMEM;
    return true;
}

#define WRAP(name, parameters, arguments)                   \
    void *__real_##name parameters;                         \
    void *__wrap_##name parameters;                         \
    void *__wrap_##name parameters                          \
    {                                                       \
        return is_fault() ? NULL : __real_##name arguments; \
    }
WRAP(malloc, (size_t bytes), (bytes))
WRAP(calloc, (size_t count, size_t bytes), (count, bytes))
WRAP(realloc, (void *room, size_t bytes), (room, bytes))
WRAP(strdup, (const char *text), (text))
WRAP(mmap64, (void *at, size_t bytes, int protection, int flags, int descriptor, off_t offset),
     (at, bytes, protection, flags, descriptor, offset))
