/* serve_memory: finds out how much memory the process may use, by the machine's free memory and the
 * limits of the process's control groups. */
#ifndef SERVE_SERVE_MEMORY_H
#define SERVE_SERVE_MEMORY_H

#include <stdint.h>

/* Returns the free bytes that /proc/meminfo shows (half of the memory if it shows none), or the
 * least limit of the process's control groups (cgroup v2 and v1) if that is less. `root` stands
 * before /proc and /sys in paths; `root` is "" except in tests. */
uint64_t memory_available(const char *root);

#endif
