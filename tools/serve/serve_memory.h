/* serve_memory: finds how much memory the process may use, from the machine's free memory and the
 * limits of its control groups. */
#ifndef SERVE_SERVE_MEMORY_H
#define SERVE_SERVE_MEMORY_H

#include <stdint.h>

/* Returns the free bytes that /proc/meminfo reports (half of the memory if it reports none), or the
 * lowest limit of the process's control groups (cgroup v2 and v1) if that is less. `root` is a
 * prefix of the paths /proc and /sys: "" except in tests. */
uint64_t memory_available(const char *root);

#endif
