/* chunk: searches a chunk, a part of a text, on a device: copies its bytes there, and lets kernels
 * search it range by range. */
#ifndef TRAWL_CUDA_CHUNK_H
#define TRAWL_CUDA_CHUNK_H

#include "cuda/launch.h"

/* How cuda_scan_chunk searches a chunk: limits, and the function that searches a range. */
struct cuda_steps {
    uint64_t text_bytes_max;  /* maximum number of bytes of text copied to the device at a time */
    uint64_t range_bytes_max; /* maximum number of text positions in a range */
    /* a search for the first occurrence lists the hits of ranges that grow, until one has a hit */
    bool lists_first;
    /* wait for the copies of the text, and add their time, and that of the driver's calls for
     * memory, to the result */
    bool copies_timed;
    /* Optional. Called before the first range; may set the sizes above. */
    enum trawl_status (*prepare)(struct cuda_worker *worker, enum want want,
                                 struct cuda_steps *steps, struct trawl_error *error);
    /* Searches a range, and adds to *result. Sets *done: all starts in the range below it have been
     * searched. A hit at range->begin gets the offset hits_base. */
    enum trawl_status (*search)(struct cuda_worker *worker, void *context,
                                const struct cuda_range *range, enum want want, uint64_t hits_base,
                                struct engine_result *result, uint64_t *done,
                                struct trawl_error *error);
    void *context;
};

/* Searches for the occurrences that start in the chunk at offset `from` or later. Clears *result,
 * copies the text to the device unless it is there, and searches range by range. Drops hits that
 * fail the plan's conditions (such as whole words), or whose tail, the end of a pattern that only
 * the host compares, does not match. Stops before the chunk's end, at result->done, if there are
 * limits.hits_max hits, or if the host should search the rest (result->is_left). Makes the device's
 * context current meanwhile. After a failure, the worker's text, tables and sums are invalid. */
enum trawl_status cuda_scan_chunk(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                  uint64_t from, enum want want, struct cuda_steps *steps,
                                  struct engine_result *result, struct trawl_error *error);

#endif
