/* beside: loads a shared object that is installed next to this code. */
#include "base/beside.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/forks.h"

#define NOWHERE "no place has it"

/* Opens the library at `path`. Returns NULL if there is none, or if it cannot be loaded: then the
 * dynamic linker's message is the reason. */
static void *open_at(const char *path, char *reason)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    if (library == NULL && access(path, F_OK) == 0)
        (void)snprintf(reason, BESIDE_REASON_BYTES, "%s", dlerror());
    return library;
}

/* Opens the library in the directory of `file`, or in its ../lib or ../../lib. Returns NULL if it
 * is in none of these. */
static void *open_near(const char *name, const char *file, char *reason)
{
    static const char *const between[] = {"", "../" TRAWL_LIBDIR "/", "../../" TRAWL_LIBDIR "/"};
    char path[PATH_MAX];
    const char *slash = strrchr(file, '/');
    void *library = NULL;

    for (int i = 0; slash != NULL && library == NULL && i < 3; i++) {
        if (snprintf(path, sizeof path, "%.*s%s%s", (int)(slash + 1 - file), file, between[i],
                     name) < (int)sizeof path)
            library = open_at(path, reason);
    }
    return library;
}

/* Opens the library next to this code: next to the program or library that contains the code, or
 * next to the file that a link to it leads to. `own` is what the dynamic linker knows about this
 * code. For a library, that is its path; for a program, only the name given by the caller, which
 * may be any text. So a program's path comes from the kernel: from /proc or, if /proc is missing or
 * names the dynamic linker (which can run a program that is its operand), the path that was
 * executed. */
static void *open_near_own(const char *name, const Dl_info *own, char *reason)
{
    const char *executed = (const char *)getauxval(AT_EXECFN);
    char file[PATH_MAX] = {0};
    void *library = NULL;
    Dl_info program;

    if (dladdr((const void *)getauxval(AT_ENTRY), &program) != 0 &&
        own->dli_fbase != program.dli_fbase) {
        library = open_near(name, own->dli_fname, reason);
        executed = own->dli_fname;
    } else if (readlink("/proc/self/exe", file, sizeof file - 1) > 0) {
        library = open_near(name, file, reason);
    }
    if (library == NULL && executed != NULL && realpath(executed, file) != NULL)
        library = open_near(name, file, reason);
    return library;
}

/* Returns what the first library that is found exports; NULL if there is none, or if it does not
 * fit. */
static const void *open_library(const struct beside_library *beside, char *reason)
{
    const void *exported;
    void *library;
    Dl_info own;

    /* A static program has no dynamic linker, and C++ code would crash in it. */
    if (dladdr((const void *)(uintptr_t)beside_load, &own) == 0 || own.dli_fname == NULL)
        return NULL;
    library = open_near_own(beside->library, &own, reason);
    if (library == NULL)
        library = dlopen(beside->library, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL && strcmp(reason, NOWHERE) == 0)
        (void)snprintf(reason, BESIDE_REASON_BYTES, "%s", dlerror());
    if (library == NULL)
        return NULL;
    exported = dlsym(library, beside->symbol);
    if (exported != NULL && beside->fits(exported))
        return exported;
    (void)snprintf(reason, BESIDE_REASON_BYTES, "it is of another version of trawl");
    (void)dlclose(library);
    return NULL;
}

const void *beside_load(struct beside_library *beside, char reason[BESIDE_REASON_BYTES])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const void *loaded;

    (void)snprintf(reason, BESIDE_REASON_BYTES, NOWHERE);
    forks_hold(NULL);
    (void)pthread_mutex_lock(&lock);
    if (beside->loaded == NULL && !fault_hit())
        beside->loaded = open_library(beside, reason);
    loaded = beside->loaded;
    (void)pthread_mutex_unlock(&lock);
    forks_release();
    return loaded;
}
