/* cores: finds out whether all cores are busy. */
#ifndef TRAWL_BASE_CORES_H
#define TRAWL_BASE_CORES_H

#include <stdbool.h>

/* Returns whether `loadavg`, the text of Linux's /proc/loadavg, says that no core of `cores` is
 * free for one more thread. The fourth field there is "runnable threads/all threads". */
bool cores_busy_by(const char *loadavg, long cores);

/* Returns whether all cores of this machine are busy now; the calling thread counts as running.
 * Returns false if /proc/loadavg cannot be read. Takes about 10 us. */
bool cores_busy(void);

#endif
