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

/* Replaces this process by the program folder/rest/trawl-serve. Returns only if that fails. False:
 * there is no such program. True: a message says why the program cannot run. */
static bool become(const char *folder, const char *rest, char **arguments)
{
    char path[PATH_MAX + sizeof TRAWL_LIBEXEC + 32];

    (void)snprintf(path, sizeof path, "%s%s/trawl-serve", folder, rest);
    (void)execv(path, arguments);
    if (errno == ENOENT || errno == ENOTDIR)
        return false;
    message_print("serve: %s: %s", path, strerror(errno));
    return true;
}

int server_become(char **arguments)
{
    char folder[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", folder, sizeof folder - 1);

    arguments[1] = arguments[0];
    folder[bytes > 0 ? bytes : 0] = '\0';
    if (bytes > 0)
        *strrchr(folder, '/') = '\0';
    if ((bytes > 0 && (become(folder, "", arguments + 1) ||
                       become(folder, "/../libexec/trawl", arguments + 1))) ||
        become(TRAWL_LIBEXEC, "", arguments + 1))
        return EXIT_ERROR;
    message_print("serve: trawl-serve is neither beside the command nor in %s; a build has it if "
                  "libmicrohttpd and jansson are installed",
                  TRAWL_LIBEXEC);
    return EXIT_ERROR;
}
