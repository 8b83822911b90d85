/* cuda_begins: writes the start offsets of a loaded text's occurrences to an array */
#ifndef TRAWL_CUDA_CUDA_BEGINS_H
#define TRAWL_CUDA_CUDA_BEGINS_H

#include "cuda/cuda_worker.h"

/* Runs a task that lists the start offsets of occurrences (ENGINE_OUTPUT_BEGINS). The device's
 * context is current. */
enum trawl_status cuda_begins(struct cuda_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error);

#endif
