/* cuda_begins: writes the start offsets of a loaded text's occurrences to an array */
#ifndef TRAWL_CUDA_CUDA_BEGINS_H
#define TRAWL_CUDA_CUDA_BEGINS_H

#include "cuda/cuda_worker.h"

/* Runs a task that lists the start offsets of occurrences (ENGINE_OUTPUT_BEGINS). The device's
 * context is current. */
enum trawl_status cuda_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error);
/* engine_ops.bring: without `wait`, starts to copy a piece of the list to the caller's array or to
 * pinned memory; with `wait`, waits until that copy is done. */
enum trawl_status cuda_bring(struct engine_worker *worker, struct engine_copy *copy, bool wait,
                             struct trawl_error *error);

#endif
