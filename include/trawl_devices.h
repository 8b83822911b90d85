/* trawl_devices: loads texts into GPU memory, and reports what the workers of devices and
 * of the host did. The conventions of trawl.h apply. */
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
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_load(struct trawl_searcher *searcher,
                                                          struct trawl_text *text,
                                                          struct trawl_error *error);
/* Drop the copy of a loaded text, for all searchers of the runtime. No searcher may be searching
 * the text. Does nothing if this text object is not loaded. */
TRAWL_API void trawl_text_unload(struct trawl_searcher *searcher, struct trawl_text *text);

/* What the workers of the host, or of one device, did in the last finished call. If the host
 * searches a text in memory of less than 16 KiB, other than in batches or records, no clock is
 * read, because that takes as long as the search: search_ns and the call's wall_ns are 0. */
struct trawl_worker_stats {
    uint64_t size; /* sizeof(struct trawl_worker_stats), set by the caller */
    char name[96]; /* "cpu", or "device 0", "device 1", ... */
    uint64_t chunk_count;
    uint64_t text_bytes; /* bytes searched, also in chunks whose results the caller did not take */
    uint64_t search_ns;  /* time of searching, summed over the threads */
    uint32_t thread_count;                      /* threads that took part */
    uint64_t method_bytes[TRAWL_METHODS_COUNT]; /* text_bytes, by the method with which each chunk's
                                                   search ended; AUTO: the gallery */
};

/* Report what workers did in the last call. Index 0 is the host's cores; each further index is a
 * device. *count is set to the number of indices, 0 after a call that searched no text in chunks.
 * Errors: ARGUMENT, also for an index that is too large. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_searcher_workers(
    const struct trawl_searcher *searcher, uint32_t index, struct trawl_worker_stats *stats,
    uint32_t *count, struct trawl_error *error);

#ifdef __cplusplus
}
#endif

#endif
