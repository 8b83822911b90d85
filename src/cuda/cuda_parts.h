/* cuda_parts: searches for a set part by part on a device. A *part* is a separate plan for those
 * patterns of the set that have similar lengths. */
#ifndef TRAWL_CUDA_CUDA_PARTS_H
#define TRAWL_CUDA_CUDA_PARTS_H

#include "cuda/chunk.h"
#include "cuda/cuda_worker.h"

/* Prepares the worker for the parts of a new plan, which has passed cuda_tables_check. If host
 * memory does not suffice for them, the worker searches for the whole plan. */
void cuda_parts_set_plan(struct cuda_worker *worker);
/* Returns true if the worker's plan is searched in parts. */
bool cuda_parts_are_there(const struct cuda_worker *worker);
/* Members of struct cuda_steps (chunk.h) for a plan with parts: `prepare` builds the parts' tables,
 * and `search` searches a range for all parts. */
enum trawl_status cuda_parts_build_tables(struct cuda_worker *worker, enum want want,
                                          struct cuda_steps *steps, struct trawl_error *error);
enum trawl_status cuda_parts_search(struct cuda_worker *worker, void *context,
                                    const struct cuda_range *range, enum want want,
                                    uint64_t hits_base, struct engine_result *result,
                                    uint64_t *done, struct trawl_error *error);
/* Called when a search lacked memory: frees the memory of all parts; from then on, the worker's
 * plan is searched whole. Returns false if there was nothing to free, so that another try would
 * fail, too. */
bool cuda_parts_refuse(struct cuda_worker *worker);

#endif
