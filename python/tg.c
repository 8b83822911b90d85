/* tg: executes the program `trawl` that lies beside it, with tg as its name (argv[0]). A wheel
 * cannot contain links, and a second copy of the command would double its size. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int main(int argument_count, char **arguments)
{
    static char path[PATH_MAX + sizeof "trawl"], name[] = "tg";
    const char *executed = (const char *)getauxval(AT_EXECFN);
    char *slash;

    /* Without /proc, fall back to the path that was executed (AT_EXECFN). */
    if (readlink("/proc/self/exe", path, PATH_MAX) <= 0 &&
        (executed == NULL || realpath(executed, path) == NULL))
        path[0] = '\0';
    slash = strrchr(path, '/');
    memcpy(slash != NULL ? slash + 1 : path, "trawl", sizeof "trawl");
    if (argument_count > 0)
        arguments[0] = name;
    (void)execv(path, arguments);
    (void)fprintf(stderr, "tg: %s: %s\n", path, strerror(errno));
    return 2;
}
