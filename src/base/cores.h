/* cores: tells how many cores the process may use, and whether more threads are ready to run. */
#ifndef TRAWL_BASE_CORES_H
#define TRAWL_BASE_CORES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns how many cores the process may keep busy, at least 1: those on which it may run, or fewer
 * by the quotas of its control groups, as in a container. */
uint32_t cores_available(void);
/* Returns the lowest quota (cgroup v2 and v1), rounded up to whole cores, at least 1; UINT32_MAX:
 * there is none. `root` is a prefix of the paths /proc and /sys: "" except in tests. */
uint32_t cores_quota(const char *root);

/* Returns true if the machine has more runnable threads (including the caller's) than cores; false
 * if /proc/loadavg cannot be read. Takes about 10 us. */
bool cores_busy(void);

#endif
