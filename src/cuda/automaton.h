/* automaton: the automaton of a dense set on the device, and the shape of its launches. */
#ifndef TRAWL_CUDA_AUTOMATON_H
#define TRAWL_CUDA_AUTOMATON_H

#include "cuda/launch.h"
#include "cuda/worker.h"

/* Make the automaton of worker->plan on the device, unless that was done before. There is none if
 * it is too large for the device or the host. */
enum trawl_status cuda_automaton_want(struct engine_worker *worker, struct trawl_error *error);
/* Chooses threads, shared memory and tiles of a launch. *blocks: of other kernels, one for each
 * multiprocessor of count_automaton, of which more may fit. */
void cuda_automaton_prepare(const struct engine_worker *worker, const struct cuda_tables *tables,
                            uint32_t *blocks, struct cuda_launch *launch);

#endif
