/* beside: loads a part of trawl that is a shared object of its own, because few programs need it
 * and it is large: libtrawl_kernels. */
#ifndef TRAWL_BASE_BESIDE_H
#define TRAWL_BASE_BESIDE_H

#include <stdbool.h>

struct beside_library {
    const char *library;                /* the file's name */
    const char *symbol;                 /* the object that it exports */
    bool (*fits)(const void *exported); /* whether it belongs to this version */
    const void *loaded;                 /* NULL until it is found */
};

#define BESIDE_REASON_BYTES 256

/* Returns what the shared object exports, which stays loaded; NULL if no place has it, or if it
 * does not fit: then `reason` says why, and the next call tries again. Looks in the directory of
 * the program or library that contains this code, then in the ../lib and ../../lib of that
 * directory (for programs in libexec/trawl), then where the system keeps libraries. `lib` stands
 * for the build's CMAKE_INSTALL_LIBDIR, which may be lib64, for example. Threads: any. */
const void *beside_load(struct beside_library *beside, char reason[BESIDE_REASON_BYTES]);

#endif
