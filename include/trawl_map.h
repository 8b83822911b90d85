/* trawl_map: the part of trawl.h about files that are mapped into memory instead of read, which is
 * included there. The conventions are those of trawl.h.
 */
#ifndef TRAWL_MAP_H
#define TRAWL_MAP_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Mapped files -------------------------------------------------------------------------- */

/* Does a search copy a regular file's bytes (read), or search them where the kernel has them? A
 * program may choose another value than NEVER if its SIGBUS handler calls trawl_map_repair. */
enum trawl_map {
    TRAWL_MAP_NEVER = 0,
    TRAWL_MAP_IF_FASTER = 1, /* files of 32 MiB and more, as far as they are in the page cache: in
                                large pages this takes half the time, in small ones 0.9 */
    TRAWL_MAP_ALWAYS = 2     /* every file, all but its last pages; for tests */
};

/* Handle a SIGBUS that comes from a file which trawl has mapped. Such a file may become shorter, or
 * its disk may fail, while it is searched; touching the lost bytes raises SIGBUS. The library
 * installs no handler. A program that sets `map` calls this function from its own, with the
 * signal's si_addr. True: the function has put zeros there, and the handler should return. The
 * search notices, drops what it found in them, and reads the file there: the text ends, or the call
 * fails with READ, as if nothing had been mapped. False: the signal has another cause.
 *
 * Of mapped bytes a caller sees only windows of trawl_windows without matches. If the file becomes
 * shorter while the sink has such a window, the search fails with READ after it. Bytes that others
 * write to the file during a search may be seen before or after the change, also within a window.
 * Mapped bytes are the page cache's, so host_memory_bytes does not bound them; some 32 to 48 MiB of
 * them are resident at a time. Chunks that go to GPUs are read, not mapped.
 * Threads: any; safe in a signal handler. */
TRAWL_API bool trawl_map_repair(const void *address);

#ifdef __cplusplus
}
#endif

#endif
