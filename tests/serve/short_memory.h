/* short_memory: memory that is exhausted, in programs that are linked with --wrap of what takes it.
 */
#ifndef TESTS_SERVE_SHORT_MEMORY_H
#define TESTS_SERVE_SHORT_MEMORY_H

#include <stdbool.h>

/* `count` calls fail after `after` others, of any thread. */
void short_memory(long after, long count);
/* None fails from here on. Did one? */
bool short_memory_ends(void);

#endif
