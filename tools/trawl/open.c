/* open: files opened beside the standard descriptors. */
#include "trawl/open.h"

#include <fcntl.h>
#include <unistd.h>

int open_above_standard(int directory, const char *path, int flags)
{
    int descriptor = openat(directory, path, flags), moved;

    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(descriptor);
    return moved;
}
