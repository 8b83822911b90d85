/* counts: counts in chunks that lie on the device, begun without waiting for any. */
#ifndef TRAWL_CUDA_COUNTS_H
#define TRAWL_CUDA_COUNTS_H

#include "cuda/worker.h"

/* Begin to count in a chunk that lies on the worker's device, and return at once; false: a scan is
 * to count. Then, in the same order, wait for each. Nothing else may be asked of the worker before
 * as many were ended as begun. With the device entered. */
bool cuda_count_begin(struct engine_worker *worker, const struct engine_chunk *chunk);
bool cuda_count_end(struct engine_worker *worker, uint64_t *count, uint64_t *candidate_count);
/* What lies in the host's memory. */
void cuda_counts_free(struct engine_worker *worker);

#endif
