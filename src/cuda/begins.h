/* begins: where the occurrences in a loaded text begin, as one array. */
#ifndef TRAWL_CUDA_BEGINS_H
#define TRAWL_CUDA_BEGINS_H

#include "cuda/worker.h"

/* A task whose output is BEGINS; with the device entered. */
enum trawl_status cuda_begins(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error);
/* engine_ops.bring. */
enum trawl_status cuda_bring(struct engine_worker *worker, struct engine_copy *copy, bool wait,
                             struct trawl_error *error);
void cuda_begins_end(struct engine_worker *worker);

#endif
