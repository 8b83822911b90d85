/* short_memory: makes allocations fail in programs that are linked with --wrap of the allocating
 * functions. */
#ifndef TESTS_SERVE_SHORT_MEMORY_H
#define TESTS_SERVE_SHORT_MEMORY_H

#include <stdbool.h>

/* Lets the next `after` allocations of any thread succeed, and makes the `count` allocations after
 * them fail. */
void short_memory(long after, long count);
/* Ends the failures. Returns true if a call has failed. */
bool short_memory_ends(void);

#endif
