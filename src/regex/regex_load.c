/* regex_load: loads libtrawl_regex from the directory of the program or library that holds this
 * code, from ../lib as seen from that directory, or from where the system keeps libraries. */
#include "regex/regex_load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/forks.h"

#if TRAWL_REGEX
#define PATH_BYTES 4096

/* Opens the library in the directory of the program or library that holds this code, with
 * `between` appended to that directory. Returns NULL if there is no such library. */
static void *open_beside(const char *between)
{
    char path[PATH_BYTES], program[PATH_BYTES] = {0};
    const char *own, *slash;
    Dl_info info;

    if (dladdr((const void *)(uintptr_t)regex_load, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    own = info.dli_fname;
    /* Of a program it is the word by which the program was called: no path, if $PATH led to it. */
    if (strchr(own, '/') == NULL && readlink("/proc/self/exe", program, sizeof program - 1) > 0)
        own = program;
    slash = strrchr(own, '/');
    if (slash == NULL || snprintf(path, sizeof path, "%.*s%s" TRAWL_REGEX_LIBRARY,
                                  (int)(slash + 1 - own), own, between) >= (int)sizeof path)
        return NULL;
    return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

/* Returns the functions of the first library that is found, if its version is REGEX_VERSION;
 * otherwise NULL. */
static const struct regex_ops *open_library(void)
{
    void *library = open_beside("");
    const struct regex_ops *ops;

    if (library == NULL)
        library = open_beside("../" TRAWL_REGEX_LIBDIR "/");
    if (library == NULL)
        library = dlopen(TRAWL_REGEX_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL)
        return NULL;
    ops = (const struct regex_ops *)dlsym(library, "trawl_regex_ops");
    if (ops != NULL && ops->version == REGEX_VERSION)
        return ops;
    (void)dlclose(library);
    return NULL;
}

enum trawl_status regex_load(const struct regex_ops **ops, struct trawl_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const struct regex_ops *loaded;

    forks_hold();
    (void)pthread_mutex_lock(&lock);
    if (loaded == NULL && !fault_hit(FAULT_OPEN))
        loaded = open_library();
    *ops = loaded;
    (void)pthread_mutex_unlock(&lock);
    forks_release();
    if (*ops == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED, "regular expressions need %s, which cannot be loaded",
                          TRAWL_REGEX_LIBRARY);
    return TRAWL_OK;
}
#else
enum trawl_status regex_load(const struct regex_ops **ops, struct trawl_error *error)
{
    *ops = NULL;
    return TRAWL_FAIL(error, UNSUPPORTED, "this build has no regular expressions: RE2 was missing");
}
#endif
