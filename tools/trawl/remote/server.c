/* server: finds trawl-serve and runs it. The program is looked for in the command's folder, then in
 * ../libexec/trawl relative to that folder, then in the folder to which the build installs
 * trawl-serve. */
#include "trawl/remote/server.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "trawl/job/command_job.h"
#include "trawl/text/message.h"

#ifndef TRAWL_LIBEXEC /* the folder of the installed trawl-serve; tools/CMakeLists.txt sets it */
#define TRAWL_LIBEXEC "/usr/local/libexec/trawl"
#endif

const char *server_path(void)
{
    static const char *const between[] = {"", "../libexec/trawl/"};
    static char path[PATH_MAX + sizeof TRAWL_LIBEXEC + 32];
    const char *executed = (const char *)getauxval(AT_EXECFN);
    char file[PATH_MAX] = {0};

    /* The path that was executed leads to the command where /proc does not: without /proc, and if a
     * caller runs the dynamic linker with the command as an operand. */
    for (int i = 0; i < 2; i++) {
        if (i == 0 ? readlink("/proc/self/exe", file, sizeof file - 1) <= 0
                   : executed == NULL || realpath(executed, file) == NULL)
            continue;
        strrchr(file, '/')[1] = '\0';
        for (int j = 0; j < 2; j++) {
            (void)snprintf(path, sizeof path, "%s%strawl-serve", file, between[j]);
            if (access(path, F_OK) == 0)
                return path;
        }
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
