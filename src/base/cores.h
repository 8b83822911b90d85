/* cores: tells whether more threads are ready to run than there are cores. */
#ifndef TRAWL_BASE_CORES_H
#define TRAWL_BASE_CORES_H

#include <stdbool.h>

/* Returns true if the machine has more runnable threads (including the caller's) than cores; false
 * if /proc/loadavg cannot be read. Takes about 10 us. */
bool cores_busy(void);

#endif
