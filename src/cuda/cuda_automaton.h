/* cuda_automaton: makes the automaton by which a device searches for a set in a text with many
 * candidates, and chooses the sizes of the automaton's launches. */
#ifndef TRAWL_CUDA_CUDA_AUTOMATON_H
#define TRAWL_CUDA_CUDA_AUTOMATON_H

#include "cuda/launch.h"
#include "cuda/cuda_worker.h"

/* Makes the automaton of worker->plan on the device, unless an earlier call for this plan has made
 * it or failed to. If there is not enough memory, or the limits forbid it, sets tables.automaton to
 * CUDA_AUTOMATON_NONE, which is no error. */
enum trawl_status cuda_automaton_want(struct engine_worker *worker, struct trawl_error *error);
/* Returns the cost of the automaton's counts, in units of reading the text once: the last one
 * measured, or at first an expected one, which follows from the rows' size (plan/parts.h).
 * Before the automaton is made, the size is estimated once for each plan by a walk over the
 * set's bytes. */
double cuda_automaton_price(struct engine_worker *worker);
/* Returns true if the automaton's rows fit in shared memory, by the same size, known or estimated,
 * as cuda_automaton_price. */
bool cuda_automaton_is_kept(struct engine_worker *worker);
/* Chooses threads, shared memory and tiles of a launch of *blocks blocks. For count_automaton,
 * *blocks is at first the number of multiprocessors, and is multiplied by the blocks that one can
 * hold (at most 3), unless limits.blocks_max bounds it.
 */
void cuda_automaton_prepare(const struct engine_worker *worker, const struct cuda_tables *tables,
                            uint32_t *blocks, struct cuda_launch *launch);

#endif
