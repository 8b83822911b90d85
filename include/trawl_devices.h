/* trawl_devices: loads texts into GPU memory. The conventions of trawl.h apply. */
#ifndef TRAWL_DEVICES_H
#define TRAWL_DEVICES_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ----------------------------------------------------------------------------- */

/* Keep a copy of a memory text on the searcher's devices, for many searches of the same text. Such
 * searches read host memory only where the host needs the bytes, as in the calls that
 * trawl_text_open lists for DEVICE.
 * Under AUTO, a lack of devices, or of room on them, is no error: the host then searches the text.
 * Under CPU, the call does nothing. Do not change or free the bytes until trawl_text_unload or
 * trawl_searcher_close (with a shared runtime, trawl_runtime_close).
 * The copy stays until this text object is unloaded, whatever other texts of the same memory are
 * loaded and unloaded. The searchers of a runtime share the copies: a search copies nothing if all
 * bytes of its text lie in copies, even of longer or overlapping texts. If exactly the same range
 * of memory is loaded already, its bytes are copied again; but if the runtime has other searchers,
 * both text objects share the old copy. A text of TRAWL_SOURCE_DEVICE is copied within its GPU's
 * memory, and only if less than 79 bytes follow it in its allocation. Errors: ARGUMENT (not a text
 * in memory), BUSY, MEMORY, DEVICE, LIMIT (more than 256 texts); for a text in a GPU's memory also
 * UNSUPPORTED, ENGINE. Cost: one copy to the device. */
TRAWL_CALL trawl_text_load(struct trawl_searcher *searcher, struct trawl_text *text,
                           struct trawl_error *error);
/* Drop the copy of a loaded text, for all searchers of the runtime. No searcher may be searching
 * the text. Does nothing if this text object is not loaded. */
TRAWL_API void trawl_text_unload(struct trawl_searcher *searcher, struct trawl_text *text);
/* how many changes of a call are kept */
#define TRAWL_CHANGES_KEPT 16
/* A change of the way in which a thread of the host searches. Each text decides by its bytes which
 * way is fastest (docs/design/programs.md), so threads begin with the one that is expected to be.
 */
struct trawl_change {
    uint64_t offset;    /* where in the text the thread changed */
    const char *before; /* names of the ways; valid as long as the library is loaded */
    const char *after;
    double before_ns; /* what they take per byte of text, measured or estimated */
    double after_ns;
    const char *why; /* valid as long as the library is loaded */
};
/* Fill `changes` with the last changes of the last finished call, in the order in which they
 * happened. *count is set to their number: at most `room`, TRAWL_CHANGES_KEPT, and the
 * change_count of trawl_searcher_stats. Errors: ARGUMENT. */
TRAWL_CALL trawl_searcher_changes(const struct trawl_searcher *searcher,
                                  struct trawl_change *changes, uint64_t room, uint64_t *count,
                                  struct trawl_error *error);

#ifdef __cplusplus
}
#endif

#endif
