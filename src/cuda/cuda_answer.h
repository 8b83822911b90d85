/* cuda_answer: computes answers from hits that stay on the device (match/answer.h)
 *
 * Of the speed at which an H100 only reads: lines are counted at 0.38 to 1.08 (0.01 to 0.40 when
 * the host did it), counts by pattern run at 0.59 to 1.12 (0.04 to 0.43), records at 0.38 to 1.10
 * (0.01 to 0.02).
 */
#ifndef TRAWL_CUDA_CUDA_ANSWER_H
#define TRAWL_CUDA_CUDA_ANSWER_H

#include "cuda/cuda_worker.h"
#include "cuda/launch.h"
#include "cuda/kernels/lists.h"
#include "match/answer.h"

/* Returns true if a device can compute this form of answer for the plan. */
bool cuda_answer_is_for(const struct trawl_plan *plan, enum answer_form form);
/* Returns true if a device checks the plan's conditions itself. */
bool cuda_answer_checks(const struct trawl_plan *plan);
/* Runs a task that wants an answer (ENGINE_OUTPUT_ANSWER), or whose hits must meet conditions.
 * Errors: UNSUPPORTED if the chunk is not loaded on the worker's device, or the device cannot
 * compute the answer. */
enum trawl_status cuda_answer(struct cuda_worker *worker, struct engine_task *task,
                              enum trawl_status (*scan)(struct cuda_worker *worker,
                                                        struct engine_task *task,
                                                        struct trawl_error *error),
                              struct trawl_error *error);
/* Finds the range's hits that start below `limit` and meet the plan's conditions. Writes their
 * starts to the room, in order, and adds their number to *result. The range begins at offset `at`
 * of the chunk. If there are too many hits for one list, the caller must continue at *done. */
enum trawl_status cuda_answer_begins(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                     const struct cuda_range *range, uint64_t limit, uint64_t at,
                                     struct cuda_hits_room *room, struct engine_result *result,
                                     uint64_t *done, struct trawl_error *error);

/* Runs a task that lists the start offsets of occurrences (ENGINE_OUTPUT_BEGINS). The device's
 * context is current. */
enum trawl_status cuda_begins(struct cuda_worker *worker, const struct engine_chunk *chunk,
                              struct engine_words *words, struct trawl_error *error);

#endif
