/* parts: a set that a device searches in parts, one after the other. */
#ifndef TRAWL_CUDA_PARTS_H
#define TRAWL_CUDA_PARTS_H

#include "cuda/chunk.h"
#include "cuda/worker.h"

/* The worker's plan is another one. Errors: MEMORY, UNSUPPORTED (a part is not for a device). */
enum trawl_status cuda_parts_take(struct engine_worker *worker, struct trawl_error *error);
/* Is the worker's plan searched in parts? */
bool cuda_parts_are_there(const struct engine_worker *worker);
/* The members `prepare` and `search` of struct cuda_steps, for a plan with parts. */
enum trawl_status cuda_parts_prepare(struct engine_worker *worker, enum want want,
                                     struct cuda_steps *steps, struct trawl_error *error);
enum trawl_status cuda_parts_search(struct engine_worker *worker, void *context,
                                    const struct cuda_range *range, enum want want,
                                    uint64_t hits_base, struct engine_result *result,
                                    uint64_t *done, struct trawl_error *error);
#endif
