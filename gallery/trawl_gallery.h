/* trawl_gallery: published algorithms, kept as published, for comparison (gallery/README.md). Only
 * a build with the gallery has this header and its functions; the conventions of trawl.h apply.
 *
 * A plan option `algorithm` names one. Each returns the same results as trawl's own methods; none
 * promises time linear in the text. On an engine that does not run it, a search fails with
 * UNSUPPORTED. Names with "rabin-karp-matrix" work with trawl_ask_records only. */
#ifndef TRAWL_GALLERY_H
#define TRAWL_GALLERY_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return the name of an algorithm. `index` counts from 0; NULL after the last. *summary gets one
 * line about the algorithm, *engines the engines that run it: bits 1u << enum trawl_engine (CPU and
 * CUDA); both may be NULL, and are untouched if the name is NULL. gallery/README.md has the options
 * that may follow a name. */
TRAWL_API const char *trawl_algorithm(uint32_t index, const char **summary, uint32_t *engines);

/* What an algorithm did on devices, summed over workers; after other searches 0. */
struct trawl_algorithm_stats {
    uint64_t size;             /* sizeof(struct trawl_algorithm_stats), set by the caller */
    uint64_t device_copy_ns;   /* time of waiting for copies to and from devices */
    uint64_t device_back_ns;   /* the part of device_copy_ns that copied results to the host */
    uint64_t device_kernel_ns; /* time in kernels, on the devices' clocks */
    uint64_t device_shifts_ns; /* the part of device_kernel_ns in the kernel that marks, before the
                                  search, the offsets that the algorithm's shifts reach */
    uint64_t device_memory_ns; /* time of allocating memory on devices and pinned host memory */
    uint64_t device_host_ns;   /* time of the host's work: sorting, verifying, clearing rows */
    uint64_t child_grids;      /* grids that kernels launched */
    uint64_t child_spills;     /* launches the device rejected; the launching thread did the work */
    /* grids not launched because a device accepts only a limited number; the thread did the work */
    uint64_t child_withheld;
    uint64_t child_parts; /* parts of texts, one after the other, whose kernels launch grids */
};
/* Report what the algorithm of the last finished call on a searcher did on devices. */
TRAWL_CALL trawl_searcher_algorithm_stats(const struct trawl_searcher *searcher,
                                          struct trawl_algorithm_stats *stats,
                                          struct trawl_error *error);

#ifdef __cplusplus
}
#endif

#endif
