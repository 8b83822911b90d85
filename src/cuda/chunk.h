/* chunk: copies the bytes of a chunk of a text to the device, and searches the chunk range by
 * range. */
#ifndef TRAWL_CUDA_CHUNK_H
#define TRAWL_CUDA_CHUNK_H

#include "cuda/launch.h"

/* How a chunk is searched, range by range, once the chunk's bytes are on the device. */
struct cuda_steps {
    uint64_t text_bytes_max;  /* the most bytes of text that are copied to the device at a time */
    uint64_t range_bytes_max; /* the most begins of a range */
    /* wait until the text is copied, and add the time of the copies and of memory calls to the
     * result */
    bool copies_timed;
    /* Optional. Called before the first range; may set the sizes above. */
    enum trawl_status (*prepare)(struct engine_worker *worker, enum want want,
                                 struct cuda_steps *steps, struct trawl_error *error);
    /* Searches a range, as cuda_scan_range does. */
    enum trawl_status (*search)(struct engine_worker *worker, void *context,
                                const struct cuda_range *range, enum want want, uint64_t hits_base,
                                struct engine_result *result, uint64_t *done,
                                struct trawl_error *error);
    void *context;
};

/* Scans a chunk from `from` on: calls engine_result_begin, copies the text, searches the text,
 * and drops the hits that the plan's conditions or tails refuse. Enters the device. After a
 * failure the worker's text, tables and sums are invalid. */
enum trawl_status cuda_scan_chunk(struct engine_worker *worker, const struct engine_chunk *chunk,
                                  uint64_t from, enum want want, struct cuda_steps *steps,
                                  struct engine_result *result, struct trawl_error *error);

#endif
