/* regex_load: loads the shared object libtrawl_regex, which contains RE2. Looks in the directory of
 * the program or library that contains this code, then in the ../lib of that directory, then where
 * the system keeps libraries. `lib` stands for the build's CMAKE_INSTALL_LIBDIR, which may be
 * lib64, for example. */
#include "regex/regex_load.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/forks.h"

#if TRAWL_REGEX
/* Why the library cannot be loaded: its version is wrong, or the dynamic linker's message. If the
 * library exists in a directory but fails to load there, that failure is the reason. */
static char reason[256];

/* Opens the library at `path`. Returns NULL if there is none, or if it cannot be loaded. */
static void *open_at(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    if (library == NULL && access(path, F_OK) == 0)
        (void)snprintf(reason, sizeof reason, "%s", dlerror());
    return library;
}

/* Opens the library in the directory of `file`, or in its ../lib. Returns NULL if it is in
 * neither. */
static void *open_beside(const char *file)
{
    static const char *const between[] = {"", "../" TRAWL_REGEX_LIBDIR "/"};
    char path[PATH_MAX];
    const char *slash = strrchr(file, '/');
    void *library = NULL;

    for (int i = 0; slash != NULL && library == NULL && i < 2; i++) {
        if (snprintf(path, sizeof path, "%.*s%s" TRAWL_REGEX_LIBRARY, (int)(slash + 1 - file), file,
                     between[i]) < (int)sizeof path)
            library = open_at(path);
    }
    return library;
}

/* Opens the library next to this code: next to the program or library that contains the code, or
 * next to the file that a link to it leads to. `own` is what the dynamic linker knows about this
 * code. For a library, that is its path; for a program, only the name given by the caller, which
 * may be any text. So a program's path comes from the kernel: from /proc or, if /proc is missing or
 * names the dynamic linker (which can run a program that is its operand), the path that was
 * executed. */
static void *open_beside_own(const Dl_info *own)
{
    const char *executed = (const char *)getauxval(AT_EXECFN);
    char file[PATH_MAX] = {0};
    void *library = NULL;
    Dl_info program;

    if (dladdr((const void *)getauxval(AT_ENTRY), &program) != 0 &&
        own->dli_fbase != program.dli_fbase) {
        library = open_beside(own->dli_fname);
        executed = own->dli_fname;
    } else if (readlink("/proc/self/exe", file, sizeof file - 1) > 0) {
        library = open_beside(file);
    }
    if (library == NULL && executed != NULL && realpath(executed, file) != NULL)
        library = open_beside(file);
    return library;
}

/* Returns the functions of the first library that is found; NULL if there is none, or if its
 * version is not REGEX_VERSION. */
static const struct regex_ops *open_library(void)
{
    const struct regex_ops *ops;
    void *library;
    Dl_info own;

    /* A static program has no dynamic linker, and C++ code would crash in it. */
    if (dladdr((const void *)(uintptr_t)regex_load, &own) == 0 || own.dli_fname == NULL)
        return NULL;
    library = open_beside_own(&own);
    if (library == NULL)
        library = dlopen(TRAWL_REGEX_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL && reason[0] == '\0')
        (void)snprintf(reason, sizeof reason, "%s", dlerror());
    if (library == NULL)
        return NULL;
    ops = (const struct regex_ops *)dlsym(library, "trawl_regex_ops");
    if (ops != NULL && ops->version == REGEX_VERSION)
        return ops;
    (void)snprintf(reason, sizeof reason, "it is of another version of trawl");
    (void)dlclose(library);
    return NULL;
}

enum trawl_status regex_load(const struct regex_ops **ops, struct trawl_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const struct regex_ops *loaded;

    forks_hold(NULL);
    (void)pthread_mutex_lock(&lock);
    if (loaded == NULL && !fault_hit())
        loaded = open_library();
    *ops = loaded;
    (void)pthread_mutex_unlock(&lock);
    forks_release();
    if (*ops == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "regular expressions need %s, which cannot be loaded: %s",
                          TRAWL_REGEX_LIBRARY, reason[0] != '\0' ? reason : "no place has it");
    return TRAWL_OK;
}
#else
enum trawl_status regex_load(const struct regex_ops **ops, struct trawl_error *error)
{
    *ops = NULL;
    return TRAWL_FAIL(error, UNSUPPORTED, "this build has no regular expressions: RE2 was missing");
}
#endif
