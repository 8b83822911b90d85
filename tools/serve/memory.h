/* memory: how much of it the process may take.
 */
#ifndef SERVE_MEMORY_H
#define SERVE_MEMORY_H

#include <stdint.h>

/* Bytes that are free, by /proc/meminfo, and at most the limit of the process's control groups
 * (cgroup v2 and v1) and of those above. `root` stands before /proc and /sys: "", but for tests. */
uint64_t memory_available(const char *root);

#endif
