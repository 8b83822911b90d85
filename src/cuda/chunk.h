/* chunk: one chunk of a text: its bytes go to the device, range by range is searched. */
#ifndef TRAWL_CUDA_CHUNK_H
#define TRAWL_CUDA_CHUNK_H

#include "cuda/launch.h"

/* How a chunk is searched, range by range, once its text is on the device. */
struct cuda_steps {
    uint64_t text_bytes_max;  /* brought to the device at a time */
    uint64_t range_bytes_max; /* of begins */
    bool copies_timed; /* wait for the text's copies; add their time, and memory's, to the result */
    /* Optional: before the first range. May set the sizes. */
    enum trawl_status (*prepare)(struct engine_worker *worker, enum want want,
                                 struct cuda_steps *steps, struct trawl_error *error);
    /* As cuda_scan_range. */
    enum trawl_status (*search)(struct engine_worker *worker, void *context,
                                const struct cuda_range *range, enum want want, uint64_t hits_base,
                                struct engine_result *result, uint64_t *done,
                                struct trawl_error *error);
    void *context;
};

/* The engine's scan, from engine_result_begin on: copy the text, search it, drop the hits that the
 * plan's conditions or tails refuse. Enters the device. After a failure the worker holds nothing.
 */
enum trawl_status cuda_scan_chunk(struct engine_worker *worker, const struct engine_chunk *chunk,
                                  uint64_t from, enum want want, struct cuda_steps *steps,
                                  struct engine_result *result, struct trawl_error *error);

#endif
