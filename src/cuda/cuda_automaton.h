/* cuda_automaton: builds the automaton with which a device searches for a set in a text with many
 * candidates, and chooses the sizes of its launches.
 *
 * The automaton searches dense text, or, if its table exceeds 1 GiB or the device's free memory,
 * the CPU engine does. A count of up to 64 MiB begins with it if it is expected to be faster than
 * the filter, and its table fits into shared memory (or the set has a pattern of fewer than 4
 * bytes). Otherwise the filter begins; if it is expected to be slow, its first range has 32 MiB.
 * From then on, both are contestants (plan/contest.h), one for counts and one for
 * lists, with turns of 32 MiB, since a single dense tile may take most of a shorter one. A
 * launch's fixed time is not counted, nor are ranges of less than 4 MiB. A launch of the filter
 * ends if a warp exceeds its budget of work; then the automaton does this scan and up to 15 more.
 */
#ifndef TRAWL_CUDA_CUDA_AUTOMATON_H
#define TRAWL_CUDA_CUDA_AUTOMATON_H

#include "cuda/launch.h"
#include "cuda/cuda_worker.h"

/* Builds the automaton for worker->plan on the device, unless an earlier call for this plan has
 * built it, or failed to. If the limits forbid it, sets tables.automaton to
 * CUDA_AUTOMATON_NONE, which is no error. If it does not fit into memory, does so and returns
 * MEMORY. */
enum trawl_status cuda_automaton_want(struct cuda_worker *worker, struct trawl_error *error);
/* Returns what a count with the automaton is expected to cost, in units of reading the text once,
 * from the size of the rows (plan/parts.h). Until the automaton is built, that size is estimated,
 * once per plan, in a pass over the set's bytes. */
double cuda_automaton_price(struct cuda_worker *worker);
/* Returns true if the automaton's rows fit into shared memory, judging by the same size, known or
 * estimated, as cuda_automaton_price. */
bool cuda_automaton_is_kept(struct cuda_worker *worker);
/* Chooses the threads, shared memory and tiles of a launch of *blocks blocks. For count_automaton,
 * the caller sets *blocks to the number of multiprocessors, and unless limits.blocks_max is set,
 * the function multiplies that by the number of blocks that fit on one (at most 3).
 */
void cuda_automaton_prepare(const struct cuda_worker *worker, const struct cuda_tables *tables,
                            uint32_t *blocks, struct cuda_launch *launch);

#endif
