/* library: loads shared libraries. */
#include "trawl/text/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool library_load(struct library *library)
{
    void **function = library->functions, *handle = NULL;
    char name[80];
    bool good;

    (void)pthread_mutex_lock(&library->lock);
    if (!library->is_loaded && !library->fails) {
        handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
        library->is_loaded = handle != NULL;
    }
    for (const char *at = library->names; handle != NULL && *at != '\0'; at += strlen(at) + 1) {
        (void)snprintf(name, sizeof name, "%s%s", library->prefix, at);
        *function = dlsym(handle, name);
        library->is_loaded = library->is_loaded && *function++ != NULL;
    }
    library->fails = !library->is_loaded;
    good = library->is_loaded;
    (void)pthread_mutex_unlock(&library->lock);
    return good;
}
