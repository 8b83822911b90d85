/* cuda_begins: writes the starts of a loaded text's occurrences to an array */
#ifndef TRAWL_CUDA_CUDA_BEGINS_H
#define TRAWL_CUDA_CUDA_BEGINS_H

#include "cuda/cuda_worker.h"

/* Runs a task that lists the starts of occurrences (ENGINE_OUTPUT_BEGINS). The device's context is
 * current. */
enum trawl_status cuda_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error);
/* Without `wait`, starts to copy a piece of the listed begins to the caller's array or to pinned
 * memory. With `wait`, waits until such a copy is done (engine_ops.bring). */
enum trawl_status cuda_bring(struct engine_worker *worker, struct engine_copy *copy, bool wait,
                             struct trawl_error *error);

#endif
