/* groups: finds how much memory and how many cores the process may use: what the machine has, or
 * less, by the limits of the process's control groups (cgroup v2 and v1), as in a container. */
#ifndef TRAWL_GROUPS_H
#define TRAWL_GROUPS_H

#include <stdint.h>

/* Returns the free bytes that /proc/meminfo reports (half of the memory if it reports none), or the
 * lowest limit of the groups if that is less. `root` is a prefix of the paths /proc and /sys: ""
 * except in tests. */
uint64_t groups_memory(const char *root);
/* Returns how many cores the groups let the process keep busy, rounded up, at least 1; UINT64_MAX:
 * no group limits them. */
uint64_t groups_cores(const char *root);

#endif
