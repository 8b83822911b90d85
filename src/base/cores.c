/* cores: compares the runnable threads of /proc/loadavg with the cores. */
#include "base/cores.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOADAVG_BYTES 128u /* more than the line in /proc/loadavg has */

bool cores_busy(void)
{
    static _Atomic long cores;
    char text[LOADAVG_BYTES], *field = text;
    ssize_t count;
    int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    count = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[count > 0 ? count : 0] = 0;
    if (atomic_load(&cores) == 0)
        atomic_store(&cores, sysconf(_SC_NPROCESSORS_ONLN));
    /* the fourth field is "runnable threads/all threads" */
    for (unsigned i = 0; i < 3 && field != NULL; i++)
        field = strchr(field + (i > 0), ' ');
    return field != NULL && atomic_load(&cores) > 0 &&
           strtol(field, NULL, 10) > atomic_load(&cores);
}
