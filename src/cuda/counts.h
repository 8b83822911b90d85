/* counts: counts in chunks that lie on the device, begun without waiting for any. */
#ifndef TRAWL_CUDA_COUNTS_H
#define TRAWL_CUDA_COUNTS_H

#include "cuda/worker.h"

/* The engine's table says what they do; with the device entered. */
bool cuda_count_begin(struct engine_worker *worker, const struct engine_chunk *chunk);
bool cuda_count_end(struct engine_worker *worker, uint64_t *count, uint64_t *candidate_count);
/* Their streams, and what lies in the host's memory. */
void cuda_counts_end(struct engine_worker *worker);
void cuda_counts_free(struct engine_worker *worker);

#endif
