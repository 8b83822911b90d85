/* cores: are they all taken? */
#ifndef TRAWL_BASE_CORES_H
#define TRAWL_BASE_CORES_H

#include <stdbool.h>

/* Does the text of Linux's /proc/loadavg say that none of `cores` cores is free for one more
 * thread? Its fourth field is "threads that run or wait for a core/all threads". */
bool cores_busy_by(const char *loadavg, long cores);

/* The machine now, the calling thread included; false where it cannot be known. Takes about 10 us.
 */
bool cores_busy(void);

#endif
