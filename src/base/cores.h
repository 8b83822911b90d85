/* cores: tells whether more threads are ready to run than there are cores. */
#ifndef TRAWL_BASE_CORES_H
#define TRAWL_BASE_CORES_H

#include <stdbool.h>

/* Returns true if more threads, including the calling one, are runnable now than this machine
 * has cores; false if /proc/loadavg cannot be read. Takes about 10 us. */
bool cores_busy(void);

#endif
