/* server: finds and runs trawl-serve, which is beside the command or where it is installed. */
#include "trawl/server.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trawl/command_job.h"
#include "trawl/message.h"

#ifndef TRAWL_LIBEXEC /* the folder of the installed trawl-serve; tools/CMakeLists.txt sets it */
#define TRAWL_LIBEXEC "/usr/local/libexec/trawl"
#endif

const char *server_path(void)
{
    static char path[PATH_MAX + sizeof TRAWL_LIBEXEC + 32];
    char folder[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", folder, sizeof folder - 1);

    if (bytes > 0) {
        folder[bytes] = '\0';
        *strrchr(folder, '/') = '\0';
        (void)snprintf(path, sizeof path, "%s/trawl-serve", folder);
        if (access(path, F_OK) == 0)
            return path;
        (void)snprintf(path, sizeof path, "%s/../libexec/trawl/trawl-serve", folder);
        if (access(path, F_OK) == 0)
            return path;
    }
    (void)snprintf(path, sizeof path, "%s/trawl-serve", TRAWL_LIBEXEC);
    return access(path, F_OK) == 0 ? path : NULL;
}

int server_become(char **arguments)
{
    const char *path = server_path();

    arguments[1] = arguments[0];
    if (path != NULL) {
        (void)execv(path, arguments + 1);
        message_print("serve: %s: %s", path, strerror(errno));
        return EXIT_ERROR;
    }
    message_print("serve: trawl-serve is neither beside the command nor in %s; a build has it if "
                  "libmicrohttpd and jansson are installed",
                  TRAWL_LIBEXEC);
    return EXIT_ERROR;
}
