/* cuda_answer: makes answers of hits that stay on the device (match/answer.h). */
#ifndef TRAWL_CUDA_CUDA_ANSWER_H
#define TRAWL_CUDA_CUDA_ANSWER_H

#include "cuda/cuda_worker.h"
#include "cuda/launch.h"
#include "cuda/kernels/lists.h"
#include "match/answer.h"

/* Returns whether a device can make this answer for the plan. */
bool cuda_answer_is_for(const struct trawl_plan *plan, enum answer_form form);
/* Runs a task that makes an answer (ENGINE_OUTPUT_ANSWER). Errors: UNSUPPORTED if the chunk is not
 * loaded on the worker's device, or the device cannot make this answer. */
enum trawl_status cuda_answer(struct engine_worker *worker, struct engine_task *task,
                              enum trawl_status (*scan)(struct engine_worker *worker,
                                                        struct engine_task *task,
                                                        struct trawl_error *error),
                              struct trawl_error *error);

#endif
