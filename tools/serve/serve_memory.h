/* serve_memory: finds out how much memory the process may use. */
#ifndef SERVE_SERVE_MEMORY_H
#define SERVE_SERVE_MEMORY_H

#include <stdint.h>

/* Returns the free bytes by /proc/meminfo, at most the limit of the process's control groups
 * (cgroup v2 and v1) and of the groups above. `root` is prefixed to /proc and /sys: "" except in
 * tests. */
uint64_t memory_available(const char *root);

#endif
