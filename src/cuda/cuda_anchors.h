/* cuda_anchors: the tables with which answer_around reads around the strings of many expressions.
 */
#ifndef TRAWL_CUDA_CUDA_ANCHORS_H
#define TRAWL_CUDA_CUDA_ANCHORS_H

#include "cuda/cuda_worker.h"
#include "cuda/kernels/lists.h"
#include "match/line_automaton.h"

/* Sets the transitions at a line end to what the line's end says, for a text's lines. */
void cuda_anchors_end_lines(const struct trawl_plan *plan, const struct line_automaton *automaton,
                            uint16_t *next);
/* Copies the automata of the plan's anchors to worker->answering->anchors: for records, where a
 * line end is a byte like any other, or for lines. */
enum trawl_status cuda_anchors_want(struct cuda_worker *worker, bool of_records,
                                    struct trawl_error *error);
/* Sets the arguments of answer_around; a->begin and a->end are set. */
void cuda_anchors_arguments(const struct cuda_worker *worker, struct answer_arguments *a);

#endif
