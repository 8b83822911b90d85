/* cuda_automaton: the automaton of a dense set on the device, and the shape of its launches. */
#ifndef TRAWL_CUDA_CUDA_AUTOMATON_H
#define TRAWL_CUDA_CUDA_AUTOMATON_H

#include "cuda/launch.h"
#include "cuda/cuda_worker.h"

/* Makes the automaton of worker->plan on the device, unless the worker has made the automaton
 * before. If the automaton is too large for the device or the host, the plan has no automaton. */
enum trawl_status cuda_automaton_want(struct engine_worker *worker, struct trawl_error *error);
/* Returns whether the automaton's rows fit shared memory, so that counting takes count_automaton.
 * Before the automaton is made, an upper bound of its size decides. */
bool cuda_automaton_is_kept(const struct engine_worker *worker);
/* Chooses threads, shared memory and tiles of a launch of *blocks blocks. For count_automaton,
 * *blocks is at first the number of multiprocessors. The function multiplies *blocks by the number
 * of blocks that a multiprocessor can hold, unless limits.blocks_max bounds the blocks. */
void cuda_automaton_prepare(const struct engine_worker *worker, const struct cuda_tables *tables,
                            uint32_t *blocks, struct cuda_launch *launch);

#endif
